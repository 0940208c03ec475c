//! WebGPU interoperability: graphs between the kernels of an application, on the application's own device.
//!
//! The [proposal](webnn_reference::proposals::interop) in short: an application makes a context from its device, and
//! tensors that can be exported. Exporting one gives a buffer of the device with the tensor's contents; the tensor is
//! rented until that buffer is destroyed. Here the buffer is the tensor's own memory and the application submits to the
//! queue that WebNN submits to, so that nothing is copied, read back or waited for.
//!
//! ```no_run
//! # use std::rc::Rc;
//! # use webnn_gpu::interop::{self, Application};
//! # use webnn_reference::{descriptor::MLTensorDescriptor, graph::MLGraph, ml::ML, timeline::Global};
//! # fn submit_my_kernel(_: &wgpu::Buffer) {}
//! # fn example(
//! #     device: wgpu::Device, queue: wgpu::Queue, adapter: &wgpu::Adapter, global: Global,
//! #     descriptor: MLTensorDescriptor, build: impl Fn(&webnn_reference::context::MLContext) -> MLGraph,
//! # ) -> Result<(), Box<dyn std::error::Error>> {
//! let device = interop::gpu_device(device, queue, adapter.get_info());
//! let ml = ML::new(&global, Rc::new(Application));
//! let context = global.settle(&ml.create_context_for_device(device.clone()))?;
//! let graph = build(&context);
//! let create = || context.create_exportable_tensor(&descriptor, &device, Default::default());
//! let (frame, result) = (global.settle(&create())?, global.settle(&create())?);
//!
//! let buffer = context.export_to_gpu(&frame)?;
//! submit_my_kernel(&interop::buffer(&buffer)?);           // fills the frame
//! buffer.destroy();                                       // gives it back
//! context.dispatch(&graph, &[("x".into(), frame)], &[("y".into(), result.clone())])?;
//! let buffer = context.export_to_gpu(&result)?;
//! submit_my_kernel(&interop::buffer(&buffer)?);           // goes on with the result
//! buffer.destroy();
//! # Ok(())
//! # }
//! ```
//!
//! **What is not refused.** On the Web, whatever still holds a buffer that was destroyed is refused when it is submitted.
//! Here [`buffer`] gives a `wgpu::Buffer`, which the tensor goes on to use. What an application keeps of it after
//! `destroy()`, such as a bind group, wgpu lets it submit, and it gets or spoils what WebNN is at. The same goes for
//! usages that were not asked for: WebNN needs more of its own.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use webnn_reference::ml::{ContextType, MLPowerPreference, PlatformProvider};
use webnn_reference::platform::Platform;
use webnn_reference::webgpu::{GPUBuffer, GPUBufferUsage, GPUDevice, Unusable};

use crate::batch::Traffic;
use crate::device::{Choice, Device};
use crate::error::{Error, Result};
use crate::platform::Gpu;

/// How long [`download`] waits before the device counts as lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// A device of the application as WebNN knows it, to make contexts from. Call this once for a device: contexts and tensors
/// belong to what it returns, and clones of that are the same device.
///
/// The callback of the device's loss becomes WebNN's; [`notice_loss`] says what it was told. Errors that are not captured
/// stay the application's.
pub fn gpu_device(device: wgpu::Device, queue: wgpu::Queue, info: wgpu::AdapterInfo) -> GPUDevice {
    GPUDevice::new(Rc::new(Gpu::on(Device::share(device, queue, info))))
}

/// Opens another device on an adapter that is in use, as an application would that has none yet.
///
/// # Errors
/// If the adapter gives no further device.
pub fn open_beside(gpu: &Gpu) -> Result<GPUDevice> {
    let device = Device::open(&Choice::Named(gpu.device().info().name.clone()))?;
    Ok(gpu_device(device.raw().clone(), device.queue().clone(), device.info().clone()))
}

/// Provides platforms for contexts that are created from devices of applications, and for no others.
#[derive(Clone, Copy, Debug)]
pub struct Application;

impl PlatformProvider for Application {
    fn platform(&self, context_type: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        match context_type {
            ContextType::Default => None,
            ContextType::WebGPU(device) => platform(device),
        }
    }
}

pub(crate) fn platform(device: &GPUDevice) -> Option<Box<dyn Platform>> {
    let gpu = behind(device)?;
    gpu.device().ensure_present().ok()?;
    Some(gpu.context())
}

/// wgpu's device and queue, unless the device is of another kind.
pub fn raw(device: &GPUDevice) -> Option<(&wgpu::Device, &wgpu::Queue)> {
    let device = behind(device)?.device();
    Some((device.raw(), device.queue()))
}

