//! Streaming: a graph is computed whose constants do not fit into the memory that there is.
//!
//! The dispatches are cut into [`Segment`]s, each of which needs constants that fit into a part of the room. The constants of
//! a segment are read and copied to the device, its dispatches are submitted, and while the device computes them the host
//! goes on to the constants of the next. There are two places on the device for constants, which segments take in turn,
//! so that a copy does not wait for the dispatches before it; only where the room holds the largest segment once and not
//! twice there is one. In any case the queue does everything in order, and right.
//!
//! Where bindings may begin costs a few bytes between constants. Where the room is too small for that, or a buffer can not
//! have what one dispatch needs, each constant gets a buffer of its own for as long as its segment runs, and the next
//! segment waits for it.
//!
//! The host is ahead of the device by no more than the ring of staging buffers holds. So a segment has no more constants
//! than a slot of the ring, unless one dispatch needs more: with smaller segments the device begins sooner, and the host
//! always has a slot to fill.

use std::collections::BTreeMap;
use std::ops::Range;

use webnn_reference::ledger::Kind;
use webnn_reference::operand::OperandId;
use webnn_reference::platform::PlatformError;

use crate::account::{Account, Allocation};
use crate::device::whole_words;
use crate::error::Result;
use crate::graph::{Bindings, Graph, Located};
use crate::lower::Slot;
use crate::plan::Space;
use crate::weights::{LARGEST, Ring};

/// Dispatches one after the other that are computed with the same constants in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Segment {
    steps: Range<usize>,
    /// Where the constants lie.
    places: BTreeMap<OperandId, u64>,
    /// The bytes that they take.
    bytes: u64,
}

/// The constants that each dispatch needs and that are not on the device, with their bytes.
type Needs = Vec<BTreeMap<OperandId, u64>>;

/// How a graph is streamed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    segments: Vec<Segment>,
    /// The bytes of each of the places that segments take in turn. Where there is none, constants have buffers of their own.
    lanes: Vec<u64>,
}

/// Buffers that have no bytes between them begin at multiples of this many.
const APART: u64 = 4;

impl Segment {
    /// The segment with one dispatch more.
    fn with(&self, needs: &BTreeMap<OperandId, u64>, alignment: u64) -> Self {
        let mut longer = self.clone();
        longer.steps.end += 1;
        for (constant, bytes) in needs {
            if !longer.places.contains_key(constant) {
                let place = longer.bytes.next_multiple_of(alignment);
                longer.places.insert(*constant, place);
                longer.bytes = place + whole_words(*bytes);
            }
        }
        longer
    }
}

/// The bytes that constants take at least.
fn least(needs: &Needs, alignment: u64) -> u64 {
    let alone = needs.iter().map(|needs| Segment::default().with(needs, alignment).bytes);
    alone.max().unwrap_or(0)
}

/// Segments of constants of so many bytes at most, which is enough for each dispatch.
fn segments(needs: &Needs, capacity: u64, alignment: u64) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for (step, needs) in needs.iter().enumerate() {
        let longer = segments.last().map(|segment| segment.with(needs, alignment));
        match (segments.last_mut(), longer.filter(|longer| longer.bytes <= capacity)) {
            (Some(last), Some(longer)) => *last = longer,
            _ => segments.push(Segment { steps: step..step, ..Segment::default() }.with(needs, alignment)),
        }
    }
    segments
}

impl Plan {
    /// A plan for constants in `room` bytes, in buffers that the device can have, if that is possible.
    fn of(needs: &Needs, room: u64, Space { alignment, capacity }: Space) -> Option<Self> {
        let (least, apart) = (least(needs, alignment), least(needs, APART));
        if least > room.min(capacity) {
            return (apart <= room).then(|| Self { segments: segments(needs, apart, APART), lanes: Vec::new() });
        }
        let lanes = if least <= room / 2 { 2 } else { 1 };
        let segments = segments(needs, least.max(LARGEST.min(room / lanes)), alignment);
        let lanes = (0..lanes as usize).map(|lane| {
            let turns = segments.iter().skip(lane).step_by(lanes as usize);
            turns.map(|segment| segment.bytes).max().unwrap_or(0)
        });
        let lanes = lanes.collect();
        Some(Self { segments, lanes })
    }
}

