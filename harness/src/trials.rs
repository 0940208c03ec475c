//! Every vector that the program carries, on every implementation, as a test of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use webnn_reference::ml::PlatformProvider;
use webnn_reference::steps::Reading;
use webnn_vectors::{Kind, Loader, Vector};

use crate::execute::{CallResult, Executor, Observation};
use crate::expectations::{Expectations, has_argument, is_expected};
use crate::implementation::{Implementation, Start};
use crate::judge::{Outcome, judge};
use crate::signatures::signature;

/// How many decompositions the specification's source has, and those that part from their operators.
///
/// # Errors
/// If the specification can not be read, or its JavaScript not be loaded.
pub fn parting_decompositions(specification: &Path) -> Result<(usize, BTreeSet<String>), String> {
    use crate::commands::decompositions::{parting, read};
    read(specification).and_then(|document| parting(&document)).map_err(|failure| failure.to_string())
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The vector went as expected.
    Passed,
    /// It did not; what happened instead.
    Failed(String),
    /// It was not run, for this reason.
    Skipped(String),
}

/// What a vector came to, whatever is known to fail: what its `literal` member states of the text as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CameTo {
    /// What the vector expects.
    Expected,
    /// No exception, where the vector expects one.
    NoException,
    /// An exception, this one, where the vector expects none.
    Exception(String),
    /// Anything else; what happened instead.
    Other(String),
}

/// An implementation that runs vectors one at a time, in a thread of its own.
#[derive(Clone, Debug)]
pub struct Runner {
    name: &'static str,
    worker: Arc<Worker>,
}

