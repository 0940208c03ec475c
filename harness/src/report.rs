//! Reports of a run, from its result file: for people, for CI, and for other tools.
//!
//! Each is a function of the [`Record`](crate::record::Record) alone, in the order of its vectors and implementations, so that
//! a run and the merger of its parts give the same report.

pub(crate) mod badge;
pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod wptreport;

use crate::record::{Record, Went};

/// How an implementation did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) errored: usize,
    pub(crate) skipped: usize,
    pub(crate) open: usize,
    pub(crate) unexpected: usize,
}

impl Score {
    /// That of an implementation.
    pub(crate) fn of(record: &Record, implementation: &str) -> Self {
        Self::among(record, |result| result.implementation == implementation)
    }

    /// That of some results.
    pub(crate) fn among(record: &Record, takes: impl Fn(&crate::record::ResultLine) -> bool) -> Self {
        let mut score = Self::default();
        for result in record.results.values().filter(|result| takes(result)) {
            *match result.outcome {
                Went::Passed => &mut score.passed,
                Went::Failed => &mut score.failed,
                Went::Errored => &mut score.errored,
                Went::Skipped => &mut score.skipped,
                Went::Open => &mut score.open,
            } += 1;
            score.unexpected += usize::from(result.is_unexpected());
        }
        score
    }

    /// How many were judged.
    pub(crate) fn judged(&self) -> usize {
        self.passed + self.failed + self.errored
    }
}
