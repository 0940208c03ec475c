//! Graphs between the kernels of an application, on a device that the application opened: every sequence of three calls,
//! what is submitted in which order, what is moved, and what an application can do wrong.

#[path = "../../reference/tests/renting/mod.rs"]
mod renting;
mod session;

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use renting::{Application as _, CALLS, Pace, every_sequence};
use session::{Float32, gpu, none};
use webnn_gpu::Gpu;
use webnn_gpu::interop::{self, Application};
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::ExceptionName;
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, PlatformProvider};
use webnn_reference::steps::Reading;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_reference::webgpu::{GPUBuffer, GPUDevice, Unusable};

/// An application on wgpu.
struct OnGpu(Gpu);

impl renting::Application for OnGpu {
    fn provider(&self) -> Rc<dyn PlatformProvider> {
        Rc::new(Application)
    }

    fn open(&self) -> GPUDevice {
        interop::open_beside(&self.0).unwrap()
    }

    fn lose(&self, device: &GPUDevice) {
        interop::destroy(device);
    }

    fn read(&self, buffer: &GPUBuffer) -> Result<f32, Unusable> {
        Ok(f32::from_le_bytes(interop::download(buffer)?.try_into().expect("one number")))
    }

    fn write(&self, buffer: &GPUBuffer, number: f32) -> Result<(), Unusable> {
        interop::upload(buffer, 0, &number.to_le_bytes())
    }
}

#[test]
fn three_calls_give_what_the_prose_says() {
    let Some(gpu) = gpu() else { return };
    assert_eq!(every_sequence(&OnGpu(gpu), &CALLS, 3, Pace::EachCall), 729);
}

/// A device of the application with a context, and a graph y = -x of vectors.
struct Scene {
    global: Global,
    device: GPUDevice,
    context: MLContext,
    graph: MLGraph,
    size: u32,
}

impl Scene {
    /// None without an adapter.
    fn new(size: u32) -> Option<Self> {
        Some(Self::on(OnGpu(gpu()?).open(), size))
    }

    fn on(device: GPUDevice, size: u32) -> Self {
        let global = Global::new(Reading::Corrected);
        let ml = ML::new(&global, Rc::new(Application));
        let context = global.settle(&ml.create_context_for_device(device.clone())).unwrap();
        let builder = MLGraphBuilder::new(&context).unwrap();
        let x = builder.input("x", &vector(size)).unwrap();
        let y = builder.neg(&x, &none()).unwrap();
        let graph = global.settle(&builder.build(&[("y".to_owned(), y)])).unwrap();
        Self { global, device, context, graph, size }
    }

    fn tensor(&self) -> MLTensor {
        let descriptor = MLTensorDescriptor { operand: vector(self.size), readable: true, writable: true };
        let tensor = self.context.create_exportable_tensor(&descriptor, &self.device, Default::default());
        self.global.settle(&tensor).unwrap()
    }

    fn write(&self, tensor: &MLTensor, numbers: &[f32]) {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.context.write_tensor(tensor, &BufferSource::typed(Float32, bytes)).unwrap();
    }

    fn negate(&self, from: &MLTensor, to: &MLTensor) {
        let named = |name: &str, tensor: &MLTensor| [(name.to_owned(), tensor.clone())];
        self.context.dispatch(&self.graph, &named("x", from), &named("y", to)).unwrap();
    }

    fn read(&self, tensor: &MLTensor) -> Vec<f32> {
        session::of_bytes(&self.global.settle(&self.context.read_tensor(tensor)).unwrap().to_vec(), f32::from_le_bytes)
    }

    /// An operator of the application, which doubles the numbers of a buffer where they are. Submits, and waits for nothing.
    fn double(&self, buffer: &wgpu::Buffer) {
        let (raw, queue) = interop::raw(&self.device).unwrap();
        let text = "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
            @compute @workgroup_size(64) fn double(@builtin(global_invocation_id) id: vec3<u32>) {
                if (id.x < arrayLength(&numbers)) { numbers[id.x] = 2.0 * numbers[id.x]; }
            }";
        let module = raw.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        let group = raw.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        let mut encoder = raw.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(self.size.div_ceil(64), 1, 1);
        drop(pass);
        queue.submit([encoder.finish()]);
    }
}

fn vector(size: u32) -> MLOperandDescriptor {
    MLOperandDescriptor::create(Float32, &[size])
}