/// The thread and the way to it. It has ended when this is dropped: a driver that is still giving up its device when
/// the program ends can bring it down.
#[derive(Debug)]
struct Worker {
    requests: Mutex<Option<Sender<Request>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(held(&self.requests).take());
        if let Some(thread) = held(&self.thread).take() {
            // It caught every panic of an implementation; one of its own has been shown already.
            drop(thread.join());
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Request {
    vector: Vector,
    reply: Sender<Answer>,
}

struct Answer {
    outcome: Outcome,
    ended: ExceptionAtTheEnd,
    facts: Vec<String>,
}

/// Whether an exception was expected where the execution ended, and which one there was.
#[derive(Clone, Debug, Default)]
struct ExceptionAtTheEnd {
    expected: bool,
    actual: Option<String>,
}

impl ExceptionAtTheEnd {
    fn of(vector: &Vector, observation: &Observation) -> Self {
        let expected = match (&vector.kind, observation) {
            (Kind::Negative { .. }, _) => true,
            // A scenario ends at the call that did not go as expected.
            (Kind::Scenario { steps }, Observation::Calls(calls)) => {
                calls.len().checked_sub(1).and_then(|last| steps.get(last)).is_some_and(|step| step.throws.is_some())
            }
            (Kind::Graph { .. } | Kind::Scenario { .. }, _) => false,
        };
        let actual = match observation {
            Observation::Threw(exception) => Some(exception),
            Observation::Calls(calls) => match calls.last() {
                Some(CallResult::Threw(exception)) => Some(exception),
                Some(CallResult::Done | CallResult::Read(_) | CallResult::Value(_) | CallResult::Invalid(_)) | None => {
                    None
                }
            },
            Observation::Outputs(_) | Observation::Skipped(_) | Observation::Errored(_) => None,
        };
        Self { expected, actual: actual.map(ToString::to_string) }
    }
}

/// The vectors that the program carries.
///
/// # Errors
/// If one of them can not be loaded.
pub fn vectors() -> Result<Vec<Vector>, String> {
    let loader = Loader::with_signatures(&signature);
    let files = loader.embedded().map_err(|error| error.to_string())?;
    Ok(files.into_iter().flat_map(|file| file.vectors).collect())
}

/// The vectors of files and folders.
///
/// # Errors
/// If one of them can not be loaded.
pub fn vectors_of(paths: &[PathBuf]) -> Result<Vec<Vector>, String> {
    let loader = Loader::with_signatures(&signature);
    let files = loader.paths(paths).map_err(|error| error.to_string())?;
    Ok(files.into_iter().flat_map(|file| file.vectors).collect())
}

/// Makes every call of a vector on a platform of the caller's, whatever they give.
///
/// # Errors
/// If the platform panicked.
pub fn execute_on(provider: &Rc<dyn PlatformProvider>, vector: &Vector) -> Result<(), String> {
    let executor = Executor::model(Rc::clone(provider), Reading::Corrected);
    match executor.finish(executor.start(vector)) {
        Observation::Errored(problem) => Err(format!("{}: {problem}", vector.id)),
        Observation::Outputs(_) | Observation::Threw(_) | Observation::Calls(_) | Observation::Skipped(_) => Ok(()),
    }
}

impl Runner {
    /// The interpreter.
    pub fn reference() -> Self {
        Self::start("reference", Implementation::Reference, Reading::Corrected)
    }

    /// The interpreter, executing the specification's text as it is written where that is wrong.
    pub fn literal() -> Self {
        Self::start("literal", Implementation::Reference, Reading::Literal)
    }

    /// The GPU implementation on its default adapter.
    pub fn wgpu() -> Self {
        Self::start("wgpu", Implementation::Wgpu(None), Reading::Corrected)
    }

    fn start(name: &'static str, implementation: Implementation, reading: Reading) -> Self {
        let (requests, inbox) = channel::<Request>();
        let thread = thread::spawn(move || {
            let started = implementation.start(&Start::new(reading));
            for Request { vector, reply } in inbox {
                let answer = match &started {
                    Err(reason) => Answer::without_exception(Outcome::Skipped(reason.clone())),
                    Ok((executor, description)) => {
                        let observation = executor.finish(executor.start(&vector));
                        Answer {
                            outcome: judge(&vector, &observation, true),
                            ended: ExceptionAtTheEnd::of(&vector, &observation),
                            facts: description.facts.clone(),
                        }
                    }
                };
                // Whoever asked may be gone, when its test was cut off.
                drop(reply.send(answer));
            }
        });
        let worker = Worker { requests: Mutex::new(Some(requests)), thread: Mutex::new(Some(thread)) };
        Self { name, worker: Arc::new(worker) }
    }

    /// The name of the implementation.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs a vector and holds the outcome against what is known to fail.
    pub fn run(&self, vector: &Vector) -> Ended {
        let Answer { outcome, facts, .. } = self.answer(vector);
        let kind = if self.name == "wgpu" { "wgpu" } else { "reference" };
        let expectations = match Expectations::load(kind, None) {
            Ok(expectations) => expectations,
            Err(error) => return Ended::Failed(error.to_string()),
        };
        let entry = expectations.of(&vector.id, |name| has_argument(vector, name), &facts);
        match outcome {
            Outcome::Skipped(reason) => Ended::Skipped(reason),
            outcome if is_expected(&outcome, entry) => Ended::Passed,
            Outcome::Failed(failure) => Ended::Failed(failure.to_string()),
            Outcome::Errored(problem) => Ended::Failed(format!("errored: {problem}")),
            Outcome::Passed { .. } | Outcome::Open { .. } => {
                Ended::Failed("passed, although it is expected to fail".into())
            }
        }
    }

    /// Runs a vector and says what it came to.
    pub fn came_to(&self, vector: &Vector) -> CameTo {
        let Answer { outcome, ended, .. } = self.answer(vector);
        match (outcome, ended.expected, ended.actual) {
            (Outcome::Passed { .. }, _, _) => CameTo::Expected,
            (Outcome::Failed(_), true, None) => CameTo::NoException,
            (Outcome::Failed(_), false, Some(exception)) => CameTo::Exception(exception),
            (Outcome::Failed(failure), _, _) => CameTo::Other(failure.to_string()),
            (Outcome::Errored(problem), _, _) => CameTo::Other(format!("errored: {problem}")),
            (Outcome::Skipped(reason) | Outcome::Open { reason, .. }, _, _) => {
                CameTo::Other(format!("was not judged: {reason}"))
            }
        }
    }

    fn answer(&self, vector: &Vector) -> Answer {
        let (reply, answer) = channel();
        let request = Request { vector: vector.clone(), reply };
        let sent = held(&self.worker.requests).as_ref().is_some_and(|requests| requests.send(request).is_ok());
        let answer = if sent { answer.recv().ok() } else { None };
        answer.unwrap_or_else(|| {
            Answer::without_exception(Outcome::Errored("the thread of the implementation has ended".into()))
        })
    }
}

impl Answer {
    fn without_exception(outcome: Outcome) -> Self {
        Self { outcome, ended: ExceptionAtTheEnd::default(), facts: vec![] }
    }
}
