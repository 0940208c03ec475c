//! The device: which adapter, what it can do, and what becomes of its errors.
//!
//! Three decisions are made here so that nothing else has to think about them.
//!
//! **Which adapter.** A name narrows the choice by substring (`"llvmpipe"`, `"nvidia"`). Without one, hardware
//! comes before software, and a discrete GPU before an integrated one. Software is a full citizen: the whole
//! test suite is meant to pass on Mesa's lavapipe, which is why the error for "nothing found" names its package.
//!
//! **What it may use.** Every limit that the adapter has is requested, since WebGPU's defaults stop at 128 MiB
//! per binding. Of the optional features only 64-bit integers matter to the generated kernels. float16 needs no
//! feature: halves are packed two to a word and unpacked by core WGSL. wgpu's pipeline cache is not used:
//! its constructor is `unsafe`, which this workspace forbids, and drivers keep a cache of their own on disk.
//!
//! **What becomes of errors.** wgpu reports through callbacks and, by default, panics. Here every call that can
//! fail runs inside [`Device::guard`], which turns validation, internal and out-of-memory errors into an
//! [`Error`] of that call. What escapes all guards is recorded and fails the next call. A lost device is recorded
//! with its reason and fails every later call; the application decides whether to open another.

mod adapter;
mod memory;
mod subnormal;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

pub use adapter::{Choice, adapters};
pub(crate) use memory::{KERNELS_AND_COPIES, whole_words};
pub use subnormal::Subnormals;

use crate::error::{Error, Result};
use crate::pipeline::Pipelines;

/// An open device, its queue, its facts and its pipelines.
#[derive(Debug)]
pub struct Device {
    raw: wgpu::Device,
    queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    faults: Arc<Faults>,
    /// Whether the application works on it as well.
    is_shared: bool,
    subnormals: OnceLock<Subnormals>,
    pipelines: Pipelines,
}

/// What the callbacks have reported and no call has returned yet.
#[derive(Debug, Default)]
struct Faults {
    lost: Mutex<Option<String>>,
    stray: Mutex<Option<Error>>,
}

impl Device {
    /// Opens a device of its own, without the optional features that `WEBNN_GPU_WITHOUT` lists.
    pub fn open(choice: &Choice) -> Result<Arc<Self>> {
        Self::open_without(choice, adapter::withheld()?)
    }

    /// Opens a device of its own that lacks these optional features even where the adapter has them.
    pub fn open_without(choice: &Choice, features: wgpu::Features) -> Result<Arc<Self>> {
        let adapter = adapter::choose(choice)?;
        let (raw, queue) = adapter::request(&adapter, features)?;
        Ok(Self::adopt(raw, queue, adapter.get_info()))
    }

    /// The process's shared device for the default choice, opened at the first call. One that was lost is
    /// replaced at the next call; whoever holds the old one keeps seeing it lost.
    pub fn shared() -> Result<Arc<Self>> {
        static SHARED: Mutex<Option<Arc<Device>>> = Mutex::new(None);
        let mut shared = lock(&SHARED);
        if let Some(device) = shared.as_ref().filter(|device| device.lost().is_none()) {
            return Ok(Arc::clone(device));
        }
        let device = Self::open(&Choice::from_env())?;
        *shared = Some(Arc::clone(&device));
        Ok(device)
    }

    /// Takes over a device that the application opened itself, so that tensors and the application's own
    /// buffers live on one device. Its error and loss callbacks become ours.
    pub fn adopt(raw: wgpu::Device, queue: wgpu::Queue, info: wgpu::AdapterInfo) -> Arc<Self> {
        let faults = Arc::new(Faults::default());
        let stray = Arc::clone(&faults);
        raw.on_uncaptured_error(Arc::new(move |error| {
            lock(&stray.stray).get_or_insert(describe("an unguarded call", error));
        }));
        Self::with_faults(raw, queue, info, faults, false)
    }

    /// Takes part in a device that the application works on as well. Its loss callback becomes ours; what escapes from the
    /// application's own calls stays the application's. A call of ours that is refused may be refused for what the
    /// application has done, such as destroying a buffer, and counts as a loss.
    pub fn share(raw: wgpu::Device, queue: wgpu::Queue, info: wgpu::AdapterInfo) -> Arc<Self> {
        Self::with_faults(raw, queue, info, Arc::default(), true)
    }

    fn with_faults(
        raw: wgpu::Device,
        queue: wgpu::Queue,
        info: wgpu::AdapterInfo,
        faults: Arc<Faults>,
        is_shared: bool,
    ) -> Arc<Self> {
        let lost = Arc::clone(&faults);
        raw.set_device_lost_callback(move |reason, message| {
            lock(&lost.lost).get_or_insert(loss(reason, &message));
        });
        let (subnormals, pipelines) = (OnceLock::new(), Pipelines::default());
        Arc::new(Self { raw, queue, info, faults, is_shared, subnormals, pipelines })
    }

