//! lstmCell: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell>.

use std::iter::once;

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, is_valid_dimension};
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, sum};
use crate::operand::{MLOperand, OperandId};
use crate::ops::gru::{
    MLRecurrentNetworkActivation, ensure_data_types, ensure_ranks, ensure_shape, item, optional_numbers, rounded,
};
use crate::ops::grucell::products;
use crate::ops::lstm::MLLstmWeightLayout;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, Value, numbers, reserved};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mllstmcelloptions>
#[derive(Clone, Debug, Default)]
pub struct MLLstmCellOptions {
    /// The operator's label.
    pub label: String,
    /// What is added to the input's part of each gate; nothing if not given.
    pub bias: Option<MLOperand>,
    /// What is added to the hidden state's part of each gate; nothing if not given.
    pub recurrent_bias: Option<MLOperand>,
    /// What the cell state is multiplied with on its way to the input, output and forget gates; nothing if not given.
    pub peephole_weight: Option<MLOperand>,
    /// The order of the gates in weights and biases.
    pub layout: MLLstmWeightLayout,
    /// The functions of the input, forget and output gates, of the cell gate, and of the cell state on its way to the
    /// hidden state; sigmoid, tanh and tanh if not given.
    pub activations: Option<Vec<MLRecurrentNetworkActivation>>,
}

impl Options for MLLstmCellOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            bias: members.optional("bias")?,
            recurrent_bias: members.optional("recurrentBias")?,
            peephole_weight: members.optional("peepholeWeight")?,
            layout: members.or("layout", MLLstmWeightLayout::default())?,
            activations: members.optional("activations")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-lstmCell>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-lstmCell",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "weight",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "recurrentWeight",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "hiddenState",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "cellState",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "bias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
        },
        OperandLimits {
            operand: "recurrentBias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
        },
        OperandLimits {
            operand: "peepholeWeight",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
        },
        OperandLimits {
            operand: "output0",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "output1",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
    ],
};

/// lstmCell
pub const LSTM_CELL: OperatorRow = OperatorRow {
    name: "lstmCell",
    section: "api-mlgraphbuilder-lstmcell",
    parameters: &["input", "weight", "recurrentWeight", "hiddenState", "cellState", "hiddenSize", "options"],
    call: |b, x| {
        let (input, weight, recurrent_weight) = (x.get("input")?, x.get("weight")?, x.get("recurrentWeight")?);
        let (hidden_state, cell_state) = (x.get("hiddenState")?, x.get("cellState")?);
        let states = [&hidden_state, &cell_state];
        b.lstm_cell(&input, &weight, &recurrent_weight, states, x.get("hiddenSize")?, &x.options()?)
    },
    limits: &LIMITS,
};