#[test]
fn an_operator_of_the_application_between_two_graphs_moves_nothing_and_waits_for_nothing() {
    let Some(scene) = Scene::new(1000) else { return };
    let (x, y, z) = (scene.tensor(), scene.tensor(), scene.tensor());
    let numbers: Vec<f32> = (0..1000u16).map(f32::from).collect();
    scene.write(&x, &numbers);
    scene.global.run_until_idle();
    let traffic = interop::traffic(&scene.device).unwrap();
    let moved = || (traffic.uploaded(), traffic.read(), traffic.copied(), traffic.waits());
    let before = moved();
    let submissions = traffic.submissions();
    for _ in 0..3 {
        scene.negate(&x, &y);
        let buffer = scene.context.export_to_gpu(&y).unwrap();
        scene.double(&interop::buffer(&buffer).unwrap());
        buffer.destroy();
        scene.negate(&y, &z);
    }
    scene.global.run_until_idle();
    assert_eq!(moved(), before);
    // One for each export, which is asked for the work that comes before it.
    assert_eq!(traffic.submissions() - submissions, 3);
    let doubled: Vec<f32> = numbers.iter().map(|number| 2.0 * number).collect();
    assert_eq!(scene.read(&z), doubled);
    assert!(traffic.read() > 0 && traffic.waits() > 0, "what is read is counted");
}

#[test]
fn an_export_submits_only_what_uses_the_tensor() {
    let Some(scene) = Scene::new(4) else { return };
    let (x, y, other) = (scene.tensor(), scene.tensor(), scene.tensor());
    scene.negate(&x, &y);
    scene.global.run_until_idle();
    let traffic = interop::traffic(&scene.device).unwrap();
    let before = traffic.submissions();
    let buffer = scene.context.export_to_gpu(&other).unwrap();
    interop::buffer(&buffer).unwrap();
    assert_eq!(traffic.submissions(), before);
    let buffer = scene.context.export_to_gpu(&x).unwrap();
    interop::buffer(&buffer).unwrap();
    assert_eq!(traffic.submissions(), before + 1);
}

#[test]
fn contexts_of_one_device_see_what_the_application_does_in_order() {
    let Some(first) = Scene::new(3) else { return };
    let second = Scene::on(first.device.clone(), 3);
    let (x, y, z) = (first.tensor(), first.tensor(), second.tensor());
    first.write(&x, &[1.0, 2.0, 3.0]);
    first.negate(&x, &y);
    let (from, to) = (first.context.export_to_gpu(&y).unwrap(), second.context.export_to_gpu(&z).unwrap());
    let (source, target) = (interop::buffer(&from).unwrap(), interop::buffer(&to).unwrap());
    let (raw, queue) = interop::raw(&first.device).unwrap();
    let mut encoder = raw.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(&source, 0, &target, 0, 12);
    queue.submit([encoder.finish()]);
    to.destroy();
    let w = second.tensor();
    second.negate(&z, &w);
    assert_eq!(second.read(&w), [1.0, 2.0, 3.0]);
    // Losing one context destroys its tensors and no others.
    first.context.destroy();
    first.global.run_until_idle();
    assert_eq!(interop::buffer(&from).unwrap_err(), Unusable::Destroyed);
    assert_eq!(second.read(&w), [1.0, 2.0, 3.0]);
}

#[test]
fn every_data_type_is_packed_to_whole_words() {
    let Some(scene) = Scene::new(1) else { return };
    for data_type in scene.context.limits().data_types.clone() {
        let operand = MLOperandDescriptor::create(data_type, &[3]);
        let bytes: Vec<u8> = (1..).take(usize::try_from(operand.byte_length()).unwrap()).collect();
        let descriptor = MLTensorDescriptor { operand, readable: true, writable: true };
        let tensor = scene.context.create_exportable_tensor(&descriptor, &scene.device, Default::default());
        let tensor = scene.global.settle(&tensor).unwrap();
        scene.context.write_tensor(&tensor, &BufferSource::typed(data_type, bytes.clone())).unwrap();
        let buffer = scene.context.export_to_gpu(&tensor).unwrap();
        let found = interop::download(&buffer).unwrap();
        assert_eq!((found.len() as u64, &found[..bytes.len()]), (buffer.size(), &bytes[..]), "{data_type}");
        assert_eq!(interop::buffer(&buffer).unwrap().size(), buffer.size(), "{data_type}");
    }
}

/// What wgpu says of a copy from a buffer.
fn refusal(device: &GPUDevice, buffer: &wgpu::Buffer) -> Option<wgpu::Error> {
    let (raw, queue) = interop::raw(device).unwrap();
    let scope = raw.push_error_scope(wgpu::ErrorFilter::Validation);
    let target = raw.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = raw.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &target, 0, buffer.size());
    queue.submit([encoder.finish()]);
    pollster::block_on(scope.pop())
}

#[test]
fn destroying_a_rented_tensor_takes_its_memory_from_the_application() {
    let Some(scene) = Scene::new(4) else { return };
    let tensor = scene.tensor();
    let buffer = scene.context.export_to_gpu(&tensor).unwrap();
    let kept = interop::buffer(&buffer).unwrap();
    assert!(refusal(&scene.device, &kept).is_none());
    tensor.destroy();
    scene.global.run_until_idle();
    assert!(refusal(&scene.device, &kept).is_some());
}

