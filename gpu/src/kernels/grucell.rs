//! gruCell: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell>.
//!
//! With the weighted input X and the weighted state H, biases included, of the update, reset and new gate:
//! z = f(X_z + H_z), r = f(X_r + H_r), n = g(X_n + r H_n) if the reset comes after the product, and h' = z h + (1 - z) n.
//! If the reset comes before, H_n is made of r h instead, which takes two dispatches more. 1 - z has its own formula,
//! which does not cancel.

use webnn_reference::ops::gru::{MLGruWeightLayout, MLRecurrentNetworkActivation};
use webnn_reference::ops::grucell::GruCell;

use crate::kernels::recurrent::{GATES, Network, Rows, given, rounded};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Kernel, Lane, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &GruCell, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let network = Network::cell(&inputs[0], operation.hidden_size, 3);
    let count = network.rows();
    let (bias, recurrent_bias) =
        (given(to, inputs, operation.bias, count)?, given(to, inputs, operation.recurrent_bias, count)?);
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
    let before = network.initial(to, &inputs[3])?;
    let after = network.state(to)?;
    cell.step(to, 0, &scratch, &before, &after)?;
    rounded(to, &after, output)
}

/// A cell, and the weighted inputs of all its steps.
pub(super) struct Cell<'a> {
    pub(super) network: Network,
    pub(super) input_sums: Tensor,
    /// The recurrent weight.
    pub(super) weight: &'a Tensor,
    /// The recurrent bias.
    pub(super) bias: &'a Tensor,
    pub(super) reset_after: bool,
    pub(super) layout: MLGruWeightLayout,
    pub(super) activations: [MLRecurrentNetworkActivation; 2],
}

/// What steps write and read before the next one does.
pub(super) struct Scratch {
    /// The weighted states.
    state_sums: Tensor,
    /// The reset states, and what they are when weighted for the new gate, if the reset comes before.
    reset: Option<(Tensor, Tensor)>,
}

impl Scratch {
    pub(super) fn new(to: &mut Lowering<'_>, cell: &Cell<'_>) -> Lowered<Self> {
        let Network { hidden, .. } = cell.network;
        let (states, rows) = (cell.network.states(), cell.network.rows());
        let state_sums = to.scratch(Lane::Bits128, &[states, rows])?;
        let reset = match cell.reset_after {
            true => None,
            false => Some((cell.network.state(to)?, to.scratch(Lane::Bits128, &[states, hidden])?)),
        };
        Ok(Self { state_sums, reset })
    }
}

impl Cell<'_> {
    /// The states after a step.
    pub(super) fn step(
        &self,
        to: &mut Lowering<'_>,
        step: u32,
        scratch: &Scratch,
        before: &Tensor,
        after: &Tensor,
    ) -> Lowered {
        let Network { hidden, .. } = self.network;
        let rows = self.network.rows();
        let sums = &scratch.state_sums;
        self.network.of_states(to, before, &self.rows(0, rows), sums)?;
        let Some((reset, reset_sums)) = &scratch.reset else {
            return self.states(to, step, [sums, sums, before], after);
        };
        self.run(to, step, "gru reset", RESET, &[("state_sums", sums), ("h", before)], reset)?;
        self.network.of_states(to, reset, &self.rows(2 * hidden, hidden), reset_sums)?;
        self.states(to, step, [sums, reset_sums, before], after)
    }

    /// The new gate is the last in every layout.
    fn rows(&self, first: u32, count: u32) -> Rows<'_> {
        Rows { weight: self.weight, bias: self.bias, first, count }
    }

    fn states(&self, to: &mut Lowering<'_>, step: u32, inputs: [&Tensor; 3], after: &Tensor) -> Lowered {
        let [sums, new_sums, before] = inputs;
        self.run(to, step, "gru", STATE, &[("state_sums", sums), ("new_sums", new_sums), ("h", before)], after)
    }

    fn run(
        &self,
        to: &mut Lowering<'_>,
        step: u32,
        name: &str,
        text: &str,
        inputs: &[(&str, &Tensor)],
        output: &Tensor,
    ) -> Lowered {
        let [update, reset, new] = self.layout.places().map(|place| place as u32);
        let Network { hidden, .. } = self.network;
        // Where the sums of the new gate are.
        let (new_rows, first_new) = if self.reset_after { (self.network.rows(), new * hidden) } else { (hidden, 0) };
        let gates = Params::new()
            .number("update", update)
            .number("reset", reset)
            .number("new_gate", new)
            .number("new_rows", new_rows)
            .number("first_new", first_new)
            .number("reset_after", u32::from(self.reset_after));
        let mut all = vec![("input_sums", &self.input_sums)];
        all.extend(inputs);
        let kernel = Kernel {
            name: name.to_owned(),
            inputs: all.iter().map(|(name, tensor)| tensor.named(name).0).collect(),
            output: output.lane,
            params: self.network.params(step, &self.activations).and(&gates),
            body: format!("{GATES}{text}"),
        };
        to.run(&kernel, &all.iter().map(|(_, tensor)| *tensor).collect::<Vec<_>>(), output)
    }
}

const RESET: &str = "\
fn element(i: u32) -> f32 {
    return activated(0u, sum_value(sum_join(from_input(i, reset()), from_state(i, reset())))) * h(i);
}
";

const STATE: &str = "\
// 1 - activated(0u, x)
fn complement(x: f32) -> f32 {
    switch activation(0u) {
        case 0u: { return 1.0 - activated(0u, x); }
        case 1u: { return f32_sigmoid(f32_neg(x)); }
        default: { return 2.0 * f32_sigmoid(-2.0 * x); }
    }
}
fn element(i: u32) -> f32 {
    let z = sum_value(sum_join(from_input(i, update()), from_state(i, update())));
    var r = 1.0;
    if (reset_after() != 0u) {
        r = activated(0u, sum_value(sum_join(from_input(i, reset()), from_state(i, reset()))));
    }
    let weighted = new_sums((i / hidden()) * new_rows() + first_new() + i % hidden());
    let from_reset = sum_add_product(from_input(i, new_gate()), r, sum_value(sum_unpack(weighted)));
    let n = activated(1u, sum_value(from_reset));
    return sum_value(sum_add_product(sum_add_product(sum_empty(), activated(0u, z), h(i)), complement(z), n));
}
";
