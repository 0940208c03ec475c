//! gru: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, is_valid_dimension};
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::idl_enumeration;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, size};
use crate::operand::{MLOperand, OperandId};
use crate::ops::grucell::Cell;
use crate::ops::relu::rectified;
use crate::ops::sigmoid::logistic;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, Value, array, numbers, reserved};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#enumdef-mlgruweightlayout>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLGruWeightLayout {
    /// Update, reset, new.
    #[default]
    Zrn,
    /// Reset, update, new.
    Rzn,
}

impl MLGruWeightLayout {
    /// All layouts, in the order of the IDL.
    pub const ALL: [Self; 2] = [Self::Zrn, Self::Rzn];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Zrn => "zrn",
            Self::Rzn => "rzn",
        }
    }

    /// The places of the update, the reset and the new gate.
    pub fn places(self) -> [usize; 3] {
        match self {
            Self::Zrn => [0, 1, 2],
            Self::Rzn => [1, 0, 2],
        }
    }
}

idl_enumeration!(MLGruWeightLayout);

/// <https://www.w3.org/TR/webnn/#enumdef-mlrecurrentnetworkactivation>
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MLRecurrentNetworkActivation {
    /// max(0, x)
    Relu,
    /// 1 / (1 + exp(-x))
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
}

impl MLRecurrentNetworkActivation {
    /// All activations, in the order of the IDL.
    pub const ALL: [Self; 3] = [Self::Relu, Self::Sigmoid, Self::Tanh];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Relu => "relu",
            Self::Sigmoid => "sigmoid",
            Self::Tanh => "tanh",
        }
    }

    /// The function.
    pub(super) fn of(self, x: Float) -> Float {
        match self {
            Self::Relu => rectified(x),
            Self::Sigmoid => logistic(x),
            Self::Tanh => x.tanh(),
        }
    }

    /// 1 - the function, which does not cancel where the function is near 1.
    pub(super) fn complement_of(self, x: Float) -> Float {
        match self {
            Self::Relu => 1.0 - self.of(x),
            Self::Sigmoid => logistic(-x),
            Self::Tanh => 2.0 * logistic(-2.0 * x),
        }
    }
}

idl_enumeration!(MLRecurrentNetworkActivation);

/// <https://www.w3.org/TR/webnn/#enumdef-mlrecurrentnetworkdirection>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLRecurrentNetworkDirection {
    /// From the first step to the last.
    #[default]
    Forward,
    /// From the last step to the first.
    Backward,
    /// Both, each with its weights.
    Both,
}

impl MLRecurrentNetworkDirection {
    /// All directions, in the order of the IDL.
    pub const ALL: [Self; 3] = [Self::Forward, Self::Backward, Self::Both];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Both => "both",
        }
    }

    /// How many directions there are.
    pub(crate) fn count(self) -> u32 {
        match self {
            Self::Forward | Self::Backward => 1,
            Self::Both => 2,
        }
    }

    /// Which of all steps is taken as the given one by a direction, of which the second is backward.
    pub(crate) fn step_of(self, direction: usize, step: usize, steps: usize) -> usize {
        match self {
            Self::Backward => steps - 1 - step,
            Self::Both if direction == 1 => steps - 1 - step,
            Self::Forward | Self::Both => step,
        }
    }
}

idl_enumeration!(MLRecurrentNetworkDirection);

/// <https://www.w3.org/TR/webnn/#dictdef-mlgruoptions>
#[derive(Clone, Debug)]
pub struct MLGruOptions {
    /// The operator's label.
    pub label: String,
    /// What is added to the input's part of each gate; nothing if not given.
    pub bias: Option<MLOperand>,
    /// What is added to the hidden state's part of each gate; nothing if not given.
    pub recurrent_bias: Option<MLOperand>,
    /// The hidden state before the first step; 0 if not given.
    pub initial_hidden_state: Option<MLOperand>,
    /// Whether the reset gate is applied after the matrix multiplication, or before it.
    pub reset_after: bool,
    /// Whether the hidden states of all steps are an output, too.
    pub return_sequence: bool,
    /// The direction in which the steps are taken.
    pub direction: MLRecurrentNetworkDirection,
    /// The order of the gates in weights and biases.
    pub layout: MLGruWeightLayout,
    /// The functions of the update and reset gates and of the new gate; sigmoid and tanh if not given.
    pub activations: Option<Vec<MLRecurrentNetworkActivation>>,
}

