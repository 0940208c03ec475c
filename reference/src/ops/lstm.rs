//! lstm: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, is_valid_dimension};
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::idl_enumeration;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, size};
use crate::operand::{MLOperand, OperandId};
use crate::ops::gru::{
    MLRecurrentNetworkActivation, MLRecurrentNetworkDirection, ensure_data_types, ensure_ranks, ensure_shape, item,
    optional_numbers, rounded,
};
use crate::ops::lstmcell::Cell;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, Value, numbers, reserved};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#enumdef-mllstmweightlayout>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLLstmWeightLayout {
    /// Input, output, forget, cell.
    #[default]
    Iofg,
    /// Input, forget, cell, output.
    Ifgo,
}

impl MLLstmWeightLayout {
    /// All layouts, in the order of the IDL.
    pub const ALL: [Self; 2] = [Self::Iofg, Self::Ifgo];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Iofg => "iofg",
            Self::Ifgo => "ifgo",
        }
    }

    /// The places of the input, the output, the forget and the cell gate.
    pub fn places(self) -> [usize; 4] {
        match self {
            Self::Iofg => [0, 1, 2, 3],
            Self::Ifgo => [0, 3, 1, 2],
        }
    }
}

idl_enumeration!(MLLstmWeightLayout);

/// <https://www.w3.org/TR/webnn/#dictdef-mllstmoptions>
#[derive(Clone, Debug, Default)]
pub struct MLLstmOptions {
    /// The operator's label.
    pub label: String,
    /// What is added to the input's part of each gate; nothing if not given.
    pub bias: Option<MLOperand>,
    /// What is added to the hidden state's part of each gate; nothing if not given.
    pub recurrent_bias: Option<MLOperand>,
    /// What the cell state is multiplied with on its way to the input, output and forget gates; nothing if not given.
    pub peephole_weight: Option<MLOperand>,
    /// The hidden state before the first step; 0 if not given.
    pub initial_hidden_state: Option<MLOperand>,
    /// The cell state before the first step; 0 if not given.
    pub initial_cell_state: Option<MLOperand>,
    /// Whether the hidden states of all steps are an output, too.
    pub return_sequence: bool,
    /// The direction in which the steps are taken.
    pub direction: MLRecurrentNetworkDirection,
    /// The order of the gates in weights and biases.
    pub layout: MLLstmWeightLayout,
    /// The functions of the input, forget and output gates, of the cell gate, and of the cell state on its way to the
    /// hidden state; sigmoid, tanh and tanh if not given.
    pub activations: Option<Vec<MLRecurrentNetworkActivation>>,
}

impl Options for MLLstmOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            bias: members.optional("bias")?,
            recurrent_bias: members.optional("recurrentBias")?,
            peephole_weight: members.optional("peepholeWeight")?,
            initial_hidden_state: members.optional("initialHiddenState")?,
            initial_cell_state: members.optional("initialCellState")?,
            return_sequence: members.or("returnSequence", false)?,
            direction: members.or("direction", MLRecurrentNetworkDirection::default())?,
            layout: members.or("layout", MLLstmWeightLayout::default())?,
            activations: members.optional("activations")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-lstm>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-lstm",
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
            operand: "peepholeWeight",
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
            operand: "initialCellState",
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
            allowed_ranks: Ranks::Between(3, 3),
            required_ranks: (3, 3),
        },
        OperandLimits {
            operand: "output2",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
    ],
};

/// lstm
pub const LSTM: OperatorRow = OperatorRow {
    name: "lstm",
    section: "api-mlgraphbuilder-lstm",
    parameters: &["input", "weight", "recurrentWeight", "steps", "hiddenSize", "options"],
    call: |b, x| {
        let (input, weight, recurrent_weight) = (x.get("input")?, x.get("weight")?, x.get("recurrentWeight")?);
        b.lstm(&input, &weight, &recurrent_weight, x.get("steps")?, x.get("hiddenSize")?, &x.options()?)
    },
    limits: &LIMITS,
};

