//! Draws graphs: each from a seed and its number, and from nothing else.

use webnn_reference::ops::{OPERATORS, OperatorRow};
use webnn_vectors::{DataType, Graph, Kind, Vector};

use super::draft::{Draft, Use};
use super::operators::{Propose, proposal};
use super::random::Random;
use super::subject::Support;
use crate::execute::rehearsal::Refusal;

/// How often a call of an operator is proposed before it is left out: with some data types none of its calls is valid.
const TRIES: usize = 64;

/// Which graphs are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    seed: u64,
    operators: Vec<(&'static OperatorRow, Propose)>,
    data_types: Vec<DataType>,
    max_operators: usize,
}

/// A graph that was drawn, and how that went.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    /// The graph, whose expected outputs have no data of meaning yet.
    pub(crate) graph: Graph,
    /// Its operators.
    pub(crate) uses: Vec<Use>,
    /// The operators whose calls were refused, and why.
    pub(crate) refused: Vec<(&'static str, String)>,
}

/// A call on which the builder failed instead of throwing.
#[derive(Clone, Debug)]
pub(crate) struct Defect {
    /// The graph up to the call.
    pub(crate) graph: Graph,
    /// What happened.
    pub(crate) problem: String,
}

impl Generator {
    /// Graphs of these operators (of all, if none are named), of at most so many.
    ///
    /// # Errors
    /// The first name that is no operator.
    pub(crate) fn new(seed: u64, names: &[String], max_operators: usize) -> Result<Self, String> {
        if let Some(unknown) = names.iter().find(|name| !OPERATORS.iter().any(|row| row.name == name.as_str())) {
            return Err(unknown.clone());
        }
        let is_chosen = |row: &&OperatorRow| names.is_empty() || names.iter().any(|name| name == row.name);
        let operators = OPERATORS.iter().filter(is_chosen).filter_map(|row| Some((row, proposal(row.name)?))).collect();
        let data_types = DataType::ALL.into_iter().filter(|data_type| data_type.is_specified()).collect();
        Ok(Self { seed, operators, data_types, max_operators })
    }

    /// The same, without the operators and data types that something does not support.
    #[must_use]
    pub(crate) fn within(mut self, support: &Support) -> Self {
        if let Some(supported) = &support.operators {
            self.operators.retain(|(row, _)| supported.iter().any(|name| name == row.name));
        }
        if let Some(supported) = &support.data_types {
            self.data_types.retain(|data_type| supported.iter().any(|name| name == data_type.name()));
        }
        if !self.has_all_data_types() {
            let data_types = self.data_types.clone();
            self.operators.retain(|(row, propose)| {
                let mut draft = Draft::new(Random::new(self.seed, 0), &data_types);
                (0..TRIES).any(|_| draft.propose(row, *propose).is_ok())
            });
        }
        self
    }

    fn has_all_data_types(&self) -> bool {
        DataType::ALL.into_iter().filter(|data_type| data_type.is_specified()).count() == self.data_types.len()
    }