impl Graph {
    fn needs(&self) -> Needs {
        let needed = |slot| match slot {
            Slot::Operand(operand) if !self.memory.is_inner(slot) => {
                Some((operand, self.memory.constants.missing(operand))).filter(|(_, bytes)| *bytes > 0)
            }
            Slot::Operand(_) | Slot::Scratch(_) | Slot::Table(_) => None,
        };
        self.steps.iter().map(|step| step.bound.iter().filter_map(|range| needed(range.slot)).collect()).collect()
    }

    /// How many more bytes of device memory it takes at least to stream the graph.
    pub(crate) fn bytes_to_stream(&self) -> u64 {
        self.missing_intermediates() + least(&self.needs(), APART)
    }

    /// Submits the graph's dispatches, with constants that are brought in at most `room` bytes, less what intermediate
    /// tensors take of it.
    pub(crate) fn stream(&mut self, ring: &mut Ring, bindings: &mut Bindings, room: u64) -> Result<(), PlatformError> {
        let account = ring.account().clone();
        let limits = account.device().limits();
        let alignment = limits.min_storage_buffer_offset_alignment.into();
        let space = Space { alignment, capacity: limits.max_buffer_size };
        let needs = self.needs();
        let left = room.checked_sub(self.missing_intermediates());
        let plan = left.and_then(|room| Plan::of(&needs, room, space)).ok_or_else(|| {
            let least = self.bytes_to_stream();
            PlatformError::OutOfMemory(format!("streaming the graph takes {least} bytes, and there is room for {room}"))
        })?;
        self.make_intermediates(&account)?;
        let lane = |bytes: &u64| account.allocate("streamed constants", Kind::Constants, *bytes);
        let lanes = plan.lanes.iter().filter(|bytes| **bytes > 0).map(lane).collect::<Result<Vec<_>>>()?;
        let streamed = plan.segments.iter().enumerate().try_for_each(|(turn, segment)| {
            let lane = lanes.get(turn % plan.lanes.len().max(1));
            self.stream_segment(ring, bindings, segment, lane)
        });
        let used = Some(account.batch().flushes());
        lanes.into_iter().for_each(|lane| account.part_with(lane, used));
        streamed
    }

    fn stream_segment(
        &mut self,
        ring: &mut Ring,
        bindings: &mut Bindings,
        segment: &Segment,
        lane: Option<&Allocation>,
    ) -> Result<(), PlatformError> {
        let account = ring.account().clone();
        let own = if lane.is_some() { Vec::new() } else { self.apart(segment, &account)? };
        let mut buffers = own.iter().map(Allocation::buffer);
        for (constant, place) in &segment.places {
            let located = match (lane, buffers.next()) {
                (Some(lane), _) => Located { buffer: lane.buffer().clone(), offset: *place },
                (None, Some(own)) => own.clone().into(),
                (None, None) => return Err(PlatformError::Unsupported("a constant has no place".to_owned())),
            };
            bindings.insert(*constant, located);
        }
        let submitted = self.submit_segment(ring, bindings, segment);
        let used = Some(account.batch().flushes());
        own.into_iter().for_each(|own| account.part_with(own, used));
        submitted
    }

    /// Moves a segment's constants to where they are bound, and submits its dispatches.
    fn submit_segment(&mut self, ring: &mut Ring, bindings: &Bindings, segment: &Segment) -> Result<(), PlatformError> {
        for constant in segment.places.keys() {
            let Some(Located { buffer, offset }) = bindings.get(constant) else { continue };
            self.memory.constants.stream(*constant, buffer, *offset, ring)?;
        }
        ring.submit()?;
        let batch = ring.account().batch();
        self.record(segment.steps.clone(), batch, bindings)?;
        Ok(batch.flush()?)
    }

