//! A dispatch that fails: the tensors that it had to write say so when they are read.
//!
//! `dispatch()` returns nothing, so that what goes wrong on the timeline can be reported by losing the context only
//! (<https://github.com/webmachinelearning/webnn/issues/778>). That is too much where a graph's weights could not be read,
//! or where there was no room for them. With this proposal, the outputs of such a dispatch have failed: reading them rejects
//! with the reason, and so have the outputs of dispatches that take them. A tensor that is written is whole again. Its prose
//! is `spec-diff/proposals/failed-dispatch.bs`.

use crate::context::{MLContext, MLNamedTensors, data_of};
use crate::graph::MLGraph;
use crate::platform::PlatformError;
use crate::proposals::residency::Placement;
use crate::tensor::MLTensor;
use crate::{algorithm, step};

impl MLContext {
    /// Issues a dispatch: what `dispatch()` runs on the timeline for its step 8.1.1.
    pub(crate) fn issue_a_dispatch(&self, graph: &MLGraph, inputs: &MLNamedTensors, outputs: &MLNamedTensors) {
        algorithm!("MLContext/issue a dispatch", self);
        step!("1");
        let issued = self.issue(graph, inputs, outputs);
        if let Err(PlatformError::Lost(reason)) = &issued {
            step!("2");
            self.context_lost(format!("a dispatch failed: {reason}"));
        }
        step!("3");
        for (_, tensor) in outputs {
            step!("3.1");
            tensor.set_failure(issued.as_ref().err().map(ToString::to_string));
        }
    }

    /// Issues a compute request, if there is something to compute with.
    fn issue(
        &self,
        graph: &MLGraph,
        inputs: &MLNamedTensors,
        outputs: &MLNamedTensors,
    ) -> std::result::Result<(), PlatformError> {
        algorithm!("MLContext/issue a compute request");
        step!("1");
        if !graph.has_all_constants() {
            return Err(unreadable(
                "a dispatch before computed nothing: a constant of its graph could not be set".into(),
            ));
        }
        step!("2");
        for (name, tensor) in inputs {
            step!("2.1");
            if let Some(failure) = tensor.failure() {
                return Err(unreadable(format!("{failure} (from the input {name:?} of a later dispatch)")));
            }
        }
        step!("3");
        let placement = graph.place()?;
        let (Some(implementation), Some(inputs), Some(outputs)) =
            (graph.0.implementation.get(), data_of(inputs), data_of(outputs))
        else {
            // A tensor whose creation failed has no data, and its promise was rejected; a script can not hold it.
            return Err(PlatformError::Lost("a graph or tensor of a dispatch has no data".into()));
        };
        step!("4");
        match placement {
            Placement::Resident => self.platform().dispatch(implementation, &inputs, &outputs),
            Placement::Streamed { room } => self.platform().dispatch_streamed(implementation, &inputs, &outputs, room),
        }
    }
}

fn unreadable(reason: String) -> PlatformError {
    PlatformError::Unreadable(reason)
}

impl MLTensor {
    /// Why it has no data that could be read: its `[[failure]]`.
    pub(crate) fn failure(&self) -> Option<String> {
        self.0.failure.borrow().clone()
    }

    pub(crate) fn set_failure(&self, failure: Option<String>) {
        *self.0.failure.borrow_mut() = failure;
    }
}
