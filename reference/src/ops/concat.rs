//! concat: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-concat>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, is_valid_tensor_count, valid_dimension};
use crate::exception::Result;
use crate::index::Along;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, array, elements};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-concat>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-concat",
    rows: &[
        OperandLimits {
            operand: "inputs",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("inputs"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::SameAs("inputs"),
            required_ranks: (1, 5),
        },
    ],
};

/// concat
pub const CONCAT: OperatorRow = OperatorRow {
    name: "concat",
    section: "api-mlgraphbuilder-concat",
    parameters: &["inputs", "axis", "options"],
    call: |b, x| Ok(vec![b.concat(&x.get::<Vec<MLOperand>>("inputs")?, x.get("axis")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a concat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concat {
    /// The axis along which the inputs follow one another.
    pub axis: u32,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-concat>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an input belongs to another builder, there are no
    /// inputs or too many of them, they have no such axis, or they differ in their data type or along another axis.
    pub fn concat(&self, inputs: &[MLOperand], axis: u32, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.concat(inputs, axis, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands(inputs)?;
        step!("3");
        if !is_valid_tensor_count(inputs.len()) {
            throw!(TypeError, "{} inputs can not be concatenated", inputs.len());
        }
        step!("4");
        let first = &inputs[0];
        step!("5");
        self.ensure_axis(axis, first)?;
        let axis_index = size(axis);
        step!("6");
        let first_shape = first.shape();
        let mut desc = MLOperandDescriptor::create(first.data_type(), &first_shape);
        step!("7");
        desc.shape[axis_index] = first_shape[axis_index];
        step!("8");
        for (index, input) in inputs.iter().enumerate().skip(1) {
            step!("8.1");
            let input_shape = input.shape();
            step!("8.2");
            if input.data_type() != first.data_type() {
                throw!(TypeError, "inputs[0] is {} and inputs[{index}] is {}", first.data_type(), input.data_type());
            }
            step!("8.3");
            if input.rank() != first.rank() {
                throw!(TypeError, "inputs[0] has rank {} and inputs[{index}] has {}", first.rank(), input.rank());
            }
            step!("8.4");
            for dim in 0..input.rank() {
                step!("8.4.1");
                if dim != axis_index && input_shape[dim] != first_shape[dim] {
                    throw!(
                        TypeError,
                        "inputs[0] is {first_shape:?} and inputs[{index}] is {input_shape:?}, \
                         which differ beside axis {axis}"
                    );
                }
                step!("8.4.2");
                if dim == axis_index {
                    step!("8.4.2.1");
                    let sum = i128::from(desc.shape[axis_index]) + i128::from(input_shape[dim]);
                    step!("8.4.2.2");
                    let Some(sum) = valid_dimension(sum) else {
                        throw!(TypeError, "the output would have {sum} elements along axis {axis}");
                    };
                    step!("8.4.2.3");
                    desc.shape[axis_index] = sum;
                }
            }
        }
        self.ensure_output(&desc)?;
        step!("9");
        step!("9.1");
        let output = self.create_operand(desc);
        step!("9.2");
        let operator = self.create_operator(Operation::Concat(Concat { axis }), &options.label);
        step!("9.3");
        output.set_operator(operator);
        step!("9.4");
        self.set_inputs(operator, inputs);
        step!("9.5");
        self.set_outputs(operator, [&output]);
        step!("10");
        Ok(output)
    }
}

impl Concat {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), first => self.joined(first, bound))
    }

    /// Row after row, the row of each input.
    fn joined<T: Stored>(&self, first: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let inputs: Vec<&ArrayD<T>> = (0..bound.input_count()).map(|place| T::array(bound.input(place))).collect();
        let rows = Along::new(first.shape(), self.axis).before;
        let row_of = |input: &'_ ArrayD<T>, row: usize| {
            let along = Along::new(input.shape(), self.axis);
            along.offset(row, 0, 0)..along.offset(row + 1, 0, 0)
        };
        let joined = (0..rows).flat_map(|row| {
            let inputs = inputs.iter().copied();
            inputs.flat_map(move |input| elements(input)[row_of(input, row)].iter().copied())
        });
        Ok(array(&bound.output().shape, joined)?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn the_rows_of_the_inputs_follow_one_another() -> Result<()> {
        let output = computed(|b| {
            let inputs = [constant(b, &[2, 1], &[1u64, 2]), constant(b, &[2, 2], &[3u64, 4, 5, u64::MAX])];
            b.concat(&inputs, 1, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[2, 3], &[1u64, 3, 4, 2, 5, u64::MAX]));
        Ok(())
    }

    #[test]
    fn one_input_is_copied() -> Result<()> {
        let output = computed(|b| b.concat(&[constant(b, &[2], &[1u8, 2])], 0, &MLOperatorOptions::default()))?;
        assert_eq!(output, value(&[2], &[1u8, 2]));
        Ok(())
    }

    #[test]
    fn inputs_differ_along_the_axis_only() {
        let b = builder(Reading::Corrected);
        let step = |inputs: &[MLOperand], axis| b.concat(inputs, axis, &MLOperatorOptions::default()).unwrap_err().step;
        assert_eq!(step(&[], 0), "3");
        assert_eq!(step(&[zeros::<f32>(&b, &[])], 0), "5");
        assert_eq!(step(&[zeros::<f32>(&b, &[1]), zeros::<i32>(&b, &[1])], 0), "8.2");
        assert_eq!(step(&[zeros::<f32>(&b, &[1]), zeros::<f32>(&b, &[1, 1])], 0), "8.3");
        assert_eq!(step(&[zeros::<f32>(&b, &[2, 3]), zeros::<f32>(&b, &[2, 4])], 0), "8.4.1");
    }

    #[test]
    fn a_sum_beyond_a_valid_dimension_is_refused() -> Result<()> {
        let b = builder(Reading::Literal);
        let long = b.expand(&zeros::<u8>(&b, &[1]), &[0x7fff_ffff], &MLOperatorOptions::default())?;
        let exception = b.concat(&[long, zeros::<u8>(&b, &[1])], 0, &MLOperatorOptions::default()).unwrap_err();
        assert_eq!(exception.step, "8.4.2.2");
        Ok(())
    }
}
