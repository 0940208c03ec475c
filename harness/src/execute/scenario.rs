//! Executes a scenario: a list of calls on named objects.

mod arguments;
mod builder;
mod context;
mod device;
mod graph;
mod source;

use std::collections::HashMap;
use std::rc::Rc;

use webnn_reference::buffer::{ArrayBuffer, BufferSource};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::{MLContext, MLContextLostInfo};
use webnn_reference::exception::{Exception, Result as Thrown};
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, PlatformProvider};
use webnn_reference::operand::MLOperand;
use webnn_reference::promise::Promise;
use webnn_reference::supply::ReadableStream;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_reference::webgpu::{GPUBuffer, GPUDevice};
use webnn_vectors::{ElementType, Names, Step, Value};

use self::arguments::Arguments;
pub(super) use self::device::WithDevice;
use super::memory::{self, ScenarioBlob};
use super::storage::FaultyStore;
use super::{CallResult, Tensor, convert, ledgers};

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
        ledgers::note(scenario.contexts());
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
                    Object::Exported(buffer) => CallResult::Value(device::attributes(buffer)),
                    _ => CallResult::Done,
                };
                self.bind(step, object);
                result
            }
        }
    }

    fn contexts(&self) -> impl Iterator<Item = (&str, &MLContext)> {
        self.objects.iter().filter_map(|(name, object)| match object {
            Object::Context(context) => Some((name.as_str(), context)),
            _ => None,
        })
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
            Object::Device(device) => device::call(device, &arguments),
            Object::Context(context) => context::call(context, &arguments),
            Object::Builder(builder) => builder::call(builder, &arguments),
            Object::Graph(graph) => graph::call(graph, &arguments),
            Object::Tensor(tensor) => call_tensor(tensor, &arguments),
            Object::Exported(buffer) => device::call_exported(buffer, &arguments),
            Object::Buffer(buffer, element) => source::call_buffer(buffer, *element, &arguments),
            Object::Blob(blob) => source::call_blob(blob, &arguments),
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
                    Some(_) => self.ml.create_context_for_device(GPUDevice::new(Rc::new(device::StandIn))),
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

fn call_tensor(tensor: &MLTensor, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "destroy" => {
            tensor.destroy();
            done(Ok(()))
        }
        other => Err(format!("a tensor has no method `{other}`").into()),
    }
}

fn done(result: Thrown<()>) -> Called {
    result?;
    Ok(Object::Value(Value::Null))
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
