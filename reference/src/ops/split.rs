//! split: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::is_valid_tensor_count;
use crate::exception::Result;
use crate::idl::{FromIdl, Members, Options, Value as IdlValue};
use crate::index::Along;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, Value, array, elements};
use crate::{algorithm, for_each_type, literal, step, throw};

/// The parameter `splits`: an `unsigned long` or a sequence of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Splits {
    /// How many outputs there are, all of one size.
    Count(u32),
    /// The size of each output.
    Sizes(Vec<u32>),
}

impl FromIdl for Splits {
    fn from_idl(name: &str, value: &IdlValue) -> Result<Self> {
        match value {
            IdlValue::Sequence(_) => Vec::from_idl(name, value).map(Self::Sizes),
            IdlValue::Undefined
            | IdlValue::Operand(_)
            | IdlValue::Number(_)
            | IdlValue::Boolean(_)
            | IdlValue::String(_)
            | IdlValue::Dictionary(_) => u32::from_idl(name, value).map(Self::Count),
        }
    }
}

/// <https://www.w3.org/TR/webnn/#dictdef-mlsplitoptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLSplitOptions {
    /// The operator's label.
    pub label: String,
    /// The axis along which the input is split.
    pub axis: u32,
}

impl Options for MLSplitOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, axis: members.or("axis", 0)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-split>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-split",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "outputs",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (1, 5),
        },
    ],
};

/// split
pub const SPLIT: OperatorRow = OperatorRow {
    name: "split",
    section: "api-mlgraphbuilder-split",
    parameters: &["input", "splits", "options"],
    call: |b, x| b.split(&x.get("input")?, &x.get("splits")?, &x.options()?),
    limits: &LIMITS,
};

/// The parameters of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The size of each output along the axis.
    pub splits: Vec<u32>,
    /// The axis along which the input is split.
    pub axis: u32,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-split>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, it has no
    /// such axis, or the splits do not make it up.
    pub fn split(&self, input: &MLOperand, splits: &Splits, options: &MLSplitOptions) -> Result<Vec<MLOperand>> {
        algorithm!("MLGraphBuilder.split(input, splits, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        let axis = options.axis;
        step!("4");
        self.ensure_axis(axis, input)?;
        let dimension = input.shape()[size(axis)];
        step!("5");
        if let Splits::Count(splits) = *splits {
            step!("5.1");
            if !is_valid_tensor_count(size(splits)) {
                throw!(TypeError, "{splits} is no valid number of outputs");
            }
            step!("5.2");
            if !dimension.is_multiple_of(splits) {
                throw!(TypeError, "{dimension} elements along axis {axis} can not be divided into {splits} outputs");
            }
            step!("5.3"); // The count is the size of the list of sizes below.
        }
        step!("6");
        if let Splits::Sizes(splits) = splits {
            step!("6.1");
            if !is_valid_tensor_count(splits.len()) {
                throw!(TypeError, "{} is no valid number of outputs", splits.len());
            }
            step!("6.2");
            if splits.contains(&0) {
                throw!(TypeError, "an output of size 0: {splits:?}");
            }
            step!("6.3");
            if splits.iter().copied().map(u64::from).sum::<u64>() != u64::from(dimension) {
                throw!(TypeError, "{splits:?} do not add up to {dimension} elements along axis {axis}");
            }
            step!("6.4");
        }
        let sizes = match splits {
            Splits::Count(count) => vec![dimension / count; size(*count)],
            Splits::Sizes(sizes) => sizes.clone(),
        };
        step!("7");
        step!("7.1");
        let operator = self.create_operator(Operation::Split(Split { splits: sizes.clone(), axis }), &options.label);
        step!("7.2");
        let mut outputs = Vec::new();
        step!("7.3");
        for size_of_output in sizes {
            step!("7.3.1");
            let operand = Self::copy_operand(input);
            // By the literal text the operand has the [[descriptor]] of the input, and what is written to it is read
            // again for the next output. A quotient that is no integer, which has no place in a shape, is rounded down.
            let is_shared = literal!("split-shared-descriptor");
            step!("7.3.2");
            step!("7.3.3");
            let new_dimension = match splits {
                Splits::Count(splits) if is_shared => operand.shape()[size(axis)] / splits,
                Splits::Count(_) | Splits::Sizes(_) => size_of_output,
            };
            step!("7.3.4");
            if is_shared {
                operand.set_shared_dimension(axis, new_dimension);
            } else {
                operand.set_dimension(axis, new_dimension);
            }
            step!("7.3.5");
            operand.set_operator(operator);
            step!("7.3.6");
            outputs.push(operand);
        }
        step!("7.4");
        self.set_inputs(operator, [input]);
        step!("7.5");
        self.set_outputs(operator, &outputs);
        step!("8");
        Ok(outputs)
    }
}

