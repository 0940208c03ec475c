//! instanceNormalization: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm>.

use ndarray::ArrayD;

use crate::algorithms::casting::cast;
use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::MLNumber;
use crate::operand::{MLOperand, OperandId};
use crate::ops::conv2d::four;
use crate::ops::layernormalization::normalize_layers;
use crate::ops::{Bound, MLInputOperandLayout, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, numbers};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlinstancenormalizationoptions>
#[derive(Clone, Debug)]
pub struct MLInstanceNormalizationOptions {
    /// The operator's label.
    pub label: String,
    /// By what each channel is multiplied; 1 if not given.
    pub scale: Option<MLOperand>,
    /// What is added to each channel; 0 if not given.
    pub bias: Option<MLOperand>,
    /// What is added to the variance, so that nothing is divided by 0.
    pub epsilon: f64,
    /// The layout of the input and the output.
    pub layout: MLInputOperandLayout,
}

impl Default for MLInstanceNormalizationOptions {
    fn default() -> Self {
        let layout = MLInputOperandLayout::default();
        Self { label: String::new(), scale: None, bias: None, epsilon: 1e-5, layout }
    }
}

impl Options for MLInstanceNormalizationOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            scale: members.optional("scale")?,
            bias: members.optional("bias")?,
            epsilon: members.or("epsilon", 1e-5)?,
            layout: members.or("layout", MLInputOperandLayout::default())?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-instanceNormalization>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-instanceNormalization",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
        OperandLimits {
            operand: "scale",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
        },
        OperandLimits {
            operand: "bias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
    ],
};

