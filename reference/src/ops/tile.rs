//! tile: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tile>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::WithoutRange;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index, ensure_elements};
use crate::{algorithm, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-tile>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-tile",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// tile
pub const TILE: OperatorRow = OperatorRow {
    name: "tile",
    section: "api-mlgraphbuilder-tile",
    parameters: &["input", "repetitions", "options"],
    call: |b, x| {
        algorithm!("Web IDL", b);
        // Like the axis of cumulativeSum, and no other number of an operator, these are not marked with [EnforceRange].
        let repetitions: Vec<u32> = if literal!("tile-repetitions-without-range") {
            x.get::<Vec<WithoutRange>>("repetitions")?.into_iter().map(|WithoutRange(count)| count).collect()
        } else {
            x.get("repetitions")?
        };
        Ok(vec![b.tile(&x.get("input")?, &repetitions, &x.options()?)?])
    },
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-tile>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, the list has
    /// not one item for each of its axes, one of them is 0, or the output would be too large.
    pub fn tile(&self, input: &MLOperand, repetitions: &[u32], options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.tile(input, repetitions, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if repetitions.len() != input.rank() {
            throw!(TypeError, "{repetitions:?} have not as many axes as {}", input.descriptor());
        }
        step!("4");
        if repetitions.contains(&0) {
            throw!(TypeError, "0 repetitions: {repetitions:?}");
        }
        step!("5");
        let mut output_shape = input.shape();
        step!("6");
        for (dimension, repetitions) in output_shape.iter_mut().zip(repetitions) {
            step!("6.1");
            // A product beyond 32 bits is given as the largest number of them: neither is a valid dimension.
            *dimension = dimension.saturating_mul(*repetitions);
        }
        step!("7");
        let output_descriptor = MLOperandDescriptor::create(input.data_type(), &output_shape);
        self.ensure_output(&output_descriptor)?;
        step!("8");
        step!("8.1");
        let output = self.create_operand(output_descriptor);
        step!("8.2");
        let operator = self.create_operator(Operation::Tile, &options.label);
        step!("8.3");
        output.set_operator(operator);
        step!("8.4");
        self.set_inputs(operator, [input]);
        step!("8.5");
        self.set_outputs(operator, [&output]);
        step!("9");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(0), input => repeated(input, bound))
}

/// The repetitions are what the shapes differ by.
fn repeated<T: Stored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let shape = &bound.output().shape;
    ensure_elements(input, shape)?;
    let output = array_by_index(shape, |index| {
        let from: Vec<_> = index.iter().zip(input.shape()).map(|(index, dimension)| index % dimension).collect();
        input[from.as_slice()]
    })?;
    Ok(output.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idl::Value as IdlValue;
    use crate::number::MLNumber;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn the_whole_input_is_repeated_along_each_axis() -> Result<()> {
        // NumPy: tile([[1, 2]], [2, 2])
        let output =
            computed(|b| b.tile(&constant(b, &[1, 2], &[1u64, u64::MAX]), &[2, 2], &MLOperatorOptions::default()))?;
        assert_eq!(output, value(&[2, 4], &[1, u64::MAX, 1, u64::MAX, 1, u64::MAX, 1, u64::MAX]));
        Ok(())
    }

    #[test]
    fn one_count_for_each_axis_and_no_more_elements_than_a_tensor_has() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[2, 3]);
        let step = |repetitions: &[u32]| b.tile(&input, repetitions, &MLOperatorOptions::default()).unwrap_err().step;
        assert_eq!(step(&[2]), "3");
        assert_eq!(step(&[2, 0]), "4");
        assert_eq!(step(&[u32::MAX, 1]), "7");
        assert_eq!(step(&[1 << 16, 1 << 16]), "7");
    }

    #[test]
    fn by_the_literal_idl_a_count_is_taken_modulo_two_to_the_32() -> Result<()> {
        for (reading, expected) in [(Reading::Corrected, None), (Reading::Literal, Some([6]))] {
            let b = builder(reading);
            let count = IdlValue::Number(MLNumber::Double(4_294_967_298.0));
            let output = TILE.call(&b, &[IdlValue::Operand(zeros::<f32>(&b, &[3])), IdlValue::Sequence(vec![count])]);
            match (output, expected) {
                (Ok(outputs), Some(shape)) => assert_eq!(outputs[0].shape(), shape),
                (Err(exception), None) => assert_eq!(exception.step, "EnforceRange"),
                (output, _) => panic!("{reading:?}: {output:?}"),
            }
        }
        Ok(())
    }
}
