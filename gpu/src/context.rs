//! The platform of one context: its tensors and its graphs.
//!
//! Contexts of one [`Gpu`](crate::Gpu) record into one batch, in the order in which their timelines run. Nothing is
//! submitted until somebody waits for a read, or a tensor is written that what is recorded still uses, or a great deal
//! has piled up; so the dispatches of many small graphs share a submission.

use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use webnn_reference::buffer::Bytes;
use webnn_reference::builder::Constant;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::ledger::{Kind, Ledger, Way};
use webnn_reference::operand::OperandId;
use webnn_reference::ops::MLInputOperandLayout;
use webnn_reference::platform::{
    Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, Residence, TensorData,
};
use webnn_reference::proposals::graph_cache::{Entry, RestoreError, Restored};
use webnn_reference::supply::Part;
use webnn_reference::webgpu::GPUBufferUsage;

use crate::account::{Account, Allocation, Held};
use crate::batch::{Batch, PendingRead};
use crate::cache::entry::{self, Draft, Maker, Opened};
use crate::device::{Device, KERNELS_AND_COPIES, whole_words};
use crate::error::{Error, Result};
use crate::graph::{Bindings, Blueprint, Ends, Graph};
use crate::interop;
use crate::lower::{Bounds, Economy, lower};
use crate::plan::Layout;
use crate::scalar;
use crate::weights::{Constants, Ring};
use crate::wgsl::MAX_RANK;

/// So many recorded commands are submitted without being asked for.
const MANY_COMMANDS: usize = 4096;

/// The most bytes of a tensor: an element's index has 31 bits, and so has the place of its word.
const MOST_BYTES: u64 = (1 << 31) - 1;

/// A context on a device.
#[derive(Debug)]
pub(crate) struct Context {
    batch: Arc<Batch>,
    economy: Economy,
    account: Account,
    ring: Ring,
    tensors: BTreeMap<TensorData, Tensor>,
    graphs: BTreeMap<GraphImplementation, Graph>,
    handles: u64,
}

/// A tensor's memory.
#[derive(Debug)]
struct Tensor {
    memory: Allocation,
    bytes: u64,
    /// [`Batch::flushes`] when it was last recorded; what is recorded uses it as long as that number stays.
    used: Option<u64>,
    is_exported: bool,
}

impl Context {
    pub(crate) fn new(batch: Arc<Batch>, economy: Economy) -> Self {
        let account = Account::new(Arc::clone(&batch));
        let ring = Ring::new(account.clone());
        Self { batch, economy, account, ring, tensors: BTreeMap::new(), graphs: BTreeMap::new(), handles: 0 }
    }

    fn device(&self) -> &Arc<Device> {
        self.batch.device()
    }

    fn bounds(&self) -> Bounds {
        bounds(self.device())
    }

    /// What makes a graph what it is, beside its computation.
    fn maker(&self) -> Maker {
        Maker::on(self.device(), self.bounds(), self.economy)
    }

    fn handle(&mut self) -> u64 {
        self.handles += 1;
        self.handles
    }

    fn tensor(&self, tensor: TensorData) -> Result<&Tensor, PlatformError> {
        self.tensors.get(&tensor).ok_or_else(|| unknown("tensor"))
    }

    fn create(
        &mut self,
        descriptor: &MLOperandDescriptor,
        usage: wgpu::BufferUsages,
    ) -> Result<TensorData, PlatformError> {
        let bytes = descriptor.byte_length();
        let memory = self.account.allocate_for("a tensor", Kind::Tensors, bytes, usage)?;
        let handle = TensorData(self.handle());
        self.tensors.insert(handle, Tensor { memory, bytes, used: None, is_exported: false });
        Ok(handle)
    }

    /// Whether anything that is recorded and not submitted uses the tensor.
    fn is_awaited(&self, tensor: TensorData) -> bool {
        self.tensors.get(&tensor).is_some_and(|tensor| tensor.used == Some(self.batch.flushes()))
    }

