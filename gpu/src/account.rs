//! A context's ledger, kept by what it counts.
//!
//! Whoever has memory has its entry in the ledger too ([`Held`]), which is struck out when it is dropped; so the ledger
//! forgets nothing and counts nothing twice.
//!
//! What a context lets go while the device may still use it is not free yet: wgpu keeps a buffer for as long as something
//! recorded or running needs it. Such memory stays in the ledger until then ([`Account::part_with`]). Who asks for the
//! ledger in order to decide whether there is room gets it after a wait for the device, and only then: so a budget is kept
//! on the device and not on paper, and whoever has no budget never waits.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use webnn_reference::ledger::{Kind, Ledger, Way};

use crate::batch::Batch;
use crate::device::{Device, KERNELS_AND_COPIES};
use crate::error::{Error, Result};

/// The ledger of a context, and what the context has let go. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Account(Rc<Books>);

#[derive(Debug)]
struct Books {
    batch: Arc<Batch>,
    ledger: Rc<RefCell<Ledger>>,
    /// What was let go, with [`Batch::flushes`] when it was last recorded.
    leaving: RefCell<Vec<(u64, Allocation)>>,
}

/// An entry of the ledger.
#[derive(Debug)]
pub(crate) struct Held {
    ledger: Rc<RefCell<Ledger>>,
    kind: Kind,
    bytes: u64,
}

/// A buffer and its entry.
#[derive(Debug)]
pub(crate) struct Allocation {
    buffer: wgpu::Buffer,
    _held: Held,
}

impl Account {
    pub(crate) fn new(batch: Arc<Batch>) -> Self {
        Self(Rc::new(Books { batch, ledger: Rc::default(), leaving: RefCell::default() }))
    }

    pub(crate) fn batch(&self) -> &Arc<Batch> {
        &self.0.batch
    }

    pub(crate) fn device(&self) -> &Arc<Device> {
        self.0.batch.device()
    }

    /// Notes memory that the caller has.
    pub(crate) fn hold(&self, kind: Kind, bytes: u64) -> Held {
        self.0.ledger.borrow_mut().allocate(kind, bytes);
        Held { ledger: Rc::clone(&self.0.ledger), kind, bytes }
    }

    /// Notes that data was moved.
    pub(crate) fn moved(&self, way: Way, bytes: u64) {
        self.0.ledger.borrow_mut().moved(way, bytes);
    }

    /// A buffer of zeros that kernels may use. Where there is no room, what is leaving is waited for.
    pub(crate) fn allocate(&self, what: &str, kind: Kind, bytes: u64) -> Result<Allocation> {
        self.allocate_for(what, kind, bytes, KERNELS_AND_COPIES)
    }

    /// The same for other usages.
    pub(crate) fn allocate_for(
        &self,
        what: &str,
        kind: Kind,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<Allocation> {
        self.sweep();
        let buffer = match self.device().buffer_for(what, bytes, usage) {
            Err(Error::OutOfMemory(_)) if self.settle() => self.device().buffer_for(what, bytes, usage)?,
            made => made?,
        };
        Ok(self.adopt(kind, buffer))
    }

    /// Notes a buffer.
    pub(crate) fn adopt(&self, kind: Kind, buffer: wgpu::Buffer) -> Allocation {
        let held = self.hold(kind, buffer.size());
        Allocation { buffer, _held: held }
    }

    /// Lets go of a buffer that was last recorded at this number of flushes, if it ever was.
    pub(crate) fn part_with(&self, allocation: Allocation, used: Option<u64>) {
        self.sweep();
        if let Some(flushes) = used.filter(|flushes| !self.0.batch.is_done(*flushes)) {
            self.0.leaving.borrow_mut().push((flushes, allocation));
        }
    }

    /// Drops what the device is done with, as far as that is known.
    fn sweep(&self) {
        self.0.leaving.borrow_mut().retain(|(flushes, _)| !self.0.batch.is_done(*flushes));
    }

    /// Waits until the device is done with everything that was let go. Says whether there was anything.
    pub(crate) fn settle(&self) -> bool {
        self.sweep();
        if self.0.leaving.borrow().is_empty() {
            return false;
        }
        // Where that fails the device is lost or hangs, and nobody will find room on it.
        let _ = self.0.batch.finish();
        self.0.leaving.borrow_mut().clear();
        true
    }

    /// The ledger as it is once everything that was let go is gone.
    pub(crate) fn settled(&self) -> Ledger {
        self.settle();
        self.0.ledger.borrow().clone()
    }

    /// How much there is of what a budget counts once everything that was let go is gone.
    pub(crate) fn budgeted(&self) -> u64 {
        self.settle();
        self.0.ledger.borrow().budgeted()
    }

    /// Keeps every change from now on.
    pub(crate) fn record(&self, clock: fn() -> u64) {
        self.0.ledger.borrow_mut().record(clock);
    }
}

impl Allocation {
    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.buffer.size()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.ledger.borrow_mut().release(self.kind, self.bytes);
    }
}