/// The buffer with the contents of an exported tensor. What WebNN was asked for before is submitted by then, and what the
/// application submits next comes behind it.
///
/// # Errors
/// If WebGPU would refuse a command that uses it, or if the device is lost.
pub fn buffer(exported: &GPUBuffer) -> Result<wgpu::Buffer, Unusable> {
    let contents = exported.contents()?;
    let buffer = contents.downcast_ref::<wgpu::Buffer>().cloned();
    buffer.ok_or_else(|| Unusable::Invalid("it is not a buffer of wgpu".to_owned()))
}

/// Looks whether the device was lost, and lets its contexts know. An application calls this from time to time; if it does
/// not, a context finds out when it next uses the device.
pub fn notice_loss(device: &GPUDevice) -> Option<String> {
    let gpu = behind(device)?;
    // wgpu tells of a loss only when it is polled.
    let lost = match gpu.device().or_lost(Error::Refused(String::new())) {
        Error::Lost(why) => Some(why),
        _ => None,
    };
    if let Some(why) = &lost {
        device.lose(why);
    }
    lost
}

/// Gives the device up, as `GPUDevice.destroy()` does.
pub fn destroy(device: &GPUDevice) {
    if let Some(gpu) = behind(device) {
        gpu.device().destroy();
        notice_loss(device);
    }
}

/// What WebNN has moved on the device so far, unless the device is of another kind.
pub fn traffic(device: &GPUDevice) -> Option<&Traffic> {
    Some(behind(device)?.batch().traffic())
}

/// Writes whole words to an exported buffer, as an application does with `GPUQueue.writeBuffer()`.
///
/// # Errors
/// If the buffer can not be used.
pub fn upload(exported: &GPUBuffer, offset: u64, bytes: &[u8]) -> Result<(), Unusable> {
    let buffer = buffer(exported)?;
    let device = of(exported)?;
    device
        .guard("an upload of the application", |_| device.queue().write_buffer(&buffer, offset, bytes))
        .map_err(unusable)
}

/// Reads an exported buffer, as an application does with a copy to a buffer that it maps. Waits for it.
///
/// # Errors
/// If the buffer can not be used.
pub fn download(exported: &GPUBuffer) -> Result<Vec<u8>, Unusable> {
    let source = buffer(exported)?;
    let device = of(exported)?;
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let staging = device.buffer_for("a download of the application", source.size(), usage).map_err(unusable)?;
    let copied = device.guard("a download of the application", |raw| {
        let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&source, 0, &staging, 0, source.size());
        let index = device.queue().submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| {});
        index
    });
    device.wait(copied.map_err(unusable)?, PATIENCE).map_err(unusable)?;
    let view = staging.get_mapped_range(..).map_err(|error| Unusable::Invalid(error.to_string()))?;
    Ok(view[..].to_vec())
}

fn behind(device: &GPUDevice) -> Option<&Gpu> {
    device.backing().downcast_ref()
}

fn of(exported: &GPUBuffer) -> Result<&Arc<Device>, Unusable> {
    let gpu = exported.device().and_then(behind);
    gpu.map(Gpu::device).ok_or_else(|| Unusable::Invalid("it is not a buffer of wgpu".to_owned()))
}

fn unusable(error: Error) -> Unusable {
    match error {
        Error::Lost(_) => Unusable::Lost,
        error => Unusable::Invalid(error.to_string()),
    }
}

/// A usage in wgpu's words.
pub(crate) fn usages(usage: GPUBufferUsage) -> wgpu::BufferUsages {
    let pairs = [
        (GPUBufferUsage::MAP_READ, wgpu::BufferUsages::MAP_READ),
        (GPUBufferUsage::MAP_WRITE, wgpu::BufferUsages::MAP_WRITE),
        (GPUBufferUsage::COPY_SRC, wgpu::BufferUsages::COPY_SRC),
        (GPUBufferUsage::COPY_DST, wgpu::BufferUsages::COPY_DST),
        (GPUBufferUsage::INDEX, wgpu::BufferUsages::INDEX),
        (GPUBufferUsage::VERTEX, wgpu::BufferUsages::VERTEX),
        (GPUBufferUsage::UNIFORM, wgpu::BufferUsages::UNIFORM),
        (GPUBufferUsage::STORAGE, wgpu::BufferUsages::STORAGE),
        (GPUBufferUsage::INDIRECT, wgpu::BufferUsages::INDIRECT),
        (GPUBufferUsage::QUERY_RESOLVE, wgpu::BufferUsages::QUERY_RESOLVE),
    ];
    pairs.into_iter().filter(|(asked, _)| usage.contains(*asked)).map(|(_, usage)| usage).collect()
}
