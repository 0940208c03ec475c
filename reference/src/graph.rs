//! `MLGraph`: <https://www.w3.org/TR/webnn/#api-mlgraph>.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use crate::builder::MLGraphBuilder;
use crate::context::MLContext;
use crate::descriptor::MLOperandDescriptor;
use crate::operand::OperandId;
use crate::platform::GraphImplementation;
use crate::proposals::hollow_constants::HollowConstants;
use crate::proposals::residency::GraphMemory;
use crate::steps::Reading;
use crate::{algorithm, step};

/// The internal slots of an `MLGraph`.
#[derive(Debug)]
pub struct GraphSlots {
    pub(crate) context: MLContext,
    pub(crate) builder: MLGraphBuilder,
    pub(crate) input_descriptors: BTreeMap<String, MLOperandDescriptor>,
    pub(crate) output_descriptors: BTreeMap<String, MLOperandDescriptor>,
    pub(crate) implementation: Cell<Option<GraphImplementation>>,
    pub(crate) is_destroyed: Cell<bool>,
    pub(crate) hollow_constants: RefCell<HollowConstants>,
    pub(crate) memory: GraphMemory,
    /// The names of hollow constants, of a graph that was loaded: see
    /// [`graph_cache`](crate::proposals::graph_cache).
    pub(crate) constants: Vec<(String, OperandId)>,
}

impl Drop for GraphSlots {
    /// A graph that script has forgotten is of no use to anybody: nothing on the timeline holds it either.
    fn drop(&mut self) {
        if let Some(implementation) = self.implementation.take() {
            self.context.forget(|platform| platform.release_graph(implementation));
        }
    }
}

/// A compiled computational graph. Clones are the same graph.
#[derive(Clone, Debug)]
pub struct MLGraph(pub(crate) Rc<GraphSlots>);

impl PartialEq for MLGraph {
    /// Whether both are the same graph.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl MLGraph {
    /// Its `[[inputDescriptors]]`.
    pub fn input_descriptors(&self) -> &BTreeMap<String, MLOperandDescriptor> {
        &self.0.input_descriptors
    }

    /// Its `[[outputDescriptors]]`.
    pub fn output_descriptors(&self) -> &BTreeMap<String, MLOperandDescriptor> {
        &self.0.output_descriptors
    }

    pub(crate) fn reading(&self) -> Reading {
        self.0.context.reading()
    }

    pub(crate) fn is_destroyed(&self) -> bool {
        self.0.is_destroyed.get()
    }

    pub(crate) fn downgrade(&self) -> Weak<GraphSlots> {
        Rc::downgrade(&self.0)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraph-destroy>
    pub fn destroy(&self) {
        algorithm!("MLGraph.destroy()", self);
        step!("1");
        if self.0.is_destroyed.get() {
            return;
        }
        step!("2");
        self.0.is_destroyed.set(true);
        self.reject_pending_constants();
        step!("3");
        let graph = self.clone();
        self.0.context.timeline.enqueue(move || {
            if let Some(implementation) = graph.0.implementation.take() {
                graph.0.context.platform().release_graph(implementation);
            }
        });
    }
}
