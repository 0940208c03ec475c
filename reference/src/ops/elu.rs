//! elu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu>.

use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, MLNumber};
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mleluoptions>
#[derive(Clone, Debug, PartialEq)]
pub struct MLEluOptions {
    /// The operator's label.
    pub label: String,
    /// The multiplier of the part below zero.
    pub alpha: f64,
}

impl Default for MLEluOptions {
    fn default() -> Self {
        Self { label: String::new(), alpha: 1.0 }
    }
}

impl Options for MLEluOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, alpha: members.or("alpha", 1.0)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-elu>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-elu",
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

/// elu
pub const ELU: OperatorRow = OperatorRow {
    name: "elu",
    section: "api-mlgraphbuilder-elu",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.elu(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a elu, cast to the type of its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elu {
    /// The multiplier of the part below zero.
    pub alpha: f64,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-elu>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn elu(&self, input: &MLOperand, options: &MLEluOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.elu(input, options)", self, options.label);
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
        step!("5.1");
        let output = Self::copy_operand(input);
        step!("5.2");
        let operator = self.create_operator(Operation::Elu(Elu { alpha }), &options.label);
        step!("5.3");
        output.set_operator(operator);
        step!("5.4");
        self.set_inputs(operator, [input]);
        step!("5.5");
        self.set_outputs(operator, [&output]);
        step!("6");
        Ok(output)
    }
}

impl Elu {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        bound.input(0).map_float(|x| self.of(x))
    }

    /// max(0, x) + alpha * (exp(min(0, x)) - 1), as the section defines it, without the cancellation of exp(x) and 1, and
    /// where a term that is 0 adds nothing: not even where alpha, cast to float16, is infinite.
    fn of(&self, x: Float) -> Float {
        if x < 0.0 { self.alpha * x.exp_m1() } else { x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn keeps_its_bits_next_to_zero_and_far_below_it() {
        let elu = Elu { alpha: 2.0 };
        assert_relative_eq!(elu.of(-1e-20), -2e-20, max_relative = 1e-15);
        assert_eq!(elu.of(1e-20), 1e-20);
        assert_eq!(elu.of(Float::NEG_INFINITY), -2.0);
        assert_eq!(elu.of(Float::INFINITY), Float::INFINITY);
        assert!(elu.of(Float::NAN).is_nan());
        assert_eq!(Elu { alpha: Float::INFINITY }.of(1.0), 1.0);
    }
}
