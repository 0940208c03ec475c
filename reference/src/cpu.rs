//! The interpreter: a platform that computes a graph operator by operator, in the order in which they were created.

mod constants;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::buffer::Bytes;
use crate::builder::Constant;
use crate::data_type::MLOperandDataType;
use crate::derived_bound::{self, Allowance, Ranges, RangesOfTensors};
use crate::descriptor::MLOperandDescriptor;
use crate::for_data_type;
use crate::ledger::{Kind, Ledger, Way};
use crate::ml::{ContextType, MLPowerPreference, PlatformProvider};
use crate::number::{MLNumber, byte_count, element_of};
use crate::operand::OperandId;
use crate::ops::{Bound, MLInputOperandLayout};
use crate::platform::{
    Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, Residence, TensorData,
};
use crate::proposals::graph_cache::{Entry, RestoreError, Restored};
use crate::supply::Part;
use crate::value::{Computed, Value, filled, reserved};
use crate::virtual_device::{VirtualBuffer, VirtualDevice};
use crate::webgpu::{GPUBufferUsage, GPUDevice};
use constants::Constants;

/// Provides the interpreter as the platform of contexts of type "default", and of those created from a virtual device.
#[derive(Clone, Copy, Debug)]
pub struct Cpu;

impl PlatformProvider for Cpu {
    fn platform(&self, context_type: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        match context_type {
            ContextType::Default => Some(Box::new(Interpreter::default())),
            ContextType::WebGPU(device) => {
                let device = VirtualDevice::behind(device).filter(|device| !device.is_lost())?;
                Some(Box::new(Interpreter { device: Some(device), ..Interpreter::default() }))
            }
        }
    }

    fn request_device(&self) -> Option<GPUDevice> {
        Some(VirtualDevice::gpu_device())
    }
}

/// The interpreter.
#[derive(Debug, Default)]
pub struct Interpreter {
    tensors: BTreeMap<TensorData, Tensor>,
    graphs: BTreeMap<GraphImplementation, Graph>,
    handles: u64,
    ledger: Ledger,
    second_pass: Option<SecondPass>,
    device: Option<VirtualDevice>,
}

/// What the pass that derives bounds needs, if it is made.
#[derive(Clone, Debug)]
struct SecondPass {
    allowance: Allowance,
    ranges: Rc<RangesOfTensors>,
}

#[derive(Debug)]
struct Tensor {
    descriptor: MLOperandDescriptor,
    value: Rc<Value>,
    /// What the application works on while the tensor is exported.
    exported: Option<VirtualBuffer>,
}

#[derive(Debug)]
struct Graph {
    computation: Rc<Computation>,
    constants: Constants,
    /// For each operator, the operands that no later one takes.
    spent: Rc<Vec<Vec<OperandId>>>,
    /// The operands that take memory of the graph's own while it is computed.
    intermediates: Rc<BTreeSet<OperandId>>,
}

/// A graph that is kept, with the names of its hollow constants and without their data.
#[derive(Debug)]
struct Kept {
    computation: Rc<Computation>,
    spent: Rc<Vec<Vec<OperandId>>>,
    intermediates: Rc<BTreeSet<OperandId>>,
    constants: Vec<(OperandId, Rc<Value>)>,
    names: Vec<(String, OperandId)>,
}

impl Interpreter {
    /// An interpreter that derives bounds too, and keeps them in the ledger.
    pub(crate) fn bounding(allowance: Allowance, ranges: Rc<RangesOfTensors>) -> Self {
        Self { second_pass: Some(SecondPass { allowance, ranges }), ..Self::default() }
    }

    fn handle(&mut self) -> u64 {
        if let Some(second_pass) = &self.second_pass {
            return second_pass.ranges.next_handle();
        }
        self.handles += 1;
        self.handles
    }

    /// A device that is lost fails whatever it is asked for.
    fn ensure_device(&self) -> Result<(), PlatformError> {
        match &self.device {
            Some(device) if device.is_lost() => Err(PlatformError::Lost("it is gone".into())),
            Some(_) | None => Ok(()),
        }
    }

