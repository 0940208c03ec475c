//! Recording work and submitting it together.
//!
//! A submission costs a fraction of a millisecond and a wait costs more, so nothing here submits until it must.
//! A [`Batch`] keeps a list of commands: dispatches, copies and reads. [`Batch::flush`] encodes the list into one
//! encoder, consecutive dispatches sharing one compute pass, and submits it once. Commands take effect in the
//! order in which they were recorded.
//!
//! Two things end a list early. A [`PendingRead`] that is asked for its bytes flushes if its read has not been
//! submitted. And an upload flushes what was recorded before it: wgpu performs writes ahead of the next
//! submission, so a dispatch recorded earlier and submitted later would see the new bytes. Upload first, then
//! record, and there is one submission; or, where nothing recorded touches the buffer, [`Batch::upload_ahead`].
//!
//! An error belongs to the flush that met it, and to every read in that flush. The batch is usable afterwards
//! unless the device is lost. Where there is no memory for what is read back, the rest takes effect all the same, and
//! the error belongs to the reads alone.

mod read;
mod staging;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use read::PendingRead;

use crate::device::{Device, lock};
use crate::error::{Error, Result};
use crate::pipeline::{Bound, Pipeline};
use read::Reads;
pub(crate) use staging::Mapping;
use staging::Staging;

/// How long a wait may last before the device counts as hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// So many uploaded bytes are submitted: wgpu holds a copy of what was written until then.
const UPLOAD_CHUNK: usize = 64 << 20;

/// A list of commands for one device.
#[derive(Debug)]
pub struct Batch {
    device: Arc<Device>,
    patience: Duration,
    staging: Arc<Staging>,
    recorded: Mutex<Recorded>,
    flushes: AtomicU64,
    /// What was recorded at a smaller number of flushes, the device has done.
    done: AtomicU64,
    work: Mutex<Work>,
    traffic: Traffic,
    /// Bytes uploaded since the last submission.
    uploaded: AtomicU64,
}

/// What dispatches were submitted as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How many compute passes.
    pub passes: u64,
    /// How many dispatches in them.
    pub dispatches: u64,
}

/// What has gone through a batch: the bytes that were moved, and how often the device was submitted to or waited for. (The
/// data of hollow constants goes another way. A context's ledger counts it.)
#[derive(Debug, Default)]
pub struct Traffic {
    uploaded: AtomicU64,
    read: AtomicU64,
    copied: AtomicU64,
    submissions: AtomicU64,
    waits: AtomicU64,
}

impl Traffic {
    /// Bytes written from the host.
    pub fn uploaded(&self) -> u64 {
        self.uploaded.load(Ordering::Acquire)
    }

    /// Bytes read back to the host.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Acquire)
    }

    /// Bytes copied on the device, other than for reading back.
    pub fn copied(&self) -> u64 {
        self.copied.load(Ordering::Acquire)
    }

    /// How often commands were submitted.
    pub fn submissions(&self) -> u64 {
        self.submissions.load(Ordering::Acquire)
    }

    /// How often the host waited for the device.
    pub fn waits(&self) -> u64 {
        self.waits.load(Ordering::Acquire)
    }
}

fn count(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::AcqRel);
}

#[derive(Debug, Default)]
struct Recorded {
    commands: Vec<Command>,
    reads: Reads,
}

#[derive(Debug)]
enum Command {
    Dispatch { pipeline: Arc<Pipeline>, group: wgpu::BindGroup, grid: [u32; 2] },
    Copy { from: wgpu::Buffer, from_offset: u64, to: wgpu::Buffer, to_offset: u64, bytes: u64 },
    Read { from: wgpu::Buffer, offset: u64, bytes: u64, staged_at: u64 },
}

impl Batch {
    /// An empty list.
    pub fn new(device: Arc<Device>) -> Arc<Self> {
        Self::with_patience(device, PATIENCE)
    }

    /// An empty list whose waits end with an error after this long.
    pub fn with_patience(device: Arc<Device>, patience: Duration) -> Arc<Self> {
        let (staging, recorded, work) = (Arc::default(), Mutex::default(), Mutex::default());
        let [flushes, done, uploaded] = [const { AtomicU64::new(0) }; 3];
        let traffic = Traffic::default();
        Arc::new(Self { device, patience, staging, recorded, flushes, done, work, traffic, uploaded })
    }

    /// What has gone through it so far.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The device that runs it.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Records a dispatch over a grid of workgroups.
    pub fn dispatch(&self, pipeline: &Arc<Pipeline>, group: wgpu::BindGroup, grid: [u32; 2]) {
        let pipeline = Arc::clone(pipeline);
        self.record(Command::Dispatch { pipeline, group, grid });
    }

