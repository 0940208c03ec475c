//! pad: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad>.

use ndarray::ArrayD;

use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::descriptor::valid_dimension;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::idl_enumeration;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{MLNumber, Number, size};
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index, ensure_elements};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#enumdef-mlpaddingmode>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLPaddingMode {
    /// With a value.
    #[default]
    Constant,
    /// With the nearest element.
    Edge,
    /// With the elements on the other side of the outermost one.
    Reflection,
}

impl MLPaddingMode {
    /// All modes, in the order of the IDL.
    pub const ALL: [Self; 3] = [Self::Constant, Self::Edge, Self::Reflection];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Edge => "edge",
            Self::Reflection => "reflection",
        }
    }
}

idl_enumeration!(MLPaddingMode);

/// <https://www.w3.org/TR/webnn/#dictdef-mlpadoptions>
#[derive(Clone, Debug)]
pub struct MLPadOptions {
    /// The operator's label.
    pub label: String,
    /// What the padding consists of.
    pub mode: MLPaddingMode,
    /// The value of the constant mode.
    pub value: MLNumber,
}

impl Default for MLPadOptions {
    fn default() -> Self {
        Self { label: String::new(), mode: MLPaddingMode::default(), value: MLNumber::Double(0.0) }
    }
}

impl Options for MLPadOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            mode: members.or("mode", MLPaddingMode::default())?,
            value: members.or("value", MLNumber::Double(0.0))?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-pad>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-pad",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// pad
pub const PAD: OperatorRow = OperatorRow {
    name: "pad",
    section: "api-mlgraphbuilder-pad",
    parameters: &["input", "beginningPadding", "endingPadding", "options"],
    call: |b, x| {
        let (beginning, ending): (Vec<u32>, Vec<u32>) = (x.get("beginningPadding")?, x.get("endingPadding")?);
        Ok(vec![b.pad(&x.get("input")?, &beginning, &ending, &x.options()?)?])
    },
    limits: &LIMITS,
};