/// The parameters of an lstmCell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LstmCell {
    /// What is added to the input's part of each gate, after the required operands among the operator's inputs.
    pub bias: Option<OperandId>,
    /// What is added to the hidden state's part of each gate.
    pub recurrent_bias: Option<OperandId>,
    /// What the cell state is multiplied with on its way to the input, output and forget gates.
    pub peephole_weight: Option<OperandId>,
    /// The size of the hidden state.
    pub hidden_size: u32,
    /// The order of the gates in weights and biases.
    pub layout: MLLstmWeightLayout,
    /// The functions of the input, forget and output gates, of the cell gate, and of the cell state.
    pub activations: [MLRecurrentNetworkActivation; 3],
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-lstmcell>, whose `hiddenState` and `cellState` are given as a
    /// pair.
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, the shapes do not fit one another, or there are not three activations.
    pub fn lstm_cell(
        &self,
        input: &MLOperand,
        weight: &MLOperand,
        recurrent_weight: &MLOperand,
        [hidden_state, cell_state]: [&MLOperand; 2],
        hidden_size: u32,
        options: &MLLstmCellOptions,
    ) -> Result<Vec<MLOperand>> {
        algorithm!(
            "MLGraphBuilder.lstmCell(input, weight, recurrentWeight, hiddenState, cellState, hiddenSize, options)",
            self,
            options.label
        );
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        let optional_operands = || options.bias.iter().chain(&options.recurrent_bias).chain(&options.peephole_weight);
        let operands = [input, weight, recurrent_weight, hidden_state, cell_state];
        self.ensure_operands(operands.into_iter().chain(optional_operands()))?;
        step!("3");
        let required_operands = [
            ("input", input),
            ("weight", weight),
            ("recurrentWeight", recurrent_weight),
            ("hiddenState", hidden_state),
            ("cellState", cell_state),
        ];
        ensure_data_types(&LIMITS, &required_operands, input)?;
        step!("4");
        ensure_ranks(&LIMITS, &required_operands)?;
        step!("5");
        let batch_size = input.shape()[0];
        step!("6");
        let input_size = input.shape()[1];
        let [batches, inputs, hidden] = [batch_size, input_size, hidden_size].map(u64::from);
        step!("7");
        ensure_shape("weight", weight, &[4 * hidden, inputs])?;
        step!("8");
        ensure_shape("recurrentWeight", recurrent_weight, &[4 * hidden, hidden])?;
        step!("9");
        ensure_shape("hiddenState", hidden_state, &[batches, hidden])?;
        step!("10");
        ensure_shape("cellState", cell_state, &[batches, hidden])?;
        step!("11");
        if !is_valid_dimension(hidden * 8) {
            throw!(TypeError, "8 times {hidden_size} is no valid dimension");
        }
        step!("12");
        if let Some(bias) = &options.bias {
            step!("12.1");
            ensure_data_types(&LIMITS, &[("bias", bias)], input)?;
            step!("12.2");
            ensure_shape("bias", bias, &[4 * hidden])?;
        }
        step!("13");
        if let Some(recurrent_bias) = &options.recurrent_bias {
            step!("13.1");
            ensure_data_types(&LIMITS, &[("recurrentBias", recurrent_bias)], input)?;
            step!("13.2");
            ensure_shape("recurrentBias", recurrent_bias, &[4 * hidden])?;
        }
        step!("14");
        if let Some(peephole_weight) = &options.peephole_weight {
            step!("14.1");
            ensure_data_types(&LIMITS, &[("peepholeWeight", peephole_weight)], input)?;
            step!("14.2");
            ensure_shape("peepholeWeight", peephole_weight, &[3 * hidden])?;
        }
        step!("15");
        let activations = if let Some(activations) = &options.activations {
            step!("15.1");
            let Ok(activations) = <[_; 3]>::try_from(activations.as_slice()) else {
                throw!(TypeError, "activations needs 3 items, not {}", activations.len());
            };
            step!("15.2");
            activations
        } else {
            step!("16");
            step!("16.1");
            let [sigmoid, tanh] = [MLRecurrentNetworkActivation::Sigmoid, MLRecurrentNetworkActivation::Tanh];
            [sigmoid, tanh, tanh]
        };
        step!("17");
        step!("18");
        step!("19");
        let desc = MLOperandDescriptor { data_type: input.data_type(), shape: vec![batch_size, hidden_size] };
        step!("19.1");
        step!("19.1.1");
        let output0 = self.create_operand(desc.clone());
        step!("19.1.2");
        let output1 = self.create_operand(desc);
        step!("19.1.3");
        let output = vec![output0, output1];
        step!("19.1.4");
        let lstm_cell = LstmCell {
            bias: options.bias.as_ref().map(MLOperand::id),
            recurrent_bias: options.recurrent_bias.as_ref().map(MLOperand::id),
            peephole_weight: options.peephole_weight.as_ref().map(MLOperand::id),
            hidden_size,
            layout: options.layout,
            activations,
        };
        let operator = self.create_operator(Operation::LstmCell(lstm_cell), &options.label);
        step!("19.1.5");
        output.iter().for_each(|output| output.set_operator(operator));
        step!("19.1.6");
        self.set_inputs(operator, operands);
        step!("19.1.7");
        step!("19.1.8");
        step!("19.1.9");
        for operand in optional_operands() {
            self.add_input(operator, operand);
        }
        step!("19.1.10"); // BY TYPE: the activations are parameters of the operation.
        step!("19.1.11");
        self.set_outputs(operator, &output);
        step!("20");
        Ok(output)
    }
}

