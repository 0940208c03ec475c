//! scatterElements: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements>.

use ndarray::ArrayD;

use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::index::within;
use crate::limits::{DataTypes, FLOATS_AND_INT32, INDICES, INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array, ensure_elements, integers};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlscatteroptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLScatterOptions {
    /// The operator's label.
    pub label: String,
    /// The axis along which the updates are scattered.
    pub axis: u32,
}

impl Options for MLScatterOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, axis: members.or("axis", 0)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-scatterelements>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-scatterelements",
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
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "updates",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
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

/// scatterElements
pub const SCATTER_ELEMENTS: OperatorRow = OperatorRow {
    name: "scatterElements",
    section: "api-mlgraphbuilder-scatterelements",
    parameters: &["input", "indices", "updates", "options"],
    call: |b, x| {
        let (input, indices, updates) = (x.get("input")?, x.get("indices")?, x.get("updates")?);
        Ok(vec![b.scatter_elements(&input, &indices, &updates, &x.options()?)?])
    },
    limits: &LIMITS,
};

/// The parameters of a scatterElements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScatterElements {
    /// The axis of the output that is indexed.
    pub axis: u32,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-scatterelements>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, the input has no such axis, or the shapes do not fit one another.
    pub fn scatter_elements(
        &self,
        input: &MLOperand,
        indices: &MLOperand,
        updates: &MLOperand,
        options: &MLScatterOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.scatterElements(input, indices, updates, options)", self, options.label);
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
        let is_rank_of_input = |operand: &MLOperand| operand.rank() == input.rank();
        if !LIMITS.allows_rank("input", input) || !is_rank_of_input(indices) || !is_rank_of_input(updates) {
            let (indices, updates) = (indices.rank(), updates.rank());
            throw!(TypeError, "input, indices and updates have the ranks {}, {indices} and {updates}", input.rank());
        }
        step!("6");
        let axis = options.axis;
        step!("7");
        self.ensure_axis(axis, input)?;
        step!("8");
        let mut indices_shape_expected = input.shape();
        step!("9");
        indices_shape_expected[size(axis)] = indices.shape()[size(axis)];
        step!("10");
        if !lists_are_equal(&indices.shape(), &indices_shape_expected) {
            let (input, indices) = (input.shape(), indices.shape());
            throw!(TypeError, "the input is {input:?} and the indices {indices:?}, which differ beside axis {axis}");
        }
        step!("11");
        if !lists_are_equal(&updates.shape(), &indices.shape()) {
            throw!(TypeError, "the updates are {:?} and the indices {:?}", updates.shape(), indices.shape());
        }
        step!("12");
        step!("12.1");
        let output = Self::copy_operand(input);
        step!("12.2");
        let operator = self.create_operator(Operation::ScatterElements(ScatterElements { axis }), &options.label);
        step!("12.3");
        output.set_operator(operator);
        step!("12.4");
        self.set_inputs(operator, [input, indices, updates]);
        step!("12.5");
        self.set_outputs(operator, [&output]);
        step!("13");
        Ok(output)
    }
}

impl ScatterElements {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.scattered(input, bound))
    }

    /// Each update replaces the element at its own place, moved along the axis to where its index says. The text leaves
    /// open which of several updates of one element stays: here it is the last, in row-major order.
    fn scattered<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let indices = integers(bound.input(1))?;
        ensure_elements(input, &bound.input_descriptor(1).shape)?;
        let axis = size(self.axis);
        let mut output = array(&bound.output().shape, input.iter().copied())?;
        for ((index, update), along) in T::array(bound.input(2)).indexed_iter().zip(&indices) {
            let mut to = index;
            to[axis] = within(*along, input.shape()[axis]);
            output[to] = *update;
        }
        Ok(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    fn options(axis: u32) -> MLScatterOptions {
        MLScatterOptions { axis, ..Default::default() }
    }

    #[test]
    fn each_update_moves_along_the_axis_only() -> Result<()> {
        let output = computed(|b| {
            // The section's second example, as integers.
            let input = constant(b, &[4, 3], &[0i64, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32]);
            let updates = constant(b, &[4, 1], &[-1i64, -2, -3, i64::MIN]);
            b.scatter_elements(&input, &constant(b, &[4, 1], &[2i32, 1, -3, 9]), &updates, &options(1))
        })?;
        assert_eq!(output, value(&[4, 3], &[0i64, 1, -1, 10, -2, 12, -3, 21, 22, 30, 31, i64::MIN]));
        Ok(())
    }

    #[test]
    fn the_last_update_of_an_element_stays() -> Result<()> {
        let output = computed(|b| {
            let (input, updates) = (constant(b, &[2], &[0f32; 2]), constant(b, &[3], &[1f32, 2.0, 3.0]));
            b.scatter_elements(&input, &constant(b, &[3], &[1u32, 1, 1]), &updates, &options(0))
        })?;
        assert_eq!(output, value(&[2], &[0f32, 3.0]));
        Ok(())
    }

    #[test]
    fn indices_and_updates_have_one_shape() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[4, 3]);
        let step = |indices: &[u32], updates: &[u32], axis| {
            let (indices, updates) = (zeros::<i32>(&b, indices), zeros::<f32>(&b, updates));
            b.scatter_elements(&input, &indices, &updates, &options(axis)).unwrap_err().step
        };
        assert_eq!(step(&[4], &[4, 3], 0), "5");
        assert_eq!(step(&[4, 3], &[4], 0), "5");
        assert_eq!(step(&[4, 3], &[4, 3], 2), "7");
        assert_eq!(step(&[2, 2], &[2, 2], 0), "10");
        assert_eq!(step(&[2, 3], &[4, 3], 0), "11");
        let integers = zeros::<i32>(&b, &[4, 3]);
        assert_eq!(b.scatter_elements(&input, &input, &input, &options(0)).unwrap_err().step, "3");
        assert_eq!(b.scatter_elements(&input, &integers, &integers, &options(0)).unwrap_err().step, "4");
    }
}
