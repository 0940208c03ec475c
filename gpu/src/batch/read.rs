//! Reads that are asked for now and answered later.
//!
//! A read goes through three states: recorded, submitted (its bytes will appear in a slab of staging memory when
//! that submission is done), and failed. All reads of one flush change state together and share one slab, which
//! lives as long as the last of them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::Batch;
use super::staging::{Mapping, Slab};
use crate::device::{lock, whole_words};
use crate::error::{Error, Result};
use crate::parallel::copied;

/// The bytes of a buffer at one point of a batch.
///
/// Dropping it without asking costs the copy and nothing else.
#[derive(Debug)]
#[must_use = "a read that nobody waits for is a copy for nothing"]
pub struct PendingRead {
    batch: Arc<Batch>,
    cell: Cell,
    staged_at: u64,
    bytes: u64,
}

/// The state that all reads of one flush share.
pub(super) type Cell = Arc<Mutex<State>>;

#[derive(Clone, Debug, Default)]
pub(super) enum State {
    #[default]
    Recorded,
    Submitted(Submitted),
    Failed(Error),
}

/// A submission and the slab that it fills.
#[derive(Clone, Debug)]
pub(super) struct Submitted {
    pub(super) index: wgpu::SubmissionIndex,
    pub(super) slab: Option<Arc<Slab>>,
    /// [`Batch::flushes`] after it.
    pub(super) flushes: u64,
}

/// The reads recorded since the last flush.
#[derive(Debug, Default)]
pub(super) struct Reads {
    cell: Cell,
    bytes: u64,
}

impl Reads {
    /// Room for one more read: its shared state and its place in the slab.
    pub(super) fn enqueue(&mut self, bytes: u64) -> (Cell, u64) {
        let staged_at = self.bytes;
        // Mapped ranges start at multiples of eight.
        self.bytes += whole_words(bytes).next_multiple_of(8);
        (Arc::clone(&self.cell), staged_at)
    }

    /// What the slab must hold.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Tells every read of this flush what became of it.
    pub(super) fn settle(self, outcome: &Result<Submitted>) {
        *lock(&self.cell) = match outcome {
            Ok(submitted) => State::Submitted(submitted.clone()),
            Err(error) => State::Failed(error.clone()),
        };
    }
}

impl PendingRead {
    pub(super) fn new(batch: Arc<Batch>, cell: Cell, staged_at: u64, bytes: u64) -> Self {
        Self { batch, cell, staged_at, bytes }
    }

    /// The bytes. Submits the batch if this read is still recorded, and waits for the device.
    pub fn wait(self) -> Result<Vec<u8>> {
        self.wait_for(copied)
    }

    /// What the caller makes of the bytes, where they lie in staging memory.
    pub(crate) fn wait_for<T>(self, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let submitted = self.submitted()?;
        let slab = submitted.slab.ok_or_else(broken)?;
        self.batch.wait_until(&submitted.index, || slab.mapping() != Mapping::Asked)?;
        if slab.mapping() != Mapping::Ready {
            return Err(self.batch.device.or_lost(broken()));
        }
        self.batch.done.fetch_max(submitted.flushes, Ordering::AcqRel);
        let end = self.staged_at + whole_words(self.bytes);
        let view = slab.buffer().get_mapped_range(self.staged_at..end);
        let view = view.map_err(|error| self.batch.device.or_lost(Error::Refused(error.to_string())))?;
        Ok(take(&view[..self.bytes as usize]))
    }

    fn submitted(&self) -> Result<Submitted> {
        if matches!(*lock(&self.cell), State::Recorded) {
            // The flush's own error reaches every read of that flush through the cell.
            let _ = self.batch.flush();
        }
        match &*lock(&self.cell) {
            State::Submitted(submitted) => Ok(submitted.clone()),
            State::Failed(error) => Err(error.clone()),
            State::Recorded => Err(broken()),
        }
    }
}

fn broken() -> Error {
    Error::Refused("a read was not mapped".to_owned())
}
