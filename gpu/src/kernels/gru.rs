//! gru: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru>.
//!
//! The cell of gruCell, step after step, for each direction and batch at once.

use webnn_reference::ops::gru::Gru;

use crate::kernels::grucell::{Cell, Scratch};
use crate::kernels::recurrent::{Network, Rows, given, rounded};
use crate::lower::{Lowered, Lowering, Tensor};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Gru, inputs: &[Tensor], outputs: &[Tensor]) -> Lowered {
    let network = Network::new(&inputs[0], operation.direction, operation.hidden_size, 3);
    let count = network.rows();
    let biases = network.directions * count;
    let bias = given(to, inputs, operation.bias, biases)?;
    let recurrent_bias = given(to, inputs, operation.recurrent_bias, biases)?;
    let initial = given(to, inputs, operation.initial_hidden_state, network.states() * network.hidden)?;
    let cell = Cell {
        network,
        input_sums: network.of_inputs(to, &inputs[0], &Rows { weight: &inputs[1], bias: &bias, first: 0, count })?,
        weight: &inputs[2],
        bias: &recurrent_bias,
        reset_after: operation.reset_after,
        layout: operation.layout,
        activations: operation.activations,
    };
    let scratch = Scratch::new(to, &cell)?;
    let states = network.states_of_steps(to, operation.return_sequence)?;
    let mut before = network.initial(to, &initial)?;
    for step in 0..network.steps {
        let after = states.after(step);
        cell.step(to, step, &scratch, &before, &after)?;
        before = after;
    }
    rounded(to, &before, &outputs[0])?;
    match outputs.get(1) {
        Some(sequence) => network.sequence(to, &states.all, sequence),
        None => Ok(()),
    }
}
