//! Residency: the weights of a graph are moved out of the memory of the device, and back.
//!
//! Proposed for <https://github.com/webmachinelearning/webnn/issues/780>; its prose is `spec-diff/proposals/residency.bs`.
//!
//! `offload()` moves a graph's weights to the memory of the host, or drops those that can be read again from the blobs
//! they came from; `reload()` moves them back. A context may have a memory budget: what would exceed it makes the graphs
//! leave that were dispatched longest ago, except those that are pinned. `dispatch()` brings back what it needs, so that no
//! script has to know which graphs have left; where the weights do not fit into the budget at once, they are streamed.

use std::cell::Cell;

use crate::context::MLContext;
use crate::exception::Result;
use crate::graph::MLGraph;
use crate::platform::{GraphImplementation, PlatformError, Residence};
use crate::promise::Promise;
use crate::{algorithm, exception, reject, step, throw};

type Outcome<T = ()> = std::result::Result<T, PlatformError>;

/// `MLOffloadTarget`: where the weights of a graph go that is offloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MLOffloadTarget {
    /// To the memory of the host.
    #[default]
    Host,
    /// Nowhere, as far as they can be read again; the others to the memory of the host.
    Source,
}

impl MLOffloadTarget {
    /// All targets.
    pub const ALL: [Self; 2] = [Self::Host, Self::Source];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Source => "source",
        }
    }

    /// The target of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.as_str() == name)
    }

    fn residence(self) -> Residence {
        match self {
            Self::Host => Residence::Host,
            Self::Source => Residence::Source,
        }
    }
}

/// `MLOffloadOptions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MLOffloadOptions {
    /// Where the weights go.
    pub to: MLOffloadTarget,
}

/// The slots that the proposal gives to an `MLContext`.
#[derive(Debug, Default)]
pub struct ContextMemory {
    budget: Cell<Option<u64>>,
    uses: Cell<u64>,
}

/// The slots that the proposal gives to an `MLGraph`.
#[derive(Debug, Default)]
pub struct GraphMemory {
    is_pinned: Cell<bool>,
    /// What the timeline sees of it.
    is_held: Cell<bool>,
    last_use: Cell<u64>,
}

/// How the constants of a graph come to be where a dispatch needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// They are there.
    Resident,
    /// They are brought while the graph runs, in so many bytes.
    Streamed {
        /// How many bytes of device memory they may take.
        room: u64,
    },
}

