//! Every sequence of calls on a tensor that can be exported, against a model of its states.
//!
//! [`Model`] is written from `spec-diff/proposals/webgpu-interop.bs` and nothing else: it knows of a state for the tensor,
//! the context and the device, and of two numbers. [`World`] makes the same calls on the object model with an application
//! on some device, and both have to give the same after each call.

#![allow(dead_code, reason = "each test file uses its part")]

use std::rc::Rc;

use webnn_reference::buffer::{ArrayBuffer, BufferSource};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::data_type::MLOperandDataType::Float32;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::{Exception, ExceptionName};
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, PlatformProvider};
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::promise::Promise;
use webnn_reference::steps::Reading;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_reference::webgpu::{GPUBuffer, GPUDevice, Unusable};

use Call::{DestroyBuffer, DestroyContext, DestroyTensor, DispatchFrom, DispatchTo, Export, LoseDevice, Read, Write};

/// A call of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `exportToGPU()`; then the application adds 1 to what is in the buffer.
    Export,
    /// `dispatch()` with the tensor as input: the other tensor becomes its negative.
    DispatchFrom,
    /// `dispatch()` with the tensor as output: it becomes the negative of the other one.
    DispatchTo,
    /// `readTensor()`.
    Read,
    /// `writeTensor()`.
    Write,
    /// `destroy()` of the buffer exported last.
    DestroyBuffer,
    /// `destroy()` of the tensor.
    DestroyTensor,
    /// `destroy()` of the context.
    DestroyContext,
    /// The device is lost.
    LoseDevice,
}

/// All of them.
pub(crate) const CALLS: [Call; 9] =
    [Export, DispatchFrom, DispatchTo, Read, Write, DestroyBuffer, DestroyTensor, DestroyContext, LoseDevice];

/// What `writeTensor()` writes.
const WRITTEN: f32 = 100.0;

/// An exception: its name, and where it is thrown.
type Thrown = (ExceptionName, &'static str, &'static str);

const RENTED: Thrown = (ExceptionName::InvalidStateError, "MLTensor/ensure it is not rented", "1");
const DISPATCH: &str = "MLContext.dispatch(graph, inputs, outputs)";

/// What a call gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Given {
    /// Nothing.
    Nothing,
    /// An exception.
    Threw(Thrown),
    /// A promise, which is looked at in the end.
    Promise,
    /// A buffer, in which the application finds this number and can write; or why it can not.
    Buffer(Result<f32, Refusal>),
}

/// Why a buffer can not be used, without the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Validation,
    Lost,
}

impl From<Unusable> for Refusal {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Destroyed | Unusable::Invalid(_) => Self::Validation,
            Unusable::Lost => Self::Lost,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tensor {
    Free,
    Rented,
    Destroyed,
}

/// What a read gives in the end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Number(f32),
    Rejected(Thrown),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct PendingAnswer {
    answer: Answer,
    /// Whether its steps on the timeline have run.
    is_executed: bool,
    is_settled: bool,
}

/// What the prose says.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    tensor: Tensor,
    is_context_lost: bool,
    is_device_lost: bool,
    /// Whether a buffer was exported last that was not destroyed.
    is_buffer_usable: bool,
    has_buffer: bool,
    number: f32,
    other: f32,
    reads: Vec<PendingAnswer>,
}

impl Model {
    fn new() -> Self {
        Self {
            tensor: Tensor::Free,
            is_context_lost: false,
            is_device_lost: false,
            is_buffer_usable: false,
            has_buffer: false,
            number: 0.0,
            other: 0.0,
            reads: vec![],
        }
    }

    fn call(&mut self, call: Call) -> Given {
        match call {
            Export => return self.export(),
            DispatchFrom | DispatchTo => {
                if self.is_context_lost {
                    return Given::Threw((ExceptionName::InvalidStateError, DISPATCH, "2"));
                }
                match self.tensor {
                    Tensor::Destroyed => return Given::Threw((ExceptionName::TypeError, DISPATCH, "5.2")),
                    Tensor::Rented => return Given::Threw(RENTED),
                    Tensor::Free if call == DispatchFrom => self.other = -self.number,
                    Tensor::Free => self.number = -self.other,
                }
            }
            Read => match self.tensor {
                Tensor::Destroyed => {
                    return Given::Threw((ExceptionName::TypeError, "MLContext.readTensor(tensor)", "4"));
                }
                Tensor::Rented => return Given::Threw(RENTED),
                Tensor::Free => {
                    let answer = Answer::Number(self.number);
                    self.reads.push(PendingAnswer { answer, is_executed: false, is_settled: false });
                    return Given::Promise;
                }
            },
            Write => match self.tensor {
                Tensor::Destroyed => {
                    let write = "MLContext.writeTensor(tensor, inputData)";
                    return Given::Threw((ExceptionName::TypeError, write, "2"));
                }
                Tensor::Rented => return Given::Threw(RENTED),
                Tensor::Free => self.number = WRITTEN,
            },
            DestroyBuffer => {
                if self.is_buffer_usable {
                    self.is_buffer_usable = false;
                    self.tensor = Tensor::Free;
                }
            }
            DestroyTensor => self.destroy(),
            DestroyContext => self.lose(),
            LoseDevice => self.is_device_lost = true,
        }
        Given::Nothing
    }