/// instanceNormalization
pub const INSTANCE_NORMALIZATION: OperatorRow = OperatorRow {
    name: "instanceNormalization",
    section: "api-mlgraphbuilder-instancenorm",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.instance_normalization(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of an instanceNormalization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceNormalization {
    /// By what each channel is multiplied, one of the operator's inputs; 1 if there is none.
    pub scale: Option<OperandId>,
    /// What is added to each channel, the last of the operator's inputs; 0 if there is none.
    pub bias: Option<OperandId>,
    /// What is added to the variance, cast to the type of the input.
    pub epsilon: f64,
    /// The layout of the input and the output.
    pub layout: MLInputOperandLayout,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-instancenormalization>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data type
    /// or rank is not allowed, or scale or bias have not one number for each channel.
    pub fn instance_normalization(
        &self,
        input: &MLOperand,
        options: &MLInstanceNormalizationOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.instanceNormalization(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input].into_iter().chain(&options.scale).chain(&options.bias))?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        if !LIMITS.allows_rank("input", input) {
            throw!(TypeError, "the input has rank {}, not 4", input.rank());
        }
        step!("5");
        let epsilon = cast(MLNumber::Double(options.epsilon), input.data_type()).to_f64();
        step!("6");
        let [_, axis, _, _] = options.layout.to_nchw([0, 1, 2, 3]);
        let channels = input.shape()[axis];
        step!("7");
        if let Some(scale) = &options.scale {
            step!("7.1");
            if !LIMITS.allows_data_type_as("scale", scale, input) {
                throw!(TypeError, "the scale is {} and the input {}", scale.data_type(), input.data_type());
            }
            step!("7.2");
            if !lists_are_equal(&scale.shape(), &[channels]) {
                throw!(TypeError, "the scale is {:?}, not [{channels}]", scale.shape());
            }
        }
        step!("8");
        if let Some(bias) = &options.bias {
            step!("8.1");
            if !LIMITS.allows_data_type_as("bias", bias, input) {
                throw!(TypeError, "the bias is {} and the input {}", bias.data_type(), input.data_type());
            }
            step!("8.2");
            if !lists_are_equal(&bias.shape(), &[channels]) {
                throw!(TypeError, "the bias is {:?}, not [{channels}]", bias.shape());
            }
        }
        step!("9");
        step!("9.1");
        let output = Self::copy_operand(input);
        step!("9.2");
        let instance_normalization = InstanceNormalization {
            scale: options.scale.as_ref().map(MLOperand::id),
            bias: options.bias.as_ref().map(MLOperand::id),
            epsilon,
            layout: options.layout,
        };
        let operator = self.create_operator(Operation::InstanceNormalization(instance_normalization), &options.label);
        step!("9.3");
        output.set_operator(operator);
        step!("9.4");
        self.set_inputs(operator, [input]);
        step!("9.5");
        if let Some(scale) = &options.scale {
            self.add_input(operator, scale);
        }
        step!("9.6");
        if let Some(bias) = &options.bias {
            self.add_input(operator, bias);
        }
        step!("9.7");
        self.set_outputs(operator, [&output]);
        step!("10");
        Ok(output)
    }
}

impl InstanceNormalization {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => self.normalize(input, bound))
    }

    /// scale * ((x - mean) / sqrt(variance + epsilon)) + bias, as the section's decomposition has it, for the mean and the
    /// variance of each channel of each batch.
    fn normalize<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let of_channels = |operand| numbers(&T::array(operand).view());
        let scales = bound.optional(self.scale).map(of_channels).transpose()?;
        let biases = bound.optional(self.bias).map(of_channels).transpose()?;
        let permutation = self.layout.to_nchw([0, 1, 2, 3]);
        let [_, channels, _, _] = self.layout.to_nchw(four(input.shape()));
        normalize_layers(input, &permutation, 2, self.epsilon, bound, |layer, _, normalized| {
            let channel = layer % channels;
            let scale = scales.as_ref().map_or(1.0, |scales| scales[channel]);
            scale * normalized + biases.as_ref().map_or(0.0, |biases| biases[channel])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn each_channel_of_each_batch_is_normalized_in_both_layouts() -> Result<()> {
        // By hand: the channels are -1, 1 and 1, 3 of the first batch, 2, 6 and 10, 0 of the second.
        let nchw = ([-1f32, 1.0, 1.0, 3.0, 2.0, 6.0, 10.0, 0.0], [-1f32, 1.0, -1.5, 2.5, -1.0, 1.0, 2.5, -1.5]);
        let nhwc = ([-1f32, 1.0, 1.0, 3.0, 2.0, 10.0, 6.0, 0.0], [-1f32, -1.5, 1.0, 2.5, -1.0, 2.5, 1.0, -1.5]);
        for (layout, shape, (input, expected)) in
            [(MLInputOperandLayout::Nchw, [2, 2, 1, 2], nchw), (MLInputOperandLayout::Nhwc, [2, 1, 2, 2], nhwc)]
        {
            let output = computed(|b| {
                let scale = Some(constant(b, &[2], &[1f32, 2.0]));
                let bias = Some(constant(b, &[2], &[0f32, 0.5]));
                let options =
                    MLInstanceNormalizationOptions { scale, bias, epsilon: 0.0, layout, ..Default::default() };
                b.instance_normalization(&constant(b, &shape, &input), &options)
            })?;
            assert_eq!(output, value(&shape, &expected));
        }
        Ok(())
    }

    #[test]
    fn scale_and_bias_have_one_number_for_each_channel_of_the_layout() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[1, 2, 3, 4]);
        let step = |options: &MLInstanceNormalizationOptions| {
            b.instance_normalization(&input, options).map_or_else(|exception| exception.step, |_| "")
        };
        let two = Some(zeros::<f32>(&b, &[2]));
        let nhwc = MLInstanceNormalizationOptions { layout: MLInputOperandLayout::Nhwc, ..Default::default() };
        assert_eq!(step(&MLInstanceNormalizationOptions { scale: two.clone(), ..Default::default() }), "");
        assert_eq!(step(&MLInstanceNormalizationOptions { scale: two.clone(), ..nhwc.clone() }), "7.2");
        assert_eq!(step(&MLInstanceNormalizationOptions { bias: two, ..nhwc }), "8.2");
        let other = Some(zeros::<half::f16>(&b, &[2]));
        assert_eq!(step(&MLInstanceNormalizationOptions { bias: other, ..Default::default() }), "8.1");
        let matrix = zeros::<f32>(&b, &[2, 2]);
        assert_eq!(b.instance_normalization(&matrix, &Default::default()).unwrap_err().step, "4");
    }
}