    fn graph(&self, graph: GraphImplementation) -> Result<&Graph, PlatformError> {
        self.graphs.get(&graph).ok_or_else(|| unknown("graph"))
    }

    /// Memory that holds these bytes. They go straight there, past whatever is recorded.
    fn uploaded(&self, bytes: &[u8]) -> Result<Allocation> {
        let memory = self.account.allocate("a constant", Kind::Constants, bytes.len() as u64)?;
        self.batch.upload_ahead(memory.buffer(), 0, bytes)?;
        self.account.moved(Way::Upload, bytes.len() as u64);
        Ok(memory)
    }

    /// Adds a constant to those of a graph.
    fn add_constant(
        &self,
        constants: &mut Constants,
        operand: OperandId,
        descriptor: &MLOperandDescriptor,
        constant: Constant,
    ) -> Result<(), PlatformError> {
        let bytes = descriptor.byte_length();
        match constant {
            Constant::Bytes(data) => constants.hold(operand, bytes, self.uploaded(&data.whole())?),
            Constant::Scalar(number) => {
                constants.hold(operand, bytes, self.uploaded(&scalar::bytes(number, descriptor.data_type))?);
            }
            Constant::Tensor(tensor) => {
                let data = tensor.data().ok_or_else(|| unknown("constant tensor"))?;
                constants.borrow(operand, bytes, self.tensor(data)?.memory.buffer().clone());
            }
            Constant::Hollow => constants.expect(operand, bytes),
        }
        Ok(())
    }

    /// Adds to the buffers of a dispatch, by operand. Returns those of operands that have one already: an operand that
    /// is two outputs is computed into the first.
    fn bind(
        &self,
        operands: &[(String, OperandId)],
        tensors: &[(String, TensorData)],
        bindings: &mut Bindings,
    ) -> Result<Vec<(OperandId, wgpu::Buffer)>, PlatformError> {
        let mut further = Vec::new();
        for (name, operand) in operands {
            let found = tensors.iter().find(|(given, _)| given == name);
            let (_, data) = found.ok_or_else(|| unknown("tensor of that name"))?;
            let buffer = self.tensor(*data)?.memory.buffer().clone();
            if bindings.contains_key(operand) {
                further.push((*operand, buffer));
            } else {
                bindings.insert(*operand, buffer.into());
            }
        }
        Ok(further)
    }

    /// Records a graph's dispatches; with a `room`, its constants are streamed in so many bytes.
    fn record(
        &mut self,
        graph: &mut Graph,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
        room: Option<u64>,
    ) -> Result<(), PlatformError> {
        let mut bindings = Bindings::new();
        let Ends { inputs: given, outputs: wanted, .. } = &graph.blueprint.ends;
        self.bind(given, inputs, &mut bindings)?;
        let copies = self.bind(wanted, outputs, &mut bindings)?;
        match room {
            None => graph.run(&mut self.ring, &bindings)?,
            Some(room) => graph.stream(&mut self.ring, &mut bindings, room)?,
        }
        for (operand, copy) in &copies {
            let bytes = whole_words(graph.descriptor(*operand).byte_length());
            self.batch.copy((&bindings[operand].buffer).into(), copy.into(), bytes)?;
        }
        Ok(())
    }

    fn issue(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
        room: Option<u64>,
    ) -> Result<(), PlatformError> {
        let recorded = self.with_graph(graph, |context, graph| context.record(graph, inputs, outputs, room));
        self.mark(inputs.iter().chain(outputs).map(|(_, tensor)| *tensor));
        recorded?;
        if self.batch.recorded() > MANY_COMMANDS {
            self.batch.flush()?;
        }
        Ok(())
    }

    /// Does something with a graph that uses its memory.
    fn with_graph(
        &mut self,
        graph: GraphImplementation,
        work: impl FnOnce(&mut Self, &mut Graph) -> Result<(), PlatformError>,
    ) -> Result<(), PlatformError> {
        let mut found = self.graphs.remove(&graph).ok_or_else(|| unknown("graph"))?;
        let outcome = work(self, &mut found);
        found.used = Some(self.batch.flushes());
        self.graphs.insert(graph, found);
        outcome
    }

