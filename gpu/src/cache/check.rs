//! Whether a graph that was read from an entry adds up.
//!
//! A graph that was built comes from a validated computation, and nothing checks its program. One that comes out of an
//! entry is checked here instead, before any memory is made: then nothing that a dispatch asks of wgpu can be refused,
//! and nothing of memory is asked for that the graph does not bind.

use std::collections::{BTreeMap, BTreeSet};

use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::operand::OperandId;

use super::entry::Opened;
use crate::device::whole_words;
use crate::lower::{Bounds, Range, Slot, Step};
use crate::plan::Place;
use crate::wgsl::{MAX_GROUPS, MAX_RANK, Module};

/// What does not hold, in a few words.
type Checked<T = ()> = Result<T, String>;

/// The memory that a binding lies in: what wgpu tracks the use of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Buffer {
    Arena(usize),
    Operand(OperandId),
    Numbers,
}

/// What steps may bind.
struct Available<'a> {
    bounds: Bounds,
    /// The bytes of inputs, outputs and constants.
    outer: BTreeMap<OperandId, u64>,
    outputs: BTreeSet<OperandId>,
    places: &'a BTreeMap<Slot, Place>,
    arenas: &'a [u64],
    tables: &'a [Vec<u32>],
}

/// Checks a graph for a device with these bounds.
///
/// # Errors
/// What does not add up.
pub(super) fn check(opened: &Opened<'_>, bounds: Bounds) -> Checked {
    let (program, layout) = (&opened.blueprint.program, &opened.blueprint.layout);
    let available = Available {
        bounds,
        outer: outer(opened, bounds)?,
        outputs: opened.blueprint.ends.outputs.iter().map(|(_, operand)| *operand).collect(),
        places: &layout.places,
        arenas: &layout.arenas,
        tables: &program.tables,
    };
    available.check_places()?;
    let mut reached = vec![0; layout.arenas.len()];
    for step in &program.steps {
        available.check_step(step, &mut reached).map_err(|what| format!("{}: {what}", step.module.name))?;
    }
    for (arena, end) in layout.arenas.iter().zip(reached) {
        ensure(*arena <= bounds.buffer_bytes, "an arena is larger than a buffer")?;
        // Or an entry of a few bytes could ask for all the memory that there is.
        ensure(arena.div_ceil(bounds.alignment) == end.div_ceil(bounds.alignment), "an arena is not used to its end")?;
    }
    Ok(())
}

