//! dequantizeLinear: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-dequantizelinear>.

use ndarray::{ArrayD, Dimension};

use crate::algorithms::broadcasting::blockwise_broadcast;
use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::index::block;
use crate::limits::{BYTES, BYTES_AND_INT32, DataTypes, FLOATS, OperandLimits, QUANTIZED, Ranks, TensorLimits};
use crate::number::Number;
use crate::operand::{MLOperand, OperandId};
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, array, integers};
use crate::{algorithm, for_float_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-dequantizelinear>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-dequantizelinear",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(QUANTIZED),
            required_data_types: BYTES,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "scale",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "zeroPoint",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: BYTES_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("scale"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// dequantizeLinear
pub const DEQUANTIZE_LINEAR: OperatorRow = OperatorRow {
    name: "dequantizeLinear",
    section: "api-mlgraphbuilder-dequantizelinear",
    parameters: &["input", "scale", "zeroPoint", "options"],
    call: |b, x| {
        let (input, scale, zero_point) = (x.get("input")?, x.get("scale")?, x.get("zeroPoint")?);
        Ok(vec![b.dequantize_linear(&input, &scale, &zero_point, &x.options()?)?])
    },
    limits: &LIMITS,
};

/// The parameters of a dequantizeLinear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DequantizeLinear {
    /// What is multiplied with, the second of the operator's inputs.
    pub scale: OperandId,
    /// What is subtracted before, the third of the operator's inputs.
    pub zero_point: OperandId,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-dequantizelinear>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type is not allowed, or the shapes do not fit one another.
    pub fn dequantize_linear(
        &self,
        input: &MLOperand,
        scale: &MLOperand,
        zero_point: &MLOperand,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.dequantizeLinear(input, scale, zeroPoint, options)", self, options.label);
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
        if !LIMITS.allows_data_type("scale", scale) {
            throw!(TypeError, "the scale can not be {}", scale.data_type());
        }
        step!("5");
        if !LIMITS.allows_data_type_as("zeroPoint", zero_point, input) {
            throw!(TypeError, "zeroPoint is {} and the input is {}", zero_point.data_type(), input.data_type());
        }
        step!("6"); // The table says the same, which step 5 has checked.
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
        let output_descriptor = MLOperandDescriptor::create(scale.data_type(), &input.shape());
        self.ensure_output(&output_descriptor)?;
        step!("12");
        step!("12.1");
        let output = self.create_operand(output_descriptor);
        step!("12.2");
        let dequantize_linear = DequantizeLinear { scale: scale.id(), zero_point: zero_point.id() };
        let operator = self.create_operator(Operation::DequantizeLinear(dequantize_linear), &options.label);
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

impl DequantizeLinear {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(1), scale => dequantized(scale, bound))
    }
}

/// (input - zeroPoint) * scale, each with the zero point and the scale of its block. The difference is exact, whatever
/// the types: the emulation in the section would first round both numbers to the type of the scale.
fn dequantized<T: FloatStored>(scale: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let (input, zero_point) = (integers(bound.input(0))?, integers(bound.input(2))?);
    let elements = input.indexed_iter().map(|(index, number)| {
        let block = block(index.slice(), scale.shape(), input.shape());
        let scale = scale[block.as_slice()].number();
        T::rounded((number - zero_point[block.as_slice()]).to_f64() * scale)
    });
    Ok(array(&bound.output().shape, elements)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;
    use half::f16;

    #[test]
    fn each_block_has_its_scale_and_zero_point() -> Result<()> {
        let output = computed(|b| {
            let input = constant(b, &[2, 4], &[0u8, 1, 2, 3, 252, 253, 254, 255]);
            let (scale, zero_point) = (constant(b, &[2, 2], &[1f32, 0.5, -1.0, 2.0]), [0u8, 1, 255, 250]);
            b.dequantize_linear(&input, &scale, &constant(b, &[2, 2], &zero_point), &MLOperatorOptions::default())
        })?;
        // By hand: blocks of one row and two columns.
        assert_eq!(output, value(&[2, 4], &[0f32, 1.0, 0.5, 1.0, 3.0, 2.0, 8.0, 10.0]));
        Ok(())
    }

    #[test]
    fn the_difference_neither_wraps_nor_is_rounded() -> Result<()> {
        let output = computed(|b| {
            let (input, zero_point) = (constant(b, &[2], &[i32::MIN, i32::MAX]), constant(b, &[1], &[i32::MAX]));
            let scale = constant(b, &[1], &[f16::from_f32(2f32.powi(-24))]);
            b.dequantize_linear(&input, &scale, &zero_point, &MLOperatorOptions::default())
        })?;
        // (2^32 - 1) 2^-24, of which float16 has 256.
        assert_eq!(output, value(&[2], &[f16::from_f32(-256.0), f16::ZERO]));
        Ok(())
    }

    #[test]
    fn scale_and_zero_point_have_one_shape_whose_dimensions_divide_those_of_the_input() {
        let b = builder(Reading::Corrected);
        let input = zeros::<i8>(&b, &[4, 6]);
        let step = |scale: &[u32], zero_point: &[u32]| {
            let (scale, zero_point) = (zeros::<f32>(&b, scale), zeros::<i8>(&b, zero_point));
            b.dequantize_linear(&input, &scale, &zero_point, &MLOperatorOptions::default()).unwrap_err().step
        };
        assert_eq!(step(&[], &[]), "7");
        assert_eq!(step(&[6], &[6]), "7");
        assert_eq!(step(&[4, 1], &[4, 6]), "8");
        assert_eq!(step(&[4, 4], &[4, 4]), "9");
        let (scale, of_bytes) = (zeros::<f32>(&b, &[1, 1]), zeros::<u8>(&b, &[1, 1]));
        let throws = |input, scale, zero_point| {
            b.dequantize_linear(input, scale, zero_point, &MLOperatorOptions::default()).unwrap_err().step
        };
        assert_eq!(throws(&scale, &scale, &of_bytes), "3");
        assert_eq!(throws(&input, &of_bytes, &of_bytes), "4");
        assert_eq!(throws(&input, &scale, &of_bytes), "5");
    }

    #[test]
    fn by_the_literal_text_the_graph_lacks_the_scale() -> Result<()> {
        for reading in [Reading::Corrected, Reading::Literal] {
            let b = builder(reading);
            let (input, scale) = (zeros::<u8>(&b, &[2]), zeros::<f32>(&b, &[1]));
            let output = b.dequantize_linear(&input, &scale, &zeros::<u8>(&b, &[1]), &MLOperatorOptions::default())?;
            let built = b.context().global().settle(&b.build(&[("y".into(), output)]));
            let expected = if reading == Reading::Literal { Some(("OperationError", "18.1.2")) } else { None };
            assert_eq!(built.err().map(|exception| (exception.name.as_str(), exception.step)), expected);
        }
        Ok(())
    }

    #[test]
    fn by_the_literal_text_a_lost_context_is_no_reason_to_throw() {
        for (reading, expected) in [(Reading::Corrected, Some("1")), (Reading::Literal, None)] {
            let b = builder(reading);
            let (input, scale) = (zeros::<u8>(&b, &[2]), zeros::<f32>(&b, &[1]));
            let zero_point = zeros::<u8>(&b, &[1]);
            b.context().destroy();
            let output = b.dequantize_linear(&input, &scale, &zero_point, &MLOperatorOptions::default());
            assert_eq!(output.err().map(|exception| exception.step), expected);
        }
    }
}