    /// wgpu's device.
    pub fn raw(&self) -> &wgpu::Device {
        &self.raw
    }

    /// wgpu's queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Name, kind and driver of the adapter.
    pub fn info(&self) -> &wgpu::AdapterInfo {
        &self.info
    }

    /// The limits that the device was opened with: all that the adapter has.
    pub fn limits(&self) -> wgpu::Limits {
        self.raw.limits()
    }

    /// Whether kernels may compute in 64-bit integers. Without it this platform offers no int64 and no uint64.
    pub fn has_int64(&self) -> bool {
        self.raw.features().contains(wgpu::Features::SHADER_INT64)
    }

    /// The device's compiled kernels.
    pub fn pipelines(&self) -> &Pipelines {
        &self.pipelines
    }

    /// How arithmetic treats float32 subnormals, found by asking the device once.
    pub fn subnormals(self: &Arc<Self>) -> Result<Subnormals> {
        if let Some(known) = self.subnormals.get() {
            return Ok(*known);
        }
        let found = subnormal::probe(self)?;
        Ok(*self.subnormals.get_or_init(|| found))
    }

    /// Why the device was lost, if it was.
    pub fn lost(&self) -> Option<String> {
        lock(&self.faults.lost).clone()
    }

    /// Gives the device up. Every later call on it fails with [`Error::Lost`].
    pub fn destroy(&self) {
        // wgpu calls back at the next poll, which may never come; the fact is known now, to other threads too.
        lock(&self.faults.lost).get_or_insert_with(|| "it was destroyed".to_owned());
        self.raw.destroy();
    }

    /// Runs calls to wgpu and returns their error, if any, instead of letting it reach the panic handler.
    /// Scopes belong to the thread, so two threads may be inside a guard at once.
    pub fn guard<T>(&self, what: &str, work: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        self.check()?;
        let memory = self.raw.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = self.raw.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = self.raw.push_error_scope(wgpu::ErrorFilter::Validation);
        let value = work(&self.raw);
        // Popped inner to outer, all of them, before any is looked at.
        let found = [
            pollster::block_on(validation.pop()),
            pollster::block_on(internal.pop()),
            pollster::block_on(memory.pop()),
        ];
        self.check()?;
        // Out of memory first: it is the cause when it comes with company.
        match found.into_iter().flatten().next_back() {
            Some(error) => match self.or_lost(describe(what, error)) {
                Error::Refused(why) if self.is_shared => Err(Error::Lost(format!("it refused a call: {why}"))),
                error => Err(error),
            },
            None => Ok(value),
        }
    }

    /// The error of a call, or the loss of the device if that is behind it: everything is invalid on a device that is
    /// lost, and wgpu tells of the loss only when it is polled.
    pub(crate) fn or_lost(&self, error: Error) -> Error {
        match catch_unwind(AssertUnwindSafe(|| self.raw.poll(wgpu::PollType::Poll))) {
            Ok(_) => self.lost().map_or(error, Error::Lost),
            Err(_) => self.failed_while_polled(),
        }
    }

    /// Waits until a submission is done and its callbacks have run.
    pub fn wait(&self, until: wgpu::SubmissionIndex, limit: Duration) -> Result<()> {
        self.check()?;
        let wait = wgpu::PollType::Wait { submission_index: Some(until), timeout: Some(limit) };
        // wgpu panics when the device is lost inside a poll; that is the one panic we have to catch.
        let polled = catch_unwind(AssertUnwindSafe(|| self.raw.poll(wait)));
        self.check()?;
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => Err(Error::TimedOut(limit)),
            Ok(Err(error)) => Err(Error::Refused(error.to_string())),
            Err(_) => Err(self.failed_while_polled()),
        }
    }

    /// wgpu panics when the device is lost inside a poll.
    fn failed_while_polled(&self) -> Error {
        let why = "it failed while we waited for it".to_owned();
        Error::Lost(lock(&self.faults.lost).get_or_insert(why).clone())
    }

    /// Fails if the device is lost.
    pub(crate) fn ensure_present(&self) -> Result<()> {
        self.lost().map_or(Ok(()), |why| Err(Error::Lost(why)))
    }

    /// Fails if the device is lost or an error escaped all guards since the last look.
    fn check(&self) -> Result<()> {
        self.ensure_present()?;
        lock(&self.faults.stray).take().map_or(Ok(()), Err)
    }
}

/// Locks, also after a panic elsewhere: what these mutexes hold is whole at every step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn describe(what: &str, error: wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory(what.to_owned()),
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Error::Refused(format!("{what}: {description}"))
        }
    }
}

fn loss(reason: wgpu::DeviceLostReason, message: &str) -> String {
    match reason {
        wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_owned(),
        wgpu::DeviceLostReason::Unknown if message.is_empty() => "no reason was given".to_owned(),
        wgpu::DeviceLostReason::Unknown => message.to_owned(),
    }
}
