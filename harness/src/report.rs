//! Reports of a run, from its result file: for people, for CI, and for other tools.
//!
//! Each is a function of the [`Record`](crate::record::Record) alone, in the order of its vectors and implementations, so that
//! a run and the merger of its parts give the same report. It is written as it is made: a run may be larger than the memory.

pub(crate) mod badge;
pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod scope;
pub(crate) mod wptreport;

use std::collections::BTreeMap;

use crate::record::{Brief, Record, Went};

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
    /// Those of all implementations, in the order of the command line.
    pub(crate) fn of_all(record: &Record) -> Vec<Self> {
        let mut scores = vec![Self::default(); record.implementations().len()];
        record.briefs().for_each(|(_, implementation, brief)| scores[implementation].add(brief));
        scores
    }

    /// Those of all implementations, for each operator or file that vectors are about.
    pub(crate) fn by_subject(record: &Record) -> BTreeMap<&str, Vec<Self>> {
        let none = vec![Self::default(); record.implementations().len()];
        let mut subjects = BTreeMap::new();
        for vector in record.vectors().filter(|vector| record.about(*vector).is_some()) {
            let scores = subjects.entry(record.subject(vector)).or_insert_with(|| none.clone());
            for (implementation, score) in scores.iter_mut().enumerate() {
                record.brief(vector, implementation).into_iter().for_each(|brief| score.add(brief));
            }
        }
        subjects
    }

    fn add(&mut self, brief: &Brief) {
        *match brief.outcome {
            Went::Passed => &mut self.passed,
            Went::Failed => &mut self.failed,
            Went::Errored => &mut self.errored,
            Went::Skipped => &mut self.skipped,
            Went::Open => &mut self.open,
        } += 1;
        self.unexpected += usize::from(!brief.expected);
    }

    /// How many were judged.
    pub(crate) fn judged(&self) -> usize {
        self.passed + self.failed + self.errored
    }
}
