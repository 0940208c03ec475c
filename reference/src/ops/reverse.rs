//! reverse: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reverse-method>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::index::axes;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlreverseoptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLReverseOptions {
    /// The operator's label.
    pub label: String,
    /// The axes to reverse; all if not given.
    pub axes: Option<Vec<u32>>,
}

impl Options for MLReverseOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, axes: members.optional("axes")? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-reverse>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-reverse",
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

/// reverse
pub const REVERSE: OperatorRow = OperatorRow {
    name: "reverse",
    section: "api-mlgraphbuilder-reverse-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.reverse(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a reverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reverse {
    /// The axes to reverse.
    pub axes: Vec<u32>,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reverse>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, it has not
    /// one of the axes, or one is given twice.
    pub fn reverse(&self, input: &MLOperand, options: &MLReverseOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reverse(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        let input_rank = input.rank();
        step!("5");
        let reversed_axes = options.axes.clone().unwrap_or_else(|| axes(input_rank));
        step!("6");
        // The text returns failure, which a method has nobody to return to: see SPEC_ISSUES.md.
        let is_twice = |(index, axis): (usize, &u32)| reversed_axes[..index].contains(axis);
        if reversed_axes.iter().enumerate().any(is_twice) {
            throw!(TypeError, "the axes {reversed_axes:?} have one twice");
        }
        for axis in &reversed_axes {
            self.ensure_axis(*axis, input)?;
        }
        step!("7");
        step!("7.1");
        let output = Self::copy_operand(input);
        step!("7.2");
        let operator = self.create_operator(Operation::Reverse(Reverse { axes: reversed_axes }), &options.label);
        step!("7.3");
        output.set_operator(operator);
        step!("7.4");
        self.set_inputs(operator, [input]);
        step!("7.5");
        self.set_outputs(operator, [&output]);
        step!("8");
        Ok(output)
    }
}

impl Reverse {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.reversed(input, bound))
    }

    fn reversed<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let output = array_by_index(&bound.output().shape, |index| {
            let mut from = index.to_vec();
            for axis in &self.axes {
                let axis = size(*axis);
                from[axis] = input.shape()[axis] - 1 - index[axis];
            }
            input[from.as_slice()]
        })?;
        Ok(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    fn options(axes: Option<Vec<u32>>) -> MLReverseOptions {
        MLReverseOptions { axes, ..Default::default() }
    }

    #[test]
    fn all_axes_if_none_are_given_but_none_if_the_list_is_empty() -> Result<()> {
        let expected =
            [(None, [6i64, 5, 4, 3, 2, 1]), (Some(vec![1]), [3, 2, 1, 6, 5, 4]), (Some(vec![]), [1, 2, 3, 4, 5, 6])];
        for (axes, elements) in expected {
            let output = computed(|b| b.reverse(&constant(b, &[2, 3], &[1i64, 2, 3, 4, 5, 6]), &options(axes)))?;
            assert_eq!(output, value(&[2, 3], &elements));
        }
        Ok(())
    }

    #[test]
    fn a_scalar_has_no_axis() -> Result<()> {
        let output = computed(|b| b.reverse(&constant(b, &[], &[7u8]), &options(None)))?;
        assert_eq!(output, value(&[], &[7u8]));
        Ok(())
    }

    #[test]
    fn each_axis_is_one_of_the_input_and_given_once() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[2, 3]);
        for axes in [vec![2], vec![0, 0]] {
            let exception = b.reverse(&input, &options(Some(axes))).unwrap_err();
            assert_eq!((exception.name.as_str(), exception.step), ("TypeError", "6"));
        }
    }
}
