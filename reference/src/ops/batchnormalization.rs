//! batchNormalization: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm>.

use ndarray::ArrayD;

use crate::algorithms::casting::cast;
use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::index::Along;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, MLNumber, size};
use crate::operand::{MLOperand, OperandId};
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, elements, filled, numbers};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlbatchnormalizationoptions>
#[derive(Clone, Debug)]
pub struct MLBatchNormalizationOptions {
    /// The operator's label.
    pub label: String,
    /// By what each feature is multiplied; 1 if not given.
    pub scale: Option<MLOperand>,
    /// What is added to each feature; 0 if not given.
    pub bias: Option<MLOperand>,
    /// The axis of the features.
    pub axis: u32,
    /// What is added to the variance, so that nothing is divided by 0.
    pub epsilon: f64,
}

impl Default for MLBatchNormalizationOptions {
    fn default() -> Self {
        Self { label: String::new(), scale: None, bias: None, axis: 1, epsilon: 1e-5 }
    }
}

impl Options for MLBatchNormalizationOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            scale: members.optional("scale")?,
            bias: members.optional("bias")?,
            axis: members.or("axis", 1)?,
            epsilon: members.or("epsilon", 1e-5)?,
        })
    }
}

/// The row of an operand with one number for each feature.
const fn of_features(operand: &'static str) -> OperandLimits {
    OperandLimits {
        operand,
        allowed_data_types: DataTypes::SameAs("input"),
        required_data_types: FLOATS,
        allowed_ranks: Ranks::Between(1, 1),
        required_ranks: (1, 1),
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-batchNormalization>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-batchNormalization",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::AtLeast(1),
            required_ranks: (3, 5),
        },
        of_features("mean"),
        of_features("variance"),
        of_features("scale"),
        of_features("bias"),
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (3, 5),
        },
    ],
};

/// batchNormalization
pub const BATCH_NORMALIZATION: OperatorRow = OperatorRow {
    name: "batchNormalization",
    section: "api-mlgraphbuilder-batchnorm",
    parameters: &["input", "mean", "variance", "options"],
    call: |b, x| {
        let (mean, variance) = (x.get("mean")?, x.get("variance")?);
        Ok(vec![b.batch_normalization(&x.get("input")?, &mean, &variance, &x.options()?)?])
    },
    limits: &LIMITS,
};

/// The parameters of a batchNormalization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchNormalization {
    /// By what each feature is multiplied, one of the operator's inputs; 1 if there is none.
    pub scale: Option<OperandId>,
    /// What is added to each feature, the last of the operator's inputs; 0 if there is none.
    pub bias: Option<OperandId>,
    /// The axis of the features.
    pub axis: u32,
    /// What is added to the variance, cast to the type of the input.
    pub epsilon: f64,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-batchnormalization>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder or its data
    /// type is not allowed, the input has no such axis, or another operand has not one number for each of its features.
    pub fn batch_normalization(
        &self,
        input: &MLOperand,
        mean: &MLOperand,
        variance: &MLOperand,
        options: &MLBatchNormalizationOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.batchNormalization(input, mean, variance, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, mean, variance].into_iter().chain(&options.scale).chain(&options.bias))?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        self.ensure_axis(options.axis, input)?;
        let features = input.shape()[size(options.axis)];
        step!("5");
        if !LIMITS.allows_data_type_as("mean", mean, input) {
            throw!(TypeError, "the mean is {} and the input {}", mean.data_type(), input.data_type());
        }
        step!("6");
        if !lists_are_equal(&mean.shape(), &[features]) {
            throw!(TypeError, "the mean is {:?}, not [{features}]", mean.shape());
        }
        step!("7");
        if !LIMITS.allows_data_type_as("variance", variance, input) {
            throw!(TypeError, "the variance is {} and the input {}", variance.data_type(), input.data_type());
        }
        step!("8");
        if !lists_are_equal(&variance.shape(), &[features]) {
            throw!(TypeError, "the variance is {:?}, not [{features}]", variance.shape());
        }
        step!("9");
        let epsilon = cast(MLNumber::Double(options.epsilon), input.data_type()).to_f64();
        step!("10");
        if let Some(scale) = &options.scale {
            step!("10.1");
            if !LIMITS.allows_data_type_as("scale", scale, input) {
                throw!(TypeError, "the scale is {} and the input {}", scale.data_type(), input.data_type());
            }
            step!("10.2");
            if !lists_are_equal(&scale.shape(), &[features]) {
                throw!(TypeError, "the scale is {:?}, not [{features}]", scale.shape());
            }
        }
        step!("11");
        if let Some(bias) = &options.bias {
            step!("11.1");
            if !LIMITS.allows_data_type_as("bias", bias, input) {
                throw!(TypeError, "the bias is {} and the input {}", bias.data_type(), input.data_type());
            }
            step!("11.2");
            if !lists_are_equal(&bias.shape(), &[features]) {
                throw!(TypeError, "the bias is {:?}, not [{features}]", bias.shape());
            }
        }
        step!("12");
        step!("12.1");
        let batch_normalization = BatchNormalization {
            scale: options.scale.as_ref().map(MLOperand::id),
            bias: options.bias.as_ref().map(MLOperand::id),
            axis: options.axis,
            epsilon,
        };
        let operator = self.create_operator(Operation::BatchNormalization(batch_normalization), &options.label);
        step!("12.2");
        let output = self.create_operand(input.descriptor());
        step!("12.3");
        output.set_operator(operator);
        step!("12.4");
        self.set_inputs(operator, [input, mean, variance]);
        step!("12.5");
        if let Some(scale) = &options.scale {
            self.add_input(operator, scale);
        }
        step!("12.6");
        if let Some(bias) = &options.bias {
            self.add_input(operator, bias);
        }
        step!("12.7");
        self.set_outputs(operator, [&output]);
        step!("13");
        Ok(output)
    }
}

