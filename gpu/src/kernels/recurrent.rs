//! The template of recurrent networks: what gru and lstm, and their cells, have in common.
//!
//! Each step needs sums of products of the input, which no step waits for, and of the hidden state, which the next one
//! waits for. So one dispatch multiplies the inputs of all steps; then each step multiplies its hidden state, and
//! element-wise kernels make of both sums the gates and of these the states. Sums stay as long as they are until a gate
//! takes them, and states are float32 whatever the type of the operands, rounded to it in the outputs only.
//!
//! An operand that is not given is a table of zeros, and an activation is a number, so that all options share kernels.

use webnn_reference::operand::OperandId;
use webnn_reference::ops::concat::Concat;
use webnn_reference::ops::gru::{MLRecurrentNetworkActivation, MLRecurrentNetworkDirection};

use crate::kernels::accumulate::{self, Part, SUM, Terms};
use crate::kernels::{cast, concat, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Kernel, Lane, Params};

/// The sizes of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Network {
    pub(super) steps: u32,
    pub(super) directions: u32,
    pub(super) batches: u32,
    /// The size of the hidden state.
    pub(super) hidden: u32,
    /// The number of gates that there are weights for.
    pub(super) gates: u32,
    /// The first of the directions that take the last step first.
    pub(super) backward: u32,
}

/// A matrix and a bias for each direction, of which some rows are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub(super) weight: &'a Tensor,
    pub(super) bias: &'a Tensor,
    /// The first row that is taken.
    pub(super) first: u32,
    /// How many are.
    pub(super) count: u32,
}

impl Network {
    /// A network that takes the steps of `input`.
    pub(super) fn new(input: &Tensor, direction: MLRecurrentNetworkDirection, hidden: u32, gates: u32) -> Self {
        let (directions, backward) = match direction {
            MLRecurrentNetworkDirection::Forward => (1, 1),
            MLRecurrentNetworkDirection::Backward => (1, 0),
            MLRecurrentNetworkDirection::Both => (2, 1),
        };
        Self { steps: input.shape[0], directions, batches: input.shape[1], hidden, gates, backward }
    }

    /// One step, of an input without a dimension of steps.
    pub(super) fn cell(input: &Tensor, hidden: u32, gates: u32) -> Self {
        Self { steps: 1, directions: 1, batches: input.shape[0], hidden, gates, backward: 1 }
    }

    /// The number of hidden states of a step.
    pub(super) fn states(self) -> u32 {
        self.directions * self.batches
    }

    /// The number of rows that a direction's weights have.
    pub(super) fn rows(self) -> u32 {
        self.gates * self.hidden
    }

    /// A new scratch tensor for the states of one step.
    pub(super) fn state(self, to: &mut Lowering<'_>) -> Lowered<Tensor> {
        to.scratch(Lane::F32, &[self.states(), self.hidden])
    }

    /// Tensors for the states after each step, all of which a sequence needs.
    pub(super) fn states_of_steps(self, to: &mut Lowering<'_>, is_sequence: bool) -> Lowered<States> {
        let count = if is_sequence { self.steps } else { self.steps.min(2) };
        Ok(States { all: (0..count).map(|_| self.state(to)).collect::<Lowered<_>>()? })
    }

    /// The states before the first step.
    pub(super) fn initial(self, to: &mut Lowering<'_>, state: &Tensor) -> Lowered<Tensor> {
        if state.lane == Lane::F32 {
            return Ok(state.clone());
        }
        let wide = self.state(to)?;
        cast::lower(to, std::slice::from_ref(state), &wide)?;
        Ok(wide)
    }

    /// The weighted inputs of all steps, in the order in which they are taken: a sum for each step, state and row.
    pub(super) fn of_inputs(self, to: &mut Lowering<'_>, input: &Tensor, rows: &Rows<'_>) -> Lowered<Tensor> {
        let sums = to.scratch(Lane::Bits128, &[self.steps, self.states(), rows.count])?;
        let strides = Strides { of_steps: self.batches, of_directions: 0 };
        self.products(to, (input, strides), rows, &sums)?;
        Ok(sums)
    }

    /// The weighted states of a step: a sum for each state and row.
    pub(super) fn of_states(self, to: &mut Lowering<'_>, states: &Tensor, rows: &Rows<'_>, sums: &Tensor) -> Lowered {
        let strides = Strides { of_steps: 0, of_directions: self.batches };
        self.products(to, (states, strides), rows, sums)
    }

    fn products(
        self,
        to: &mut Lowering<'_>,
        (vectors, strides): (&Tensor, Strides),
        rows: &Rows<'_>,
        sums: &Tensor,
    ) -> Lowered {
        let (weight, bias) = (rows.weight, rows.bias);
        let length = weight.shape[weight.shape.len() - 1];
        let params = Params::new()
            .number("rows", rows.count)
            .number("batches", self.batches)
            .number("directions", self.directions)
            .number("first_row", rows.first)
            .number("all_rows", self.rows());
        let terms = Terms {
            part: Part {
                name: format!("{} and {:?}", name("weighted", vectors.lane), weight.lane),
                inputs: vec![vectors.named("x"), weight.named("w")],
                params: Params::new()
                    .number("length", length)
                    .number("last_step", self.steps - 1)
                    .number("backward", self.backward)
                    .number("of_steps", strides.of_steps)
                    .number("of_directions", strides.of_directions),
                text: PRODUCTS.to_owned(),
            },
            shared: Part { params, text: PLACES.to_owned(), ..Part::default() },
            count: length,
            iterations: 1,
            state: SUM,
        };
        let finish = Part {
            name: name("biased", bias.lane),
            inputs: vec![bias.named("bias")],
            text: BIASED.to_owned(),
            ..Part::default()
        };
        accumulate::lower(to, &terms, &finish, sums)
    }

