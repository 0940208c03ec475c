//! What goes wrong on a device, and what a caller sees of it: a device that is lost, memory that is used up, and a call
//! that the device refuses.

mod session;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use session::{Float32, Session, assert_same, f32s, gpu, none, of_bytes};
use webnn_gpu::Gpu;
use webnn_gpu::batch::Batch;
use webnn_gpu::device::{Choice, Device};
use webnn_gpu::error::Error;
use webnn_gpu::pipeline::Bound;
use webnn_gpu::wgsl::{Binding, Form, Input, Kernel, Lane, Params};
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::{Exception, ExceptionName};
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ContextType, ML, MLContextOptions, MLPowerPreference, PlatformProvider};
use webnn_reference::platform::PlatformError;
use webnn_reference::promise::Promise;
use webnn_reference::steps::Reading;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;

fn vector(size: u32) -> MLOperandDescriptor {
    MLOperandDescriptor::create(Float32, &[size])
}

fn readable(size: u32) -> MLTensorDescriptor {
    MLTensorDescriptor { operand: vector(size), readable: true, writable: true }
}

/// A session on a device of its own, with a graph that negates and its tensors.
struct Scene {
    gpu: Gpu,
    session: Session,
    graph: MLGraph,
    input: MLTensor,
    output: MLTensor,
}

