//! softmax: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softmax-method>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::index::Along;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::Float;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, filled, reserved};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-softmax>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-softmax",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (1, 5),
        },
    ],
};

/// softmax
pub const SOFTMAX: OperatorRow = OperatorRow {
    name: "softmax",
    section: "api-mlgraphbuilder-softmax-method",
    parameters: &["input", "axis", "options"],
    call: |b, x| Ok(vec![b.softmax(&x.get("input")?, x.get("axis")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a softmax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Softmax {
    /// The axis along which the outputs sum to 1.
    pub axis: u32,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-softmax>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, its data type
    /// is not allowed, or it has no such axis.
    pub fn softmax(&self, input: &MLOperand, axis: u32, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.softmax(input, axis, options)", self, options.label);
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
        let operator = self.create_operator(Operation::Softmax(Softmax { axis }), &options.label);
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

impl Softmax {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => self.along(input, bound))
    }

    /// exp(x - max) / sum of exp(x - max), which is exp(x) / sum of exp(x) without its overflow.
    fn along<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let along = Along::new(input.shape(), self.axis);
        let x: Vec<T> = input.iter().copied().collect();
        let mut output = filled(&bound.output().shape, T::default())?;
        let y = output.as_slice_mut().expect("a new array is contiguous");
        let mut exponentials: Vec<Float> = reserved(along.dimension)?;
        for before in 0..along.before {
            for after in 0..along.after {
                let at = |index| along.offset(before, index, after);
                let maximum =
                    (0..along.dimension).map(|index| x[at(index)].number()).fold(Float::NEG_INFINITY, Float::max);
                exponentials.clear();
                exponentials.extend((0..along.dimension).map(|index| (x[at(index)].number() - maximum).exp()));
                let sum: Float = exponentials.iter().sum();
                for (index, exponential) in exponentials.iter().enumerate() {
                    y[at(index)] = T::rounded(exponential / sum);
                }
            }
        }
        Ok(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{computed, constant, value};
    use crate::value::Value;

    #[test]
    fn sums_to_one_along_the_axis_and_does_not_overflow() -> Result<()> {
        let x = [1000f32, 0.0, 1000.0, f32::NEG_INFINITY];
        let output = computed(|b| b.softmax(&constant(b, &[2, 2], &x), 0, &MLOperatorOptions::default()))?;
        assert_eq!(output, value(&[2, 2], &[0.5f32, 1.0, 0.5, 0.0]));
        Ok(())
    }

    #[test]
    fn is_nan_where_one_element_is() -> Result<()> {
        let output = computed(|b| b.softmax(&constant(b, &[2], &[f32::NAN, 0.0]), 0, &MLOperatorOptions::default()))?;
        let Value::Float32(output) = output else { panic!("{output:?}") };
        assert!(output.iter().all(|element| element.is_nan()));
        Ok(())
    }
}
