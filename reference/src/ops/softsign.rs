//! softsign: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softsign-method>.

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::Float;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-softsign>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-softsign",
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

/// softsign
pub const SOFTSIGN: OperatorRow = OperatorRow {
    name: "softsign",
    section: "api-mlgraphbuilder-softsign-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.softsign(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-softsign>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn softsign(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.softsign(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::Softsign, &options.label);
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
    bound.input(0).map_float(softsign)
}

/// x / (1 + |x|), as the section defines it. So it is NaN for both infinities.
fn softsign(x: Float) -> Float {
    x / (1.0 + x.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_odd_and_nan_for_infinities() {
        assert_eq!([-3.0, -0.5, 0.0, 1.0].map(softsign), [-0.75, -1.0 / 3.0, 0.0, 0.5]);
        assert!([Float::INFINITY, Float::NEG_INFINITY, Float::NAN].into_iter().all(|x| softsign(x).is_nan()));
    }
}
