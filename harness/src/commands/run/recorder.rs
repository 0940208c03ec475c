//! Keeps what a run tells: in the result file as it comes, and in the summary for the terminal.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Arguments;
use super::resume::{Before, Kept};
use crate::expectations::{Expectations, is_expected, under_the_literal_text};
use crate::failure::{AS_EXPECTED, Failure, INTERRUPTED, UNEXPECTED};
use crate::implementation::{Description, Implementation};
use crate::judge::Outcome;
use crate::record::Header;
use crate::results::{End, Results};
use crate::roster::{Index, Roster};
use crate::run::{Progress, Verdict};
use crate::shown::{self, inert, plural};
use crate::summary::Summary;

/// Why a run ends before its vectors do.
pub(super) enum Stop {
    /// `--fail-fast`.
    AtFailure,
    /// Something else failed.
    For(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::For(failure)
    }
}

/// Keeps what a run tells.
pub(super) struct Recorder<'a> {
    arguments: &'a Arguments,
    implementations: &'a [Implementation],
    expectations: Vec<Expectations>,
    /// The run that this one goes on with.
    before: Option<Before>,
    results: Results,
    summary: Summary,
    /// How vectors went the first time, by implementation, if they are run again.
    outcomes: BTreeMap<(usize, Index), Outcome>,
    /// Which time this is.
    time: u32,
    vectors: usize,
    /// How many results were not as expected when the run began.
    unexpected_before: usize,
    bar: ProgressBar,
    /// Whether the bar names a vector that takes long.
    is_waiting: bool,
    begun: Instant,
}

impl<'a> Recorder<'a> {
    /// Makes ready for a run of the vectors of `roster`, of which some are kept from a run before.
    ///
    /// # Errors
    /// If results can not be written.
    pub(super) fn new(
        arguments: &'a Arguments,
        implementations: &'a [Implementation],
        expectations: Vec<Expectations>,
        roster: &Roster,
        header: Header,
        kept: &Kept,
    ) -> Result<Self, Failure> {
        let mut summary = Summary::new(header.implementations.clone(), arguments.show);
        (0..roster.len()).for_each(|index| summary.vector(roster.subject(index)));
        let results = match &kept.record {
            None => Results::create(&arguments.output, header)?,
            Some(record) => {
                summary.recorded(record)?;
                Results::resume(&arguments.output, record)?
            }
        };
        let unexpected_before = summary.unexpected();
        Ok(Self {
            arguments,
            implementations,
            expectations,
            before: kept.before(),
            results,
            summary,
            outcomes: BTreeMap::new(),
            time: 0,
            vectors: roster.len(),
            unexpected_before,
            bar: progress_bar(),
            is_waiting: false,
            begun: Instant::now(),
        })
    }

    /// Begins the run, or the next one of the same vectors.
    pub(super) fn begin(&mut self, roster: &Roster) {
        self.time += 1;
        let results = roster.len() * self.implementations.len();
        self.bar.set_length(u64::try_from(results).unwrap_or(u64::MAX));
        self.bar.reset();
        self.bar.set_message(self.which_run());
    }

    /// Which run of several this is, for the bar.
    fn which_run(&self) -> String {
        if self.time > 1 { format!("run {} of {}", self.time, self.arguments.repeat) } else { String::new() }
    }

    /// Keeps what the run tells.
    ///
    /// # Errors
    /// If it can not be written, or the run is to end here.
    pub(super) fn note(&mut self, progress: Progress, roster: &Roster) -> Result<(), Stop> {
        match &progress {
            Progress::Judged(_) => {
                self.bar.inc(1);
                if self.is_waiting {
                    self.bar.set_message(self.which_run());
                    self.is_waiting = false;
                }
            }
            Progress::Waiting(implementation, index, time) => {
                let (name, id) = (&self.implementations[*implementation], shown::name(roster.id(*index)));
                self.bar.set_message(format!("\n{name} has been at {id} for {} s", time.as_secs()));
                self.is_waiting = true;
            }
            Progress::Started(..) | Progress::NotStarted(..) | Progress::Compared(_) => {}
        }
        match progress {
            Progress::Judged(verdict) if self.time > 1 => self.judged_again(&verdict, roster)?,
            _ if self.time > 1 => {}
            Progress::Waiting(..) => {}
            Progress::Started(implementation, description) => {
                let name = self.implementations[implementation].to_string();
                self.ensure_is_same(&name, Some(&description))?;
                self.results.started(implementation, &description, roster)?;
                self.summary.started(implementation, description);
            }
            Progress::NotStarted(implementation, reason) => {
                let name = self.implementations[implementation].to_string();
                self.ensure_is_same(&name, None)?;
                self.results.not_started(implementation, &reason)?;
                self.summary.not_started(implementation, reason);
            }
            Progress::Judged(verdict) => self.judged(verdict, roster)?,
            Progress::Compared(parting) => {
                self.results.difference(roster.id(parting.vector), &parting)?;
                self.summary.parting(roster.subject(parting.vector), roster.id(parting.vector), &parting);
            }
        }
        let is_enough = self.arguments.fail_fast && self.summary.unexpected() > self.unexpected_before;
        if is_enough { Err(Stop::AtFailure) } else { Ok(()) }
    }

    fn ensure_is_same(&self, name: &str, description: Option<&Description>) -> Result<(), Failure> {
        self.before.as_ref().map_or(Ok(()), |before| before.ensure_is_same(name, description))
    }

