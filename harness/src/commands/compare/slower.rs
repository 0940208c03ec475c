//! What takes longer than it did.
//!
//! A vector alone says little: who is first compiles a kernel or starts something, and that is another one in each run. So an
//! operator is slower where most of its vectors are. What else the machine had to do slows a run down too, and not evenly: how
//! much is seen from the other operators.

use std::collections::BTreeMap;

use super::{Compared, both};
use crate::listing::Slowed;
use crate::record::{Brief, Record, Went};

/// So many seconds more are worth a word.
const WORTH_A_WORD: f32 = 0.02;

/// Of fewer vectors nothing is said.
const FEWEST: usize = 3;

/// So much of the work has to be done at a pace.
const MOST_WORK: f64 = 0.75;

/// How long a vector took, before and after, in seconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    before: f32,
    after: f32,
}

impl Times {
    /// How many times as long it took.
    fn ratio(self) -> f32 {
        self.after / self.before
    }

    /// What both runs had to do for it, without what came upon one of them.
    fn work(self) -> f64 {
        self.before.min(self.after).into()
    }

    /// Whether it took more than so many times as long, where everything takes `pace` times as long.
    fn are_longer(self, times: f32, pace: f32) -> bool {
        let at_that_pace = self.before * pace;
        self.after > at_that_pace * times && self.after - at_that_pace > WORTH_A_WORD
    }
}

/// The operators that take more than so many times as long on an implementation, beyond what the others take longer; and
/// everything, where that is so of most vectors.
pub(super) fn slowed(base: &Record, new: &Record, compared: &Compared<'_>, times: f32) -> Vec<Slowed> {
    let subjects = times_by_subject(base, new, compared);
    let slowed = |subject: Option<&str>| {
        let is_of_it = |of: &str| subject.is_none_or(|subject| of == subject);
        let of_it = || subjects.iter().filter(|(of, _)| is_of_it(of)).flat_map(|(_, all)| all);
        let others = subjects.iter().filter(|(of, _)| !is_of_it(of)).flat_map(|(_, all)| all);
        let pace = pace(others.copied().collect());
        let (slower, vectors) = (of_it().filter(|one| one.are_longer(times, pace)).count(), of_it().count());
        let are_most = vectors >= FEWEST && slower * 2 > vectors;
        are_most.then(|| Slowed {
            implementation: compared.name.to_owned(),
            subject: subject.map(str::to_owned),
            slower,
            vectors,
            before: median(of_it().map(|times| times.before)).into(),
            after: median(of_it().map(|times| times.after)).into(),
        })
    };
    let everything = (subjects.len() > 1).then_some(None);
    everything.into_iter().chain(subjects.keys().copied().map(Some)).filter_map(slowed).collect()
}

/// How long the vectors took that an implementation ran both times, by what they are about.
fn times_by_subject<'a>(base: &Record, new: &'a Record, compared: &Compared<'_>) -> BTreeMap<&'a str, Vec<Times>> {
    let mut subjects: BTreeMap<&str, Vec<Times>> = BTreeMap::new();
    let Some((place_before, place_after)) = compared.before.zip(compared.after) else {
        return subjects;
    };
    for (_, before, after) in both(base, new) {
        let Some((before, after)) = before.zip(after) else {
            continue;
        };
        let briefs = base.brief(before, place_before).zip(new.brief(after, place_after));
        if let Some((before, in_new)) = briefs.filter(|(before, in_new)| ran(before) && ran(in_new)) {
            let times = Times { before: before.seconds, after: in_new.seconds };
            subjects.entry(new.subject(after)).or_default().push(times);
        }
    }
    subjects
}

/// Whether how long it took says something.
fn ran(brief: &Brief) -> bool {
    matches!(brief.outcome, Went::Passed | Went::Failed | Went::Open) && brief.seconds > 0.0
}

/// Within how many times as long most of the work was done. Never less than once.
fn pace(mut all: Vec<Times>) -> f32 {
    all.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let most: f64 = all.iter().map(|times| times.work()).sum::<f64>() * MOST_WORK;
    let mut done = 0.0;
    let last = all.iter().find(|times| {
        done += times.work();
        done >= most
    });
    last.map_or(1.0, |times| times.ratio().max(1.0))
}

/// The middle one, or the smaller of two; 0 if there is none.
fn median(numbers: impl Iterator<Item = f32>) -> f32 {
    let mut numbers: Vec<f32> = numbers.collect();
    numbers.sort_by(f32::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(before: f32, after: f32) -> Times {
        Times { before, after }
    }

    #[test]
    fn longer_is_more_than_what_everything_takes_longer() {
        assert!(times(0.02, 0.1).are_longer(2.0, 1.0) && times(0.02, 0.1).are_longer(2.0, 2.0));
        assert!(!times(0.02, 0.1).are_longer(2.0, 3.0) && !times(0.02, 0.1).are_longer(5.5, 1.0));
        assert!(!times(0.001, 0.02).are_longer(2.0, 1.0), "it is not worth a word");
    }

    #[test]
    fn the_pace_is_that_of_what_there_is_to_do() {
        assert_eq!(pace(vec![]), 1.0);
        assert_eq!(pace(vec![times(2.0, 1.0)]), 1.0, "never less than once");
        assert_eq!(pace(vec![times(0.001, 0.001), times(0.001, 0.001), times(1.0, 3.0)]), 3.0);
        // What came upon one run is no work.
        assert_eq!(pace(vec![times(1.0, 1.0), times(0.001, 6.0)]), 1.0);
    }

    #[test]
    fn the_middle_one_is_the_median() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0].into_iter()), 1.0);
        assert_eq!(median([].into_iter()), 0.0);
    }
}
