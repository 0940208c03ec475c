//! Executes a scenario: a list of calls on named objects.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use webnn_reference::buffer::{ArrayBuffer, BufferSource};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::{MLContext, MLContextLostInfo};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::{Exception, Result as Thrown};
use webnn_reference::graph::MLGraph;
use webnn_reference::idl;
use webnn_reference::limits::{MLOpSupportLimits, MLTensorLimits};
use webnn_reference::ml::{ContextType, ML, MLContextOptions, MLPowerPreference, PlatformProvider};
use webnn_reference::operand::MLOperand;
use webnn_reference::ops;
use webnn_reference::platform::Platform;
use webnn_reference::promise::Promise;
use webnn_reference::proposals::graph_cache::GraphStore;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::proposals::interop::MLExportableTensorOptions;
use webnn_reference::supply::{ConstantData, ReadableStream};
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_reference::webgpu::{GPUBuffer, GPUBufferUsage, GPUDevice};
use webnn_vectors::{ElementType, Names, Number, Step, Value};

use super::memory::{self, ScenarioBlob};
use super::storage::{FaultyStore, Spoilt, State};
use super::{CallResult, Tensor, application, cells, convert};

/// Provides platforms for scenarios. A context made from the stand-in for a `GPUDevice` has the platform of a context made
/// from options.
pub(super) struct WithDevice {
    provider: Rc<dyn PlatformProvider>,
    /// A device that was requested already.
    spare: RefCell<Option<GPUDevice>>,
}

impl WithDevice {
    /// With a device, if the scenario asks for one; or why it can not be executed.
    pub(super) fn new(provider: Rc<dyn PlatformProvider>, steps: &[Step]) -> Result<Self, String> {
        let is_needed = steps.iter().any(|step| step.call == "requestDevice");
        let spare = if is_needed { provider.request_device() } else { None };
        if is_needed && spare.is_none() {
            return Err("the implementation has no device of WebGPU".to_owned());
        }
        Ok(Self { provider, spare: RefCell::new(spare) })
    }
}

/// Stands behind a `GPUDevice` of which nothing is asked but that contexts are created from it.
struct StandIn;

impl PlatformProvider for WithDevice {
    fn platform(
        &self,
        context_type: &ContextType,
        power_preference: MLPowerPreference,
        accelerated: bool,
    ) -> Option<Box<dyn Platform>> {
        let context_type = match context_type {
            ContextType::WebGPU(device) if device.backing().is::<StandIn>() => &ContextType::Default,
            other => other,
        };
        self.provider.platform(context_type, power_preference, accelerated)
    }

    fn request_device(&self) -> Option<GPUDevice> {
        self.spare.take().or_else(|| self.provider.request_device())
    }
}

/// What a name of a scenario stands for.
#[derive(Clone)]
pub(super) enum Object {
    Device(GPUDevice),
    Context(MLContext),
    Builder(MLGraphBuilder),
    Operand(MLOperand),
    Operands(Vec<MLOperand>),
    Tensor(MLTensor),
    Graph(MLGraph),
    Exported(GPUBuffer),
    Buffer(BufferSource, ElementType),
    Blob(Rc<ScenarioBlob>),
    Stream(ReadableStream),
    Promise(Pending),
    /// The result of a call that gives nothing, or a value.
    Value(Value),
    Read(Tensor),
}

/// A promise, whatever it is of.
#[derive(Clone)]
pub(super) enum Pending {
    Context(Promise<MLContext>),
    Tensor(Promise<MLTensor>),
    Graph(Promise<MLGraph>),
    Read(MLTensor, Promise<ArrayBuffer>),
    Undefined(Promise<()>),
    Lost(Promise<MLContextLostInfo>),
    Keys(Promise<Vec<String>>),
}

/// Why a call gave no object.
pub(super) enum Failure {
    Threw(Exception),
    Invalid(String),
}

impl From<Exception> for Failure {
    fn from(exception: Exception) -> Self {
        Self::Threw(exception)
    }
}

impl From<String> for Failure {
    fn from(problem: String) -> Self {
        Self::Invalid(problem)
    }
}

impl From<&str> for Failure {
    fn from(problem: &str) -> Self {
        Self::Invalid(problem.to_owned())
    }
}

pub(super) type Called<T = Object> = Result<T, Failure>;

