//! Lowering: from a validated graph to kernels and what they bind.
//!
//! Each [`Operation`] becomes a few [`Step`]s, every step one dispatch that writes one tensor. What a step binds is
//! named, not allocated: an operand of the graph, a scratch tensor, or a table of numbers. Nothing here talks to a
//! device, so that a [`Program`] can be looked at, planned and tested without one.
//!
//! Shapes come from the operands' descriptors and are final: nothing is derived or validated here. What is checked is
//! whether the device can hold and bind each tensor, so that a graph too large for it fails before any memory is made.

use std::collections::{BTreeMap, BTreeSet};

use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::operand::OperandId;
use webnn_reference::ops::{Operation, Operator};
use webnn_reference::platform::{Computation, PlatformError};

use crate::fuse::{Computed, Node, Operand};
use crate::kernels;
use crate::plan::Space;
use crate::split;
use crate::wgsl::{Input, Kernel, Lane, MAX_RANK, Module};

/// The result of lowering. It fails only for what a device can not bind.
pub type Lowered<T = ()> = Result<T, PlatformError>;

/// What a device can allocate and bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most bytes of a buffer that one binding can cover.
    pub binding_bytes: u64,
    /// The most buffers that a kernel can bind.
    pub bindings: usize,
    /// The most bytes of a buffer.
    pub buffer_bytes: u64,
    /// Bindings begin at multiples of this many bytes.
    pub alignment: u64,
}

impl Bounds {
    /// The arenas that it allows.
    pub fn space(self) -> Space {
        Space { alignment: self.alignment, capacity: self.buffer_bytes }
    }
}

/// What makes a graph cheaper without changing a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Economy {
    /// What consists of consecutive elements of another tensor is a part of its memory.
    pub views: bool,
    /// Chains of element-wise operators are one kernel.
    pub fusion: bool,
    /// Tensors share memory when their lives do not overlap.
    pub reuse: bool,
}

impl Economy {
    /// All of it, which is what graphs get unless somebody wants to see what it saves.
    pub const ALL: Self = Self { views: true, fusion: true, reuse: true };
    /// None of it.
    pub const NONE: Self = Self { views: false, fusion: false, reuse: false };
}

/// A graph as dispatches, in order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The dispatches.
    pub steps: Vec<Step>,
    /// The bytes of each tensor that is the program's own: scratch tensors, and operands that are not inputs, outputs or
    /// constants of the graph.
    pub inner: BTreeMap<Slot, u64>,
    /// Numbers that kernels look up.
    pub tables: Vec<Vec<u32>>,
}

/// One dispatch.
#[derive(Clone, Debug)]
pub struct Step {
    /// The kernel.
    pub module: Module,
    /// What is bound, in the order of the module's bindings: the inputs, then the output, without the parameters.
    pub bound: Vec<Range>,
}

/// A part of a tensor's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Whose memory.
    pub slot: Slot,
    /// Where the part begins, in bytes.
    pub offset: u64,
    /// Its length in bytes, in whole words.
    pub bytes: u64,
}

/// Whose memory a step binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// An operand's.
    Operand(OperandId),
    /// A scratch tensor's.
    Scratch(usize),
    /// That of [`Program::tables`].
    Table(usize),
}

/// A tensor as kernels see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tensor {
    pub(crate) slot: Slot,
    /// Where in that memory it begins, in bytes.
    pub(crate) start: u64,
    pub(crate) lane: Lane,
    pub(crate) shape: Vec<u32>,
}

impl Tensor {
    /// The number of elements, which every operand's 31 bits hold.
    pub(crate) fn count(&self) -> u32 {
        self.shape.iter().product()
    }

    /// The bytes of its elements.
    fn element_bytes(&self) -> u64 {
        u64::from(self.count()) * u64::from(self.lane.bytes())
    }

    /// Its memory, in whole words.
    pub(crate) fn bytes(&self) -> u64 {
        crate::device::whole_words(self.element_bytes())
    }

