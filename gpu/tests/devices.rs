//! Choosing a device, and every way in which one fails: as a value, never as a panic.

mod adapter;

use std::sync::Arc;
use std::time::Duration;

use adapter::{device, kernel, run};
use webnn_gpu::batch::Batch;
use webnn_gpu::device::{Choice, Device, adapters};
use webnn_gpu::error::Error;
use webnn_gpu::wgsl::{Binding, Form, Lane};

#[test]
fn no_adapter_names_the_package_to_install() {
    let error = Error::NoAdapter { wanted: None, found: Vec::new() };
    assert!(error.to_string().contains("mesa-vulkan-drivers"), "{error}");
}

#[test]
fn an_unknown_name_lists_what_is_present() {
    let names = adapters().into_iter().map(|info| info.name).collect::<Vec<_>>();
    let error = Device::open(&Choice::Named("no such adapter".to_owned())).unwrap_err();
    let Error::NoAdapter { wanted: Some(wanted), found } = &error else { panic!("{error}") };
    assert_eq!(wanted, "no such adapter");
    assert_eq!(found, &names);
    assert!(names.iter().all(|name| error.to_string().contains(name)), "{error}");
}

#[test]
fn a_name_is_matched_by_part_and_in_any_case() {
    let Some(device) = device() else { return };
    let name = device.info().name.to_uppercase();
    let part = name.split_whitespace().next().unwrap();
    let other = Device::open(&Choice::Named(part.to_owned())).unwrap();
    assert!(other.info().name.to_uppercase().contains(part));
}

#[test]
fn the_shared_device_is_one() {
    let Some(device) = device() else { return };
    assert!(Arc::ptr_eq(&device, &Device::shared().unwrap()));
}

#[test]
fn all_of_the_adapter_s_limits_are_requested() {
    let Some(device) = device() else { return };
    let defaults = wgpu::Limits::default();
    let limits = device.limits();
    assert!(limits.max_buffer_size >= defaults.max_buffer_size);
    assert!(limits.max_storage_buffers_per_shader_stage > defaults.max_storage_buffers_per_shader_stage);
}

#[test]
fn a_buffer_beyond_the_limit_is_too_large() {
    let Some(device) = device() else { return };
    let limit = device.limits().max_buffer_size;
    let error = device.buffer("huge", limit + 1).unwrap_err();
    assert_eq!(error, Error::TooLarge { bytes: limit + 1, limit });
    device.buffer("small", 4).unwrap();
}

/// A software adapter's memory is the process's own, so this runs itself again with 8 GiB of address space. SwiftShader
/// does not give freed memory back, and crashes where there is none.
#[test]
fn out_of_memory_fails_one_call_only() {
    let Some(device) = device() else { return };
    if device.info().device_type != wgpu::DeviceType::Cpu || device.info().name.contains("SwiftShader") {
        return;
    }
    if std::env::var_os(CONFINED).is_some() {
        return fill(&device);
    }
    let test = std::env::current_exe().unwrap();
    let script = format!("ulimit -v 8388608 && exec '{}' --exact out_of_memory_fails_one_call_only", test.display());
    let run = std::process::Command::new("sh").args(["-c", &script]).env(CONFINED, "1").output().unwrap();
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && told.contains("1 passed"), "{told}");
}

/// Set in the process whose memory is confined.
const CONFINED: &str = "WEBNN_GPU_TEST_CONFINED";

fn fill(device: &Device) {
    let large = device.limits().max_buffer_size & !3;
    let mut held = Vec::new();
    let error = loop {
        match device.buffer("large", large) {
            Ok(buffer) => held.push(buffer),
            Err(error) => break error,
        }
        assert!(held.len() < 8, "{} buffers of {large} bytes fit into 8 GiB", held.len());
    };
    assert_eq!(error, Error::OutOfMemory("large".to_owned()));
    assert_eq!(device.lost(), None);
    device.buffer("small", 1 << 16).unwrap();
    drop(held);
    device.buffer("large", large).unwrap();
}

