//! Buffers, with their two ways to fail.
//!
//! Sizes are rounded up to whole words: copies move multiples of four bytes, and packed tensors (float16,
//! int8) end inside a word. A size beyond the device's limit is told apart from a device that is full,
//! because the first will never succeed and the second may.

use super::Device;
use crate::error::{Error, Result};

/// Rounds a size up to whole 32-bit words, at least one.
pub(crate) fn whole_words(bytes: u64) -> u64 {
    bytes.next_multiple_of(4).max(4)
}

/// The usages of a buffer that kernels may use and copies may fill or read.
pub(crate) const KERNELS_AND_COPIES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

impl Device {
    /// A buffer of zeros that kernels may use and copies may fill or read.
    pub fn buffer(&self, label: &str, bytes: u64) -> Result<wgpu::Buffer> {
        self.buffer_for(label, bytes, KERNELS_AND_COPIES)
    }

    /// A buffer of zeros for the usages given.
    pub fn buffer_for(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let size = self.admit(bytes)?;
        self.guard(label, |raw| {
            raw.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
        })
    }

    /// A kernel's buffer that starts with these contents, written in place before its first use.
    pub fn buffer_with(&self, label: &str, contents: &[u8]) -> Result<wgpu::Buffer> {
        let size = self.admit(contents.len() as u64)?;
        let usage = KERNELS_AND_COPIES;
        self.guard(label, |raw| {
            let buffer = raw.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: true,
            });
            // A view is refused when the buffer failed; the guard has that error already.
            if let Ok(mut view) = buffer.get_mapped_range_mut(..) {
                let whole = contents.len() & !3;
                view.slice(..whole).copy_from_slice(&contents[..whole]);
                let tail = &contents[whole..];
                if !tail.is_empty() {
                    let mut last = [0; 4];
                    last[..tail.len()].copy_from_slice(tail);
                    view.slice(whole..whole + 4).copy_from_slice(&last);
                }
            }
            buffer.unmap();
            buffer
        })
    }

    fn admit(&self, bytes: u64) -> Result<u64> {
        let limit = self.raw().limits().max_buffer_size;
        let size = whole_words(bytes);
        if size > limit { Err(Error::TooLarge { bytes, limit }) } else { Ok(size) }
    }
}
