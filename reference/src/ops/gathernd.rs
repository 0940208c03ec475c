//! gatherND: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gathernd>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::index::within;
use crate::limits::{DataTypes, FLOATS_INT32_AND_BYTES, INDICES, INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::{Integer, size};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index, ensure_elements, integers};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-gathernd>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-gathernd",
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
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// gatherND
pub const GATHER_ND: OperatorRow = OperatorRow {
    name: "gatherND",
    section: "api-mlgraphbuilder-gathernd",
    parameters: &["input", "indices", "options"],
    call: |b, x| Ok(vec![b.gather_nd(&x.get("input")?, &x.get("indices")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-gathernd>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, the data
    /// type of the indices or a rank is not allowed, the coordinates have more axes than the input, or the output would
    /// be too large.
    pub fn gather_nd(&self, input: &MLOperand, indices: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.gatherND(input, indices, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, indices])?;
        step!("3");
        if !LIMITS.allows_data_type("indices", indices) {
            throw!(TypeError, "the indices can not be {}", indices.data_type());
        }
        step!("4");
        if !LIMITS.allows_rank("input", input) || !LIMITS.allows_rank("indices", indices) {
            throw!(TypeError, "the input has rank {} and the indices have {}", input.rank(), indices.rank());
        }
        step!("5");
        let (input_shape, input_rank) = (input.shape(), input.rank());
        step!("6");
        let (indices_shape, indices_rank) = (indices.shape(), indices.rank());
        step!("7"); // Step 4 has checked the ranks already.
        step!("8");
        let indexable_size = indices_rank - 1;
        step!("9");
        let coordinate_size = size(indices_shape[indexable_size]);
        step!("10");
        if coordinate_size > input_rank {
            throw!(TypeError, "coordinates of {coordinate_size} axes are more than those of {}", input.descriptor());
        }
        step!("11");
        let mut output_shape = Vec::new();
        step!("12");
        for dimension in &indices_shape[..indexable_size] {
            step!("12.1");
            output_shape.push(*dimension);
        }
        step!("13");
        for dimension in &input_shape[coordinate_size..] {
            step!("13.1");
            output_shape.push(*dimension);
        }
        step!("14");
        let output_desc = MLOperandDescriptor::create(input.data_type(), &output_shape);
        self.ensure_output(&output_desc)?;
        step!("15");
        step!("15.1");
        let output = self.create_operand(output_desc);
        step!("15.2");
        let operator = self.create_operator(Operation::GatherNd, &options.label);
        step!("15.3");
        output.set_operator(operator);
        step!("15.4");
        self.set_inputs(operator, [input, indices]);
        step!("15.5");
        self.set_outputs(operator, [&output]);
        step!("16");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(0), input => gathered(input, bound))
}

/// For each coordinate, the element or the slice of the input that it points to.
fn gathered<T: Stored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let indices = integers(bound.input(1))?;
    let shape = &bound.output().shape;
    ensure_elements(input, shape)?;
    let output = array_by_index(shape, |index| {
        let (index, after) = index.split_at(indices.ndim() - 1);
        let mut from = coordinate(&indices, index, input.shape());
        from.extend_from_slice(after);
        input[from.as_slice()]
    })?;
    Ok(output.into())
}

/// The coordinate that stands at an index into all dimensions of `indices` but the last, along the first axes of a
/// shape.
pub(super) fn coordinate(indices: &ArrayD<Integer>, index: &[usize], shape: &[usize]) -> Vec<usize> {
    let mut place = index.to_vec();
    place.push(0);
    let last = index.len();
    let along = shape.iter().take(indices.shape()[last]).enumerate();
    along
        .map(|(axis, dimension)| {
            place[last] = axis;
            within(indices[place.as_slice()], *dimension)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn a_coordinate_of_few_axes_takes_a_slice() -> Result<()> {
        let input: Vec<u8> = (0..8).collect();
        // The section's third example, in which [1, 0] is written as [5, -2].
        let output = computed(|b| {
            let indices = constant(b, &[2, 2], &[0i64, 1, 5, -2]);
            b.gather_nd(&constant(b, &[2, 2, 2], &input), &indices, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[2, 2], &[2u8, 3, 4, 5]));
        Ok(())
    }

    #[test]
    fn a_whole_coordinate_takes_an_element() -> Result<()> {
        let output = computed(|b| {
            let input = constant(b, &[2, 2], &[i64::MIN, 1, 2, i64::MAX]);
            b.gather_nd(&input, &constant(b, &[2], &[1u32, u32::MAX]), &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[], &[i64::MAX]));
        Ok(())
    }

    #[test]
    fn there_are_no_more_indices_than_axes() {
        let b = builder(Reading::Corrected);
        let step = |input: &[u32], indices: &[u32]| {
            let (input, indices) = (zeros::<f32>(&b, input), zeros::<i32>(&b, indices));
            b.gather_nd(&input, &indices, &MLOperatorOptions::default()).unwrap_err().step
        };
        assert_eq!(step(&[], &[1]), "4");
        assert_eq!(step(&[1], &[]), "4");
        assert_eq!(step(&[3, 3], &[2, 3]), "10");
        assert_eq!(step(&[1, 3, 3, 3, 3], &[1, 1, 1, 1, 1, 1]), "14");
    }
}