    /// Compiles a module if need be, binds inputs and output (and the module's parameters after them), and
    /// records its dispatch.
    pub fn run(&self, module: &crate::wgsl::Module, buffers: &[Bound<'_>]) -> Result<()> {
        let pipeline = self.device.pipeline(module)?;
        let mut bound = buffers.to_vec();
        let held;
        if !module.params.is_empty() {
            held = self.device.buffer_with("params", bytemuck::cast_slice(&module.params))?;
            bound.push((&held).into());
        }
        let group = pipeline.bind(&self.device, &bound)?;
        self.dispatch(&pipeline, group, module.grid);
        Ok(())
    }

    /// Records a copy between two different buffers. Offsets and length are multiples of four.
    pub fn copy(&self, from: Bound<'_>, to: Bound<'_>, bytes: u64) -> Result<()> {
        let words = [from.offset, to.offset, bytes].iter().all(|n| n.is_multiple_of(4));
        if !words || from.buffer == to.buffer {
            return Err(Error::Refused("a copy needs whole words and two buffers".to_owned()));
        }
        count(&self.traffic.copied, bytes);
        self.record(Command::Copy {
            from: from.buffer.clone(),
            from_offset: from.offset,
            to: to.buffer.clone(),
            to_offset: to.offset,
            bytes,
        });
        Ok(())
    }

    /// Writes bytes to a buffer, before anything recorded later and after anything recorded earlier. A last
    /// partial word is filled up with zeros.
    pub fn upload(&self, to: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        self.flush()?;
        self.upload_ahead(to, offset, bytes)
    }

    /// Writes bytes to a buffer that nothing recorded touches, without submitting what is recorded.
    pub fn upload_ahead(&self, to: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut at = offset;
        for chunk in bytes.chunks(UPLOAD_CHUNK) {
            self.write(to, at, chunk)?;
            at += chunk.len() as u64;
        }
        Ok(())
    }

    fn write(&self, to: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let (whole, tail) = bytes.split_at(bytes.len() & !3);
        let mut last = [0; 4];
        last[..tail.len()].copy_from_slice(tail);
        let queue = self.device.queue();
        count(&self.traffic.uploaded, bytes.len() as u64);
        let held = self.uploaded.fetch_add(bytes.len() as u64, Ordering::AcqRel) + bytes.len() as u64;
        self.device.guard("an upload", |_| {
            if !whole.is_empty() {
                queue.write_buffer(to, offset, whole);
            }
            if !tail.is_empty() {
                queue.write_buffer(to, offset + whole.len() as u64, &last);
            }
            if held >= UPLOAD_CHUNK as u64 {
                queue.submit([]);
                self.uploaded.store(0, Ordering::Release);
            }
        })
    }

    /// Records a read and returns its handle. `bytes` may end inside a word.
    pub fn read(self: &Arc<Self>, from: &wgpu::Buffer, offset: u64, bytes: u64) -> PendingRead {
        count(&self.traffic.read, bytes);
        let mut recorded = lock(&self.recorded);
        let (cell, staged_at) = recorded.reads.enqueue(bytes);
        let whole = crate::device::whole_words(bytes);
        let from = from.clone();
        recorded.commands.push(Command::Read { from, offset, bytes: whole, staged_at });
        drop(recorded);
        PendingRead::new(Arc::clone(self), cell, staged_at, bytes)
    }

    /// How many commands are recorded and not submitted.
    pub fn recorded(&self) -> usize {
        lock(&self.recorded).commands.len()
    }

    /// How often the list was submitted: what was recorded at another number is no longer in it.
    pub fn flushes(&self) -> u64 {
        self.flushes.load(Ordering::Acquire)
    }

    /// Whether the device is known to have done what was recorded at this number of flushes.
    pub(crate) fn is_done(&self, flushes: u64) -> bool {
        flushes < self.done.load(Ordering::Acquire)
    }

    /// What was submitted so far.
    pub fn work(&self) -> Work {
        *lock(&self.work)
    }

    /// Submits everything recorded. Returns without waiting for the device.
    pub fn flush(&self) -> Result<()> {
        // Held throughout, so that two threads' lists do not overtake each other.
        let mut recorded = lock(&self.recorded);
        let Recorded { commands, reads } = std::mem::take(&mut *recorded);
        if commands.is_empty() {
            return Ok(());
        }
        let staged = reads.bytes();
        let slab = if staged == 0 { Ok(None) } else { self.staging.take(&self.device, staged).map(Some) };
        let (slab, unread) = slab.map_or_else(|error| (None, Some(error)), |slab| (slab, None));
        let submitted = self.submit(&commands, slab, staged);
        self.flushes.fetch_add(1, Ordering::AcqRel);
        count(&self.traffic.submissions, 1);
        match unread {
            Some(error) if submitted.is_ok() => reads.settle(&Err(error)),
            _ => reads.settle(&submitted),
        }
        submitted.map(|_| ())
    }

    /// Submits everything recorded and waits until the device has done it.
    pub fn finish(&self) -> Result<()> {
        self.flush()?;
        let flushes = self.flushes();
        count(&self.traffic.waits, 1);
        let index = self.device.guard("an empty submission", |_| self.device.queue().submit([]))?;
        self.device.wait(index, self.patience)?;
        self.done.fetch_max(flushes, Ordering::AcqRel);
        Ok(())
    }

    /// Waits for a submission, and for what its end has to bring about.
    pub(crate) fn wait_until(&self, index: &wgpu::SubmissionIndex, arrived: impl Fn() -> bool) -> Result<()> {
        // Another thread that polls the device may have taken our callback along, and be about to run it.
        count(&self.traffic.waits, 1);
        let begun = Instant::now();
        while !arrived() {
            if begun.elapsed() > self.patience {
                return Err(Error::TimedOut(self.patience));
            }
            self.device.wait(index.clone(), self.patience)?;
            std::thread::yield_now();
        }
        Ok(())
    }

    fn record(&self, command: Command) {
        lock(&self.recorded).commands.push(command);
    }

    fn submit(&self, commands: &[Command], slab: Option<staging::Slab>, staged: u64) -> Result<read::Submitted> {
        let target = slab.as_ref().map(staging::Slab::buffer);
        let submitted = self.device.guard("a submission", |raw| {
            let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let work = encode(&mut encoder, commands, target);
            lock(&self.work).add(work);
            self.uploaded.store(0, Ordering::Release);
            self.device.queue().submit([encoder.finish()])
        });
        let index = submitted.map_err(|error| self.blamed(error, commands, target))?;
        let slab = slab.map(|slab| slab.map(&self.device, staged)).transpose()?;
        Ok(read::Submitted { index, slab, flushes: self.flushes() + 1 })
    }
}

impl Batch {
    /// The error of a submission that was refused, with the name of the first command that is refused by itself.
    fn blamed(&self, error: Error, commands: &[Command], target: Option<&wgpu::Buffer>) -> Error {
        let Error::Refused(why) = error else { return error };
        let is_refused = |command: &&Command| {
            let alone = self.device.guard("a command", |raw| {
                let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                encode(&mut encoder, std::slice::from_ref(*command), target);
                encoder.finish()
            });
            matches!(alone, Err(Error::Refused(_)))
        };
        match commands.iter().find(is_refused) {
            Some(Command::Dispatch { pipeline, .. }) => Error::Refused(format!("{}: {why}", pipeline.name())),
            Some(Command::Copy { .. }) => Error::Refused(format!("a copy: {why}")),
            Some(Command::Read { .. }) => Error::Refused(format!("a read: {why}")),
            None => Error::Refused(why),
        }
    }
}

impl Work {
    fn add(&mut self, further: Self) {
        self.passes += further.passes;
        self.dispatches += further.dispatches;
    }
}

/// Writes commands to an encoder, a run of dispatches as one pass.
fn encode(encoder: &mut wgpu::CommandEncoder, commands: &[Command], staged: Option<&wgpu::Buffer>) -> Work {
    let mut work = Work::default();
    let is_dispatch = |command: &Command| matches!(command, Command::Dispatch { .. });
    for run in commands.chunk_by(|a, b| is_dispatch(a) && is_dispatch(b)) {
        match &run[0] {
            Command::Dispatch { .. } => {
                encode_pass(encoder, run);
                work.add(Work { passes: 1, dispatches: run.len() as u64 });
            }
            Command::Copy { from, from_offset, to, to_offset, bytes } => {
                encoder.copy_buffer_to_buffer(from, *from_offset, to, *to_offset, *bytes);
            }
            Command::Read { from, offset, bytes, staged_at } => {
                if let Some(staged) = staged {
                    encoder.copy_buffer_to_buffer(from, *offset, staged, *staged_at, *bytes);
                }
            }
        }
    }
    work
}

fn encode_pass(encoder: &mut wgpu::CommandEncoder, run: &[Command]) {
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    for command in run {
        if let Command::Dispatch { pipeline, group, grid: [x, y] } = command {
            pass.set_pipeline(pipeline.raw());
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(*x, *y, 1);
        }
    }
}
