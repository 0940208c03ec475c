//! quantizeLinear: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear>.

use std::num::Wrapping;

use ndarray::{ArrayD, Dimension};

use crate::algorithms::broadcasting::blockwise_broadcast;
use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::index::block;
use crate::limits::{BYTES, DataTypes, FLOATS, OperandLimits, QUANTIZED, Ranks, TensorLimits};
use crate::number::{Element, Float, Integer, Number, to_integer};
use crate::operand::{MLOperand, OperandId};
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, Stored, Value, array};
use crate::{algorithm, for_float_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-quantizelinear>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-quantizelinear",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "scale",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "zeroPoint",
            allowed_data_types: DataTypes::Only(QUANTIZED),
            required_data_types: BYTES,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("zeroPoint"),
            required_data_types: BYTES,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// quantizeLinear
pub const QUANTIZE_LINEAR: OperatorRow = OperatorRow {
    name: "quantizeLinear",
    section: "api-mlgraphbuilder-quantizelinear",
    parameters: &["input", "scale", "zeroPoint", "options"],
    call: |b, x| {
        let (input, scale, zero_point) = (x.get("input")?, x.get("scale")?, x.get("zeroPoint")?);
        Ok(vec![b.quantize_linear(&input, &scale, &zero_point, &x.options()?)?])
    },
    limits: &LIMITS,
};

/// The parameters of a quantizeLinear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantizeLinear {
    /// What is divided by, the second of the operator's inputs.
    pub scale: OperandId,
    /// What is added after, the third of the operator's inputs.
    pub zero_point: OperandId,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-quantizelinear>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type is not allowed, or the shapes do not fit one another.
    pub fn quantize_linear(
        &self,
        input: &MLOperand,
        scale: &MLOperand,
        zero_point: &MLOperand,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.quantizeLinear(input, scale, zeroPoint, options)", self, options.label);
        step!("1");
        self.ensure_has_not_built()?;
        if !literal!("quantize-on-a-lost-context") {
            self.ensure_can_build()?;
        }
        step!("2");
        self.ensure_operands([input, scale, zero_point])?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        if !LIMITS.allows_data_type_as("scale", scale, input) {
            throw!(TypeError, "the scale is {} and the input is {}", scale.data_type(), input.data_type());
        }
        step!("5"); // The table says the same, which step 4 has checked.
        step!("6");
        if !LIMITS.allows_data_type("zeroPoint", zero_point) {
            throw!(TypeError, "zeroPoint can not be {}", zero_point.data_type());
        }
        step!("7");
        if scale.rank() != input.rank() || zero_point.rank() != input.rank() {
            let (scale, zero_point) = (scale.rank(), zero_point.rank());
            throw!(TypeError, "input, scale and zeroPoint have the ranks {}, {scale} and {zero_point}", input.rank());
        }
        step!("8");
        if !lists_are_equal(&scale.shape(), &zero_point.shape()) {
            throw!(TypeError, "the scale is {:?} and zeroPoint {:?}", scale.shape(), zero_point.shape());
        }
        step!("9");
        if !blockwise_broadcast(&scale.shape(), &input.shape()) {
            throw!(TypeError, "the scale is {:?}, which is no block of {:?}", scale.shape(), input.shape());
        }
        step!("10"); // Of the shape that step 9 has checked.
        step!("11");
        let output_descriptor = MLOperandDescriptor::create(zero_point.data_type(), &input.shape());
        self.ensure_output(&output_descriptor)?;
        step!("12");
        step!("12.1");
        let output = self.create_operand(output_descriptor);
        step!("12.2");
        let quantize_linear = QuantizeLinear { scale: scale.id(), zero_point: zero_point.id() };
        let operator = self.create_operator(Operation::QuantizeLinear(quantize_linear), &options.label);
        step!("12.3");
        output.set_operator(operator);
        step!("12.4");
        self.set_inputs(operator, [input]);
        if !literal!("quantize-scale-not-an-input") {
            self.add_input(operator, scale);
            self.add_input(operator, zero_point);
        }
        step!("12.5");
        self.set_outputs(operator, [&output]);
        step!("13");
        Ok(output)
    }
}

impl QuantizeLinear {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => quantized(input, bound))
    }
}

fn quantized<T: FloatStored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    match bound.input(2) {
        Value::Uint8(zero_point) => quantized_to(zero_point, input, bound),
        Value::Int8(zero_point) => quantized_to(zero_point, input, bound),
        Value::Uint32(zero_point) => quantized_to(zero_point, input, bound),
        Value::Int32(zero_point) => quantized_to(zero_point, input, bound),
        Value::Float32(_) | Value::Float16(_) | Value::Int64(_) | Value::Uint64(_) => {
            unreachable!("the allowed data types of zeroPoint are integers of 8 and 32 bits")
        }
    }
}

