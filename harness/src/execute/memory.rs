//! The calls of a scenario that concern memory: constants supplied later, graphs that leave the device, the ledger; and
//! the blobs and streams of a scenario, which can fail at any time.

use std::cmp::min;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use webnn_reference::context::MLContext;
use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::{Kind, Ledger, Way};
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::supply::{Blob, ByteReader, ReadableStream, Unreadable};

use super::scenario::Called;

/// A blob of a scenario: bytes in memory, which act as a file that can vanish or be cut short.
#[derive(Debug)]
pub(super) struct ScenarioBlob {
    bytes: Vec<u8>,
    vanished: AtomicBool,
    readable: AtomicU64,
}

impl ScenarioBlob {
    pub(super) fn new(bytes: Vec<u8>) -> Rc<Self> {
        let readable = AtomicU64::new(bytes.len() as u64);
        Rc::new(Self { bytes, vanished: AtomicBool::new(false), readable })
    }

    /// From now on it can not be read.
    pub(super) fn vanish(&self) {
        self.vanished.store(true, Ordering::Relaxed);
    }

    /// From now on only the first bytes can be read.
    pub(super) fn truncate(&self, bytes: u64) {
        self.readable.store(bytes, Ordering::Relaxed);
    }

    /// It can be read as it was made.
    pub(super) fn reappear(&self) {
        self.vanished.store(false, Ordering::Relaxed);
        self.readable.store(self.bytes.len() as u64, Ordering::Relaxed);
    }
}

impl Blob for ScenarioBlob {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Unreadable> {
        if self.vanished.load(Ordering::Relaxed) {
            return Err("the file is gone".to_owned());
        }
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(into.len());
        if end as u64 > self.readable.load(Ordering::Relaxed) {
            return Err(format!("the file ends before byte {end}"));
        }
        into.copy_from_slice(self.bytes.get(start..end).ok_or("the blob is shorter")?);
        Ok(())
    }
}

/// What a stream of a scenario reads: so many bytes at a time, and then the end or a failure.
#[derive(Debug)]
struct Chunks {
    bytes: Vec<u8>,
    at: usize,
    chunk: usize,
    fails_at: Option<usize>,
}

/// A stream of these bytes, which arrive in chunks.
pub(super) fn stream(bytes: Vec<u8>, chunk: Option<u64>, fails_at: Option<u64>) -> ReadableStream {
    let chunk = chunk.map_or(bytes.len(), |chunk| usize::try_from(chunk).unwrap_or(usize::MAX));
    let fails_at = fails_at.and_then(|at| usize::try_from(at).ok());
    ReadableStream::new(Box::new(Chunks { bytes, at: 0, chunk, fails_at }))
}

impl ByteReader for Chunks {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Unreadable> {
        if self.fails_at.is_some_and(|fails_at| self.at >= fails_at) {
            return Err("the connection was closed".to_owned());
        }
        let end = min(self.bytes.len(), self.fails_at.unwrap_or(usize::MAX));
        let count = min(min(into.len(), self.chunk), end - self.at);
        into[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// A figure of a context's ledger.
pub(super) fn figure(context: &MLContext, name: &str) -> Called<u64> {
    let ledger = context.ledger();
    let figure = found(&ledger, name);
    figure.ok_or_else(|| format!("a ledger has no figure `{name}`").into())
}

pub(super) fn found(ledger: &Ledger, name: &str) -> Option<u64> {
    match name {
        "budgeted" => Some(ledger.budgeted()),
        "peak budgeted" => Some(ledger.budgeted_peak()),
        "host" => Some(ledger.on_the_host()),
        "peak host" => Some(ledger.host_peak()),
        _ => match (name.strip_prefix("peak "), Way::from_name(name)) {
            (Some(kind), _) => Some(ledger.peak(Kind::from_name(kind)?)),
            (None, Some(way)) => Some(ledger.moved_on(way)),
            (None, None) => Some(ledger.now(Kind::from_name(name)?)),
        },
    }
}

/// The options of `offload()`.
pub(super) fn offload_options(to: Option<&str>) -> Called<MLOffloadOptions> {
    let to = to.map_or(Some(MLOffloadTarget::default()), MLOffloadTarget::from_name);
    Ok(MLOffloadOptions { to: to.ok_or("`to` has to be `host` or `source`")? })
}

/// Sets `pinned`.
pub(super) fn set_pinned(graph: &MLGraph, pinned: Option<bool>) -> Called<()> {
    Ok(graph.set_pinned(pinned.ok_or("`pinned` has to be true or false")?)?)
}