impl Split {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        for_each_type!(bound.input(0), input => self.parts(input, bound))
    }

    fn parts<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        let along = Along::new(input.shape(), self.axis);
        let elements = elements(input);
        let (mut start, mut parts) = (0, Vec::new());
        for (dimension, descriptor) in self.splits.iter().zip(bound.outputs()) {
            let end = start + size(*dimension);
            let rows = (0..along.before).map(|row| along.offset(row, start, 0)..along.offset(row, end, 0));
            parts.push(array(&descriptor.shape, rows.flat_map(|row| elements[row].iter().copied()))?.into());
            start = end;
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    fn options(axis: u32) -> MLSplitOptions {
        MLSplitOptions { axis, ..Default::default() }
    }

    #[test]
    fn each_output_has_its_part_of_each_row() -> Result<()> {
        let input: Vec<i64> = (0..12).collect();
        let output = |splits: &Splits, place| {
            computed(|b| Ok(b.split(&constant(b, &[2, 3, 2], &input), splits, &options(1))?.swap_remove(place)))
        };
        // NumPy: split(arange(12).reshape(2, 3, 2), ..., axis=1)
        assert_eq!(output(&Splits::Sizes(vec![1, 2]), 0)?, value(&[2, 1, 2], &[0i64, 1, 6, 7]));
        assert_eq!(output(&Splits::Sizes(vec![1, 2]), 1)?, value(&[2, 2, 2], &[2i64, 3, 4, 5, 8, 9, 10, 11]));
        assert_eq!(output(&Splits::Count(3), 2)?, value(&[2, 1, 2], &[4i64, 5, 10, 11]));
        Ok(())
    }

    #[test]
    fn the_literal_text_writes_to_the_shape_that_it_reads() -> Result<()> {
        for (reading, of_input, of_outputs) in [(Reading::Corrected, 8, 4), (Reading::Literal, 2, 2)] {
            let b = builder(reading);
            let input = zeros::<f32>(&b, &[8]);
            let relu = b.relu(&input, &Default::default())?;
            let outputs = b.split(&relu, &Splits::Count(2), &options(0))?;
            assert_eq!([input.shape(), relu.shape()], [[of_input], [of_input]]);
            assert!(outputs.iter().all(|output| output.shape() == [of_outputs]));
            let built = b.context().global().settle(&b.build(&[("y".into(), relu)]));
            let expected = if reading == Reading::Literal { Some("18.1.2") } else { None };
            assert_eq!(built.err().map(|exception| exception.step), expected);
        }
        Ok(())
    }

    #[test]
    fn one_output_is_the_input_even_by_the_literal_text() -> Result<()> {
        let b = builder(Reading::Literal);
        let outputs = b.split(&zeros::<u8>(&b, &[5]), &Splits::Count(1), &options(0))?;
        assert_eq!(outputs[0].shape(), [5]);
        assert!(b.context().global().settle(&b.build(&[("y".into(), outputs[0].clone())])).is_ok());
        Ok(())
    }

    #[test]
    fn the_outputs_make_up_the_input() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[6]);
        let step = |splits: Splits, axis| b.split(&input, &splits, &options(axis)).unwrap_err().step;
        assert_eq!(step(Splits::Count(2), 1), "4");
        assert_eq!(step(Splits::Count(0), 0), "5.1");
        assert_eq!(step(Splits::Count(4), 0), "5.2");
        assert_eq!(step(Splits::Sizes(vec![]), 0), "6.1");
        assert_eq!(step(Splits::Sizes(vec![6, 0]), 0), "6.2");
        assert_eq!(step(Splits::Sizes(vec![u32::MAX, 7]), 0), "6.3");
    }
}