    /// The same memory, taken as bits.
    pub(crate) fn raw(&self) -> Self {
        Self { lane: self.lane.raw(), ..self.clone() }
    }

    /// The same memory, taken as 32-bit words, whatever it holds.
    pub(crate) fn words(&self) -> Self {
        // As many words as the largest tensor has elements, at most: 2^31 bytes.
        let words = (self.bytes() / 4) as u32;
        Self { lane: Lane::U32, shape: vec![words], ..*self }
    }

    /// As an input that kernels call `name`.
    pub(crate) fn named(&self, name: &str) -> (Input, Self) {
        (Input::new(name, self.lane), self.clone())
    }
}

/// A program in the making.
#[derive(Debug)]
pub(crate) struct Lowering<'a> {
    operands: &'a [MLOperandDescriptor],
    bounds: Bounds,
    economy: Economy,
    /// Inputs, outputs and constants of the graph.
    outer: BTreeSet<OperandId>,
    /// How often each operand is used.
    uses: BTreeMap<OperandId, usize>,
    /// Operands that lie in another's memory: in whose, and where it begins there.
    views: BTreeMap<OperandId, (Slot, u64)>,
    /// What waits to be computed along with the one operator that takes its result, with where the result goes otherwise.
    waiting: BTreeMap<Slot, (Computed, Tensor)>,
    scratch: usize,
    program: Program,
}

/// Lowers a graph.
///
/// # Errors
/// If a tensor is too large for what the device can allocate or bind.
pub fn lower(computation: &Computation, bounds: Bounds, economy: Economy) -> Lowered<Program> {
    let mut lowering = Lowering::new(computation, bounds, economy);
    for operand in lowering.outer.clone() {
        lowering.operand(operand)?;
    }
    for operator in &computation.operators {
        lowering.operator(operator)?;
    }
    lowering.settle_all()?;
    Ok(lowering.program)
}

impl<'a> Lowering<'a> {
    fn new(computation: &'a Computation, bounds: Bounds, economy: Economy) -> Self {
        let Computation { operands, operators, inputs, outputs, constants, .. } = computation;
        let named = inputs.iter().chain(outputs).map(|(_, operand)| *operand);
        let mut uses = BTreeMap::new();
        for operand in operators.iter().flat_map(|operator| &operator.inputs) {
            *uses.entry(*operand).or_default() += 1;
        }
        Self {
            operands,
            bounds,
            economy,
            outer: named.chain(constants.iter().map(|(constant, _)| *constant)).collect(),
            uses,
            views: BTreeMap::new(),
            waiting: BTreeMap::new(),
            scratch: 0,
            program: Program::default(),
        }
    }
}