#[test]
fn what_script_forgets_is_not_taken_from_the_application() {
    let Some(scene) = Scene::new(4) else { return };
    let tensor = scene.tensor();
    let kept = interop::buffer(&scene.context.export_to_gpu(&tensor).unwrap()).unwrap();
    drop(tensor);
    scene.global.run_until_idle();
    assert!(refusal(&scene.device, &kept).is_none());
}

#[test]
fn a_buffer_that_the_application_destroys_behind_its_back_costs_the_context() {
    let Some(scene) = Scene::new(4) else { return };
    let (x, y) = (scene.tensor(), scene.tensor());
    let buffer = scene.context.export_to_gpu(&x).unwrap();
    interop::buffer(&buffer).unwrap().destroy();
    buffer.destroy();
    scene.negate(&x, &y);
    let read = scene.context.read_tensor(&y);
    scene.global.run_until_idle();
    assert!(read.outcome().unwrap().is_err());
    assert!(scene.context.is_lost());
    let message = scene.context.lost().unwrap().outcome().unwrap().unwrap().message;
    assert!(message.contains("refused"), "{message}");
    // The device is as good as it was.
    let scene = Scene::on(scene.device.clone(), 4);
    let (x, y) = (scene.tensor(), scene.tensor());
    scene.write(&x, &[1.0; 4]);
    scene.negate(&x, &y);
    assert_eq!(scene.read(&y), [-1.0; 4]);
}

#[test]
fn errors_of_the_application_stay_with_it() {
    let Some(scene) = Scene::new(2) else { return };
    let (raw, _) = interop::raw(&scene.device).unwrap();
    let heard = Arc::new(Mutex::new(0));
    let hears = Arc::clone(&heard);
    raw.on_uncaptured_error(Arc::new(move |_| *hears.lock().unwrap() += 1));
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::STORAGE;
    drop(raw.create_buffer(&wgpu::BufferDescriptor { label: None, size: 4, usage, mapped_at_creation: false }));
    assert_eq!(*heard.lock().unwrap(), 1);
    let (x, y) = (scene.tensor(), scene.tensor());
    scene.write(&x, &[1.0, 2.0]);
    scene.negate(&x, &y);
    assert_eq!(scene.read(&y), [-1.0, -2.0]);
}

#[test]
fn a_device_that_is_lost_takes_its_contexts_along() {
    let Some(first) = Scene::new(2) else { return };
    let (second, third) = (Scene::on(first.device.clone(), 2), Scene::new(2).unwrap());
    let tensor = first.tensor();
    let buffer = first.context.export_to_gpu(&tensor).unwrap();
    assert_eq!(interop::notice_loss(&first.device), None);
    // The application gives it up with wgpu's own call.
    interop::raw(&first.device).unwrap().0.destroy();
    assert_eq!(interop::notice_loss(&first.device), Some("it was destroyed".to_owned()));
    for scene in [&first, &second, &third] {
        scene.global.run_until_idle();
    }
    assert_eq!([&first, &second, &third].map(|scene| scene.context.is_lost()), [true, true, false]);
    assert_eq!(interop::buffer(&buffer).unwrap_err(), Unusable::Lost);
    buffer.destroy();
    let ml = ML::new(&first.global, Rc::new(Application));
    let again = first.global.settle(&ml.create_context_for_device(first.device.clone()));
    assert_eq!(again.unwrap_err().name, ExceptionName::NotSupportedError);
}

#[test]
fn a_loss_that_nobody_noticed_is_found_by_the_next_call() {
    let Some(scene) = Scene::new(2) else { return };
    let tensor = scene.tensor();
    interop::raw(&scene.device).unwrap().0.destroy();
    let read = scene.context.read_tensor(&tensor);
    scene.global.run_until_idle();
    assert!(read.outcome().unwrap().is_err());
    assert!(scene.context.is_lost());
}

#[test]
fn a_tensor_beyond_what_the_device_has_is_refused_and_the_context_goes_on() {
    let Some(scene) = Scene::new(2) else { return };
    let (raw, _) = interop::raw(&scene.device).unwrap();
    let most = u32::try_from(raw.limits().max_buffer_size.min((1 << 31) - 4) & !3).unwrap();
    let operand = MLOperandDescriptor::create(MLOperandDataType::Uint8, &[most]);
    let descriptor = MLTensorDescriptor { operand, readable: false, writable: false };
    let mut held = Vec::new();
    let refused = loop {
        let tensor = scene.context.create_exportable_tensor(&descriptor, &scene.device, Default::default());
        match scene.global.settle(&tensor) {
            Ok(tensor) => held.push(tensor),
            Err(refused) => break Some(refused),
        }
        // Where memory is not reserved until it is used, there is no end.
        if held.len() == 8 {
            break None;
        }
    };
    if let Some(refused) = refused {
        assert_eq!((refused.name, refused.step), (ExceptionName::UnknownError, "11.1.2"));
    }
    drop(held);
    let (x, y) = (scene.tensor(), scene.tensor());
    scene.negate(&x, &y);
    assert_eq!(scene.read(&y), [0.0, 0.0]);
}
