//! The second platform: contexts whose tensors and graphs live on a device.

use std::sync::Arc;

use webnn_reference::builder::Constant;
use webnn_reference::context::{ContextType, MLPowerPreference, PlatformProvider};
use webnn_reference::platform::Platform;

use crate::batch::Batch;
use crate::device::{Choice, Device};
use crate::error::Error;

/// What to say where there is no adapter.
pub const NO_ADAPTER: &str =
    "no Vulkan adapter is present; Debian's package mesa-vulkan-drivers provides a software adapter";

/// A device that provides contexts. Clones share the device and the batch.
#[derive(Clone, Debug)]
pub struct Gpu {
    batch: Arc<Batch>,
}

/// A line for each adapter, most preferred first.
pub fn adapters() -> Vec<String> {
    crate::device::adapters().iter().map(describe).collect()
}

impl Gpu {
    /// Opens the adapter whose name contains `name`, or the preferred one.
    pub fn new(name: Option<&str>) -> Result<Self, Error> {
        let choice = name.map_or_else(Choice::from_env, |name| Choice::Named(name.to_owned()));
        Ok(Self { batch: Batch::new(Device::open(&choice)?) })
    }

    /// Name, driver and kind of the adapter.
    pub fn adapter_description(&self) -> String {
        describe(self.batch.device().info())
    }

    /// What is particular about the adapter's numbers.
    pub fn facts(&self) -> Vec<String> {
        Vec::new()
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
    format!("{}, {}, {kind}", info.name, info.driver_info)
}

impl PlatformProvider for Gpu {
    fn platform(&self, _: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        let _ = Constant::Hollow;
        None
    }
}