impl Scene {
    /// None without an adapter.
    fn new() -> Option<Self> {
        gpu()?;
        let gpu = Gpu::new(None).unwrap();
        let session = Session::on(gpu.clone());
        let builder = session.builder();
        let x = builder.input("x0", &vector(2)).unwrap();
        let y = builder.neg(&x, &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        let (input, output) = (session.tensor(&f32s(&[2], &[1.0, 2.0])), session.empty(Float32, &[2]));
        Some(Self { gpu, session, graph, input, output })
    }

    fn dispatch(&self) -> Result<(), Exception> {
        let named = |name: &str, tensor: &MLTensor| [(name.to_owned(), tensor.clone())];
        self.session.context.dispatch(&self.graph, &named("x0", &self.input), &named("y", &self.output))
    }
}

/// The exception of a promise that is settled, step and all.
fn rejected<T: Clone + std::fmt::Debug>(promise: &Promise<T>) -> (ExceptionName, &'static str, &'static str) {
    let exception = promise.outcome().expect("a settled promise").expect_err("a rejected promise");
    (exception.name, exception.algorithm, exception.step)
}

fn thrown<T: std::fmt::Debug>(result: Result<T, Exception>) -> (ExceptionName, &'static str, &'static str) {
    let exception = result.expect_err("an exception");
    (exception.name, exception.algorithm, exception.step)
}

/// The reason that a context gives for its loss.
fn reason(context: &MLContext) -> String {
    context.lost().unwrap().outcome().expect("the context is lost").unwrap().message
}

/// Every promise that is pending when the device goes is rejected, and every later call fails as that of a context
/// that was destroyed.
fn everything_fails(scene: &Scene, lose: impl FnOnce()) {
    let Scene { session, input, output, .. } = scene;
    let context = &session.context;
    let builder = session.builder();
    let x = builder.input("x0", &vector(2)).unwrap();
    let y = builder.abs(&x, &none()).unwrap();
    let unused = session.builder();
    scene.dispatch().unwrap();
    let recorded = context.read_tensor(output);
    session.global.pump_timelines();
    lose();
    // Issued after the loss, and before anybody has heard of it.
    scene.dispatch().unwrap();
    let late = context.read_tensor(output);
    let into = BufferSource::typed(Float32, vec![0; 8]);
    let late_into = context.read_tensor_into(output, &into);
    let built = builder.build(&[("y".to_owned(), y)]);
    let created = context.create_tensor(&readable(2));
    session.global.run_until_idle();

    let read = "MLContext.readTensor(tensor)";
    assert_eq!(rejected(&recorded), (ExceptionName::UnknownError, read, "8.1.2.2"));
    assert!(late.outcome().unwrap().is_err());
    assert!(late_into.outcome().unwrap().is_err());
    assert!(built.outcome().unwrap().is_err());
    assert!(created.outcome().unwrap().is_err());
    assert!(context.is_lost());
    assert!(reason(context).contains("destroyed"), "{}", reason(context));

    // The loss destroyed the graphs and the tensors.
    let (invalid, type_error) = (ExceptionName::InvalidStateError, ExceptionName::TypeError);
    let dispatch = "MLContext.dispatch(graph, inputs, outputs)";
    assert_eq!(thrown(scene.dispatch()), (invalid, dispatch, "2"));
    assert_eq!(rejected(&context.read_tensor(output)), (type_error, read, "4"));
    let source = BufferSource::typed(Float32, vec![0; 8]);
    let written = context.write_tensor(input, &source);
    assert_eq!(thrown(written), (type_error, "MLContext.writeTensor(tensor, inputData)", "2"));
    let created = context.create_tensor(&readable(2));
    assert_eq!(rejected(&created), (invalid, "MLContext.createTensor(descriptor)", "3"));
    let created = context.create_constant_tensor(&vector(2), &source);
    let constant = "MLContext.createConstantTensor(descriptor, inputData)";
    assert_eq!(rejected(&created), (invalid, constant, "3"));
    assert_eq!(thrown(MLGraphBuilder::new(context)).0, invalid);
    assert_eq!(thrown(unused.input("x0", &vector(2))).0, invalid);
    // Nothing is left that could panic or hang.
    context.destroy();
    session.global.run_until_idle();
}

#[test]
fn a_lost_device_fails_everything_that_follows() {
    let Some(scene) = Scene::new() else { return };
    everything_fails(&scene, || scene.gpu.device().destroy());
}

/// As a driver does it: nobody told us, and wgpu's callback is where we hear of it.
#[test]
fn a_device_that_is_destroyed_behind_our_back_is_lost_too() {
    let Some(scene) = Scene::new() else { return };
    let raw = scene.gpu.device().raw().clone();
    everything_fails(&scene, || raw.destroy());
}

/// Another device, and a context on it, are not concerned.
#[test]
fn a_context_on_another_device_goes_on() {
    let (Some(lost), Some(other)) = (Scene::new(), Scene::new()) else { return };
    lost.gpu.device().destroy();
    other.dispatch().unwrap();
    assert_same(&of_bytes(&other.session.read(&other.output), f32::from_le_bytes), &[-1.0, -2.0]);
    assert!(!other.session.context.is_lost());
}

/// Reads that several threads wait for when the device goes all end.
#[test]
fn nobody_waits_for_ever() {
    let Some(shared) = gpu() else { return };
    let device = Device::open(&Choice::Named(shared.device().info().name.clone())).unwrap();
    let batch = Batch::new(Arc::clone(&device));
    let buffer = device.buffer("tensor", 1 << 20).unwrap();
    let reads = (0..8).map(|_| batch.read(&buffer, 0, 1 << 20)).collect::<Vec<_>>();
    batch.flush().unwrap();
    std::thread::scope(|scope| {
        for read in reads {
            scope.spawn(|| match read.wait() {
                Ok(bytes) => assert_eq!(bytes.len(), 1 << 20),
                Err(error) => assert!(matches!(error, Error::Lost(_)), "{error}"),
            });
        }
        scope.spawn(|| device.destroy());
    });
}

/// A kernel that writes one number, by a text of its own.
fn kernel(name: &str, body: &str) -> Kernel {
    Kernel {
        name: name.to_owned(),
        inputs: vec![Input::new("a", Lane::F32)],
        output: Lane::F32,
        params: Params::new(),
        body: body.to_owned(),
    }
}

const COPY: &str = "fn element(i: u32) -> f32 { return a(i); }";

/// The error of what a flush refuses names the kernel, however many others there are beside it.
#[test]
fn a_submission_that_is_refused_names_the_kernel() {
    let Some(gpu) = gpu() else { return };
    let device = gpu.device();
    let batch = Batch::new(Arc::clone(device));
    let [a, b] = [1.0_f32, 2.0].map(|number| device.buffer_with("number", &number.to_le_bytes()).unwrap());
    let run = |name: &str, from: Bound<'_>, to: Bound<'_>| {
        batch.run(&kernel(name, COPY).module(1, Form::Dynamic, Binding::Separate), &[from, to]).unwrap();
    };
    run("an innocent kernel", (&a).into(), (&b).into());
    // One buffer, read and written.
    run("the guilty kernel", (&a).into(), (&a).into());
    let Err(Error::Refused(why)) = batch.flush() else { panic!("it should be refused") };
    assert!(why.starts_with("the guilty kernel: "), "{why}");
    // The batch goes on.
    let bytes = batch.read(&a, 0, 4).wait().unwrap();
    assert_same(&of_bytes(&bytes, f32::from_le_bytes), &[1.0]);
}

/// What the device refuses is a bug, so it is a panic that says what and where, and never an exception.
#[test]
fn what_the_device_refuses_is_a_panic_with_the_kernel_s_name() {
    let Some(gpu) = gpu() else { return };
    let broken = kernel("a kernel with an error", "fn element(i: u32) -> f32 { return nonsense(i); }");
    let error = gpu.device().pipeline(&broken.module(1, Form::Dynamic, Binding::Separate)).unwrap_err();
    let panic = catch_unwind(|| PlatformError::from(error)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("a kernel with an error") && message.contains("nonsense"), "{message}");
    // The device is as usable as before, and so is a context on it.
    let session = Session::on(gpu);
    let doubled = session.run_f32(&[f32s(&[1], &[2.0])], |builder, x| builder.add(&x[0], &x[0], &none()));
    assert_same(&doubled, &[4.0]);
}

/// Set in the process whose memory is confined.
const CONFINED: &str = "WEBNN_GPU_TEST_CONFINED";

/// A software adapter's memory is the process's own, so this runs itself again with 8 GiB of address space. SwiftShader
/// crashes where there is none.
#[test]
fn memory_that_is_used_up_is_an_exception() {
    let Some(gpu) = gpu() else { return };
    let info = gpu.device().info();
    if info.device_type != wgpu::DeviceType::Cpu || info.name.contains("SwiftShader") {
        return;
    }
    if std::env::var_os(CONFINED).is_some() {
        return fill();
    }
    let test = std::env::current_exe().unwrap();
    let script =
        format!("ulimit -v 8388608 && exec '{}' --exact memory_that_is_used_up_is_an_exception", test.display());
    let run = std::process::Command::new("sh").args(["-c", &script]).env(CONFINED, "1").output().unwrap();
    let told = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && told.contains("1 passed"), "{told}");
}

