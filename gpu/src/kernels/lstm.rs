//! lstm: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm>.
//!
//! The cell of lstmCell, step after step, for each direction and batch at once.

use webnn_reference::ops::lstm::Lstm;

use crate::kernels::lstmcell::Cell;
use crate::kernels::recurrent::{Network, Rows, given, rounded};
use crate::lower::{Lowered, Lowering, Tensor};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Lstm, inputs: &[Tensor], outputs: &[Tensor]) -> Lowered {
    let network = Network::new(&inputs[0], operation.direction, operation.hidden_size, 4);
    let (count, states) = (network.rows(), network.states() * network.hidden);
    let biases = network.directions * count;
    let bias = given(to, inputs, operation.bias, biases)?;
    let recurrent_bias = given(to, inputs, operation.recurrent_bias, biases)?;
    let peephole = given(to, inputs, operation.peephole_weight, network.directions * 3 * network.hidden)?;
    let initial_hidden_state = given(to, inputs, operation.initial_hidden_state, states)?;
    let initial_cell_state = given(to, inputs, operation.initial_cell_state, states)?;
    let cell = Cell {
        network,
        input_sums: network.of_inputs(to, &inputs[0], &Rows { weight: &inputs[1], bias: &bias, first: 0, count })?,
        weight: &inputs[2],
        bias: &recurrent_bias,
        peephole: &peephole,
        has_peephole: operation.peephole_weight.is_some(),
        layout: operation.layout,
        activations: operation.activations,
    };
    let sums = cell.sums(to)?;
    let hidden = network.states_of_steps(to, operation.return_sequence)?;
    let cells = network.states_of_steps(to, false)?;
    let mut before = [network.initial(to, &initial_hidden_state)?, network.initial(to, &initial_cell_state)?];
    for step in 0..network.steps {
        let after = [hidden.after(step), cells.after(step)];
        cell.step(to, step, &sums, &before, &after)?;
        before = after;
    }
    rounded(to, &before[0], &outputs[0])?;
    rounded(to, &before[1], &outputs[1])?;
    match outputs.get(2) {
        Some(sequence) => network.sequence(to, &hidden.all, sequence),
        None => Ok(()),
    }
}
