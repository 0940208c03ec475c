//! What the specification's algorithms make of a platform that fails, and of objects that script forgets.
//!
//! No vector can ask a platform to fail, so a platform that fails on demand stands in for one.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use webnn_reference::buffer::{BufferSource, Bytes};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::cpu::{Cpu, Interpreter};
use webnn_reference::data_type::MLOperandDataType::Float32;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::{Exception, ExceptionName, Result};
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ContextType, ML, MLContextOptions, MLPowerPreference, PlatformProvider};
use webnn_reference::operand::{MLOperand, OperandId};
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::platform::{
    Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, Residence, TensorData,
};
use webnn_reference::promise::Promise;
use webnn_reference::proposals::graph_cache::{Entry, RestoreError, Restored};
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::steps::Reading;
use webnn_reference::supply::Part;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_reference::virtual_device::{VirtualBuffer, VirtualDevice};
use webnn_reference::webgpu::{GPUBufferUsage, GPUDevice, Unusable};

/// A call of a platform that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    CreateTensor,
    WriteTensor,
    ReadTensor,
    WaitForBytes,
    Convert,
    SetConstant,
    Dispatch,
    Export,
    Return,
    Copy,
    SaveGraph,
    RestoreGraph,
}

/// How the platform behaves, and what it still holds.
#[derive(Debug, Default)]
struct Behaviour {
    failing: Cell<Option<(Call, bool)>>,
    tensors: RefCell<BTreeSet<TensorData>>,
    graphs: RefCell<BTreeSet<GraphImplementation>>,
}

impl Behaviour {
    fn fail(&self, call: Call) {
        self.failing.set(Some((call, false)));
    }

    fn lose_the_device_at(&self, call: Call) {
        self.failing.set(Some((call, true)));
    }

    fn check(&self, call: Call) -> std::result::Result<(), PlatformError> {
        match self.failing.get() {
            Some((failing, false)) if failing == call => Err(PlatformError::OutOfMemory("on demand".into())),
            Some((failing, true)) if failing == call => Err(PlatformError::Lost("on demand".into())),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Default)]
struct Failing(Rc<Behaviour>);

impl PlatformProvider for Failing {
    fn platform(&self, _: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        Some(Box::new(FailingPlatform { behaviour: Rc::clone(&self.0), interpreter: Interpreter::default() }))
    }
}

struct FailingPlatform {
    behaviour: Rc<Behaviour>,
    interpreter: Interpreter,
}

/// Bytes whose waiting may fail.
struct Waited(Rc<Behaviour>, Box<dyn PendingBytes>);

impl PendingBytes for Waited {
    fn wait(self: Box<Self>) -> std::result::Result<Vec<u8>, PlatformError> {
        self.0.check(Call::WaitForBytes)?;
        self.1.wait()
    }
}

type Done<T = ()> = std::result::Result<T, PlatformError>;

impl Platform for FailingPlatform {
    fn limits(&self) -> PlatformLimits {
        self.interpreter.limits()
    }

    fn create_tensor(&mut self, descriptor: &MLOperandDescriptor) -> Done<TensorData> {
        self.behaviour.check(Call::CreateTensor)?;
        let tensor = self.interpreter.create_tensor(descriptor)?;
        self.behaviour.tensors.borrow_mut().insert(tensor);
        Ok(tensor)
    }

    fn write_tensor(&mut self, tensor: TensorData, bytes: Bytes) -> Done {
        self.behaviour.check(Call::WriteTensor)?;
        self.interpreter.write_tensor(tensor, bytes)
    }

    fn read_tensor(&mut self, tensor: TensorData) -> Done<Box<dyn PendingBytes>> {
        self.behaviour.check(Call::ReadTensor)?;
        Ok(Box::new(Waited(Rc::clone(&self.behaviour), self.interpreter.read_tensor(tensor)?)))
    }

    fn release_tensor(&mut self, tensor: TensorData) {
        self.behaviour.tensors.borrow_mut().remove(&tensor);
        self.interpreter.release_tensor(tensor);
    }

    fn convert(&mut self, computation: Computation) -> Done<GraphImplementation> {
        self.behaviour.check(Call::Convert)?;
        let graph = self.interpreter.convert(computation)?;
        self.behaviour.graphs.borrow_mut().insert(graph);
        Ok(graph)
    }