    /// The builder lets any data type through; what `limits()` does not offer is refused here.
    fn ensure_computable(&self, computation: &Computation) -> Result<(), PlatformError> {
        let offered = self.limits().data_types;
        let used = computation.operators.iter().flat_map(|operator| operator.inputs.iter().chain(&operator.outputs));
        let mut data_types = used.map(|operand| computation.operands[operand.0].data_type);
        match data_types.find(|data_type| !offered.contains(data_type)) {
            None => Ok(()),
            Some(missing) => Err(PlatformError::Unsupported(format!("the adapter does not compute in {missing}"))),
        }
    }

    /// Remembers that what is recorded uses these tensors. After recording: whoever shares the batch may flush it in
    /// between, and a number that is too high costs a flush, one that is too low the order of a write.
    fn mark(&mut self, tensors: impl IntoIterator<Item = TensorData>) {
        let flushes = self.batch.flushes();
        for tensor in tensors {
            if let Some(tensor) = self.tensors.get_mut(&tensor) {
                tensor.used = Some(flushes);
            }
        }
    }
}

impl Platform for Context {
    fn limits(&self) -> PlatformLimits {
        let device = self.device();
        let wide = [MLOperandDataType::Int64, MLOperandDataType::Uint64];
        let all = MLOperandDataType::ALL.into_iter();
        PlatformLimits {
            data_types: all.filter(|data_type| device.has_int64() || !wide.contains(data_type)).collect(),
            max_rank: MAX_RANK,
            max_tensor_byte_length: device.limits().max_buffer_size.min(MOST_BYTES),
            preferred_input_layout: MLInputOperandLayout::Nchw,
            unsupported_operators: &[],
        }
    }

    fn create_tensor(&mut self, descriptor: &MLOperandDescriptor) -> Result<TensorData, PlatformError> {
        self.create(descriptor, KERNELS_AND_COPIES)
    }

    fn write_tensor(&mut self, tensor: TensorData, bytes: Bytes) -> Result<(), PlatformError> {
        let awaited = self.is_awaited(tensor);
        let tensor = self.tensor(tensor)?;
        let upload = if awaited { Batch::upload } else { Batch::upload_ahead };
        upload(&self.batch, tensor.memory.buffer(), 0, &bytes.whole())?;
        self.account.moved(Way::Upload, bytes.len() as u64);
        Ok(())
    }

    fn read_tensor(&mut self, tensor: TensorData) -> Result<Box<dyn PendingBytes>, PlatformError> {
        let found = self.tensor(tensor)?;
        let read = self.batch.read(found.memory.buffer(), 0, found.bytes);
        let staging = self.account.hold(Kind::Staging, whole_words(found.bytes));
        self.account.moved(Way::Download, found.bytes);
        self.mark([tensor]);
        Ok(Box::new(Read { read, _staging: staging }))
    }

    fn release_tensor(&mut self, tensor: TensorData) {
        // What is recorded or running holds the buffer for as long as it needs it.
        if let Some(Tensor { memory, used, is_exported, .. }) = self.tensors.remove(&tensor) {
            // Of an exported one nothing recorded is left, and what the application has submitted runs to its end.
            if is_exported {
                memory.buffer().destroy();
            }
            self.account.part_with(memory, used);
        }
    }

    fn convert(&mut self, mut computation: Computation) -> Result<GraphImplementation, PlatformError> {
        self.ensure_computable(&computation)?;
        let mut program = lower(&computation, self.bounds(), self.economy)?;
        let layout = Layout::of(&mut program, self.bounds().space(), self.economy);
        let mut constants = Constants::default();
        for (operand, constant) in std::mem::take(&mut computation.constants) {
            self.add_constant(&mut constants, operand, &computation.operands[operand.0], constant)?;
        }
        let Computation { operands, inputs, outputs, .. } = computation;
        let ends = Ends { inputs, outputs, operands };
        let graph = Graph::new(&self.account, Blueprint { program, layout, ends }, constants)?;
        let handle = GraphImplementation(self.handle());
        self.graphs.insert(handle, graph);
        Ok(handle)
    }

