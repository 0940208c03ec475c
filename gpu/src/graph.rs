//! A converted graph: compiled kernels, and the memory that belongs to the graph.
//!
//! Constants, intermediate tensors, scratch tensors, parameters and tables live as long as the graph; its inputs and
//! outputs are bound by each dispatch. Dispatches of one graph follow one another in their context's order, so they
//! share the intermediate tensors.
//!
//! [`Memory`] says where a slot of the program lies. A step that binds nothing but the graph's own memory is bound when
//! the graph is made, the others at each dispatch. (To keep what those bound would keep tensors that script forgot.)

use std::collections::BTreeMap;
use std::sync::Arc;

use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::operand::OperandId;

use crate::batch::Batch;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::lower::{Program, Range, Slot};
use crate::pipeline::{Bound, Pipeline};
use crate::plan::{Layout, Place};

/// A graph that can be dispatched.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) inputs: Vec<(String, OperandId)>,
    pub(crate) outputs: Vec<(String, OperandId)>,
    operands: Vec<MLOperandDescriptor>,
    steps: Vec<Step>,
    memory: Memory,
}

/// A compiled step.
#[derive(Debug)]
struct Step {
    pipeline: Arc<Pipeline>,
    bound: Vec<Range>,
    params: Option<Span>,
    grid: [u32; 2],
    /// What it binds, once that is known for all dispatches: neither input nor output of the graph.
    group: Option<wgpu::BindGroup>,
}

/// Where numbers lie.
#[derive(Clone, Copy, Debug)]
struct Span {
    offset: u64,
    bytes: u64,
}

/// The memory that belongs to a graph.
#[derive(Debug)]
struct Memory {
    constants: Bindings,
    arenas: Vec<wgpu::Buffer>,
    places: BTreeMap<Slot, Place>,
    /// Parameters and tables, all in one.
    numbers: Option<wgpu::Buffer>,
    tables: Vec<Span>,
}

/// The buffers that a dispatch binds, by operand.
pub(crate) type Bindings = BTreeMap<OperandId, wgpu::Buffer>;

impl Graph {
    /// Compiles a program and makes its memory. `constants` are those that have their data.
    pub(crate) fn new(
        device: &Device,
        program: &Program,
        layout: Layout,
        ends: Ends,
        constants: Bindings,
    ) -> Result<Self> {
        let Ends { inputs, outputs, operands } = ends;
        let mut numbers = Numbers::new(device);
        let tables = program.tables.iter().map(|table| numbers.add(table)).collect();
        let mut steps = Vec::new();
        for step in &program.steps {
            let params = &step.module.params;
            steps.push(Step {
                pipeline: device.pipeline(&step.module)?,
                bound: step.bound.clone(),
                params: if params.is_empty() { None } else { Some(numbers.add(params)) },
                grid: step.module.grid,
                group: None,
            });
        }
        let Layout { places, arenas, .. } = layout;
        let arenas = arenas.into_iter().map(|bytes| device.buffer("intermediate tensors", bytes));
        let arenas = arenas.collect::<Result<Vec<_>>>()?;
        let memory = Memory { constants, arenas, places, numbers: numbers.upload(device)?, tables };
        let nothing = Bindings::new();
        for step in &mut steps {
            if step.bound.iter().all(|range| memory.owns(range.slot)) {
                step.bind(device, &memory, &nothing)?;
            }
        }
        Ok(Self { inputs, outputs, operands, steps, memory })
    }

    /// The descriptor of an operand.
    pub(crate) fn descriptor(&self, operand: OperandId) -> &MLOperandDescriptor {
        &self.operands[operand.0]
    }

    /// Where the data of a constant is, as far as it was supplied.
    pub(crate) fn constant(&self, constant: OperandId) -> Option<&wgpu::Buffer> {
        self.memory.constants.get(&constant)
    }

    /// Supplies the data of a constant.
    pub(crate) fn set_constant(&mut self, constant: OperandId, buffer: wgpu::Buffer) {
        self.memory.constants.insert(constant, buffer);
    }

    /// Records the graph's dispatches.
    pub(crate) fn dispatch(&mut self, batch: &Batch, bindings: &Bindings) -> Result<()> {
        let Self { steps, memory, .. } = self;
        for step in steps {
            let group = step.bind(batch.device(), memory, bindings)?;
            batch.dispatch(&step.pipeline, group, step.grid);
        }
        Ok(())
    }
}

/// What a graph is besides its program.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) inputs: Vec<(String, OperandId)>,
    pub(crate) outputs: Vec<(String, OperandId)>,
    pub(crate) operands: Vec<MLOperandDescriptor>,
}

impl Step {
    fn bind(&mut self, device: &Device, memory: &Memory, bindings: &Bindings) -> Result<wgpu::BindGroup> {
        if let Some(group) = &self.group {
            return Ok(group.clone());
        }
        let mut bound = Vec::new();
        for range in &self.bound {
            bound.push(memory.find(*range, bindings)?);
        }
        if let (Some(span), Some(buffer)) = (self.params, &memory.numbers) {
            bound.push(Bound { buffer, offset: span.offset, bytes: Some(span.bytes) });
        }
        let group = self.pipeline.bind(device, &bound)?;
        let lasting = self.bound.iter().all(|range| memory.owns(range.slot));
        self.group = lasting.then(|| group.clone());
        Ok(group)
    }
}

impl Memory {
    fn owns(&self, slot: Slot) -> bool {
        match slot {
            Slot::Operand(operand) => self.places.contains_key(&slot) || self.constants.contains_key(&operand),
            Slot::Scratch(_) | Slot::Table(_) => true,
        }
    }

    fn find<'a>(&'a self, range: Range, bindings: &'a Bindings) -> Result<Bound<'a>> {
        let Range { slot, offset, bytes } = range;
        let inner = self.places.get(&slot).map(|place| (&self.arenas[place.arena], place.offset));
        let found = inner.or_else(|| match slot {
            Slot::Operand(operand) => self.constants.get(&operand).or(bindings.get(&operand)).map(|buffer| (buffer, 0)),
            Slot::Table(table) => self.numbers.as_ref().map(|buffer| (buffer, self.tables[table].offset)),
            Slot::Scratch(_) => None,
        });
        let (buffer, start) = found.ok_or_else(|| Error::Refused(format!("nothing is bound to {slot:?}")))?;
        Ok(Bound { buffer, offset: start + offset, bytes: Some(bytes) })
    }
}

/// Parameters and tables, laid out in one buffer.
struct Numbers {
    words: Vec<u32>,
    alignment: usize,
}

impl Numbers {
    fn new(device: &Device) -> Self {
        let alignment = device.limits().min_storage_buffer_offset_alignment as usize / 4;
        Self { words: Vec::new(), alignment }
    }

    fn add(&mut self, numbers: &[u32]) -> Span {
        let start = self.words.len().next_multiple_of(self.alignment);
        self.words.resize(start, 0);
        self.words.extend(numbers);
        Span { offset: 4 * start as u64, bytes: 4 * numbers.len() as u64 }
    }

    fn upload(self, device: &Device) -> Result<Option<wgpu::Buffer>> {
        if self.words.is_empty() {
            return Ok(None);
        }
        device.buffer_with("parameters", bytemuck::cast_slice(&self.words)).map(Some)
    }
}
