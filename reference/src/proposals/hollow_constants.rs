//! Hollow constants: build a graph without its weights, and set them later.
//!
//! Proposed in <https://github.com/webmachinelearning/webnn/issues/901>; its prose is
//! `spec-diff/proposals/hollow-constants.bs`.
//!
//! `constant(descriptor)` gives an operand that has no data. `build()` succeeds with it, since shapes and types are all
//! that building needs; `setConstantData(constant, data)` then supplies the data of each such constant, once, and
//! `dispatch()` throws while one is unset. The state is kept on the caller's side of the timeline, because an error on
//! the timeline can not be reported: "set" there means that the copy was enqueued before, and the order of the timeline
//! does the rest.

use std::collections::BTreeMap;

use crate::buffer::{BufferSource, Bytes, mismatch, validate_buffer_with_descriptor};
use crate::builder::{Constant, MLGraphBuilder};
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::graph::MLGraph;
use crate::operand::{MLOperand, OperandId};
use crate::platform::{Computation, PlatformError};
use crate::promise::Promise;
use crate::{algorithm, exception, reject, step, throw};

/// Whether a hollow constant has its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No data was supplied, or supplying it failed.
    Unset,
    /// The copy is enqueued on the timeline.
    Set,
    /// The copy was made: what the timeline itself sees.
    Copied,
}

/// The slots `[[hollowConstants]]` and `[[pendingPromises]]` that the proposal gives to an `MLGraph`.
#[derive(Debug, Default)]
pub struct HollowConstants {
    states: BTreeMap<OperandId, State>,
    pending_promises: Vec<Promise<()>>,
}

impl HollowConstants {
    /// Those of a graph that is being built, all unset.
    pub(crate) fn of(computation: &Computation) -> Self {
        let hollow = computation.constants.iter().filter(|(_, constant)| matches!(constant, Constant::Hollow));
        Self { states: hollow.map(|(operand, _)| (*operand, State::Unset)).collect(), pending_promises: vec![] }
    }
}

impl MLGraphBuilder {
    /// `constant(descriptor)`: a constant without data.
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError for dimensions that are not supported.
    pub fn hollow_constant(&self, descriptor: &MLOperandDescriptor) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.constant(descriptor)", self);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_dimensions(descriptor)?;
        step!("3");
        step!("3.1");
        let operand = self.create_operand(descriptor.clone());
        step!("3.2");
        self.graph_mut().constants.insert(operand.id(), Constant::Hollow);
        step!("4");
        Ok(operand)
    }
}

impl MLGraph {
    /// The hollow constants that still have no data.
    pub fn unset_constants(&self) -> Vec<OperandId> {
        let hollow = self.0.hollow_constants.borrow();
        hollow.states.iter().filter(|(_, state)| **state == State::Unset).map(|(constant, _)| *constant).collect()
    }

