//! Staging buffers: memory that the device copies into and the host reads.
//!
//! A fresh staging buffer costs more than the copy (its pages are faulted in as they are read), so they are kept
//! and used again. Sizes are powers of two, which bounds the waste and makes a fit likely. All reads of one
//! submission share one slab.

use std::sync::{Arc, Mutex};

use crate::device::{Device, lock};
use crate::error::Result;

/// The smallest slab, in bytes.
const SMALLEST: u64 = 64 << 10;

/// The most bytes kept idle.
const KEPT: u64 = 256 << 20;

/// Idle staging buffers.
#[derive(Debug, Default)]
pub(super) struct Staging {
    idle: Mutex<Vec<wgpu::Buffer>>,
}

/// A staging buffer in use, which returns to its pool when dropped.
#[derive(Debug)]
pub(super) struct Slab {
    buffer: wgpu::Buffer,
    pool: Arc<Staging>,
    mapped: Mutex<Mapping>,
}

/// How far the mapping of a slab is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    Unasked,
    Asked,
    Ready,
    Failed,
}

impl Staging {
    /// A slab of at least this many bytes.
    pub(super) fn take(self: &Arc<Self>, device: &Device, bytes: u64) -> Result<Slab> {
        let mut idle = lock(&self.idle);
        let fit = (0..idle.len()).filter(|i| idle[*i].size() >= bytes).min_by_key(|i| idle[*i].size());
        let known = fit.map(|i| idle.swap_remove(i));
        drop(idle);
        let buffer = match known {
            Some(buffer) => buffer,
            None => fresh(device, bytes)?,
        };
        Ok(Slab { buffer, pool: Arc::clone(self), mapped: Mutex::new(Mapping::Unasked) })
    }
}

fn fresh(device: &Device, bytes: u64) -> Result<wgpu::Buffer> {
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let rounded = bytes.next_power_of_two().max(SMALLEST);
    let size = if rounded > device.limits().max_buffer_size { bytes } else { rounded };
    device.buffer_for("staging", size, usage)
}

impl Slab {
    pub(super) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Asks for the first bytes to be mapped, once the submission that fills them is done.
    pub(super) fn map(self, device: &Device, bytes: u64) -> Result<Arc<Self>> {
        *lock(&self.mapped) = Mapping::Asked;
        let slab = Arc::new(self);
        // Weak, or a mapping that never completes would keep the slab alive for ever.
        let told = Arc::downgrade(&slab);
        device.guard("mapping a read", |_| {
            slab.buffer.map_async(wgpu::MapMode::Read, ..bytes, move |outcome| {
                if let Some(slab) = told.upgrade() {
                    let state = if outcome.is_ok() { Mapping::Ready } else { Mapping::Failed };
                    *lock(&slab.mapped) = state;
                }
            });
        })?;
        Ok(slab)
    }

    pub(super) fn mapping(&self) -> Mapping {
        *lock(&self.mapped)
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        match self.mapping() {
            Mapping::Unasked => {}
            Mapping::Ready => self.buffer.unmap(),
            // Still in flight, or broken: not worth keeping.
            Mapping::Asked | Mapping::Failed => return,
        }
        let mut idle = lock(&self.pool.idle);
        let held = idle.iter().map(wgpu::Buffer::size).sum::<u64>();
        if held + self.buffer.size() <= KEPT {
            idle.push(self.buffer.clone());
        }
    }
}