/// The data types that the arguments of a call name.
pub(super) fn data_types(step: &Step) -> Vec<&str> {
    fn collect<'a>(name: &str, value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::String(text) if name == "dataType" => found.push(text),
            Value::Object(members) => members.iter().for_each(|(name, value)| collect(name, value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    step.arguments.iter().for_each(|(name, value)| collect(name, value, &mut found));
    found
}

/// Makes the calls, until one that had to succeed did not: those after it may need its result.
pub(super) fn execute(steps: &[Step], provider: WithDevice, global: &Global) -> Vec<CallResult> {
    let provider = Rc::new(provider);
    let ml = ML::new(global, Rc::clone(&provider) as _);
    let store = Rc::new(FaultyStore::default());
    global.keep_graphs_in(Some(store.clone()));
    let mut scenario = Scenario { ml, provider, global, store, objects: HashMap::new() };
    let mut results = Vec::new();
    for step in steps {
        let result = scenario.step(step);
        let goes_on = matches!(result, CallResult::Threw(_)) == step.throws.is_some();
        let is_invalid = matches!(result, CallResult::Invalid(_));
        results.push(result);
        if is_invalid || !goes_on {
            break;
        }
    }
    results
}

struct Scenario<'a> {
    ml: ML,
    provider: Rc<WithDevice>,
    global: &'a Global,
    store: Rc<FaultyStore>,
    objects: HashMap<String, Object>,
}

impl Scenario<'_> {
    fn step(&mut self, step: &Step) -> CallResult {
        let called = self.call(step).and_then(|object| self.awaited(object, step.pending));
        match called {
            Err(Failure::Threw(exception)) => CallResult::Threw(exception),
            Err(Failure::Invalid(problem)) => CallResult::Invalid(problem),
            Ok(object) => {
                let result = match &object {
                    Object::Read(tensor) => CallResult::Read(tensor.clone()),
                    Object::Value(value) => CallResult::Value(value.clone()),
                    Object::Exported(buffer) => CallResult::Value(attributes(buffer)),
                    _ => CallResult::Done,
                };
                self.bind(step, object);
                result
            }
        }
    }

    fn bind(&mut self, step: &Step, object: Object) {
        match (&step.binding, object) {
            (None, _) => {}
            (Some(names), Object::Operands(operands)) => {
                for (name, operand) in names.as_slice().iter().zip(operands) {
                    self.objects.insert(name.clone(), Object::Operand(operand));
                }
            }
            (Some(names), object) => {
                if let Some(name) = Names::as_slice(names).first() {
                    self.objects.insert(name.clone(), object);
                }
            }
        }
    }

    fn awaited(&self, object: Object, pending: bool) -> Called {
        let Object::Promise(promise) = object else {
            return Ok(object);
        };
        if pending { Ok(Object::Promise(promise)) } else { self.settle(promise) }
    }

    fn settle(&self, promise: Pending) -> Called {
        self.global.run_until_idle();
        Ok(match promise {
            Pending::Context(promise) => Object::Context(outcome(&promise)?),
            Pending::Tensor(promise) => Object::Tensor(outcome(&promise)?),
            Pending::Graph(promise) => Object::Graph(outcome(&promise)?),
            Pending::Undefined(promise) => {
                outcome(&promise)?;
                Object::Value(Value::Null)
            }
            Pending::Lost(promise) => Object::Value(object([("message", Value::String(outcome(&promise)?.message))])),
            Pending::Keys(promise) => {
                Object::Value(Value::List(outcome(&promise)?.into_iter().map(Value::String).collect()))
            }
            Pending::Read(tensor, promise) => Object::Read(Tensor {
                data_type: tensor.data_type(),
                shape: tensor.shape().to_vec(),
                bytes: outcome(&promise)?.to_vec(),
            }),
        })
    }

    fn call(&self, step: &Step) -> Called {
        let arguments = Arguments { scenario: self, step };
        let Some(on) = &step.on else {
            return self.free_call(&arguments);
        };
        match self.object(on)? {
            Object::Device(device) => call_device(device, &arguments),
            Object::Context(context) => call_context(context, &arguments),
            Object::Builder(builder) => call_builder(builder, &arguments),
            Object::Graph(graph) => call_graph(graph, &arguments),
            Object::Tensor(tensor) => call_tensor(tensor, &arguments),
            Object::Exported(buffer) => call_exported(buffer, &arguments),
            Object::Buffer(buffer, element) => call_buffer(buffer, *element, &arguments),
            Object::Blob(blob) => call_blob(blob, &arguments),
            Object::Stream(_)
            | Object::Operand(_)
            | Object::Operands(_)
            | Object::Promise(_)
            | Object::Value(_)
            | Object::Read(_) => Err(format!("`{on}` has no methods").into()),
        }
    }

    fn object(&self, name: &str) -> Called<&Object> {
        self.objects.get(name).ok_or_else(|| format!("nothing is named `{name}`").into())
    }

    fn free_call(&self, arguments: &Arguments<'_>) -> Called {
        match arguments.step.call.as_str() {
            "createContext" => {
                let promise = match arguments.value("gpuDevice") {
                    None => self.ml.create_context(arguments.context_options()?),
                    Some(Value::String(_)) => self.ml.create_context_for_device(arguments.device()?.clone()),
                    Some(_) => self.ml.create_context_for_device(GPUDevice::new(Rc::new(StandIn))),
                };
                Ok(Object::Promise(Pending::Context(promise)))
            }
            "requestDevice" => {
                let device = self.provider.request_device();
                Ok(Object::Device(device.ok_or("the implementation has no device of WebGPU")?))
            }
            "MLGraphBuilder" => Ok(Object::Builder(MLGraphBuilder::new(arguments.context("context")?)?)),
            "buffer" => {
                let source = webnn_vectors::BufferSource::from_members(&arguments.step.arguments)?;
                Ok(Object::Buffer(convert::buffer_source(&source)?, source.element))
            }
            "blob" => Ok(Object::Blob(ScenarioBlob::new(arguments.bytes()?))),
            "stream" => {
                let number = |name| arguments.value(name).and_then(Value::as_u64);
                Ok(Object::Stream(memory::stream(arguments.bytes()?, number("chunk"), number("failsAt"))))
            }
            "await" => match self.object(arguments.name("promise")?)? {
                Object::Promise(promise) => self.settle(promise.clone()),
                _ => Err("`promise` has to name a promise".into()),
            },
            other => Err(format!("there is no call `{other}`").into()),
        }
    }
}

