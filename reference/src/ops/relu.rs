//! relu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-relu-method>.

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, SIGNED, TensorLimits};
use crate::number::Number;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-relu>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-relu",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(SIGNED),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// relu
pub const RELU: OperatorRow = OperatorRow {
    name: "relu",
    section: "api-mlgraphbuilder-relu-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.relu(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-relu>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn relu(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.relu(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        step!("4.1");
        let output = Self::copy_operand(input);
        step!("4.2");
        let operator = self.create_operator(Operation::Relu, &options.label);
        step!("4.3");
        output.set_operator(operator);
        step!("4.4");
        self.set_inputs(operator, [input]);
        step!("4.5");
        self.set_outputs(operator, [&output]);
        step!("5");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    bound.input(0).map(rectified, rectified)
}

/// max(0, x); NaN stays NaN.
pub(super) fn rectified<N: Number>(x: N) -> N {
    if x < N::ZERO { N::ZERO } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{computed, constant, value};

    #[test]
    fn nan_stays_nan_and_nothing_negative_is_left() -> Result<()> {
        let output = computed(|b| b.relu(&constant(b, &[2], &[i64::MIN, 3]), &MLOperatorOptions::default()))?;
        assert_eq!(output, value(&[2], &[0i64, 3]));
        assert!(rectified(f64::NAN).is_nan());
        Ok(())
    }
}
