//! layerNormalization: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm>.

use ndarray::{ArrayD, IxDyn};

use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::index::axes;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, MLNumber, count, size, sum};
use crate::operand::{MLOperand, OperandId};
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, filled, numbers};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mllayernormalizationoptions>
#[derive(Clone, Debug)]
pub struct MLLayerNormalizationOptions {
    /// The operator's label.
    pub label: String,
    /// By what each element of a layer is multiplied; 1 if not given.
    pub scale: Option<MLOperand>,
    /// What is added to each element of a layer; 0 if not given.
    pub bias: Option<MLOperand>,
    /// The axes that a layer has; all but the first if not given.
    pub axes: Option<Vec<u32>>,
    /// What is added to the variance, so that nothing is divided by 0.
    pub epsilon: f64,
}

impl Default for MLLayerNormalizationOptions {
    fn default() -> Self {
        Self { label: String::new(), scale: None, bias: None, axes: None, epsilon: 1e-5 }
    }
}

impl Options for MLLayerNormalizationOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            scale: members.optional("scale")?,
            bias: members.optional("bias")?,
            axes: members.optional("axes")?,
            epsilon: members.or("epsilon", 1e-5)?,
        })
    }
}

/// The row of an operand with one number for each element of a layer.
const fn of_a_layer(operand: &'static str) -> OperandLimits {
    OperandLimits {
        operand,
        allowed_data_types: DataTypes::SameAs("input"),
        required_data_types: FLOATS,
        allowed_ranks: Ranks::Any,
        required_ranks: (0, 5),
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-layerNormalization>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-layerNormalization",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        of_a_layer("scale"),
        of_a_layer("bias"),
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (0, 5),
        },
    ],
};

/// layerNormalization
pub const LAYER_NORMALIZATION: OperatorRow = OperatorRow {
    name: "layerNormalization",
    section: "api-mlgraphbuilder-layernorm",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.layer_normalization(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a layerNormalization.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNormalization {
    /// By what each element of a layer is multiplied, one of the operator's inputs; 1 if there is none.
    pub scale: Option<OperandId>,
    /// What is added to each element of a layer, the last of the operator's inputs; 0 if there is none.
    pub bias: Option<OperandId>,
    /// The axes of the input that a layer has, in the order of the axes of scale and bias.
    pub axes: Vec<u32>,
    /// What is added to the variance, cast to the type of the input.
    pub epsilon: f64,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-layernormalization>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder or its data
    /// type is not allowed, the axes are not distinct axes of the input, or scale or bias have not the shape of a layer.
    pub fn layer_normalization(&self, input: &MLOperand, options: &MLLayerNormalizationOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.layerNormalization(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input].into_iter().chain(&options.scale).chain(&options.bias))?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        let of_input = axes(input.rank());
        step!("4");
        let axes = options.axes.clone().unwrap_or_else(|| of_input.iter().copied().skip(1).collect());
        step!("5");
        let are_distinct = axes.iter().enumerate().all(|(index, axis)| !axes[..index].contains(axis));
        if !are_distinct || axes.iter().any(|axis| !of_input.contains(axis)) {
            throw!(TypeError, "axes {axes:?} are not distinct axes of {}", input.descriptor());
        }
        step!("6");
        let epsilon = cast(MLNumber::Double(options.epsilon), input.data_type()).to_f64();
        step!("7");
        if let Some(scale) = &options.scale {
            step!("7.1");
            if !LIMITS.allows_data_type_as("scale", scale, input) {
                throw!(TypeError, "the scale is {} and the input {}", scale.data_type(), input.data_type());
            }
            step!("7.2");
            if scale.rank() != axes.len() {
                throw!(TypeError, "the scale has rank {}, not one dimension for each of {axes:?}", scale.rank());
            }
        }
        step!("8");
        if let Some(bias) = &options.bias {
            step!("8.1");
            if !LIMITS.allows_data_type_as("bias", bias, input) {
                throw!(TypeError, "the bias is {} and the input {}", bias.data_type(), input.data_type());
            }
            step!("8.2");
            if bias.rank() != axes.len() {
                throw!(TypeError, "the bias has rank {}, not one dimension for each of {axes:?}", bias.rank());
            }
        }
        step!("9");
        for (index, axis) in axes.iter().copied().enumerate() {
            step!("9.1");
            step!("9.2");
            self.ensure_axis(axis, input)?;
            step!("9.3");
            let size = input.shape()[size(axis)];
            step!("9.4");
            if let Some(scale) = &options.scale {
                step!("9.4.1");
                if scale.shape()[index] != size {
                    throw!(TypeError, "the scale is {:?}, but axis {axis} has {size} elements", scale.shape());
                }
            }
            step!("9.5");
            if let Some(bias) = &options.bias {
                step!("9.5.1");
                if bias.shape()[index] != size {
                    throw!(TypeError, "the bias is {:?}, but axis {axis} has {size} elements", bias.shape());
                }
            }
        }
        step!("10");
        step!("10.1");
        let output = Self::copy_operand(input);
        step!("10.2");
        let layer_normalization = LayerNormalization {
            scale: options.scale.as_ref().map(MLOperand::id),
            bias: options.bias.as_ref().map(MLOperand::id),
            axes,
            epsilon,
        };
        let operator = self.create_operator(Operation::LayerNormalization(layer_normalization), &options.label);
        step!("10.3");
        output.set_operator(operator);
        step!("10.4");
        self.set_inputs(operator, [input]);
        step!("10.5");
        if let Some(scale) = &options.scale {
            self.add_input(operator, scale);
        }
        step!("10.6");
        if let Some(bias) = &options.bias {
            self.add_input(operator, bias);
        }
        step!("10.7");
        self.set_outputs(operator, [&output]);
        step!("11");
        Ok(output)
    }
}

impl LayerNormalization {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => self.normalize(input, bound))
    }

    fn normalize<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let of_a_layer = |operand| numbers(&T::array(operand).view());
        let scales = bound.optional(self.scale).map(of_a_layer).transpose()?;
        let biases = bound.optional(self.bias).map(of_a_layer).transpose()?;
        let kept = axes(input.ndim()).into_iter().filter(|axis| !self.axes.contains(axis));
        let permutation: Vec<usize> = kept.chain(self.axes.iter().copied()).map(size).collect();
        normalize_layers(input, &permutation, self.axes.len(), self.epsilon, bound, |_, place, normalized| {
            let scale = scales.as_ref().map_or(1.0, |scales| scales[place]);
            scale * normalized + biases.as_ref().map_or(0.0, |biases| biases[place])
        })
    }
}