#[test]
fn a_device_that_the_application_opened_is_adopted() {
    let Some(ours) = device() else { return };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let present = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let adapter = present.into_iter().find(|adapter| adapter.get_info().name == ours.info().name).unwrap();
    let request = adapter.request_device(&wgpu::DeviceDescriptor::default());
    let (raw, queue) = pollster::block_on(request).unwrap();
    let device = Device::adopt(raw, queue, adapter.get_info());
    assert!(!device.has_int64(), "it has what the application asked for and no more");
    assert_eq!(adapter::words::<u32>(&run(&device, &kernel(&[], Lane::U32, "i"), &[], 3)), [0, 1, 2]);
}

#[test]
fn a_destroyed_device_says_so_and_nothing_panics() {
    if device().is_none() {
        return;
    }
    let device = Device::open(&Choice::from_env()).unwrap();
    let batch = Batch::new(Arc::clone(&device));
    let buffer = device.buffer("tensor", 16).unwrap();
    let early = batch.read(&buffer, 0, 16);
    batch.flush().unwrap();
    let late = batch.read(&buffer, 0, 16);
    device.destroy();
    let lost = Error::Lost("it was destroyed".to_owned());
    assert_eq!(device.lost(), Some("it was destroyed".to_owned()));
    assert_eq!(device.buffer("another", 16).unwrap_err(), lost);
    assert_eq!(batch.upload(&buffer, 0, &[0; 16]).unwrap_err(), lost);
    assert_eq!(late.wait().unwrap_err(), lost);
    assert_eq!(batch.flush(), Ok(()), "nothing is left to submit");
    assert_eq!(batch.finish().unwrap_err(), lost);
    assert!(early.wait().is_err());
    // Another device is not concerned.
    assert!(!run(&Device::shared().unwrap(), &kernel(&[], Lane::U32, "i"), &[], 4).is_empty());
}

#[test]
fn a_text_that_does_not_compile_is_an_error_with_its_name() {
    let Some(device) = device() else { return };
    let module = kernel(&[], Lane::F32, "nonsense(i)").module(1, Form::Baked, Binding::Separate);
    let error = device.pipeline(&module).unwrap_err();
    let Error::Refused(why) = &error else { panic!("{error}") };
    assert!(why.starts_with("nonsense(i): "), "{why}");
    assert!(why.contains("nonsense"), "{why}");
    // The device is as usable as before.
    run(&device, &kernel(&[], Lane::F32, "1.0"), &[], 1);
}

#[test]
fn equal_texts_are_one_pipeline() {
    let Some(device) = device() else { return };
    let kernel = kernel(&[Lane::F32], Lane::F32, "a(i) + 41.0");
    let small = device.pipeline(&kernel.module(4, Form::Dynamic, Binding::Separate)).unwrap();
    let large = device.pipeline(&kernel.module(4000, Form::Dynamic, Binding::Separate)).unwrap();
    assert!(Arc::ptr_eq(&small, &large));
    let baked = device.pipeline(&kernel.module(4, Form::Baked, Binding::Separate)).unwrap();
    assert!(!Arc::ptr_eq(&small, &baked));
}

#[test]
fn waiting_ends_with_an_error() {
    let Some(device) = device() else { return };
    let batch = Batch::with_patience(Arc::clone(&device), Duration::from_nanos(1));
    let count = 1 << 20;
    let output = device.buffer("output", 4 * u64::from(count)).unwrap();
    let slow = kernel(&[], Lane::F32, "f32_pow(f32(i) + 2.0, f32_sin(f32(i)))");
    batch.run(&slow.module(count, Form::Dynamic, Binding::Separate), &[(&output).into()]).unwrap();
    let error = batch.read(&output, 0, 4).wait().unwrap_err();
    assert_eq!(error, Error::TimedOut(Duration::from_nanos(1)));
    // It was slow, not lost.
    assert_eq!(device.lost(), None);
    Batch::new(device).finish().unwrap();
}
