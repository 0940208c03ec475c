//! tanh: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tanh-method>.

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::Float;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-tanh>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-tanh",
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

/// tanh
pub const TANH: OperatorRow = OperatorRow {
    name: "tanh",
    section: "api-mlgraphbuilder-tanh-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.tanh(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-tanh>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn tanh(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.tanh(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::Tanh, &options.label);
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

/// The hyperbolic tangent. The expression of the section, (exp(2 * x) - 1) / (exp(2 * x) + 1), is the same function, but
/// cancels next to zero, and overflows to NaN.
pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    bound.input(0).map_float(Float::tanh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{computed, constant, value};

    #[test]
    fn keeps_its_bits_next_to_zero_and_does_not_overflow() -> Result<()> {
        let x = [1e-20f32, -1e-30, 1000.0, f32::NEG_INFINITY];
        let output = computed(|b| b.tanh(&constant(b, &[4], &x), &MLOperatorOptions::default()))?;
        assert_eq!(output, value(&[4], &[1e-20f32, -1e-30, 1.0, -1.0]));
        Ok(())
    }
}
