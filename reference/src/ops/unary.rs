//! Element-wise unary operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary>.

use crate::builder::MLGraphBuilder;
use crate::data_type::MLOperandDataType;
use crate::exception::Result;
use crate::idl::Arguments;
use crate::limits::{DataTypes, FLOATS, FLOATS_AND_INT32, OperandLimits, Ranks, SIGNED, TensorLimits};
use crate::number::{Float, Integer, Number};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::Computed;
use crate::{algorithm, step, throw};

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// The absolute value of x.
    Abs,
    /// x rounded toward +Infinity.
    Ceil,
    /// The cosine of x.
    Cos,
    /// The Gauss error function of x.
    Erf,
    /// e to the power of x.
    Exp,
    /// x rounded toward -Infinity.
    Floor,
    /// x
    Identity,
    /// The natural logarithm of x.
    Log,
    /// -x
    Neg,
    /// 1 / x
    Reciprocal,
    /// The integer nearest to x, the even one of two.
    RoundEven,
    /// The sine of x.
    Sin,
    /// -1 below zero, 1 above, 0 otherwise.
    Sign,
    /// The square root of x.
    Sqrt,
    /// The tangent of x.
    Tan,
}

impl Unary {
    /// The name of the builder's method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Ceil => "ceil",
            Self::Cos => "cos",
            Self::Erf => "erf",
            Self::Exp => "exp",
            Self::Floor => "floor",
            Self::Identity => "identity",
            Self::Log => "log",
            Self::Neg => "neg",
            Self::Reciprocal => "reciprocal",
            Self::RoundEven => "roundEven",
            Self::Sin => "sin",
            Self::Sign => "sign",
            Self::Sqrt => "sqrt",
            Self::Tan => "tan",
        }
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-unary-abs-neg>
pub const LIMITS_ABS_NEG: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-unary-abs-neg",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(SIGNED),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-unary-ceil-cos-erf-exp-floor-log-reciprocal-roundeven-sin-sqrt-tan>
pub const LIMITS_FLOAT: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-unary-ceil-cos-erf-exp-floor-log-reciprocal-roundeven-sin-sqrt-tan",
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

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-unary-identity>
pub const LIMITS_IDENTITY: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-unary-identity",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-unary-sign>
pub const LIMITS_SIGN: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-unary-sign",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(SIGNED),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

