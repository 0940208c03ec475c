//! Executes a graph vector on the interpreter, and asks for the derived bound beside each output.

use std::rc::Rc;

use webnn_reference::derived_bound::{Allowance, Bounding, Ranges};
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;
use webnn_vectors::{Graph, Kind, Vector};

use super::{Observation, Stopped, Tensor, caught, graph};

/// An output as the interpreter computes it, and the ranges in which honest implementations are.
#[derive(Clone, Debug)]
pub(crate) struct BoundedTensor {
    pub(crate) tensor: Tensor,
    pub(crate) ranges: Rc<Ranges>,
}

/// The outputs of a graph, by name.
pub(crate) type BoundedOutputs = Vec<(String, BoundedTensor)>;

/// The outputs of a vector, if it is a graph that has any.
pub(crate) fn of_vector(vector: &Vector, reading: Reading, allowance: Allowance) -> Option<BoundedOutputs> {
    match &vector.kind {
        Kind::Graph { graph, .. } => outputs(graph, reading, allowance).ok(),
        Kind::Negative { .. } | Kind::Scenario { .. } => None,
    }
}

/// The outputs of a graph, by name, with the ranges that are granted to implementations with this allowance.
///
/// # Errors
/// What was observed instead of outputs: an exception, a reason to skip it, or a panic.
pub(crate) fn outputs(graph: &Graph, reading: Reading, allowance: Allowance) -> Result<BoundedOutputs, Observation> {
    let provider = Rc::new(Bounding::new(allowance));
    let global = Global::new(reading);
    let bounded = caught(|| {
        let ml = ML::new(&global, Rc::clone(&provider) as _);
        let context = global.settle(&ml.create_context(MLContextOptions::default())).map_err(Stopped::from)?;
        let started = graph::start(graph, &context)?;
        let tensors: Vec<_> = started.tensors().cloned().collect();
        let ranges = |outputs: Vec<(String, Tensor)>| {
            let ranges = tensors.iter().map(|tensor| provider.ranges(tensor));
            let bounded = outputs.into_iter().zip(ranges);
            bounded.map(|((name, tensor), ranges)| (name, BoundedTensor { tensor, ranges })).collect()
        };
        match started.finish(&global) {
            Observation::Outputs(outputs) => Ok(Ok(ranges(outputs))),
            other => Ok(Err(other)),
        }
    });
    match bounded {
        Ok(Ok(outputs)) => outputs,
        Ok(Err(stopped)) => Err(Stopped::into(stopped)),
        Err(panic) => Err(Observation::Errored(panic)),
    }
}