fn ensure(holds: bool, otherwise: &str) -> Checked {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

/// The bytes of inputs, outputs and constants, each of which has to be one of the operands, and one of these only.
fn outer(opened: &Opened<'_>, bounds: Bounds) -> Checked<BTreeMap<OperandId, u64>> {
    let ends = &opened.blueprint.ends;
    let bytes_of = |operand: OperandId| {
        let descriptor = ends.operands.get(operand.0).ok_or("there is no such operand")?;
        bytes(descriptor, bounds).ok_or(format!("{descriptor} is no tensor of the device"))
    };
    let mut outer = BTreeMap::new();
    for list in [&ends.inputs, &ends.outputs, &opened.names] {
        let mut names = BTreeSet::new();
        ensure(list.iter().all(|(name, _)| !name.is_empty() && names.insert(name)), "a name is empty or stands twice")?;
    }
    // One operand may be two outputs.
    let outputs: BTreeSet<OperandId> = ends.outputs.iter().map(|(_, operand)| *operand).collect();
    let given = ends.inputs.iter().chain(&opened.names).map(|(_, operand)| *operand);
    let with_data = opened.constants.iter().map(|(operand, _)| *operand);
    for operand in given.chain(with_data).chain(outputs) {
        ensure(outer.insert(operand, whole_words(bytes_of(operand)?)).is_none(), "an operand is two things")?;
    }
    for (operand, data) in &opened.constants {
        ensure(bytes_of(*operand)? == data.len() as u64, "a constant has more or less data than its descriptor says")?;
    }
    ensure(!ends.outputs.is_empty(), "there are no outputs")?;
    Ok(outer)
}

/// The bytes of a tensor that the device can hold and whose elements kernels can count.
fn bytes(descriptor: &MLOperandDescriptor, bounds: Bounds) -> Option<u64> {
    let count = descriptor.shape.iter().try_fold(1_u64, |count, size| count.checked_mul(u64::from(*size)))?;
    let fits = descriptor.rank() <= MAX_RANK && (1..1 << 31).contains(&count);
    let bytes = descriptor.byte_length();
    (fits && bytes <= bounds.buffer_bytes).then_some(bytes)
}

impl Available<'_> {
    fn check_places(&self) -> Checked {
        for (slot, place) in self.places {
            let is_own = match slot {
                Slot::Operand(operand) => !self.outer.contains_key(operand),
                Slot::Scratch(_) => true,
                Slot::Table(_) => false,
            };
            ensure(is_own, "what lies in an arena has memory already")?;
            ensure(place.offset.is_multiple_of(self.bounds.alignment), "a place is not aligned")?;
            let arena = self.arenas.get(place.arena).ok_or("there is no such arena")?;
            ensure(place.offset < *arena, "a place is beyond its arena")?;
        }
        Ok(())
    }

    /// Checks a step, and notes how far it reaches into each arena.
    fn check_step(&self, step: &Step, reached: &mut [u64]) -> Checked {
        let Step { module, bound } = step;
        let Module { read_only, word_bytes, params, grid, .. } = module;
        ensure(grid.iter().all(|groups| (1..=MAX_GROUPS).contains(groups)), "a grid is empty or too large")?;
        let bindings = bound.len() + usize::from(!params.is_empty());
        ensure(bindings == read_only.len() && bindings == word_bytes.len(), "other bindings than its text has")?;
        ensure(bindings <= self.bounds.bindings, "more bindings than the device has")?;
        ensure(word_bytes.iter().all(|bytes| [4, 8, 16].contains(bytes)), "words of no size that there is")?;
        // For each buffer, whether it is bound for writing: for all of a step's bindings or for none.
        let mut writes: BTreeMap<Buffer, bool> = BTreeMap::new();
        for ((range, read_only), word_bytes) in bound.iter().zip(read_only).zip(word_bytes) {
            let (buffer, start, end) = self.find(*range)?;
            ensure(range.bytes >= u64::from(*word_bytes), "less than a word is bound")?;
            ensure(start.is_multiple_of(self.bounds.alignment), "a binding is not aligned")?;
            let may_write = match buffer {
                Buffer::Arena(arena) => {
                    reached[arena] = reached[arena].max(end);
                    true
                }
                Buffer::Operand(operand) => self.outputs.contains(&operand),
                Buffer::Numbers => false,
            };
            ensure(*read_only || may_write, "what can not be written to is bound for writing")?;
            let known = writes.insert(buffer, !read_only);
            ensure(
                known.is_none_or(|known| known != *read_only),
                "a buffer is bound both for reading and for writing",
            )?;
        }
        if !params.is_empty() {
            let word = word_bytes.last().copied().unwrap_or_default() as usize;
            ensure(read_only.last() == Some(&true), "parameters are bound for writing")?;
            ensure(4 * params.len() >= word, "less than a word is bound")?;
        }
        Ok(())
    }

    /// The buffer of a range, and where in it the range begins and ends.
    fn find(&self, range: Range) -> Checked<(Buffer, u64, u64)> {
        let (buffer, start, bytes) = match (range.slot, self.places.get(&range.slot)) {
            (_, Some(place)) => (Buffer::Arena(place.arena), place.offset, self.arenas[place.arena] - place.offset),
            (Slot::Table(table), None) => {
                let table = self.tables.get(table).ok_or("there is no such table")?;
                // All tables begin at aligned places of one buffer.
                (Buffer::Numbers, 0, 4 * table.len() as u64)
            }
            (Slot::Operand(operand), None) => {
                let bytes = self.outer.get(&operand).ok_or("nothing is bound to an operand")?;
                (Buffer::Operand(operand), 0, *bytes)
            }
            (Slot::Scratch(_), None) => return Err("a scratch tensor lies nowhere".to_owned()),
        };
        let end = range.offset.checked_add(range.bytes).filter(|end| *end <= bytes);
        let end = end.ok_or("a range is beyond its tensor")?;
        ensure(range.bytes > 0 && range.bytes.is_multiple_of(4), "a range is not of whole words")?;
        ensure(range.bytes <= self.bounds.binding_bytes, "a range is larger than a binding")?;
        Ok((buffer, start + range.offset, start + end))
    }
}
