//! sigmoid: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-sigmoid-method>.

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::Float;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-sigmoid>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-sigmoid",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
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

/// sigmoid
pub const SIGMOID: OperatorRow = OperatorRow {
    name: "sigmoid",
    section: "api-mlgraphbuilder-sigmoid-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.sigmoid(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-sigmoid>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn sigmoid(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.sigmoid(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::Sigmoid, &options.label);
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
    bound.input(0).map_float(logistic)
}

/// 1 / (1 + exp(-x)), as the section defines it, in a form that neither overflows nor cancels.
pub(crate) fn logistic(x: Float) -> Float {
    let exp = (-x.abs()).exp();
    if x < 0.0 { exp / (1.0 + exp) } else { 1.0 / (1.0 + exp) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_not_overflow() {
        assert_eq!(logistic(-1000.0), 0.0);
        assert_eq!(logistic(1000.0), 1.0);
        assert_eq!(logistic(0.0), 0.5);
        assert_eq!(logistic(-700.0), (-700f64).exp());
        assert!(logistic(Float::NAN).is_nan());
    }
}
