//! The second platform: contexts whose tensors and graphs live on a device.

use std::sync::Arc;
use std::time::Duration;

use webnn_reference::ml::{ContextType, MLPowerPreference, PlatformProvider};
use webnn_reference::platform::Platform;
use webnn_reference::webgpu::GPUDevice;

use crate::batch::{Batch, Work};
use crate::context::Context;
use crate::device::{Choice, Device};
use crate::error::Error;
use crate::interop;
use crate::lower::Economy;

/// What to say where there is no adapter.
pub const NO_ADAPTER: &str =
    "no Vulkan adapter is present; Debian's package mesa-vulkan-drivers provides a software adapter";

/// How long a wait may last before the device counts as lost. A software adapter takes its time.
const PATIENCE: Duration = Duration::from_secs(600);

/// A device that provides contexts. Clones share the device and the batch.
#[derive(Clone, Debug)]
pub struct Gpu {
    batch: Arc<Batch>,
    economy: Economy,
}

/// A line for each adapter, most preferred first.
pub fn adapters() -> Vec<String> {
    crate::device::adapters().iter().map(describe).collect()
}

/// The fact of an adapter that takes subnormal numbers of float32 for 0.
pub const FLUSHES_SUBNORMALS: &str = "flushes float32 subnormals";

impl Gpu {
    /// Opens the adapter whose name contains `name`; or the one that `WEBNN_GPU_ADAPTER` names, or the preferred one.
    ///
    /// # Errors
    /// If there is no such adapter, or it gives no device.
    pub fn new(name: Option<&str>) -> Result<Self, Error> {
        let choice = name.map_or_else(Choice::from_env, |name| Choice::Named(name.to_owned()));
        Ok(Self { batch: Batch::with_patience(Device::open(&choice)?, PATIENCE), economy: Economy::ALL })
    }

    /// The same device for contexts whose graphs are made with this economy, to see what it saves.
    #[must_use]
    pub fn with_economy(self, economy: Economy) -> Self {
        Self { economy, ..self }
    }

    /// The same on a device that lacks these optional features even where the adapter has them.
    ///
    /// # Errors
    /// If there is no such adapter, or it gives no device.
    pub fn without(name: Option<&str>, features: wgpu::Features) -> Result<Self, Error> {
        let choice = name.map_or_else(Choice::from_env, |name| Choice::Named(name.to_owned()));
        Ok(Self {
            batch: Batch::with_patience(Device::open_without(&choice, features)?, PATIENCE),
            economy: Economy::ALL,
        })
    }

    /// Name, driver and kind of the adapter.
    pub fn adapter_description(&self) -> String {
        describe(self.device().info())
    }

    /// What is particular about the adapter's numbers; empty if nothing is.
    pub fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        if self.device().subnormals().is_ok_and(crate::device::Subnormals::flushed) {
            facts.push(FLUSHES_SUBNORMALS.to_owned());
        }
        if !self.device().has_int64() {
            facts.push("no int64".to_owned());
        }
        facts
    }

    /// What the dispatches of all its contexts were submitted as so far.
    pub fn work(&self) -> Work {
        self.batch.work()
    }

    /// The same on a device of the application.
    pub(crate) fn on(device: Arc<Device>) -> Self {
        Self { batch: Batch::with_patience(device, PATIENCE), economy: Economy::ALL }
    }

    pub(crate) fn batch(&self) -> &Batch {
        &self.batch
    }

    pub(crate) fn context(&self) -> Box<dyn Platform> {
        Box::new(Context::new(Arc::clone(&self.batch), self.economy))
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        self.batch.device()
    }
}

fn describe(info: &wgpu::AdapterInfo) -> String {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "of unknown kind",
    };
    let driver = [info.driver.as_str(), info.driver_info.as_str()].into_iter().rfind(|text| !text.is_empty());
    format!("{}, {}, {kind}", info.name, driver.unwrap_or("unknown driver"))
}

impl PlatformProvider for Gpu {
    fn platform(&self, context_type: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        match context_type {
            ContextType::Default => Some(self.context()),
            ContextType::WebGPU(device) => interop::platform(device),
        }
    }

    fn request_device(&self) -> Option<GPUDevice> {
        interop::open_beside(self).ok()
    }
}