fn outcome<T: Clone>(promise: &Promise<T>) -> Called<T> {
    let outcome = promise.outcome().ok_or("the promise is still pending when nothing is left to run")?;
    Ok(outcome?)
}

fn call_context(context: &MLContext, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "createTensor" => {
            let descriptor = convert::tensor_descriptor_argument(arguments.value("descriptor"))?;
            Ok(Object::Promise(Pending::Tensor(context.create_tensor(&descriptor))))
        }
        "createExportableTensor" => {
            let descriptor = convert::tensor_descriptor_argument(arguments.value("descriptor"))?;
            let mut options = MLExportableTensorOptions::default();
            if let Some(usage) = arguments.value("usage") {
                let usage = usage.as_u64().and_then(|usage| u32::try_from(usage).ok());
                options.usage = GPUBufferUsage(usage.ok_or("`usage` has to be in the range of an unsigned long")?);
            }
            let promise = context.create_exportable_tensor(&descriptor, arguments.device()?, options);
            Ok(Object::Promise(Pending::Tensor(promise)))
        }
        "exportToGPU" => Ok(Object::Exported(context.export_to_gpu(arguments.tensor("tensor")?)?)),
        "createConstantTensor" if arguments.value("tensor").is_some() => {
            let promise = context.create_constant_tensor_from(arguments.tensor("tensor")?);
            Ok(Object::Promise(Pending::Tensor(promise)))
        }
        "createConstantTensor" => {
            let descriptor = arguments.descriptor()?;
            let data = arguments.buffer("inputData")?;
            Ok(Object::Promise(Pending::Tensor(context.create_constant_tensor(&descriptor, &data))))
        }
        "readTensor" => {
            let tensor = arguments.tensor("tensor")?;
            Ok(Object::Promise(match arguments.value("outputData") {
                None => Pending::Read(tensor.clone(), context.read_tensor(tensor)),
                Some(_) => Pending::Undefined(context.read_tensor_into(tensor, &arguments.buffer("outputData")?)),
            }))
        }
        "writeTensor" => done(context.write_tensor(arguments.tensor("tensor")?, &arguments.buffer("inputData")?)),
        "dispatch" => done(context.dispatch(
            arguments.graph("graph")?,
            &arguments.tensors("inputs")?,
            &arguments.tensors("outputs")?,
        )),
        "destroy" => {
            context.destroy();
            done(Ok(()))
        }
        "lose" => {
            context.lose(arguments.name("message").unwrap_or("lost by the scenario"));
            done(Ok(()))
        }
        "pump" => {
            match arguments.value("steps").map(|steps| (steps, steps.as_u64())) {
                Some((_, Some(steps))) => drop(context.pump(usize::try_from(steps).unwrap_or(usize::MAX))),
                Some(_) => return Err("`steps` is a number of steps, 0 or more".to_owned().into()),
                None => context.global().run_until_idle(),
            }
            done(Ok(()))
        }
        "setMemoryBudget" => {
            let bytes = match arguments.value("bytes") {
                Some(Value::Null) => None,
                _ => Some(arguments.bytes_number("bytes")?.ok_or("`bytes` has to be a number of bytes, or null")?),
            };
            Ok(Object::Promise(Pending::Undefined(context.set_memory_budget(bytes))))
        }
        "ledger" => {
            let figure = memory::figure(context, arguments.name("figure")?)?;
            Ok(Object::Value(Value::Number(Number::Integer(i128::from(figure)))))
        }
        "lost" => match context.lost() {
            Some(promise) => Ok(Object::Promise(Pending::Lost(promise))),
            None => Ok(Object::Value(Value::Null)),
        },
        "opSupportLimits" => Ok(Object::Value(support_limits(&context.op_support_limits()))),
        "listGraphs" => Ok(Object::Promise(Pending::Keys(context.list_graphs()))),
        "loadGraph" => Ok(Object::Promise(Pending::Graph(context.load_graph(arguments.name("key")?)))),
        "saveGraph" => {
            let constants = match arguments.value("constants") {
                None => vec![],
                Some(_) => arguments.operands("constants")?,
            };
            let promise = context.save_graph(arguments.name("key")?, arguments.graph("graph")?, &constants);
            Ok(Object::Promise(Pending::Undefined(promise)))
        }
        "deleteGraph" => Ok(Object::Promise(Pending::Undefined(context.delete_graph(arguments.name("key")?)))),
        "spoilGraph" => {
            let how = Spoilt::from_name(arguments.name("how")?)?;
            arguments.scenario.store.spoil(arguments.name("key")?, how)?;
            done(Ok(()))
        }
        "storage" => {
            let state = State::from_name(arguments.name("state")?)?;
            arguments.scenario.store.set(state);
            let store = Rc::clone(&arguments.scenario.store);
            context.global().keep_graphs_in((state != State::Denied).then_some(store as Rc<dyn GraphStore>));
            done(Ok(()))
        }
        other => Err(format!("a context has no method `{other}`").into()),
    }
}