    /// `setConstantData(constant, data)`: supplies the data of a hollow constant.
    ///
    /// Rejects with InvalidStateError if the graph was destroyed or its context lost, or if the constant has data
    /// already; with TypeError if it is no hollow constant of this graph, or if the data does not match its descriptor;
    /// with UnknownError if the platform can not take the data, after which it may be supplied again.
    pub fn set_constant_data(&self, constant: &MLOperand, data: &BufferSource) -> Promise<()> {
        algorithm!("MLGraph.setConstantData(constant, data)", self);
        step!("1");
        let context = self.0.context.clone();
        step!("2"); // BY TYPE: there is one realm, that of the context.
        step!("3");
        if self.is_destroyed() {
            reject!(InvalidStateError, "the graph was destroyed");
        }
        step!("4");
        let state = self.constant_state(constant);
        let Some(state) = state else {
            reject!(TypeError, "the operand is no hollow constant that the graph's outputs depend on");
        };
        step!("5");
        if state != State::Unset {
            reject!(InvalidStateError, "the constant has data already");
        }
        step!("6");
        let descriptor = constant.descriptor();
        if !validate_buffer_with_descriptor(data, &descriptor) {
            reject!(TypeError, "{}", mismatch(data, &descriptor));
        }
        step!("7");
        let bytes = data.copy_of_bytes();
        step!("8");
        self.set_constant_state(constant.id(), State::Set);
        step!("9");
        let promise = Promise::new();
        step!("10");
        self.0.hollow_constants.borrow_mut().pending_promises.push(promise.clone());
        step!("11");
        let (graph, id, settled) = (self.clone(), constant.id(), promise.clone());
        context.clone().timeline.enqueue(move || {
            algorithm!("MLGraph.setConstantData(constant, data)", context);
            step!("11.1");
            if !context.is_lost() {
                step!("11.1.1");
                let copied = graph.copy_constant(id, bytes);
                let task_global = context.global.clone();
                task_global.queue_an_ml_task(move || {
                    algorithm!("MLGraph.setConstantData(constant, data)", context);
                    match copied {
                        Err(error) => {
                            step!("11.1.2");
                            step!("11.1.2.1");
                            graph.remove_pending(&settled);
                            step!("11.1.2.2");
                            graph.set_constant_state(id, State::Unset);
                            step!("11.1.2.3");
                            settled.reject(exception!(UnknownError, "{error}"));
                            context.notice(&error);
                        }
                        Ok(()) => {
                            step!("11.1.3");
                            step!("11.1.3.1");
                            graph.remove_pending(&settled);
                            step!("11.1.3.2");
                            settled.resolve(());
                        }
                    }
                });
                return;
            }
            step!("11.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("12");
        promise
    }

    /// Ensures that constants are set: what `dispatch()` runs after its step 2.
    ///
    /// # Errors
    /// InvalidStateError if a hollow constant has no data.
    pub(crate) fn ensure_constants_are_set(&self) -> Result<()> {
        algorithm!("MLGraph/ensure constants are set");
        step!("1");
        if let Some(constant) = self.unset_constants().first() {
            step!("1.1");
            throw!(
                InvalidStateError,
                "the hollow constant {} has no data; supply it with setConstantData()",
                self.describe(*constant)
            );
        }
        Ok(())
    }

    fn describe(&self, constant: OperandId) -> String {
        self.0.builder.graph().operands[constant.0].descriptor.to_string()
    }

    /// Rejects pending constants: what `MLGraph.destroy()` runs after its step 2.
    pub(crate) fn reject_pending_constants(&self) {
        algorithm!("MLGraph/reject pending constants");
        step!("1");
        let pending_promises = std::mem::take(&mut self.0.hollow_constants.borrow_mut().pending_promises);
        for promise in pending_promises {
            step!("1.1");
            step!("1.2");
            promise.reject(exception!(InvalidStateError, "the graph was destroyed before the constant was set"));
        }
    }

    /// Whether the timeline has come by the data of every hollow constant; not so if copying one of them failed.
    pub(crate) fn has_all_constants(&self) -> bool {
        self.0.hollow_constants.borrow().states.values().all(|state| *state == State::Copied)
    }

    fn constant_state(&self, constant: &MLOperand) -> Option<State> {
        // Operands of another builder may have the same index.
        let is_of_this_graph = constant.builder == self.0.builder;
        self.0.hollow_constants.borrow().states.get(&constant.id()).copied().filter(|_| is_of_this_graph)
    }

    fn set_constant_state(&self, constant: OperandId, state: State) {
        self.0.hollow_constants.borrow_mut().states.insert(constant, state);
    }

    fn remove_pending(&self, promise: &Promise<()>) {
        self.0.hollow_constants.borrow_mut().pending_promises.retain(|pending| pending != promise);
    }

    fn copy_constant(&self, constant: OperandId, bytes: Bytes) -> std::result::Result<(), PlatformError> {
        let Some(implementation) = self.0.implementation.get() else {
            return Err(PlatformError::Unsupported("the graph's resources were released".into()));
        };
        self.0.context.platform().set_constant(implementation, constant, bytes)?;
        self.set_constant_state(constant, State::Copied);
        Ok(())
    }
}
