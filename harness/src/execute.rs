//! Executes vectors on an implementation of the object model, and says what was observed. Nothing is judged here.
//!
//! An implementation of ours is a [`PlatformProvider`]: the algorithms of the specification are the reference's, and what
//! differs is the platform that they drive. A vector is executed in two phases, so that a platform that works ahead (a
//! GPU) is given many vectors before the first result is waited for. Any other implementation is a program
//! ([`Outside`]) that is sent the vector.

mod application;
pub(crate) mod as_written;
pub(crate) mod bounds;
pub(crate) mod call;
pub(crate) mod cells;
mod convert;
mod graph;
pub(crate) mod ledgers;
mod memory;
pub(crate) mod rehearsal;
mod scenario;
mod storage;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use webnn_gpu::Gpu;
use webnn_gpu::device::Device;
use webnn_reference::context::MLContext;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::exception::{Exception, Result};
use webnn_reference::ml::{ContextType, ML, MLContextOptions, MLPowerPreference, PlatformProvider};
use webnn_reference::steps::{self, Place, Reading};
use webnn_reference::timeline::Global;
use webnn_vectors::{Kind, Step, Vector};

use crate::outside::Outside;
use crate::outside::problem::Problem;

/// A tensor that was read back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) data_type: MLOperandDataType,
    pub(crate) shape: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
}

/// What one call of a scenario gave.
#[derive(Clone, Debug)]
pub(crate) enum CallResult {
    /// It returned, or its promise was fulfilled.
    Done,
    /// A tensor was read back.
    Read(Tensor),
    /// Another value that a vector can ask for.
    Value(webnn_vectors::Value),
    /// It threw, or its promise was rejected.
    Threw(Exception),
    /// The scenario can not be executed: a mistake in the vector.
    Invalid(String),
}

/// What was observed of a vector.
#[derive(Clone, Debug)]
pub(crate) enum Observation {
    /// The outputs, by name, in the order of the vector.
    Outputs(Vec<(String, Tensor)>),
    /// An exception, of whichever call.
    Threw(Exception),
    /// The results of the calls of a scenario, up to the last one that could be made.
    Calls(Vec<CallResult>),
    /// It was not executed, for this reason.
    Skipped(String),
    /// The implementation panicked, crashed or hung.
    Errored(String),
}

/// A vector of which everything was issued, and whose results are still to be waited for.
pub(crate) enum Started<'a> {
    /// On a platform.
    Here(Issued<'a>),
    /// To be run outside.
    There(&'a Vector),
}

/// What was issued to a platform.
pub(crate) struct Issued<'a> {
    global: Global,
    state: State<'a>,
}

enum State<'a> {
    Graph(graph::Started<'a>),
    Finished(Observation),
}

/// Executes vectors.
pub(crate) enum Executor {
    /// On a platform, through the object model of the reference.
    Model(Model),
    /// In another program, one after the other.
    Outside(Box<RefCell<Outside>>),
}

impl Executor {
    /// Executes on a platform.
    pub(crate) fn model(provider: Rc<dyn PlatformProvider>, reading: Reading) -> Self {
        Self::Model(Model { provider, reading, device: None })
    }

    /// Executes on a GPU, whose device may be lost.
    pub(crate) fn on(gpu: Gpu, reading: Reading) -> Self {
        let device = Some(Arc::clone(gpu.device()));
        Self::Model(Model { provider: Rc::new(gpu), reading, device })
    }

    /// What gives contexts their platforms, unless they are outside of this program.
    pub(crate) fn provider(&self) -> Option<Rc<dyn PlatformProvider>> {
        match self {
            Self::Model(model) => Some(Rc::clone(&model.provider)),
            Self::Outside(_) => None,
        }
    }

    /// Why its device was lost, if it was: nothing can be executed any more.
    pub(crate) fn lost(&self) -> Option<String> {
        match self {
            Self::Model(model) => model.device.as_ref()?.lost(),
            Self::Outside(_) => None,
        }
    }

    /// Gives its device up, if it has one, for tests of what becomes of the run.
    pub(crate) fn lose(&self) {
        if let Self::Model(Model { device: Some(device), .. }) = self {
            device.destroy();
        }
    }

    /// Issues everything that the vector asks for.
    pub(crate) fn start<'a>(&self, vector: &'a Vector) -> Started<'a> {
        match self {
            Self::Model(model) => Started::Here(model.start(vector)),
            Self::Outside(_) => Started::There(vector),
        }
    }

    /// Waits for the results of a vector that was started.
    pub(crate) fn finish(&self, started: Started<'_>) -> Observation {
        match (self, started) {
            (Self::Model(model), Started::Here(issued)) => model.finish(issued),
            (Self::Outside(outside), Started::There(vector)) => outside.borrow_mut().observe(vector),
            (Self::Model(_), Started::There(_)) | (Self::Outside(_), Started::Here(_)) => {
                Observation::Errored("the vector was started by another executor".into())
            }
        }
    }

    /// Whether the last vector was sent to a program, which may yet turn out to have answered it twice.
    pub(crate) fn was_asked(&self) -> bool {
        match self {
            Self::Model(_) => false,
            Self::Outside(outside) => outside.borrow().was_asked(),
        }
    }

    /// What is wrong with the answer before the last one, if that turned out with the last.
    pub(crate) fn of_before(&self) -> Option<Problem> {
        match self {
            Self::Model(_) => None,
            Self::Outside(outside) => outside.borrow_mut().of_before(),
        }
    }

    /// Ends it; what is wrong with the last answer, if that turned out now.
    pub(crate) fn end(self) -> Option<Problem> {
        match self {
            Self::Model(_) => None,
            Self::Outside(outside) => outside.borrow_mut().end(),
        }
    }

    /// Executes one call of an operator, on a platform.
    pub(crate) fn call(&self, call: call::Call<'_>) -> Observation {
        match self {
            Self::Model(model) => model.call(call),
            Self::Outside(_) => Observation::Skipped("the protocol has no single calls".into()),
        }
    }

    /// Executes one vector, and says which steps of the specification it reached: none that can be known of a program
    /// outside.
    pub(crate) fn trace(&self, vector: &Vector) -> (Observation, Vec<Place>) {
        steps::trace(|| self.finish(self.start(vector)))
    }
}