fn call_builder(builder: &MLGraphBuilder, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "input" => Ok(Object::Operand(builder.input(arguments.name("name")?, &arguments.descriptor()?)?)),
        "constant" => Ok(Object::Operand(constant(builder, arguments)?)),
        "build" => {
            let outputs = arguments.operands("outputs")?;
            Ok(Object::Promise(Pending::Graph(builder.build(&outputs))))
        }
        name => {
            let row = ops::operator(name).ok_or_else(|| format!("a builder has no method `{name}`"))?;
            let values = arguments.values(row.parameters);
            let outputs = row.call(builder, &values)?;
            cells::note(row, &values, &outputs);
            Ok(match <[MLOperand; 1]>::try_from(outputs) {
                Ok([output]) => Object::Operand(output),
                Err(outputs) => Object::Operands(outputs),
            })
        }
    }
}

/// The four forms of `constant()`, told apart by their arguments.
fn constant(builder: &MLGraphBuilder, arguments: &Arguments<'_>) -> Called<MLOperand> {
    let given = |name| arguments.value(name).is_some();
    if given("tensor") {
        Ok(builder.constant_tensor(arguments.tensor("tensor")?)?)
    } else if given("dataType") {
        let data_type = arguments.value("dataType").and_then(Value::as_str).and_then(MLOperandDataType::from_name);
        let value = arguments.value("value").and_then(convert::number);
        Ok(builder.constant_scalar(
            data_type.ok_or("`dataType` has to be one of the specification")?,
            value.ok_or("`value` has to be a number")?,
        )?)
    } else if given("buffer") {
        Ok(builder.constant(&arguments.descriptor()?, &arguments.buffer("buffer")?)?)
    } else {
        Ok(builder.hollow_constant(&arguments.descriptor()?)?)
    }
}