    fn export(&mut self) -> Given {
        let export = "MLContext.exportToGPU(tensor)";
        if self.is_context_lost {
            return Given::Threw((ExceptionName::InvalidStateError, export, "2"));
        }
        match self.tensor {
            Tensor::Destroyed => return Given::Threw((ExceptionName::TypeError, export, "3")),
            Tensor::Rented => return Given::Threw(RENTED),
            Tensor::Free => {}
        }
        self.tensor = Tensor::Rented;
        (self.has_buffer, self.is_buffer_usable) = (true, true);
        let found = self.buffer();
        if found.is_ok() {
            // What the application submits comes behind all that was enqueued before.
            self.reads.iter_mut().for_each(|read| read.is_executed = true);
            self.number += 1.0;
        }
        Given::Buffer(found)
    }

    /// What is in the buffer exported last.
    fn buffer(&self) -> Result<f32, Refusal> {
        if self.is_device_lost {
            Err(Refusal::Lost)
        } else if self.is_buffer_usable {
            Ok(self.number)
        } else {
            Err(Refusal::Validation)
        }
    }

    fn destroy(&mut self) {
        self.tensor = Tensor::Destroyed;
        self.is_buffer_usable = false;
        let rejected = Answer::Rejected((ExceptionName::InvalidStateError, "MLTensor.destroy()", "2.2"));
        for read in self.reads.iter_mut().filter(|read| !read.is_settled) {
            (read.answer, read.is_settled) = (rejected, true);
        }
    }

    fn lose(&mut self) {
        if !self.is_context_lost {
            self.is_context_lost = true;
            self.destroy();
        }
    }

    /// All that is enqueued runs.
    fn settle(&mut self) {
        if self.is_device_lost {
            // Tasks of reads that were executed are in front of the one that tells of the loss.
            self.reads.iter_mut().filter(|read| read.is_executed).for_each(|read| read.is_settled = true);
            self.lose();
        }
        self.reads.iter_mut().for_each(|read| (read.is_executed, read.is_settled) = (true, true));
    }
}

/// An application with a device.
pub(crate) trait Application {
    fn provider(&self) -> Rc<dyn PlatformProvider>;
    fn open(&self) -> GPUDevice;
    fn lose(&self, device: &GPUDevice);
    fn read(&self, buffer: &GPUBuffer) -> Result<f32, Unusable>;
    fn write(&self, buffer: &GPUBuffer, number: f32) -> Result<(), Unusable>;
}

/// A device and a context with a graph. It is used for many sequences, until one loses it.
struct Stage {
    global: Global,
    device: GPUDevice,
    context: MLContext,
    graph: MLGraph,
    /// One for each sequence, made together.
    tensors: Vec<(MLTensor, MLTensor)>,
}

impl Stage {
    fn new(application: &dyn Application) -> Self {
        let global = Global::new(Reading::Corrected);
        let device = application.open();
        let ml = ML::new(&global, application.provider());
        let context = global.settle(&ml.create_context_for_device(device.clone())).unwrap();
        let builder = MLGraphBuilder::new(&context).unwrap();
        let x = builder.input("x", &number()).unwrap();
        let y = builder.neg(&x, &MLOperatorOptions::default()).unwrap();
        let graph = global.settle(&builder.build(&[("y".into(), y)])).unwrap();
        Self { global, device, context, graph, tensors: vec![] }
    }

    fn tensors(&mut self) -> (MLTensor, MLTensor) {
        self.tensors.pop().unwrap_or_else(|| {
            let descriptor = MLTensorDescriptor { operand: number(), readable: true, writable: true };
            let tensor = self.context.create_exportable_tensor(&descriptor, &self.device, Default::default());
            let other = self.context.create_tensor(&descriptor);
            self.global.run_until_idle();
            (tensor.outcome().unwrap().unwrap(), other.outcome().unwrap().unwrap())
        })
    }
}

fn number() -> MLOperandDescriptor {
    MLOperandDescriptor::create(Float32, &[])
}

/// The objects of one sequence.
struct World<'a> {
    application: &'a dyn Application,
    stage: &'a Stage,
    tensor: MLTensor,
    other: MLTensor,
    buffer: Option<GPUBuffer>,
    reads: Vec<Promise<ArrayBuffer>>,
}

