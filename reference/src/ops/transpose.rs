//! transpose: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-transpose>.

use ndarray::{ArrayD, IxDyn};

use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::index::axes;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::size;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array};
use crate::{algorithm, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mltransposeoptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLTransposeOptions {
    /// The operator's label.
    pub label: String,
    /// For each axis of the output, the axis of the input that it is; reversed if not given.
    pub permutation: Option<Vec<u32>>,
}

impl Options for MLTransposeOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, permutation: members.optional("permutation")? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-transpose>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-transpose",
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

/// transpose
pub const TRANSPOSE: OperatorRow = OperatorRow {
    name: "transpose",
    section: "api-mlgraphbuilder-transpose",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.transpose(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a transpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transpose {
    /// For each axis of the output, the axis of the input that it is.
    pub permutation: Vec<u32>,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-transpose>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or
    /// `permutation` is no permutation of its axes.
    pub fn transpose(&self, input: &MLOperand, options: &MLTransposeOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.transpose(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        let input_axes = axes(input.rank());
        step!("3");
        let permutation = options.permutation.clone();
        let permutation = permutation.unwrap_or_else(|| input_axes.iter().rev().copied().collect());
        step!("4");
        step!("4.1");
        if permutation.len() != input.rank() {
            throw!(TypeError, "the permutation {permutation:?} has not as many axes as {}", input.descriptor());
        }
        step!("4.2");
        if permutation.iter().any(|axis| !input_axes.contains(axis)) {
            throw!(TypeError, "the permutation {permutation:?} has an axis that {} has not", input.descriptor());
        }
        step!("4.3");
        if input_axes.iter().any(|axis| !permutation.contains(axis)) {
            throw!(TypeError, "the permutation {permutation:?} has an axis twice");
        }
        step!("5");
        step!("5.1");
        let output = if literal!("transpose-shape") {
            Self::copy_operand(input)
        } else {
            let input_shape = input.shape();
            let shape: Vec<u32> = permutation.iter().map(|axis| input_shape[size(*axis)]).collect();
            self.create_operand(MLOperandDescriptor::create(input.data_type(), &shape))
        };
        step!("5.2");
        let operator = self.create_operator(Operation::Transpose(Transpose { permutation }), &options.label);
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

impl Transpose {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.permuted(input, bound))
    }

    fn permuted<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let permutation: Vec<usize> = self.permutation.iter().copied().map(size).collect();
        let permuted = input.view().permuted_axes(IxDyn(&permutation));
        Ok(array(&bound.output().shape, permuted.iter().copied())?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn each_axis_of_the_output_is_the_axis_of_the_input_that_the_permutation_names() -> Result<()> {
        let options = MLTransposeOptions { permutation: Some(vec![2, 0, 1]), ..Default::default() };
        // NumPy: arange(6).reshape(1, 2, 3).transpose(2, 0, 1)
        let output = computed(|b| b.transpose(&constant(b, &[1, 2, 3], &[0, 1, 2, 3, 4, 5]), &options))?;
        assert_eq!(output, value(&[3, 1, 2], &[0, 3, 1, 4, 2, 5]));
        Ok(())
    }

    #[test]
    fn the_literal_text_leaves_the_shape_as_it_is() -> Result<()> {
        for (reading, shape) in [(Reading::Corrected, [3, 2]), (Reading::Literal, [2, 3])] {
            let b = builder(reading);
            assert_eq!(b.transpose(&zeros::<f32>(&b, &[2, 3]), &MLTransposeOptions::default())?.shape(), shape);
        }
        Ok(())
    }

    #[test]
    fn only_a_permutation_will_do() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[2, 3]);
        for (permutation, step) in [(vec![0], "4.1"), (vec![0, 2], "4.2"), (vec![1, 1], "4.3")] {
            let options = MLTransposeOptions { permutation: Some(permutation), ..Default::default() };
            assert_eq!(b.transpose(&input, &options).unwrap_err().step, step);
        }
    }
}
