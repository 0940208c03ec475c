//! What the specification calls the underlying platform.
//!
//! The algorithms of the specification are written once, in this crate, and drive a [`Platform`]: through the slots
//! `[[data]]` of a tensor and `[[implementation]]` of a graph, and in the steps of a timeline. Whoever holds a
//! [`Computation`] may trust every check of the specification: it has been validated and its shapes are final.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use crate::buffer::Bytes;
use crate::builder::Constant;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::ledger::Ledger;
use crate::ml::MLPowerPreference;
use crate::operand::OperandId;
use crate::ops::{MLInputOperandLayout, Operator};
use crate::proposals::graph_cache::{Entry, RestoreError, Restored};
use crate::supply::Part;
use crate::tensor::MLTensor;
use crate::webgpu::GPUBufferUsage;

/// The platform's side of an `MLTensor`: its `[[data]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorData(pub u64);

/// The platform's side of an `MLGraph`: its `[[implementation]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GraphImplementation(pub u64);

/// Why the platform could not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlatformError {
    /// There is not enough memory; the context stays usable.
    OutOfMemory(String),
    /// The platform can not do this at all.
    Unsupported(String),
    /// The data can not be had: its source can not be read, or a computation that had to make it could not be issued.
    Unreadable(String),
    /// The device is gone, and the context with it.
    Lost(String),
}

impl fmt::Display for PlatformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfMemory(what) => write!(f, "out of memory: {what}"),
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
            Self::Unreadable(why) => f.write_str(why),
            Self::Lost(why) => write!(f, "the device was lost: {why}"),
        }
    }
}

impl std::error::Error for PlatformError {}

/// What a platform supports, for `opSupportLimits()` and for the checks that the specification leaves to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformLimits {
    /// The data types, of those that the specification allows.
    pub data_types: Vec<MLOperandDataType>,
    /// The largest rank.
    pub max_rank: usize,
    /// The largest tensor, in bytes.
    pub max_tensor_byte_length: u64,
    /// The layout it likes best.
    pub preferred_input_layout: MLInputOperandLayout,
    /// The operators that it can not compute, by the names of their methods.
    pub unsupported_operators: &'static [&'static str],
}

/// A [computational graph](https://www.w3.org/TR/webnn/#computational-graph) as handed over by `build()`.
#[derive(Debug)]
pub struct Computation {
    /// The descriptors of all operands of the builder, by [`OperandId`]; some may not be reached from the outputs.
    pub operands: Vec<MLOperandDescriptor>,
    /// The operators that the outputs depend on, each after those whose outputs it takes.
    pub operators: Vec<Operator>,
    /// The inputs that the outputs depend on, by name.
    pub inputs: Vec<(String, OperandId)>,
    /// The outputs, by name.
    pub outputs: Vec<(String, OperandId)>,
    /// The constants that the outputs depend on.
    pub constants: Vec<(OperandId, Constant)>,
    /// What the context prefers.
    pub power_preference: MLPowerPreference,
    /// Whether the context prefers an accelerator.
    pub accelerated: bool,
}

impl Computation {
    /// The tensors that its constants were made from.
    pub(crate) fn constant_tensors(&self) -> Vec<MLTensor> {
        let tensor = |constant: &Constant| match constant {
            Constant::Tensor(tensor) => Some(tensor.clone()),
            Constant::Bytes(_) | Constant::Scalar(_) | Constant::Hollow => None,
        };
        self.constants.iter().filter_map(|(_, constant)| tensor(constant)).collect()
    }

    /// How many bytes its constants take that have their data and are no tensors.
    pub fn constant_bytes(&self) -> u64 {
        let takes = |constant: &Constant| matches!(constant, Constant::Bytes(_) | Constant::Scalar(_));
        let taking = self.constants.iter().filter(|(_, constant)| takes(constant));
        taking.map(|(operand, _)| self.operands[operand.0].device_bytes()).sum()
    }

    /// An operand that is taken by an operator without being an input, a constant or an output of an operator before.
    ///
    /// There is none, unless the literal text of an algorithm let an operand of another builder through.
    pub(crate) fn unbound(&self) -> Option<&MLOperandDescriptor> {
        let given = self.inputs.iter().map(|(_, operand)| operand);
        let mut bound: BTreeSet<OperandId> =
            given.chain(self.constants.iter().map(|(operand, _)| operand)).copied().collect();
        for operator in &self.operators {
            if let Some(operand) = operator.inputs.iter().find(|operand| !bound.contains(operand)) {
                return Some(&self.operands[operand.0]);
            }
            bound.extend(&operator.outputs);
        }
        None
    }
}

