//! Executes a vector on the interpreter, as the specification's text is written: for vectors that show where it is wrong.

use std::rc::Rc;

use webnn_reference::cpu::Cpu;
use webnn_reference::steps::Reading;
use webnn_vectors::Vector;

use super::{Executor, Observation};

/// What the text as it is written makes of a vector.
pub(crate) fn of_vector(vector: &Vector) -> Observation {
    let executor = Executor::model(Rc::new(Cpu), Reading::Literal);
    executor.finish(executor.start(vector))
}
