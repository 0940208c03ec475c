//! The context's timeline, and the tasks that are queued back from it.
//!
//! The specification enqueues steps to a context's `[[timeline]]` and from there queues ML tasks. Both are plain
//! queues here, and nothing runs by itself: a caller pumps them, one step at a time or until all are idle. That lets a
//! scenario put `destroy()` between a `dispatch()` and its execution.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::{Rc, Weak};

use crate::algorithm;
use crate::context::{ContextSlots, MLContext};
use crate::exception::Result;
use crate::promise::Promise;
use crate::proposals::graph_cache::{GraphStore, Storage};
use crate::steps::Reading;

type Steps = Box<dyn FnOnce()>;

/// A queue of steps that are run in order.
#[derive(Default)]
pub struct Queue(RefCell<VecDeque<Steps>>);

impl Queue {
    /// Enqueues `steps`.
    pub fn enqueue(&self, steps: impl FnOnce() + 'static) {
        self.0.borrow_mut().push_back(Box::new(steps));
    }

    /// Runs the first of the queued steps, and says whether there was one.
    pub fn pump(&self) -> bool {
        // The borrow ends before the steps run: they may enqueue more.
        let first = self.0.borrow_mut().pop_front();
        match first {
            Some(steps) => {
                steps();
                true
            }
            None => false,
        }
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue of {}", self.0.borrow().len())
    }
}

/// A relevant global object: what a document or worker is to the specification.
///
/// It has the ML task source, whether its document is allowed to use WebNN, the contexts created in it, and where their
/// graphs are kept.
#[derive(Clone, Debug, Default)]
pub struct Global(Rc<GlobalSlots>);

#[derive(Debug, Default)]
struct GlobalSlots {
    in_parallel: Queue,
    tasks: Queue,
    not_allowed: Cell<bool>,
    reading: Cell<Reading>,
    contexts: RefCell<Vec<Weak<ContextSlots>>>,
    storage: RefCell<Storage>,
}

impl Global {
    /// A global object whose contexts execute the text under `reading`.
    pub fn new(reading: Reading) -> Self {
        let global = Self::default();
        global.0.reading.set(reading);
        global
    }

    /// The reading under which its contexts execute.
    pub fn reading(&self) -> Reading {
        self.0.reading.get()
    }

    /// Whether its document is allowed to use the `webnn` feature of the permissions policy.
    pub fn is_allowed_to_use_webnn(&self) -> bool {
        !self.0.not_allowed.get()
    }

    /// Allows or forbids the `webnn` feature.
    pub fn allow_webnn(&self, allowed: bool) {
        self.0.not_allowed.set(!allowed);
    }

    /// Where graphs are kept, unless nothing may be stored: in memory, until another store is given.
    pub fn graph_store(&self) -> Option<Rc<dyn GraphStore>> {
        self.0.storage.borrow().0.clone()
    }

    /// Keeps graphs in this store; with `None`, nothing may be stored.
    pub fn keep_graphs_in(&self, store: Option<Rc<dyn GraphStore>>) {
        *self.0.storage.borrow_mut() = Storage(store);
    }

    /// <https://www.w3.org/TR/webnn/#queue-an-ml-task>
    pub fn queue_an_ml_task(&self, steps: impl FnOnce() + 'static) {
        algorithm!("queue an ML task");
        self.0.tasks.enqueue(steps);
    }

    /// Lets `steps` run in parallel: some time before the global object is idle.
    pub fn run_in_parallel(&self, steps: impl FnOnce() + 'static) {
        self.0.in_parallel.enqueue(steps);
    }

    pub(crate) fn add_context(&self, context: &MLContext) {
        let mut contexts = self.0.contexts.borrow_mut();
        contexts.retain(|context| context.strong_count() > 0);
        contexts.push(context.downgrade());
    }

    /// Runs all steps of all timelines, and leaves the tasks that they queue.
    ///
    /// An implementation that works ahead (a GPU) has then been given everything and waited for nothing.
    pub fn pump_timelines(&self) {
        while self.0.in_parallel.pump() {}
        let contexts: Vec<_> = self.0.contexts.borrow().iter().filter_map(Weak::upgrade).collect();
        for context in contexts {
            while context.timeline.pump() {}
        }
    }

    /// Runs the first of the queued tasks, and says whether there was one.
    pub fn pump_a_task(&self) -> bool {
        self.0.tasks.pump()
    }

    /// Runs everything that is queued, until nothing is.
    pub fn run_until_idle(&self) {
        loop {
            self.pump_timelines();
            if !self.pump_a_task() {
                break;
            }
        }
    }

    /// Runs until idle and returns the promise's outcome.
    ///
    /// # Panics
    /// If the promise is still pending when nothing is left to run: an algorithm forgot to settle it.
    pub fn settle<T: Clone>(&self, promise: &Promise<T>) -> Result<T> {
        self.run_until_idle();
        promise.outcome().expect("every promise is settled once nothing is left to run")
    }
}
