//! What constants get their data from: blobs and streams, some of which fail.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use webnn_reference::supply::{Blob, ByteReader, ConstantData, ReadableStream, Unreadable};

/// A blob that can be spoiled: from some byte on it can not be read, or reading it does something else first.
pub(crate) struct TestBlob {
    pub(crate) bytes: Vec<u8>,
    pub(crate) readable: AtomicU64,
    pub(crate) before: Box<dyn Fn(u64) + Sync>,
}

impl std::fmt::Debug for TestBlob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a blob of {} bytes", self.bytes.len())
    }
}

impl TestBlob {
    pub(crate) fn new(bytes: &[u8]) -> Rc<Self> {
        Self::with(bytes, |_| {})
    }

    pub(crate) fn with(bytes: &[u8], before: impl Fn(u64) + Sync + 'static) -> Rc<Self> {
        Rc::new(Self { bytes: bytes.to_vec(), readable: AtomicU64::new(u64::MAX), before: Box::new(before) })
    }

    pub(crate) fn cut(&self, readable: u64) {
        self.readable.store(readable, Ordering::Relaxed);
    }
}

impl Blob for TestBlob {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Unreadable> {
        (self.before)(offset);
        let start = offset as usize;
        if offset + into.len() as u64 > self.readable.load(Ordering::Relaxed) {
            return Err("the file was cut".to_owned());
        }
        into.copy_from_slice(&self.bytes[start..start + into.len()]);
        Ok(())
    }
}

/// A stream that gives a few bytes at a time.
#[derive(Debug)]
pub(crate) struct Trickle {
    pub(crate) bytes: Vec<u8>,
    pub(crate) at: usize,
}

impl ByteReader for Trickle {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Unreadable> {
        let count = into.len().min(self.bytes.len() - self.at).min(1 + self.at % 70_001);
        into[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

pub(crate) fn stream(bytes: &[u8]) -> ConstantData {
    ConstantData::Stream(ReadableStream::new(Box::new(Trickle { bytes: bytes.to_vec(), at: 0 })))
}

pub(crate) fn blob(bytes: &[u8]) -> ConstantData {
    ConstantData::Blob(TestBlob::new(bytes))
}

/// Bytes that look random, and are always the same.
pub(crate) fn noise(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}
