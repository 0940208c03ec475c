//! argMin/argMax operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax>.

use std::num::Wrapping;

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::{Arguments, Members, Options};
use crate::index::Along;
use crate::limits::{DataTypes, FLOATS_AND_INT32, OperandLimits, Ranks, TensorLimits};
use crate::number::{Integer, Number, signed, size};
use crate::operand::MLOperand;
use crate::ops::reduce::calculate_reduction_output_sizes;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, elements, filled};
use crate::{algorithm, for_each_type, step, throw};

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extreme {
    /// The index of the least element.
    ArgMin,
    /// The index of the greatest element.
    ArgMax,
}

impl Extreme {
    /// The name of the builder's method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ArgMin => "argMin",
            Self::ArgMax => "argMax",
        }
    }
}

/// <https://www.w3.org/TR/webnn/#dictdef-mlargminmaxoptions>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MLArgMinMaxOptions {
    /// The operator's label.
    pub label: String,
    /// Whether the axis stays, with the dimension 1.
    pub keep_dimensions: bool,
    /// The data type of the output.
    pub output_data_type: MLOperandDataType,
}

impl Default for MLArgMinMaxOptions {
    fn default() -> Self {
        Self { label: String::new(), keep_dimensions: false, output_data_type: MLOperandDataType::Int32 }
    }
}

impl Options for MLArgMinMaxOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            keep_dimensions: members.or("keepDimensions", false)?,
            output_data_type: members.or("outputDataType", MLOperandDataType::Int32)?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-argMin-argMax>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-argMin-argMax",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (1, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::Only(&[MLOperandDataType::Int32, MLOperandDataType::Int64]),
            required_data_types: &[MLOperandDataType::Int32],
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

