//! softplus: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softplus-method>.

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, maximum};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-softplus>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-softplus",
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

/// softplus
pub const SOFTPLUS: OperatorRow = OperatorRow {
    name: "softplus",
    section: "api-mlgraphbuilder-softplus-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.softplus(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-softplus>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn softplus(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.softplus(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::Softplus, &options.label);
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
    bound.input(0).map_float(softplus)
}

/// ln(1 + exp(x)), as the section defines it, in a form that neither overflows nor loses what is small.
fn softplus(x: Float) -> Float {
    maximum(0.0, x) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_not_overflow_and_keeps_its_bits_far_below_zero() {
        assert_eq!(softplus(1000.0), 1000.0);
        assert_eq!(softplus(-100.0), (-100f64).exp());
        assert_eq!(softplus(0.0), std::f64::consts::LN_2);
        assert_eq!((softplus(Float::INFINITY), softplus(Float::NEG_INFINITY)), (Float::INFINITY, 0.0));
        assert!(softplus(Float::NAN).is_nan());
    }
}