impl MLContext {
    /// `setMemoryBudget(bytes)`: limits the device memory of the context's tensors and graphs, or no longer limits it.
    ///
    /// Rejects with InvalidStateError if the context is lost, with OperationError if more is in use that can not leave; the
    /// budget then is what it was.
    pub fn set_memory_budget(&self, bytes: Option<u64>) -> Promise<()> {
        algorithm!("MLContext.setMemoryBudget(bytes)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("4");
        let promise = Promise::new();
        step!("5");
        let (context, settled) = (self.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.setMemoryBudget(bytes)", context);
            step!("5.1");
            if !context.is_lost() {
                step!("5.1.1");
                let previous = context.memory.budget.replace(bytes);
                step!("5.1.2");
                let made = context.make_room(0, None);
                let task_global = context.global.clone();
                if let Err(error) = made {
                    step!("5.1.3");
                    step!("5.1.3.1");
                    context.memory.budget.set(previous);
                    step!("5.1.3.2");
                    let failure = exception!(OperationError, "{error}");
                    return task_global.queue_an_ml_task(move || settled.reject(failure));
                }
                step!("5.1.4");
                return task_global.queue_an_ml_task(move || settled.resolve(()));
            }
            step!("5.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("6");
        promise
    }

    /// Makes room: lets graphs leave the memory of the device until so many more bytes are within the budget.
    ///
    /// # Errors
    /// If there is no room for them, whatever leaves.
    pub(crate) fn make_room(&self, bytes: u64, except: Option<&MLGraph>) -> Outcome {
        algorithm!("MLContext/make room", self);
        step!("1");
        let Some(budget) = self.memory.budget.get() else {
            return Ok(());
        };
        step!("2");
        let mut taken = self.platform().budgeted_bytes();
        step!("3");
        while taken.saturating_add(bytes) > budget {
            step!("3.1");
            let candidates = self.graphs_that_can_leave(except);
            step!("3.2");
            let Some(victim) = candidates.into_iter().min_by_key(|graph| graph.0.memory.last_use.get()) else {
                let over = taken.saturating_add(bytes) - budget;
                return Err(PlatformError::OutOfMemory(format!(
                    "{bytes} more bytes exceed the memory budget of {budget} bytes by {over}, since {taken} are taken that \
                     can not leave; destroy or unpin what is not needed, or set a larger budget"
                )));
            };
            step!("3.3");
            step!("3.4");
            victim.leave(MLOffloadTarget::Source)?;
            step!("3.5");
            taken = self.platform().budgeted_bytes();
        }
        step!("4");
        Ok(())
    }

    fn graphs_that_can_leave(&self, except: Option<&MLGraph>) -> Vec<MLGraph> {
        let mut graphs = self.all_graphs();
        graphs.retain(|graph| {
            let frees = |graph: GraphImplementation| self.platform().bytes_to_offload(graph) > 0;
            except != Some(graph) && !graph.0.memory.is_held.get() && graph.0.implementation.get().is_some_and(frees)
        });
        graphs
    }

    fn room(&self) -> u64 {
        let budget = self.memory.budget.get().unwrap_or(u64::MAX);
        budget.saturating_sub(self.platform().budgeted_bytes())
    }
}

impl MLGraph {
    /// `pinned`: whether the budget leaves the graph where it is.
    pub fn pinned(&self) -> bool {
        algorithm!("MLGraph.pinned", self);
        step!("1");
        self.0.memory.is_pinned.get()
    }

    /// The setter of `pinned`.
    ///
    /// # Errors
    /// InvalidStateError if the graph was destroyed.
    pub fn set_pinned(&self, pinned: bool) -> Result<()> {
        algorithm!("MLGraph/set pinned", self);
        step!("1");
        if self.is_destroyed() {
            throw!(InvalidStateError, "the graph was destroyed");
        }
        step!("2");
        self.0.memory.is_pinned.set(pinned);
        step!("3");
        let graph = self.clone();
        self.0.context.timeline.enqueue(move || graph.0.memory.is_held.set(pinned));
        Ok(())
    }

    /// `offload(options)`: moves the graph's weights out of the memory of the device.
    ///
    /// Rejects with InvalidStateError if the graph was destroyed or its context is lost, with UnknownError if there is no
    /// memory for the weights on the host.
    pub fn offload(&self, options: MLOffloadOptions) -> Promise<()> {
        algorithm!("MLGraph.offload(options)", self);
        step!("1");
        let context = self.0.context.clone();
        step!("2"); // BY TYPE: there is one realm, that of the context.
        step!("3");
        if self.is_destroyed() {
            reject!(InvalidStateError, "the graph was destroyed");
        }
        step!("4");
        let promise = Promise::new();
        step!("5");
        self.0.hollow_constants.borrow_mut().pending_promises.push(promise.clone());
        step!("6");
        let (graph, settled) = (self.clone(), promise.clone());
        context.clone().timeline.enqueue(move || {
            algorithm!("MLGraph.offload(options)", context);
            step!("6.1");
            if !context.is_lost() {
                step!("6.1.1");
                let left = graph.leave(options.to);
                step!("6.1.2");
                return graph.queue_the_outcome(left, settled);
            }
            step!("6.2");
            graph.reject_as_lost(settled);
        });
        step!("7");
        promise
    }

    /// `reload()`: moves the graph's weights into the memory of the device.
    ///
    /// Rejects with InvalidStateError if the graph was destroyed or its context is lost, with UnknownError if there is no
    /// room for the weights, or if they can not be read any more.
    pub fn reload(&self) -> Promise<()> {
        algorithm!("MLGraph.reload()", self);
        step!("1");
        let context = self.0.context.clone();
        step!("2"); // BY TYPE: there is one realm, that of the context.
        step!("3");
        if self.is_destroyed() {
            reject!(InvalidStateError, "the graph was destroyed");
        }
        step!("4");
        let promise = Promise::new();
        step!("5");
        self.0.hollow_constants.borrow_mut().pending_promises.push(promise.clone());
        step!("6");
        let (graph, settled) = (self.clone(), promise.clone());
        context.clone().timeline.enqueue(move || {
            algorithm!("MLGraph.reload()", context);
            step!("6.1");
            if !context.is_lost() {
                step!("6.1.1");
                let returned = graph.return_to_the_device();
                step!("6.1.2");
                return graph.queue_the_outcome(returned, settled);
            }
            step!("6.2");
            graph.reject_as_lost(settled);
        });
        step!("7");
        promise
    }

    /// Places the graph's constants for a dispatch.
    ///
    /// # Errors
    /// If there is no room for them, even for those of one operator at a time, or if they can not be read any more.
    pub(crate) fn place(&self) -> Outcome<Placement> {
        algorithm!("MLGraph/place for a dispatch");
        step!("1");
        self.note_use();
        step!("2");
        let implementation = self.implementation()?;
        let context = &self.0.context;
        let bytes = context.platform().bytes_to_dispatch(implementation);
        step!("3");
        if context.make_room(bytes, Some(self)).is_ok() {
            step!("3.1");
            context.platform().reload(implementation)?;
            step!("3.2");
            return Ok(Placement::Resident);
        }
        step!("4");
        if context.platform().bytes_to_offload(implementation) > 0 && !self.0.memory.is_held.get() {
            step!("4.1");
            self.leave(MLOffloadTarget::Source)?;
        }
        step!("5");
        let least = context.platform().bytes_to_stream(implementation);
        step!("6");
        context.make_room(least, Some(self))?;
        step!("7");
        Ok(Placement::Streamed { room: context.room() })
    }

    /// Lets the graph leave the memory of the device.
    fn leave(&self, to: MLOffloadTarget) -> Outcome {
        algorithm!("MLGraph/leave the device");
        step!("1");
        let implementation = self.implementation()?;
        step!("2");
        self.0.context.platform().offload(implementation, to.residence())
    }

    /// Brings the graph back into the memory of the device.
    fn return_to_the_device(&self) -> Outcome {
        algorithm!("MLGraph/return to the device");
        step!("1");
        let implementation = self.implementation()?;
        self.note_use();
        step!("2");
        let bytes = self.0.context.platform().bytes_to_dispatch(implementation);
        step!("3");
        self.0.context.make_room(bytes, Some(self))?;
        step!("4");
        self.0.context.platform().reload(implementation)
    }

    fn note_use(&self) {
        let uses = &self.0.context.memory.uses;
        uses.set(uses.get() + 1);
        self.0.memory.last_use.set(uses.get());
    }

    fn implementation(&self) -> Outcome<GraphImplementation> {
        let released = || PlatformError::Unsupported("the graph's resources were released".into());
        self.0.implementation.get().ok_or_else(released)
    }

    /// Settles a promise of [`offload`](MLGraph::offload) or [`reload`](MLGraph::reload).
    fn queue_the_outcome(&self, outcome: Outcome, promise: Promise<()>) {
        let graph = self.clone();
        self.0.context.global.queue_an_ml_task(move || {
            algorithm!("MLGraph/settle a move", graph);
            step!("1");
            graph.remove_pending(&promise);
            match outcome {
                Err(error) => {
                    step!("2");
                    promise.reject(exception!(UnknownError, "{error}"));
                    graph.0.context.notice(&error);
                }
                Ok(()) => {
                    step!("3");
                    promise.resolve(());
                }
            }
        });
    }

    fn reject_as_lost(&self, promise: Promise<()>) {
        let lost = exception!(InvalidStateError, "the context is lost");
        self.0.context.global.queue_an_ml_task(move || promise.reject(lost));
    }
}