    fn set_constant(
        &mut self,
        graph: GraphImplementation,
        constant: OperandId,
        part: Part,
        residence: Residence,
    ) -> Result<(), PlatformError> {
        self.with_graph(graph, |context, graph| {
            graph.memory.constants.supply(constant, part, residence, &mut context.ring)
        })
    }

    fn dispatch(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
    ) -> Result<(), PlatformError> {
        self.issue(graph, inputs, outputs, None)
    }

    fn release_graph(&mut self, graph: GraphImplementation) {
        if let Some(graph) = self.graphs.remove(&graph) {
            // What is still on its way to it would keep its memory. If the device is lost, nothing does.
            let _ = self.ring.submit();
            graph.release(&self.account);
        }
    }

    fn create_exportable_tensor(
        &mut self,
        descriptor: &MLOperandDescriptor,
        usage: GPUBufferUsage,
    ) -> Result<TensorData, PlatformError> {
        self.create(descriptor, KERNELS_AND_COPIES | interop::usages(usage))
    }

    /// The application gets the buffer itself. It submits to the same queue, so that it is enough to have submitted what
    /// is recorded and uses the tensor.
    fn export_tensor(&mut self, tensor: TensorData) -> Result<Rc<dyn Any>, PlatformError> {
        self.device().ensure_present()?;
        if self.is_awaited(tensor) {
            self.batch.flush()?;
        }
        let tensor = self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?;
        tensor.is_exported = true;
        Ok(Rc::new(tensor.memory.buffer().clone()))
    }

    /// Whatever the application has submitted is on the queue already, before what is recorded from now on.
    fn return_tensor(&mut self, tensor: TensorData) -> Result<(), PlatformError> {
        self.device().ensure_present()?;
        self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?.is_exported = false;
        Ok(())
    }

    fn copy_tensor(&mut self, from: TensorData, to: TensorData) -> Result<(), PlatformError> {
        let (source, target) = (self.tensor(from)?, self.tensor(to)?);
        let bytes = whole_words(source.bytes);
        self.batch.copy(source.memory.buffer().into(), target.memory.buffer().into(), bytes)?;
        self.mark([from, to]);
        Ok(())
    }

    fn ledger(&self) -> Ledger {
        self.account.settled()
    }

    fn budgeted_bytes(&self) -> u64 {
        self.account.budgeted()
    }

    fn record_memory(&mut self, clock: fn() -> u64) {
        self.account.record(clock);
    }

    fn bytes_to_set(&self, graph: GraphImplementation, constant: OperandId) -> u64 {
        self.graph(graph).map_or(0, |graph| graph.memory.constants.missing(constant))
    }

    fn bytes_to_dispatch(&self, graph: GraphImplementation) -> u64 {
        self.graph(graph).map_or(0, Graph::bytes_to_dispatch)
    }

    fn bytes_to_stream(&self, graph: GraphImplementation) -> u64 {
        self.graph(graph).map_or(0, Graph::bytes_to_stream)
    }

    fn bytes_to_offload(&self, graph: GraphImplementation) -> u64 {
        self.graph(graph).map_or(0, Graph::bytes_to_offload)
    }

    fn offload(&mut self, graph: GraphImplementation, to: Residence) -> Result<(), PlatformError> {
        self.with_graph(graph, |context, graph| graph.offload(to, &mut context.ring))
    }

    fn reload(&mut self, graph: GraphImplementation) -> Result<(), PlatformError> {
        self.with_graph(graph, |context, graph| graph.memory.constants.reload(&mut context.ring))
    }

    fn dispatch_streamed(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
        room: u64,
    ) -> Result<(), PlatformError> {
        self.issue(graph, inputs, outputs, Some(room))
    }

    fn device_name(&self) -> String {
        let info = self.device().info();
        format!("wgpu {} {:04x}:{:04x}", info.name, info.vendor, info.device)
    }

