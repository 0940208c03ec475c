//! Every vector that the program carries, on every implementation, as a test of its own.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use webnn_reference::steps::Reading;
use webnn_vectors::{Loader, Vector};

use crate::expectations::{Expectations, is_expected};
use crate::implementation::Implementation;
use crate::judge::{Outcome, judge};
use crate::selection::is_operator_of_the_specification;

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

/// An implementation that runs vectors one at a time, in a thread of its own.
#[derive(Clone, Debug)]
pub struct Runner {
    name: &'static str,
    requests: Arc<Mutex<Sender<Request>>>,
}

struct Request {
    vector: Vector,
    reply: Sender<(Outcome, Option<String>)>,
}

/// The vectors that the program carries.
///
/// # Errors
/// If one of them can not be loaded.
pub fn vectors() -> Result<Vec<Vector>, String> {
    let loader = Loader::with_operators(&is_operator_of_the_specification);
    let files = loader.embedded().map_err(|error| error.to_string())?;
    Ok(files.into_iter().flat_map(|file| file.vectors).collect())
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
        thread::spawn(move || {
            let started = implementation.start(reading);
            for Request { vector, reply } in inbox {
                let answer = match &started {
                    Err(reason) => (Outcome::Skipped(reason.clone()), None),
                    Ok((executor, description)) => {
                        let observation = executor.finish(executor.start(&vector));
                        (judge(&vector, &observation, true), description.adapter.clone())
                    }
                };
                // Whoever asked may be gone, when its test was cut off.
                drop(reply.send(answer));
            }
        });
        Self { name, requests: Arc::new(Mutex::new(requests)) }
    }

    /// The name of the implementation.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs a vector and holds the outcome against what is known to fail.
    pub fn run(&self, vector: &Vector) -> Ended {
        let (outcome, adapter) = self.outcome(vector);
        let kind = if self.name == "wgpu" { "wgpu" } else { "reference" };
        let expectations = match Expectations::load(kind, None) {
            Ok(expectations) => expectations,
            Err(error) => return Ended::Failed(error.to_string()),
        };
        let entry = expectations.of(&vector.id, adapter.as_deref());
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

    fn outcome(&self, vector: &Vector) -> (Outcome, Option<String>) {
        let (reply, answer) = channel();
        let request = Request { vector: vector.clone(), reply };
        let sent = self.requests.lock().unwrap_or_else(PoisonError::into_inner).send(request);
        let gone = || (Outcome::Errored("the thread of the implementation has ended".into()), None);
        sent.map_or_else(|_| gone(), |()| answer.recv().unwrap_or_else(|_| gone()))
    }
}
