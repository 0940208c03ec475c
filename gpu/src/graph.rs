//! A converted graph: compiled kernels, and the memory that belongs to the graph.
//!
//! Constants, intermediate tensors, scratch tensors, parameters and tables live as long as the graph; its inputs and
//! outputs are bound by each dispatch. Dispatches of one graph follow one another in their context's order, so they
//! share the intermediate tensors.
//!
//! [`Memory`] says where a slot of the program lies. Today each has a buffer of its own; a plan that lets tensors
//! share one by their lifetimes has to change nothing but that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::operand::OperandId;

use crate::batch::Batch;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::lower::{Program, Range, Slot};
use crate::pipeline::{Bound, Pipeline};

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
    params: Option<Place>,
    grid: [u32; 2],
    /// What it binds, once that is known for all dispatches: neither input nor output of the graph.
    group: Option<wgpu::BindGroup>,
}

/// Where memory lies.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    bytes: u64,
}

/// The memory that belongs to a graph.
#[derive(Debug)]
struct Memory {
    buffers: BTreeMap<Slot, wgpu::Buffer>,
    /// Parameters and tables, all in one.
    numbers: Option<wgpu::Buffer>,
    tables: Vec<Place>,
}

/// The buffers that a dispatch binds, by operand.
pub(crate) type Bindings = BTreeMap<OperandId, wgpu::Buffer>;

impl Graph {
    /// Compiles a program and makes its memory. `constants` are those that have their data.
    pub(crate) fn new(device: &Device, program: &Program, ends: Ends, constants: Bindings) -> Result<Self> {
        let Ends { inputs, outputs, operands, hollow } = ends;
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
        let foreign = inputs.iter().chain(&outputs).map(|(_, operand)| *operand).chain(hollow).collect();
        let mut memory = Memory { buffers: BTreeMap::new(), numbers: numbers.upload(device)?, tables };
        memory.buffers.extend(constants.into_iter().map(|(operand, buffer)| (Slot::Operand(operand), buffer)));
        memory.allocate(device, program, &operands, &foreign)?;
        Ok(Self { inputs, outputs, operands, steps, memory })
    }

    /// The descriptor of an operand.
    pub(crate) fn descriptor(&self, operand: OperandId) -> &MLOperandDescriptor {
        &self.operands[operand.0]
    }

    /// Supplies the data of a constant.
    pub(crate) fn set_constant(&mut self, constant: OperandId, buffer: wgpu::Buffer) {
        self.memory.buffers.insert(Slot::Operand(constant), buffer);
    }

    /// Records the graph's dispatches.
    pub(crate) fn dispatch(&mut self, batch: &Batch, bindings: &Bindings) -> Result<()> {
        let Self { steps, memory, .. } = self;
        for step in steps {
            let group = match &step.group {
                Some(group) => group.clone(),
                None => step.bind(batch.device(), memory, bindings)?,
            };
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
    /// The constants whose data come later.
    pub(crate) hollow: Vec<OperandId>,
}

impl Step {
    fn bind(&mut self, device: &Device, memory: &Memory, bindings: &Bindings) -> Result<wgpu::BindGroup> {
        let mut bound = Vec::new();
        for range in &self.bound {
            bound.push(memory.find(*range, bindings)?);
        }
        if let (Some(place), Some(buffer)) = (self.params, &memory.numbers) {
            bound.push(Bound { buffer, offset: place.offset, bytes: Some(place.bytes) });
        }
        let group = self.pipeline.bind(device, &bound)?;
        let lasting = self.bound.iter().all(|range| memory.owns(range.slot));
        self.group = lasting.then(|| group.clone());
        Ok(group)
    }
}

impl Memory {
    /// Makes the intermediate tensors and the scratch tensors.
    fn allocate(
        &mut self,
        device: &Device,
        program: &Program,
        operands: &[MLOperandDescriptor],
        foreign: &BTreeSet<OperandId>,
    ) -> Result<()> {
        for range in program.steps.iter().flat_map(|step| &step.bound) {
            if self.buffers.contains_key(&range.slot) {
                continue;
            }
            let bytes = match range.slot {
                Slot::Operand(operand) if foreign.contains(&operand) => continue,
                Slot::Operand(operand) => operands[operand.0].byte_length(),
                Slot::Scratch(scratch) => program.scratch[scratch],
                Slot::Table(_) => continue,
            };
            self.buffers.insert(range.slot, device.buffer("an intermediate tensor", bytes)?);
        }
        Ok(())
    }

    fn owns(&self, slot: Slot) -> bool {
        matches!(slot, Slot::Table(_)) || self.buffers.contains_key(&slot)
    }

    fn find<'a>(&'a self, range: Range, bindings: &'a Bindings) -> Result<Bound<'a>> {
        let Range { slot, offset, bytes } = range;
        let own = self.buffers.get(&slot);
        let found = match slot {
            Slot::Operand(operand) => own.or_else(|| bindings.get(&operand)).map(|buffer| (buffer, 0)),
            Slot::Scratch(_) => own.map(|buffer| (buffer, 0)),
            Slot::Table(table) => self.numbers.as_ref().map(|buffer| (buffer, self.tables[table].offset)),
        };
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

    fn add(&mut self, numbers: &[u32]) -> Place {
        let start = self.words.len().next_multiple_of(self.alignment);
        self.words.resize(start, 0);
        self.words.extend(numbers);
        Place { offset: 4 * start as u64, bytes: 4 * numbers.len() as u64 }
    }

    fn upload(self, device: &Device) -> Result<Option<wgpu::Buffer>> {
        if self.words.is_empty() {
            return Ok(None);
        }
        device.buffer_with("parameters", bytemuck::cast_slice(&self.words)).map(Some)
    }
}