    fn save_graph(
        &mut self,
        graph: GraphImplementation,
        constants: &[(String, OperandId)],
    ) -> Result<Entry, PlatformError> {
        let graph = self.graph(graph)?;
        let is_hollow = |operand: OperandId| constants.iter().any(|(_, hollow)| *hollow == operand);
        let with_data = graph.memory.constants.lengths().filter(|(operand, _)| !is_hollow(*operand));
        let with_data = with_data.collect::<Vec<_>>();
        let mut draft = Draft::new(&self.maker(), &graph.blueprint, constants, &with_data)?;
        for (operand, _) in &with_data {
            graph.memory.constants.read(*operand, &self.account, |bytes| draft.add(bytes))?;
        }
        Ok(Entry::Bytes(Bytes::new(draft.sealed())))
    }

    fn bytes_to_restore(&self, entry: &Entry) -> u64 {
        match entry {
            Entry::Bytes(bytes) => entry::data_bytes(&bytes.whole()),
            Entry::Object(_) | Entry::Damaged(_) => 0,
        }
    }

    fn restore_graph(&mut self, entry: &Entry) -> Result<Restored, RestoreError> {
        let Entry::Bytes(bytes) = entry else {
            return Err(RestoreError::Unusable(format!("a graph is kept as bytes, and not as {entry:?}")));
        };
        let bytes = bytes.whole();
        let opened = entry::open(&bytes, &self.maker(), self.bounds()).map_err(RestoreError::Unusable)?;
        let Opened { blueprint, names, constants: with_data } = opened;
        let mut constants = Constants::default();
        for (operand, data) in with_data {
            let memory = self.uploaded(data).map_err(PlatformError::from)?;
            constants.hold(operand, data.len() as u64, memory);
        }
        for (_, operand) in &names {
            constants.expect(*operand, blueprint.ends.operands[operand.0].byte_length());
        }
        let ends = blueprint.ends.clone();
        let graph = Graph::new(&self.account, blueprint, constants).map_err(|error| match error {
            // Nobody has validated the text of its kernels before.
            Error::Refused(why) => RestoreError::Unusable(why),
            error => RestoreError::Failed(error.into()),
        })?;
        let implementation = GraphImplementation(self.handle());
        self.graphs.insert(implementation, graph);
        let Ends { inputs, outputs, operands } = ends;
        Ok(Restored { implementation, operands, inputs, outputs, constants: names })
    }
}

/// What a device can allocate and bind.
pub(crate) fn bounds(device: &Device) -> Bounds {
    let limits = device.limits();
    Bounds {
        binding_bytes: limits.max_storage_buffer_binding_size,
        bindings: limits.max_storage_buffers_per_shader_stage as usize,
        buffer_bytes: limits.max_buffer_size,
        alignment: limits.min_storage_buffer_offset_alignment.into(),
    }
}

/// Bytes on their way back.
struct Read {
    read: PendingRead,
    _staging: Held,
}

impl PendingBytes for Read {
    fn wait(self: Box<Self>) -> Result<Vec<u8>, PlatformError> {
        Ok(self.read.wait()?)
    }
}

fn unknown(what: &str) -> PlatformError {
    PlatformError::Unsupported(format!("the {what} is not one of this context, or was released"))
}

impl From<Error> for PlatformError {
    fn from(error: Error) -> Self {
        match error {
            Error::Lost(why) => Self::Lost(why),
            // A device that hangs is as good as gone.
            Error::TimedOut(_) => Self::Lost(error.to_string()),
            Error::OutOfMemory(what) => Self::OutOfMemory(what),
            Error::TooLarge { .. } => Self::OutOfMemory(error.to_string()),
            Error::NoAdapter { .. } | Error::NoDevice(_) => Self::Unsupported(error.to_string()),
            // The graph was validated, so this is a bug, of ours or of the driver; and no exception says so.
            Error::Refused(_) => panic!("{error}"),
        }
    }
}
