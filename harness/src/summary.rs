//! What a run came to: a table of the subjects (an operator, or a file of scenarios), and a list of what needs a look.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::AnsiColor;

use crate::implementation::Description;
use crate::judge::Outcome;
use crate::judge::bound::Standing;
use crate::judge::distance::Distance;
use crate::run::{Parting, Verdict};

/// How many known failures are named for each reason.
const MOST_KNOWN: usize = 12;

/// How many vectors went how.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    passed: usize,
    bit_equal: usize,
    failed: usize,
    errored: usize,
    skipped: usize,
    open: usize,
    expected_failures: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome, expected: bool) {
        match outcome {
            Outcome::Passed { bit_equal, .. } => {
                self.passed += 1;
                self.bit_equal += usize::from(*bit_equal);
            }
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Errored(_) => self.errored += 1,
            Outcome::Skipped(_) => self.skipped += 1,
            Outcome::Open { .. } => self.open += 1,
        }
        if expected && matches!(outcome, Outcome::Failed(_) | Outcome::Errored(_)) {
            self.expected_failures += 1;
        }
    }
}

/// The largest distance between two implementations in one subject, and in which vector it is.
#[derive(Clone, Debug)]
struct Worst {
    distance: Distance,
    vector: String,
    output: String,
    index: usize,
}

#[derive(Clone, Debug, Default)]
struct Row {
    vectors: usize,
    tallies: Vec<Tally>,
    worst: Option<Worst>,
    of_other_shape: usize,
}

/// Something that was not as expected.
#[derive(Clone, Debug)]
struct Unexpected {
    implementation: String,
    vector: String,
    what: String,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Summary {
    implementations: Vec<String>,
    descriptions: Vec<Option<Description>>,
    not_started: Vec<Option<String>>,
    rows: BTreeMap<String, Row>,
    unexpected: Vec<Unexpected>,
    known: BTreeMap<(String, String), Vec<String>>,
    skipped: BTreeMap<(usize, String), usize>,
    bounds: BTreeMap<(usize, Standing), Vec<String>>,
}

impl Summary {
    pub(crate) fn new(implementations: Vec<String>) -> Self {
        let count = implementations.len();
        Self {
            implementations,
            descriptions: vec![None; count],
            not_started: vec![None; count],
            rows: BTreeMap::new(),
            unexpected: vec![],
            known: BTreeMap::new(),
            skipped: BTreeMap::new(),
            bounds: BTreeMap::new(),
        }
    }

    pub(crate) fn started(&mut self, implementation: usize, description: Description) {
        self.descriptions[implementation] = Some(description);
    }

    pub(crate) fn not_started(&mut self, implementation: usize, reason: String) {
        self.not_started[implementation] = Some(reason);
    }

    /// The facts about the adapter that an implementation runs on.
    pub(crate) fn facts(&self, implementation: usize) -> &[String] {
        self.descriptions[implementation].as_ref().map(|description| description.facts.as_slice()).unwrap_or_default()
    }

    /// Counts a vector into its subject.
    pub(crate) fn vector(&mut self, subject: &str) {
        let count = self.implementations.len();
        let row = self.rows.entry(subject.to_owned()).or_default();
        row.vectors += 1;
        row.tallies.resize(count, Tally::default());
    }

    /// Counts a verdict; `reason` is that of the expectation which lists the vector.
    pub(crate) fn verdict(
        &mut self,
        subject: &str,
        vector: &str,
        verdict: &Verdict,
        expected: bool,
        reason: Option<&str>,
    ) {
        let implementation = verdict.implementation;
        if let Some(row) = self.rows.get_mut(subject) {
            row.tallies[implementation].add(&verdict.outcome, expected);
        }
        if let Some(bound) = &verdict.bound
            && let Some(standing) = Standing::of(&verdict.outcome, bound)
        {
            let element = bound.element.as_ref().map(|element| format!(": {element}")).unwrap_or_default();
            self.bounds.entry((implementation, standing)).or_default().push(format!("{vector}{element}"));
        }
        let name = self.implementations[implementation].clone();
        match (&verdict.outcome, expected) {
            (Outcome::Skipped(reason), _) => {
                *self.skipped.entry((implementation, reason.clone())).or_default() += 1;
            }
            (Outcome::Failed(_) | Outcome::Errored(_), true) => {
                self.known.entry((name, reason.unwrap_or_default().to_owned())).or_default().push(vector.to_owned());
            }
            (outcome, false) => {
                let what = match outcome {
                    Outcome::Failed(failure) => failure.to_string(),
                    Outcome::Errored(problem) => format!("errored: {problem}"),
                    _ => "passed, although it is expected to fail; take it off the expectations".into(),
                };
                self.unexpected.push(Unexpected { implementation: name, vector: vector.to_owned(), what });
            }
            (Outcome::Passed { .. } | Outcome::Open { .. }, true) => {}
        }
    }