/// The weights of one direction, and how they are used.
pub(super) struct Cell<'a> {
    pub(super) weight: &'a [Float],
    pub(super) recurrent_weight: &'a [Float],
    pub(super) bias: Option<&'a [Float]>,
    pub(super) recurrent_bias: Option<&'a [Float]>,
    pub(super) peephole_weight: Option<&'a [Float]>,
    pub(super) layout: MLLstmWeightLayout,
    pub(super) activations: [MLRecurrentNetworkActivation; 3],
}

impl Cell<'_> {
    /// The hidden state and the cell state after one step, of one batch, as the section's emulation has it:
    ///
    /// i = f(p_i c + W_i x + b_i + R_i h + rb_i), likewise o and f, but g = g(W_g x + b_g + R_g h + rb_g) without a
    /// peephole; c' = f c + i g, h' = o h(c'). The peephole of the output gate sees the cell state before the step,
    /// unlike that of ONNX.
    pub(super) fn step(&self, input: &[Float], hidden: &[Float], cell_state: &[Float]) -> (Vec<Float>, Vec<Float>) {
        let units = hidden.len();
        let [input_gate, output_gate, forget_gate, cell_gate] = self.layout.places();
        let [of_gates, of_cell_gate, of_cell_state] = self.activations;
        let from_peephole =
            |place: usize, unit| self.peephole_weight.map(|weight| weight[place * units + unit] * cell_state[unit]);
        let gate = |place: usize, unit: usize, from_peephole: Option<Float>| {
            let row = place * units + unit;
            let biases = [self.bias, self.recurrent_bias].into_iter().flatten().map(move |bias| bias[row]);
            let products = products(self.weight, row, input).chain(products(self.recurrent_weight, row, hidden));
            sum(from_peephole.into_iter().chain(biases).chain(products))
        };
        let unit = |unit: usize| {
            // The peepholes lie in the order of the default layout, whatever that of the weights.
            let i = of_gates.of(gate(input_gate, unit, from_peephole(0, unit)));
            let o = of_gates.of(gate(output_gate, unit, from_peephole(1, unit)));
            let f = of_gates.of(gate(forget_gate, unit, from_peephole(2, unit)));
            let g = of_cell_gate.of(gate(cell_gate, unit, None));
            let cell_state = sum(once(f * cell_state[unit]).chain(once(i * g)));
            (o * of_cell_state.of(cell_state), cell_state)
        };
        (0..units).map(unit).unzip()
    }
}

