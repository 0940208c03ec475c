//! Listing adapters, choosing one, and asking it for a device.

use crate::error::{Error, Result};

/// Which adapter to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Hardware before software, discrete before integrated.
    #[default]
    Preferred,
    /// The most preferred of those whose name or driver contains this text, in any case.
    Named(String),
}

impl Choice {
    /// What the environment variable `WEBNN_GPU_ADAPTER` names, or the preferred one.
    pub fn from_env() -> Self {
        match std::env::var("WEBNN_GPU_ADAPTER") {
            Ok(name) if !name.is_empty() => Self::Named(name),
            _ => Self::Preferred,
        }
    }

    fn admits(&self, info: &wgpu::AdapterInfo) -> bool {
        match self {
            Self::Preferred => true,
            Self::Named(part) => {
                let part = part.to_lowercase();
                [&info.name, &info.driver, &info.driver_info].iter().any(|text| text.to_lowercase().contains(&part))
            }
        }
    }
}

/// The facts of every adapter present, most preferred first.
pub fn adapters() -> Vec<wgpu::AdapterInfo> {
    present().iter().map(wgpu::Adapter::get_info).collect()
}

pub(super) fn choose(choice: &Choice) -> Result<wgpu::Adapter> {
    let present = present();
    let found = present.iter().map(|adapter| adapter.get_info().name).collect();
    let chosen = present.into_iter().find(|adapter| choice.admits(&adapter.get_info()));
    chosen.ok_or(Error::NoAdapter {
        wanted: match choice {
            Choice::Preferred => None,
            Choice::Named(name) => Some(name.clone()),
        },
        found,
    })
}

/// The optional features that are not to be used: those that the environment variable `WEBNN_GPU_WITHOUT` lists, of
/// which there is `int64`. So an adapter can stand in for one that has less.
pub(super) fn withheld() -> Result<wgpu::Features> {
    let listed = std::env::var("WEBNN_GPU_WITHOUT").unwrap_or_default();
    let mut features = wgpu::Features::empty();
    for name in listed.split(',').filter(|name| !name.is_empty()) {
        match name {
            "int64" => features |= wgpu::Features::SHADER_INT64,
            _ => return Err(Error::NoDevice(format!("WEBNN_GPU_WITHOUT lists {name:?}; it can list int64"))),
        }
    }
    Ok(features)
}

pub(super) fn request(adapter: &wgpu::Adapter, without: wgpu::Features) -> Result<(wgpu::Device, wgpu::Queue)> {
    // Wanted where present, missed by nothing but the data types that need them.
    let wanted = wgpu::Features::SHADER_INT64 | wgpu::Features::TIMESTAMP_QUERY;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("webnn"),
        required_features: adapter.features() & (wanted - without),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| Error::NoDevice(error.to_string()))
}

fn present() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        // No validation layers: wgpu validates, and a driver's own layer is a debugging tool.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    found.sort_by_key(|adapter| rank(adapter.get_info().device_type));
    found
}

fn rank(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}
