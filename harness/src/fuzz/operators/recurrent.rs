//! Recurrent networks.

use webnn_reference::ops::OperatorRow;
use webnn_vectors::DataType;

use crate::fuzz::draft::{Call, Draft, Operand};
use crate::fuzz::elements::Purpose;

/// The sizes of a network.
struct Sizes {
    /// One, or two where it goes both ways; absent in a cell.
    directions: Option<u32>,
    batches: u32,
    inputs: u32,
    hidden: u32,
    gates: u32,
}

impl Sizes {
    /// A shape that begins with the directions, where there are any.
    fn shape(&self, rest: &[u32]) -> Vec<u32> {
        self.directions.iter().chain(rest).copied().collect()
    }

    fn state(&self) -> Vec<u32> {
        self.shape(&[self.batches, self.hidden])
    }
}

/// The input: one that there is already, unless it is too large.
fn input(draft: &mut Draft, row: &'static OperatorRow) -> Operand {
    let input = draft.first(row, "input");
    if input.shape.iter().all(|dimension| *dimension <= 6) {
        return input;
    }
    let shape: Vec<u32> = input.shape.iter().map(|_| draft.random.between(1, 5)).collect();
    draft.operand(input.data_type, &shape, Purpose::Weights)
}

fn weights(draft: &mut Draft, data_type: DataType, shape: &[u32]) -> String {
    draft.operand(data_type, shape, Purpose::Weights).name
}

/// A member of the options, in half of all calls.
fn member(draft: &mut Draft, call: Call, name: &str, data_type: DataType, shape: &[u32]) -> Call {
    if draft.random.coin() {
        return call;
    }
    let operand = weights(draft, data_type, shape);
    call.option(name, operand.as_str())
}

/// Input, weight and recurrent weight.
fn begin(draft: &mut Draft, input: &Operand, sizes: &Sizes) -> Call {
    let rows = sizes.gates * sizes.hidden;
    let weight = weights(draft, input.data_type, &sizes.shape(&[rows, sizes.inputs]));
    let recurrent_weight = weights(draft, input.data_type, &sizes.shape(&[rows, sizes.hidden]));
    Call::with("input", input).and("weight", weight.as_str()).and("recurrentWeight", recurrent_weight.as_str())
}

/// What all four have in their options.
fn options(draft: &mut Draft, call: Call, input: &Operand, sizes: &Sizes, layouts: &[&str; 2]) -> Call {
    let bias = sizes.shape(&[sizes.gates * sizes.hidden]);
    let call = member(draft, call, "bias", input.data_type, &bias);
    let mut call = member(draft, call, "recurrentBias", input.data_type, &bias);
    if sizes.gates == 4 {
        let peepholes = sizes.shape(&[3 * sizes.hidden]);
        call = member(draft, call, "peepholeWeight", input.data_type, &peepholes);
    } else {
        let reset_after = draft.random.coin();
        call = call.maybe(draft, "resetAfter", reset_after);
    }
    let layout = draft.random.choose(layouts);
    // As many as the gates have activations: two of three, three of four.
    let activations: Vec<&str> = (1..sizes.gates).map(|_| draft.random.choose(&["sigmoid", "tanh", "relu"])).collect();
    call.maybe(draft, "layout", layout).maybe(draft, "activations", activations)
}

const GRU_LAYOUTS: [&str; 2] = ["zrn", "rzn"];
const LSTM_LAYOUTS: [&str; 2] = ["iofg", "ifgo"];

/// The sizes of a network over several steps, and its direction.
fn network(draft: &mut Draft, input: &Operand, gates: u32) -> (Sizes, &'static str) {
    let direction = draft.random.choose(&["forward", "backward", "both"]);
    let directions = if direction == "both" { 2 } else { 1 };
    let hidden = draft.random.between(1, 4);
    let sizes = Sizes { directions: Some(directions), batches: input.shape[1], inputs: input.shape[2], hidden, gates };
    (sizes, direction)
}

fn cell(draft: &mut Draft, input: &Operand, gates: u32) -> Sizes {
    let hidden = draft.random.between(1, 4);
    Sizes { directions: None, batches: input.shape[0], inputs: input.shape[1], hidden, gates }
}

fn of_several_steps(draft: &mut Draft, call: Call, direction: &str) -> Call {
    let return_sequence = draft.random.coin();
    let call = call.maybe(draft, "returnSequence", return_sequence);
    if direction == "forward" { call.maybe(draft, "direction", direction) } else { call.option("direction", direction) }
}

pub(super) fn gru(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = input(draft, row);
    let (sizes, direction) = network(draft, &input, 3);
    let call = begin(draft, &input, &sizes).and("steps", input.shape[0]).and("hiddenSize", sizes.hidden);
    let call = options(draft, call, &input, &sizes, &GRU_LAYOUTS);
    let call = member(draft, call, "initialHiddenState", input.data_type, &sizes.state());
    of_several_steps(draft, call, direction)
}

pub(super) fn lstm(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = input(draft, row);
    let (sizes, direction) = network(draft, &input, 4);
    let call = begin(draft, &input, &sizes).and("steps", input.shape[0]).and("hiddenSize", sizes.hidden);
    let call = options(draft, call, &input, &sizes, &LSTM_LAYOUTS);
    let call = member(draft, call, "initialHiddenState", input.data_type, &sizes.state());
    let call = member(draft, call, "initialCellState", input.data_type, &sizes.state());
    of_several_steps(draft, call, direction)
}

pub(super) fn gru_cell(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = input(draft, row);
    let sizes = cell(draft, &input, 3);
    let hidden_state = weights(draft, input.data_type, &sizes.state());
    let call = begin(draft, &input, &sizes).and("hiddenState", hidden_state.as_str()).and("hiddenSize", sizes.hidden);
    options(draft, call, &input, &sizes, &GRU_LAYOUTS)
}

pub(super) fn lstm_cell(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = input(draft, row);
    let sizes = cell(draft, &input, 4);
    let hidden_state = weights(draft, input.data_type, &sizes.state());
    let cell_state = weights(draft, input.data_type, &sizes.state());
    let call = begin(draft, &input, &sizes)
        .and("hiddenState", hidden_state.as_str())
        .and("cellState", cell_state.as_str())
        .and("hiddenSize", sizes.hidden);
    options(draft, call, &input, &sizes, &LSTM_LAYOUTS)
}