    /// Notes a result that is not the same every time.
    pub(crate) fn flake(&mut self, vector: &str, implementation: usize, what: &str) {
        let implementation = self.implementations[implementation].clone();
        self.unexpected.push(Unexpected { implementation, vector: vector.to_owned(), what: format!("flaky: {what}") });
    }

    /// Counts a comparison of two implementations.
    pub(crate) fn parting(&mut self, subject: &str, vector: &str, parting: &Parting) {
        let Some(row) = self.rows.get_mut(subject) else {
            return;
        };
        let Some((distance, index)) = parting.worst else {
            row.of_other_shape += 1;
            return;
        };
        if row.worst.as_ref().is_none_or(|worst| distance > worst.distance) {
            row.worst = Some(Worst { distance, vector: vector.to_owned(), output: parting.output.clone(), index });
        }
    }

    /// How many results were not as expected.
    pub(crate) fn unexpected(&self) -> usize {
        self.unexpected.len()
    }

    /// Whether any vector ran on any implementation.
    pub(crate) fn ran(&self) -> bool {
        let skipped: usize = self.skipped.values().sum();
        let all: usize = self.rows.values().map(|row| row.vectors * self.implementations.len()).sum();
        skipped < all
    }

    /// Why an implementation did not start, where one did not.
    pub(crate) fn first_not_started(&self) -> Option<(&str, &str)> {
        let reasons = self.implementations.iter().zip(&self.not_started);
        reasons.filter_map(|(name, reason)| Some((name.as_str(), reason.as_deref()?))).next()
    }

    /// The table: a row for each subject, and one for all.
    pub(crate) fn table(&self) -> String {
        let names = self.rows.keys().map(String::len).max().unwrap_or(0).max("vectors".len());
        let compares = self.implementations.len() > 1;
        let mut text = String::new();
        _ = write!(text, "{:names$} {:>7}", "", "");
        for name in &self.implementations {
            _ = write!(text, "  {:<20}", shortened(name, 20));
        }
        _ = write!(text, "\n{:names$} {:>7}", "", "vectors");
        for _ in &self.implementations {
            _ = write!(text, " {:>5}{:>5}{:>6}{:>5}", "pass", "fail", "error", "skip");
        }
        let width = names + 8 + 22 * self.implementations.len() + if compares { 7 } else { 0 };
        _ = writeln!(text, "{}\n{}", if compares { " differ" } else { "" }, "\u{2500}".repeat(width));
        for (subject, row) in self.rows.iter().map(|(subject, row)| (subject.as_str(), row)) {
            row.write(&mut text, subject, names, compares);
        }
        self.total().write(&mut text, "all", names, compares);
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
    }

    fn total(&self) -> Row {
        let mut total = Row { tallies: vec![Tally::default(); self.implementations.len()], ..Row::default() };
        for row in self.rows.values() {
            total.vectors += row.vectors;
            if let Some(worst) = &row.worst
                && total.worst.as_ref().is_none_or(|so_far| worst.distance > so_far.distance)
            {
                total.worst = Some(worst.clone());
            }
            total.of_other_shape += row.of_other_shape;
            for (sum, tally) in total.tallies.iter_mut().zip(&row.tallies) {
                sum.passed += tally.passed;
                sum.bit_equal += tally.bit_equal;
                sum.failed += tally.failed;
                sum.errored += tally.errored;
                sum.skipped += tally.skipped;
                sum.open += tally.open;
                sum.expected_failures += tally.expected_failures;
            }
        }
        total
    }

    /// Where the implementations part, the largest distances first.
    fn largest_differences(&self, text: &mut String) {
        const MOST: usize = 8;
        let mut worst: Vec<&Worst> = self.rows.values().filter_map(|row| row.worst.as_ref()).collect();
        worst.retain(|worst| !worst.distance.is_zero());
        worst.sort_by(|a, b| b.distance.partial_cmp(&a.distance).unwrap_or(Ordering::Equal));
        if worst.is_empty() {
            return;
        }
        _ = writeln!(text, "they differ most, for each row of the table, in:");
        for Worst { distance, vector, output, index } in worst.iter().take(MOST) {
            _ = writeln!(text, "  {distance:<8} {vector}, {output}[{index}]", distance = distance.to_string());
        }
    }

    /// What the derived bound says, for each implementation that was judged by it.
    fn by_the_bound(&self, text: &mut String, most: usize) {
        for (implementation, name) in self.implementations.iter().enumerate() {
            let of = |standing| self.bounds.get(&(implementation, standing)).map_or(&[][..], Vec::as_slice);
            let kinds = [
                (Standing::HiddenFault, "within the tolerance but outside the bound"),
                (Standing::Fault, "outside both"),
                (Standing::IllConditioned, "beyond the tolerance but inside the bound (ill-conditioned)"),
                (Standing::Disputed, "beyond the tolerance of numbers that are outside the bound"),
                (Standing::Undecided, "undecided"),
            ];
            let counts: Vec<String> =
                kinds.iter().map(|(kind, words)| format!("{} {words}", of(*kind).len())).collect();
            if !self.bounds.keys().any(|(judged, _)| *judged == implementation) {
                continue;
            }
            let passed = of(Standing::Passed).len();
            _ = writeln!(text, "{name} by the derived bound: {passed} inside, {}", counts.join(", "));
            for (kind, words) in kinds {
                for vector in of(kind).iter().take(most) {
                    _ = writeln!(text, "    {words}: {vector}");
                }
                if of(kind).len() > most {
                    _ = writeln!(text, "    ... and {} more {words}, in the result file", of(kind).len() - most);
                }
            }
        }
    }