impl Default for MLGruOptions {
    fn default() -> Self {
        Self {
            label: String::new(),
            bias: None,
            recurrent_bias: None,
            initial_hidden_state: None,
            reset_after: true,
            return_sequence: false,
            direction: MLRecurrentNetworkDirection::default(),
            layout: MLGruWeightLayout::default(),
            activations: None,
        }
    }
}

impl Options for MLGruOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            bias: members.optional("bias")?,
            recurrent_bias: members.optional("recurrentBias")?,
            initial_hidden_state: members.optional("initialHiddenState")?,
            reset_after: members.or("resetAfter", true)?,
            return_sequence: members.or("returnSequence", false)?,
            direction: members.or("direction", MLRecurrentNetworkDirection::default())?,
            layout: members.or("layout", MLGruWeightLayout::default())?,
            activations: members.optional("activations")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-gru>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-gru",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(3, 3),
            required_ranks: (3, 3),
        },
        OperandLimits {
            operand: "weight",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(3, 3),
            required_ranks: (3, 3),
        },
        OperandLimits {
            operand: "recurrentWeight",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(3, 3),
            required_ranks: (3, 3),
        },
        OperandLimits {
            operand: "bias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "recurrentBias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "initialHiddenState",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(3, 3),
            required_ranks: (3, 3),
        },
        OperandLimits {
            operand: "output0",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(3, 3),
            required_ranks: (3, 3),
        },
        OperandLimits {
            operand: "output1",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
    ],
};

/// gru
pub const GRU: OperatorRow = OperatorRow {
    name: "gru",
    section: "api-mlgraphbuilder-gru",
    parameters: &["input", "weight", "recurrentWeight", "steps", "hiddenSize", "options"],
    call: |b, x| {
        let (input, weight, recurrent_weight) = (x.get("input")?, x.get("weight")?, x.get("recurrentWeight")?);
        b.gru(&input, &weight, &recurrent_weight, x.get("steps")?, x.get("hiddenSize")?, &x.options()?)
    },
    limits: &LIMITS,
};

/// The parameters of a gru.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gru {
    /// What is added to the input's part of each gate, after the required operands among the operator's inputs.
    pub bias: Option<OperandId>,
    /// What is added to the hidden state's part of each gate.
    pub recurrent_bias: Option<OperandId>,
    /// The hidden state before the first step.
    pub initial_hidden_state: Option<OperandId>,
    /// How many steps there are.
    pub steps: u32,
    /// The size of the hidden state.
    pub hidden_size: u32,
    /// Whether the reset gate is applied after the matrix multiplication, or before it.
    pub reset_after: bool,
    /// Whether the hidden states of all steps are an output, too.
    pub return_sequence: bool,
    /// The direction in which the steps are taken.
    pub direction: MLRecurrentNetworkDirection,
    /// The order of the gates in weights and biases.
    pub layout: MLGruWeightLayout,
    /// The functions of the update and reset gates and of the new gate.
    pub activations: [MLRecurrentNetworkActivation; 2],
}

/// Throws at the current step unless the operand has this shape, whose dimensions may be beyond those of any operand.
///
/// # Errors
/// TypeError.
pub(super) fn ensure_shape(name: &str, operand: &MLOperand, shape: &[u64]) -> Result<()> {
    if operand.shape().into_iter().map(u64::from).eq(shape.iter().copied()) {
        return Ok(());
    }
    throw!(TypeError, "{name} is {:?}, not {shape:?}", operand.shape());
}

/// Throws at the current step unless each operand's data type is allowed, where the table may say "same as `other`".
///
/// # Errors
/// TypeError.
pub(super) fn ensure_data_types(
    limits: &TensorLimits,
    operands: &[(&str, &MLOperand)],
    other: &MLOperand,
) -> Result<()> {
    for (name, operand) in operands {
        if !limits.allows_data_type_as(name, operand, other) {
            throw!(TypeError, "{name} can not be {}", operand.data_type());
        }
    }
    Ok(())
}

