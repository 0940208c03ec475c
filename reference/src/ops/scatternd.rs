//! scatterND: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatternd>.

use ndarray::{ArrayD, Dimension};

use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS_AND_INT32, INDICES, INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::gathernd::coordinate;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, array, ensure_elements, integers};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-scatternd>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-scatternd",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
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
            operand: "updates",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
    ],
};

/// scatterND
pub const SCATTER_ND: OperatorRow = OperatorRow {
    name: "scatterND",
    section: "api-mlgraphbuilder-scatternd",
    parameters: &["input", "indices", "updates", "options"],
    call: |b, x| {
        let (input, indices, updates) = (x.get("input")?, x.get("indices")?, x.get("updates")?);
        Ok(vec![b.scatter_nd(&input, &indices, &updates, &x.options()?)?])
    },
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-scatternd>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, the coordinates have more axes than the input, or the updates are not one slice for
    /// each coordinate.
    pub fn scatter_nd(
        &self,
        input: &MLOperand,
        indices: &MLOperand,
        updates: &MLOperand,
        options: &MLOperatorOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.scatterND(input, indices, updates, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, indices, updates])?;
        step!("3");
        if !LIMITS.allows_data_type("indices", indices) {
            throw!(TypeError, "the indices can not be {}", indices.data_type());
        }
        step!("4");
        if !LIMITS.allows_data_type_as("updates", updates, input) {
            throw!(TypeError, "the updates are {} and the input is {}", updates.data_type(), input.data_type());
        }
        step!("5");
        if !LIMITS.allows_rank("input", input)
            || !LIMITS.allows_rank("indices", indices)
            || !LIMITS.allows_rank("updates", updates)
        {
            throw!(TypeError, "the input has rank {} and the indices have {}", input.rank(), indices.rank());
        }
        step!("6");
        let (input_shape, input_rank) = (input.shape(), input.rank());
        step!("7");
        let (indices_shape, indices_rank) = (indices.shape(), indices.rank());
        step!("8");
        let indexable_size = indices_rank - 1;
        step!("9");
        let coordinate_size = size(indices_shape[indexable_size]);
        step!("10");
        if coordinate_size > input_rank {
            throw!(TypeError, "coordinates of {coordinate_size} axes are more than those of {}", input.descriptor());
        }
        step!("11");
        let mut expected_updates_shape = Vec::new();
        step!("12");
        for dimension in &indices_shape[..indexable_size] {
            step!("12.1");
            expected_updates_shape.push(*dimension);
        }
        step!("13");
        for dimension in &input_shape[coordinate_size..] {
            step!("13.1");
            expected_updates_shape.push(*dimension);
        }
        step!("14");
        if !lists_are_equal(&updates.shape(), &expected_updates_shape) {
            throw!(TypeError, "the updates are {:?}, not {expected_updates_shape:?}", updates.shape());
        }
        step!("15");
        let output_shape = input_shape;
        step!("16");
        let output_desc = MLOperandDescriptor::create(input.data_type(), &output_shape);
        step!("17");
        step!("17.1");
        let output = self.create_operand(output_desc);
        step!("17.2");
        let operator = self.create_operator(Operation::ScatterNd, &options.label);
        step!("17.3");
        output.set_operator(operator);
        step!("17.4");
        self.set_inputs(operator, [input, indices, updates]);
        step!("17.5");
        self.set_outputs(operator, [&output]);
        step!("18");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(0), input => scattered(input, bound))
}

/// Each update replaces the element or the slice that its coordinate points to. The text leaves open which of several
/// updates of one element stays: here it is the last, in row-major order.
fn scattered<T: Stored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let indices = integers(bound.input(1))?;
    ensure_elements(input, &bound.input_descriptor(2).shape)?;
    let mut output = array(&bound.output().shape, input.iter().copied())?;
    for (index, update) in T::array(bound.input(2)).indexed_iter() {
        let (index, after) = index.slice().split_at(indices.ndim() - 1);
        let mut to = coordinate(&indices, index, input.shape());
        to.extend_from_slice(after);
        output[to.as_slice()] = *update;
    }
    Ok(output.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn each_coordinate_gets_its_slice_and_the_last_one_stays() -> Result<()> {
        let output = computed(|b| {
            // The section's third example, with a slice that another one replaces: -4 is clamped to 0.
            let input = constant(b, &[3, 2], &[0i32, 1, 2, 3, 4, 5]);
            let indices = constant(b, &[3, 1], &[2i64, -4, 0]);
            let updates = constant(b, &[3, 2], &[-1i32, -2, 7, 8, -3, -4]);
            b.scatter_nd(&input, &indices, &updates, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[3, 2], &[-3i32, -4, 2, 3, -1, -2]));
        Ok(())
    }

    #[test]
    fn a_whole_coordinate_gets_one_element() -> Result<()> {
        let output = computed(|b| {
            let input = constant(b, &[2, 2], &[0u8, 1, 2, 3]);
            let indices = constant(b, &[2], &[1u32, 0]);
            b.scatter_nd(&input, &indices, &constant(b, &[], &[9u8]), &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[2, 2], &[0u8, 1, 9, 3]));
        Ok(())
    }

    #[test]
    fn the_updates_are_one_slice_for_each_coordinate() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[4, 3]);
        let step = |indices: &[u32], updates: &[u32]| {
            let (indices, updates) = (zeros::<i32>(&b, indices), zeros::<f32>(&b, updates));
            b.scatter_nd(&input, &indices, &updates, &MLOperatorOptions::default()).unwrap_err().step
        };
        assert_eq!(step(&[], &[]), "5");
        assert_eq!(step(&[2, 3], &[2]), "10");
        assert_eq!(step(&[2, 1], &[2]), "14");
        assert_eq!(step(&[2, 2], &[2, 3]), "14");
    }
}
