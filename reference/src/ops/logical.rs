//! Element-wise logical operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical>.

use ndarray::ArrayD;

use crate::algorithms::broadcasting::bidirectionally_broadcast;
use crate::builder::MLGraphBuilder;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::Arguments;
use crate::limits::{DataTypes, FLOATS, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits, UINT8};
use crate::number::Number;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, collected, zip};
use crate::{algorithm, for_each_type, step, throw};

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logical {
    /// a == b
    Equal,
    /// a != b
    NotEqual,
    /// a > b
    Greater,
    /// a >= b
    GreaterOrEqual,
    /// a < b
    Lesser,
    /// a <= b
    LesserOrEqual,
    /// Whether a is 0.
    LogicalNot,
    /// Whether neither is 0.
    LogicalAnd,
    /// Whether one is not 0.
    LogicalOr,
    /// Whether exactly one is not 0.
    LogicalXor,
    /// Whether a is NaN.
    IsNaN,
    /// Whether a is +Infinity or -Infinity.
    IsInfinite,
}

impl Logical {
    /// The name of the builder's method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::NotEqual => "notEqual",
            Self::Greater => "greater",
            Self::GreaterOrEqual => "greaterOrEqual",
            Self::Lesser => "lesser",
            Self::LesserOrEqual => "lesserOrEqual",
            Self::LogicalNot => "logicalNot",
            Self::LogicalAnd => "logicalAnd",
            Self::LogicalOr => "logicalOr",
            Self::LogicalXor => "logicalXor",
            Self::IsNaN => "isNaN",
            Self::IsInfinite => "isInfinite",
        }
    }

    /// Whether the operands are truth values.
    fn takes_truth_values(self) -> bool {
        match self {
            Self::LogicalNot | Self::LogicalAnd | Self::LogicalOr | Self::LogicalXor => true,
            Self::Equal
            | Self::NotEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::Lesser
            | Self::LesserOrEqual
            | Self::IsNaN
            | Self::IsInfinite => false,
        }
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-logical-equal-notequal-greater-greaterorequal-lesser-lesserorequal>
pub const LIMITS_COMPARISON: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-logical-equal-notequal-greater-greaterorequal-lesser-lesserorequal",
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
            allowed_data_types: DataTypes::Only(UINT8),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-logical-logicalnot>
pub const LIMITS_LOGICAL_NOT: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-logical-logicalnot",
    rows: &[
        OperandLimits {
            operand: "a",
            allowed_data_types: DataTypes::Only(UINT8),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::Only(UINT8),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-logical-logicaland-logicalor-logicalxor>
pub const LIMITS_LOGICAL: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-logical-logicaland-logicalor-logicalxor",
    rows: &[
        OperandLimits {
            operand: "a",
            allowed_data_types: DataTypes::Only(UINT8),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "b",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::Only(UINT8),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-elementwise-logical-isnan-isinfinite>
///
/// The table allows any data type; step 5 of the algorithm allows the floating point types only.
pub const LIMITS_IS: TensorLimits = TensorLimits {
    table: "tensor-limits-elementwise-logical-isnan-isinfinite",
    rows: &[
        OperandLimits {
            operand: "a",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::Only(UINT8),
            required_data_types: UINT8,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

type Call = fn(&MLGraphBuilder, &Arguments<'_>) -> Result<Vec<MLOperand>>;

const fn row(
    name: &'static str,
    parameters: &'static [&'static str],
    limits: &'static TensorLimits,
    call: Call,
) -> OperatorRow {
    OperatorRow { name, section: "api-mlgraphbuilder-logical", parameters, call, limits }
}

const A: &[&str] = &["a", "options"];
const A_AND_B: &[&str] = &["a", "b", "options"];

/// equal
pub const EQUAL: OperatorRow =
    row("equal", A_AND_B, &LIMITS_COMPARISON, |b, x| Ok(vec![b.equal(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// notEqual
pub const NOT_EQUAL: OperatorRow = row("notEqual", A_AND_B, &LIMITS_COMPARISON, |b, x| {
    Ok(vec![b.not_equal(&x.get("a")?, &x.get("b")?, &x.options()?)?])
});
/// greater
pub const GREATER: OperatorRow = row("greater", A_AND_B, &LIMITS_COMPARISON, |b, x| {
    Ok(vec![b.greater(&x.get("a")?, &x.get("b")?, &x.options()?)?])
});
/// greaterOrEqual
pub const GREATER_OR_EQUAL: OperatorRow = row("greaterOrEqual", A_AND_B, &LIMITS_COMPARISON, |b, x| {
    Ok(vec![b.greater_or_equal(&x.get("a")?, &x.get("b")?, &x.options()?)?])
});
/// lesser
pub const LESSER: OperatorRow =
    row("lesser", A_AND_B, &LIMITS_COMPARISON, |b, x| Ok(vec![b.lesser(&x.get("a")?, &x.get("b")?, &x.options()?)?]));
/// lesserOrEqual
pub const LESSER_OR_EQUAL: OperatorRow = row("lesserOrEqual", A_AND_B, &LIMITS_COMPARISON, |b, x| {
    Ok(vec![b.lesser_or_equal(&x.get("a")?, &x.get("b")?, &x.options()?)?])
});
/// logicalNot
pub const LOGICAL_NOT: OperatorRow =
    row("logicalNot", A, &LIMITS_LOGICAL_NOT, |b, x| Ok(vec![b.logical_not(&x.get("a")?, &x.options()?)?]));
/// logicalAnd
pub const LOGICAL_AND: OperatorRow = row("logicalAnd", A_AND_B, &LIMITS_LOGICAL, |b, x| {
    Ok(vec![b.logical_and(&x.get("a")?, &x.get("b")?, &x.options()?)?])
});
/// logicalOr
pub const LOGICAL_OR: OperatorRow = row("logicalOr", A_AND_B, &LIMITS_LOGICAL, |b, x| {
    Ok(vec![b.logical_or(&x.get("a")?, &x.get("b")?, &x.options()?)?])
});
/// logicalXor
pub const LOGICAL_XOR: OperatorRow = row("logicalXor", A_AND_B, &LIMITS_LOGICAL, |b, x| {
    Ok(vec![b.logical_xor(&x.get("a")?, &x.get("b")?, &x.options()?)?])
});
/// isNaN
pub const IS_NAN: OperatorRow = row("isNaN", A, &LIMITS_IS, |b, x| Ok(vec![b.is_nan(&x.get("a")?, &x.options()?)?]));
/// isInfinite
pub const IS_INFINITE: OperatorRow =
    row("isInfinite", A, &LIMITS_IS, |b, x| Ok(vec![b.is_infinite(&x.get("a")?, &x.options()?)?]));

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op>
    fn create_element_wise_logical_operation(
        &self,
        op: Logical,
        a: &MLOperand,
        b: Option<&MLOperand>,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder/create an element-wise logical operation", self, options.label);
        step!("1"); // BY TYPE: Logical has no other.
        step!("2");
        self.ensure_can_build()?;
        step!("3");
        self.ensure_operands([a])?;
        step!("4");
        if op.takes_truth_values() {
            step!("4.1");
            if a.data_type() != MLOperandDataType::Uint8 {
                throw!(TypeError, "a has to be uint8, not {}", a.data_type());
            }
        }
        step!("5");
        if matches!(op, Logical::IsNaN | Logical::IsInfinite) {
            step!("5.1");
            if !FLOATS.contains(&a.data_type()) {
                throw!(TypeError, "a has to be float32 or float16, not {}", a.data_type());
            }
        }
        let output_shape = if let Some(b) = b {
            step!("6");
            step!("6.1");
            self.ensure_operands([b])?;
            step!("6.2");
            if a.data_type() != b.data_type() {
                throw!(TypeError, "a is {} and b is {}", a.data_type(), b.data_type());
            }
            step!("6.3");
            let Some(output_shape) = bidirectionally_broadcast(&a.shape(), &b.shape()) else {
                throw!(TypeError, "{:?} and {:?} can not be broadcast to each other", a.shape(), b.shape());
            };
            output_shape
        } else {
            step!("7");
            step!("7.1");
            a.shape()
        };
        step!("8");
        let descriptor = MLOperandDescriptor::create(MLOperandDataType::Uint8, &output_shape);
        self.ensure_output(&descriptor)?;
        step!("9");
        step!("9.1");
        let output = self.create_operand(descriptor);
        step!("9.2");
        let operator = self.create_operator(Operation::Logical(op), &options.label);
        step!("9.3");
        output.set_operator(operator);
        step!("9.4");
        self.set_inputs(operator, std::iter::once(a).chain(b));
        step!("9.5");
        self.set_outputs(operator, [&output]);
        step!("10");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-equal>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn equal(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.equal(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::Equal, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-notequal>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn not_equal(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.notEqual(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::NotEqual, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-greater>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn greater(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.greater(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::Greater, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-greaterorequal>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn greater_or_equal(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.greaterOrEqual(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::GreaterOrEqual, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-lesser>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn lesser(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.lesser(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::Lesser, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-lesserorequal>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn lesser_or_equal(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.lesserOrEqual(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::LesserOrEqual, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-logicalnot>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn logical_not(&self, a: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.logicalNot(a, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::LogicalNot, a, None, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-logicaland>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn logical_and(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.logicalAnd(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::LogicalAnd, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-logicalor>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn logical_or(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.logicalOr(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::LogicalOr, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-logicalxor>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn logical_xor(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.logicalXor(a, b, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::LogicalXor, a, Some(b), options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-isnan>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn is_nan(&self, a: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.isNaN(a, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::IsNaN, a, None, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-isinfinite>
    ///
    /// # Errors
    /// Those of [creating an element-wise logical operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-element-wise-logical-op).
    pub fn is_infinite(&self, a: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.isInfinite(a, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_element_wise_logical_operation(Logical::IsInfinite, a, None, options)?;
        step!("2");
        Ok(output)
    }
}

impl Logical {
    /// What the operation says of a, where it takes no b.
    pub(crate) fn of_one<N: Number>(self, a: N) -> bool {
        match self {
            Self::LogicalNot => a == N::ZERO,
            Self::IsNaN => a.to_f64().is_nan(),
            Self::IsInfinite => a.to_f64().is_infinite(),
            Self::Equal
            | Self::NotEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::Lesser
            | Self::LesserOrEqual
            | Self::LogicalAnd
            | Self::LogicalOr
            | Self::LogicalXor => unreachable!("{} takes two operands", self.as_str()),
        }
    }

    /// What it says of a and b. Comparisons are those of IEEE 754: false if either is NaN, but for notEqual.
    pub(crate) fn of_both<N: Number>(self, a: N, b: N) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
            Self::Lesser => a < b,
            Self::LesserOrEqual => a <= b,
            Self::LogicalAnd => a != N::ZERO && b != N::ZERO,
            Self::LogicalOr => a != N::ZERO || b != N::ZERO,
            Self::LogicalXor => (a != N::ZERO) != (b != N::ZERO),
            Self::LogicalNot | Self::IsNaN | Self::IsInfinite => {
                unreachable!("{} takes one operand", self.as_str())
            }
        }
    }

    pub(super) fn compute(self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), a => self.broadcast(a, bound))
    }

    fn broadcast<T: Stored>(self, a: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let output = if bound.input_count() == 1 {
            collected(a.shape(), a.iter().map(|a| u8::from(self.of_one(a.number()))))?
        } else {
            let b = T::array(bound.input(1));
            zip(a, b, &bound.output().shape, |a: T, b: T| u8::from(self.of_both(a.number(), b.number())))?
        };
        Ok(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn comparisons_with_nan_and_of_64_bits() -> Result<()> {
        let options = MLOperatorOptions::default();
        let nan = |b: &_| constant(b, &[], &[f32::NAN]);
        assert_eq!(computed(|b| b.equal(&nan(b), &nan(b), &options))?, value(&[], &[0u8]));
        assert_eq!(computed(|b| b.not_equal(&nan(b), &nan(b), &options))?, value(&[], &[1u8]));
        let near = |b: &_, x| constant(b, &[], &[(1u64 << 60) + x]);
        assert_eq!(computed(|b| b.greater(&near(b, 1), &near(b, 0), &options))?, value(&[], &[1u8]));
        Ok(())
    }

    #[test]
    fn truth_is_whatever_is_not_zero_and_the_result_one() -> Result<()> {
        let output = computed(|b| {
            let (x, y) = (constant(b, &[4], &[0u8, 2, 0, 255]), constant(b, &[4], &[0u8, 0, 7, 4]));
            b.logical_xor(&x, &y, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[4], &[0u8, 1, 1, 0]));
        Ok(())
    }

    #[test]
    fn only_uint8_has_truth_values() {
        let b = builder(Reading::Corrected);
        let x = zeros::<i8>(&b, &[1]);
        assert_eq!(b.logical_not(&x, &MLOperatorOptions::default()).unwrap_err().step, "4.1");
    }
}
