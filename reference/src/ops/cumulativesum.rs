//! cumulativeSum: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Arguments, Members, Options, WithoutRange};
use crate::index::Along;
use crate::limits::{DataTypes, FLOATS_AND_INT32, FLOATS_AND_WIDE_INTEGERS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, Integer, Number, Sum};
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, elements, filled, reserved};
use crate::{algorithm, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlcumulativesumoptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLCumulativeSumOptions {
    /// The operator's label.
    pub label: String,
    /// Whether each sum leaves out the element at its own place.
    pub exclusive: bool,
    /// Whether it is summed up from the end of the axis.
    pub reversed: bool,
}

impl Options for MLCumulativeSumOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            exclusive: members.or("exclusive", false)?,
            reversed: members.or("reversed", false)?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-cumulativesum>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-cumulativesum",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS_AND_WIDE_INTEGERS),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (1, 5),
        },
    ],
};

/// cumulativeSum
pub const CUMULATIVE_SUM: OperatorRow = OperatorRow {
    name: "cumulativeSum",
    section: "api-mlgraphbuilder-cumulativesum",
    parameters: &["input", "axis", "options"],
    call: |b, x| Ok(vec![b.cumulative_sum(&x.get("input")?, axis(b, x)?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The argument `axis`, which the IDL does not say to be in the range of its type, as it does of every other axis.
fn axis(builder: &MLGraphBuilder, arguments: &Arguments<'_>) -> Result<u32> {
    algorithm!("Web IDL", builder);
    if literal!("cumulative-sum-axis-without-range") {
        Ok(arguments.get::<WithoutRange>("axis")?.0)
    } else {
        arguments.get("axis")
    }
}

/// The parameters of a cumulativeSum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CumulativeSum {
    /// The axis along which is summed up.
    pub axis: u32,
    /// Whether each sum leaves out the element at its own place.
    pub exclusive: bool,
    /// Whether it is summed up from the end of the axis.
    pub reversed: bool,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-cumulativesum>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, its data type
    /// is not allowed, or it has no such axis.
    pub fn cumulative_sum(&self, input: &MLOperand, axis: u32, options: &MLCumulativeSumOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.cumulativeSum(input, axis, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        self.ensure_axis(axis, input)?;
        step!("5");
        step!("5.1");
        let output = Self::copy_operand(input);
        step!("5.2");
        let cumulative_sum = CumulativeSum { axis, exclusive: options.exclusive, reversed: options.reversed };
        let operator = self.create_operator(Operation::CumulativeSum(cumulative_sum), &options.label);
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

impl CumulativeSum {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.along(input, bound))
    }

    fn along<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed
    where
        T::Number: Summable,
    {
        let along = Along::new(input.shape(), self.axis);
        let x = elements(input);
        let mut output = filled(&bound.output().shape, T::default())?;
        let y = output.as_slice_mut().expect("a new array is contiguous");
        let mut places = reserved(along.dimension)?;
        for before in 0..along.before {
            for after in 0..along.after {
                places.clear();
                places.extend((0..along.dimension).map(|index| along.offset(before, index, after)));
                if self.reversed {
                    places.reverse();
                }
                let mut sum = <T::Number as Summable>::Sum::default();
                for place in &places {
                    let preceding = T::Number::value(&sum);
                    T::Number::add_to(&mut sum, x[*place].number());
                    y[*place] = T::rounded(if self.exclusive { preceding } else { T::Number::value(&sum) });
                }
            }
        }
        Ok(output.into())
    }
}

/// Numbers of which a sum can be kept while it grows.
trait Summable: Number {
    /// The sum of the numbers so far.
    type Sum: Default;
    /// Adds a number.
    fn add_to(sum: &mut Self::Sum, number: Self);
    /// The sum as a number.
    fn value(sum: &Self::Sum) -> Self;
}

impl Summable for Float {
    type Sum = Sum;
    fn add_to(sum: &mut Sum, number: Self) {
        sum.add(number);
    }
    fn value(sum: &Sum) -> Self {
        sum.value()
    }
}

impl Summable for Integer {
    type Sum = Self;
    fn add_to(sum: &mut Self, number: Self) {
        *sum += number;
    }
    fn value(sum: &Self) -> Self {
        *sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idl::Value;
    use crate::number::MLNumber;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn either_way_with_and_without_the_element_itself() -> Result<()> {
        // The examples of the section.
        for (exclusive, reversed, expected) in [
            (false, false, [1i32, 3, 6, 10]),
            (true, false, [0, 1, 3, 6]),
            (false, true, [10, 9, 7, 4]),
            (true, true, [9, 7, 4, 0]),
        ] {
            let options = MLCumulativeSumOptions { exclusive, reversed, ..Default::default() };
            let output = computed(|b| b.cumulative_sum(&constant(b, &[4, 1], &[1i32, 2, 3, 4]), 0, &options))?;
            assert_eq!(output, value(&[4, 1], &expected));
        }
        Ok(())
    }

    #[test]
    fn integers_wrap_and_floats_keep_what_is_small() -> Result<()> {
        let options = MLCumulativeSumOptions::default();
        let output = computed(|b| b.cumulative_sum(&constant(b, &[2], &[u64::MAX, 3]), 0, &options))?;
        assert_eq!(output, value(&[2], &[u64::MAX, 2]));
        let output = computed(|b| b.cumulative_sum(&constant(b, &[3], &[1e30f32, 1.0, -1e30]), 0, &options))?;
        assert_eq!(output, value(&[3], &[1e30f32, 1e30, 1.0]));
        Ok(())
    }

    #[test]
    fn by_the_literal_text_an_axis_beyond_32_bits_wraps() {
        for reading in [Reading::Corrected, Reading::Literal] {
            let b = builder(reading);
            let axis = Value::Number(MLNumber::Double(4_294_967_296.0));
            let output = CUMULATIVE_SUM.call(&b, &[Value::Operand(zeros::<f32>(&b, &[2])), axis]);
            assert_eq!(output.is_ok(), reading == Reading::Literal, "{output:?}");
        }
    }
}