impl LstmCell {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        for_float_type!(bound.input(0), input => self.one_step(input, bound))
    }

    fn one_step<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        let x = numbers(&input.view())?;
        let weight = numbers(&T::array(bound.input(1)).view())?;
        let recurrent_weight = numbers(&T::array(bound.input(2)).view())?;
        let hidden = numbers(&T::array(bound.input(3)).view())?;
        let cell_state = numbers(&T::array(bound.input(4)).view())?;
        let bias = optional_numbers::<T>(bound, self.bias)?;
        let recurrent_bias = optional_numbers::<T>(bound, self.recurrent_bias)?;
        let peephole_weight = optional_numbers::<T>(bound, self.peephole_weight)?;
        let cell = Cell {
            weight: &weight,
            recurrent_weight: &recurrent_weight,
            bias: bias.as_deref(),
            recurrent_bias: recurrent_bias.as_deref(),
            peephole_weight: peephole_weight.as_deref(),
            layout: self.layout,
            activations: self.activations,
        };
        let batches = input.shape()[0];
        let (mut new_hidden, mut new_cell_state) = (reserved(hidden.len())?, reserved(hidden.len())?);
        for batch in 0..batches {
            let of_batch = |elements| item(elements, batch, batches);
            let (hidden, cell_state) = cell.step(of_batch(&x), of_batch(&hidden), of_batch(&cell_state));
            new_hidden.extend(hidden);
            new_cell_state.extend(cell_state);
        }
        let outputs = bound.outputs().zip([new_hidden, new_cell_state]);
        outputs.map(|(descriptor, output)| rounded::<T>(descriptor, &output)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;
    use MLRecurrentNetworkActivation::{Relu, Tanh};

    /// One unit, of which input, output and forget gate are 2, 3 and 5 by their weights, and the cell gate is 7.
    fn cell(
        b: &MLGraphBuilder,
        layout: MLLstmWeightLayout,
        peephole_weight: Option<[f32; 3]>,
    ) -> Result<Vec<MLOperand>> {
        let weight = match layout {
            MLLstmWeightLayout::Iofg => [2f32, 3.0, 5.0, 7.0],
            MLLstmWeightLayout::Ifgo => [2f32, 5.0, 7.0, 3.0],
        };
        let options = MLLstmCellOptions {
            peephole_weight: peephole_weight.map(|weight| constant(b, &[3], &weight)),
            layout,
            activations: Some(vec![Relu; 3]),
            ..Default::default()
        };
        let [one, zero, cell_state] = [1f32, 0.0, 10.0].map(|number| constant(b, &[1, 1], &[number]));
        let recurrent_weight = constant(b, &[4, 1], &[1000f32; 4]);
        b.lstm_cell(&one, &constant(b, &[4, 1], &weight), &recurrent_weight, [&zero, &cell_state], 1, &options)
    }

    #[test]
    fn the_gates_are_where_the_layout_says() -> Result<()> {
        for layout in MLLstmWeightLayout::ALL {
            let of = |place| computed(|b| Ok(cell(b, layout, None)?.swap_remove(place)));
            // 5 * 10 + 2 * 7
            assert_eq!([of(0)?, of(1)?], [value(&[1, 1], &[192f32]), value(&[1, 1], &[64f32])]);
        }
        Ok(())
    }

    #[test]
    fn the_peepholes_have_one_order_and_see_the_cell_state_before_the_step() -> Result<()> {
        for layout in MLLstmWeightLayout::ALL {
            let of = |place| computed(|b| Ok(cell(b, layout, Some([0.1, 0.5, -0.25]))?.swap_remove(place)));
            // i = 2 + 0.1f * 10, o = 3 + 5, f = 5 - 2.5; 2.5 * 10 + 3 * 7, and eight times that.
            assert_eq!([of(0)?, of(1)?], [value(&[1, 1], &[368f32]), value(&[1, 1], &[46f32])]);
        }
        Ok(())
    }

    #[test]
    fn the_shapes_follow_from_the_sizes() {
        let b = builder(Reading::Corrected);
        let (input, weight) = (zeros::<f32>(&b, &[2, 5]), zeros::<f32>(&b, &[12, 5]));
        let (recurrent_weight, state) = (zeros::<f32>(&b, &[12, 3]), zeros::<f32>(&b, &[2, 3]));
        let step = |states: [&MLOperand; 2], hidden_size, options: MLLstmCellOptions| {
            b.lstm_cell(&input, &weight, &recurrent_weight, states, hidden_size, &options).unwrap_err().step
        };
        let half = zeros::<half::f16>(&b, &[2, 3]);
        assert_eq!(step([&state, &half], 3, MLLstmCellOptions::default()), "3");
        assert_eq!(step([&zeros::<f32>(&b, &[3]), &state], 3, MLLstmCellOptions::default()), "4");
        assert_eq!(step([&state; 2], 5, MLLstmCellOptions::default()), "7");
        assert_eq!(step([&input, &state], 3, MLLstmCellOptions::default()), "9");
        assert_eq!(step([&state, &input], 3, MLLstmCellOptions::default()), "10");
        let vector = Some(zeros::<f32>(&b, &[9]));
        assert_eq!(step([&state; 2], 3, MLLstmCellOptions { bias: vector.clone(), ..Default::default() }), "12.2");
        let recurrent_bias = vector;
        assert_eq!(step([&state; 2], 3, MLLstmCellOptions { recurrent_bias, ..Default::default() }), "13.2");
        let peephole_weight = Some(zeros::<f32>(&b, &[12]));
        assert_eq!(step([&state; 2], 3, MLLstmCellOptions { peephole_weight, ..Default::default() }), "14.2");
        let activations = Some(vec![Tanh; 2]);
        assert_eq!(step([&state; 2], 3, MLLstmCellOptions { activations, ..Default::default() }), "15.1");
        let swapped = b.lstm_cell(&input, &weight, &weight, [&state; 2], 3, &MLLstmCellOptions::default());
        assert_eq!(swapped.unwrap_err().step, "8");
    }
}
