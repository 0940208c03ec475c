//! Graph cache: keep a graph under a key, and load it the next time instead of building it again.
//!
//! Proposed in <https://github.com/webmachinelearning/webnn/issues/807>; its prose is
//! `spec-diff/proposals/graph-cache.bs`.
//!
//! `saveGraph(key, graph, constants)` keeps what the platform made of the graph, and gives its hollow constants names;
//! `loadGraph(key)` makes a graph of it that has an operand under each of these names. The data of hollow constants is
//! never kept. An entry that is damaged, or that another version made, is as good as none: it is removed, and the promise
//! is rejected as if there had been none, with NotFoundError, so that a caller has one case to handle: build again.
//!
//! A platform says what it keeps ([`Platform::save_graph`](crate::platform::Platform::save_graph)), and a
//! [`GraphStore`] of the global object keeps it.

mod store;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) use store::Storage;
pub use store::{Entry, GraphStore, MemoryStore, RestoreError, Restored, StoreError};

use crate::builder::{Constant, MLGraphBuilder, MLNamedOperands};
use crate::context::MLContext;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Exception;
use crate::graph::{GraphSlots, MLGraph};
use crate::operand::{MLOperand, OperandId};
use crate::platform::{Computation, PlatformError};
use crate::promise::Promise;
use crate::proposals::hollow_constants::HollowConstants;
use crate::proposals::residency::GraphMemory;
use crate::{algorithm, exception, reject, step};

/// A graph cache: that of a storage key and of a device.
#[derive(Clone, Debug)]
struct GraphCache {
    store: Rc<dyn GraphStore>,
    device: String,
}

impl GraphCache {
    fn keys(&self) -> Result<Vec<String>, StoreError> {
        self.store.keys(&self.device)
    }

    fn read(&self, key: &str) -> Result<Option<Entry>, StoreError> {
        self.store.read(&self.device, key)
    }

    fn write(&self, key: &str, entry: Entry) -> Result<(), StoreError> {
        self.store.write(&self.device, key, entry)
    }

    fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.store.delete(&self.device, key)
    }

    fn discard(&self, key: &str, entry: &Entry) -> Result<(), StoreError> {
        self.store.discard(&self.device, key, entry)
    }
}

impl MLGraph {
    /// `inputs`: the descriptors of its inputs.
    pub fn inputs(&self) -> &BTreeMap<String, MLOperandDescriptor> {
        algorithm!("MLGraph.inputs", self);
        step!("1");
        self.input_descriptors()
    }

    /// `outputs`: the descriptors of its outputs.
    pub fn outputs(&self) -> &BTreeMap<String, MLOperandDescriptor> {
        algorithm!("MLGraph.outputs", self);
        step!("1");
        self.output_descriptors()
    }

    /// `constants`: its hollow constants by the names under which they were saved; none, if it was built.
    pub fn constants(&self) -> Vec<(String, MLOperand)> {
        algorithm!("MLGraph.constants", self);
        step!("1");
        let operand = |id: OperandId| MLOperand { builder: self.0.builder.clone(), id };
        self.0.constants.iter().map(|(name, id)| (name.clone(), operand(*id))).collect()
    }
}

impl MLContext {
    /// Obtains the graph cache; `None` is the prose's failure.
    fn obtain_the_graph_cache(&self) -> Option<GraphCache> {
        algorithm!("MLContext/obtain the graph cache");
        step!("1");
        let store = self.global.graph_store();
        step!("2");
        let store = store?;
        step!("3");
        Some(GraphCache { store, device: self.platform().device_name() })
    }

    /// `listGraphs()`: the keys under which graphs are kept for this device, in the order of their code units.
    ///
    /// Rejects with InvalidStateError if the context is lost, SecurityError if nothing may be stored, UnknownError if the
    /// store can not be read.
    pub fn list_graphs(&self) -> Promise<Vec<String>> {
        algorithm!("MLContext.listGraphs()", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("4");
        let cache = self.obtain_the_graph_cache();
        step!("5");
        let Some(cache) = cache else {
            reject!(SecurityError, "the user does not let this origin store anything");
        };
        step!("6");
        let promise = Promise::new();
        step!("7");
        let (context, settled) = (self.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.listGraphs()", context);
            step!("7.1");
            if !context.is_lost() {
                step!("7.1.1");
                let keys = cache.keys();
                match keys {
                    Err(error) => {
                        step!("7.1.2");
                        context.fail(settled, exception!(UnknownError, "{error}"));
                    }
                    Ok(mut keys) => {
                        keys.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
                        step!("7.1.3");
                        context.global.queue_an_ml_task(move || settled.resolve(keys));
                    }
                }
                return;
            }
            step!("7.2");
            context.fail(settled, exception!(InvalidStateError, "the context is lost"));
        });
        step!("8");
        promise
    }