    fn tensor(&self, tensor: TensorData) -> Result<&Tensor, PlatformError> {
        self.tensors.get(&tensor).ok_or_else(|| unknown("tensor"))
    }

    fn ranges(&self, tensor: TensorData) -> Option<Rc<Ranges>> {
        self.second_pass.as_ref().and_then(|second_pass| second_pass.ranges.get(tensor))
    }

    fn set_ranges(&self, tensor: TensorData, ranges: Option<Rc<Ranges>>) {
        if let Some(second_pass) = &self.second_pass {
            second_pass.ranges.set(tensor, ranges);
        }
    }

    /// Adds a constant to those of a graph.
    fn add_constant(
        &mut self,
        constants: &mut Constants,
        operand: OperandId,
        descriptor: &MLOperandDescriptor,
        constant: &Constant,
    ) -> Computed<()> {
        match constant {
            Constant::Bytes(bytes) => {
                let value = Value::repeating(descriptor, bytes)?;
                constants.hold(operand, descriptor, value, &mut self.ledger);
            }
            Constant::Scalar(number) => {
                let value = scalar(descriptor.data_type, *number)?;
                constants.hold(operand, descriptor, value, &mut self.ledger);
            }
            Constant::Tensor(tensor) => {
                let data = tensor.data().ok_or_else(|| unknown("constant tensor"))?;
                constants.borrow(operand, descriptor, Rc::clone(&self.tensor(data)?.value));
            }
            Constant::Hollow => constants.expect(operand, descriptor),
        }
        Ok(())
    }

    /// Computes a graph; constants that are not in the memory of the device are brought there one by one.
    fn issue(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
    ) -> Result<(), PlatformError> {
        self.ensure_device()?;
        let graph = self.graphs.get(&graph).ok_or_else(|| unknown("graph"))?;
        let mut bound = graph.constants.resident();
        let mut ranges = BTreeMap::new();
        for (name, operand) in &graph.computation.inputs {
            let tensor = named(inputs, name)?;
            bound.insert(*operand, Rc::clone(&self.tensor(tensor)?.value));
            ranges.extend(self.ranges(tensor).map(|of_tensor| (*operand, of_tensor)));
        }
        graph.compute(&mut bound, &mut ranges, self.second_pass.as_ref(), &mut self.ledger)?;
        for (name, operand) in &graph.computation.outputs {
            let tensor = named(outputs, name)?;
            let value = bound.get(operand).map(Rc::clone).ok_or_else(|| unknown("output"))?;
            self.set_ranges(tensor, ranges.get(operand).map(Rc::clone));
            let tensor = self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?;
            tensor.value = value;
        }
        Ok(())
    }
}

fn scalar(data_type: MLOperandDataType, number: MLNumber) -> Computed {
    for_data_type!(data_type, T => Ok(filled(&[], element_of::<T>(number))?.into()))
}

fn unknown(what: &str) -> PlatformError {
    PlatformError::Unsupported(format!("the {what} is not one of this context, or was released"))
}

impl Platform for Interpreter {
    fn limits(&self) -> PlatformLimits {
        PlatformLimits {
            data_types: MLOperandDataType::ALL.to_vec(),
            max_rank: 8,
            max_tensor_byte_length: MAX_TENSOR_BYTE_LENGTH,
            preferred_input_layout: MLInputOperandLayout::Nchw,
            unsupported_operators: &[],
        }
    }

    fn create_tensor(&mut self, descriptor: &MLOperandDescriptor) -> Result<TensorData, PlatformError> {
        self.ensure_device()?;
        ensure_within_limit(descriptor)?;
        let value = Rc::new(Value::zeros(descriptor)?);
        let handle = TensorData(self.handle());
        self.ledger.allocate(Kind::Tensors, descriptor.device_bytes());
        self.tensors.insert(handle, Tensor { descriptor: descriptor.clone(), value, exported: None });
        Ok(handle)
    }

