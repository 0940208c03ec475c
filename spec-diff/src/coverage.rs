//! Which steps vectors reach, and which throwing steps throw in one: all, but for those that have a reason.
//!
//! `spec-diff/unreached.toml` is the list of the others. Each of its entries says why no vector can come there, and names
//! the test that does, if one can. So nothing that can be reached is left out, and what is left out is said.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::lock::{Lock, LockedAlgorithm, LockedStep};
use crate::trace::Trace;

/// The steps that no vector reaches, or in which none throws.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    #[serde(default)]
    step: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    algorithms: Vec<String>,
    steps: Vec<String>,
    reason: String,
    /// A file with tests that reach it.
    test: Option<PathBuf>,
}

/// A list of reasons that can not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}", .path.display())]
pub struct ReasonsError {
    path: PathBuf,
    what: String,
}

/// What vectors reach of the specification.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Each algorithm that has steps.
    pub algorithms: Vec<AlgorithmCoverage>,
    /// What is wrong with the list of reasons: an entry for a step that does not exist, or is reached after all.
    pub stale: Vec<String>,
}

/// What vectors reach of an algorithm.
#[derive(Clone, Debug)]
pub struct AlgorithmCoverage {
    /// Its name.
    pub name: String,
    /// Its steps.
    pub steps: Vec<StepCoverage>,
}

/// What vectors do in a step.
#[derive(Clone, Debug)]
pub struct StepCoverage {
    /// Its path.
    pub path: String,
    /// The exceptions that it names.
    pub exceptions: Vec<String>,
    /// The vectors that reach it, those that do least else first.
    pub reaching: Vec<String>,
    /// The vectors in which it throws.
    pub throwing: Vec<String>,
    /// Why there are none, if that is said.
    pub reason: Option<String>,
}

impl Reasons {
    /// Reads a list.
    ///
    /// # Errors
    /// If the file can not be read, or has entries of another form.
    pub fn read(path: &Path) -> Result<Self, ReasonsError> {
        let error = |what: String| ReasonsError { path: path.to_owned(), what };
        let text = fs::read_to_string(path).map_err(|source| error(source.to_string()))?;
        toml::from_str(&text).map_err(|source| error(source.to_string()))
    }

    fn by_step(&self) -> BTreeMap<(String, String), String> {
        let entries = self.step.iter().flat_map(|entry| {
            let text = match &entry.test {
                Some(test) => format!("{} ({})", entry.reason, test.display()),
                None => entry.reason.clone(),
            };
            entry.algorithms.iter().flat_map(move |algorithm| {
                let text = text.clone();
                entry.steps.iter().map(move |step| ((algorithm.clone(), step.clone()), text.clone()))
            })
        });
        entries.collect()
    }

    /// Why no vector reaches a step, if that is said.
    pub fn of(&self, algorithm: &str, step: &str) -> Option<String> {
        self.by_step().remove(&(algorithm.to_owned(), step.to_owned()))
    }

    /// The tests that it names.
    pub fn tests(&self) -> impl Iterator<Item = &Path> {
        self.step.iter().filter_map(|entry| entry.test.as_deref())
    }
}

impl Coverage {
    /// Counts what vectors reach of the specification as it is locked.
    pub fn of(lock: &Lock, trace: &Trace, reasons: &Reasons) -> Self {
        let mut reasons = reasons.by_step();
        let mut stale = Vec::new();
        let mut step = |algorithm: &LockedAlgorithm, step: &LockedStep| {
            let path = step.path.to_string();
            let own = |vectors: Vec<&str>| vectors.into_iter().map(str::to_owned).collect();
            let covered = StepCoverage {
                exceptions: step.exceptions.clone(),
                reaching: own(trace.reaching(&algorithm.name, &path)),
                throwing: own(trace.throwing(&algorithm.name, &path)),
                reason: reasons.remove(&(algorithm.name.clone(), path.clone())),
                path,
            };
            if covered.reason.is_some() && covered.is_covered() {
                stale.push(format!("{} step {} is reached, and needs no reason", algorithm.name, covered.path));
            }
            covered
        };
        let algorithms = lock.algorithms.iter().filter(|algorithm| !algorithm.steps.is_empty());
        let algorithms: Vec<AlgorithmCoverage> = algorithms
            .map(|algorithm| AlgorithmCoverage {
                name: algorithm.name.clone(),
                steps: algorithm.steps.iter().map(|locked| step(algorithm, locked)).collect(),
            })
            .collect();
        stale.extend(reasons.keys().map(|(algorithm, step)| format!("{algorithm} has no step {step}")));
        Self { algorithms, stale }
    }

    /// All steps.
    pub fn steps(&self) -> impl Iterator<Item = (&AlgorithmCoverage, &StepCoverage)> {
        self.algorithms.iter().flat_map(|algorithm| algorithm.steps.iter().map(move |step| (algorithm, step)))
    }

    /// Whether nothing is missing that has no reason, and no reason is stale.
    pub fn is_complete(&self) -> bool {
        self.stale.is_empty() && self.steps().all(|(_, step)| step.is_covered() || step.reason.is_some())
    }
}

impl StepCoverage {
    /// Whether it throws, or rejects.
    pub fn is_throwing(&self) -> bool {
        !self.exceptions.is_empty()
    }

    /// Whether a vector reaches it; and throws there, if it throws.
    pub fn is_covered(&self) -> bool {
        !self.reaching.is_empty() && (!self.is_throwing() || !self.throwing.is_empty())
    }
}