/// Throws at the current step unless each operand's rank is allowed.
///
/// # Errors
/// TypeError.
pub(super) fn ensure_ranks(limits: &TensorLimits, operands: &[(&str, &MLOperand)]) -> Result<()> {
    for (name, operand) in operands {
        if !limits.allows_rank(name, operand) {
            throw!(TypeError, "{name} can not have rank {}", operand.rank());
        }
    }
    Ok(())
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-gru>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, the shapes do not fit one another, there are not two activations, or an output
    /// would be too large.
    pub fn gru(
        &self,
        input: &MLOperand,
        weight: &MLOperand,
        recurrent_weight: &MLOperand,
        steps: u32,
        hidden_size: u32,
        options: &MLGruOptions,
    ) -> Result<Vec<MLOperand>> {
        algorithm!(
            "MLGraphBuilder.gru(input, weight, recurrentWeight, steps, hiddenSize, options)",
            self,
            options.label
        );
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        let optional_operands =
            || options.bias.iter().chain(&options.recurrent_bias).chain(&options.initial_hidden_state);
        self.ensure_operands([input, weight, recurrent_weight].into_iter().chain(optional_operands()))?;
        step!("3");
        let required_operands = [("input", input), ("weight", weight), ("recurrentWeight", recurrent_weight)];
        ensure_data_types(&LIMITS, &required_operands, input)?;
        step!("4");
        ensure_ranks(&LIMITS, &required_operands)?;
        let input_shape = input.shape();
        step!("5");
        if input_shape[0] != steps {
            throw!(TypeError, "the input has {} steps, not {steps}", input_shape[0]);
        }
        step!("6");
        let batch_size = input_shape[1];
        step!("7");
        let input_size = input_shape[2];
        step!("8");
        let num_directions = options.direction.count();
        let [directions, batches] = [num_directions, batch_size].map(u64::from);
        let [inputs, hidden] = [input_size, hidden_size].map(u64::from);
        step!("9");
        ensure_shape("weight", weight, &[directions, 3 * hidden, inputs])?;
        step!("10");
        ensure_shape("recurrentWeight", recurrent_weight, &[directions, 3 * hidden, hidden])?;
        step!("11");
        if !is_valid_dimension(hidden * 6) {
            throw!(TypeError, "6 times {hidden_size} is no valid dimension");
        }
        step!("12");
        if let Some(bias) = &options.bias {
            step!("12.1");
            ensure_data_types(&LIMITS, &[("bias", bias)], input)?;
            step!("12.2");
            ensure_shape("bias", bias, &[directions, 3 * hidden])?;
        }
        step!("13");
        if let Some(recurrent_bias) = &options.recurrent_bias {
            step!("13.1");
            ensure_data_types(&LIMITS, &[("recurrentBias", recurrent_bias)], input)?;
            step!("13.2");
            ensure_shape("recurrentBias", recurrent_bias, &[directions, 3 * hidden])?;
        }
        step!("14");
        if let Some(initial_hidden_state) = &options.initial_hidden_state {
            step!("14.1");
            ensure_data_types(&LIMITS, &[("initialHiddenState", initial_hidden_state)], input)?;
            step!("14.2");
            ensure_shape("initialHiddenState", initial_hidden_state, &[directions, batches, hidden])?;
        }
        step!("15");
        let activations = if let Some(activations) = &options.activations {
            step!("15.1");
            let Ok(activations) = <[_; 2]>::try_from(activations.as_slice()) else {
                throw!(TypeError, "activations needs 2 items, not {}", activations.len());
            };
            step!("15.2");
            activations
        } else {
            step!("16");
            step!("16.1");
            [MLRecurrentNetworkActivation::Sigmoid, MLRecurrentNetworkActivation::Tanh]
        };
        step!("17");
        step!("17.1");
        let desc0 = MLOperandDescriptor::create(input.data_type(), &[num_directions, batch_size, hidden_size]);
        self.ensure_output(&desc0)?;
        step!("17.2");
        let desc1 = if options.return_sequence {
            step!("17.2.1");
            let shape = [steps, num_directions, batch_size, hidden_size];
            let desc1 = MLOperandDescriptor::create(input.data_type(), &shape);
            self.ensure_output(&desc1)?;
            Some(desc1)
        } else {
            None
        };
        step!("18");
        step!("18.1");
        let gru = Gru {
            bias: options.bias.as_ref().map(MLOperand::id),
            recurrent_bias: options.recurrent_bias.as_ref().map(MLOperand::id),
            initial_hidden_state: options.initial_hidden_state.as_ref().map(MLOperand::id),
            steps,
            hidden_size,
            reset_after: options.reset_after,
            return_sequence: options.return_sequence,
            direction: options.direction,
            layout: options.layout,
            activations,
        };
        let operator = self.create_operator(Operation::Gru(gru), &options.label);
        step!("18.2");
        let output0 = self.create_operand(desc0);
        step!("18.3");
        let output = if let Some(desc1) = desc1 {
            step!("18.3.1");
            let output1 = self.create_operand(desc1);
            step!("18.3.2");
            step!("18.3.3");
            output0.set_operator(operator);
            output1.set_operator(operator);
            vec![output0, output1]
        } else {
            step!("18.4");
            step!("18.4.1");
            step!("18.4.2");
            output0.set_operator(operator);
            vec![output0]
        };
        step!("18.5");
        self.set_inputs(operator, [input, weight, recurrent_weight]);
        step!("18.6");
        step!("18.7");
        step!("18.8");
        for operand in optional_operands() {
            self.add_input(operator, operand);
        }
        step!("18.9"); // BY TYPE: the activations are parameters of the operation.
        step!("18.10");
        self.set_outputs(operator, &output);
        step!("19");
        Ok(output)
    }
}

