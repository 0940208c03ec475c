//! What an application does with WebGPU in a scenario: it has a device, and writes and reads buffers.
//!
//! On a virtual device these are calls on bytes, on wgpu's commands. What WebGPU refuses is no exception there, but an error
//! of the device; so a call says of it what an error scope would.

use webnn_gpu::interop;
use webnn_reference::virtual_device::{VirtualBuffer, VirtualDevice};
use webnn_reference::webgpu::{GPUBuffer, GPUBufferUsage, GPUDevice, Unusable};

/// Loses a device, as when its driver fails: WebNN hears of it as soon as tasks run.
pub(super) fn lose(device: &GPUDevice, message: &str) {
    match VirtualDevice::behind(device) {
        Some(virtual_device) => virtual_device.lose(),
        None => interop::destroy(device),
    }
    device.lose(message);
}

/// `GPUQueue.writeBuffer()`.
pub(super) fn write(device: &GPUDevice, buffer: &GPUBuffer, offset: u64, bytes: &[u8]) -> Result<(), Unusable> {
    ensure_valid(device, buffer, GPUBufferUsage::COPY_DST, offset, bytes.len() as u64)?;
    if VirtualDevice::behind(device).is_none() {
        return interop::upload(buffer, offset, bytes);
    }
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    VirtualBuffer::behind(buffer)?.with(|memory| memory[start..][..bytes.len()].copy_from_slice(bytes));
    Ok(())
}

/// A copy of the first bytes to a buffer that is mapped.
pub(super) fn read(device: &GPUDevice, buffer: &GPUBuffer, bytes: u64) -> Result<Vec<u8>, Unusable> {
    ensure_valid(device, buffer, GPUBufferUsage::COPY_SRC, 0, bytes.next_multiple_of(4))?;
    let mut read = match VirtualDevice::behind(device) {
        Some(_) => VirtualBuffer::behind(buffer)?.to_vec(),
        None => interop::download(buffer)?,
    };
    read.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
    Ok(read)
}

/// WebGPU's own validation of a command that copies. What it says of the state of the buffer comes first.
fn ensure_valid(
    device: &GPUDevice,
    buffer: &GPUBuffer,
    usage: GPUBufferUsage,
    offset: u64,
    bytes: u64,
) -> Result<(), Unusable> {
    buffer.contents()?;
    let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= buffer.size());
    let problem = if buffer.device() != Some(device) {
        "it is of another device"
    } else if !buffer.usage().contains(usage) {
        "it was not made for copies"
    } else if !is_inside || !offset.is_multiple_of(4) || !bytes.is_multiple_of(4) {
        "the copy is not of whole words inside of it"
    } else {
        return Ok(());
    };
    Err(Unusable::Invalid(problem.to_owned()))
}

/// What an error scope says.
pub(super) fn error(unusable: &Unusable) -> &'static str {
    match unusable {
        Unusable::Destroyed | Unusable::Invalid(_) => "validation",
        Unusable::Lost => "lost",
    }
}