/// The parameters of an lstm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lstm {
    /// What is added to the input's part of each gate, after the required operands among the operator's inputs.
    pub bias: Option<OperandId>,
    /// What is added to the hidden state's part of each gate.
    pub recurrent_bias: Option<OperandId>,
    /// What the cell state is multiplied with on its way to the input, output and forget gates.
    pub peephole_weight: Option<OperandId>,
    /// The hidden state before the first step.
    pub initial_hidden_state: Option<OperandId>,
    /// The cell state before the first step.
    pub initial_cell_state: Option<OperandId>,
    /// How many steps there are.
    pub steps: u32,
    /// The size of the hidden state.
    pub hidden_size: u32,
    /// Whether the hidden states of all steps are an output, too.
    pub return_sequence: bool,
    /// The direction in which the steps are taken.
    pub direction: MLRecurrentNetworkDirection,
    /// The order of the gates in weights and biases.
    pub layout: MLLstmWeightLayout,
    /// The functions of the input, forget and output gates, of the cell gate, and of the cell state.
    pub activations: [MLRecurrentNetworkActivation; 3],
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-lstm>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, the shapes do not fit one another, there are not three activations, or an output
    /// would be too large.
    pub fn lstm(
        &self,
        input: &MLOperand,
        weight: &MLOperand,
        recurrent_weight: &MLOperand,
        steps: u32,
        hidden_size: u32,
        options: &MLLstmOptions,
    ) -> Result<Vec<MLOperand>> {
        algorithm!(
            "MLGraphBuilder.lstm(input, weight, recurrentWeight, steps, hiddenSize, options)",
            self,
            options.label
        );
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        let weights = || options.bias.iter().chain(&options.recurrent_bias).chain(&options.peephole_weight);
        let optional_operands = || weights().chain(&options.initial_hidden_state).chain(&options.initial_cell_state);
        self.ensure_operands([input, weight, recurrent_weight].into_iter().chain(optional_operands()))?;
        step!("3");
        let num_directions = options.direction.count();
        step!("4");
        let required_operands = [("input", input), ("weight", weight), ("recurrentWeight", recurrent_weight)];
        ensure_data_types(&LIMITS, &required_operands, input)?;
        step!("5");
        ensure_ranks(&LIMITS, &required_operands)?;
        let input_shape = input.shape();
        step!("6");
        if steps == 0 {
            throw!(TypeError, "0 steps");
        }
        step!("7");
        if input_shape[0] != steps {
            throw!(TypeError, "the input has {} steps, not {steps}", input_shape[0]);
        }
        step!("8");
        let batch_size = input_shape[1];
        step!("9");
        let input_size = input_shape[2];
        let [directions, batches] = [num_directions, batch_size].map(u64::from);
        let [inputs, hidden] = [input_size, hidden_size].map(u64::from);
        step!("10");
        ensure_shape("weight", weight, &[directions, 4 * hidden, inputs])?;
        step!("11");
        ensure_shape("recurrentWeight", recurrent_weight, &[directions, 4 * hidden, hidden])?;
        step!("12");
        if !is_valid_dimension(hidden * 8) {
            throw!(TypeError, "8 times {hidden_size} is no valid dimension");
        }
        step!("13");
        if let Some(bias) = &options.bias {
            step!("13.1");
            ensure_data_types(&LIMITS, &[("bias", bias)], input)?;
            step!("13.2");
            ensure_shape("bias", bias, &[directions, 4 * hidden])?;
        }
        step!("14");
        if let Some(recurrent_bias) = &options.recurrent_bias {
            step!("14.1");
            ensure_data_types(&LIMITS, &[("recurrentBias", recurrent_bias)], input)?;
            step!("14.2");
            ensure_shape("recurrentBias", recurrent_bias, &[directions, 4 * hidden])?;
        }
        step!("15");
        if let Some(peephole_weight) = &options.peephole_weight {
            step!("15.1");
            ensure_data_types(&LIMITS, &[("peepholeWeight", peephole_weight)], input)?;
            step!("15.2");
            ensure_shape("peepholeWeight", peephole_weight, &[directions, 3 * hidden])?;
        }
        step!("16");
        if let Some(initial_hidden_state) = &options.initial_hidden_state {
            step!("16.1");
            ensure_data_types(&LIMITS, &[("initialHiddenState", initial_hidden_state)], input)?;
            step!("16.2");
            ensure_shape("initialHiddenState", initial_hidden_state, &[directions, batches, hidden])?;
        }
        step!("17");
        if let Some(initial_cell_state) = &options.initial_cell_state {
            step!("17.1");
            ensure_data_types(&LIMITS, &[("initialCellState", initial_cell_state)], input)?;
            step!("17.2");
            ensure_shape("initialCellState", initial_cell_state, &[directions, batches, hidden])?;
        }
        step!("18");
        let activations = if let Some(activations) = &options.activations {
            step!("18.1");
            let Ok(activations) = <[_; 3]>::try_from(activations.as_slice()) else {
                throw!(TypeError, "activations needs 3 items, not {}", activations.len());
            };
            step!("18.2");
            activations
        } else {
            step!("19");
            step!("19.1");
            let [sigmoid, tanh] = [MLRecurrentNetworkActivation::Sigmoid, MLRecurrentNetworkActivation::Tanh];
            [sigmoid, tanh, tanh]
        };
        step!("20");
        step!("20.1");
        let desc = MLOperandDescriptor::create(input.data_type(), &[num_directions, batch_size, hidden_size]);
        self.ensure_output(&desc)?;
        step!("20.2");
        let desc2 = if options.return_sequence {
            step!("20.2.1");
            let shape = [steps, num_directions, batch_size, hidden_size];
            let desc2 = MLOperandDescriptor::create(input.data_type(), &shape);
            self.ensure_output(&desc2)?;
            Some(desc2)
        } else {
            None
        };
        step!("21");
        step!("21.1");
        let lstm = Lstm {
            bias: options.bias.as_ref().map(MLOperand::id),
            recurrent_bias: options.recurrent_bias.as_ref().map(MLOperand::id),
            peephole_weight: options.peephole_weight.as_ref().map(MLOperand::id),
            initial_hidden_state: options.initial_hidden_state.as_ref().map(MLOperand::id),
            initial_cell_state: options.initial_cell_state.as_ref().map(MLOperand::id),
            steps,
            hidden_size,
            return_sequence: options.return_sequence,
            direction: options.direction,
            layout: options.layout,
            activations,
        };
        let operator = self.create_operator(Operation::Lstm(lstm), &options.label);
        step!("21.2");
        let output0 = self.create_operand(desc.clone());
        step!("21.3");
        let output1 = self.create_operand(desc);
        step!("21.4");
        let output = if let Some(desc2) = desc2 {
            step!("21.4.1");
            let output2 = self.create_operand(desc2);
            step!("21.4.2");
            let output = vec![output0, output1, output2];
            step!("21.4.3");
            output.iter().for_each(|output| output.set_operator(operator));
            output
        } else {
            step!("21.5");
            step!("21.5.1");
            let output = vec![output0, output1];
            step!("21.5.2");
            output.iter().for_each(|output| output.set_operator(operator));
            output
        };
        step!("21.6");
        self.set_inputs(operator, [input, weight, recurrent_weight]);
        step!("21.7");
        step!("21.8");
        step!("21.9");
        step!("21.10");
        step!("21.11");
        for operand in optional_operands() {
            self.add_input(operator, operand);
        }
        step!("21.12"); // BY TYPE: the activations are parameters of the operation.
        step!("21.13");
        self.set_outputs(operator, &output);
        step!("22");
        Ok(output)
    }
}