    fn set_constant(&mut self, graph: GraphImplementation, constant: OperandId, part: Part, to: Residence) -> Done {
        self.behaviour.check(Call::SetConstant)?;
        self.interpreter.set_constant(graph, constant, part, to)
    }

    fn dispatch(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
    ) -> Done {
        self.behaviour.check(Call::Dispatch)?;
        self.interpreter.dispatch(graph, inputs, outputs)
    }

    fn release_graph(&mut self, graph: GraphImplementation) {
        self.behaviour.graphs.borrow_mut().remove(&graph);
        self.interpreter.release_graph(graph);
    }

    fn create_exportable_tensor(&mut self, descriptor: &MLOperandDescriptor, _: GPUBufferUsage) -> Done<TensorData> {
        self.create_tensor(descriptor)
    }

    fn export_tensor(&mut self, tensor: TensorData) -> Done<Rc<dyn Any>> {
        self.behaviour.check(Call::Export)?;
        self.interpreter.export_tensor(tensor)
    }

    fn return_tensor(&mut self, tensor: TensorData) -> Done {
        self.behaviour.check(Call::Return)?;
        self.interpreter.return_tensor(tensor)
    }

    fn copy_tensor(&mut self, from: TensorData, to: TensorData) -> Done {
        self.behaviour.check(Call::Copy)?;
        self.interpreter.copy_tensor(from, to)
    }

    fn save_graph(&mut self, graph: GraphImplementation, constants: &[(String, OperandId)]) -> Done<Entry> {
        self.behaviour.check(Call::SaveGraph)?;
        self.interpreter.save_graph(graph, constants)
    }

    fn restore_graph(&mut self, entry: &Entry) -> std::result::Result<Restored, RestoreError> {
        self.behaviour.check(Call::RestoreGraph)?;
        let restored = self.interpreter.restore_graph(entry)?;
        self.behaviour.graphs.borrow_mut().insert(restored.implementation);
        Ok(restored)
    }
}

/// A context on a platform that fails on demand.
struct Scene {
    global: Global,
    behaviour: Rc<Behaviour>,
    context: MLContext,
}

impl Scene {
    fn new() -> Self {
        Self::with(|ml| ml.create_context(MLContextOptions::default()))
    }

    /// With a context that is created from a device.
    fn on(device: &GPUDevice) -> Self {
        Self::with(|ml| ml.create_context_for_device(device.clone()))
    }

    fn with(create: impl FnOnce(&ML) -> Promise<MLContext>) -> Self {
        let global = Global::new(Reading::Corrected);
        let provider = Failing::default();
        let behaviour = Rc::clone(&provider.0);
        let ml = ML::new(&global, Rc::new(provider));
        let context = global.settle(&create(&ml)).unwrap();
        Self { global, behaviour, context }
    }

    fn exportable(&self, device: &GPUDevice) -> Result<MLTensor> {
        let descriptor = MLTensorDescriptor { operand: scalar(), readable: true, writable: true };
        self.global.settle(&self.context.create_exportable_tensor(&descriptor, device, Default::default()))
    }

    fn tensor(&self) -> Result<MLTensor> {
        let descriptor = MLTensorDescriptor { operand: scalar(), readable: true, writable: true };
        self.global.settle(&self.context.create_tensor(&descriptor))
    }

    /// y = x + w, in which w is hollow.
    fn hollow_sum(&self) -> (MLGraph, MLOperand) {
        let builder = MLGraphBuilder::new(&self.context).unwrap();
        let x = builder.input("x", &scalar()).unwrap();
        let w = builder.hollow_constant(&scalar()).unwrap();
        let y = builder.add(&x, &w, &MLOperatorOptions::default()).unwrap();
        (self.global.settle(&builder.build(&[("y".into(), y)])).unwrap(), w)
    }

