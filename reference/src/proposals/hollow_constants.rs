//! Hollow constants: build a graph without its weights, and set them later.
//!
//! Proposed in <https://github.com/webmachinelearning/webnn/issues/901>; its prose is
//! `spec-diff/proposals/hollow-constants.bs`.
//!
//! `constant(descriptor)` gives an operand that has no data. `build()` succeeds with it, since shapes and types are all
//! that building needs; `setConstantData(constant, data, options)` then supplies the data of each such constant, each byte
//! once, and `dispatch()` throws while one has bytes missing. What was supplied is kept on the caller's side of the
//! timeline, because an error on the timeline can not be reported: there it means that the copy was enqueued before, and
//! the order of the timeline does the rest.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::buffer::{mismatch, validate_buffer_type, validate_buffer_with_descriptor};
use crate::builder::{Constant, MLGraphBuilder};
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::graph::MLGraph;
use crate::operand::{MLOperand, OperandId};
use crate::platform::{Computation, PlatformError, Residence};
use crate::promise::Promise;
use crate::supply::{ConstantData, Part, Ranges, Supply};
use crate::{algorithm, exception, reject, step, throw};

/// `MLConstantDataOptions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MLConstantDataOptions {
    /// Where in the constant the data belongs, in bytes; without it the data is all of the constant.
    pub byte_offset: Option<u64>,
}

/// Which bytes of a hollow constant were supplied.
#[derive(Clone, Debug)]
struct Supplied {
    byte_length: u64,
    /// Copying these is enqueued on the timeline.
    enqueued: Ranges,
    /// These were copied: what the timeline itself sees.
    copied: Ranges,
}

impl Supplied {
    fn is_set(&self) -> bool {
        self.enqueued.total() == self.byte_length
    }
}

/// The slots `[[hollowConstants]]` and `[[pendingPromises]]` that the proposal gives to an `MLGraph`.
#[derive(Debug, Default)]
pub struct HollowConstants {
    supplied: BTreeMap<OperandId, Supplied>,
    pub(super) pending_promises: Vec<Promise<()>>,
}

impl HollowConstants {
    /// Those of a graph that is being built, all unset.
    pub(crate) fn of(computation: &Computation) -> Self {
        let hollow = computation.constants.iter().filter(|(_, constant)| matches!(constant, Constant::Hollow));
        let nothing = |operand: OperandId| Supplied {
            byte_length: computation.operands[operand.0].byte_length(),
            enqueued: Ranges::default(),
            copied: Ranges::default(),
        };
        Self { supplied: hollow.map(|(operand, _)| (*operand, nothing(*operand))).collect(), pending_promises: vec![] }
    }

