//! reshape: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reshape-method>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::is_valid_dimension;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS_INT32_AND_BYTES, OperandLimits, Ranks, TensorLimits};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, array};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-reshape>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-reshape",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// reshape
pub const RESHAPE: OperatorRow = OperatorRow {
    name: "reshape",
    section: "api-mlgraphbuilder-reshape-method",
    parameters: &["input", "newShape", "options"],
    call: |b, x| Ok(vec![b.reshape(&x.get("input")?, &x.get::<Vec<u32>>("newShape")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reshape>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, or the new
    /// shape is not a valid one or has another number of elements.
    pub fn reshape(&self, input: &MLOperand, new_shape: &[u32], options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reshape(input, newShape, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows_rank_of("output", new_shape.len()) {
            throw!(TypeError, "the output can not have rank {}", new_shape.len());
        }
        step!("4");
        step!("5"); // BY TYPE: the shape of a scalar is an empty list as it is.
        step!("6");
        if new_shape.iter().any(|dimension| !is_valid_dimension(u64::from(*dimension))) {
            throw!(TypeError, "{new_shape:?} has a dimension that is not valid");
        }
        step!("7");
        let input_element_count = element_count(&input.shape());
        step!("8");
        if element_count(new_shape) != input_element_count {
            throw!(TypeError, "{new_shape:?} has not as many elements as {}", input.descriptor());
        }
        step!("9");
        let mut desc = input.descriptor();
        step!("10");
        desc.shape = new_shape.to_vec();
        self.ensure_output(&desc)?;
        step!("11");
        step!("11.1");
        let output = self.create_operand(desc);
        step!("11.2");
        let operator = self.create_operator(Operation::Reshape, &options.label);
        step!("11.3");
        output.set_operator(operator);
        step!("11.4");
        self.set_inputs(operator, [input]);
        step!("11.5");
        self.set_outputs(operator, [&output]);
        step!("12");
        Ok(output)
    }
}

/// The product of the dimensions; beyond 128 bits, which no tensor reaches, `None`.
fn element_count(shape: &[u32]) -> Option<u128> {
    shape.iter().try_fold(1u128, |product, dimension| product.checked_mul(u128::from(*dimension)))
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(0), input => reshaped(input, bound))
}

fn reshaped<T: Stored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    Ok(array(&bound.output().shape, input.iter().copied())?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn a_scalar_becomes_a_tensor_of_one_element_and_back() -> Result<()> {
        let options = MLOperatorOptions::default();
        let output = computed(|b| b.reshape(&constant(b, &[], &[7u8]), &[1, 1, 1], &options))?;
        assert_eq!(output, value(&[1, 1, 1], &[7u8]));
        assert_eq!(computed(|b| b.reshape(&constant(b, &[1], &[-7i64]), &[], &options))?, value(&[], &[-7i64]));
        Ok(())
    }

    #[test]
    fn a_product_beyond_any_number_is_not_the_number_of_elements() {
        // 2^128 of 2^16 in each of eight dimensions, which would be 0 if it wrapped.
        let b = builder(Reading::Corrected);
        let exception = b.reshape(&zeros::<f32>(&b, &[4]), &[1 << 16; 8], &MLOperatorOptions::default()).unwrap_err();
        assert_eq!(exception.step, "8");
    }
}