fn call_graph(graph: &MLGraph, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "setConstantData" => {
            let options = MLConstantDataOptions { byte_offset: arguments.bytes_number("byteOffset")? };
            let promise = graph.set_constant_data(arguments.operand("constant")?, &arguments.constant_data()?, options);
            Ok(Object::Promise(Pending::Undefined(promise)))
        }
        "offload" => {
            let options = memory::offload_options(arguments.value("to").and_then(Value::as_str))?;
            Ok(Object::Promise(Pending::Undefined(graph.offload(options))))
        }
        "reload" => Ok(Object::Promise(Pending::Undefined(graph.reload()))),
        "pinned" => Ok(Object::Value(Value::Boolean(graph.pinned()))),
        "setPinned" => {
            memory::set_pinned(graph, arguments.value("pinned").and_then(Value::as_bool))?;
            done(Ok(()))
        }
        "destroy" => {
            graph.destroy();
            done(Ok(()))
        }
        "inputs" => Ok(Object::Value(descriptors(graph.inputs().clone()))),
        "outputs" => Ok(Object::Value(descriptors(graph.outputs().clone()))),
        "constants" => match arguments.value("name") {
            None => {
                let constants = graph.constants().into_iter();
                Ok(Object::Value(descriptors(constants.map(|(name, operand)| (name, operand.descriptor())))))
            }
            Some(_) => {
                let name = arguments.name("name")?;
                let found = graph.constants().into_iter().find(|(known, _)| known == name);
                let (_, operand) = found.ok_or_else(|| format!("the graph has no constant `{name}`"))?;
                Ok(Object::Operand(operand))
            }
        },
        other => Err(format!("a graph has no method `{other}`").into()),
    }
}

fn call_tensor(tensor: &MLTensor, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "destroy" => {
            tensor.destroy();
            done(Ok(()))
        }
        other => Err(format!("a tensor has no method `{other}`").into()),
    }
}

fn call_device(device: &GPUDevice, arguments: &Arguments<'_>) -> Called {
    let reported = |unusable| object([("error", Value::String(application::error(&unusable).to_owned()))]);
    match arguments.step.call.as_str() {
        "writeBuffer" => {
            let offset = arguments.value("bufferOffset").and_then(Value::as_u64).unwrap_or(0);
            let bytes = arguments.buffer("data")?.copy_of_bytes();
            let written = application::write(device, arguments.exported("buffer")?, offset, &bytes.whole());
            Ok(Object::Value(written.map_or_else(reported, |()| object([("error", Value::Null)]))))
        }
        "readBuffer" => {
            let descriptor = arguments.descriptor()?;
            let read = application::read(device, arguments.exported("buffer")?, descriptor.byte_length());
            let MLOperandDescriptor { data_type, shape } = descriptor;
            let tensor = |bytes| Object::Read(Tensor { data_type, shape, bytes });
            Ok(read.map_or_else(|unusable| Object::Value(reported(unusable)), tensor))
        }
        "lose" => {
            application::lose(device, arguments.name("message").unwrap_or("lost by the scenario"));
            done(Ok(()))
        }
        other => Err(format!("a device has no method `{other}`").into()),
    }
}

fn call_exported(buffer: &GPUBuffer, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "destroy" => {
            buffer.destroy();
            done(Ok(()))
        }
        other => Err(format!("an exported buffer has no method `{other}`").into()),
    }
}

/// The attributes of an exported buffer.
fn attributes(buffer: &GPUBuffer) -> Value {
    let number = |number: u64| Value::Number(Number::Integer(number.into()));
    object([("size", number(buffer.size())), ("usage", number(buffer.usage().0.into()))])
}

fn call_buffer(buffer: &BufferSource, element: ElementType, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "fill" => {
            buffer.write(&arguments.data_for(buffer, element)?);
            done(Ok(()))
        }
        "detach" => {
            buffer.buffer().detach();
            done(Ok(()))
        }
        other => Err(format!("a buffer has no method `{other}`").into()),
    }
}