/// Where the data of a graph's constants is
/// ([proposal](https://github.com/webmachinelearning/webnn/issues/780)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// In the memory of the device, where a dispatch needs it.
    Device,
    /// In the memory of the host.
    Host,
    /// Where it came from: in no memory of ours, to be read again from its blob.
    Source,
}

/// Bytes that the platform is reading back.
pub trait PendingBytes {
    /// Waits for them.
    ///
    /// # Errors
    /// If the device failed or was lost in between.
    fn wait(self: Box<Self>) -> Result<Vec<u8>, PlatformError>;
}

/// Bytes that are there already.
impl PendingBytes for Vec<u8> {
    fn wait(self: Box<Self>) -> Result<Vec<u8>, PlatformError> {
        Ok(*self)
    }
}

/// The underlying platform of one context.
///
/// All methods are called from steps of the context's timeline, in its order, and may return before the work is done.
/// The handles that they are given are ones that they returned and that were not yet released.
pub trait Platform {
    /// What it supports.
    fn limits(&self) -> PlatformLimits;

    /// Creates a tensor's data, all zeros.
    ///
    /// # Errors
    /// If the memory can not be had.
    fn create_tensor(&mut self, descriptor: &MLOperandDescriptor) -> Result<TensorData, PlatformError>;

    /// Copies `bytes`, which are as many as the tensor has, to its data.
    ///
    /// # Errors
    /// If the copy failed.
    fn write_tensor(&mut self, tensor: TensorData, bytes: Bytes) -> Result<(), PlatformError>;

    /// Begins to copy the tensor's data, as it is at this point of the timeline.
    ///
    /// # Errors
    /// If the copy could not be begun.
    fn read_tensor(&mut self, tensor: TensorData) -> Result<Box<dyn PendingBytes>, PlatformError>;

    /// Releases the tensor's data, once everything that was issued before is done with it. If it is exported, it is taken
    /// away from the application.
    fn release_tensor(&mut self, tensor: TensorData);

    /// Converts a graph into the form that the platform computes.
    ///
    /// # Errors
    /// If the platform can not compute it.
    fn convert(&mut self, computation: Computation) -> Result<GraphImplementation, PlatformError>;

    /// Supplies a part of the data of a hollow constant of a converted graph
    /// ([proposal](https://github.com/webmachinelearning/webnn/issues/901)): no two parts overlap, and once they are all
    /// there, the constant has its data. At [`Residence::Source`] the part, of a blob, is noted and not read.
    ///
    /// # Errors
    /// If the data could not be taken. The part counts as not supplied, and may be supplied again.
    fn set_constant(
        &mut self,
        graph: GraphImplementation,
        constant: OperandId,
        part: Part,
        residence: Residence,
    ) -> Result<(), PlatformError>;

    /// Issues a compute request: the graph, its tensors by name.
    ///
    /// # Errors
    /// If the request could not be issued.
    fn dispatch(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
    ) -> Result<(), PlatformError>;

    /// Releases the graph, once everything that was issued before is done with it.
    fn release_graph(&mut self, graph: GraphImplementation);

    /// What is in memory, and what was moved. A platform that keeps no ledger has an empty one.
    fn ledger(&self) -> Ledger {
        Ledger::default()
    }

    /// How many bytes of device memory are taken of those that a budget counts.
    fn budgeted_bytes(&self) -> u64 {
        self.ledger().budgeted()
    }

    /// Keeps every change of the ledger from now on, with the time of this clock in nanoseconds.
    fn record_memory(&mut self, _clock: fn() -> u64) {}

    /// How many bytes of device memory a constant takes that has none there yet; 0 for one that has.
    fn bytes_to_set(&self, _graph: GraphImplementation, _constant: OperandId) -> u64 {
        0
    }

    /// How many more bytes of device memory a dispatch takes: of constants that are elsewhere, and of intermediates.
    fn bytes_to_dispatch(&self, _graph: GraphImplementation) -> u64 {
        0
    }

    /// How many more bytes of device memory a dispatch takes at least if its constants are streamed
    /// ([`dispatch_streamed`](Platform::dispatch_streamed)).
    fn bytes_to_stream(&self, graph: GraphImplementation) -> u64 {
        self.bytes_to_dispatch(graph)
    }

    /// How many bytes of device memory [`offload`](Platform::offload) frees.
    fn bytes_to_offload(&self, _graph: GraphImplementation) -> u64 {
        0
    }