/// The elements of an optional operand, as numbers.
pub(super) fn optional_numbers<T: FloatStored>(
    bound: &Bound<'_>,
    operand: Option<OperandId>,
) -> Computed<Option<Vec<Float>>> {
    bound.optional(operand).map(|operand| numbers(&T::array(operand).view())).transpose()
}

/// The elements of an array that belong to one of the items along its first axis.
pub(super) fn item(elements: &[Float], index: usize, count: usize) -> &[Float] {
    let size = elements.len() / count;
    &elements[index * size..(index + 1) * size]
}

/// Rounds the elements of an output.
pub(super) fn rounded<T: FloatStored>(descriptor: &MLOperandDescriptor, elements: &[Float]) -> Computed {
    Ok(array(&descriptor.shape, elements.iter().map(|number| T::rounded(*number)))?.into())
}

impl Gru {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        for_float_type!(bound.input(0), input => self.network(input, bound))
    }

    /// Step after step, the hidden state of the last one is that of the next one: not rounded in between, as all of it
    /// is one operator.
    fn network<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        let (directions, hidden_size) = (size(self.direction.count()), size(self.hidden_size));
        let (steps, batches) = (input.shape()[0], input.shape()[1]);
        let x = numbers(&input.view())?;
        let weight = numbers(&T::array(bound.input(1)).view())?;
        let recurrent_weight = numbers(&T::array(bound.input(2)).view())?;
        let bias = optional_numbers::<T>(bound, self.bias)?;
        let recurrent_bias = optional_numbers::<T>(bound, self.recurrent_bias)?;
        let initial_hidden_state = optional_numbers::<T>(bound, self.initial_hidden_state)?;

        let states = directions * batches;
        let mut last: Vec<Float> = reserved(states * hidden_size)?;
        let mut sequence: Vec<Float> = Vec::new();
        if self.return_sequence {
            sequence = reserved(steps * states * hidden_size)?;
            sequence.resize(steps * states * hidden_size, 0.0);
        }
        for direction in 0..directions {
            let cell = Cell {
                weight: item(&weight, direction, directions),
                recurrent_weight: item(&recurrent_weight, direction, directions),
                bias: bias.as_deref().map(|bias| item(bias, direction, directions)),
                recurrent_bias: recurrent_bias.as_deref().map(|bias| item(bias, direction, directions)),
                reset_after: self.reset_after,
                layout: self.layout,
                activations: self.activations,
            };
            for batch in 0..batches {
                let state = direction * batches + batch;
                let mut hidden = match &initial_hidden_state {
                    Some(initial) => item(initial, state, states).to_vec(),
                    None => vec![0.0; hidden_size],
                };
                for step in 0..steps {
                    let step = self.direction.step_of(direction, step, steps);
                    hidden = cell.step(item(&x, step * batches + batch, steps * batches), &hidden);
                    if self.return_sequence {
                        let start = (step * states + state) * hidden_size;
                        sequence[start..start + hidden_size].copy_from_slice(&hidden);
                    }
                }
                last.extend(&hidden);
            }
        }
        bound.outputs().zip([last, sequence]).map(|(descriptor, output)| rounded::<T>(descriptor, &output)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;
    use MLRecurrentNetworkActivation::{Relu, Sigmoid, Tanh};

    #[test]
    fn the_complement_does_not_cancel() {
        for activation in MLRecurrentNetworkActivation::ALL {
            for x in [-2.0, -0.5, 0.0, 0.25, 3.0] {
                let sum: Float = activation.of(x) + activation.complement_of(x);
                assert!((sum - 1.0).abs() < 1e-15, "{activation:?} {x}");
            }
            assert!(activation.of(Float::NAN).is_nan() && activation.complement_of(Float::NAN).is_nan());
        }
        assert_eq!(Sigmoid.complement_of(50.0), (-50f64).exp() / (1.0 + (-50f64).exp()));
        // mpmath: 1 - tanh(25)
        let expected = 3.857_499_695_927_835e-22;
        assert!((Tanh.complement_of(25.0) / expected - 1.0).abs() < 1e-15);
    }

    /// A cell whose update gate is 0, so that the new hidden state is the new gate: the input plus the hidden state.
    fn running_sums(b: &MLGraphBuilder, direction: MLRecurrentNetworkDirection) -> Result<Vec<MLOperand>> {
        let directions = direction.count();
        let weight = [0f32, 0.0, 1.0].repeat(size(directions));
        let input = constant(b, &[3, 2, 1], &[1f32, 10.0, 2.0, 20.0, 3.0, 30.0]);
        let weight = constant(b, &[directions, 3, 1], &weight);
        // The reset gate is relu(1) = 1, by its bias.
        let bias = Some(constant(b, &[directions, 3], &[0f32, 1.0, 0.0].repeat(size(directions))));
        let options = MLGruOptions {
            bias,
            direction,
            return_sequence: true,
            activations: Some(vec![Relu, Relu]),
            ..Default::default()
        };
        b.gru(&input, &weight, &weight, 3, 1, &options)
    }

    #[test]
    fn each_direction_has_its_order_and_the_sequence_that_of_the_input() -> Result<()> {
        let of = |direction, place| computed(|b| Ok(running_sums(b, direction)?.swap_remove(place)));
        let forward = [1f32, 10.0, 3.0, 30.0, 6.0, 60.0];
        let backward = [6f32, 60.0, 5.0, 50.0, 3.0, 30.0];
        assert_eq!(of(MLRecurrentNetworkDirection::Forward, 0)?, value(&[1, 2, 1], &[6f32, 60.0]));
        assert_eq!(of(MLRecurrentNetworkDirection::Forward, 1)?, value(&[3, 1, 2, 1], &forward));
        assert_eq!(of(MLRecurrentNetworkDirection::Backward, 0)?, value(&[1, 2, 1], &[6f32, 60.0]));
        assert_eq!(of(MLRecurrentNetworkDirection::Backward, 1)?, value(&[3, 1, 2, 1], &backward));
        let both: Vec<f32> =
            forward.chunks(2).zip(backward.chunks(2)).flat_map(|pair| [pair.0, pair.1].concat()).collect();
        assert_eq!(of(MLRecurrentNetworkDirection::Both, 0)?, value(&[2, 2, 1], &[6f32, 60.0, 6.0, 60.0]));
        assert_eq!(of(MLRecurrentNetworkDirection::Both, 1)?, value(&[3, 2, 2, 1], &both));
        Ok(())
    }

    #[test]
    fn the_shapes_follow_from_the_sizes() {
        let b = builder(Reading::Corrected);
        let (input, weight) = (zeros::<f32>(&b, &[2, 1, 5]), zeros::<f32>(&b, &[1, 9, 5]));
        let recurrent_weight = zeros::<f32>(&b, &[1, 9, 3]);
        let step = |steps, hidden_size, options: MLGruOptions| {
            b.gru(&input, &weight, &recurrent_weight, steps, hidden_size, &options).unwrap_err().step
        };
        assert_eq!(step(1, 3, MLGruOptions::default()), "5");
        assert_eq!(step(2, 4, MLGruOptions::default()), "9");
        assert_eq!(step(2, u32::MAX, MLGruOptions::default()), "9");
        let bias = Some(zeros::<f32>(&b, &[9]));
        assert_eq!(step(2, 3, MLGruOptions { bias: bias.clone(), ..Default::default() }), "12.2");
        assert_eq!(step(2, 3, MLGruOptions { recurrent_bias: bias.clone(), ..Default::default() }), "13.2");
        assert_eq!(step(2, 3, MLGruOptions { initial_hidden_state: bias, ..Default::default() }), "14.2");
        let half = Some(zeros::<half::f16>(&b, &[1, 9]));
        assert_eq!(step(2, 3, MLGruOptions { bias: half.clone(), ..Default::default() }), "12.1");
        assert_eq!(step(2, 3, MLGruOptions { recurrent_bias: half.clone(), ..Default::default() }), "13.1");
        assert_eq!(step(2, 3, MLGruOptions { initial_hidden_state: half, ..Default::default() }), "14.1");
        assert_eq!(step(2, 3, MLGruOptions { activations: Some(vec![Tanh]), ..Default::default() }), "15.1");
        let swapped = b.gru(&input, &recurrent_weight, &weight, 2, 3, &MLGruOptions::default());
        assert_eq!(swapped.unwrap_err().step, "9");
        let matrix = zeros::<f32>(&b, &[9, 5]);
        assert_eq!(b.gru(&input, &matrix, &matrix, 2, 3, &MLGruOptions::default()).unwrap_err().step, "4");
    }
}