/// (x - mean) / sqrt(variance + epsilon), as the section's decomposition has it, for the mean and the variance of each
/// layer: the elements that follow one another along the last `layer_rank` axes, after `permutation`. What `scaled` makes
/// of it, given the index of the layer and the place in the layer, is stored.
pub(super) fn normalize_layers<T: FloatStored>(
    input: &ArrayD<T>,
    permutation: &[usize],
    layer_rank: usize,
    epsilon: Float,
    bound: &Bound<'_>,
    scaled: impl Fn(usize, usize, Float) -> Float,
) -> Computed {
    let permuted = input.view().permuted_axes(IxDyn(permutation));
    let (of_layers, of_a_layer) = permuted.shape().split_at(permutation.len() - layer_rank);
    let length: usize = of_a_layer.iter().product();
    let x = numbers(&permuted)?;
    let mut output = filled(&bound.output().shape, T::default())?;
    let mut permuted_output = output.view_mut().permuted_axes(IxDyn(permutation));
    let mut y = permuted_output.iter_mut();
    for layer in 0..of_layers.iter().product() {
        let elements = &x[layer * length..(layer + 1) * length];
        let mean = sum(elements.iter().copied()) / count(length);
        let variance = sum(elements.iter().map(|x| (x - mean) * (x - mean))) / count(length);
        let divisor = (variance + epsilon).sqrt();
        for ((place, x), y) in elements.iter().enumerate().zip(&mut y) {
            *y = T::rounded(scaled(layer, place, (x - mean) / divisor));
        }
    }
    drop(permuted_output);
    Ok(output.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    fn along(axes: &[u32]) -> MLLayerNormalizationOptions {
        MLLayerNormalizationOptions { axes: Some(axes.to_vec()), epsilon: 0.0, ..Default::default() }
    }

    #[test]
    fn the_order_of_the_axes_is_that_of_scale_and_bias() -> Result<()> {
        // Along axes 2 and 0, in this order: the layers are -1, 1, 1, -1 and -2, 2, -2, 2.
        let input = [-1f32, 1.0, -2.0, 2.0, 1.0, -1.0, -2.0, 2.0];
        let output = computed(|b| {
            let scale = Some(constant(b, &[2, 2], &[1f32, 2.0, 3.0, 4.0]));
            let bias = Some(constant(b, &[2, 2], &[0f32, 0.0, 0.0, 0.5]));
            b.layer_normalization(
                &constant(b, &[2, 2, 2], &input),
                &MLLayerNormalizationOptions { scale, bias, ..along(&[2, 0]) },
            )
        })?;
        // By hand: element [i, j, k] is multiplied by scale[k, i].
        assert_eq!(output, value(&[2, 2, 2], &[-1f32, 3.0, -1.0, 3.0, 2.0, -3.5, -2.0, 4.5]));
        Ok(())
    }

    #[test]
    fn along_no_axes_each_element_is_its_own_mean() -> Result<()> {
        let options = MLLayerNormalizationOptions::default();
        let vector = computed(|b| b.layer_normalization(&constant(b, &[2], &[3f32, 4.0]), &options))?;
        assert_eq!(vector, value(&[2], &[0f32, 0.0]));
        let scalar = computed(|b| b.layer_normalization(&constant(b, &[], &[3f32]), &options))?;
        assert_eq!(scalar, value(&[], &[0f32]));
        Ok(())
    }

    #[test]
    fn the_variance_does_not_cancel() -> Result<()> {
        let input = [16_777_214f32, 16_777_215.0, 16_777_216.0];
        let output = computed(|b| b.layer_normalization(&constant(b, &[3], &input), &along(&[0])))?;
        assert_eq!(output, value(&[3], &[-1.5f32.sqrt(), 0.0, 1.5f32.sqrt()]));
        Ok(())
    }

    #[test]
    fn axes_are_distinct_and_inside_the_rank_and_shapes_fit() {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[2, 3]);
        let step = |options: &MLLayerNormalizationOptions| b.layer_normalization(&input, options).unwrap_err().step;
        assert_eq!(step(&along(&[1, 1])), "5");
        assert_eq!(step(&along(&[2])), "5");
        let matrix = Some(zeros::<f32>(&b, &[2, 3]));
        assert_eq!(step(&MLLayerNormalizationOptions { scale: matrix.clone(), ..along(&[1]) }), "7.2");
        assert_eq!(step(&MLLayerNormalizationOptions { scale: matrix.clone(), ..along(&[1, 0]) }), "9.4.1");
        assert_eq!(step(&MLLayerNormalizationOptions { bias: matrix.clone(), ..along(&[1]) }), "8.2");
        assert_eq!(step(&MLLayerNormalizationOptions { bias: matrix, ..along(&[1, 0]) }), "9.5.1");
    }
}