    /// `loadGraph(key)`: the graph that was saved under this key.
    ///
    /// Rejects with InvalidStateError if the context is lost, TypeError for an empty key, SecurityError if nothing may be
    /// stored, NotFoundError if there is no entry that this context can use, OperationError if the platform can not make
    /// the graph, UnknownError if the store can not be read.
    pub fn load_graph(&self, key: &str) -> Promise<MLGraph> {
        algorithm!("MLContext.loadGraph(key)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("4");
        if key.is_empty() {
            reject!(TypeError, "the key is empty");
        }
        step!("5");
        let cache = self.obtain_the_graph_cache();
        step!("6");
        let Some(cache) = cache else {
            reject!(SecurityError, "the user does not let this origin store anything");
        };
        step!("7");
        let promise = Promise::new();
        step!("8");
        let (context, key, settled) = (self.clone(), key.to_owned(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.loadGraph(key)", context);
            step!("8.1");
            if !context.is_lost() {
                step!("8.1.1");
                let entry = cache.read(&key);
                let entry = match entry {
                    Err(error) => {
                        step!("8.1.2");
                        return context.fail(settled, exception!(UnknownError, "{error}"));
                    }
                    Ok(None) => {
                        step!("8.1.3");
                        return context.fail(settled, exception!(NotFoundError, "no graph is kept under {key:?}"));
                    }
                    Ok(Some(entry)) => entry,
                };
                step!("8.1.4");
                let graph = context.restore_a_graph(&entry);
                match graph {
                    Err(RestoreError::Failed(error)) => {
                        step!("8.1.5");
                        context.notice(&error);
                        context.fail(settled, exception!(OperationError, "{error}"));
                    }
                    Err(RestoreError::Unusable(why)) => {
                        step!("8.1.6");
                        step!("8.1.6.1");
                        // If it can not be removed, the next to load it finds it unusable again.
                        cache.discard(&key, &entry).ok();
                        step!("8.1.6.2");
                        let unusable = "what was kept under this key can not be used, and is removed";
                        context.fail(settled, exception!(NotFoundError, "{unusable}: {key:?}: {why}"));
                    }
                    Ok(graph) => {
                        step!("8.1.7");
                        context.global.queue_an_ml_task(move || settled.resolve(graph));
                    }
                }
                return;
            }
            step!("8.2");
            context.fail(settled, exception!(InvalidStateError, "the context is lost"));
        });
        step!("9");
        promise
    }

    /// Restores a graph from an entry.
    ///
    /// # Errors
    /// That it is unusable, or that the platform failed.
    fn restore_a_graph(&self, entry: &Entry) -> Result<MLGraph, RestoreError> {
        algorithm!("MLContext/restore a graph");
        step!("1");
        if let Entry::Damaged(why) = entry {
            return Err(RestoreError::Unusable(why.clone()));
        }
        // The platform says of other entries whether they are usable.
        step!("2");
        let bytes = self.platform().bytes_to_restore(entry);
        self.make_room(bytes, None)?;
        let restored = self.platform().restore_graph(entry)?;
        let Restored { implementation, operands, inputs, outputs, constants } = restored;
        step!("3");
        let descriptors = |of: &[(String, OperandId)]| -> BTreeMap<String, MLOperandDescriptor> {
            of.iter().map(|(name, operand)| (name.clone(), operands[operand.0].clone())).collect()
        };
        let (input_descriptors, output_descriptors) = (descriptors(&inputs), descriptors(&outputs));
        let hollow = HollowConstants::of(&self.hollow(&operands, &constants));
        // The operands have the ids that the platform knows them by, so that those without a name are made too.
        let builder = MLGraphBuilder::that_has_built(self, operands);
        step!("4");
        step!("5");
        step!("6");
        step!("7");
        step!("8");
        step!("9");
        for _ in &constants {
            step!("10");
            step!("10.1");
            step!("10.2");
            step!("10.3");
        }
        step!("11");
        let graph = MLGraph(Rc::new(GraphSlots {
            context: self.clone(),
            builder,
            input_descriptors,
            output_descriptors,
            implementation: Cell::new(Some(implementation)),
            is_destroyed: Cell::new(false),
            hollow_constants: RefCell::new(hollow),
            memory: GraphMemory::default(),
            constants,
        }));
        self.add_graph(&graph);
        step!("12");
        Ok(graph)
    }

    /// A computation of nothing, whose hollow constants are these.
    fn hollow(&self, operands: &[MLOperandDescriptor], constants: &[(String, OperandId)]) -> Computation {
        Computation {
            operands: operands.to_vec(),
            operators: vec![],
            inputs: vec![],
            outputs: vec![],
            constants: constants.iter().map(|(_, operand)| (*operand, Constant::Hollow)).collect(),
            power_preference: self.power_preference,
            accelerated: self.accelerated,
        }
    }

    /// `saveGraph(key, graph, constants)`: keeps a graph under a key, in place of what was kept there, and its hollow
    /// constants under these names.
    ///
    /// Rejects with InvalidStateError if the context is lost or the graph was destroyed; TypeError for an empty key, for a
    /// graph of another context, and unless each hollow constant of the graph has one name that is not empty, and nothing
    /// else has; SecurityError if nothing may be stored; NotSupportedError if the platform can not keep graphs;
    /// QuotaExceededError if there is no space; UnknownError if it fails otherwise.
    pub fn save_graph(&self, key: &str, graph: &MLGraph, constants: &MLNamedOperands) -> Promise<()> {
        algorithm!("MLContext.saveGraph(key, graph, constants)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("4");
        if key.is_empty() {
            reject!(TypeError, "the key is empty");
        }
        step!("5");
        if graph.0.context != *self {
            reject!(TypeError, "the graph belongs to another context");
        }
        step!("6");
        if graph.is_destroyed() {
            reject!(InvalidStateError, "the graph was destroyed");
        }
        step!("7");
        let mut named: Vec<(String, OperandId)> = Vec::new();
        let hollow_constants = graph.0.hollow_constants.borrow().operands();
        step!("8");
        for (name, operand) in constants {
            step!("8.1");
            if name.is_empty() {
                reject!(TypeError, "the name of a constant is empty");
            }
            step!("8.2");
            if operand.builder != graph.0.builder || !hollow_constants.contains(&operand.id()) {
                reject!(TypeError, "{name:?} is no hollow constant that the graph's outputs depend on");
            }
            step!("8.3");
            if named.iter().any(|(_, other)| *other == operand.id()) {
                reject!(TypeError, "{name:?} is a hollow constant that has another name already");
            }
            step!("8.4");
            named.push((name.clone(), operand.id()));
        }
        step!("9");
        if named.len() != hollow_constants.len() {
            let (named, all) = (named.len(), hollow_constants.len());
            reject!(TypeError, "{named} of {all} hollow constants have names; name all of them");
        }
        step!("10");
        let cache = self.obtain_the_graph_cache();
        step!("11");
        let Some(cache) = cache else {
            reject!(SecurityError, "the user does not let this origin store anything");
        };
        step!("12");
        let promise = Promise::new();
        step!("13");
        let (context, graph, key, settled) = (self.clone(), graph.clone(), key.to_owned(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.saveGraph(key, graph, constants)", context);
            step!("13.1");
            if !context.is_lost() {
                step!("13.1.1");
                let entry = context.entry_of(&graph, &named);
                if let Err(error @ PlatformError::Unsupported(_)) = &entry {
                    return context.fail(settled, exception!(NotSupportedError, "{error}"));
                }
                step!("13.1.2");
                let entry = match entry {
                    Err(error) => {
                        step!("13.1.3");
                        context.notice(&error);
                        return context.fail(settled, exception!(UnknownError, "{error}"));
                    }
                    Ok(entry) => entry,
                };
                step!("13.1.4");
                let kept = cache.write(&key, entry);
                match kept {
                    Err(error @ StoreError::Full(_)) => {
                        step!("13.1.5");
                        context.fail(settled, exception!(QuotaExceededError, "{error}"));
                    }
                    Err(error @ StoreError::Failed(_)) => {
                        step!("13.1.6");
                        context.fail(settled, exception!(UnknownError, "{error}"));
                    }
                    Ok(()) => {
                        step!("13.1.7");
                        context.global.queue_an_ml_task(move || settled.resolve(()));
                    }
                }
                return;
            }
            step!("13.2");
            context.fail(settled, exception!(InvalidStateError, "the context is lost"));
        });
        step!("14");
        promise
    }

    fn entry_of(&self, graph: &MLGraph, constants: &[(String, OperandId)]) -> Result<Entry, PlatformError> {
        let Some(implementation) = graph.0.implementation.get() else {
            return Err(PlatformError::Lost("the graph's resources were released".into()));
        };
        self.platform().save_graph(implementation, constants)
    }

    /// `deleteGraph(key)`: keeps nothing under this key any more.
    ///
    /// Rejects with InvalidStateError if the context is lost, TypeError for an empty key, SecurityError if nothing may be
    /// stored, UnknownError if the store can not be written to.
    pub fn delete_graph(&self, key: &str) -> Promise<()> {
        algorithm!("MLContext.deleteGraph(key)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("4");
        if key.is_empty() {
            reject!(TypeError, "the key is empty");
        }
        step!("5");
        let cache = self.obtain_the_graph_cache();
        step!("6");
        let Some(cache) = cache else {
            reject!(SecurityError, "the user does not let this origin store anything");
        };
        step!("7");
        let promise = Promise::new();
        step!("8");
        let (context, key, settled) = (self.clone(), key.to_owned(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.deleteGraph(key)", context);
            step!("8.1");
            if !context.is_lost() {
                step!("8.1.1");
                let deleted = cache.delete(&key);
                match deleted {
                    Err(error) => {
                        step!("8.1.2");
                        context.fail(settled, exception!(UnknownError, "{error}"));
                    }
                    Ok(()) => {
                        step!("8.1.3");
                        context.global.queue_an_ml_task(move || settled.resolve(()));
                    }
                }
                return;
            }
            step!("8.2");
            context.fail(settled, exception!(InvalidStateError, "the context is lost"));
        });
        step!("9");
        promise
    }

    /// Queues an ML task that rejects a promise.
    fn fail<T: 'static>(&self, promise: Promise<T>, exception: Exception) {
        self.global.queue_an_ml_task(move || promise.reject(exception));
    }
}