    fn write_tensor(&mut self, tensor: TensorData, bytes: Bytes) -> Result<(), PlatformError> {
        self.ensure_device()?;
        self.set_ranges(tensor, None);
        let tensor = self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?;
        tensor.value = Rc::new(Value::repeating(&tensor.descriptor, &bytes)?);
        self.ledger.moved(Way::Upload, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    fn read_tensor(&mut self, tensor: TensorData) -> Result<Box<dyn PendingBytes>, PlatformError> {
        self.ensure_device()?;
        let bytes = self.tensor(tensor)?.bytes()?;
        self.ledger.moved(Way::Download, byte_count(&bytes));
        Ok(Box::new(bytes))
    }

    fn release_tensor(&mut self, tensor: TensorData) {
        self.set_ranges(tensor, None);
        if let Some(tensor) = self.tensors.remove(&tensor) {
            self.ledger.release(Kind::Tensors, tensor.descriptor.device_bytes());
        }
    }

    fn convert(&mut self, mut computation: Computation) -> Result<GraphImplementation, PlatformError> {
        self.ensure_device()?;
        let mut constants = Constants::default();
        for (operand, constant) in std::mem::take(&mut computation.constants) {
            let added = self.add_constant(&mut constants, operand, &computation.operands[operand.0], &constant);
            if let Err(error) = added {
                constants.release(&mut self.ledger);
                return Err(error);
            }
        }
        let graph = Graph::new(computation, constants);
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
        self.ensure_device()?;
        let graph = self.graphs.get_mut(&graph).ok_or_else(|| unknown("graph"))?;
        graph.constants.supply(constant, part, residence, &mut self.ledger)
    }

    fn dispatch(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
    ) -> Result<(), PlatformError> {
        self.issue(graph, inputs, outputs)
    }

    fn release_graph(&mut self, graph: GraphImplementation) {
        if let Some(mut graph) = self.graphs.remove(&graph) {
            graph.constants.release(&mut self.ledger);
        }
    }

    fn ledger(&self) -> Ledger {
        self.ledger.clone()
    }

    fn budgeted_bytes(&self) -> u64 {
        self.ledger.budgeted()
    }

    fn record_memory(&mut self, clock: fn() -> u64) {
        self.ledger.record(clock);
    }

    fn bytes_to_set(&self, graph: GraphImplementation, constant: OperandId) -> u64 {
        self.graphs.get(&graph).map_or(0, |graph| graph.constants.missing(constant))
    }

    fn bytes_to_dispatch(&self, graph: GraphImplementation) -> u64 {
        self.graphs.get(&graph).map_or(0, |graph| graph.constants.all_missing() + graph.peak(|_| 0))
    }

    fn bytes_to_stream(&self, graph: GraphImplementation) -> u64 {
        self.graphs.get(&graph).map_or(0, |graph| graph.peak(|operand| graph.constants.missing(operand)))
    }

    fn bytes_to_offload(&self, graph: GraphImplementation) -> u64 {
        self.graphs.get(&graph).map_or(0, |graph| graph.constants.movable())
    }

    fn offload(&mut self, graph: GraphImplementation, to: Residence) -> Result<(), PlatformError> {
        let graph = self.graphs.get_mut(&graph).ok_or_else(|| unknown("graph"))?;
        graph.constants.offload(to, &mut self.ledger);
        Ok(())
    }

    fn reload(&mut self, graph: GraphImplementation) -> Result<(), PlatformError> {
        self.ensure_device()?;
        let graph = self.graphs.get_mut(&graph).ok_or_else(|| unknown("graph"))?;
        graph.constants.reload(&mut self.ledger)
    }

    fn dispatch_streamed(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
        _room: u64,
    ) -> Result<(), PlatformError> {
        self.issue(graph, inputs, outputs)
    }

    fn create_exportable_tensor(
        &mut self,
        descriptor: &MLOperandDescriptor,
        _: GPUBufferUsage,
    ) -> Result<TensorData, PlatformError> {
        self.create_tensor(descriptor)
    }

    fn export_tensor(&mut self, tensor: TensorData) -> Result<Rc<dyn Any>, PlatformError> {
        self.ensure_device()?;
        self.set_ranges(tensor, None);
        let tensor = self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?;
        let mut bytes = tensor.bytes()?;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let buffer = VirtualBuffer::holding(bytes);
        tensor.exported = Some(buffer.clone());
        Ok(Rc::new(buffer))
    }

    fn return_tensor(&mut self, tensor: TensorData) -> Result<(), PlatformError> {
        self.ensure_device()?;
        let tensor = self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?;
        let mut bytes = tensor.exported.take().ok_or_else(|| unknown("exported tensor"))?.to_vec();
        bytes.truncate(tensor.byte_length()?);
        tensor.value = Rc::new(Value::repeating(&tensor.descriptor, &Bytes::new(bytes))?);
        Ok(())
    }

    fn copy_tensor(&mut self, from: TensorData, to: TensorData) -> Result<(), PlatformError> {
        self.ensure_device()?;
        self.set_ranges(to, self.ranges(from));
        let value = Rc::clone(&self.tensor(from)?.value);
        self.tensors.get_mut(&to).ok_or_else(|| unknown("tensor"))?.value = value;
        Ok(())
    }

    fn device_name(&self) -> String {
        "interpreter".to_owned()
    }

    fn save_graph(
        &mut self,
        graph: GraphImplementation,
        constants: &[(String, OperandId)],
    ) -> Result<Entry, PlatformError> {
        let graph = self.graphs.get(&graph).ok_or_else(|| unknown("graph"))?;
        let is_hollow = |operand: OperandId| constants.iter().any(|(_, hollow)| *hollow == operand);
        Ok(Entry::Object(Rc::new(Kept {
            computation: Rc::clone(&graph.computation),
            spent: Rc::clone(&graph.spent),
            intermediates: Rc::clone(&graph.intermediates),
            constants: graph.constants.values().filter(|(operand, _)| !is_hollow(*operand)).collect(),
            names: constants.to_vec(),
        })))
    }

    fn bytes_to_restore(&self, entry: &Entry) -> u64 {
        let bytes = |Kept { computation, constants, .. }: &Kept| {
            constants.iter().map(|(operand, _)| computation.operands[operand.0].device_bytes()).sum()
        };
        kept(entry).map_or(0, bytes)
    }

    fn restore_graph(&mut self, entry: &Entry) -> Result<Restored, RestoreError> {
        let Some(Kept { computation, spent, intermediates, constants: with_data, names }) = kept(entry) else {
            return Err(RestoreError::Unusable("it is no graph of the interpreter".to_owned()));
        };
        let Computation { operands, inputs, outputs, .. } = computation.as_ref();
        let mut constants = Constants::default();
        for (operand, value) in with_data {
            constants.hold(*operand, &operands[operand.0], Rc::clone(value), &mut self.ledger);
        }
        for (_, operand) in names {
            constants.expect(*operand, &operands[operand.0]);
        }
        let restored = Restored {
            implementation: GraphImplementation(self.handle()),
            operands: operands.clone(),
            inputs: inputs.clone(),
            outputs: outputs.clone(),
            constants: names.clone(),
        };
        let (computation, spent, intermediates) = (Rc::clone(computation), Rc::clone(spent), Rc::clone(intermediates));
        self.graphs.insert(restored.implementation, Graph { computation, constants, spent, intermediates });
        Ok(restored)
    }
}

/// The graph of an entry, if it is one of the interpreter.
fn kept(entry: &Entry) -> Option<&Kept> {
    match entry {
        Entry::Object(object) => object.downcast_ref(),
        Entry::Bytes(_) | Entry::Damaged(_) => None,
    }
}

impl Tensor {
    fn byte_length(&self) -> Computed<usize> {
        usize::try_from(self.descriptor.byte_length()).map_err(|_| too_large(&self.descriptor))
    }

    fn bytes(&self) -> Computed<Vec<u8>> {
        repeated(self.value.to_bytes()?, self.byte_length()?)
    }
}

fn named(tensors: &[(String, TensorData)], name: &str) -> Result<TensorData, PlatformError> {
    let found = tensors.iter().find(|(given, _)| given == name);
    found.map(|(_, tensor)| *tensor).ok_or_else(|| unknown("tensor of that name"))
}

impl Graph {
    fn new(computation: Computation, constants: Constants) -> Self {
        let outputs: BTreeSet<OperandId> = computation.outputs.iter().map(|(_, operand)| *operand).collect();
        let computed = computation.operators.iter().flat_map(|operator| &operator.outputs);
        let intermediates = computed.copied().filter(|operand| !outputs.contains(operand)).collect();
        let (spent, intermediates) = (Rc::new(spent_operands(&computation)), Rc::new(intermediates));
        Self { computation: Rc::new(computation), constants, spent, intermediates }
    }

    fn compute(
        &self,
        bound: &mut BTreeMap<OperandId, Rc<Value>>,
        ranges: &mut BTreeMap<OperandId, Rc<Ranges>>,
        second_pass: Option<&SecondPass>,
        ledger: &mut Ledger,
    ) -> Result<(), PlatformError> {
        // What is alive of intermediates and of streamed constants, so that it is released if computing fails.
        let mut alive = BTreeMap::new();
        let computed = self.compute_all(bound, ranges, second_pass, &mut alive, ledger);
        for (operand, kind) in alive {
            ledger.release(kind, self.device_bytes(operand));
        }
        computed
    }

    fn compute_all(
        &self,
        bound: &mut BTreeMap<OperandId, Rc<Value>>,
        ranges: &mut BTreeMap<OperandId, Rc<Ranges>>,
        second_pass: Option<&SecondPass>,
        alive: &mut BTreeMap<OperandId, Kind>,
        ledger: &mut Ledger,
    ) -> Result<(), PlatformError> {
        let descriptors = &self.computation.operands;
        for (operator, spent) in self.computation.operators.iter().zip(self.spent.iter()) {
            for operand in &operator.inputs {
                if !bound.contains_key(operand)
                    && let Some(value) = self.constants.streamed(*operand, ledger)?
                {
                    bound.insert(*operand, value);
                    alive.insert(*operand, Kind::Constants);
                }
            }
            if !operator.operation.is_element_wise() {
                lay_out(&operator.inputs, descriptors, bound)?;
            }
            operator.outputs.iter().try_for_each(|operand| ensure_within_limit(&descriptors[operand.0]))?;
            for operand in operator.outputs.iter().filter(|operand| self.intermediates.contains(operand)) {
                ledger.allocate(Kind::Intermediates, self.device_bytes(*operand));
                alive.insert(*operand, Kind::Intermediates);
            }
            let operands = Bound::new(operator, descriptors, bound);
            let values = operator.operation.compute(&operands)?;
            if let Some(second_pass) = second_pass {
                let derived =
                    derived_bound::ranges(&operator.operation, &operands, ranges, &values, second_pass.allowance)?;
                ranges.extend(operator.outputs.iter().copied().zip(derived.into_iter().map(Rc::new)));
            }
            bound.extend(operator.outputs.iter().copied().zip(values.into_iter().map(Rc::new)));
            for operand in spent {
                bound.remove(operand);
                ranges.remove(operand);
                if let Some(kind) = alive.remove(operand) {
                    ledger.release(kind, self.device_bytes(*operand));
                }
            }
        }
        Ok(())
    }

    fn device_bytes(&self, operand: OperandId) -> u64 {
        self.computation.operands[operand.0].device_bytes()
    }

    /// The most bytes that intermediates take at once, and constants, each of which takes so many from the first operator
    /// that needs it to the last.
    fn peak(&self, of_constant: impl Fn(OperandId) -> u64) -> u64 {
        let (mut now, mut peak) = (0, 0);
        let mut alive = BTreeMap::new();
        for (operator, spent) in self.computation.operators.iter().zip(self.spent.iter()) {
            let constants = operator.inputs.iter().map(|operand| (*operand, of_constant(*operand)));
            let outputs = operator.outputs.iter().filter(|operand| self.intermediates.contains(operand));
            let outputs = outputs.map(|operand| (*operand, self.device_bytes(*operand)));
            for (operand, bytes) in constants.chain(outputs).filter(|(_, bytes)| *bytes > 0) {
                now += if alive.insert(operand, bytes).is_none() { bytes } else { 0 };
            }
            peak = peak.max(now);
            now -= spent.iter().filter_map(|operand| alive.remove(operand)).sum::<u64>();
        }
        peak
    }
}

/// Gives the operands all their elements, of which those that repeat were kept once.
fn lay_out(
    inputs: &[OperandId],
    operands: &[MLOperandDescriptor],
    bound: &mut BTreeMap<OperandId, Rc<Value>>,
) -> Computed<()> {
    for input in inputs {
        let descriptor = &operands[input.0];
        if let Some(value) = bound.get_mut(input).filter(|value| !value.is_whole(descriptor)) {
            *value = Rc::new(value.whole(descriptor)?);
        }
    }
    Ok(())
}

/// Bytes over and over, until they are as many as the tensor has.
fn repeated(bytes: Vec<u8>, length: usize) -> Computed<Vec<u8>> {
    if bytes.len() == length || bytes.is_empty() {
        return Ok(bytes);
    }
    let mut all = reserved(length)?;
    all.extend_from_slice(&bytes);
    while all.len() < length {
        all.extend_from_within(..all.len().min(length - all.len()));
    }
    Ok(all)
}

/// The most bytes of a tensor: those of an `ArrayBuffer` of 4 GiB, less one.
const MAX_TENSOR_BYTE_LENGTH: u64 = 0xFFFF_FFFF;

/// The text as it is written lets graphs and tensors come as far as this that are larger than the platform says it can have.
/// They are refused before they take time or memory.
fn ensure_within_limit(descriptor: &MLOperandDescriptor) -> Result<(), PlatformError> {
    let length = descriptor.byte_length();
    if length <= MAX_TENSOR_BYTE_LENGTH {
        return Ok(());
    }
    let most = MAX_TENSOR_BYTE_LENGTH;
    Err(PlatformError::Unsupported(format!("{descriptor} takes {length} bytes, and a tensor has at most {most} here")))
}

fn too_large(descriptor: &MLOperandDescriptor) -> PlatformError {
    PlatformError::OutOfMemory(format!("{descriptor} does not fit in memory"))
}

/// For each operator, the operands of which it is the last to take, so that their memory is free after it.
fn spent_operands(computation: &Computation) -> Vec<Vec<OperandId>> {
    let mut kept: std::collections::BTreeSet<OperandId> =
        computation.outputs.iter().map(|(_, operand)| *operand).collect();
    let mut spent: Vec<Vec<OperandId>> = computation
        .operators
        .iter()
        .rev()
        .map(|operator| {
            let operands = operator.inputs.iter().chain(&operator.outputs);
            operands.copied().filter(|operand| kept.insert(*operand)).collect()
        })
        .collect();
    spent.reverse();
    spent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::BufferSource;
    use crate::builder::MLGraphBuilder;
    use crate::descriptor::MLTensorDescriptor;
    use crate::exception::{ExceptionName, Result};
    use crate::operand::MLOperand;
    use crate::ops::trial::{builder, computed, constant, value};
    use crate::steps::Reading;

    /// A constant whose elements are a pattern over and over.
    fn repeating(builder: &MLGraphBuilder, shape: &[u32], pattern: &[f32], times: usize) -> MLOperand {
        let bytes = pattern.iter().flat_map(|element| element.to_le_bytes()).collect();
        let descriptor = MLOperandDescriptor::create(MLOperandDataType::Float32, shape);
        let bytes = Bytes::repeated(bytes, times).expect("few");
        builder.constant(&descriptor, &BufferSource::typed_holding(descriptor.data_type, bytes)).expect("as many")
    }

    /// The text as it is written refuses neither. Both would take 16 GiB, and minutes.
    #[test]
    fn what_is_larger_than_the_platform_can_have_is_refused_before_it_takes_memory() -> Result<()> {
        let builder = builder(Reading::Literal);
        let (context, global) = (builder.context().clone(), builder.context().global().clone());
        let create = |operand: MLOperandDescriptor| {
            global.settle(&context.create_tensor(&MLTensorDescriptor { operand, readable: true, writable: false }))
        };
        let problem = "float32[65536, 65536] takes 17179869184 bytes, and a tensor has at most 4294967295 here";
        let refused = create(MLOperandDescriptor::create(MLOperandDataType::Float32, &[65536, 65536])).unwrap_err();
        assert_eq!((refused.name, refused.step), (ExceptionName::UnknownError, "6.1.2"));
        assert!(refused.to_string().contains(problem), "{refused}");

        let options = Default::default();
        let large = builder.expand(&constant::<f32>(&builder, &[1, 1], &[1.0]), &[65536, 65536], &options)?;
        let output = builder.slice(&large, &[0, 0], &[1, 1], &Default::default())?;
        let graph = global.settle(&builder.build(&[("output".into(), output.clone())]))?;
        let tensor = create(output.descriptor())?;
        context.dispatch(&graph, &[], &[("output".into(), tensor.clone())])?;
        let failed = global.settle(&context.read_tensor(&tensor)).unwrap_err().to_string();
        assert!(failed.contains(problem), "{failed}");
        Ok(())
    }

    #[test]
    fn what_repeats_is_the_same_as_what_is_laid_out() -> Result<()> {
        let options = Default::default();
        let filled = |b: &_| repeating(b, &[2, 3], &[2.0], 6);
        let rows = |b: &_| repeating(b, &[2, 3], &[1.0, 2.0, 3.0], 2);
        let whole = |b: &_| constant::<f32>(b, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);

        let sum = computed(|b| b.add(&filled(b), &filled(b), &options))?;
        assert_eq!(sum, value(&[2, 3], &[4.0f32; 6]));
        let sum = computed(|b| b.add(&rows(b), &filled(b), &options))?;
        assert_eq!(sum, value(&[2, 3], &[3.0f32, 4.0, 5.0, 3.0, 4.0, 5.0]));
        let sum = computed(|b| b.add(&whole(b), &rows(b), &options))?;
        assert_eq!(sum, value(&[2, 3], &[2.0f32, 4.0, 6.0, 5.0, 7.0, 9.0]));
        let broadcast = computed(|b| b.add(&repeating(b, &[3, 1, 3], &[2.0], 9), &rows(b), &options))?;
        assert_eq!(broadcast, value(&[3, 2, 3], &[3.0f32, 4.0, 5.0].repeat(6)));
        let equal = computed(|b| b.equal(&rows(b), &filled(b), &options))?;
        assert_eq!(equal, value(&[2, 3], &[0u8, 1, 0, 0, 1, 0]));
        let transposed = computed(|b| b.transpose(&b.neg(&rows(b), &options)?, &Default::default()))?;
        assert_eq!(transposed, value(&[3, 2], &[-1.0f32, -1.0, -2.0, -2.0, -3.0, -3.0]));
        Ok(())
    }

    #[test]
    fn a_pattern_that_ends_within_a_dimension_is_laid_out() -> Result<()> {
        let odd = computed(|b| b.abs(&repeating(b, &[2, 3], &[1.0, 2.0], 3), &Default::default()))?;
        assert_eq!(odd, value(&[2, 3], &[1.0f32, 2.0, 1.0, 2.0, 1.0, 2.0]));
        Ok(())
    }
}
