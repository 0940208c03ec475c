//! A converted graph: compiled kernels, and the memory that belongs to the graph.
//!
//! Parameters and tables live as long as the graph. So do constants, intermediate tensors and scratch tensors, unless the
//! graph leaves the device in between; its inputs and outputs are bound by each dispatch. Dispatches of one graph follow
//! one another in their context's order, so they share the intermediate tensors.
//!
//! [`Memory`] says where a slot of the program lies. A step that binds nothing but the graph's own memory is bound once for
//! as long as the graph stays, the others at each dispatch. (To keep what those bound would keep tensors that script forgot.)

use std::collections::BTreeMap;
use std::ops::Range as Steps;
use std::sync::Arc;

use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::ledger::Kind;
use webnn_reference::operand::OperandId;

use crate::account::{Account, Allocation};
use crate::batch::Batch;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::lower::{Program, Range, Slot};
use crate::pipeline::{Bound, Pipeline};
use crate::plan::{Layout, Place};
use crate::weights::Constants;

/// A graph that can be dispatched.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) blueprint: Blueprint,
    pub(crate) steps: Vec<Step>,
    pub(crate) memory: Memory,
    /// [`Batch::flushes`] when it was last recorded, or when data was last moved to it.
    pub(crate) used: Option<u64>,
}

/// What a graph is made from, beside its constants: what it takes to make it once more.
#[derive(Debug)]
pub(crate) struct Blueprint {
    pub(crate) program: Program,
    pub(crate) layout: Layout,
    pub(crate) ends: Ends,
}

/// A compiled step.
#[derive(Debug)]
pub(crate) struct Step {
    pipeline: Arc<Pipeline>,
    pub(crate) bound: Vec<Range>,
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
pub(crate) struct Memory {
    pub(crate) constants: Constants,
    /// The bytes of each arena.
    arena_bytes: Vec<u64>,
    /// The arenas: all of them, or none.
    arenas: Vec<Allocation>,
    places: BTreeMap<Slot, Place>,
    /// Parameters and tables, all in one.
    numbers: Option<Allocation>,
    tables: Vec<Span>,
}

/// Where the operands lie that a dispatch binds.
pub(crate) type Bindings = BTreeMap<OperandId, Located>;

/// Where an operand lies.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) offset: u64,
}

impl Graph {
    /// Compiles a program. Its intermediate tensors get their memory when a dispatch needs it.
    pub(crate) fn new(account: &Account, blueprint: Blueprint, constants: Constants) -> Result<Self> {
        let device = account.device();
        let Blueprint { program, layout, .. } = &blueprint;
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
        let (places, arena_bytes) = (layout.places.clone(), layout.arenas.clone());
        let numbers = numbers.upload(device)?.map(|buffer| account.adopt(Kind::Parameters, buffer));
        let memory = Memory { constants, arena_bytes, arenas: Vec::new(), places, numbers, tables };
        Ok(Self { blueprint, steps, memory, used: None })
    }

    /// The descriptor of an operand.
    pub(crate) fn descriptor(&self, operand: OperandId) -> &MLOperandDescriptor {
        &self.blueprint.ends.operands[operand.0]
    }

    /// Records these steps of the graph.
    pub(crate) fn record(&mut self, steps: Steps<usize>, batch: &Batch, bindings: &Bindings) -> Result<()> {
        let Self { steps: all, memory, .. } = self;
        for step in &mut all[steps] {
            let group = step.bind(batch.device(), memory, bindings)?;
            batch.dispatch(&step.pipeline, group, step.grid);
        }
        Ok(())
    }

    /// The bytes of its intermediate tensors that have no memory yet.
    pub(crate) fn missing_intermediates(&self) -> u64 {
        let Memory { arenas, arena_bytes, .. } = &self.memory;
        if arenas.is_empty() { arena_bytes.iter().sum() } else { 0 }
    }

    /// The bytes of the memory of its intermediate tensors.
    pub(crate) fn intermediates(&self) -> u64 {
        self.memory.arenas.iter().map(Allocation::bytes).sum()
    }

    /// Gives its intermediate tensors memory, if they have none.
    pub(crate) fn make_intermediates(&mut self, account: &Account) -> Result<()> {
        let Memory { arenas, arena_bytes, .. } = &mut self.memory;
        if arenas.is_empty() {
            let arena = |bytes: &u64| account.allocate("intermediate tensors", Kind::Intermediates, *bytes);
            *arenas = arena_bytes.iter().map(arena).collect::<Result<_>>()?;
        }
        Ok(())
    }

    /// Lets go of the memory of its intermediate tensors, and of what binds memory that may go.
    pub(crate) fn release_intermediates(&mut self, account: &Account) {
        self.steps.iter_mut().for_each(|step| step.group = None);
        for arena in std::mem::take(&mut self.memory.arenas) {
            account.part_with(arena, self.used);
        }
    }

    /// Lets go of all its memory.
    pub(crate) fn release(mut self, account: &Account) {
        self.release_intermediates(account);
        self.memory.constants.release(self.used, account);
        if let Some(numbers) = self.memory.numbers {
            account.part_with(numbers, self.used);
        }
    }
}

impl From<wgpu::Buffer> for Located {
    fn from(buffer: wgpu::Buffer) -> Self {
        Self { buffer, offset: 0 }
    }
}

/// What a graph is besides its program.
#[derive(Clone, Debug)]
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
            bound.push(Bound { buffer: buffer.buffer(), offset: span.offset, bytes: Some(span.bytes) });
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
            Slot::Operand(operand) => self.is_inner(slot) || self.constants.resident(operand).is_some(),
            Slot::Scratch(_) | Slot::Table(_) => true,
        }
    }

    /// Whether a slot lies in an arena.
    pub(crate) fn is_inner(&self, slot: Slot) -> bool {
        self.places.contains_key(&slot)
    }

    fn find<'a>(&'a self, range: Range, bindings: &'a Bindings) -> Result<Bound<'a>> {
        let Range { slot, offset, bytes } = range;
        let inner =
            self.places.get(&slot).and_then(|place| Some((self.arenas.get(place.arena)?.buffer(), place.offset)));
        let found = inner.or_else(|| match slot {
            Slot::Operand(operand) => match self.constants.resident(operand) {
                Some(buffer) => Some((buffer, 0)),
                None => bindings.get(&operand).map(|located| (&located.buffer, located.offset)),
            },
            Slot::Table(table) => self.numbers.as_ref().map(|numbers| (numbers.buffer(), self.tables[table].offset)),
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