    /// A buffer for each constant of a segment, once those of the segment before are gone.
    fn apart(&self, segment: &Segment, account: &Account) -> Result<Vec<Allocation>> {
        if !segment.places.is_empty() {
            account.settle();
        }
        let allocated = segment.places.keys().map(|constant| {
            let bytes = self.memory.constants.missing(*constant);
            account.allocate("a streamed constant", Kind::Constants, bytes)
        });
        allocated.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: Space = Space { alignment: 32, capacity: 1 << 40 };

    fn needs(steps: &[&[(usize, u64)]]) -> Needs {
        let step = |step: &&[(usize, u64)]| step.iter().map(|(operand, bytes)| (OperandId(*operand), *bytes)).collect();
        steps.iter().map(step).collect()
    }

    fn shape(plan: &Plan) -> Vec<(Range<usize>, u64)> {
        plan.segments.iter().map(|segment| (segment.steps.clone(), segment.bytes)).collect()
    }

    #[test]
    fn steps_are_taken_together_as_long_as_their_constants_fit() {
        let needs = needs(&[&[(0, 40)], &[], &[(1, 24), (0, 40)], &[(2, 100)], &[(0, 40)]]);
        assert_eq!(least(&needs, 32), 100);
        let plan = Plan::of(&needs, 200, SPACE).unwrap();
        assert_eq!(shape(&plan), [(0..3, 88), (3..4, 100), (4..5, 40)]);
        assert_eq!(plan.segments[0].places, BTreeMap::from([(OperandId(0), 0), (OperandId(1), 64)]));
        assert_eq!(plan.lanes, [88, 100]);
    }

    #[test]
    fn one_byte_less_than_the_least_is_too_little() {
        let needs = needs(&[&[(0, 40), (1, 3)], &[(2, 4)]]);
        // The second begins where something can be bound, and ends with a word.
        assert_eq!([32, APART].map(|alignment| least(&needs, alignment)), [68, 44]);
        assert_eq!(Plan::of(&needs, 43, SPACE), None);
        // Without bytes in between there are buffers for each.
        let plan = Plan::of(&needs, 67, SPACE).unwrap();
        assert_eq!((shape(&plan), plan.lanes), (vec![(0..1, 44), (1..2, 4)], vec![]));
        // Just enough is one place, which all take in turn.
        let plan = Plan::of(&needs, 68, SPACE).unwrap();
        assert_eq!((shape(&plan), plan.lanes), (vec![(0..1, 68), (1..2, 4)], vec![68]));
        // And so there are where no buffer is large enough.
        let plan = Plan::of(&needs, 1000, Space { capacity: 67, ..SPACE }).unwrap();
        assert_eq!((shape(&plan), plan.lanes), (vec![(0..1, 44), (1..2, 4)], vec![]));
    }

    #[test]
    fn segments_are_no_larger_than_a_slot_unless_they_have_to_be() {
        let needs = needs(&[&[(0, LARGEST)], &[(1, 2 * LARGEST)], &[(2, 4)], &[(3, 4)]]);
        let plan = Plan::of(&needs, u64::MAX, SPACE).unwrap();
        assert_eq!(shape(&plan), [(0..1, LARGEST), (1..2, 2 * LARGEST), (2..4, 36)]);
    }

    #[test]
    fn a_graph_without_constants_is_one_segment() {
        let plan = Plan::of(&needs(&[&[], &[]]), 0, SPACE).unwrap();
        assert_eq!((shape(&plan), plan.lanes), (vec![(0..2, 0)], vec![0, 0]));
        assert_eq!(Plan::of(&needs(&[]), 0, SPACE).unwrap().segments, []);
    }
}
