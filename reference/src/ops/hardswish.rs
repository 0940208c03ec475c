//! hardSwish: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-swish>.

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, maximum, minimum};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-hardSwish>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-hardSwish",
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

/// hardSwish
pub const HARD_SWISH: OperatorRow = OperatorRow {
    name: "hardSwish",
    section: "api-mlgraphbuilder-hard-swish",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.hard_swish(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-hardswish>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn hard_swish(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.hardSwish(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::HardSwish, &options.label);
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
    bound.input(0).map_float(hard_swish)
}

/// x * max(0, min(6, x + 3)) / 6, as the section defines it. So it is NaN for -Infinity, which is multiplied by 0.
fn hard_swish(x: Float) -> Float {
    x * maximum(0.0, minimum(6.0, x + 3.0)) / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_zero_far_below_and_the_input_far_above() {
        let y = [-4.0, -3.0, -1.5, 0.0, 3.0, 4.0, Float::INFINITY].map(hard_swish);
        assert_eq!(y, [0.0, 0.0, -0.375, 0.0, 3.0, 4.0, Float::INFINITY]);
        assert!(hard_swish(Float::NEG_INFINITY).is_nan() && hard_swish(Float::NAN).is_nan());
    }
}
