//! A staging buffer through which one thread fetches data.

use std::sync::{Arc, Mutex};

use super::Fetch;
use crate::batch::{Batch, Mapping};
use crate::device::{lock, whole_words};
use crate::error::{Error, Result};

/// The staging buffer of a thread; made once it has something to fetch.
pub(super) struct Staging<'a> {
    batch: &'a Arc<Batch>,
    bytes: u64,
    buffer: Option<wgpu::Buffer>,
}

impl<'a> Staging<'a> {
    pub(super) fn new(batch: &'a Arc<Batch>, bytes: u64) -> Self {
        Self { batch, bytes, buffer: None }
    }

    /// Fetches a group of pieces of these buffers with one submission.
    pub(super) fn fetch(&mut self, from: &[&wgpu::Buffer], group: &mut [Fetch<'_>]) -> Result<()> {
        let buffer = self.buffer()?;
        self.copy(from, group, &buffer)?;
        let mut at = 0;
        for fetch in group {
            let bytes = whole_words(fetch.into.len() as u64);
            let view = buffer.get_mapped_range(at..at + bytes);
            let view = view.map_err(|error| self.batch.device().or_lost(Error::Refused(error.to_string())))?;
            fetch.into.copy_from_slice(&view[..fetch.into.len()]);
            at += fetch.staged();
        }
        buffer.unmap();
        Ok(())
    }

    fn buffer(&mut self) -> Result<wgpu::Buffer> {
        if let Some(buffer) = &self.buffer {
            return Ok(buffer.clone());
        }
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let descriptor =
            wgpu::BufferDescriptor { label: Some("staging"), size: self.bytes, usage, mapped_at_creation: false };
        let made = self.batch.device().guard("staging", |raw| raw.create_buffer(&descriptor))?;
        Ok(self.buffer.insert(made).clone())
    }

    /// Has the device copy the pieces, one behind the other, and waits until they are mapped.
    fn copy(&self, from: &[&wgpu::Buffer], group: &[Fetch<'_>], buffer: &wgpu::Buffer) -> Result<()> {
        let device = self.batch.device();
        let mapping = Arc::new(Mutex::new(Mapping::Asked));
        let told = Arc::clone(&mapping);
        let index = device.guard("a download", |raw| {
            let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut at = 0;
            for fetch in group {
                let bytes = whole_words(fetch.into.len() as u64);
                encoder.copy_buffer_to_buffer(from[fetch.constant], fetch.at, buffer, at, bytes);
                at += fetch.staged();
            }
            let index = device.queue().submit([encoder.finish()]);
            buffer.map_async(wgpu::MapMode::Read, .., move |outcome| {
                *lock(&told) = if outcome.is_ok() { Mapping::Ready } else { Mapping::Failed };
            });
            index
        })?;
        self.batch.wait_until(&index, || *lock(&mapping) != Mapping::Asked)?;
        match *lock(&mapping) {
            Mapping::Ready => Ok(()),
            _ => Err(device.or_lost(Error::Refused("a staging buffer was not mapped".to_owned()))),
        }
    }
}
