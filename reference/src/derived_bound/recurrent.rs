//! Rules for recurrent networks, by their decompositions, step by step.
//!
//! The decompositions round everything on the way to the type, so that what leaves its range there becomes an infinity,
//! and that NaN.

use super::Ranges;
use super::elementwise;
use super::precision::Precision;
use super::range::Range;
use super::site::Site;
use super::sums::dot_in_type;
use crate::number::size;
use crate::ops::gru::{Gru, MLGruWeightLayout, MLRecurrentNetworkActivation, MLRecurrentNetworkDirection};
use crate::ops::grucell::GruCell;
use crate::ops::lstm::{Lstm, MLLstmWeightLayout};
use crate::ops::lstmcell::LstmCell;
use crate::value::Computed;

/// The elements that belong to one of the items along the first axis.
fn item(elements: &[Range], index: usize, count: usize) -> &[Range] {
    let size = elements.len() / count;
    &elements[index * size..(index + 1) * size]
}

/// One of the items of an optional operand.
fn optional_item(elements: &Option<Vec<Range>>, index: usize, count: usize) -> Option<&[Range]> {
    elements.as_deref().map(|elements| item(elements, index, count))
}

/// An initial state, or zeros.
fn state(initial: &Option<Vec<Range>>, index: usize, count: usize, units: usize) -> Vec<Range> {
    optional_item(initial, index, count).map_or_else(|| vec![Range::point(0.0); units], <[Range]>::to_vec)
}

fn activated(activation: MLRecurrentNetworkActivation, precision: Precision, x: Range) -> Range {
    match activation {
        MLRecurrentNetworkActivation::Relu => elementwise::relu(x),
        MLRecurrentNetworkActivation::Sigmoid => elementwise::sigmoid(precision, x),
        MLRecurrentNetworkActivation::Tanh => precision.tanh(x),
    }
}

/// The weights and biases of a cell.
#[derive(Clone, Copy)]
struct Weights<'a> {
    weight: &'a [Range],
    recurrent_weight: &'a [Range],
    bias: Option<&'a [Range]>,
    recurrent_bias: Option<&'a [Range]>,
}

impl Weights<'_> {
    /// W x + b, of one row.
    fn of_input(&self, row: usize, input: &[Range]) -> (Vec<Range>, Vec<Range>, Vec<Range>) {
        let weights = self.weight[row * input.len()..][..input.len()].to_vec();
        (weights, input.to_vec(), self.bias.iter().map(|bias| bias[row]).collect())
    }

    /// R h + c, of one row.
    fn of_hidden(&self, row: usize, hidden: &[Range]) -> (Vec<Range>, Vec<Range>, Vec<Range>) {
        let weights = self.recurrent_weight[row * hidden.len()..][..hidden.len()].to_vec();
        (weights, hidden.to_vec(), self.recurrent_bias.iter().map(|bias| bias[row]).collect())
    }

    /// W x + b + R h + c and further terms, of one row, in any order.
    fn gate(&self, precision: Precision, row: usize, input: &[Range], hidden: &[Range], further: &[Range]) -> Range {
        let (mut weights, mut vector, mut terms) = self.of_input(row, input);
        let (of_hidden, hidden, biases) = self.of_hidden(row, hidden);
        weights.extend(of_hidden);
        vector.extend(hidden);
        terms.extend(biases);
        terms.extend(further);
        dot_in_type(precision, &weights, &vector, &terms)
    }
}

/// A cell of a gru.
struct GruRule<'a> {
    precision: Precision,
    weights: Weights<'a>,
    reset_after: bool,
    layout: MLGruWeightLayout,
    activations: [MLRecurrentNetworkActivation; 2],
}

impl GruRule<'_> {
    /// As the cell of the interpreter, whose formulas these are.
    fn step(&self, input: &[Range], hidden: &[Range]) -> Vec<Range> {
        let precision = self.precision;
        let product = |a, b| precision.on_the_way(precision.mul(a, b));
        let [update, reset, new] = self.layout.places().map(|place| place * hidden.len());
        let [of_gates, of_new] = self.activations;
        let sum_of = |row| self.weights.gate(precision, row, input, hidden, &[]);
        let gate = |row| activated(of_gates, precision, sum_of(row));
        let resets: Vec<Range> = (0..hidden.len()).map(|unit| gate(reset + unit)).collect();
        let reset_hidden: Vec<Range> =
            resets.iter().zip(hidden).map(|(reset, hidden)| product(*reset, *hidden)).collect();
        let unit = |unit: usize| {
            let sum = if self.reset_after {
                let (weights, vector, bias) = self.weights.of_hidden(new + unit, hidden);
                let from_hidden = product(resets[unit], dot_in_type(precision, &weights, &vector, &bias));
                let (weights, vector, mut terms) = self.weights.of_input(new + unit, input);
                terms.push(from_hidden);
                dot_in_type(precision, &weights, &vector, &terms)
            } else {
                self.weights.gate(precision, new + unit, input, &reset_hidden, &[])
            };
            let n = activated(of_new, precision, sum);
            let z = gate(update + unit);
            // By its own formula it does not cancel: 1 - sigmoid(x) is sigmoid(-x).
            let difference = precision.sub(Range::point(1.0), z);
            let complement = match of_gates {
                MLRecurrentNetworkActivation::Sigmoid => {
                    difference.or(elementwise::sigmoid(precision, sum_of(update + unit).negative()))
                }
                MLRecurrentNetworkActivation::Relu | MLRecurrentNetworkActivation::Tanh => difference,
            };
            precision.on_the_way(precision.add(product(z, hidden[unit]), product(complement, n)))
        };
        (0..hidden.len()).map(unit).collect()
    }
}