    /// The parameters that [`GATES`] refers to, for a step.
    pub(super) fn params(self, step: u32, activations: &[MLRecurrentNetworkActivation]) -> Params {
        let numbers = activations.iter().map(|activation| number(*activation)).collect::<Vec<_>>();
        Params::new()
            .number("hidden", self.hidden)
            .number("rows", self.rows())
            .number("first_sum", step * self.states() * self.rows())
            .list("activation", 3, &numbers)
    }

    /// An output that has the states of all steps, in the order of the input.
    pub(super) fn sequence(self, to: &mut Lowering<'_>, states: &[Tensor], output: &Tensor) -> Lowered {
        let all = to.scratch(Lane::F32, &[self.steps * self.states(), self.hidden])?;
        concat::lower(to, &Concat { axis: 0 }, states, &all)?;
        let kernel = Kernel {
            name: name("sequence", output.lane),
            inputs: vec![all.named("a").0],
            output: output.lane,
            params: Params::new()
                .number("of_direction", self.batches * self.hidden)
                .number("directions", self.directions)
                .number("last_step", self.steps - 1)
                .number("backward", self.backward),
            body: SEQUENCE.to_owned(),
        };
        to.run(&kernel, &[&all], output)
    }
}

/// Tensors for the states after each step: one for each, or two that take turns.
pub(super) struct States {
    pub(super) all: Vec<Tensor>,
}

impl States {
    /// That of a step.
    pub(super) fn after(&self, step: u32) -> Tensor {
        self.all[step as usize % self.all.len()].clone()
    }
}

/// The steps between vectors.
#[derive(Clone, Copy)]
struct Strides {
    of_steps: u32,
    of_directions: u32,
}

/// An operand that may not be given.
pub(super) fn given(
    to: &mut Lowering<'_>,
    inputs: &[Tensor],
    operand: Option<OperandId>,
    count: u32,
) -> Lowered<Tensor> {
    match operand {
        Some(operand) => to.operand(operand),
        None => Ok(Tensor { lane: inputs[0].lane, ..to.table(vec![0; count as usize]) }),
    }
}

/// Rounds states to an output.
pub(super) fn rounded(to: &mut Lowering<'_>, states: &Tensor, output: &Tensor) -> Lowered {
    cast::lower(to, std::slice::from_ref(states), output)
}

fn number(activation: MLRecurrentNetworkActivation) -> u32 {
    match activation {
        MLRecurrentNetworkActivation::Relu => 0,
        MLRecurrentNetworkActivation::Sigmoid => 1,
        MLRecurrentNetworkActivation::Tanh => 2,
    }
}

/// Where the sum `o` belongs: steps, directions, batches, rows.
const PLACES: &str = "\
fn weight_row(o: u32) -> u32 {
    let direction = (o / rows() / batches()) % directions();
    return direction * all_rows() + first_row() + o % rows();
}
";

/// Products of a row and the vector of the step, direction and batch.
const PRODUCTS: &str = "\
fn accumulate(o: u32, first: u32, end: u32) -> Sum {
    let batch = (o / rows()) % batches();
    let direction = (o / rows() / batches()) % directions();
    let taken = o / rows() / batches() / directions();
    let step = select(taken, last_step() - taken, direction >= backward());
    let x_start = (step * of_steps() + direction * of_directions() + batch) * length();
    let w_start = weight_row(o) * length();
    var s = sum_empty();
    for (var n = first; n < end; n++) {
        s = sum_add_product(s, x(x_start + n), w(w_start + n));
    }
    return s;
}
";

const BIASED: &str = "\
fn finish(o: u32, s: Sum) -> vec4<u32> { return sum_pack(sum_add(s, bias(weight_row(o)))); }
";

/// What makes gates of sums: `from_input(i, gate)` and `from_state(i, gate)` for the element `i` of the states.
pub(super) const GATES: &str = "\
fn sum_at(i: u32, gate: u32) -> u32 { return (i / hidden()) * rows() + gate * hidden() + i % hidden(); }
fn from_input(i: u32, gate: u32) -> Sum { return sum_unpack(input_sums(first_sum() + sum_at(i, gate))); }
fn from_state(i: u32, gate: u32) -> Sum { return sum_unpack(state_sums(sum_at(i, gate))); }
fn activated(place: u32, x: f32) -> f32 {
    switch activation(place) {
        case 0u: { return select(x, 0.0, f32_lt(x, 0.0)); }
        case 1u: { return f32_sigmoid(x); }
        default: { return f32_tanh(x); }
    }
}
";

/// Steps, directions, batches and units of the output, from the order in which the steps were taken.
const SEQUENCE: &str = "\
fn element(i: u32) -> f32 {
    let direction = (i / of_direction()) % directions();
    let step = i / of_direction() / directions();
    let taken = select(step, last_step() - step, direction >= backward());
    return a((taken * directions() + direction) * of_direction() + i % of_direction());
}
";
