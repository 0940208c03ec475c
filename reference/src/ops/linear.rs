//! linear: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear>.

use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::MLNumber;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mllinearoptions>
#[derive(Clone, Debug, PartialEq)]
pub struct MLLinearOptions {
    /// The operator's label.
    pub label: String,
    /// A scalar multiplier.
    pub alpha: f64,
    /// A scalar addition.
    pub beta: f64,
}

impl Default for MLLinearOptions {
    fn default() -> Self {
        Self { label: String::new(), alpha: 1.0, beta: 0.0 }
    }
}

impl Options for MLLinearOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, alpha: members.or("alpha", 1.0)?, beta: members.or("beta", 0.0)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-linear>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-linear",
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

/// linear
pub const LINEAR: OperatorRow = OperatorRow {
    name: "linear",
    section: "api-mlgraphbuilder-linear",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.linear(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a linear, cast to the type of its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// A scalar multiplier.
    pub alpha: f64,
    /// A scalar addition.
    pub beta: f64,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-linear>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn linear(&self, input: &MLOperand, options: &MLLinearOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.linear(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::Linear(Linear { alpha, beta }), &options.label);
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

impl Linear {
    /// alpha * x + beta, as the section defines it.
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        bound.input(0).map_float(|x| self.alpha * x + self.beta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{computed, constant, value};
    use half::f16;

    #[test]
    fn the_product_is_not_rounded_before_the_sum() -> Result<()> {
        // 300 * 300 is beyond float16.
        let options = MLLinearOptions { alpha: 300.0, beta: -60000.0, ..Default::default() };
        let output = computed(|b| b.linear(&constant(b, &[], &[f16::from_f32(300.0)]), &options))?;
        assert_eq!(output, value(&[], &[f16::from_f32(30000.0)]));
        Ok(())
    }
}