impl BatchNormalization {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => self.normalize(input, bound))
    }

    /// scale * ((x - mean) / sqrt(variance + epsilon)) + bias, as the section's decomposition has it.
    fn normalize<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let of_features = |operand| numbers(&T::array(operand).view());
        let (means, variances) = (of_features(bound.input(1))?, of_features(bound.input(2))?);
        let scales = bound.optional(self.scale).map(of_features).transpose()?;
        let biases = bound.optional(self.bias).map(of_features).transpose()?;
        let along = Along::new(input.shape(), self.axis);
        let x = elements(input);
        let mut output = filled(&bound.output().shape, T::default())?;
        let y = output.as_slice_mut().expect("a new array is contiguous");
        for before in 0..along.before {
            for feature in 0..along.dimension {
                let divisor: Float = (variances[feature] + self.epsilon).sqrt();
                let scale = scales.as_ref().map_or(1.0, |scales| scales[feature]);
                let bias = biases.as_ref().map_or(0.0, |biases| biases[feature]);
                for after in 0..along.after {
                    let at = along.offset(before, feature, after);
                    y[at] = T::rounded(scale * ((x[at].number() - means[feature]) / divisor) + bias);
                }
            }
        }
        Ok(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn each_feature_of_any_axis_is_normalized_scaled_and_biased() -> Result<()> {
        let output = computed(|b| {
            let of_features = |elements: &[f32]| constant(b, &[2], elements);
            let options = MLBatchNormalizationOptions {
                scale: Some(of_features(&[1.0, 10.0])),
                bias: Some(of_features(&[0.5, 0.0])),
                axis: 0,
                epsilon: 1.0,
                ..Default::default()
            };
            let input = constant(b, &[2, 2], &[3f32, 5.0, 2.0, 4.0]);
            b.batch_normalization(&input, &of_features(&[1.0, 2.0]), &of_features(&[3.0, 15.0]), &options)
        })?;
        // By hand: (3 - 1) / 2 + 0.5, (5 - 1) / 2 + 0.5, 10 * (2 - 2) / 4, 10 * (4 - 2) / 4
        assert_eq!(output, value(&[2, 2], &[1.5f32, 2.5, 0.0, 5.0]));
        Ok(())
    }

    #[test]
    fn a_bias_without_a_scale_is_a_bias() -> Result<()> {
        let output = computed(|b| {
            let (zero, one) = (constant(b, &[1], &[0f32]), constant(b, &[1], &[1f32]));
            let options = MLBatchNormalizationOptions { bias: Some(one.clone()), epsilon: 0.0, ..Default::default() };
            b.batch_normalization(&constant(b, &[1, 1], &[7f32]), &zero, &one, &options)
        })?;
        assert_eq!(output, value(&[1, 1], &[8f32]));
        Ok(())
    }

    #[test]
    fn every_operand_has_one_number_for_each_feature() {
        let b = builder(Reading::Corrected);
        let (input, fits, long) = (zeros::<f32>(&b, &[1, 2]), zeros::<f32>(&b, &[2]), zeros::<f32>(&b, &[3]));
        let step = |mean: &MLOperand, variance: &MLOperand, options: &MLBatchNormalizationOptions| {
            b.batch_normalization(&input, mean, variance, options).unwrap_err().step
        };
        let options = MLBatchNormalizationOptions::default();
        assert_eq!(step(&long, &fits, &options), "6");
        assert_eq!(step(&fits, &long, &options), "8");
        assert_eq!(step(&fits, &zeros::<half::f16>(&b, &[2]), &options), "7");
        let scaled = MLBatchNormalizationOptions { scale: Some(long.clone()), ..options.clone() };
        assert_eq!(step(&fits, &fits, &scaled), "10.2");
        let biased = MLBatchNormalizationOptions { bias: Some(long.clone()), ..options.clone() };
        assert_eq!(step(&fits, &fits, &biased), "11.2");
        assert_eq!(step(&fits, &fits, &MLBatchNormalizationOptions { axis: 2, ..options }), "4");
    }
}
