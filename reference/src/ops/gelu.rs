//! gelu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gelu-method>.

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::Float;
use crate::operand::MLOperand;
use crate::ops::unary::erf;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-gelu>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-gelu",
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

/// gelu
pub const GELU: OperatorRow = OperatorRow {
    name: "gelu",
    section: "api-mlgraphbuilder-gelu-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.gelu(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-gelu>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or its data
    /// type is not allowed.
    pub fn gelu(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.gelu(input, options)", self, options.label);
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
        let operator = self.create_operator(Operation::Gelu, &options.label);
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
    bound.input(0).map_float(gelu)
}

/// 0.5 * x * (1 + erf(x / sqrt(2))), as the section defines it; 1 + erf(z) is erfc(-z), which does not cancel. So it is
/// NaN for -Infinity, which is multiplied by 0.
fn gelu(x: Float) -> Float {
    0.5 * x * erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The complementary error function 1 - erf(x), to within some units in the last place of binary64.
///
/// From 1 on by the continued fraction sqrt(pi) exp(x^2) erfc(x) = 1 / (x + (1/2) / (x + (2/2) / (x + (3/2) / (x + ..)))),
/// none of whose terms is negative: Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.1.14.
fn erfc(x: Float) -> Float {
    // So many terms are enough for the last bit at 1, where the most are needed.
    const TERMS: u32 = 200;
    if x < 1.0 || x.is_nan() {
        return 1.0 - erf(x);
    }
    let fraction = (1..=TERMS).rev().fold(x, |rest, term| x + 0.5 * Float::from(term) / rest);
    (-x * x).exp() * std::f64::consts::FRAC_2_SQRT_PI / (2.0 * fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn erfc_agrees_with_tables() {
        // mpmath at 30 digits.
        assert_relative_eq!(erfc(0.5), 0.479_500_122_186_953_5, max_relative = 4e-15);
        assert_relative_eq!(erfc(1.0), 0.157_299_207_050_285_13, max_relative = 4e-15);
        assert_relative_eq!(erfc(1.5), 0.033_894_853_524_689_27, max_relative = 4e-15);
        assert_relative_eq!(erfc(10.0), 2.088_487_583_762_545e-45, max_relative = 4e-15);
        assert_relative_eq!(erfc(26.0), 5.663_192_408_856_143e-296, max_relative = 4e-14);
        assert_eq!((erfc(-7.0), erfc(Float::INFINITY)), (2.0, 0.0));
    }

    #[test]
    fn the_lower_tail_does_not_cancel() {
        // mpmath at 30 digits.
        assert_relative_eq!(gelu(-1e-20), -5e-21, max_relative = 4e-15);
        assert_relative_eq!(gelu(-1.0), -0.158_655_253_931_457_05, max_relative = 4e-15);
        assert_relative_eq!(gelu(-8.0), -4.976_768_459_417_427e-15, max_relative = 4e-15);
        assert_relative_eq!(gelu(-14.0), -1.091_095_154_686_992e-43, max_relative = 4e-14);
        assert_eq!(gelu(-40.0), 0.0);
        assert_eq!((gelu(0.0), gelu(40.0)), (0.0, 40.0));
        assert_eq!(gelu(Float::INFINITY), Float::INFINITY);
        assert!(gelu(Float::NEG_INFINITY).is_nan() && gelu(Float::NAN).is_nan());
    }
}
