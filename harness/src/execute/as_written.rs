//! Executes a vector on the interpreter, as the specification's text is written: for vectors that show where it is wrong.

use std::rc::Rc;

use webnn_reference::cpu::Cpu;
use webnn_reference::steps::Reading;
use webnn_vectors::{Kind, Vector};

use super::{Executor, Observation};

/// What the text as it is written makes of a vector, of which this was seen. A program outside is not told that a graph is to be
/// refused: one that could build it goes on, and an exception that was seen may be of what comes after.
pub(crate) fn of_vector(vector: &Vector, seen: &Observation) -> Observation {
    let executor = Executor::model(Rc::new(Cpu), Reading::Literal);
    let execute = |vector: &Vector| executor.finish(executor.start(vector));
    match (execute(vector), &vector.kind, seen) {
        (Observation::Outputs(_), Kind::Negative { graph, .. }, Observation::Threw(_)) => {
            let kind = Kind::Graph { graph: graph.clone(), tolerance: None };
            execute(&Vector { kind, ..vector.clone() })
        }
        (observation, ..) => observation,
    }
}
