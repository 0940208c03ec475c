//! A ring of staging buffers, through which data goes to the device.
//!
//! A slot of the ring is a buffer that the host has mapped. Data is written straight into it, by several threads where
//! there is enough; then the device copies it to where it belongs, and the slot is mapped again once that is done. While
//! the device copies from one slot, the host fills the next; it waits for a slot, never for the device. What is on its way
//! never takes more host memory than the ring.
//!
//! Slots are as large as what is moved asks for: half of it, from 256 KiB to 64 MiB, and there are up to four. On an H200
//! 4 slots of 64 MiB and 8 threads moved 27 to 29 GB/s, where one thread moved 9 to 13. Small pieces share a slot, so that
//! a model of many small tensors does not need a submission for each. A slot is submitted when it is full or
//! [`Ring::submit`] says so; whoever records what needs the data says so before.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use webnn_reference::ledger::Kind;
use webnn_reference::platform::PlatformError;
use webnn_reference::supply::Unreadable;

use super::source::{Supplier, through};
use crate::account::{Account, Allocation};
use crate::batch::Mapping;
use crate::device::{lock, whole_words};
use crate::error::{Error, Result};
use crate::parallel::{in_parallel, threads_for};

/// The most slots.
const SLOTS: usize = 4;

/// The bytes of the smallest slot.
const SMALLEST: u64 = 256 << 10;

/// The bytes of the largest slot.
pub(crate) const LARGEST: u64 = 64 << 20;

/// So many bytes are a job for one of several threads.
const JOB: u64 = 1 << 20;

/// Mapped ranges begin at multiples of this many bytes.
const MAP_ALIGNMENT: u64 = wgpu::MAP_ALIGNMENT;

/// The ring of a context.
#[derive(Debug)]
pub(crate) struct Ring {
    account: Account,
    /// Those that were submitted, oldest first.
    slots: VecDeque<Slot>,
    /// The one that is being filled.
    open: Option<Open>,
}

#[derive(Debug)]
struct Slot {
    memory: Allocation,
    mapping: Arc<Mutex<Mapping>>,
    /// The submission that copies from it.
    copying: Option<wgpu::SubmissionIndex>,
}

/// A slot that is mapped and filled in part.
#[derive(Debug)]
struct Open {
    slot: Slot,
    used: u64,
    copies: Vec<Copy>,
}

/// What the device has to copy.
#[derive(Debug)]
struct Copy {
    from: u64,
    to: wgpu::Buffer,
    at: u64,
    bytes: u64,
}

impl Ring {
    pub(crate) fn new(account: Account) -> Self {
        Self { account, slots: VecDeque::new(), open: None }
    }

    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    /// Writes `length` bytes, which are those of the supplier from `start` on, to a buffer, from byte `at` on, which is a
    /// multiple of four. A last partial word is filled up with zeros.
    ///
    /// # Errors
    /// If they can not be read, or there is no staging memory. Some of them may then be written all the same.
    pub(crate) fn write(
        &mut self,
        to: &wgpu::Buffer,
        at: u64,
        length: u64,
        supplier: &Supplier<'_>,
        start: u64,
    ) -> Result<(), PlatformError> {
        let mut done = 0;
        while done < length {
            let open = self.opened(length - done)?;
            let count = open.room().min(length - done);
            open.fill(supplier, start + done, count)?;
            open.add(to, at + done, count);
            done += count;
        }
        Ok(self.account.device().ensure_present()?)
    }

    /// Submits the copies that were not yet.
    pub(crate) fn submit(&mut self) -> Result<()> {
        let Some(Open { mut slot, copies, .. }) = self.open.take_if(|open| !open.copies.is_empty()) else {
            return Ok(());
        };
        let device = self.account.device();
        let index = device.guard("an upload", |raw| {
            slot.memory.buffer().unmap();
            let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for Copy { from, to, at, bytes } in &copies {
                encoder.copy_buffer_to_buffer(slot.memory.buffer(), *from, to, *at, *bytes);
            }
            device.queue().submit([encoder.finish()])
        })?;
        slot.copying = Some(index);
        *lock(&slot.mapping) = Mapping::Asked;
        let told = Arc::downgrade(&slot.mapping);
        device.guard("mapping a staging buffer", |_| {
            slot.memory.buffer().map_async(wgpu::MapMode::Write, .., move |outcome| {
                if let Some(mapping) = told.upgrade() {
                    *lock(&mapping) = if outcome.is_ok() { Mapping::Ready } else { Mapping::Failed };
                }
            });
        })?;
        self.slots.push_back(slot);
        Ok(())
    }

    /// The slot that is being filled, with room for these bytes or a good part of them.
    fn opened(&mut self, bytes: u64) -> Result<&mut Open> {
        if self.open.as_ref().is_some_and(|open| open.room() < bytes.min(SMALLEST)) {
            self.submit()?;
        }
        if self.open.is_none() {
            let slot = self.slot(slot_bytes(bytes, self.account.device().limits().max_buffer_size))?;
            self.open = Some(Open { slot, used: 0, copies: Vec::new() });
        }
        self.open.as_mut().ok_or_else(|| Error::Refused("a slot was not opened".to_owned()))
    }

