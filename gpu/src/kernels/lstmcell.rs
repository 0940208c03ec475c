//! lstmCell: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell>.
//!
//! With the weighted input X and the weighted state H, biases included: i = f(X_i + H_i + p_i c), likewise o and f,
//! g = g(X_g + H_g), then c' = f c + i g and h' = o k(c'). The peephole of the output gate sees the cell state before the
//! step. The two states take a kernel each.

use webnn_reference::ops::gru::MLRecurrentNetworkActivation;
use webnn_reference::ops::lstm::MLLstmWeightLayout;
use webnn_reference::ops::lstmcell::LstmCell;

use crate::kernels::name;
use crate::kernels::recurrent::{GATES, Network, Rows, given, rounded};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Kernel, Lane, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &LstmCell, inputs: &[Tensor], outputs: &[Tensor]) -> Lowered {
    let network = Network::cell(&inputs[0], operation.hidden_size, 4);
    let count = network.rows();
    let bias = given(to, inputs, operation.bias, count)?;
    let recurrent_bias = given(to, inputs, operation.recurrent_bias, count)?;
    let peephole = given(to, inputs, operation.peephole_weight, 3 * network.hidden)?;
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
    let before = [network.initial(to, &inputs[3])?, network.initial(to, &inputs[4])?];
    let after = [network.state(to)?, network.state(to)?];
    cell.step(to, 0, &sums, &before, &after)?;
    rounded(to, &after[0], &outputs[0])?;
    rounded(to, &after[1], &outputs[1])
}

/// A cell, and the weighted inputs of all its steps.
pub(super) struct Cell<'a> {
    pub(super) network: Network,
    pub(super) input_sums: Tensor,
    /// The recurrent weight.
    pub(super) weight: &'a Tensor,
    /// The recurrent bias.
    pub(super) bias: &'a Tensor,
    /// The peephole weight, which an infinite state shows to be zero or not given.
    pub(super) peephole: &'a Tensor,
    pub(super) has_peephole: bool,
    pub(super) layout: MLLstmWeightLayout,
    pub(super) activations: [MLRecurrentNetworkActivation; 3],
}

impl Cell<'_> {
    /// What the weighted states of each step are written to.
    pub(super) fn sums(&self, to: &mut Lowering<'_>) -> Lowered<Tensor> {
        to.scratch(Lane::Bits128, &[self.network.states(), self.network.rows()])
    }

    /// The hidden and cell states after a step.
    pub(super) fn step(
        &self,
        to: &mut Lowering<'_>,
        step: u32,
        sums: &Tensor,
        before: &[Tensor; 2],
        after: &[Tensor; 2],
    ) -> Lowered {
        let rows = Rows { weight: self.weight, bias: self.bias, first: 0, count: self.network.rows() };
        self.network.of_states(to, &before[0], &rows, sums)?;
        let inputs = [("state_sums", sums), ("c", &before[1])];
        self.run(to, step, "lstm cell state", CELL, &inputs, &after[1])?;
        let inputs = [("state_sums", sums), ("c", &before[1]), ("new_c", &after[1])];
        self.run(to, step, "lstm hidden state", HIDDEN, &inputs, &after[0])
    }

    fn run(
        &self,
        to: &mut Lowering<'_>,
        step: u32,
        what: &str,
        text: &str,
        inputs: &[(&str, &Tensor)],
        output: &Tensor,
    ) -> Lowered {
        let [input, out, forget, cell] = self.layout.places().map(|place| place as u32);
        let gates = Params::new()
            .number("input_gate", input)
            .number("output_gate", out)
            .number("forget_gate", forget)
            .number("cell_gate", cell)
            .number("has_peephole", u32::from(self.has_peephole))
            .number("of_direction", self.network.batches * self.network.hidden);
        let mut all = vec![("input_sums", &self.input_sums), ("peephole", self.peephole)];
        all.extend(inputs);
        let kernel = Kernel {
            name: name(what, self.peephole.lane),
            inputs: all.iter().map(|(name, tensor)| tensor.named(name).0).collect(),
            output: output.lane,
            params: self.network.params(step, &self.activations).and(&gates),
            body: format!("{GATES}{PEEPHOLE}{text}"),
        };
        to.run(&kernel, &all.iter().map(|(_, tensor)| *tensor).collect::<Vec<_>>(), output)
    }
}

/// A gate with a peephole; those lie in the order input, output, forget whatever the layout of the weights.
const PEEPHOLE: &str = "\
fn gate(i: u32, place: u32, peephole_place: u32) -> f32 {
    let at = ((i / of_direction()) * 3u + peephole_place) * hidden() + i % hidden();
    var sum = sum_join(from_input(i, place), from_state(i, place));
    if (has_peephole() != 0u) { sum = sum_add_product(sum, peephole(at), c(i)); }
    return activated(0u, sum_value(sum));
}
";

const CELL: &str = "\
fn element(i: u32) -> f32 {
    let g = activated(1u, sum_value(sum_join(from_input(i, cell_gate()), from_state(i, cell_gate()))));
    let kept = sum_add_product(sum_empty(), gate(i, forget_gate(), 2u), c(i));
    return sum_value(sum_add_product(kept, gate(i, input_gate(), 0u), g));
}
";

const HIDDEN: &str = "\
fn element(i: u32) -> f32 {
    return gate(i, output_gate(), 1u) * activated(2u, new_c(i));
}
";