type Call = fn(&MLGraphBuilder, &Arguments<'_>) -> Result<Vec<MLOperand>>;

const fn row(name: &'static str, limits: &'static TensorLimits, call: Call) -> OperatorRow {
    OperatorRow { name, section: "api-mlgraphbuilder-unary", parameters: &["input", "options"], call, limits }
}

/// abs
pub const ABS: OperatorRow = row("abs", &LIMITS_ABS_NEG, |b, x| Ok(vec![b.abs(&x.get("input")?, &x.options()?)?]));
/// ceil
pub const CEIL: OperatorRow = row("ceil", &LIMITS_FLOAT, |b, x| Ok(vec![b.ceil(&x.get("input")?, &x.options()?)?]));
/// cos
pub const COS: OperatorRow = row("cos", &LIMITS_FLOAT, |b, x| Ok(vec![b.cos(&x.get("input")?, &x.options()?)?]));
/// erf
pub const ERF: OperatorRow = row("erf", &LIMITS_FLOAT, |b, x| Ok(vec![b.erf(&x.get("input")?, &x.options()?)?]));
/// exp
pub const EXP: OperatorRow = row("exp", &LIMITS_FLOAT, |b, x| Ok(vec![b.exp(&x.get("input")?, &x.options()?)?]));
/// floor
pub const FLOOR: OperatorRow = row("floor", &LIMITS_FLOAT, |b, x| Ok(vec![b.floor(&x.get("input")?, &x.options()?)?]));
/// identity
pub const IDENTITY: OperatorRow =
    row("identity", &LIMITS_IDENTITY, |b, x| Ok(vec![b.identity(&x.get("input")?, &x.options()?)?]));
/// log
pub const LOG: OperatorRow = row("log", &LIMITS_FLOAT, |b, x| Ok(vec![b.log(&x.get("input")?, &x.options()?)?]));
/// neg
pub const NEG: OperatorRow = row("neg", &LIMITS_ABS_NEG, |b, x| Ok(vec![b.neg(&x.get("input")?, &x.options()?)?]));
/// reciprocal
pub const RECIPROCAL: OperatorRow =
    row("reciprocal", &LIMITS_FLOAT, |b, x| Ok(vec![b.reciprocal(&x.get("input")?, &x.options()?)?]));
/// roundEven
pub const ROUND_EVEN: OperatorRow =
    row("roundEven", &LIMITS_FLOAT, |b, x| Ok(vec![b.round_even(&x.get("input")?, &x.options()?)?]));
/// sin
pub const SIN: OperatorRow = row("sin", &LIMITS_FLOAT, |b, x| Ok(vec![b.sin(&x.get("input")?, &x.options()?)?]));
/// sign
pub const SIGN: OperatorRow = row("sign", &LIMITS_SIGN, |b, x| Ok(vec![b.sign(&x.get("input")?, &x.options()?)?]));
/// sqrt
pub const SQRT: OperatorRow = row("sqrt", &LIMITS_FLOAT, |b, x| Ok(vec![b.sqrt(&x.get("input")?, &x.options()?)?]));
/// tan
pub const TAN: OperatorRow = row("tan", &LIMITS_FLOAT, |b, x| Ok(vec![b.tan(&x.get("input")?, &x.options()?)?]));

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op>
    fn create_element_wise_unary_operation(
        &self,
        op: Unary,
        input: &MLOperand,
        allowed_data_types: Option<&[MLOperandDataType]>,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder/create an element-wise unary operation", self, options.label);
        step!("1"); // BY TYPE: Unary has no other.
        step!("2");
        self.ensure_can_build()?;
        step!("3");
        self.ensure_operands([input])?;
        step!("4");
        if allowed_data_types.is_some_and(|allowed| !allowed.contains(&input.data_type())) {
            throw!(TypeError, "the input of {} can not be {}", op.as_str(), input.data_type());
        }
        step!("5");
        step!("5.1");
        let output = Self::copy_operand(input);
        step!("5.2");
        let operator = self.create_operator(Operation::Unary(op), &options.label);
        step!("5.3");
        output.set_operator(operator);
        step!("5.4");
        self.set_inputs(operator, [input]);
        step!("5.5");
        self.set_outputs(operator, [&output]);
        step!("6");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-abs>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn abs(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.abs(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Abs, input, Some(SIGNED), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-ceil>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn ceil(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.ceil(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Ceil, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-cos>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn cos(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.cos(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Cos, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-erf>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn erf(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.erf(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Erf, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-exp>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn exp(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.exp(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Exp, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-floor>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn floor(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.floor(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Floor, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-identity>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn identity(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.identity(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Identity, input, None, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-log>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn log(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.log(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Log, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-neg>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn neg(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.neg(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Neg, input, Some(SIGNED), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reciprocal>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn reciprocal(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reciprocal(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Reciprocal, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-roundeven>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn round_even(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.roundEven(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::RoundEven, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-sin>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn sin(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.sin(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Sin, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-sign>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn sign(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.sign(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Sign, input, Some(SIGNED), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-sqrt>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn sqrt(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.sqrt(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Sqrt, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-tan>
    ///
    /// # Errors
    /// Those of [creating an element-wise unary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-unary-op).
    pub fn tan(&self, input: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.tan(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_unary_operation(Unary::Tan, input, Some(FLOATS), options)?;
        step!("2");
        Ok(output)
    }
}

impl Unary {
    fn of_float(self, x: Float) -> Float {
        match self {
            Self::Abs => x.abs(),
            Self::Ceil => x.ceil(),
            Self::Cos => x.cos(),
            Self::Erf => erf(x),
            Self::Exp => x.exp(),
            Self::Floor => x.floor(),
            Self::Identity => x,
            Self::Log => x.ln(),
            Self::Neg => -x,
            Self::Reciprocal => x.recip(),
            Self::RoundEven => x.round_ties_even(),
            Self::Sin => x.sin(),
            Self::Sign => sign(x),
            Self::Sqrt => x.sqrt(),
            Self::Tan => x.tan(),
        }
    }

    /// The integer types reach the operations whose tables allow them; the others leave them as they are.
    fn of_integer(self, x: Integer) -> Integer {
        match self {
            Self::Abs if x < Integer::ZERO => -x,
            Self::Neg => -x,
            Self::Sign => sign(x),
            Self::Abs
            | Self::Ceil
            | Self::Cos
            | Self::Erf
            | Self::Exp
            | Self::Floor
            | Self::Identity
            | Self::Log
            | Self::Reciprocal
            | Self::RoundEven
            | Self::Sin
            | Self::Sqrt
            | Self::Tan => x,
        }
    }

    pub(super) fn compute(self, bound: &Bound<'_>) -> Computed {
        bound.input(0).map(|x| self.of_float(x), |x| self.of_integer(x))
    }
}

fn sign<N: Number>(x: N) -> N {
    if x > N::ZERO {
        N::ONE
    } else if x < N::ZERO {
        -N::ONE
    } else {
        // So says the section, and so of NaN too.
        N::ZERO
    }
}

/// The Gauss error function, to within a few units in the last place of binary64.
///
/// By the series erf(x) = 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!, whose terms all have the sign of x, so
/// that nothing cancels: NIST Digital Library of Mathematical Functions, <https://dlmf.nist.gov/7.6#E2>.
pub(crate) fn erf(x: Float) -> Float {
    // Beyond this, 1 - erf(x) is less than half a unit in the last place of 1.
    const ONE_FROM: Float = 6.0;
    if x.is_nan() || x == 0.0 {
        return x;
    }
    if x.abs() >= ONE_FROM {
        return x.signum();
    }
    let (mut term, mut sum, mut divisor) = (x, x, 1.0);
    while term.abs() > sum.abs() * Float::EPSILON / 4.0 {
        divisor += 2.0;
        term *= 2.0 * x * x / divisor;
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn erf_agrees_with_tables() {
        // <https://dlmf.nist.gov/7.23>, and mpmath at 30 digits for the last two.
        assert_relative_eq!(erf(0.5), 0.520_499_877_813_046_5, max_relative = 4e-15);
        assert_relative_eq!(erf(-1.0), -0.842_700_792_949_714_9, max_relative = 4e-15);
        assert_relative_eq!(erf(1e-20), 1.128_379_167_095_512_6e-20, max_relative = 4e-15);
        assert_relative_eq!(erf(3.5), 0.999_999_256_901_627_7, max_relative = 4e-15);
        assert_eq!(erf(7.0), 1.0);
        assert!(erf(Float::NAN).is_nan() && erf(-0.0).is_sign_negative());
    }

    #[test]
    fn what_is_neither_above_nor_below_zero_has_the_sign_zero() {
        assert_eq!(sign(Float::NAN), 0.0);
        assert_eq!(sign(-0.0f64).to_bits(), 0);
        assert_eq!(sign(std::num::Wrapping(-9i128)).0, -1);
    }
}
