//! gather: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::index::within;
use crate::limits::{DataTypes, FLOATS_INT32_AND_BYTES, INDICES, INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index, ensure_elements, integers};
use crate::{algorithm, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlgatheroptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLGatherOptions {
    /// The operator's label.
    pub label: String,
    /// The axis along which the elements are gathered.
    pub axis: u32,
}

impl Options for MLGatherOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, axis: members.or("axis", 0)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-gather>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-gather",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "indices",
            allowed_data_types: DataTypes::Only(INDICES),
            required_data_types: INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
    ],
};

/// gather
pub const GATHER: OperatorRow = OperatorRow {
    name: "gather",
    section: "api-mlgraphbuilder-gather",
    parameters: &["input", "indices", "options"],
    call: |b, x| Ok(vec![b.gather(&x.get("input")?, &x.get("indices")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gather {
    /// The axis of the input that is indexed.
    pub axis: u32,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-gather>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, the data
    /// type of the indices is not allowed, the input has no such axis, or the output would be too large.
    pub fn gather(&self, input: &MLOperand, indices: &MLOperand, options: &MLGatherOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.gather(input, indices, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, indices])?;
        step!("3");
        if !LIMITS.allows_data_type("indices", indices) {
            throw!(TypeError, "the indices can not be {}", indices.data_type());
        }
        step!("4");
        let input_shape = input.shape();
        step!("5");
        let indices_shape = indices.shape();
        step!("6");
        let axis = options.axis;
        step!("7");
        self.ensure_axis(axis, input)?;
        let axis_index = size(axis);
        step!("8"); // BY TYPE: dimCount is what the loop counts.
        step!("9");
        step!("10");
        let mut output_shape = Vec::new();
        step!("11");
        for (dim_count, size) in input_shape.iter().enumerate() {
            step!("11.1");
            if dim_count == axis_index {
                break;
            }
            step!("11.2");
            output_shape.push(*size);
            step!("11.3");
        }
        step!("12"); // BY TYPE: outputRank is the size of the list to which each dimension is appended.
        step!("13");
        step!("14");
        for size in &indices_shape {
            step!("14.1");
            output_shape.push(*size);
            step!("14.2");
        }
        step!("15");
        step!("16");
        let mut dim_count = 0;
        step!("17");
        for size in &input_shape {
            step!("17.1");
            if dim_count <= axis_index {
                if !literal!("gather-dimensions-after-axis") {
                    dim_count += 1;
                }
                continue;
            }
            step!("17.2");
            output_shape.push(*size);
            step!("17.3");
            dim_count += 1;
        }
        step!("18");
        let desc = MLOperandDescriptor::create(input.data_type(), &output_shape);
        self.ensure_output(&desc)?;
        step!("19");
        step!("19.1");
        let output = self.create_operand(desc);
        step!("19.2");
        let operator = self.create_operator(Operation::Gather(Gather { axis }), &options.label);
        step!("19.3");
        output.set_operator(operator);
        step!("19.4");
        self.set_inputs(operator, [input, indices]);
        step!("19.5");
        self.set_outputs(operator, [&output]);
        step!("20");
        Ok(output)
    }
}

impl Gather {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.gathered(input, bound))
    }

    /// The output's axes are those of the input, in which the indices' axes stand for the one that is indexed. By the
    /// literal text the axes after it are missing, and only the first elements along them are gathered.
    fn gathered<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let indices = integers(bound.input(1))?;
        let shape = &bound.output().shape;
        ensure_elements(input, shape)?;
        let (axis, indices_rank) = (size(self.axis), indices.ndim());
        let output = array_by_index(shape, |index| {
            let (before, index) = index.split_at(axis);
            let (index, after) = index.split_at(indices_rank);
            let mut from = before.to_vec();
            from.push(within(indices[index], input.shape()[axis]));
            from.extend_from_slice(after);
            from.resize(input.ndim(), 0);
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

    fn options(axis: u32) -> MLGatherOptions {
        MLGatherOptions { axis, ..Default::default() }
    }

    #[test]
    fn the_axes_of_the_indices_stand_where_the_axis_was() -> Result<()> {
        let input: Vec<i8> = (0..12).collect();
        // NumPy: arange(12).reshape(2, 3, 2).take([[2, 0]], axis=1)
        let output =
            computed(|b| b.gather(&constant(b, &[2, 3, 2], &input), &constant(b, &[1, 2], &[2i64, 0]), &options(1)))?;
        assert_eq!(output, value(&[2, 1, 2, 2], &[4i8, 5, 0, 1, 10, 11, 6, 7]));
        Ok(())
    }

    #[test]
    fn a_scalar_of_a_vector_is_a_scalar_and_indices_are_clamped() -> Result<()> {
        let indices = [(-1i32, 30u64), (-4, 10), (3, 30)];
        for (index, element) in indices {
            let output =
                computed(|b| b.gather(&constant(b, &[3], &[10u64, 20, 30]), &constant(b, &[], &[index]), &options(0)))?;
            assert_eq!(output, value(&[], &[element]));
        }
        Ok(())
    }

    #[test]
    fn the_literal_text_drops_the_dimensions_after_the_axis() -> Result<()> {
        for (reading, shape) in [(Reading::Corrected, vec![2, 5, 4]), (Reading::Literal, vec![2, 5])] {
            let b = builder(reading);
            let output = b.gather(&zeros::<f32>(&b, &[2, 3, 4]), &zeros::<u32>(&b, &[5]), &options(1))?;
            assert_eq!(output.shape(), shape);
        }
        Ok(())
    }

    #[test]
    fn indices_are_integers_and_the_output_is_no_larger_than_a_tensor() -> Result<()> {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[3]);
        assert_eq!(b.gather(&input, &zeros::<f32>(&b, &[2]), &options(0)).unwrap_err().step, "3");
        assert_eq!(b.gather(&input, &zeros::<i32>(&b, &[2]), &options(1)).unwrap_err().step, "7");
        let large = b.expand(&zeros::<u8>(&b, &[1]), &[1, 1 << 20], &Default::default())?;
        assert_eq!(b.gather(&large, &zeros::<u32>(&b, &[1 << 12]), &options(0)).unwrap_err().step, "18");
        Ok(())
    }
}
