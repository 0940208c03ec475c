//! leakyRelu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-leakyrelu>.

use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::MLNumber;
use crate::operand::MLOperand;
use crate::ops::prelu::rectified;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlleakyreluoptions>
#[derive(Clone, Debug, PartialEq)]
pub struct MLLeakyReluOptions {
    /// The operator's label.
    pub label: String,
    /// The multiplier of the part below zero.
    pub alpha: f64,
}

impl Default for MLLeakyReluOptions {
    fn default() -> Self {
        Self { label: String::new(), alpha: 0.01 }
    }
}

impl Options for MLLeakyReluOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, alpha: members.or("alpha", 0.01)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-leakyRelu>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-leakyRelu",
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

/// leakyRelu
pub const LEAKY_RELU: OperatorRow = OperatorRow {
    name: "leakyRelu",
    section: "api-mlgraphbuilder-leakyrelu",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.leaky_relu(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a leakyRelu, cast to the type of its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeakyRelu {
    /// The multiplier of the part below zero.
    pub alpha: f64,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-leakyrelu>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn leaky_relu(&self, input: &MLOperand, options: &MLLeakyReluOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.leakyRelu(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::LeakyRelu(LeakyRelu { alpha }), &options.label);
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

impl LeakyRelu {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        bound.input(0).map_float(|x| rectified(x, self.alpha))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{computed, constant, value};
    use half::f16;

    #[test]
    fn alpha_is_cast_to_the_type_of_the_input() -> Result<()> {
        // The float16 nearest to 0.01 is 1311 / 2^17.
        let output = computed(|b| {
            b.leaky_relu(&constant(b, &[2], &[f16::from_f32(-32.0), f16::ONE]), &MLLeakyReluOptions::default())
        })?;
        assert_eq!(output, value(&[2], &[f16::from_f32(-1311.0 / 4096.0), f16::ONE]));
        Ok(())
    }
}