fn call_blob(blob: &ScenarioBlob, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "vanish" => blob.vanish(),
        "truncate" => {
            let bytes = arguments.value("bytes").and_then(Value::as_u64);
            blob.truncate(bytes.ok_or("`bytes` has to be a number of bytes")?);
        }
        "reappear" => blob.reappear(),
        other => return Err(format!("a blob has no method `{other}`").into()),
    }
    done(Ok(()))
}

fn done(result: Thrown<()>) -> Called {
    result?;
    Ok(Object::Value(Value::Null))
}

/// The arguments of one call.
struct Arguments<'a> {
    scenario: &'a Scenario<'a>,
    step: &'a Step,
}

impl<'a> Arguments<'a> {
    fn value(&self, name: &str) -> Option<&'a Value> {
        self.step.arguments.get(name)
    }

    fn name(&self, parameter: &str) -> Called<&'a str> {
        let value = self.value(parameter).and_then(Value::as_str);
        value.ok_or_else(|| format!("`{parameter}` has to be a string").into())
    }

    fn object(&self, parameter: &str) -> Called<&'a Object> {
        self.scenario.object(self.name(parameter)?)
    }

    fn context(&self, parameter: &str) -> Called<&'a MLContext> {
        match self.object(parameter)? {
            Object::Context(context) => Ok(context),
            _ => Err(format!("`{parameter}` has to name a context").into()),
        }
    }

    fn device(&self) -> Called<&'a GPUDevice> {
        match self.object("gpuDevice")? {
            Object::Device(device) => Ok(device),
            _ => Err("`gpuDevice` has to name a device".into()),
        }
    }

    fn exported(&self, parameter: &str) -> Called<&'a GPUBuffer> {
        match self.object(parameter)? {
            Object::Exported(buffer) => Ok(buffer),
            _ => Err(format!("`{parameter}` has to name an exported buffer").into()),
        }
    }

    fn tensor(&self, parameter: &str) -> Called<&'a MLTensor> {
        match self.object(parameter)? {
            Object::Tensor(tensor) => Ok(tensor),
            _ => Err(format!("`{parameter}` has to name a tensor").into()),
        }
    }

    fn graph(&self, parameter: &str) -> Called<&'a MLGraph> {
        match self.object(parameter)? {
            Object::Graph(graph) => Ok(graph),
            _ => Err(format!("`{parameter}` has to name a graph").into()),
        }
    }

    fn operand(&self, parameter: &str) -> Called<&'a MLOperand> {
        match self.object(parameter)? {
            Object::Operand(operand) => Ok(operand),
            _ => Err(format!("`{parameter}` has to name an operand").into()),
        }
    }

    fn descriptor(&self) -> Called<MLOperandDescriptor> {
        Ok(convert::descriptor_argument(self.value("descriptor"))?)
    }

    fn buffer(&self, parameter: &str) -> Called<BufferSource> {
        match self.value(parameter) {
            Some(Value::Object(members)) => {
                Ok(convert::buffer_source(&webnn_vectors::BufferSource::from_members(members)?)?)
            }
            _ => match self.object(parameter)? {
                Object::Buffer(buffer, _) => Ok(buffer.clone()),
                _ => Err(format!("`{parameter}` has to be a buffer source").into()),
            },
        }
    }

    /// A whole number of bytes, if it is given: `[EnforceRange]` refuses others.
    fn bytes_number(&self, parameter: &str) -> Called<Option<u64>> {
        let number =
            |value: &Value| value.as_u64().ok_or_else(|| format!("`{parameter}` has to be a number of bytes").into());
        self.value(parameter).map(number).transpose()
    }

    /// The bytes of a blob or a stream, which are given as a buffer.
    fn bytes(&self) -> Called<Vec<u8>> {
        Ok(self.buffer("bytes")?.buffer().to_vec())
    }

    /// The argument `data` of `setConstantData()`.
    fn constant_data(&self) -> Called<ConstantData> {
        if let Some(Value::String(name)) = self.value("data") {
            match self.scenario.object(name)? {
                Object::Blob(blob) => return Ok(ConstantData::Blob(Rc::<ScenarioBlob>::clone(blob))),
                Object::Stream(stream) => return Ok(ConstantData::Stream(stream.clone())),
                _ => {}
            }
        }
        Ok(self.buffer("data")?.into())
    }

    /// The bytes of the argument `data`, which is data of the buffer's own type.
    fn data_for(&self, buffer: &BufferSource, element: ElementType) -> Called<Vec<u8>> {
        let data = webnn_vectors::Data::from_value(self.value("data").unwrap_or(&Value::Null))?;
        let size = u64::try_from(element.byte_size().unwrap_or(1)).unwrap_or(1);
        Ok(data.to_bytes(element, buffer.byte_length() / size).map_err(|error| error.to_string())?)
    }

    fn named<T>(&self, parameter: &str, find: impl Fn(&'a Object) -> Option<T>) -> Called<Vec<(String, T)>> {
        let record = self.value(parameter).and_then(Value::as_object);
        let record = record.ok_or_else(|| format!("`{parameter}` has to be an object"))?;
        record
            .iter()
            .map(|(name, value)| {
                let object = value.as_str().map(|object| self.scenario.object(object)).transpose()?;
                let found = object.and_then(&find);
                Ok((name.clone(), found.ok_or_else(|| format!("`{parameter}` has the wrong kind of object"))?))
            })
            .collect()
    }

    fn tensors(&self, parameter: &str) -> Called<Vec<(String, MLTensor)>> {
        self.named(parameter, |object| match object {
            Object::Tensor(tensor) => Some(tensor.clone()),
            _ => None,
        })
    }

    fn operands(&self, parameter: &str) -> Called<Vec<(String, MLOperand)>> {
        self.named(parameter, |object| match object {
            Object::Operand(operand) => Some(operand.clone()),
            _ => None,
        })
    }

    /// The arguments of an operator's method.
    fn values(&self, parameters: &[&str]) -> Vec<idl::Value> {
        let operand = |name: &str| match self.scenario.objects.get(name) {
            Some(Object::Operand(operand)) => Some(operand.clone()),
            _ => None,
        };
        parameters
            .iter()
            .map(|parameter| {
                self.value(parameter).map_or(idl::Value::Undefined, |value| convert::argument(value, &operand))
            })
            .collect()
    }

    fn context_options(&self) -> Called<MLContextOptions> {
        let mut options = MLContextOptions::default();
        if let Some(value) = self.value("powerPreference") {
            let preference = value.as_str().unwrap_or_default();
            let found = MLPowerPreference::ALL.into_iter().find(|known| known.as_str() == preference);
            options.power_preference = found.ok_or("`powerPreference` has to be one of the specification")?;
        }
        if let Some(accelerated) = self.value("accelerated").and_then(Value::as_bool) {
            options.accelerated = accelerated;
        }
        Ok(options)
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Descriptors by name, as script sees them.
fn descriptors(named: impl IntoIterator<Item = (String, MLOperandDescriptor)>) -> Value {
    let integer = |dimension: u32| Value::Number(Number::Integer(i128::from(dimension)));
    let members = named.into_iter().map(|(name, descriptor)| {
        let shape = Value::List(descriptor.shape.into_iter().map(integer).collect());
        let data_type = Value::String(descriptor.data_type.as_str().into());
        (name, object([("dataType", data_type), ("shape", shape)]))
    });
    Value::Object(members.collect())
}

fn support_limits(limits: &MLOpSupportLimits) -> Value {
    let mut members = vec![
        ("preferredInputLayout".to_owned(), Value::String(limits.preferred_input_layout.as_str().into())),
        ("maxTensorByteLength".to_owned(), Value::Number(Number::Integer(i128::from(limits.max_tensor_byte_length)))),
        ("input".to_owned(), tensor_limits(&limits.input)),
        ("constant".to_owned(), tensor_limits(&limits.constant)),
        ("output".to_owned(), tensor_limits(&limits.output)),
    ];
    for (name, operands) in &limits.operators {
        let operands = operands.iter().map(|(operand, limits)| ((*operand).to_owned(), tensor_limits(limits)));
        members.push(((*name).to_owned(), Value::Object(operands.collect())));
    }
    Value::Object(members.into_iter().collect())
}

fn tensor_limits(limits: &MLTensorLimits) -> Value {
    let rank = |rank: usize| Value::Number(Number::Integer(i128::try_from(rank).unwrap_or(i128::MAX)));
    object([
        ("dataTypes", Value::List(limits.data_types.iter().map(|name| Value::String(name.as_str().into())).collect())),
        ("rankRange", object([("min", rank(limits.rank_range.0)), ("max", rank(limits.rank_range.1))])),
    ])
}
