//! where: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-where>.

use ndarray::{ArrayD, Zip};

use crate::algorithms::broadcasting::bidirectionally_broadcast;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits, UINT8};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, broadcast, filled};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-where>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-where",
    rows: &[
        OperandLimits {
            operand: "condition",
            allowed_data_types: DataTypes::Only(UINT8),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "trueValue",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "falseValue",
            allowed_data_types: DataTypes::SameAs("trueValue"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("trueValue"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// where
pub const WHERE: OperatorRow = OperatorRow {
    name: "where",
    section: "api-mlgraphbuilder-where",
    parameters: &["condition", "trueValue", "falseValue", "options"],
    call: |b, x| {
        let (condition, true_value, false_value) = (x.get("condition")?, x.get("trueValue")?, x.get("falseValue")?);
        Ok(vec![b.where_(&condition, &true_value, &false_value, &x.options()?)?])
    },
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-where>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type is not allowed, or the shapes can not be broadcast to one another.
    pub fn where_(
        &self,
        condition: &MLOperand,
        true_value: &MLOperand,
        false_value: &MLOperand,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.where(condition, trueValue, falseValue, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([condition, true_value, false_value])?;
        step!("3");
        if !LIMITS.allows_data_type("condition", condition) {
            throw!(TypeError, "the condition can not be {}", condition.data_type());
        }
        if !LIMITS.allows_data_type("trueValue", true_value)
            || !LIMITS.allows_data_type_as("falseValue", false_value, true_value)
        {
            throw!(TypeError, "trueValue is {} and falseValue {}", true_value.data_type(), false_value.data_type());
        }
        step!("4");
        let output_shape = bidirectionally_broadcast(&true_value.shape(), &false_value.shape());
        step!("4.1");
        let Some(output_shape) = output_shape else {
            let (t, f) = (true_value.shape(), false_value.shape());
            throw!(TypeError, "trueValue {t:?} and falseValue {f:?} can not be broadcast to each other");
        };
        step!("5");
        let values_shape = output_shape;
        let output_shape = bidirectionally_broadcast(&condition.shape(), &values_shape);
        step!("5.1");
        let Some(output_shape) = output_shape else {
            let c = condition.shape();
            throw!(TypeError, "condition {c:?} and values {values_shape:?} can not be broadcast to each other");
        };
        step!("6");
        let descriptor = MLOperandDescriptor::create(true_value.data_type(), &output_shape);
        self.ensure_output(&descriptor)?;
        step!("7");
        step!("7.1");
        let output = self.create_operand(descriptor);
        step!("7.2");
        let operator = self.create_operator(Operation::Where, &options.label);
        step!("7.3");
        output.set_operator(operator);
        step!("7.4");
        self.set_inputs(operator, [condition, true_value, false_value]);
        step!("7.5");
        self.set_outputs(operator, [&output]);
        step!("8");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(1), true_value => select(true_value, bound))
}

/// The true value where the condition is not zero, the false value where it is.
fn select<T: Stored>(true_value: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let shape = &bound.output().shape;
    let mut output = filled(shape, T::default())?;
    Zip::from(&mut output)
        .and(broadcast(u8::array(bound.input(0)), shape)?)
        .and(broadcast(true_value, shape)?)
        .and(broadcast(T::array(bound.input(2)), shape)?)
        .for_each(|output, condition, true_value, false_value| {
            *output = if *condition == 0 { *false_value } else { *true_value };
        });
    Ok(output.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn any_condition_but_zero_is_true_and_all_three_are_broadcast() -> Result<()> {
        let output = computed(|b| {
            let condition = constant(b, &[2, 1], &[0u8, 200]);
            let true_value = constant(b, &[2], &[1i64, 2]);
            b.where_(&condition, &true_value, &constant(b, &[], &[i64::MIN]), &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[2, 2], &[i64::MIN, i64::MIN, 1, 2]));
        Ok(())
    }

    #[test]
    fn the_condition_is_uint8_and_the_values_of_one_type() {
        let b = builder(Reading::Corrected);
        let (byte, int, float) = (zeros::<u8>(&b, &[2]), zeros::<i32>(&b, &[3]), zeros::<f32>(&b, &[2]));
        let step = |condition, true_value, false_value| {
            b.where_(condition, true_value, false_value, &MLOperatorOptions::default()).unwrap_err().step
        };
        assert_eq!(step(&float, &float, &float), "3");
        assert_eq!(step(&byte, &float, &int), "3");
        assert_eq!(step(&byte, &int, &int), "5.1");
        assert_eq!(step(&byte, &int, &zeros::<i32>(&b, &[2])), "4.1");
    }
}