/// The object model on a platform.
pub(crate) struct Model {
    provider: Rc<dyn PlatformProvider>,
    reading: Reading,
    device: Option<Arc<Device>>,
}

impl Model {
    fn start<'a>(&self, vector: &'a Vector) -> Issued<'a> {
        let global = Global::new(self.reading);
        let state = caught(|| match &vector.kind {
            Kind::Graph { graph, .. } => {
                match self.context(&global).and_then(|context| graph::start(graph, &context)) {
                    Ok(started) => State::Graph(started),
                    Err(stopped) => State::Finished(stopped.into()),
                }
            }
            Kind::Negative { graph, .. } => {
                State::Finished(match self.context(&global).and_then(|context| graph::build(graph, &context)) {
                    Ok(_) => Observation::Outputs(vec![]),
                    Err(stopped) => stopped.into(),
                })
            }
            Kind::Scenario { steps } if let Some(name) = self.unsupported(steps) => {
                State::Finished(Observation::Skipped(format!("{name} is not supported (see opSupportLimits)")))
            }
            Kind::Scenario { steps } => match scenario::WithDevice::new(Rc::clone(&self.provider), steps) {
                Ok(provider) => State::Finished(Observation::Calls(scenario::execute(steps, provider, &global))),
                Err(reason) => State::Finished(Observation::Skipped(reason)),
            },
        });
        Issued { global, state: state.unwrap_or_else(|panic| State::Finished(Observation::Errored(panic))) }
    }

    /// The first operator or data type of a scenario that the platform does not support.
    fn unsupported<'a>(&self, steps: &'a [Step]) -> Option<&'a str> {
        let platform = self.provider.platform(&ContextType::Default, MLPowerPreference::Default, true)?;
        let limits = platform.limits();
        let is_operator = |call: &&str| limits.unsupported_operators.contains(call);
        let is_data_type = |name: &&str| {
            MLOperandDataType::from_name(name).is_some_and(|data_type| !limits.data_types.contains(&data_type))
        };
        let mut calls = steps.iter().map(|step| step.call.as_str());
        let data_types = || steps.iter().flat_map(|step| scenario::data_types(step));
        calls.find(is_operator).or_else(|| data_types().find(is_data_type))
    }

    fn finish(&self, issued: Issued<'_>) -> Observation {
        let Issued { global, state } = issued;
        let observation = match state {
            State::Finished(observation) => observation,
            State::Graph(graph) => caught(|| graph.finish(&global)).unwrap_or_else(Observation::Errored),
        };
        // What is left in a queue keeps the context alive that the queue belongs to, and its device with it.
        match caught(|| global.run_until_idle()) {
            Ok(()) => observation,
            Err(panic) => Observation::Errored(panic),
        }
    }

    fn call(&self, call: call::Call<'_>) -> Observation {
        let global = Global::new(self.reading);
        let called = caught(|| self.context(&global).and_then(|context| call.execute(&context)));
        match called {
            Ok(Ok(observation)) => observation,
            Ok(Err(stopped)) => stopped.into(),
            Err(panic) => Observation::Errored(panic),
        }
    }

    fn context(&self, global: &Global) -> std::result::Result<MLContext, Stopped> {
        let ml = ML::new(global, Rc::clone(&self.provider));
        Ok(global.settle(&ml.create_context(MLContextOptions::default()))?)
    }
}

/// Why the execution of a graph vector ended early.
enum Stopped {
    Threw(Exception),
    Skipped(String),
    Invalid(String),
}

impl From<Exception> for Stopped {
    fn from(exception: Exception) -> Self {
        Self::Threw(exception)
    }
}

impl From<Stopped> for Observation {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Threw(exception) => Self::Threw(exception),
            Stopped::Skipped(reason) => Self::Skipped(reason),
            Stopped::Invalid(problem) => Self::Errored(problem),
        }
    }
}

/// A data type that the platform does not offer is no failure of it.
fn ensure_supported(context: &MLContext, data_type: MLOperandDataType) -> std::result::Result<(), Stopped> {
    if context.limits().data_types.contains(&data_type) {
        return Ok(());
    }
    Err(Stopped::Skipped(format!("{data_type} is not supported (see opSupportLimits)")))
}

/// Runs `execution`; a panic in it is a bug of the implementation, and is told as one.
fn caught<T>(execution: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(execution)).map_err(|payload| {
        steps::reset();
        let message = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        format!("panicked: {message}")
    })
}

/// The result of a call whose promise is awaited.
fn settled<T: Clone>(global: &Global, promise: &webnn_reference::promise::Promise<T>) -> Result<T> {
    global.settle(promise)
}
