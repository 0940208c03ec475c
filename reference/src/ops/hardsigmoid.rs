//! hardSigmoid: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-sigmoid>.

use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, MLNumber, maximum, minimum};
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlhardsigmoidoptions>
#[derive(Clone, Debug, PartialEq)]
pub struct MLHardSigmoidOptions {
    /// The operator's label.
    pub label: String,
    /// A scalar multiplier.
    pub alpha: f64,
    /// A scalar addition.
    pub beta: f64,
}

impl Default for MLHardSigmoidOptions {
    fn default() -> Self {
        Self { label: String::new(), alpha: 0.2, beta: 0.5 }
    }
}

impl Options for MLHardSigmoidOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, alpha: members.or("alpha", 0.2)?, beta: members.or("beta", 0.5)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-hardSigmoid>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-hardSigmoid",
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

/// hardSigmoid
pub const HARD_SIGMOID: OperatorRow = OperatorRow {
    name: "hardSigmoid",
    section: "api-mlgraphbuilder-hard-sigmoid",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.hard_sigmoid(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a hardSigmoid, cast to the type of its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HardSigmoid {
    /// A scalar multiplier.
    pub alpha: f64,
    /// A scalar addition.
    pub beta: f64,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-hardsigmoid>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn hard_sigmoid(&self, input: &MLOperand, options: &MLHardSigmoidOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.hardSigmoid(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        let alpha = cast(MLNumber::Double(options.alpha), input.data_type()).to_f64();
        step!("5");
        let beta = cast(MLNumber::Double(options.beta), input.data_type()).to_f64();
        step!("6");
        step!("6.1");
        let output = Self::copy_operand(input);
        step!("6.2");
        let operator = self.create_operator(Operation::HardSigmoid(HardSigmoid { alpha, beta }), &options.label);
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

impl HardSigmoid {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        bound.input(0).map_float(|x| self.of(x))
    }

    /// max(min(alpha * x + beta, 1), 0), as the section's decomposition has it.
    fn of(&self, x: Float) -> Float {
        maximum(minimum(self.alpha * x + self.beta, 1.0), 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_clamped_on_both_sides_and_keeps_nan() {
        let hard_sigmoid = HardSigmoid { alpha: 0.25, beta: 0.5 };
        let y = [-4.0, -2.0, 0.0, 1.0, 4.0, Float::INFINITY, Float::NEG_INFINITY].map(|x| hard_sigmoid.of(x));
        assert_eq!(y, [0.0, 0.0, 0.5, 0.75, 1.0, 1.0, 0.0]);
        assert!(hard_sigmoid.of(Float::NAN).is_nan());
    }
}