    /// A slot that is mapped, of so many bytes if there is memory.
    fn slot(&mut self, bytes: u64) -> Result<Slot> {
        let fits = |slot: &Slot| slot.memory.bytes() >= bytes && *lock(&slot.mapping) == Mapping::Ready;
        if let Some(slot) = self.slots.iter().position(fits).and_then(|found| self.slots.remove(found)) {
            return Ok(slot);
        }
        if self.slots.len() < SLOTS {
            match self.fresh(bytes) {
                // A smaller one does it as well.
                Err(Error::OutOfMemory(_)) if !self.slots.is_empty() => {}
                made => return made,
            }
        }
        let oldest = self.slots.pop_front().ok_or_else(|| Error::Refused("a ring without slots".to_owned()))?;
        self.wait(&oldest)?;
        if oldest.memory.bytes() >= bytes {
            return Ok(oldest);
        }
        match self.fresh(bytes) {
            Err(Error::OutOfMemory(_)) => Ok(oldest),
            made => made,
        }
    }

    fn fresh(&self, bytes: u64) -> Result<Slot> {
        let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        let descriptor =
            wgpu::BufferDescriptor { label: Some("staging"), size: bytes, usage, mapped_at_creation: true };
        let buffer = self.account.device().guard("staging", |raw| raw.create_buffer(&descriptor))?;
        let memory = self.account.adopt(Kind::Staging, buffer);
        Ok(Slot { memory, mapping: Arc::new(Mutex::new(Mapping::Ready)), copying: None })
    }

    /// Waits until a slot is mapped.
    fn wait(&self, slot: &Slot) -> Result<()> {
        let Some(copying) = &slot.copying else { return Ok(()) };
        self.account.batch().wait_until(copying, || *lock(&slot.mapping) != Mapping::Asked)?;
        match *lock(&slot.mapping) {
            Mapping::Ready => Ok(()),
            _ => Err(self.account.device().or_lost(Error::Refused("a staging buffer was not mapped".to_owned()))),
        }
    }
}

impl Open {
    fn room(&self) -> u64 {
        self.slot.memory.bytes().saturating_sub(self.used)
    }

    /// Fills the next bytes. They are in use only once they are [added](Self::add).
    fn fill(&self, supplier: &Supplier<'_>, start: u64, count: u64) -> Result<(), PlatformError> {
        let (staging, used) = (self.slot.memory.buffer(), self.used);
        match supplier {
            Supplier::Shared(source) => {
                in_parallel(jobs(count), threads_for(count), Vec::new, |scratch, job: Range<u64>| {
                    fill(staging, used, &job, |into| source.write(start + job.start, into, scratch))
                })
            }
            Supplier::Stream(stream) => {
                fill(staging, used, &(0..count), |into| through(into, &mut Vec::new(), |_, bytes| stream.fill(bytes)))
            }
        }
    }

    fn add(&mut self, to: &wgpu::Buffer, at: u64, count: u64) {
        let bytes = whole_words(count);
        self.copies.push(Copy { from: self.used, to: to.clone(), at, bytes });
        self.used = (self.used + bytes).next_multiple_of(MAP_ALIGNMENT);
    }
}

/// Fills a range of what lies in a mapped buffer from `base` on, and the rest of its last word with zeros.
fn fill(
    staging: &wgpu::Buffer,
    base: u64,
    range: &Range<u64>,
    write: impl FnOnce(wgpu::WriteOnly<'_, [u8]>) -> Result<(), Unreadable>,
) -> Result<(), PlatformError> {
    let view = staging.get_mapped_range_mut(base + range.start..base + whole_words(range.end));
    // It is ours and it is mapped, so only a device that is gone refuses it.
    let mut view = view.map_err(|error| PlatformError::Lost(format!("its staging memory is gone ({error})")))?;
    let (bytes, mut rest) = view.slice(..).split_at((range.end - range.start) as usize);
    rest.fill(0);
    write(bytes).map_err(PlatformError::Unreadable)
}

/// So many bytes, cut for several threads.
fn jobs(count: u64) -> Vec<Range<u64>> {
    let starts = (0..count).step_by(JOB as usize);
    starts.map(|start| start..count.min(start + JOB)).collect()
}

/// The bytes of a slot for a transfer of so many.
fn slot_bytes(bytes: u64, limit: u64) -> u64 {
    let half = bytes.div_ceil(2).min(LARGEST).next_power_of_two();
    half.clamp(SMALLEST, LARGEST).min(limit / MAP_ALIGNMENT * MAP_ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_as_large_as_it_takes() {
        let sizes = [1, SMALLEST, 3 << 20, 1 << 30, u64::MAX].map(|bytes| slot_bytes(bytes, u64::MAX));
        assert_eq!(sizes, [SMALLEST, SMALLEST, 2 << 20, LARGEST, LARGEST]);
        assert_eq!(slot_bytes(1 << 30, 1003), 1000);
    }
}
