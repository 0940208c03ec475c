//! How far a run is, as whoever answers in a browser is shown it.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::messages::{Progress, ShownFailure};
use crate::judge::Outcome;

/// What came of an implementation's vectors so far; clones are of the same implementation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Board(Arc<Mutex<Progress>>);

impl Board {
    /// That of a run of so many vectors.
    pub(crate) fn of(total: usize) -> Self {
        Self(Arc::new(Mutex::new(Progress { total, ..Progress::default() })))
    }

    /// Notes how a vector went.
    pub(crate) fn add(&self, vector: &str, outcome: &Outcome) {
        let mut progress = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        progress.done += 1;
        *progress.outcomes.entry(outcome.name().to_owned()).or_default() += 1;
        if let Outcome::Failed(_) | Outcome::Errored(_) = outcome {
            progress.last_failure = Some(ShownFailure { vector: vector.to_owned(), message: outcome.to_string() });
        }
    }

    /// Waits until every vector has its result, which is a moment after the last answer.
    pub(super) fn settle(&self) {
        for _ in 0..20 {
            match self.progress() {
                Some(progress) if progress.done < progress.total => thread::sleep(Duration::from_millis(5)),
                _ => return,
            }
        }
    }

    /// How far it is; none of something that is no run.
    pub(super) fn progress(&self) -> Option<Progress> {
        let progress = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (progress.total > 0).then(|| progress.clone())
    }
}