/// A cell of an lstm.
struct LstmRule<'a> {
    precision: Precision,
    weights: Weights<'a>,
    peephole_weight: Option<&'a [Range]>,
    layout: MLLstmWeightLayout,
    activations: [MLRecurrentNetworkActivation; 3],
}

impl LstmRule<'_> {
    /// As the cell of the interpreter, whose formulas these are.
    fn step(&self, input: &[Range], hidden: &[Range], cell_state: &[Range]) -> (Vec<Range>, Vec<Range>) {
        let (precision, units) = (self.precision, hidden.len());
        let product = |a, b| precision.on_the_way(precision.mul(a, b));
        let [input_gate, output_gate, forget_gate, cell_gate] = self.layout.places();
        let [of_gates, of_cell_gate, of_cell_state] = self.activations;
        let gate = |place: usize, peephole: Option<usize>, unit: usize| {
            let weight = self.peephole_weight.zip(peephole).map(|(weight, place)| weight[place * units + unit]);
            let peephole = weight.map(|weight| product(weight, cell_state[unit]));
            self.weights.gate(precision, place * units + unit, input, hidden, peephole.as_slice())
        };
        let unit = |unit: usize| {
            let i = activated(of_gates, precision, gate(input_gate, Some(0), unit));
            let o = activated(of_gates, precision, gate(output_gate, Some(1), unit));
            let f = activated(of_gates, precision, gate(forget_gate, Some(2), unit));
            let g = activated(of_cell_gate, precision, gate(cell_gate, None, unit));
            let cell_state = precision.on_the_way(precision.add(product(f, cell_state[unit]), product(i, g)));
            (product(o, activated(of_cell_state, precision, cell_state)), cell_state)
        };
        (0..units).map(unit).unzip()
    }
}

/// gruCell
pub(super) fn gru_cell(operation: &GruCell, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (input, weight, recurrent_weight, hidden) =
        (site.operand(0)?, site.operand(1)?, site.operand(2)?, site.operand(3)?);
    let (bias, recurrent_bias) = (site.optional(operation.bias)?, site.optional(operation.recurrent_bias)?);
    let cell = GruRule {
        precision: site.precision(),
        weights: Weights {
            weight: &weight,
            recurrent_weight: &recurrent_weight,
            bias: bias.as_deref(),
            recurrent_bias: recurrent_bias.as_deref(),
        },
        reset_after: operation.reset_after,
        layout: operation.layout,
        activations: operation.activations,
    };
    let batches = site.bound().input(0).shape()[0];
    site.stored((0..batches).flat_map(|batch| cell.step(item(&input, batch, batches), item(&hidden, batch, batches))))
}

/// lstmCell
pub(super) fn lstm_cell(operation: &LstmCell, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (input, weight, recurrent_weight) = (site.operand(0)?, site.operand(1)?, site.operand(2)?);
    let (hidden, cell_state) = (site.operand(3)?, site.operand(4)?);
    let (bias, recurrent_bias) = (site.optional(operation.bias)?, site.optional(operation.recurrent_bias)?);
    let peephole_weight = site.optional(operation.peephole_weight)?;
    let cell = LstmRule {
        precision: site.precision(),
        weights: Weights {
            weight: &weight,
            recurrent_weight: &recurrent_weight,
            bias: bias.as_deref(),
            recurrent_bias: recurrent_bias.as_deref(),
        },
        peephole_weight: peephole_weight.as_deref(),
        layout: operation.layout,
        activations: operation.activations,
    };
    let batches = site.bound().input(0).shape()[0];
    let (mut new_hidden, mut new_cell_state) = (Vec::new(), Vec::new());
    for batch in 0..batches {
        let of_batch = |elements| item(elements, batch, batches);
        let (hidden, cell_state) = cell.step(of_batch(&input), of_batch(&hidden), of_batch(&cell_state));
        new_hidden.extend(hidden);
        new_cell_state.extend(cell_state);
    }
    stored(site, [new_hidden, new_cell_state])
}

