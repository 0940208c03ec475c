//! clamp: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp>.

use ndarray::ArrayD;

use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{MLNumber, Number};
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array};
use crate::{algorithm, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlclampoptions>
#[derive(Clone, Debug, Default)]
pub struct MLClampOptions {
    /// The operator's label.
    pub label: String,
    /// The smallest value, or none.
    pub min_value: Option<MLNumber>,
    /// The largest value, or none.
    pub max_value: Option<MLNumber>,
}

impl Options for MLClampOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            min_value: members.optional("minValue")?,
            max_value: members.optional("maxValue")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-clamp>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-clamp",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
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

/// clamp
pub const CLAMP: OperatorRow = OperatorRow {
    name: "clamp",
    section: "api-mlgraphbuilder-clamp",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.clamp(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a clamp, cast to the type of its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// The smallest value.
    pub min_value: MLNumber,
    /// The largest value.
    pub max_value: MLNumber,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-clamp>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or the smallest
    /// value is above the largest.
    pub fn clamp(&self, input: &MLOperand, options: &MLClampOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.clamp(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        let (no_minimum, no_maximum) = if literal!("clamp-default-bounds") {
            (f64::INFINITY, f64::NEG_INFINITY)
        } else {
            (f64::NEG_INFINITY, f64::INFINITY)
        };
        step!("3");
        let min_value = options.min_value.unwrap_or(MLNumber::Double(no_minimum));
        step!("4");
        let min_value = cast(min_value, input.data_type());
        step!("5");
        let max_value = options.max_value.unwrap_or(MLNumber::Double(no_maximum));
        step!("6");
        let max_value = cast(max_value, input.data_type());
        step!("7");
        if is_greater(min_value, max_value) {
            throw!(TypeError, "minValue {min_value} is greater than maxValue {max_value}");
        }
        step!("8");
        step!("8.1");
        let output = Self::copy_operand(input);
        step!("8.2");
        let operator = self.create_operator(Operation::Clamp(Clamp { min_value, max_value }), &options.label);
        step!("8.3");
        output.set_operator(operator);
        step!("8.4");
        self.set_inputs(operator, [input]);
        step!("8.5");
        self.set_outputs(operator, [&output]);
        step!("9");
        Ok(output)
    }
}

/// Whether one number is greater than another of the same type.
fn is_greater(a: MLNumber, b: MLNumber) -> bool {
    match (a, b) {
        (MLNumber::BigInt(a), MLNumber::BigInt(b)) => a > b,
        (a, b) => a.to_f64() > b.to_f64(),
    }
}

impl Clamp {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.each(input, bound))
    }

    fn each<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let minimum = T::Number::from_option(self.min_value);
        let maximum = T::Number::from_option(self.max_value);
        let elements = input.iter().map(|x| T::rounded(clamped(x.number(), minimum, maximum)));
        Ok(array(&bound.output().shape, elements)?.into())
    }
}

/// As min(max(x, minimum), maximum), where a comparison with NaN, of the input or of a bound, changes nothing.
fn clamped<N: Number>(x: N, minimum: N, maximum: N) -> N {
    let x = if x < minimum { minimum } else { x };
    if x > maximum { maximum } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn without_bounds_nothing_is_clamped_but_the_literal_text_throws() -> Result<()> {
        let output = computed(|b| b.clamp(&constant(b, &[2], &[f32::NEG_INFINITY, 1.0]), &MLClampOptions::default()))?;
        assert_eq!(output, value(&[2], &[f32::NEG_INFINITY, 1.0]));
        let b = builder(Reading::Literal);
        assert_eq!(b.clamp(&zeros::<f32>(&b, &[2]), &MLClampOptions::default()).unwrap_err().step, "7");
        Ok(())
    }

    #[test]
    fn bounds_of_64_bits_are_exact() -> Result<()> {
        let bound = (1i128 << 60) + 1;
        let options = MLClampOptions { max_value: Some(MLNumber::BigInt(bound)), ..Default::default() };
        let output = computed(|b| b.clamp(&constant(b, &[1], &[i64::MAX]), &options))?;
        assert_eq!(output, value(&[1], &[(1i64 << 60) + 1]));
        Ok(())
    }
}