    /// All of them, set or not.
    pub(crate) fn operands(&self) -> Vec<OperandId> {
        self.supplied.keys().copied().collect()
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
    /// The hollow constants of which bytes are missing.
    pub fn unset_constants(&self) -> Vec<OperandId> {
        let hollow = self.0.hollow_constants.borrow();
        hollow.supplied.iter().filter(|(_, supplied)| !supplied.is_set()).map(|(constant, _)| *constant).collect()
    }

    /// `setConstantData(constant, data, options)`: supplies the data of a hollow constant, or a part of it.
    ///
    /// Rejects with InvalidStateError if the graph was destroyed or its context lost, or if the constant has these bytes
    /// already; with TypeError if it is no hollow constant of this graph, or if the data does not fit it; with UnknownError
    /// if the platform can not take the data or the data can not be read, after which it may be supplied again.
    pub fn set_constant_data(
        &self,
        constant: &MLOperand,
        data: &ConstantData,
        options: MLConstantDataOptions,
    ) -> Promise<()> {
        algorithm!("MLGraph.setConstantData(constant, data, options)", self);
        step!("1");
        let context = self.0.context.clone();
        step!("2"); // BY TYPE: there is one realm, that of the context.
        step!("3");
        if self.is_destroyed() {
            reject!(InvalidStateError, "the graph was destroyed");
        }
        step!("4");
        let Some(supplied) = self.supplied(constant) else {
            reject!(TypeError, "the operand is no hollow constant that the graph's outputs depend on");
        };
        step!("5");
        if supplied.is_set() {
            reject!(InvalidStateError, "the constant has data already");
        }
        step!("6");
        let descriptor = constant.descriptor();
        let length = match length_of_constant_data(data, &descriptor, options) {
            Ok(length) => length,
            Err(reason) => {
                step!("7");
                reject!(TypeError, "{reason}");
            }
        };
        step!("8");
        let offset = options.byte_offset.unwrap_or(0);
        step!("9");
        if supplied.enqueued.overlap(offset, length) {
            reject!(InvalidStateError, "the constant has some of these {length} bytes at byte {offset} already");
        }
        step!("10");
        let part = Part { offset, length, supply: taken(data) };
        step!("11");
        self.change_supplied(constant.id(), |supplied| supplied.enqueued.insert(offset, length));
        step!("12");
        let promise = Promise::new();
        step!("13");
        self.0.hollow_constants.borrow_mut().pending_promises.push(promise.clone());
        step!("14");
        let (graph, id, settled) = (self.clone(), constant.id(), promise.clone());
        context.clone().timeline.enqueue(move || {
            algorithm!("MLGraph.setConstantData(constant, data, options)", context);
            step!("14.1");
            if !context.is_lost() {
                step!("14.1.1");
                let copied = graph.copy_constant(id, part);
                let task_global = context.global.clone();
                task_global.queue_an_ml_task(move || {
                    algorithm!("MLGraph.setConstantData(constant, data, options)", context);
                    match copied {
                        Err(error) => {
                            step!("14.1.2");
                            step!("14.1.2.1");
                            graph.remove_pending(&settled);
                            step!("14.1.2.2");
                            graph.change_supplied(id, |supplied| supplied.enqueued.remove(offset, length));
                            step!("14.1.2.3");
                            settled.reject(exception!(UnknownError, "{error}"));
                            context.notice(&error);
                        }
                        Ok(()) => {
                            step!("14.1.3");
                            step!("14.1.3.1");
                            graph.remove_pending(&settled);
                            step!("14.1.3.2");
                            settled.resolve(());
                        }
                    }
                });
                return;
            }
            step!("14.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("15");
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
        let hollow = self.0.hollow_constants.borrow();
        hollow.supplied.values().all(|supplied| supplied.copied.total() == supplied.byte_length)
    }

    fn supplied(&self, constant: &MLOperand) -> Option<Supplied> {
        // Operands of another builder may have the same index.
        let is_of_this_graph = constant.builder == self.0.builder;
        self.0.hollow_constants.borrow().supplied.get(&constant.id()).cloned().filter(|_| is_of_this_graph)
    }

    fn change_supplied(&self, constant: OperandId, change: impl FnOnce(&mut Supplied)) {
        if let Some(supplied) = self.0.hollow_constants.borrow_mut().supplied.get_mut(&constant) {
            change(supplied);
        }
    }

    pub(super) fn remove_pending(&self, promise: &Promise<()>) {
        self.0.hollow_constants.borrow_mut().pending_promises.retain(|pending| pending != promise);
    }

    /// Copies the data of a constant.
    fn copy_constant(&self, constant: OperandId, part: Part) -> std::result::Result<(), PlatformError> {
        algorithm!("MLGraph/copy the data of a constant");
        step!("1");
        let Some(implementation) = self.0.implementation.get() else {
            return Err(PlatformError::Unsupported("the graph's resources were released".into()));
        };
        let context = &self.0.context;
        step!("2");
        let bytes = context.platform().bytes_to_set(implementation, constant);
        step!("3");
        let mut residence = Residence::Device;
        if let Err(error) = context.make_room(bytes, Some(self)) {
            step!("4");
            step!("4.1");
            if !matches!(part.supply, Supply::Blob(_)) {
                return Err(error);
            }
            step!("4.2");
            residence = Residence::Source;
        }
        step!("5");
        let (offset, length) = (part.offset, part.length);
        context.platform().set_constant(implementation, constant, part, residence)?;
        step!("6");
        self.change_supplied(constant, |supplied| supplied.copied.insert(offset, length));
        Ok(())
    }
}

/// Gets the length of constant data: how many bytes are supplied, or why they do not fit the constant.
fn length_of_constant_data(
    data: &ConstantData,
    descriptor: &MLOperandDescriptor,
    options: MLConstantDataOptions,
) -> std::result::Result<u64, String> {
    algorithm!("get the length of constant data");
    step!("1");
    let byte_length = descriptor.byte_length();
    step!("2");
    let offset = options.byte_offset.unwrap_or(0);
    step!("3");
    if offset >= byte_length || !offset.is_multiple_of(descriptor.data_type.element_size()) {
        return Err(format!("byte {offset} is not where an element of {descriptor} begins"));
    }
    step!("4");
    let rest = byte_length - offset;
    let length = match data {
        ConstantData::Stream(stream) => {
            step!("5");
            if stream.is_locked() {
                return Err("the stream is locked".to_owned());
            }
            rest
        }
        ConstantData::Blob(blob) => {
            step!("6");
            blob.size()
        }
        ConstantData::Buffer(buffer) => {
            step!("7");
            if options.byte_offset.is_none() {
                step!("7.1");
                if !validate_buffer_with_descriptor(buffer, descriptor) {
                    return Err(mismatch(buffer, descriptor));
                }
            } else {
                step!("7.2");
                if !validate_buffer_type(buffer, descriptor) {
                    return Err(mismatch(buffer, descriptor));
                }
            }
            buffer.byte_length()
        }
    };
    step!("8");
    if options.byte_offset.is_none() && length != byte_length {
        return Err(format!("{length} bytes were given, but {descriptor} takes {byte_length}"));
    }
    step!("9");
    if length == 0 || length > rest || !length.is_multiple_of(descriptor.data_type.element_size()) {
        return Err(format!("{length} bytes at byte {offset} do not fit {descriptor}, which takes {byte_length}"));
    }
    step!("10");
    Ok(length)
}

/// What the timeline takes of the data.
fn taken(data: &ConstantData) -> Supply {
    match data {
        ConstantData::Buffer(buffer) => Supply::Bytes(buffer.copy_of_bytes()),
        ConstantData::Blob(blob) => Supply::Blob(Rc::clone(blob)),
        ConstantData::Stream(stream) => {
            stream.lock();
            Supply::Stream(stream.clone())
        }
    }
}