impl Lowering<'_> {
    fn operator(&mut self, operator: &Operator) -> Lowered {
        let inputs = operator.inputs.iter().map(|operand| self.operand(*operand)).collect::<Lowered<Vec<_>>>()?;
        let outputs = operator.outputs.iter().map(|operand| self.operand(*operand)).collect::<Lowered<Vec<_>>>()?;
        let (x, y) = (inputs.as_slice(), &outputs[0]);
        match &operator.operation {
            Operation::ArgMinMax(operation) => kernels::argminmax::lower(self, operation, x, y),
            Operation::BatchNormalization(operation) => kernels::batchnormalization::lower(self, operation, x, y),
            Operation::Binary(operation) => kernels::binary::lower(self, *operation, x, y),
            Operation::Cast => kernels::cast::lower(self, x, y),
            Operation::Clamp(operation) => kernels::clamp::lower(self, operation, x, y),
            Operation::Concat(operation) => kernels::concat::lower(self, operation, x, y),
            Operation::Conv2d(operation) => kernels::conv2d::lower(self, operation, x, y),
            Operation::ConvTranspose2d(operation) => kernels::convtranspose2d::lower(self, operation, x, y),
            Operation::CumulativeSum(operation) => kernels::cumulativesum::lower(self, operation, x, y),
            Operation::DequantizeLinear(_) => kernels::dequantizelinear::lower(self, x, y),
            Operation::Elu(operation) => kernels::elu::lower(self, operation, x, y),
            Operation::Expand => kernels::expand::lower(self, x, y),
            Operation::Gather(operation) => kernels::gather::lower(self, operation, x, y),
            Operation::GatherElements(operation) => kernels::gatherelements::lower(self, operation, x, y),
            Operation::GatherNd => kernels::gathernd::lower(self, x, y),
            Operation::Gelu => kernels::gelu::lower(self, x, y),
            Operation::Gemm(operation) => kernels::gemm::lower(self, operation, x, y),
            Operation::Gru(operation) => kernels::gru::lower(self, operation, x, &outputs),
            Operation::GruCell(operation) => kernels::grucell::lower(self, operation, x, y),
            Operation::HardSigmoid(operation) => kernels::hardsigmoid::lower(self, operation, x, y),
            Operation::HardSwish => kernels::hardswish::lower(self, x, y),
            Operation::InstanceNormalization(operation) => kernels::instancenormalization::lower(self, operation, x, y),
            Operation::LayerNormalization(operation) => kernels::layernormalization::lower(self, operation, x, y),
            Operation::LeakyRelu(operation) => kernels::leakyrelu::lower(self, operation, x, y),
            Operation::Linear(operation) => kernels::linear::lower(self, operation, x, y),
            Operation::Logical(operation) => kernels::logical::lower(self, *operation, x, y),
            Operation::Lstm(operation) => kernels::lstm::lower(self, operation, x, &outputs),
            Operation::LstmCell(operation) => kernels::lstmcell::lower(self, operation, x, &outputs),
            Operation::Matmul => kernels::matmul::lower(self, x, y),
            Operation::Pad(operation) => kernels::pad::lower(self, operation, x, y),
            Operation::Pool2d(operation) => kernels::pool2d::lower(self, operation, x, y),
            Operation::Prelu => kernels::prelu::lower(self, x, y),
            Operation::QuantizeLinear(_) => kernels::quantizelinear::lower(self, x, y),
            Operation::Reduce(operation) => kernels::reduce::lower(self, operation, x, y),
            Operation::Relu => kernels::relu::lower(self, x, y),
            Operation::Resample2d(operation) => kernels::resample2d::lower(self, operation, x, y),
            Operation::Reshape => kernels::reshape::lower(self, x, y),
            Operation::Reverse(operation) => kernels::reverse::lower(self, operation, x, y),
            Operation::ScatterElements(operation) => kernels::scatterelements::lower(self, operation, x, y),
            Operation::ScatterNd => kernels::scatternd::lower(self, x, y),
            Operation::Sigmoid => kernels::sigmoid::lower(self, x, y),
            Operation::Slice(operation) => kernels::slice::lower(self, operation, x, y),
            Operation::Softmax(operation) => kernels::softmax::lower(self, operation, x, y),
            Operation::Softplus => kernels::softplus::lower(self, x, y),
            Operation::Softsign => kernels::softsign::lower(self, x, y),
            Operation::Split(operation) => kernels::split::lower(self, operation, x, &outputs),
            Operation::Tanh => kernels::tanh::lower(self, x, y),
            Operation::Tile => kernels::tile::lower(self, x, y),
            Operation::Transpose(operation) => kernels::transpose::lower(self, operation, x, y),
            Operation::Triangular(operation) => kernels::triangular::lower(self, operation, x, y),
            Operation::Unary(operation) => kernels::unary::lower(self, *operation, x, y),
            Operation::Where => kernels::where_::lower(self, x, y),
        }
    }

    /// An operand. The specification's text as written lets outputs through that no tensor could be.
    pub(crate) fn operand(&self, operand: OperandId) -> Lowered<Tensor> {
        let MLOperandDescriptor { data_type, shape } = &self.operands[operand.0];
        if shape.len() > MAX_RANK {
            return Err(PlatformError::Unsupported(format!("an operand of rank {}", shape.len())));
        }
        let (slot, start) = self.views.get(&operand).copied().unwrap_or((Slot::Operand(operand), 0));
        Ok(Tensor { start, ..self.tensor("an operand", slot, lane(*data_type), shape)? })
    }

    /// A new scratch tensor.
    pub(crate) fn scratch(&mut self, lane: Lane, shape: &[u32]) -> Lowered<Tensor> {
        let tensor = self.tensor("a partial result", Slot::Scratch(self.scratch), lane, shape)?;
        self.scratch += 1;
        self.program.inner.insert(tensor.slot, tensor.bytes());
        Ok(tensor)
    }

    /// A tensor, if the device can hold it and kernels can count its elements.
    fn tensor(&self, what: &str, slot: Slot, lane: Lane, shape: &[u32]) -> Lowered<Tensor> {
        let count = shape.iter().try_fold(1_u64, |count, size| count.checked_mul(u64::from(*size)));
        let bytes = count.and_then(|count| count.checked_mul(u64::from(lane.bytes())));
        let limit = self.bounds.buffer_bytes;
        if count.is_none_or(|count| count >= 1 << 31) || bytes.is_none_or(|bytes| bytes > limit) {
            let bytes = bytes.map_or("too many".to_owned(), |bytes| bytes.to_string());
            let message =
                format!("{what} of shape {shape:?} takes {bytes} bytes, and the device's buffers end at {limit}");
            return Err(PlatformError::OutOfMemory(message));
        }
        Ok(Tensor { slot, start: 0, lane, shape: shape.to_vec() })
    }

    /// A new table of numbers.
    pub(crate) fn table(&mut self, numbers: Vec<u32>) -> Tensor {
        let shape = vec![numbers.len() as u32];
        self.program.tables.push(numbers);
        Tensor { slot: Slot::Table(self.program.tables.len() - 1), start: 0, lane: Lane::U32, shape }
    }

    /// What the device can bind.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Adds the dispatch of a kernel, or several where a tensor is larger than a binding.
    pub(crate) fn run(&mut self, kernel: &Kernel, inputs: &[&Tensor], output: &Tensor) -> Lowered {
        for input in inputs {
            self.settle(input.slot)?;
        }
        if self.may_wait(output.slot) && !self.waiting.contains_key(&output.slot) {
            // Its scratch tensors stay as they are: an operator writes them before its outputs, and no other does.
            let bound = inputs.iter().copied().cloned().collect();
            let computed = Computed::ByKernel(Box::new(kernel.clone()), bound);
            self.waiting.insert(output.slot, (computed, output.clone()));
            return Ok(());
        }
        self.issue(kernel, inputs, output)
    }

    fn issue(&mut self, kernel: &Kernel, inputs: &[&Tensor], output: &Tensor) -> Lowered {
        self.program.steps.extend(split::steps(kernel, inputs, output, self.bounds)?);
        if self.inner(output.slot).is_some() {
            self.program.inner.insert(output.slot, output.bytes());
        }
        Ok(())
    }

    /// Adds an element-wise operator, with those that compute its operands if nothing else needs their results.
    pub(crate) fn element_wise(&mut self, mut node: Node) -> Lowered {
        if !(self.economy.fusion && node.can_wait()) {
            return self.emit(&node);
        }
        for place in 0..node.operands.len() {
            let Some(tensor) = node.operands[place].1.at_same_place() else { continue };
            let (slot, lane) = (tensor.slot, tensor.lane);
            let other = self.waiting.get(&slot);
            if other.is_some_and(|(other, _)| node.has_room_for(other, lane, self.bounds))
                && let Some((other, _)) = self.waiting.remove(&slot)
            {
                node.operands[place].1 = Operand::Computed(other, lane);
            }
        }
        // What could not be taken along has to be there before.
        let slots = node.leaves().into_iter().map(|leaf| leaf.slot).collect::<Vec<_>>();
        for slot in slots {
            self.settle(slot)?;
        }
        if self.may_wait(node.output.slot) {
            let output = node.output.clone();
            self.waiting.insert(output.slot, (Computed::ByNode(Box::new(node)), output));
            return Ok(());
        }
        self.emit(&node)
    }

    fn emit(&mut self, node: &Node) -> Lowered {
        let (kernel, leaves) = node.kernel();
        for leaf in &leaves {
            self.settle(leaf.slot)?;
        }
        self.issue(&kernel, &leaves.iter().collect::<Vec<_>>(), &node.output)
    }

    /// Whether one operator takes what is written there, and nobody else sees it.
    fn may_wait(&self, slot: Slot) -> bool {
        let uses = self.inner(slot).and_then(|operand| self.uses.get(&operand));
        self.economy.fusion && uses == Some(&1)
    }

    /// Computes an operator that waits, since somebody needs its result in memory.
    fn settle(&mut self, slot: Slot) -> Lowered {
        match self.waiting.remove(&slot) {
            None => Ok(()),
            Some((Computed::ByNode(node), _)) => self.emit(&node),
            Some((Computed::ByKernel(kernel, bound), output)) => {
                self.issue(&kernel, &bound.iter().collect::<Vec<_>>(), &output)
            }
        }
    }

    fn settle_all(&mut self) -> Lowered {
        while let Some(slot) = self.waiting.keys().next().copied() {
            self.settle(slot)?;
        }
        Ok(())
    }

    /// The operand whose memory this is, if that is the program's own.
    fn inner(&self, slot: Slot) -> Option<OperandId> {
        match slot {
            Slot::Operand(operand) => Some(operand).filter(|operand| !self.outer.contains(operand)),
            Slot::Scratch(_) | Slot::Table(_) => None,
        }
    }

    /// Whether the output, which is the input's elements from `first` on, can do without memory of its own.
    ///
    /// It is a part of the input's memory, if it is not an output of the graph. If it is one, and is all of the input,
    /// the input may be computed into the output's memory.
    pub(crate) fn shares(&mut self, input: &Tensor, first: u32, output: &Tensor) -> Lowered<bool> {
        let start = input.start + u64::from(first) * u64::from(input.lane.bytes());
        let (Slot::Operand(_), Slot::Operand(shared)) = (input.slot, output.slot) else { return Ok(false) };
        if !self.economy.views || !start.is_multiple_of(self.bounds.alignment) {
            return Ok(false);
        }
        if self.inner(output.slot).is_some() {
            self.settle(input.slot)?;
            self.views.insert(shared, (input.slot, start));
            return Ok(true);
        }
        self.settle_all()?;
        let Some(moved) = self.inner(input.slot) else { return Ok(false) };
        // In elements: a part of a word takes up the whole word, and is not all that is in it.
        let is_all = start == 0 && self.operand(moved)?.element_bytes() == output.element_bytes();
        if !is_all || !self.program.inner.contains_key(&input.slot) {
            return Ok(false);
        }
        self.program.inner.remove(&input.slot);
        let steps = self.program.steps.iter_mut().flat_map(|step| &mut step.bound);
        steps.filter(|range| range.slot == input.slot).for_each(|range| range.slot = output.slot);
        let views = self.views.values_mut().filter(|(slot, _)| *slot == input.slot);
        views.for_each(|(slot, _)| *slot = output.slot);
        self.views.insert(moved, (output.slot, 0));
        Ok(true)
    }
}

/// How the elements of a data type are stored.
pub(crate) fn lane(data_type: MLOperandDataType) -> Lane {
    match data_type {
        MLOperandDataType::Float32 => Lane::F32,
        MLOperandDataType::Float16 => Lane::F16,
        MLOperandDataType::Int32 => Lane::I32,
        MLOperandDataType::Uint32 => Lane::U32,
        MLOperandDataType::Int64 => Lane::I64,
        MLOperandDataType::Uint64 => Lane::U64,
        MLOperandDataType::Int8 => Lane::I8,
        MLOperandDataType::Uint8 => Lane::U8,
    }
}