/// The parameters of a pad.
#[derive(Clone, Debug, PartialEq)]
pub struct Pad {
    /// How many elements are added before the first one, along each axis.
    pub beginning_padding: Vec<u32>,
    /// How many elements are added after the last one, along each axis.
    pub ending_padding: Vec<u32>,
    /// What the padding consists of.
    pub mode: MLPaddingMode,
    /// The value of the constant mode, cast to the type of the input.
    pub value: MLNumber,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-pad>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, a list has
    /// not one item for each of its axes, an axis is too short for the reflection, or the output would be too large.
    pub fn pad(
        &self,
        input: &MLOperand,
        beginning_padding: &[u32],
        ending_padding: &[u32],
        options: &MLPadOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.pad(input, beginningPadding, endingPadding, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if beginning_padding.len() != input.rank() || ending_padding.len() != input.rank() {
            let descriptor = input.descriptor();
            throw!(TypeError, "{beginning_padding:?} and {ending_padding:?} have not as many axes as {descriptor}");
        }
        step!("4");
        let mut desc = input.descriptor();
        step!("5");
        let mut output_shape: Vec<i128> = desc.shape.iter().copied().map(i128::from).collect();
        step!("6");
        for (index, dimension) in output_shape.iter_mut().enumerate() {
            let (beginning, ending) = (i128::from(beginning_padding[index]), i128::from(ending_padding[index]));
            step!("6.1");
            match options.mode {
                MLPaddingMode::Constant | MLPaddingMode::Edge => {}
                MLPaddingMode::Reflection => {
                    step!("6.1.1");
                    if beginning >= *dimension {
                        throw!(TypeError, "{beginning} before axis {index} can not mirror {dimension} elements");
                    }
                    step!("6.1.2");
                    if ending >= *dimension {
                        throw!(TypeError, "{ending} after axis {index} can not mirror {dimension} elements");
                    }
                }
            }
            step!("6.2");
            *dimension += beginning;
            step!("6.3");
            *dimension += ending;
        }
        step!("7");
        let Some(output_shape) = output_shape.iter().copied().map(valid_dimension).collect::<Option<Vec<_>>>() else {
            throw!(TypeError, "the output would have the shape {output_shape:?}");
        };
        step!("8");
        let value = cast(options.value, input.data_type());
        step!("9");
        desc.shape = output_shape;
        self.ensure_output(&desc)?;
        step!("10");
        step!("10.1");
        let output = self.create_operand(desc);
        step!("10.2");
        let (beginning_padding, ending_padding) = (beginning_padding.to_vec(), ending_padding.to_vec());
        let pad = Pad { beginning_padding, ending_padding, mode: options.mode, value };
        let operator = self.create_operator(Operation::Pad(pad), &options.label);
        step!("10.3");
        output.set_operator(operator);
        step!("10.4");
        self.set_inputs(operator, [input]);
        step!("10.5");
        self.set_outputs(operator, [&output]);
        step!("11");
        Ok(output)
    }
}

impl Pad {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.padded(input, bound))
    }

    fn padded<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let shape = &bound.output().shape;
        if self.mode != MLPaddingMode::Constant {
            ensure_elements(input, shape)?;
        }
        let value = T::rounded(T::Number::from_option(self.value));
        let output = array_by_index(shape, |index| {
            let along = index.iter().zip(input.shape()).zip(&self.beginning_padding);
            let from = along.map(|((index, dimension), beginning)| self.source(*index, size(*beginning), *dimension));
            from.collect::<Option<Vec<_>>>().map_or(value, |from| input[from.as_slice()])
        })?;
        Ok(output.into())
    }

    /// Which index of an axis of the input stands at an index of the output; none if the value does.
    fn source(&self, index: usize, beginning: usize, dimension: usize) -> Option<usize> {
        let inside = index.checked_sub(beginning).filter(|index| *index < dimension);
        inside.or(match self.mode {
            MLPaddingMode::Constant => None,
            MLPaddingMode::Edge => Some(index.saturating_sub(beginning).min(dimension - 1)),
            // Steps 6.1.1 and 6.1.2 see to it that the mirror image ends before the other edge.
            MLPaddingMode::Reflection if index < beginning => Some(beginning - index),
            MLPaddingMode::Reflection => Some(2 * (dimension - 1) - (index - beginning)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn the_examples_of_the_section() -> Result<()> {
        let of = |mode| {
            let options = MLPadOptions { mode, value: MLNumber::Double(300.0), ..Default::default() };
            computed(|b| b.pad(&constant(b, &[2, 3], &[1u8, 2, 3, 4, 5, 6]), &[1, 2], &[0, 2], &options))
        };
        let rows = |rows: [[u8; 7]; 3]| value(&[3, 7], &rows.concat());
        // 300 is cast to uint8.
        assert_eq!(
            of(MLPaddingMode::Constant)?,
            rows([[255; 7], [255, 255, 1, 2, 3, 255, 255], [255, 255, 4, 5, 6, 255, 255]])
        );
        assert_eq!(
            of(MLPaddingMode::Edge)?,
            rows([[1, 1, 1, 2, 3, 3, 3], [1, 1, 1, 2, 3, 3, 3], [4, 4, 4, 5, 6, 6, 6]])
        );
        assert_eq!(
            of(MLPaddingMode::Reflection)?,
            rows([[6, 5, 4, 5, 6, 5, 4], [3, 2, 1, 2, 3, 2, 1], [6, 5, 4, 5, 6, 5, 4]])
        );
        Ok(())
    }

    #[test]
    fn a_value_of_64_bits_is_exact() -> Result<()> {
        let options = MLPadOptions { value: MLNumber::BigInt(i128::from(i64::MAX)), ..Default::default() };
        let output = computed(|b| b.pad(&constant(b, &[1], &[1i64]), &[0], &[1], &options))?;
        assert_eq!(output, value(&[2], &[1, i64::MAX]));
        Ok(())
    }

    #[test]
    fn a_reflection_is_shorter_than_the_axis_and_sums_do_not_overflow() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[3]);
        let step = |beginning: &[u32], ending: &[u32], mode| {
            b.pad(&input, beginning, ending, &MLPadOptions { mode, ..Default::default() }).unwrap_err().step
        };
        assert_eq!(step(&[1], &[], MLPaddingMode::Edge), "3");
        assert_eq!(step(&[3], &[0], MLPaddingMode::Reflection), "6.1.1");
        assert_eq!(step(&[2], &[3], MLPaddingMode::Reflection), "6.1.2");
        assert_eq!(step(&[u32::MAX], &[u32::MAX], MLPaddingMode::Constant), "7");
        assert_eq!(step(&[0x7fff_0000], &[0], MLPaddingMode::Edge), "9");
    }
}