    /// The operators that are drawn, if not all are.
    pub(crate) fn operators(&self) -> Option<Vec<&'static str>> {
        let names = || self.operators.iter().map(|(row, _)| row.name).collect();
        (self.operators.len() < OPERATORS.len()).then(names)
    }

    /// The data types that are drawn, if not all are.
    pub(crate) fn data_types(&self) -> Option<Vec<&'static str>> {
        let names = || self.data_types.iter().map(|data_type| data_type.name()).collect();
        (!self.has_all_data_types()).then(names)
    }

    /// Draws the graph of this number.
    ///
    /// # Errors
    /// If a call fails in a way that no call should.
    pub(crate) fn draw(&self, number: u64) -> Result<Drawn, Box<Defect>> {
        let mut random = Random::new(self.seed, number);
        let most = if random.coin() { self.max_operators.min(4) } else { self.max_operators };
        let count = 1 + random.below(most);
        let mut draft = Draft::new(random, &self.data_types);
        let (mut uses, mut refused) = (vec![], vec![]);
        // A graph has one operator at least; all proposals of an operator being refused would be noticed.
        let is_enough =
            |refused: usize, operators: usize| refused >= 16 * count && (operators > 0 || refused > 64 * TRIES);
        while draft.operator_count() < count && !is_enough(refused.len(), draft.operator_count()) {
            let (row, propose) = draft.random.choose(&self.operators);
            match draft.propose(row, propose) {
                Ok(used) => uses.push(used),
                Err(Refusal::Threw(reason)) => refused.push((row.name, reason)),
                Err(Refusal::Failed(problem)) => return Err(Box::new(Defect { graph: draft.attempted(), problem })),
            }
        }
        Ok(Drawn { graph: draft.finish(), uses, refused })
    }

    /// The name of the graph of this number.
    pub(crate) fn name(&self, number: u64) -> String {
        format!("seed {} graph {number}", self.seed)
    }

    /// The graph as a vector.
    pub(crate) fn vector(&self, number: u64, graph: Graph) -> Vector {
        Self::named(self.name(number), graph)
    }

    /// A graph that nobody needs to find again, as a vector.
    pub(crate) fn nameless(graph: Graph) -> Vector {
        Self::named("random".into(), graph)
    }

    fn named(name: String, graph: Graph) -> Vector {
        Vector {
            id: format!("fuzz/{name}"),
            index: 0,
            name,
            source: None,
            note: None,
            implementation_defined: None,
            literal: None,
            required: None,
            kind: Kind::Graph { graph, tolerance: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::draft::data_types;
    use super::super::statistics::Statistics;
    use super::*;

    fn all() -> Generator {
        Generator::new(1, &[], 30).expect("all operators")
    }

    #[test]
    fn a_graph_depends_on_its_seed_and_number_only() {
        let json = |number| serde_json::to_string(&all().draw(number).expect("a graph").graph).expect("JSON");
        let forwards: Vec<String> = (0..20).map(json).collect();
        let backwards: Vec<String> = (0..20).rev().map(json).collect();
        assert!(forwards.iter().eq(backwards.iter().rev()));
        assert_eq!(forwards.iter().collect::<BTreeSet<_>>().len(), forwards.len());
    }

    #[test]
    fn nothing_is_drawn_that_is_not_supported() {
        let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let operators = names(&["add", "equal", "where", "cast", "argMin", "quantizeLinear", "conv2d", "gather"]);
        let support = Support { operators, data_types: names(&["float32", "int32"]) };
        let generator = all().within(&support);
        // These make or take uint8, or no other integers than those.
        assert_eq!(
            generator.operators().expect("some"),
            ["add", "argMin", "cast", "conv2d", "gather", "quantizeLinear"]
        );
        let mut drawn = BTreeSet::new();
        for number in 0..300 {
            let graph = generator.draw(number).expect("a graph").graph;
            assert!(!graph.operators.is_empty());
            drawn.extend(graph.operators.iter().map(|operator| operator.name.clone()));
            let inputs = graph.inputs.values().map(|input| input.descriptor.data_type);
            let outputs = graph.expected_outputs.values().map(|output| output.descriptor.data_type);
            for data_type in inputs.chain(outputs) {
                assert!(matches!(data_type, DataType::Float32 | DataType::Int32), "{data_type:?}");
            }
        }
        assert_eq!(drawn.len(), 6, "{drawn:?}");
        let nothing = all().within(&Support { operators: names(&["equal"]), data_types: names(&["float32"]) });
        assert_eq!(nothing.operators(), Some(vec![]));
    }

    #[test]
    fn every_operator_is_drawn_with_every_type_that_it_may_have() {
        let mut statistics = Statistics::default();
        for number in 0..6000 {
            statistics.count(&all().draw(number).expect("a graph"));
        }
        for (operator, share, reason) in statistics.most_refused() {
            assert!(share < 0.15, "{operator}: {:.0} % of the proposals are refused: {reason}", share * 100.0);
        }
        for (row, _) in all().operators {
            let (drawn, found) = statistics.of(row.name);
            assert!(drawn >= 300, "{} was drawn {drawn} times only", row.name);
            // isNaN and isInfinite take floats only, other than their table says.
            if matches!(row.name, "isNaN" | "isInfinite") {
                continue;
            }
            let first = row.limits.rows[0].operand;
            for data_type in data_types(row, first) {
                assert!(found.contains(&data_type.name()), "{} of {data_type} was not drawn", row.name);
            }
        }
    }
}
