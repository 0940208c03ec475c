//! gatherElements: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gatherelements>.

use ndarray::ArrayD;

use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::index::within;
use crate::limits::{DataTypes, FLOATS_AND_INT32, INDICES, INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::gather::MLGatherOptions;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index, ensure_elements, integers};
use crate::{algorithm, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-gatherelements>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-gatherelements",
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
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (1, 5),
        },
    ],
};

/// gatherElements
pub const GATHER_ELEMENTS: OperatorRow = OperatorRow {
    name: "gatherElements",
    section: "api-mlgraphbuilder-gatherelements",
    parameters: &["input", "indices", "options"],
    call: |b, x| Ok(vec![b.gather_elements(&x.get("input")?, &x.get("indices")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a gatherElements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatherElements {
    /// The axis of the input that is indexed.
    pub axis: u32,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-gatherelements>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, the data
    /// type of the indices or a rank is not allowed, the input has no such axis, the shapes differ along another one,
    /// or the output would be too large.
    pub fn gather_elements(
        &self,
        input: &MLOperand,
        indices: &MLOperand,
        options: &MLGatherOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.gatherElements(input, indices, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, indices])?;
        step!("3");
        if !LIMITS.allows_data_type("indices", indices) {
            throw!(TypeError, "the indices can not be {}", indices.data_type());
        }
        step!("4");
        if !LIMITS.allows_rank("input", input) || indices.rank() != input.rank() {
            throw!(TypeError, "the input has rank {} and the indices have {}", input.rank(), indices.rank());
        }
        step!("5");
        let axis = options.axis;
        step!("6");
        self.ensure_axis(axis, input)?;
        step!("7");
        let mut indices_shape_expected = input.shape();
        step!("8");
        indices_shape_expected[size(axis)] = indices.shape()[size(axis)];
        step!("9");
        if !lists_are_equal(&indices.shape(), &indices_shape_expected) {
            let (input, indices) = (input.shape(), indices.shape());
            throw!(TypeError, "the input is {input:?} and the indices {indices:?}, which differ beside axis {axis}");
        }
        let desc = MLOperandDescriptor::create(input.data_type(), &indices_shape_expected);
        self.ensure_output(&desc)?;
        step!("10");
        step!("10.1");
        let output =
            if literal!("gather-elements-shape") { Self::copy_operand(input) } else { self.create_operand(desc) };
        step!("10.2");
        let operator = self.create_operator(Operation::GatherElements(GatherElements { axis }), &options.label);
        step!("10.3");
        output.set_operator(operator);
        step!("10.4");
        self.set_inputs(operator, [input, indices]);
        step!("10.5");
        self.set_outputs(operator, [&output]);
        step!("11");
        Ok(output)
    }
}

impl GatherElements {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.gathered(input, bound))
    }

    /// For each index, the element at its own place, moved along the axis to where the index says. By the literal text
    /// the output has the shape of the input; where there is no index, it is 0.
    fn gathered<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let indices = integers(bound.input(1))?;
        let shape = &bound.output().shape;
        ensure_elements(input, shape)?;
        let axis = size(self.axis);
        let output = array_by_index(shape, |index| match indices.get(index) {
            None => T::default(),
            Some(along) => {
                let mut from = index.to_vec();
                from[axis] = within(*along, input.shape()[axis]);
                input[from.as_slice()]
            }
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
    fn each_index_moves_along_the_axis_only() -> Result<()> {
        let output = computed(|b| {
            // The first example of the section, two of its indices counted from the end.
            let input = constant(b, &[4, 3], &[0f32, 1.0, 2.0, 10.0, 11.0, 12.0, 20.0, 21.0, 22.0, 30.0, 31.0, 32.0]);
            b.gather_elements(&input, &constant(b, &[2, 3], &[3i32, 1, -3, -2, 0, 3]), &options(0))
        })?;
        assert_eq!(output, value(&[2, 3], &[30f32, 11.0, 12.0, 20.0, 1.0, 32.0]));
        Ok(())
    }

    #[test]
    fn the_literal_text_gives_the_output_the_shape_of_the_input() -> Result<()> {
        for (reading, shape) in [(Reading::Corrected, [2, 3]), (Reading::Literal, [4, 3])] {
            let b = builder(reading);
            let output = b.gather_elements(&zeros::<f32>(&b, &[4, 3]), &zeros::<i32>(&b, &[2, 3]), &options(0))?;
            assert_eq!(output.shape(), shape);
        }
        Ok(())
    }

    #[test]
    fn the_shapes_differ_along_the_axis_only() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[4, 3]);
        let step = |indices: &[u32], axis| {
            b.gather_elements(&input, &zeros::<i64>(&b, indices), &options(axis)).unwrap_err().step
        };
        assert_eq!(step(&[4], 0), "4");
        assert_eq!(step(&[4, 3], 2), "6");
        assert_eq!(step(&[4, 2], 0), "9");
        let of_bytes = b.gather_elements(&input, &zeros::<u8>(&b, &[4, 3]), &options(0));
        assert_eq!(of_bytes.unwrap_err().step, "3");
        let scalar = b.gather_elements(&zeros::<f32>(&b, &[]), &zeros::<i32>(&b, &[]), &options(0));
        assert_eq!(scalar.unwrap_err().step, "4");
    }
}