    /// What stands below the table: implementations, known failures, skipped vectors, and what was unexpected.
    pub(crate) fn remarks(&self, most_unexpected: usize, arguments: &str) -> String {
        let mut text = String::new();
        let total = self.total();
        for (implementation, name) in self.implementations.iter().enumerate() {
            let tally = total.tallies[implementation];
            _ = match (&self.descriptions[implementation], &self.not_started[implementation]) {
                (_, Some(reason)) => writeln!(text, "{name}: skipped. {reason}"),
                (description, None) => {
                    let adapter = description.as_ref().and_then(|description| description.adapter.as_deref());
                    let adapter = adapter.map(|adapter| format!(" on {adapter}")).unwrap_or_default();
                    let facts = description.as_ref().map(|description| description.facts.join("; "));
                    let facts = facts.filter(|facts| !facts.is_empty()).map(|facts| format!(" ({facts})"));
                    writeln!(
                        text,
                        "{name}{adapter}: {} passed, {} of them equal to the last bit{}",
                        tally.passed,
                        tally.bit_equal,
                        facts.unwrap_or_default()
                    )
                }
            };
        }
        self.largest_differences(&mut text);
        self.by_the_bound(&mut text, most_unexpected);
        for ((implementation, reason), count) in &self.skipped {
            if self.not_started[*implementation].is_none() {
                _ = writeln!(text, "{}: {count} skipped: {reason}", self.implementations[*implementation]);
            }
        }
        for ((name, reason), vectors) in &self.known {
            _ = writeln!(text, "{name}: {} known to fail: {reason}", vectors.len());
            for vector in vectors.iter().take(MOST_KNOWN) {
                _ = writeln!(text, "    {vector}");
            }
            if vectors.len() > MOST_KNOWN {
                _ = writeln!(text, "    ... and {} more, in the result file", vectors.len() - MOST_KNOWN);
            }
        }
        if !self.unexpected.is_empty() {
            _ = writeln!(text, "\n{} unexpected:", self.unexpected.len());
        }
        for unexpected in self.unexpected.iter().take(most_unexpected) {
            let Unexpected { implementation, vector, what } = unexpected;
            _ = writeln!(text, "  {implementation}  {vector}\n    {what}");
        }
        if self.unexpected.len() > most_unexpected {
            _ = writeln!(text, "  ... and {} more, in the result file", self.unexpected.len() - most_unexpected);
        }
        if let Some(unexpected) = self.unexpected.first() {
            _ = writeln!(text, "\nTo see one: webnn explain {:?}{arguments}", unexpected.vector);
        }
        text
    }
}

impl Row {
    fn write(&self, text: &mut String, subject: &str, width: usize, compares: bool) {
        _ = write!(text, "{subject:width$} {:>7}", self.vectors);
        for tally in &self.tallies {
            let unexpected = tally.failed + tally.errored > tally.expected_failures;
            let failed = if unexpected { AnsiColor::Red } else { AnsiColor::Yellow };
            text.push(' ');
            text.push_str(&count(tally.passed, 5, Some(AnsiColor::Green)));
            text.push_str(&count(tally.failed, 5, Some(failed)));
            text.push_str(&count(tally.errored, 6, Some(failed)));
            text.push_str(&count(tally.skipped + tally.open, 5, None));
        }
        if compares {
            _ = write!(text, "  {}", self.difference());
        }
        text.push('\n');
    }

    fn difference(&self) -> String {
        match &self.worst {
            _ if self.of_other_shape > 0 => format!("{} other shapes", self.of_other_shape),
            Some(worst) if worst.distance.is_zero() => "0 ULP".into(),
            Some(worst) => worst.distance.to_string(),
            None => String::new(),
        }
    }
}

/// A count in a column of its own, or nothing where there is none.
fn count(count: usize, width: usize, colour: Option<AnsiColor>) -> String {
    match colour {
        _ if count == 0 => " ".repeat(width),
        None => format!("{count:>width$}"),
        Some(colour) => {
            let style = colour.on_default();
            format!("{style}{count:>width$}{style:#}")
        }
    }
}

/// A name that is short enough for its column.
fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        name.to_owned()
    } else {
        name.chars().take(most - 3).chain("...".chars()).collect()
    }
}