    /// Moves the data of the graph's constants out of the device's memory, and releases its intermediates: to the host,
    /// or back to their source, which those that did not come from blobs do not have; they go to the host.
    ///
    /// # Errors
    /// If there is no memory for them on the host; they stay.
    fn offload(&mut self, _graph: GraphImplementation, _to: Residence) -> Result<(), PlatformError> {
        Err(unmovable())
    }

    /// Moves the data of the graph's constants into the device's memory, from wherever it is.
    ///
    /// # Errors
    /// If there is no memory, or a source can not be read any more. What was moved stays moved.
    fn reload(&mut self, _graph: GraphImplementation) -> Result<(), PlatformError> {
        // A platform that never moves them has nothing to bring back.
        Ok(())
    }

    /// Issues a compute request whose constants are moved into the device's memory while it runs, each in time for the
    /// operators that take it, and are dropped again, in at most `room` bytes more than are taken.
    ///
    /// # Errors
    /// If the request could not be issued, or a source can not be read any more. The outputs then hold anything.
    fn dispatch_streamed(
        &mut self,
        _graph: GraphImplementation,
        _inputs: &[(String, TensorData)],
        _outputs: &[(String, TensorData)],
        _room: u64,
    ) -> Result<(), PlatformError> {
        Err(unmovable())
    }

    /// Creates the data of an exportable tensor, all zeros, in memory of the device that the context was created from
    /// ([proposal](https://github.com/webmachinelearning/webnn/pull/942)). Only contexts that were are asked.
    ///
    /// # Errors
    /// If the memory can not be had.
    fn create_exportable_tensor(
        &mut self,
        _: &MLOperandDescriptor,
        _: GPUBufferUsage,
    ) -> Result<TensorData, PlatformError> {
        Err(PlatformError::Unsupported("no tensor of this platform can be exported".into()))
    }

    /// Hands an exportable tensor's data over to the application, as what a buffer of the device is in truth. Whatever
    /// the application submits to the device's queue from now on comes after everything that was issued before.
    ///
    /// # Errors
    /// If it could not be handed over.
    fn export_tensor(&mut self, _: TensorData) -> Result<Rc<dyn Any>, PlatformError> {
        Err(PlatformError::Unsupported("no tensor of this platform can be exported".into()))
    }

    /// Takes the data back. Whatever is issued from now on comes after everything that the application has submitted.
    ///
    /// # Errors
    /// If it could not be taken back.
    fn return_tensor(&mut self, _: TensorData) -> Result<(), PlatformError> {
        Err(PlatformError::Unsupported("no tensor of this platform can be exported".into()))
    }

    /// Copies the data of a tensor to another, of the same descriptor, that nothing was issued for.
    ///
    /// # Errors
    /// If the copy failed.
    fn copy_tensor(&mut self, from: TensorData, to: TensorData) -> Result<(), PlatformError> {
        let bytes = self.read_tensor(from)?.wait()?;
        self.write_tensor(to, Bytes::new(bytes))
    }

    /// The device for which graphs are kept: contexts that give the same name share a graph cache
    /// ([proposal](https://github.com/webmachinelearning/webnn/issues/807)).
    fn device_name(&self) -> String {
        "unknown".to_owned()
    }

    /// A converted graph in a form that can be stored, with these names for all its hollow constants, whose data is left
    /// out. By default a platform has no such form.
    ///
    /// # Errors
    /// [`PlatformError::Unsupported`] if there is no such form, another if it could not be made.
    fn save_graph(
        &mut self,
        _graph: GraphImplementation,
        _constants: &[(String, OperandId)],
    ) -> Result<Entry, PlatformError> {
        Err(PlatformError::Unsupported("this platform has no form of a graph that can be stored".to_owned()))
    }

    /// How many bytes of device memory the constants take that are in an entry; what it is given may be damaged.
    fn bytes_to_restore(&self, _entry: &Entry) -> u64 {
        0
    }

    /// Makes a graph of what [`save_graph`](Self::save_graph) gave, without converting it again. What it is given may be
    /// damaged, or made up: it trusts nothing in it.
    ///
    /// # Errors
    /// Whether the entry can not be used, or the platform failed.
    fn restore_graph(&mut self, entry: &Entry) -> Result<Restored, RestoreError> {
        Err(RestoreError::Unusable(format!("this platform makes no graph of {entry:?}")))
    }
}

fn unmovable() -> PlatformError {
    PlatformError::Unsupported("this platform does not move graphs out of the device's memory".to_owned())
}