type Call = fn(&MLGraphBuilder, &Arguments<'_>) -> Result<Vec<MLOperand>>;

const fn row(name: &'static str, call: Call) -> OperatorRow {
    let (section, parameters) = ("api-mlgraphbuilder-argminmax", &["input", "axis", "options"]);
    OperatorRow { name, section, parameters, call, limits: &LIMITS }
}

/// argMax
pub const ARG_MAX: OperatorRow =
    row("argMax", |b, x| Ok(vec![b.arg_max(&x.get("input")?, x.get("axis")?, &x.options()?)?]));
/// argMin
pub const ARG_MIN: OperatorRow =
    row("argMin", |b, x| Ok(vec![b.arg_min(&x.get("input")?, x.get("axis")?, &x.options()?)?]));

/// The parameters of an argMin/argMax operation, whose output says in which data type the indices are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgMinMax {
    /// Which operation.
    pub extreme: Extreme,
    /// The axis along which an index is looked for.
    pub axis: u32,
    /// Whether the axis stays, with the dimension 1.
    pub keep_dimensions: bool,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-argminmax-op>
    fn create_arg_min_max_operation(
        &self,
        op: Extreme,
        input: &MLOperand,
        axis: u32,
        options: &MLArgMinMaxOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder/create an argMin/argMax operation", self, options.label);
        step!("1"); // BY TYPE: Extreme has no other.
        step!("2");
        self.ensure_can_build()?;
        step!("3");
        self.ensure_operands([input])?;
        step!("4");
        self.ensure_axis(axis, input)?;
        step!("5");
        if !LIMITS.allows("output", options.output_data_type) {
            throw!(TypeError, "the output can not be {}", options.output_data_type);
        }
        step!("6");
        let dimension = input.shape()[size(axis)];
        if options.output_data_type == MLOperandDataType::Int32 && i32::try_from(dimension).is_err() {
            throw!(TypeError, "the dimension {dimension} is beyond {}", options.output_data_type);
        }
        step!("7");
        let output_shape = calculate_reduction_output_sizes(&input.shape(), Some(&[axis]), options.keep_dimensions);
        let Some(output_shape) = output_shape else {
            throw!(TypeError, "{axis} is no axis of {}", input.descriptor());
        };
        step!("8");
        let desc = MLOperandDescriptor::create(options.output_data_type, &output_shape);
        self.ensure_output(&desc)?;
        step!("9");
        step!("9.1");
        let arg_min_max = ArgMinMax { extreme: op, axis, keep_dimensions: options.keep_dimensions };
        let operator = self.create_operator(Operation::ArgMinMax(arg_min_max), &options.label);
        step!("9.2");
        let output = self.create_operand(desc);
        step!("9.3");
        output.set_operator(operator);
        step!("9.4");
        self.set_inputs(operator, [input]);
        step!("9.5");
        self.set_outputs(operator, [&output]);
        step!("10");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-argmin>
    ///
    /// # Errors
    /// Those of [creating an argMin/argMax operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-argminmax-op).
    pub fn arg_min(&self, input: &MLOperand, axis: u32, options: &MLArgMinMaxOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.argMin(input, axis, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_arg_min_max_operation(Extreme::ArgMin, input, axis, options)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-argmax>
    ///
    /// # Errors
    /// Those of [creating an argMin/argMax operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-argminmax-op).
    pub fn arg_max(&self, input: &MLOperand, axis: u32, options: &MLArgMinMaxOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.argMax(input, axis, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_arg_min_max_operation(Extreme::ArgMax, input, axis, options)?;
        step!("2");
        Ok(output)
    }
}

impl ArgMinMax {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        match bound.output().data_type {
            MLOperandDataType::Int32 => for_each_type!(bound.input(0), input => self.along::<_, i32>(input, bound)),
            MLOperandDataType::Int64 => for_each_type!(bound.input(0), input => self.along::<_, i64>(input, bound)),
            MLOperandDataType::Float32
            | MLOperandDataType::Float16
            | MLOperandDataType::Uint32
            | MLOperandDataType::Uint64
            | MLOperandDataType::Int8
            | MLOperandDataType::Uint8 => unreachable!("the allowed data types of the output are int32 and int64"),
        }
    }

    fn along<T: Stored, I: Stored<Number = Integer>>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let along = Along::new(input.shape(), self.axis);
        let x = elements(input);
        let mut output = filled(&bound.output().shape, I::default())?;
        let y = output.as_slice_mut().expect("a new array is contiguous");
        for before in 0..along.before {
            for after in 0..along.after {
                let element = |index| x[along.offset(before, index, after)].number();
                let mut found = 0;
                for index in 1..along.dimension {
                    if self.is_more_extreme(element(index), element(found)) {
                        found = index;
                    }
                }
                y[before * along.after + after] = I::rounded(Wrapping(signed(found)));
            }
        }
        Ok(output.into())
    }

    /// Whether `a`, which comes later, is to be found rather than `b`.
    ///
    /// Which of equal elements is found is left open by the specification, as is what NaN is: as with NumPy, and with the
    /// minimum and the maximum of a reduction, the first NaN is what is found, or else the first of equal elements.
    fn is_more_extreme<N: Number>(self, a: N, b: N) -> bool {
        if a.is_nan() || b.is_nan() {
            return !b.is_nan();
        }
        match self.extreme {
            Extreme::ArgMin => a < b,
            Extreme::ArgMax => a > b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn the_first_of_equal_elements_and_the_first_nan() -> Result<()> {
        let x = [1f32, 3.0, 1.0, 3.0, -0.0, f32::NAN, f32::NEG_INFINITY, f32::NAN];
        let input = |b: &_| constant(b, &[2, 4], &x);
        let options = MLArgMinMaxOptions::default();
        assert_eq!(computed(|b| b.arg_min(&input(b), 1, &options))?, value(&[2], &[0i32, 1]));
        assert_eq!(computed(|b| b.arg_max(&input(b), 1, &options))?, value(&[2], &[1i32, 1]));
        Ok(())
    }

    #[test]
    fn integers_of_64_bits_are_compared_exactly_along_any_axis() -> Result<()> {
        let x = [1u64 << 60, (1 << 60) + 1, (1 << 60) + 1, 1 << 60];
        let options = MLArgMinMaxOptions {
            keep_dimensions: true,
            output_data_type: MLOperandDataType::Int64,
            ..Default::default()
        };
        let output = computed(|b| b.arg_max(&constant(b, &[2, 2], &x), 0, &options))?;
        assert_eq!(output, value(&[1, 2], &[1i64, 0]));
        Ok(())
    }

    #[test]
    fn the_axis_and_the_data_type_are_checked() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[2, 2]);
        assert_eq!(b.arg_min(&input, 2, &MLArgMinMaxOptions::default()).unwrap_err().step, "4");
        let options = MLArgMinMaxOptions { output_data_type: MLOperandDataType::Uint32, ..Default::default() };
        assert_eq!(b.arg_min(&input, 1, &options).unwrap_err().step, "5");
    }
}