impl Lstm {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        for_float_type!(bound.input(0), input => self.network(input, bound))
    }

    /// Step after step, the states of the last one are those of the next one: not rounded in between, as all of it is
    /// one operator.
    fn network<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        let (directions, hidden_size) = (size(self.direction.count()), size(self.hidden_size));
        let (steps, batches) = (input.shape()[0], input.shape()[1]);
        let x = numbers(&input.view())?;
        let weight = numbers(&T::array(bound.input(1)).view())?;
        let recurrent_weight = numbers(&T::array(bound.input(2)).view())?;
        let bias = optional_numbers::<T>(bound, self.bias)?;
        let recurrent_bias = optional_numbers::<T>(bound, self.recurrent_bias)?;
        let peephole_weight = optional_numbers::<T>(bound, self.peephole_weight)?;
        let initial_hidden_state = optional_numbers::<T>(bound, self.initial_hidden_state)?;
        let initial_cell_state = optional_numbers::<T>(bound, self.initial_cell_state)?;

        let states = directions * batches;
        let initial = |given: &Option<Vec<Float>>, state| match given {
            Some(given) => item(given, state, states).to_vec(),
            None => vec![0.0; hidden_size],
        };
        let mut last_hidden: Vec<Float> = reserved(states * hidden_size)?;
        let mut last_cell: Vec<Float> = reserved(states * hidden_size)?;
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
                peephole_weight: peephole_weight.as_deref().map(|weight| item(weight, direction, directions)),
                layout: self.layout,
                activations: self.activations,
            };
            for batch in 0..batches {
                let state = direction * batches + batch;
                let mut hidden = initial(&initial_hidden_state, state);
                let mut cell_state = initial(&initial_cell_state, state);
                for step in 0..steps {
                    let step = self.direction.step_of(direction, step, steps);
                    let input = item(&x, step * batches + batch, steps * batches);
                    (hidden, cell_state) = cell.step(input, &hidden, &cell_state);
                    if self.return_sequence {
                        let start = (step * states + state) * hidden_size;
                        sequence[start..start + hidden_size].copy_from_slice(&hidden);
                    }
                }
                last_hidden.extend(&hidden);
                last_cell.extend(&cell_state);
            }
        }
        let outputs = bound.outputs().zip([last_hidden, last_cell, sequence]);
        outputs.map(|(descriptor, output)| rounded::<T>(descriptor, &output)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;
    use MLRecurrentNetworkActivation::{Relu, Tanh};

    /// Input, output and forget gate are 1, by their biases: the cell state adds up the input, and is the hidden state.
    fn running_sums(b: &MLGraphBuilder, direction: MLRecurrentNetworkDirection) -> Result<Vec<MLOperand>> {
        let directions = direction.count();
        let input = constant(b, &[3, 2, 1], &[1f32, 10.0, 2.0, 20.0, 3.0, 30.0]);
        let weight = constant(b, &[directions, 4, 1], &[0f32, 0.0, 0.0, 1.0].repeat(size(directions)));
        let recurrent_weight = constant(b, &[directions, 4, 1], &[0f32; 4].repeat(size(directions)));
        let bias = constant(b, &[directions, 4], &[1f32, 1.0, 1.0, 0.0].repeat(size(directions)));
        let cell_state = constant(b, &[directions, 2, 1], &[100f32, 1000.0].repeat(size(directions)));
        let options = MLLstmOptions {
            bias: Some(bias),
            initial_cell_state: Some(cell_state),
            direction,
            return_sequence: true,
            activations: Some(vec![Relu; 3]),
            ..Default::default()
        };
        b.lstm(&input, &weight, &recurrent_weight, 3, 1, &options)
    }

    #[test]
    fn each_direction_has_its_order_and_the_sequence_that_of_the_input() -> Result<()> {
        let of = |direction, place| computed(|b| Ok(running_sums(b, direction)?.swap_remove(place)));
        let forward = [101f32, 1010.0, 103.0, 1030.0, 106.0, 1060.0];
        let backward = [106f32, 1060.0, 105.0, 1050.0, 103.0, 1030.0];
        for place in [0, 1] {
            assert_eq!(of(MLRecurrentNetworkDirection::Forward, place)?, value(&[1, 2, 1], &[106f32, 1060.0]));
            assert_eq!(of(MLRecurrentNetworkDirection::Backward, place)?, value(&[1, 2, 1], &[106f32, 1060.0]));
            let both = [106f32, 1060.0, 106.0, 1060.0];
            assert_eq!(of(MLRecurrentNetworkDirection::Both, place)?, value(&[2, 2, 1], &both));
        }
        assert_eq!(of(MLRecurrentNetworkDirection::Forward, 2)?, value(&[3, 1, 2, 1], &forward));
        assert_eq!(of(MLRecurrentNetworkDirection::Backward, 2)?, value(&[3, 1, 2, 1], &backward));
        let both: Vec<f32> =
            forward.chunks(2).zip(backward.chunks(2)).flat_map(|pair| [pair.0, pair.1].concat()).collect();
        assert_eq!(of(MLRecurrentNetworkDirection::Both, 2)?, value(&[3, 2, 2, 1], &both));
        Ok(())
    }

    #[test]
    fn the_shapes_follow_from_the_sizes() {
        let b = builder(Reading::Corrected);
        let (input, weight) = (zeros::<f32>(&b, &[2, 1, 5]), zeros::<f32>(&b, &[1, 12, 5]));
        let recurrent_weight = zeros::<f32>(&b, &[1, 12, 3]);
        let step = |steps, hidden_size, options: MLLstmOptions| {
            b.lstm(&input, &weight, &recurrent_weight, steps, hidden_size, &options).unwrap_err().step
        };
        assert_eq!(step(0, 3, MLLstmOptions::default()), "6");
        assert_eq!(step(1, 3, MLLstmOptions::default()), "7");
        assert_eq!(step(2, u32::MAX, MLLstmOptions::default()), "10");
        let matrix = Some(zeros::<f32>(&b, &[1, 12]));
        assert_eq!(step(2, 3, MLLstmOptions { peephole_weight: matrix.clone(), ..Default::default() }), "15.2");
        assert_eq!(step(2, 3, MLLstmOptions { initial_hidden_state: matrix.clone(), ..Default::default() }), "16.2");
        assert_eq!(step(2, 3, MLLstmOptions { initial_cell_state: matrix, ..Default::default() }), "17.2");
        let half = Some(zeros::<half::f16>(&b, &[1, 12]));
        assert_eq!(step(2, 3, MLLstmOptions { bias: half.clone(), ..Default::default() }), "13.1");
        assert_eq!(step(2, 3, MLLstmOptions { recurrent_bias: half.clone(), ..Default::default() }), "14.1");
        assert_eq!(step(2, 3, MLLstmOptions { peephole_weight: half, ..Default::default() }), "15.1");
        assert_eq!(step(2, 3, MLLstmOptions { activations: Some(vec![Tanh; 2]), ..Default::default() }), "18.1");
        let both = MLLstmOptions { direction: MLRecurrentNetworkDirection::Both, ..Default::default() };
        assert_eq!(step(2, 3, both), "10");
    }
}