impl World<'_> {
    fn call(&mut self, call: Call) -> Given {
        let context = &self.stage.context;
        let nothing = |result: Result<(), Exception>| match result {
            Ok(()) => Given::Nothing,
            Err(exception) => Given::Threw(place(&exception)),
        };
        match call {
            Export => match context.export_to_gpu(&self.tensor) {
                Err(exception) => Given::Threw(place(&exception)),
                Ok(buffer) => Given::Buffer(self.add_one(buffer)),
            },
            DispatchFrom => nothing(self.dispatch(&self.tensor, &self.other)),
            DispatchTo => nothing(self.dispatch(&self.other, &self.tensor)),
            Read => {
                let promise = context.read_tensor(&self.tensor);
                // A refusal is a promise that was never pending.
                match promise.outcome() {
                    Some(Err(exception)) => Given::Threw(place(&exception)),
                    _ => {
                        self.reads.push(promise);
                        Given::Promise
                    }
                }
            }
            Write => {
                let source = BufferSource::typed(Float32, WRITTEN.to_le_bytes().to_vec());
                nothing(context.write_tensor(&self.tensor, &source))
            }
            DestroyBuffer => {
                self.buffer.iter().for_each(GPUBuffer::destroy);
                Given::Nothing
            }
            DestroyTensor => {
                self.tensor.destroy();
                Given::Nothing
            }
            DestroyContext => {
                context.destroy();
                Given::Nothing
            }
            LoseDevice => {
                self.application.lose(&self.stage.device);
                Given::Nothing
            }
        }
    }

    fn dispatch(&self, x: &MLTensor, y: &MLTensor) -> Result<(), Exception> {
        self.stage.context.dispatch(&self.stage.graph, &[("x".into(), x.clone())], &[("y".into(), y.clone())])
    }

    fn add_one(&mut self, buffer: GPUBuffer) -> Result<f32, Refusal> {
        let found = self.application.read(&buffer);
        let found = found.and_then(|found| self.application.write(&buffer, found + 1.0).map(|()| found));
        self.buffer = Some(buffer);
        Ok(found?)
    }
}

fn place(exception: &Exception) -> Thrown {
    (exception.name, exception.algorithm, exception.step)
}

/// When what is enqueued runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// After each call.
    EachCall,
    /// Behind the last call.
    InTheEnd,
}

/// Makes every sequence of so many calls that begins with one of `first`, and says how many there were. Every shorter
/// sequence is the beginning of one of them.
pub(crate) fn every_sequence(application: &dyn Application, first: &[Call], length: usize, pace: Pace) -> usize {
    let mut stage = Stage::new(application);
    let mut sequences = 0;
    for call in first {
        for rest in 0..CALLS.len().pow(u32::try_from(length - 1).unwrap()) {
            let places = (0..length - 1).rev().map(|place| CALLS.len().pow(u32::try_from(place).unwrap()));
            let rest = places.map(|place| CALLS[rest / place % CALLS.len()]);
            let sequence: Vec<Call> = std::iter::once(*call).chain(rest).collect();
            if stage.context.is_lost() || stage.device.lost().is_some() {
                stage = Stage::new(application);
            }
            make(application, &mut stage, &sequence, pace);
            sequences += 1;
        }
    }
    sequences
}

fn make(application: &dyn Application, stage: &mut Stage, sequence: &[Call], pace: Pace) {
    let (tensor, other) = stage.tensors();
    let mut world = World { application, stage, tensor, other, buffer: None, reads: vec![] };
    let mut model = Model::new();
    for (index, call) in sequence.iter().enumerate() {
        let expected = model.call(*call);
        let given = world.call(*call);
        let made = || format!("{:?} of {sequence:?}, {pace:?}", &sequence[..=index]);
        assert_eq!(given, expected, "{}", made());
        if pace == Pace::EachCall {
            model.settle();
            stage.global.run_until_idle();
        }
        assert_eq!(world.tensor.is_rented(), model.tensor == Tensor::Rented, "{}", made());
        assert_eq!(stage.context.is_lost(), model.is_context_lost, "{}", made());
    }
    model.settle();
    stage.global.run_until_idle();
    if model.has_buffer {
        let found = application.read(world.buffer.as_ref().expect("the buffer exported last"));
        assert_eq!(found.map_err(Refusal::from), model.buffer(), "{sequence:?}, {pace:?}");
    }
    let answers: Vec<Answer> = world.reads.iter().map(answer).collect();
    let expected: Vec<Answer> = model.reads.iter().map(|read| read.answer).collect();
    assert_eq!(answers, expected, "{sequence:?}, {pace:?}");
    if model.tensor == Tensor::Rented {
        world.buffer.iter().for_each(GPUBuffer::destroy);
    }
    let held = |tensor: &MLTensor| answer(&settled(stage, stage.context.read_tensor(tensor)));
    if model.tensor != Tensor::Destroyed {
        assert_eq!(held(&world.tensor), Answer::Number(model.number), "{sequence:?}, {pace:?}");
    }
    if !model.is_context_lost {
        assert_eq!(held(&world.other), Answer::Number(model.other), "{sequence:?}, {pace:?}");
    }
}

fn settled<T>(stage: &Stage, promise: Promise<T>) -> Promise<T> {
    stage.global.run_until_idle();
    promise
}

fn answer(promise: &Promise<ArrayBuffer>) -> Answer {
    match promise.outcome().expect("every promise is settled in the end") {
        Ok(buffer) => Answer::Number(f32::from_le_bytes(buffer.to_vec().try_into().expect("one number"))),
        Err(exception) => Answer::Rejected(place(&exception)),
    }
}
