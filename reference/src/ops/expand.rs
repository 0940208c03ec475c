//! expand: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-expand>.

use ndarray::ArrayD;

use crate::algorithms::broadcasting::unidirectionally_broadcast;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, array, broadcast};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-expand>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-expand",
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
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// expand
pub const EXPAND: OperatorRow = OperatorRow {
    name: "expand",
    section: "api-mlgraphbuilder-expand",
    parameters: &["input", "newShape", "options"],
    call: |b, x| Ok(vec![b.expand(&x.get("input")?, &x.get::<Vec<u32>>("newShape")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-expand>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or is not
    /// unidirectionally broadcastable to the new shape.
    pub fn expand(&self, input: &MLOperand, new_shape: &[u32], options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.expand(input, newShape, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        let output_shape = unidirectionally_broadcast(&input.shape(), new_shape);
        step!("3.1");
        let Some(output_shape) = output_shape else {
            throw!(TypeError, "{:?} can not be broadcast to {new_shape:?}", input.shape());
        };
        step!("4");
        if !LIMITS.allows_rank_of("output", output_shape.len()) {
            throw!(TypeError, "the output can not have rank {}", output_shape.len());
        }
        step!("5");
        let output_descriptor = MLOperandDescriptor::create(input.data_type(), &output_shape);
        self.ensure_output(&output_descriptor)?;
        step!("6");
        step!("6.1");
        let output = self.create_operand(output_descriptor);
        step!("6.2");
        let operator = self.create_operator(Operation::Expand, &options.label);
        step!("6.3");
        output.set_operator(operator);
        step!("6.4");
        self.set_inputs(operator, [input]);
        step!("6.5");
        self.set_outputs(operator, [&output]);
        step!("7");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(0), input => expanded(input, bound))
}

fn expanded<T: Stored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let shape = &bound.output().shape;
    Ok(array(shape, broadcast(input, shape)?.iter().copied())?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn a_column_is_repeated_and_a_scalar_fills() -> Result<()> {
        let options = MLOperatorOptions::default();
        let column = computed(|b| b.expand(&constant(b, &[2, 1], &[1u32, 2]), &[2, 2, 2], &options))?;
        assert_eq!(column, value(&[2, 2, 2], &[1u32, 1, 2, 2, 1, 1, 2, 2]));
        assert_eq!(computed(|b| b.expand(&constant(b, &[], &[5i8]), &[3], &options))?, value(&[3], &[5i8; 3]));
        Ok(())
    }

    #[test]
    fn by_the_literal_text_an_output_can_have_no_elements_or_too_many() -> Result<()> {
        for shape in [vec![0], vec![u32::MAX, u32::MAX]] {
            let literal = builder(Reading::Literal);
            let output = literal.expand(&zeros::<f32>(&literal, &[1]), &shape, &MLOperatorOptions::default())?;
            assert_eq!(output.shape(), shape);
            let b = builder(Reading::Corrected);
            let exception = b.expand(&zeros::<f32>(&b, &[1]), &shape, &MLOperatorOptions::default()).unwrap_err();
            assert_eq!(exception.step, "5");
        }
        Ok(())
    }
}
