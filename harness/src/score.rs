//! How vectors went, in numbers.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::record::{Brief, Record, Went};

/// How many vectors went how, on an implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) errored: usize,
    pub(crate) skipped: usize,
    pub(crate) open: usize,
    /// How many failed or errored as it is known of them.
    pub(crate) known: usize,
    pub(crate) unexpected: usize,
    /// How many of those that passed have numbers to compare: a call that is refused has none.
    pub(crate) with_numbers: usize,
    /// How many of these are equal to the last bit.
    pub(crate) bit_equal: usize,
}

impl Score {
    /// Those of all implementations, in the order of the command line.
    pub(crate) fn of_all(record: &Record) -> Vec<Self> {
        let mut scores = vec![Self::default(); record.implementations().len()];
        record.briefs().for_each(|(_, implementation, brief)| scores[implementation].add_brief(brief));
        scores
    }

    /// Those of all implementations, for each operator or file that vectors are about.
    pub(crate) fn by_subject(record: &Record) -> BTreeMap<&str, Vec<Self>> {
        let none = vec![Self::default(); record.implementations().len()];
        let mut subjects = BTreeMap::new();
        for vector in record.vectors().filter(|vector| record.about(*vector).is_some()) {
            let scores = subjects.entry(record.subject(vector)).or_insert_with(|| none.clone());
            for (implementation, score) in scores.iter_mut().enumerate() {
                record.brief(vector, implementation).into_iter().for_each(|brief| score.add_brief(brief));
            }
        }
        subjects
    }

    fn add_brief(&mut self, brief: &Brief) {
        self.add(brief.outcome, brief.bit_equal, brief.expected);
    }

    /// Counts a vector; `bit_equal` is of one that passed and has numbers.
    pub(crate) fn add(&mut self, went: Went, bit_equal: Option<bool>, expected: bool) {
        *match went {
            Went::Passed => &mut self.passed,
            Went::Failed => &mut self.failed,
            Went::Errored => &mut self.errored,
            Went::Skipped => &mut self.skipped,
            Went::Open => &mut self.open,
        } += 1;
        self.known += usize::from(expected && matches!(went, Went::Failed | Went::Errored));
        self.unexpected += usize::from(!expected);
        self.with_numbers += usize::from(bit_equal.is_some());
        self.bit_equal += usize::from(bit_equal == Some(true));
    }

    /// How many were judged.
    pub(crate) fn judged(&self) -> usize {
        self.passed + self.failed + self.errored
    }

    /// How many passed, and how many of those with numbers as exactly as can be.
    pub(crate) fn passed_in_words(&self) -> String {
        let Self { passed, with_numbers, bit_equal, .. } = self;
        match with_numbers {
            0 => format!("{passed} passed"),
            _ => format!("{passed} passed; of {with_numbers} with numbers {bit_equal} equal to the last bit"),
        }
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        let Self { passed, failed, errored, skipped, open, known, unexpected, with_numbers, bit_equal } = other;
        self.passed += passed;
        self.failed += failed;
        self.errored += errored;
        self.skipped += skipped;
        self.open += open;
        self.known += known;
        self.unexpected += unexpected;
        self.with_numbers += with_numbers;
        self.bit_equal += bit_equal;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_numbers_is_not_equal_to_the_last_bit() {
        let mut score = Score::default();
        score.add(Went::Passed, None, true);
        assert_eq!(score.passed_in_words(), "1 passed");
        score.add(Went::Passed, Some(true), true);
        score.add(Went::Passed, Some(false), true);
        assert_eq!(score.passed_in_words(), "3 passed; of 2 with numbers 1 equal to the last bit");
    }

    #[test]
    fn scores_add_up() {
        let mut score = Score::default();
        score.add(Went::Failed, None, true);
        score.add(Went::Errored, None, false);
        score.add(Went::Open, None, true);
        score.add(Went::Skipped, None, true);
        score += score;
        let Score { failed, errored, open, skipped, known, unexpected, .. } = score;
        assert_eq!([failed, errored, open, skipped, known, unexpected], [2; 6]);
        assert_eq!(score.judged(), 4);
    }
}
