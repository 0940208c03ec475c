//! Shrinks a graph on which an implementation differs: to as few operators, elements, options and digits as still show
//! the difference.

use std::mem::discriminant;

use webnn_vectors::{Graph, Names};

use super::simpler::{self, Complexity};
use super::values;
use crate::execute::Tensor;
use crate::judge::difference::Difference;

/// What shrinking needs to know of graphs.
pub(crate) trait Trial {
    /// The difference that the implementation shows on each graph; none on one that can not be built.
    fn differences(&mut self, graphs: &[Graph]) -> Vec<Option<Difference>>;

    /// What the interpreter gives for the outputs of a graph.
    fn values(&mut self, graph: &Graph) -> Option<Vec<(String, Tensor)>>;
}

/// How many graphs are tried at once, and how many in all: enough for any graph seen so far, and an end to it.
const AT_ONCE: usize = 16;
const MOST_TRIED: usize = 6000;

/// A graph that was shrunk, and what it shows.
#[derive(Clone, Debug)]
pub(crate) struct Shrunk {
    pub(crate) graph: Graph,
    pub(crate) difference: Difference,
    /// How many graphs were tried.
    pub(crate) tried: usize,
}

/// Shrinks a graph that shows a difference. The same graph always shrinks to the same one.
pub(crate) fn shrink(graph: &Graph, difference: Difference, trial: &mut dyn Trial) -> Shrunk {
    let mut shrinking = Shrinking { best: Shrunk { graph: graph.clone(), difference, tried: 0 }, trial };
    loop {
        let before = Complexity::of(&shrinking.best.graph);
        shrinking.repeat(simpler::one_output);
        shrinking.cut();
        for simpler in [simpler::dimensions, simpler::ranks, simpler::arguments, simpler::data, simpler::inputs] {
            shrinking.repeat(simpler);
        }
        if Complexity::of(&shrinking.best.graph) == before || shrinking.best.tried >= MOST_TRIED {
            return shrinking.best;
        }
    }
}

struct Shrinking<'a> {
    best: Shrunk,
    trial: &'a mut dyn Trial,
}

impl Shrinking<'_> {
    /// Goes on for as long as one of the simpler graphs shows the difference.
    fn repeat(&mut self, simpler: fn(&Graph) -> Vec<Graph>) {
        while self.first_that_differs(simpler(&self.best.graph)) {}
    }

    /// Replaces what operators compute by inputs with the interpreter's values: the latest first, since that leaves
    /// most out.
    fn cut(&mut self) {
        loop {
            let graph = &self.best.graph;
            let computed: Vec<String> = graph.outputs().map(str::to_owned).collect();
            let Some(values) = self.trial.values(&simpler::with_outputs(graph, &computed)) else {
                return;
            };
            let outputs: Vec<String> = graph.expected_outputs.keys().cloned().collect();
            let candidates: Vec<Graph> = values
                .iter()
                .rev()
                .filter(|(name, _)| !outputs.contains(name))
                .filter_map(|(name, value)| Some(simpler::with_outputs(&replaced(graph, name, value)?, &outputs)))
                .collect();
            if !self.first_that_differs(candidates) {
                return;
            }
        }
    }

    /// Takes the first graph that is simpler than the best one and shows a difference of the same kind.
    fn first_that_differs(&mut self, mut graphs: Vec<Graph>) -> bool {
        let complexity = Complexity::of(&self.best.graph);
        graphs.retain(|graph| Complexity::of(graph) < complexity);
        for some in graphs.chunks(AT_ONCE) {
            if self.best.tried >= MOST_TRIED {
                return false;
            }
            self.best.tried += some.len();
            let kind = discriminant(&self.best.difference);
            let differences = self.trial.differences(some);
            let mut shown = some.iter().zip(differences).filter_map(|(graph, difference)| Some((graph, difference?)));
            if let Some((graph, difference)) = shown.find(|(_, difference)| discriminant(difference) == kind) {
                self.best.graph = graph.clone();
                self.best.difference = difference;
                return true;
            }
        }
        false
    }
}

/// The graph with an input of this value instead of what an operator computes.
fn replaced(graph: &Graph, name: &str, value: &Tensor) -> Option<Graph> {
    let mut graph = graph.clone();
    for operator in &mut graph.operators {
        // The operator may have other outputs, which are still taken: this one gets a name that nobody asks for.
        let rename = |output: &String| if output == name { format!("{name}'") } else { output.clone() };
        operator.outputs = match &operator.outputs {
            Names::One(output) => Names::One(rename(output)),
            Names::Several(outputs) => Names::Several(outputs.iter().map(rename).collect()),
        };
    }
    graph.inputs.insert(name.to_owned(), values::input(value)?);
    Some(graph)
}