/// The ranges of as many outputs as there are.
fn stored<const N: usize>(site: &Site<'_>, outputs: [Vec<Range>; N]) -> Computed<Vec<Ranges>> {
    let count = site.bound().outputs().count();
    let outputs = outputs.into_iter().enumerate().take(count);
    outputs.map(|(output, ranges)| site.stored_as(output, ranges.into_iter())).collect()
}

/// How a recurrent network goes through its input.
struct Walk {
    direction: MLRecurrentNetworkDirection,
    steps: usize,
    batches: usize,
    units: usize,
}

impl Walk {
    fn new(site: &Site<'_>, direction: MLRecurrentNetworkDirection, hidden_size: u32) -> Self {
        let shape = site.bound().input(0).shape();
        Self { direction, steps: shape[0], batches: shape[1], units: size(hidden_size) }
    }

    fn directions(&self) -> usize {
        size(self.direction.count())
    }

    /// How many states there are: one of each direction and batch.
    fn states(&self) -> usize {
        self.directions() * self.batches
    }

    /// Steps through the input for each direction and each batch: `start` gives the state, `advance` steps with what
    /// the input has there, and gives what goes into the sequence. The last states and the sequence.
    fn walk<S>(
        &self,
        input: &[Range],
        start: impl Fn(usize) -> S,
        advance: impl Fn(usize, &[Range], &S) -> S,
        hidden_of: impl Fn(&S) -> &[Range],
    ) -> (Vec<S>, Vec<Range>) {
        let mut sequence = vec![Range::point(0.0); self.steps * self.states() * self.units];
        let mut last = Vec::new();
        for state in 0..self.states() {
            let (direction, batch) = (state / self.batches, state % self.batches);
            let mut reached = start(state);
            for step in 0..self.steps {
                let step = self.direction.step_of(direction, step, self.steps);
                let here = item(input, step * self.batches + batch, self.steps * self.batches);
                reached = advance(direction, here, &reached);
                let place = (step * self.states() + state) * self.units;
                sequence[place..place + self.units].copy_from_slice(hidden_of(&reached));
            }
            last.push(reached);
        }
        (last, sequence)
    }
}

/// gru
pub(super) fn gru(operation: &Gru, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let walk = Walk::new(site, operation.direction, operation.hidden_size);
    let (input, weight, recurrent_weight) = (site.operand(0)?, site.operand(1)?, site.operand(2)?);
    let (bias, recurrent_bias) = (site.optional(operation.bias)?, site.optional(operation.recurrent_bias)?);
    let initial = site.optional(operation.initial_hidden_state)?;
    let directions = walk.directions();
    let cell = |direction: usize| GruRule {
        precision: site.precision(),
        weights: Weights {
            weight: item(&weight, direction, directions),
            recurrent_weight: item(&recurrent_weight, direction, directions),
            bias: optional_item(&bias, direction, directions),
            recurrent_bias: optional_item(&recurrent_bias, direction, directions),
        },
        reset_after: operation.reset_after,
        layout: operation.layout,
        activations: operation.activations,
    };
    let (last, sequence) = walk.walk(
        &input,
        |index| state(&initial, index, walk.states(), walk.units),
        |direction, input, hidden: &Vec<Range>| cell(direction).step(input, hidden),
        |hidden| hidden,
    );
    stored(site, [last.concat(), sequence])
}

/// lstm
pub(super) fn lstm(operation: &Lstm, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let walk = Walk::new(site, operation.direction, operation.hidden_size);
    let (input, weight, recurrent_weight) = (site.operand(0)?, site.operand(1)?, site.operand(2)?);
    let (bias, recurrent_bias) = (site.optional(operation.bias)?, site.optional(operation.recurrent_bias)?);
    let peephole_weight = site.optional(operation.peephole_weight)?;
    let initial_hidden = site.optional(operation.initial_hidden_state)?;
    let initial_cell = site.optional(operation.initial_cell_state)?;
    let directions = walk.directions();
    let cell = |direction: usize| LstmRule {
        precision: site.precision(),
        weights: Weights {
            weight: item(&weight, direction, directions),
            recurrent_weight: item(&recurrent_weight, direction, directions),
            bias: optional_item(&bias, direction, directions),
            recurrent_bias: optional_item(&recurrent_bias, direction, directions),
        },
        peephole_weight: optional_item(&peephole_weight, direction, directions),
        layout: operation.layout,
        activations: operation.activations,
    };
    let initial = |given, index| state(given, index, walk.states(), walk.units);
    let (last, sequence) = walk.walk(
        &input,
        |index| (initial(&initial_hidden, index), initial(&initial_cell, index)),
        |direction, input, (hidden, cell_state): &(Vec<Range>, Vec<Range>)| {
            cell(direction).step(input, hidden, cell_state)
        },
        |(hidden, _)| hidden,
    );
    let (hidden, cell_state): (Vec<_>, Vec<_>) = last.into_iter().unzip();
    stored(site, [hidden.concat(), cell_state.concat(), sequence])
}