    fn judged(&mut self, verdict: Verdict, roster: &Roster) -> Result<(), Failure> {
        let id = roster.id(verdict.vector);
        let literal = roster.literal(verdict.vector).filter(|_| self.arguments.text == "literal");
        let of_the_text = literal.map(|issue| under_the_literal_text(id, issue));
        let facts = self.summary.facts(verdict.implementation);
        let has = |name: &str| roster.has_argument(verdict.vector, name);
        let listed = self.expectations[verdict.implementation].of(id, has, facts);
        let expectation = of_the_text.as_ref().or(listed);
        let expected = is_expected(&verdict.outcome, expectation);
        let known = expectation.map(|entry| format!("{} ({})", entry.reason, entry.link));
        let known = known.as_deref().filter(|_| expected && verdict.outcome.is_bad());
        // What the text as it is written makes of a vector is in the vector itself.
        let remedy = match of_the_text {
            Some(_) => "correct its `literal` member",
            None => self.expectations[verdict.implementation].remedy.as_str(),
        };
        self.results.result(id, &verdict, expected, known)?;
        self.summary.verdict(roster.subject(verdict.vector), id, &verdict, expected, known, remedy);
        if self.arguments.repeat > 1 {
            self.outcomes.insert((verdict.implementation, verdict.vector), verdict.outcome);
        }
        Ok(())
    }

    /// A vector that does not go as it went the first time is a flake.
    fn judged_again(&mut self, verdict: &Verdict, roster: &Roster) -> Result<(), Failure> {
        let Verdict { implementation, vector, outcome, .. } = verdict;
        match self.outcomes.get(&(*implementation, *vector)) {
            Some(before) if before != outcome => {
                let what = format!("{before}, and another time {outcome}");
                self.results.flake(roster.id(*vector), *implementation, &what)?;
                self.summary.flake(roster.id(*vector), *implementation, &what);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends the result file, shows the summary, and returns the exit code.
    ///
    /// # Errors
    /// If nothing ran, or what was asked for could not be done.
    pub(super) fn finish(self, ended: Result<(), Stop>, are_asked_for: bool) -> Result<u8, Failure> {
        let Self { arguments, implementations, results, summary, before, .. } = self;
        self.bar.finish_and_clear();
        let before = before.map_or(0.0, |before| before.seconds);
        let took = self.begun.elapsed().as_secs_f64() + before;
        let has_begun = results.has_begun();
        let unexpected = summary.unexpected();
        let path = match &ended {
            _ if !has_begun => results.abandon()?,
            Ok(()) => results.finish(unexpected, took, End::Whole)?,
            Err(Stop::For(Failure::Interrupted)) => results.finish(unexpected, took, End::Interrupted)?,
            Err(Stop::AtFailure) => results.finish(unexpected, took, End::AtFailure)?,
            // What there is helps to go on; that it is not all of it the failure says.
            Err(Stop::For(_)) => results.abandon().unwrap_or_default(),
        };
        match ended {
            Err(Stop::For(failure)) if !has_begun || !matches!(failure, Failure::Interrupted) => return Err(failure),
            Ok(()) if !has_begun => return Err(Failure::NotStarted(summary.reasons_not_started())),
            _ => {}
        }
        anstream::println!("{}", summary.table());
        anstream::print!("{}", inert(&summary.remarks(&arguments.again(implementations))));
        if arguments.fail_on_bounds && summary.hidden_faults() > 0 {
            let count = summary.hidden_faults();
            anstream::println!("\n{count} outside the derived bound (--fail-on-bounds)");
        }
        anstream::println!("\n{}", last_words(&ended, self.vectors, took, &path));
        match ended {
            Err(Stop::For(_)) => Ok(INTERRUPTED),
            Ok(()) | Err(Stop::AtFailure) => exit_code(are_asked_for, &summary, arguments.fail_on_bounds),
        }
    }
}

/// How a run ended, and where its results are.
fn last_words(ended: &Result<(), Stop>, vectors: usize, took: f64, path: &Path) -> String {
    let path = path.display();
    match ended {
        Ok(()) => format!("{} in {took:.2} s; results in {path}", plural(vectors, "vector")),
        Err(Stop::AtFailure) => format!(
            "ended at the first unexpected result (--fail-fast): this is not the whole\n\n\
             after {took:.2} s; results so far in {path}"
        ),
        Err(Stop::For(_)) => format!(
            "interrupted after {took:.2} s: this is not the whole; results so far in {path}\n\
             the same command with --resume goes on"
        ),
    }
}

/// An implementation that was asked for by name has to start; the ones that are tried by default need not.
fn exit_code(are_asked_for: bool, summary: &Summary, fail_on_bounds: bool) -> Result<u8, Failure> {
    if summary.unexpected() > 0 || (fail_on_bounds && summary.hidden_faults() > 0) {
        return Ok(UNEXPECTED);
    }
    match summary.first_not_started() {
        Some(name) if are_asked_for || name == "reference" => {
            Err(Failure::NotStarted(format!("{name} did not start; the reason stands above")))
        }
        _ if summary.ran() => Ok(AS_EXPECTED),
        _ => Err(Failure::NothingToRun("every vector was skipped; the reasons stand above".into())),
    }
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} results, {elapsed}, about {eta} left {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