/// roundEven(input / scale) + zeroPoint, clamped to the range of the output, each with the scale and the zero point of
/// its block. The emulation in the section clamps to that of uint8, whatever the type of the output.
fn quantized_to<Q, T>(zero_point: &ArrayD<Q>, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed
where
    Q: Stored + Element<Number = Integer>,
    T: FloatStored,
{
    let scale = T::array(bound.input(1));
    let least = Q::LEAST.number();
    // The other end of the range is the complement of the least integer: all bits set, or all but the sign.
    let greatest = Q::rounded(-Integer::ONE - least).number();
    let elements = input.indexed_iter().map(|(index, x)| {
        let block = block(index.slice(), scale.shape(), input.shape());
        let quotient = rounded_quotient(x.number(), scale[block.as_slice()].number());
        let number = quotient + zero_point[block.as_slice()].number();
        Q::rounded(number.clamp(least, greatest))
    });
    Ok(array(&bound.output().shape, elements)?.into())
}

/// The integer nearest to x / scale, ties to even, of those in 64 bits; 0 if there is no quotient.
///
/// The text leaves a scale that is not positive open; here it is divided by like any other.
fn rounded_quotient(x: Float, scale: Float) -> Integer {
    let quotient = x / scale;
    let mut nearest = quotient.round_ties_even();
    if (quotient - quotient.trunc()).abs() == 0.5 {
        // The quotient has itself been rounded; the remainder, which is exact, says on which side of the tie it lies.
        let remainder = (-quotient).mul_add(scale, x) / scale;
        if remainder != 0.0 {
            nearest = if remainder > 0.0 { quotient.ceil() } else { quotient.floor() };
        }
    }
    Wrapping(to_integer(nearest, i128::from(i64::MIN), i128::from(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn halves_are_rounded_to_even_and_the_range_is_that_of_the_output() -> Result<()> {
        let input = [-1e9f32, -2.5, -1.5, 0.5, 1.5, 2.5, f32::INFINITY, f32::NAN];
        let of = |b: &MLGraphBuilder, zero_point: MLOperand| {
            let (input, scale) = (constant(b, &[8], &input), constant(b, &[1], &[1f32]));
            b.quantize_linear(&input, &scale, &zero_point, &MLOperatorOptions::default())
        };
        let output = computed(|b| of(b, constant(b, &[1], &[-100i8])))?;
        assert_eq!(output, value(&[8], &[-128i8, -102, -102, -100, -98, -98, 127, -100]));
        let output = computed(|b| of(b, constant(b, &[1], &[3u8])))?;
        assert_eq!(output, value(&[8], &[0u8, 1, 1, 3, 5, 5, 255, 3]));
        let output = computed(|b| of(b, constant(b, &[1], &[u32::MAX])))?;
        let max = u32::MAX;
        assert_eq!(output, value(&[8], &[max - 1_000_000_000, max - 2, max - 2, max, max, max, max, max]));
        let output = computed(|b| of(b, constant(b, &[1], &[i32::MIN])))?;
        let min = i32::MIN;
        assert_eq!(output, value(&[8], &[min, min, min, min, min + 2, min + 2, i32::MAX, min]));
        Ok(())
    }

    #[test]
    fn a_quotient_beside_a_tie_is_not_rounded_to_it_first() {
        // Both are binary32, and binary64 has nothing between the quotient and the tie. By Python's fractions:
        // round(Fraction(8483950 * 2**32, 13558279)), and likewise.
        let power = Float::powi(2.0, 32);
        assert_eq!(rounded_quotient(8_483_950.0 * power, 13_558_279.0).0, 2_687_530_459);
        assert_eq!(rounded_quotient(12_269_278.0 * power, 12_609_475.0).0, 4_179_091_339);
        assert_eq!(rounded_quotient(12_269_278.0 * power, -12_609_475.0).0, -4_179_091_339);
        assert_eq!(rounded_quotient(-2.5, 1.0).0, -2);
        assert_eq!(rounded_quotient(1.0, 0.0).0, i128::from(i64::MAX));
        assert_eq!(rounded_quotient(0.0, 0.0).0, 0);
    }

    #[test]
    fn each_block_has_its_scale_and_zero_point() -> Result<()> {
        let output = computed(|b| {
            let input = constant(b, &[4, 1], &[1f32, 2.0, 3.0, 4.0]);
            let (scale, zero_point) = (constant(b, &[2, 1], &[0.5f32, -1.0]), constant(b, &[2, 1], &[0u8, 10]));
            b.quantize_linear(&input, &scale, &zero_point, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[4, 1], &[2u8, 4, 7, 6]));
        Ok(())
    }

    #[test]
    fn scale_and_zero_point_have_one_shape_whose_dimensions_divide_those_of_the_input() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[4, 6]);
        let throws = |scale: &MLOperand, zero_point: &MLOperand| {
            b.quantize_linear(&input, scale, zero_point, &MLOperatorOptions::default()).unwrap_err().step
        };
        let step = |scale: &[u32], zero_point: &[u32]| throws(&zeros::<f32>(&b, scale), &zeros::<i8>(&b, zero_point));
        assert_eq!(step(&[], &[]), "7");
        assert_eq!(step(&[4, 1], &[4, 6]), "8");
        assert_eq!(step(&[3, 6], &[3, 6]), "9");
        let (half, wide) = (zeros::<half::f16>(&b, &[1, 1]), zeros::<i64>(&b, &[1, 1]));
        assert_eq!(throws(&half, &wide), "4");
        assert_eq!(throws(&zeros::<f32>(&b, &[1, 1]), &wide), "6");
        let output = b.quantize_linear(&wide, &half, &wide, &MLOperatorOptions::default());
        assert_eq!(output.unwrap_err().step, "3");
    }

    #[test]
    fn by_the_literal_text_the_graph_lacks_the_scale() -> Result<()> {
        for reading in [Reading::Corrected, Reading::Literal] {
            let b = builder(reading);
            let (input, scale) = (zeros::<f32>(&b, &[2]), zeros::<f32>(&b, &[1]));
            let output = b.quantize_linear(&input, &scale, &zeros::<u8>(&b, &[1]), &MLOperatorOptions::default())?;
            let built = b.context().global().settle(&b.build(&[("y".into(), output)]));
            let expected = if reading == Reading::Literal { Some(("OperationError", "18.1.2")) } else { None };
            assert_eq!(built.err().map(|exception| (exception.name.as_str(), exception.step)), expected);
        }
        Ok(())
    }
}
