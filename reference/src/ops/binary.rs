//! Element-wise binary operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary>.

use crate::algorithms::broadcasting::bidirectionally_broadcast;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, Integer, Number, maximum, minimum};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, zip};
use crate::{algorithm, for_each_type, step, throw};

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// a + b
    Add,
    /// a - b
    Sub,
    /// a * b
    Mul,
    /// a / b
    Div,
    /// The greater of both.
    Max,
    /// The lesser of both.
    Min,
    /// a to the power of b.
    Pow,
}

impl Binary {
    /// The name of the builder's method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Max => "max",
            Self::Min => "min",
            Self::Pow => "pow",
        }
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-binary>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-binary",
    rows: &[
        OperandLimits {
            operand: "a",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "b",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

const fn row(
    name: &'static str,
    call: fn(&MLGraphBuilder, &crate::idl::Arguments<'_>) -> Result<Vec<MLOperand>>,
) -> OperatorRow {
    OperatorRow {
        name,
        section: "api-mlgraphbuilder-binary",
        parameters: &["a", "b", "options"],
        call,
        limits: &LIMITS,
    }
}

/// add
pub const ADD: OperatorRow = row("add", |b, x| Ok(vec![b.add(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// sub
pub const SUB: OperatorRow = row("sub", |b, x| Ok(vec![b.sub(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// mul
pub const MUL: OperatorRow = row("mul", |b, x| Ok(vec![b.mul(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// div
pub const DIV: OperatorRow = row("div", |b, x| Ok(vec![b.div(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// max
pub const MAX: OperatorRow = row("max", |b, x| Ok(vec![b.max(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// min
pub const MIN: OperatorRow = row("min", |b, x| Ok(vec![b.min(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// pow
pub const POW: OperatorRow = row("pow", |b, x| Ok(vec![b.pow(&x.get("a")?, &x.get("b")?, &x.options()?)?]));

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op>
    fn create_element_wise_binary_operation(
        &self,
        op: Binary,
        a: &MLOperand,
        b: &MLOperand,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder/create an element-wise binary operation", self, options.label);
        step!("1"); // BY TYPE: Binary has no other.
        step!("2");
        self.ensure_can_build()?;
        step!("3");
        self.ensure_operands([a, b])?;
        step!("4");
        if a.data_type() != b.data_type() {
            throw!(TypeError, "a is {} and b is {}", a.data_type(), b.data_type());
        }
        step!("5");
        let output_shape = bidirectionally_broadcast(&a.shape(), &b.shape());
        step!("5.1");
        let Some(output_shape) = output_shape else {
            throw!(TypeError, "{:?} and {:?} can not be broadcast to each other", a.shape(), b.shape());
        };
        step!("6");
        let descriptor = MLOperandDescriptor::create(a.data_type(), &output_shape);
        self.ensure_output(&descriptor)?;
        step!("7");
        step!("7.1");
        let output = self.create_operand(descriptor);
        step!("7.2");
        let operator = self.create_operator(Operation::Binary(op), &options.label);
        step!("7.3");
        output.set_operator(operator);
        step!("7.4");
        self.set_inputs(operator, [a, b]);
        step!("7.5");
        self.set_outputs(operator, [&output]);
        step!("8");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-add>
    ///
    /// # Errors
    /// Those of [creating an element-wise binary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op).
    pub fn add(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.add(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_binary_operation(Binary::Add, a, b, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-sub>
    ///
    /// # Errors
    /// Those of [creating an element-wise binary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op).
    pub fn sub(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.sub(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_binary_operation(Binary::Sub, a, b, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-mul>
    ///
    /// # Errors
    /// Those of [creating an element-wise binary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op).
    pub fn mul(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.mul(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_binary_operation(Binary::Mul, a, b, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-div>
    ///
    /// # Errors
    /// Those of [creating an element-wise binary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op).
    pub fn div(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.div(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_binary_operation(Binary::Div, a, b, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-max>
    ///
    /// # Errors
    /// Those of [creating an element-wise binary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op).
    pub fn max(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.max(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_binary_operation(Binary::Max, a, b, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-min>
    ///
    /// # Errors
    /// Those of [creating an element-wise binary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op).
    pub fn min(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.min(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_binary_operation(Binary::Min, a, b, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-pow>
    ///
    /// # Errors
    /// Those of [creating an element-wise binary operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-binary-op).
    pub fn pow(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.pow(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_binary_operation(Binary::Pow, a, b, options)?;
        step!("2");
        Ok(output)
    }
}

/// The arithmetic of both kinds of numbers. NUMERICS.md says where each definition comes from.
trait BinaryArithmetic: Number {
    fn div(self, other: Self) -> Self;
    fn pow(self, other: Self) -> Self;
}

impl BinaryArithmetic for Float {
    fn div(self, other: Self) -> Self {
        self / other
    }
    fn pow(self, other: Self) -> Self {
        self.powf(other)
    }
}

impl BinaryArithmetic for Integer {
    fn div(self, other: Self) -> Self {
        if other == Self::ZERO { Self::ZERO } else { self / other }
    }

    /// By squaring, modulo 2^128; a negative exponent gives the reciprocal of the power, truncated toward zero.
    fn pow(self, other: Self) -> Self {
        if other < Self::ZERO {
            return match self.0 {
                1 => Self::ONE,
                -1 if other.0 % 2 == 0 => Self::ONE,
                -1 => -Self::ONE,
                _ => Self::ZERO,
            };
        }
        let (mut power, mut base, mut exponent) = (Self::ONE, self, other.0);
        while exponent > 0 {
            if exponent % 2 == 1 {
                power *= base;
            }
            base *= base;
            exponent /= 2;
        }
        power
    }
}

impl Binary {
    fn apply<N: BinaryArithmetic>(self, a: N, b: N) -> N {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a.div(b),
            Self::Max => maximum(a, b),
            Self::Min => minimum(a, b),
            Self::Pow => a.pow(b),
        }
    }

    pub(super) fn compute(self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), a => self.broadcast(a, bound))
    }

    fn broadcast<T: Stored>(self, a: &ndarray::ArrayD<T>, bound: &Bound<'_>) -> Computed
    where
        T::Number: BinaryArithmetic,
    {
        let b = T::array(bound.input(1));
        let output = zip(a, b, &bound.output().shape, |a: T, b: T| T::rounded(self.apply(a.number(), b.number())))?;
        Ok(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::Wrapping;

    #[test]
    fn integer_powers() {
        let pow = |a: i128, b: i128| BinaryArithmetic::pow(Wrapping(a), Wrapping(b)).0;
        assert_eq!(pow(3, 4), 81);
        assert_eq!(pow(0, 0), 1);
        assert_eq!(pow(-2, 3), -8);
        assert_eq!(pow(-1, -3), -1);
        assert_eq!(pow(7, -1), 0);
    }

    #[test]
    fn division_of_integers_truncates_toward_zero() {
        assert_eq!(Binary::Div.apply(Wrapping(-7i128), Wrapping(2)), Wrapping(-3));
    }

    #[test]
    fn the_greater_and_the_lesser_of_nan_are_nan() {
        assert!(Binary::Max.apply(f64::NAN, 1.0).is_nan() && Binary::Min.apply(1.0, f64::NAN).is_nan());
    }
}