/// A quarter of a GiB of float32.
const LARGE: u32 = 1 << 26;

fn fill() {
    let scene = Scene::new().unwrap();
    let Scene { session, .. } = &scene;
    let (global, context) = (&session.global, &session.context);
    let create = || global.settle(&context.create_tensor(&readable(LARGE)));
    // A graph whose intermediate tensor needs as much again.
    let builder = session.builder();
    let x = builder.input("x0", &vector(LARGE)).unwrap();
    let y = builder.cumulative_sum(&builder.neg(&x, &none()).unwrap(), 0, &Default::default()).unwrap();
    let graph = session.build(&builder, &[("y", &builder.neg(&y, &none()).unwrap())]);
    let dispatch = |input: &MLTensor, output: &MLTensor| {
        let named = |name: &str, tensor: &MLTensor| [(name.to_owned(), tensor.clone())];
        context.dispatch(&graph, &named("x0", input), &named("y", output)).unwrap();
        global.run_until_idle();
    };
    let (first, mut held) = (create().unwrap(), Vec::new());
    let failure = loop {
        match create() {
            Ok(tensor) => held.push(tensor),
            Err(failure) => break failure,
        }
        assert!(held.len() < 32, "{} tensors of 256 MiB fit into 8 GiB", held.len());
    };
    let created = "MLContext.createTensor(descriptor)";
    assert_eq!((failure.name, failure.algorithm), (ExceptionName::UnknownError, created));
    assert!(failure.message.contains("memory"), "{failure}");
    // A dispatch that there is no memory for fails by itself.
    dispatch(&first, &held[0]);
    let failure = global.settle(&context.read_tensor(&held[0])).unwrap_err();
    assert_eq!((failure.name, failure.algorithm), (ExceptionName::UnknownError, "MLContext.readTensor(tensor)"));
    assert!(failure.message.contains("intermediate tensors"), "{failure}");

    // There is no memory to read a large tensor into, either. What was dispatched in the same breath takes effect.
    scene.dispatch().unwrap();
    let large = context.read_tensor(&first);
    let failure = global.settle(&large).unwrap_err();
    assert_eq!((failure.name, failure.step), (ExceptionName::UnknownError, "8.1.2.2"));
    assert!(failure.message.contains("memory"), "{failure}");
    assert!(!context.is_lost());
    assert_same(&of_bytes(&session.read(&scene.output), f32::from_le_bytes), &[-1.0, -2.0]);

    // Once there is room again, everything works.
    let last = held.pop().unwrap();
    for tensor in held {
        tensor.destroy();
    }
    global.run_until_idle();
    dispatch(&first, &last);
    assert_eq!(session.read(&first).len(), 4 * LARGE as usize);
    assert!(!context.is_lost());
}

/// The provider's own answer for what it has no platform for.
#[test]
fn a_context_on_a_lost_device_fails_at_its_first_use() {
    let Some(scene) = Scene::new() else { return };
    scene.gpu.device().destroy();
    assert!(scene.gpu.platform(&ContextType::Default, MLPowerPreference::Default, true).is_some());
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, std::rc::Rc::new(scene.gpu.clone()));
    let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
    let failure = global.settle(&context.create_tensor(&readable(1))).unwrap_err();
    assert_eq!(failure.name, ExceptionName::UnknownError);
    assert!(failure.message.contains("destroyed"), "{failure}");
    global.run_until_idle();
    assert!(context.is_lost());
    // The scene's own context hears of it at its next use.
    let caught = catch_unwind(AssertUnwindSafe(|| scene.session.global.run_until_idle()));
    assert!(caught.is_ok());
}
