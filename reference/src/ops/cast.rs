//! cast: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS_INT32_AND_BYTES, OperandLimits, Ranks, TensorLimits};
use crate::number::{Element, Float, Integer, MLNumber, to_float16, to_float32, truncated};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, array};
use crate::{algorithm, for_data_type, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-cast>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-cast",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// cast
pub const CAST: OperatorRow = OperatorRow {
    name: "cast",
    section: "api-mlgraphbuilder-cast",
    parameters: &["input", "dataType", "options"],
    call: |b, x| Ok(vec![b.cast(&x.get("input")?, x.get("dataType")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-cast>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder.
    pub fn cast(
        &self,
        input: &MLOperand,
        data_type: MLOperandDataType,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.cast(input, dataType, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows("output", data_type) {
            throw!(TypeError, "the output can not be {data_type}");
        }
        step!("4");
        step!("4.1");
        let operator = self.create_operator(Operation::Cast, &options.label);
        step!("4.2");
        let output = if literal!("cast-data-type") {
            Self::copy_operand(input)
        } else {
            self.create_operand(self.cast_descriptor(input, data_type)?)
        };
        step!("4.3");
        output.set_operator(operator);
        step!("4.4");
        self.set_inputs(operator, [input]);
        step!("4.5");
        self.set_outputs(operator, [&output]);
        step!("5");
        Ok(output)
    }

    fn cast_descriptor(&self, input: &MLOperand, data_type: MLOperandDataType) -> Result<MLOperandDescriptor> {
        let descriptor = MLOperandDescriptor::create(data_type, &input.shape());
        self.ensure_output(&descriptor)?;
        Ok(descriptor)
    }
}

/// Elements that every other type can be cast to: by the table of the section.
trait Castable: Element {
    /// The element for a float: the nearest value, or, for an integer type, the integer part.
    fn of_float(number: Float) -> Self;
    /// The element for an integer: the nearest value, or, for an integer type, its lowest bits.
    fn of_integer(number: Integer) -> Self;
}

macro_rules! castable {
    ($float:ty, nearest by $nearest:expr) => {
        impl Castable for $float {
            fn of_float(number: Float) -> Self {
                Self::rounded(number)
            }
            fn of_integer(number: Integer) -> Self {
                Self::rounded($nearest(MLNumber::BigInt(number.0)))
            }
        }
    };
    ($integer:ty, from $lowest:expr, to $highest:expr) => {
        impl Castable for $integer {
            /// Out of range the specification leaves it open: here the nearest value, and 0 for NaN.
            fn of_float(number: Float) -> Self {
                Self::rounded(
                    truncated(number).clamp(std::num::Wrapping($lowest.into()), std::num::Wrapping($highest.into())),
                )
            }
            fn of_integer(number: Integer) -> Self {
                Self::rounded(number)
            }
        }
    };
}

castable!(f32, nearest by to_float32);
castable!(half::f16, nearest by to_float16);
castable!(i32, from i32::MIN, to i32::MAX);
castable!(u32, from u32::MIN, to u32::MAX);
castable!(i64, from i64::MIN, to i64::MAX);
castable!(u64, from u64::MIN, to u64::MAX);
castable!(i8, from i8::MIN, to i8::MAX);
castable!(u8, from u8::MIN, to u8::MAX);

/// Numbers of either kind, on their way to another type.
trait CastFrom {
    fn cast<T: Castable>(self) -> T;
}

impl CastFrom for Float {
    fn cast<T: Castable>(self) -> T {
        T::of_float(self)
    }
}

impl CastFrom for Integer {
    fn cast<T: Castable>(self) -> T {
        T::of_integer(self)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(0), input => cast_to_output(input, bound))
}

fn cast_to_output<T: Stored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed
where
    T::Number: CastFrom,
{
    let output = bound.output();
    for_data_type!(output.data_type, Target => {
        let elements = input.iter().map(|element| element.number().cast::<Target>());
        Ok(array(&output.shape, elements)?.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::Wrapping;

    #[test]
    fn integers_keep_their_lowest_bits_and_floats_their_integer_part() {
        assert_eq!(Wrapping(-1i128).cast::<u8>(), 255);
        assert_eq!(Wrapping(300i128).cast::<i8>(), 44);
        assert_eq!((-3.9f64).cast::<i8>(), -3);
        assert_eq!(1e30f64.cast::<i64>(), i64::MAX);
        assert_eq!(f64::NAN.cast::<u32>(), 0);
        assert_eq!(1e30f64.cast::<half::f16>(), half::f16::INFINITY);
    }

    #[test]
    fn integers_are_rounded_once() {
        // Just above the middle of two float32 values; by way of binary64 it would be the middle.
        let number = (1i128 << 60) + (1 << 36) + 1;
        assert_eq!(Wrapping(number).cast::<f32>(), (1u64 << 60) as f32 + (1u64 << 37) as f32);
        assert_eq!(Wrapping(-number).cast::<f32>(), -((1u64 << 60) as f32 + (1u64 << 37) as f32));
        assert_eq!(Wrapping(65519i128).cast::<half::f16>(), half::f16::MAX);
    }
}