    fn is_lost(&self) -> bool {
        self.global.run_until_idle();
        self.context.is_lost()
    }
}

fn scalar() -> MLOperandDescriptor {
    MLOperandDescriptor { data_type: Float32, shape: vec![] }
}

fn number(number: f32) -> BufferSource {
    BufferSource::typed(Float32, number.to_le_bytes().to_vec())
}

fn place(exception: &Exception) -> (ExceptionName, &str, &str) {
    (exception.name, exception.algorithm, exception.step)
}

#[test]
fn a_tensor_that_can_not_be_created() {
    let scene = Scene::new();
    scene.behaviour.fail(Call::CreateTensor);
    let exception = scene.tensor().unwrap_err();
    let expected = (ExceptionName::UnknownError, "MLContext.createTensor(descriptor)", "6.1.2");
    assert_eq!(place(&exception), expected);
    assert!(!scene.is_lost(), "out of memory leaves the context usable");
    scene.behaviour.failing.set(None);
    scene.tensor().unwrap();
}

#[test]
fn a_constant_tensor_that_can_not_be_created_or_written() {
    for (call, step) in [(Call::CreateTensor, "10.1.2"), (Call::WriteTensor, "10.1.4")] {
        let scene = Scene::new();
        scene.behaviour.fail(call);
        let promise = scene.context.create_constant_tensor(&scalar(), &number(1.0));
        let exception = scene.global.settle(&promise).unwrap_err();
        let algorithm = "MLContext.createConstantTensor(descriptor, inputData)";
        assert_eq!(place(&exception), (ExceptionName::UnknownError, algorithm, step));
        assert!(scene.behaviour.tensors.borrow().is_empty(), "what was created is released");
    }
}

#[test]
fn a_tensor_that_can_not_be_read() {
    for call in [Call::ReadTensor, Call::WaitForBytes] {
        let scene = Scene::new();
        let tensor = scene.tensor().unwrap();
        scene.behaviour.fail(call);
        let exception = scene.global.settle(&scene.context.read_tensor(&tensor)).unwrap_err();
        assert_eq!(place(&exception), (ExceptionName::UnknownError, "MLContext.readTensor(tensor)", "8.1.2.2"));
        let into = scene.global.settle(&scene.context.read_tensor_into(&tensor, &number(0.0))).unwrap_err();
        let algorithm = "MLContext.readTensor(tensor, outputData)";
        assert_eq!(place(&into), (ExceptionName::UnknownError, algorithm, "9.1.2.2"));
        assert!(!scene.is_lost());
    }
}

#[test]
fn a_graph_that_can_not_be_converted() {
    let scene = Scene::new();
    let builder = MLGraphBuilder::new(&scene.context).unwrap();
    let x = builder.input("x", &scalar()).unwrap();
    let y = builder.relu(&x, &MLOperatorOptions::default()).unwrap();
    scene.behaviour.fail(Call::Convert);
    let exception = scene.global.settle(&builder.build(&[("y".into(), y)])).unwrap_err();
    assert_eq!(place(&exception), (ExceptionName::OperationError, "MLGraphBuilder.build(outputs)", "18.1.2"));
    assert!(!scene.is_lost());
}

#[test]
fn a_constant_that_can_not_be_copied_may_be_supplied_again() {
    let scene = Scene::new();
    let (graph, w) = scene.hollow_sum();
    let (x, y) = (scene.tensor().unwrap(), scene.tensor().unwrap());
    let inputs = [("x".to_owned(), x)];
    let outputs = [("y".to_owned(), y.clone())];

    scene.behaviour.fail(Call::SetConstant);
    let promise = graph.set_constant_data(&w, &number(2.0).into(), MLConstantDataOptions::default());
    // Enqueued behind a copy that fails: it computes nothing, the context stays, and the output says so.
    scene.context.dispatch(&graph, &inputs, &outputs).unwrap();
    let unread = scene.global.settle(&scene.context.read_tensor(&y)).unwrap_err();
    assert_eq!(place(&unread), (ExceptionName::UnknownError, "MLContext.readTensor(tensor)", "8.1.2.2"));
    let exception = scene.global.settle(&promise).unwrap_err();
    let algorithm = "MLGraph.setConstantData(constant, data, options)";
    assert_eq!(place(&exception), (ExceptionName::UnknownError, algorithm, "14.1.2.3"));
    assert!(!scene.is_lost());
    let unset = scene.context.dispatch(&graph, &inputs, &outputs).unwrap_err();
    assert_eq!(unset.name, ExceptionName::InvalidStateError);

    scene.behaviour.failing.set(None);
    scene.global.settle(&graph.set_constant_data(&w, &number(3.0).into(), MLConstantDataOptions::default())).unwrap();
    scene.context.dispatch(&graph, &inputs, &outputs).unwrap();
    let result = scene.global.settle(&scene.context.read_tensor(&y)).unwrap().to_vec();
    assert_eq!(result, 3f32.to_le_bytes());
}

#[test]
fn a_write_that_fails_loses_the_context() {
    let scene = Scene::new();
    let x = scene.tensor().unwrap();
    scene.behaviour.fail(Call::WriteTensor);
    scene.context.write_tensor(&x, &number(1.0)).unwrap();
    assert!(scene.is_lost());
    let info = scene.global.settle(&scene.context.lost().unwrap()).unwrap();
    assert!(info.message.contains("on demand"), "{}", info.message);
}

#[test]
fn the_outputs_of_a_dispatch_that_fails_can_not_be_read_until_they_are_written() {
    let scene = Scene::new();
    let (graph, w) = scene.hollow_sum();
    scene.global.settle(&graph.set_constant_data(&w, &number(2.0).into(), MLConstantDataOptions::default())).unwrap();
    let (x, y, z) = (scene.tensor().unwrap(), scene.tensor().unwrap(), scene.tensor().unwrap());
    scene.context.write_tensor(&x, &number(1.0)).unwrap();
    scene.behaviour.fail(Call::Dispatch);
    let dispatch = |from: &MLTensor, to: &MLTensor| {
        scene.context.dispatch(&graph, &[("x".into(), from.clone())], &[("y".into(), to.clone())]).unwrap();
    };
    let read = |tensor: &MLTensor| scene.global.settle(&scene.context.read_tensor(tensor));
    dispatch(&x, &y);
    assert!(read(&y).unwrap_err().message.contains("on demand"));

    scene.behaviour.failing.set(None);
    // What takes a tensor that has failed has failed too, and says which input it was.
    dispatch(&y, &z);
    let exception = read(&z).unwrap_err();
    assert!(exception.message.contains("on demand") && exception.message.contains("\"x\""), "{}", exception.message);
    assert!(!scene.is_lost());

    scene.context.write_tensor(&y, &number(5.0)).unwrap();
    assert_eq!(read(&y).unwrap().to_vec(), 5f32.to_le_bytes());
    dispatch(&y, &z);
    assert_eq!(read(&z).unwrap().to_vec(), 7f32.to_le_bytes());
}

#[test]
fn a_lost_device_is_a_lost_context() {
    let scene = Scene::new();
    let tensor = scene.tensor().unwrap();
    scene.behaviour.lose_the_device_at(Call::WaitForBytes);
    scene.global.settle(&scene.context.read_tensor(&tensor)).unwrap_err();
    assert!(scene.is_lost());
    let late = scene.context.write_tensor(&tensor, &number(1.0)).unwrap_err();
    assert_eq!(late.name, ExceptionName::TypeError, "the tensor was destroyed with its context");
}

#[test]
fn an_exportable_tensor_that_can_not_be_created() {
    let device = VirtualDevice::gpu_device();
    let scene = Scene::on(&device);
    scene.behaviour.fail(Call::CreateTensor);
    let exception = scene.exportable(&device).unwrap_err();
    let algorithm = "MLContext.createExportableTensor(descriptor, gpuDevice, options)";
    assert_eq!(place(&exception), (ExceptionName::UnknownError, algorithm, "11.1.2"));
    assert!(!scene.is_lost());
}

#[test]
fn an_export_that_fails_gives_an_invalid_buffer() {
    let device = VirtualDevice::gpu_device();
    let scene = Scene::on(&device);
    let tensor = scene.exportable(&device).unwrap();
    scene.context.write_tensor(&tensor, &number(5.0)).unwrap();
    scene.behaviour.fail(Call::Export);
    let buffer = scene.context.export_to_gpu(&tensor).unwrap();
    let unusable = VirtualBuffer::behind(&buffer).unwrap_err();
    assert_eq!(unusable, Unusable::Invalid("out of memory: on demand".into()));
    // It is rented all the same, and is returned as it was.
    assert!(tensor.is_rented() && !scene.is_lost());
    buffer.destroy();
    let read = scene.global.settle(&scene.context.read_tensor(&tensor)).unwrap();
    assert_eq!(read.to_vec(), 5f32.to_le_bytes());

    scene.behaviour.failing.set(None);
    let buffer = scene.context.export_to_gpu(&tensor).unwrap();
    assert_eq!(VirtualBuffer::behind(&buffer).unwrap().to_vec(), 5f32.to_le_bytes());
}

#[test]
fn what_a_dispatch_that_failed_had_to_write_is_neither_exported_nor_copied() {
    let device = VirtualDevice::gpu_device();
    let scene = Scene::on(&device);
    let (graph, w) = scene.hollow_sum();
    scene.global.settle(&graph.set_constant_data(&w, &number(2.0).into(), MLConstantDataOptions::default())).unwrap();
    let (x, y) = (scene.tensor().unwrap(), scene.exportable(&device).unwrap());
    scene.behaviour.fail(Call::Dispatch);
    scene.context.dispatch(&graph, &[("x".into(), x)], &[("y".into(), y.clone())]).unwrap();
    let buffer = scene.context.export_to_gpu(&y).unwrap();
    let unusable = VirtualBuffer::behind(&buffer).unwrap_err();
    assert!(matches!(&unusable, Unusable::Invalid(why) if why.contains("on demand")), "{unusable}");
    buffer.destroy();
    let exception = scene.global.settle(&scene.context.create_constant_tensor_from(&y)).unwrap_err();
    let algorithm = "MLContext.createConstantTensor(tensor)";
    assert_eq!(place(&exception), (ExceptionName::UnknownError, algorithm, "9.1.4"));
    assert!(!scene.is_lost());

    // A tensor that is written is whole again.
    scene.context.write_tensor(&y, &number(5.0)).unwrap();
    let buffer = scene.context.export_to_gpu(&y).unwrap();
    assert_eq!(VirtualBuffer::behind(&buffer).unwrap().to_vec(), 5f32.to_le_bytes());
}

#[test]
fn a_tensor_that_can_not_be_returned_loses_the_context() {
    let device = VirtualDevice::gpu_device();
    let scene = Scene::on(&device);
    let tensor = scene.exportable(&device).unwrap();
    let buffer = scene.context.export_to_gpu(&tensor).unwrap();
    scene.global.run_until_idle();
    scene.behaviour.fail(Call::Return);
    buffer.destroy();
    assert!(scene.is_lost());
    assert_eq!(device.lost(), None, "the device has nothing to do with it");
}

#[test]
fn a_constant_that_can_not_be_made_from_a_tensor() {
    for (call, step) in [(Call::CreateTensor, "9.1.2"), (Call::Copy, "9.1.4")] {
        let scene = Scene::new();
        let tensor = scene.tensor().unwrap();
        scene.behaviour.fail(call);
        let exception = scene.global.settle(&scene.context.create_constant_tensor_from(&tensor)).unwrap_err();
        let algorithm = "MLContext.createConstantTensor(tensor)";
        assert_eq!(place(&exception), (ExceptionName::UnknownError, algorithm, step));
        assert!(!scene.is_lost());
        assert_eq!(scene.behaviour.tensors.borrow().len(), 1, "what was created is released");
    }
}

#[test]
fn what_script_forgets_is_released() {
    let scene = Scene::new();
    {
        let _tensor = scene.tensor().unwrap();
        let _graph = scene.hollow_sum();
        let promise = scene.context.create_constant_tensor(&scalar(), &number(1.0));
        let constant = scene.global.settle(&promise).unwrap();
        let builder = MLGraphBuilder::new(&scene.context).unwrap();
        let c = builder.constant_tensor(&constant).unwrap();
        let y = builder.identity(&c, &MLOperatorOptions::default()).unwrap();
        let promise = builder.build(&[("y".into(), y)]);
        // Nobody but the graph that is being built holds the constant tensor now.
        drop((c, constant, builder));
        let _graph = scene.global.settle(&promise).unwrap();
        assert_eq!(scene.behaviour.graphs.borrow().len(), 2);
    }
    scene.global.run_until_idle();
    assert!(scene.behaviour.tensors.borrow().is_empty(), "{:?}", scene.behaviour);
    assert!(scene.behaviour.graphs.borrow().is_empty(), "{:?}", scene.behaviour);
}

#[test]
fn a_graph_that_can_not_be_saved_or_loaded() {
    let scene = Scene::new();
    let (graph, w) = scene.hollow_sum();
    let named = [("w".to_owned(), w)];
    let save = || scene.global.settle(&scene.context.save_graph("k", &graph, &named));
    let load = || scene.global.settle(&scene.context.load_graph("k"));

    scene.behaviour.fail(Call::SaveGraph);
    let exception = save().unwrap_err();
    let algorithm = "MLContext.saveGraph(key, graph, constants)";
    assert_eq!(place(&exception), (ExceptionName::UnknownError, algorithm, "13.1.3"));
    assert_eq!(scene.global.settle(&scene.context.list_graphs()), Ok(vec![]));

    scene.behaviour.failing.set(None);
    save().unwrap();
    scene.behaviour.fail(Call::RestoreGraph);
    let exception = load().unwrap_err();
    let algorithm = "MLContext.loadGraph(key)";
    assert_eq!(place(&exception), (ExceptionName::OperationError, algorithm, "8.1.5"));
    assert!(!scene.is_lost(), "out of memory leaves the context usable");
    assert_eq!(
        scene.global.settle(&scene.context.list_graphs()),
        Ok(vec!["k".to_owned()]),
        "and the entry where it is"
    );

    scene.behaviour.failing.set(None);
    let loaded = load().unwrap();
    assert_eq!(scene.behaviour.graphs.borrow().len(), 2);
    drop(loaded);
    assert_eq!(scene.behaviour.graphs.borrow().len(), 1, "a loaded graph that script forgets is released");
}

#[test]
fn a_device_that_is_lost_while_a_graph_is_saved_or_loaded_is_a_lost_context() {
    for call in [Call::SaveGraph, Call::RestoreGraph] {
        let scene = Scene::new();
        let (graph, w) = scene.hollow_sum();
        let named = [("w".to_owned(), w)];
        let save = || scene.global.settle(&scene.context.save_graph("k", &graph, &named));
        save().unwrap();
        scene.behaviour.lose_the_device_at(call);
        let saved = save();
        let loaded = scene.global.settle(&scene.context.load_graph("k")).map(drop);
        assert_eq!(saved.is_err(), call == Call::SaveGraph, "{call:?}");
        assert!(loaded.is_err(), "{call:?}");
        assert!(scene.is_lost(), "{call:?}");
        let kept = scene.global.graph_store().unwrap().keys("unknown").unwrap();
        assert_eq!(kept, ["k"], "{call:?}: what was kept before stays");
    }
}

#[test]
fn a_graph_whose_constants_are_beyond_the_budget_is_not_loaded() {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(Cpu));
    let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
    let builder = MLGraphBuilder::new(&context).unwrap();
    let constant = builder.constant(&scalar(), &number(1.0)).unwrap();
    let y = builder.neg(&constant, &MLOperatorOptions::default()).unwrap();
    let graph = global.settle(&builder.build(&[("y".into(), y)])).unwrap();
    global.settle(&context.save_graph("k", &graph, &[])).unwrap();
    // For one of the two constants of four bytes.
    global.settle(&context.set_memory_budget(Some(7))).unwrap();
    let loaded = global.settle(&context.load_graph("k")).unwrap();
    assert_eq!(context.underlying_platform().budgeted_bytes(), 4, "the graph that was built has left");
    drop(loaded);
    global.settle(&context.set_memory_budget(Some(3))).unwrap();
    let exception = global.settle(&context.load_graph("k")).unwrap_err();
    assert_eq!(place(&exception), (ExceptionName::OperationError, "MLContext.loadGraph(key)", "8.1.5"));
    assert_eq!(global.settle(&context.list_graphs()), Ok(vec!["k".to_owned()]), "the entry stays");
}
