//! slice: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS_INT32_AND_BYTES, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlsliceoptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLSliceOptions {
    /// The operator's label.
    pub label: String,
    /// How far apart, along each axis, the elements are that are taken; 1 if not given.
    pub strides: Option<Vec<u32>>,
}

impl Options for MLSliceOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, strides: members.optional("strides")? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-slice>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-slice",
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
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_INT32_AND_BYTES,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// slice
pub const SLICE: OperatorRow = OperatorRow {
    name: "slice",
    section: "api-mlgraphbuilder-slice",
    parameters: &["input", "starts", "sizes", "options"],
    call: |b, x| {
        let (starts, sizes): (Vec<u32>, Vec<u32>) = (x.get("starts")?, x.get("sizes")?);
        Ok(vec![b.slice(&x.get("input")?, &starts, &sizes, &x.options()?)?])
    },
    limits: &LIMITS,
};

/// The parameters of a slice, one of each for each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The index of the first element.
    pub starts: Vec<u32>,
    /// Of how many elements, from the first on, one in `strides` is taken.
    pub sizes: Vec<u32>,
    /// How far apart the elements are that are taken.
    pub strides: Vec<u32>,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-slice>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, a list has
    /// not one item for each of its axes, a size or stride is 0, or the slice is not inside the input.
    pub fn slice(
        &self,
        input: &MLOperand,
        starts: &[u32],
        sizes: &[u32],
        options: &MLSliceOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.slice(input, starts, sizes, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if sizes.contains(&0) {
            throw!(TypeError, "a slice of size 0: {sizes:?}");
        }
        step!("4");
        if starts.len() != input.rank() || sizes.len() != input.rank() {
            throw!(TypeError, "{starts:?} and {sizes:?} have not as many axes as {}", input.descriptor());
        }
        step!("5");
        let mut strides = Vec::new();
        step!("6");
        if let Some(given) = &options.strides {
            step!("6.1");
            strides.clone_from(given);
            step!("6.2");
            if strides.len() != input.rank() {
                throw!(TypeError, "strides {strides:?} have not as many axes as {}", input.descriptor());
            }
        }
        step!("7");
        let (input_shape, input_rank) = (input.shape(), input.rank());
        step!("8");
        let mut output_shape = Vec::new();
        step!("9");
        for index in 0..input_rank {
            step!("9.1");
            let input_size = input_shape[index];
            step!("9.2");
            let input_slice_size = sizes[index];
            step!("9.3");
            let stride = strides.get(index).copied().unwrap_or(1);
            step!("9.4");
            if input_slice_size == 0 {
                throw!(TypeError, "the size along axis {index} is 0");
            }
            step!("9.5");
            if stride < 1 {
                throw!(TypeError, "the stride along axis {index} is 0");
            }
            step!("9.6");
            if starts[index] > input_size {
                throw!(TypeError, "the start {} along axis {index} is beyond {input_size}", starts[index]);
            }
            step!("9.7");
            if u64::from(starts[index]) + u64::from(input_slice_size) > u64::from(input_size) {
                let start = starts[index];
                throw!(TypeError, "{input_slice_size} from {start} along axis {index} is more than {input_size}");
            }
            step!("9.8");
            let output_size_rounding_excess = u32::from(!input_slice_size.is_multiple_of(stride));
            step!("9.9");
            let output_size = input_slice_size / stride + output_size_rounding_excess;
            step!("9.10");
            output_shape.push(output_size);
        }
        step!("10");
        let output_desc = MLOperandDescriptor::create(input.data_type(), &output_shape);
        step!("11");
        step!("11.1");
        let output = self.create_operand(output_desc);
        step!("11.2");
        let strides = if strides.is_empty() { vec![1; input_rank] } else { strides };
        let slice = Slice { starts: starts.to_vec(), sizes: sizes.to_vec(), strides };
        let operator = self.create_operator(Operation::Slice(slice), &options.label);
        step!("11.3");
        output.set_operator(operator);
        step!("11.4");
        self.set_inputs(operator, [input]);
        step!("11.5");
        self.set_outputs(operator, [&output]);
        step!("12");
        Ok(output)
    }
}

impl Slice {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.sliced(input, bound))
    }

    fn sliced<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let sliced = input.slice_each_axis(|along| {
            let axis = along.axis.index();
            let (start, count) = (size(self.starts[axis]), size(self.sizes[axis]));
            let stride = isize::try_from(self.strides[axis]).expect("an address has more than 32 bits");
            ndarray::Slice::from(start..start + count).step_by(stride)
        });
        Ok(array(&bound.output().shape, sliced.iter().copied())?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn takes_one_element_in_each_stride_the_first_included() -> Result<()> {
        let options = MLSliceOptions { strides: Some(vec![1, 3]), ..Default::default() };
        let input: Vec<i8> = (0..14).collect();
        // NumPy: arange(14).reshape(2, 7)[1:2, 2:2 + 5:3]
        let output = computed(|b| b.slice(&constant(b, &[2, 7], &input), &[1, 2], &[1, 5], &options))?;
        assert_eq!(output, value(&[1, 2], &[9i8, 12]));
        Ok(())
    }

    #[test]
    fn a_scalar_is_sliced_along_no_axis() -> Result<()> {
        let output = computed(|b| b.slice(&constant(b, &[], &[3.5f32]), &[], &[], &MLSliceOptions::default()))?;
        assert_eq!(output, value(&[], &[3.5f32]));
        Ok(())
    }

    #[test]
    fn the_slice_is_inside_the_input_even_where_the_sum_overflows() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[4]);
        let step = |starts: &[u32], sizes: &[u32], strides: Option<Vec<u32>>| {
            b.slice(&input, starts, sizes, &MLSliceOptions { strides, ..Default::default() }).unwrap_err().step
        };
        assert_eq!(step(&[0], &[0], None), "3");
        assert_eq!(step(&[0], &[1, 1], None), "4");
        assert_eq!(step(&[0], &[1], Some(vec![])), "6.2");
        assert_eq!(step(&[0], &[1], Some(vec![0])), "9.5");
        assert_eq!(step(&[5], &[1], None), "9.6");
        assert_eq!(step(&[4], &[u32::MAX], None), "9.7");
    }
}
