//! What a run came to: a table of the subjects (an operator, or a file of scenarios), and a list of what needs a look.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::AnsiColor;
use indexmap::IndexMap;

use crate::failure::Failure;
use crate::implementation::Description;
use crate::judge::Outcome;
use crate::judge::bound::{Element, Standing};
use crate::judge::distance::Distance;
use crate::judge::literal;
use crate::record::{Record, Went};
use crate::run::{Parting, Verdict};
use crate::score::Score;
use crate::selection::is_operator_of_the_specification;
use crate::shown;

/// How many known failures are named for each reason.
const MOST_KNOWN: usize = 12;

/// How many reasons for which vectors were skipped are told apart.
const MOST_REASONS: usize = 200;

/// The others.
const OTHER_REASONS: &str = "for other reasons, which the result file has";

/// How many there are, and what the first of them are called: of a run of any length so many are remembered.
#[derive(Clone, Debug, Default)]
struct Listed {
    count: usize,
    first: Vec<String>,
}

impl Listed {
    fn add(&mut self, name: &str, more: &str, most: usize) {
        self.count += 1;
        if self.first.len() < most {
            self.first.push(format!("{}{more}", shown::name(name)));
        }
    }

    fn write(&self, text: &mut String) {
        for name in &self.first {
            _ = writeln!(text, "        {name}");
        }
        if self.count > self.first.len() {
            _ = writeln!(text, "        ... and {} more, in the result file", self.count - self.first.len());
        }
    }
}

/// What the specification leaves open, for one reason.
#[derive(Clone, Debug, Default)]
struct LeftOpen {
    count: usize,
    /// Those that went otherwise than the vector has it.
    otherwise: Listed,
}

/// A result, as it is counted.
struct Counted<'a> {
    implementation: usize,
    subject: &'a str,
    vector: &'a str,
    went: Went,
    bit_equal: Option<bool>,
    expected: bool,
    message: &'a str,
    known: Option<&'a str>,
    /// What to do about a pass that is not expected.
    remedy: &'a str,
    bound: Option<(Standing, String)>,
    /// Whether what is left open went otherwise than the vector has it.
    is_otherwise: bool,
    as_written: Option<&'a str>,
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
    scores: Vec<Score>,
    worst: Option<Worst>,
    of_other_shape: usize,
}

/// What was not as expected, for one cause: on an implementation, with messages that begin with the same line, and
/// the same to be said of them.
#[derive(Clone, Debug)]
struct Unexpected {
    /// The first.
    vector: String,
    what: String,
    count: usize,
}

/// What was not as expected, by implementation and cause, in the order in which it came.
type Causes = IndexMap<(usize, String), Unexpected>;

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Summary {
    implementations: Vec<String>,
    /// How many causes of unexpected results are shown in full.
    most: usize,
    descriptions: Vec<Option<Description>>,
    not_started: Vec<Option<String>>,
    rows: BTreeMap<String, Row>,
    unexpected: usize,
    failures: Causes,
    errors: Causes,
    known: BTreeMap<(String, String), Listed>,
    skipped: BTreeMap<(usize, String), usize>,
    open: BTreeMap<(usize, String), LeftOpen>,
    bounds: BTreeMap<(usize, Standing), Listed>,
}

impl Summary {
    pub(crate) fn new(implementations: Vec<String>, most: usize) -> Self {
        let count = implementations.len();
        Self {
            implementations,
            most,
            descriptions: vec![None; count],
            not_started: vec![None; count],
            rows: BTreeMap::new(),
            unexpected: 0,
            failures: Causes::new(),
            errors: Causes::new(),
            known: BTreeMap::new(),
            skipped: BTreeMap::new(),
            open: BTreeMap::new(),
            bounds: BTreeMap::new(),
        }
    }

    /// Counts what is kept of a run that this one goes on with.
    ///
    /// # Errors
    /// If it can not be read again.
    pub(crate) fn recorded(&mut self, record: &Record) -> Result<(), Failure> {
        for result in record.results(|_, _| true) {
            let (vector, implementation, result) = result?;
            let bound = result.standing().map(|standing| (standing, told(result.element().as_ref())));
            self.count(&Counted {
                implementation,
                subject: record.subject(vector),
                vector: &result.vector,
                went: result.outcome,
                bit_equal: result.bit_equal(),
                expected: result.expected,
                message: result.message(),
                known: result.known(),
                remedy: "take it off the expectations",
                bound,
                is_otherwise: result.is_otherwise(),
                as_written: result.as_written(),
            });
        }
        for difference in record.differences() {
            let (vector, difference) = difference?;
            let worst = difference.worst.as_deref().and_then(|worst| worst.parse().ok()).zip(difference.index);
            self.part(record.subject(vector), &difference.vector, &difference.output, worst);
        }
        for (implementation, name) in self.implementations.iter().enumerate() {
            self.descriptions[implementation] = record.descriptions.get(name).cloned();
            self.not_started[implementation] = record.not_started.get(name).cloned();
        }
        Ok(())
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
        row.scores.resize(count, Score::default());
    }

    /// Counts a verdict; `known` is why it is known not to be a pass, and `remedy` what to do if it is one nevertheless.
    pub(crate) fn verdict(
        &mut self,
        subject: &str,
        vector: &str,
        verdict: &Verdict,
        expected: bool,
        known: Option<&str>,
        remedy: &str,
    ) {
        let (went, message) = match &verdict.outcome {
            Outcome::Passed { .. } => (Went::Passed, String::new()),
            Outcome::Failed(failure) => (Went::Failed, failure.to_string()),
            Outcome::Errored(problem) => (Went::Errored, problem.clone()),
            Outcome::Skipped(reason) => (Went::Skipped, reason.clone()),
            Outcome::Open { reason, .. } => (Went::Open, reason.clone()),
        };
        let bound = verdict.bound.as_ref().and_then(|bound| {
            Standing::of(&verdict.outcome, bound).map(|standing| (standing, told(bound.element.as_ref())))
        });
        let bit_equal = match verdict.outcome {
            Outcome::Passed { numbers } => numbers.map(|numbers| numbers.bit_equal),
            Outcome::Failed(_) | Outcome::Errored(_) | Outcome::Skipped(_) | Outcome::Open { .. } => None,
        };
        self.count(&Counted {
            implementation: verdict.implementation,
            subject,
            vector,
            went,
            bit_equal,
            expected,
            message: &message,
            known,
            remedy,
            bound,
            is_otherwise: matches!(verdict.outcome, Outcome::Open { difference: Some(_), .. }),
            as_written: verdict.as_written.as_deref(),
        });
    }

    fn count(&mut self, counted: &Counted<'_>) {
        let Counted { implementation, subject, vector, went, bit_equal, expected, message, known, bound, .. } = counted;
        if let Some(row) = self.rows.get_mut(*subject) {
            row.scores[*implementation].add(*went, *bit_equal, *expected);
        }
        if let Some((standing, element)) = bound {
            let listed = self.bounds.entry((*implementation, *standing)).or_default();
            listed.add(vector, element, self.most);
        }
        let name = &self.implementations[*implementation];
        match (went, expected) {
            (Went::Skipped, _) => self.add_skipped(*implementation, message),
            (Went::Open, true) => self.add_open(*implementation, vector, message, counted.is_otherwise),
            (Went::Failed | Went::Errored, true) => {
                let reason = (name.clone(), known.unwrap_or_default().to_owned());
                self.known.entry(reason).or_default().add(vector, "", MOST_KNOWN);
            }
            (went, false) => {
                let what = match went {
                    Went::Errored => format!("errored: {message}"),
                    Went::Passed => format!("passed, although it is expected to fail; {}", counted.remedy),
                    Went::Failed | Went::Skipped | Went::Open => (*message).to_owned(),
                };
                let remark = of_the_text(counted.as_written);
                self.add_unexpected(*implementation, vector, &what, &remark, *went == Went::Errored);
            }
            (Went::Passed, true) => {}
        }
    }

    fn add_skipped(&mut self, implementation: usize, reason: &str) {
        *of_a_reason(&mut self.skipped, implementation, reason) += 1;
    }

    fn add_open(&mut self, implementation: usize, vector: &str, reason: &str, is_otherwise: bool) {
        let open = of_a_reason(&mut self.open, implementation, reason);
        open.count += 1;
        if is_otherwise {
            open.otherwise.add(vector, "", MOST_KNOWN);
        }
    }

    fn add_unexpected(&mut self, implementation: usize, vector: &str, what: &str, remark: &str, is_error: bool) {
        self.unexpected += 1;
        let causes = if is_error { &mut self.errors } else { &mut self.failures };
        let cause = (implementation, what.lines().next().unwrap_or_default().to_owned() + remark);
        if let Some(unexpected) = causes.get_mut(&cause) {
            unexpected.count += 1;
        } else if causes.len() < self.most.max(1) {
            // The first is named in any case.
            let what = format!("{what}{remark}");
            causes.insert(cause, Unexpected { vector: vector.to_owned(), what, count: 1 });
        }
    }

    /// Notes a result that is not the same every time.
    pub(crate) fn flake(&mut self, vector: &str, implementation: usize, what: &str) {
        self.add_unexpected(implementation, vector, &format!("flaky: {what}"), "", false);
    }

    /// Counts a comparison of two implementations.
    pub(crate) fn parting(&mut self, subject: &str, vector: &str, parting: &Parting) {
        self.part(subject, vector, &parting.output, parting.worst);
    }

    fn part(&mut self, subject: &str, vector: &str, output: &str, worst: Option<(Distance, usize)>) {
        let Some(row) = self.rows.get_mut(subject) else {
            return;
        };
        let Some((distance, index)) = worst else {
            row.of_other_shape += 1;
            return;
        };
        if row.worst.as_ref().is_none_or(|worst| distance > worst.distance) {
            row.worst = Some(Worst { distance, vector: vector.to_owned(), output: output.to_owned(), index });
        }
    }

    /// How many results are within the tolerance of their vectors, but outside the derived bound.
    pub(crate) fn hidden_faults(&self) -> usize {
        let hidden = self.bounds.iter().filter(|((_, standing), _)| *standing == Standing::HiddenFault);
        hidden.map(|(_, listed)| listed.count).sum()
    }

    /// How many results were not as expected.
    pub(crate) fn unexpected(&self) -> usize {
        self.unexpected
    }

    /// Whether any vector ran on any implementation.
    pub(crate) fn ran(&self) -> bool {
        let skipped: usize = self.skipped.values().sum();
        let all: usize = self.rows.values().map(|row| row.vectors * self.implementations.len()).sum();
        skipped < all
    }

    /// The first implementation that did not start, where one did not.
    pub(crate) fn first_not_started(&self) -> Option<&str> {
        let all = self.implementations.iter().zip(&self.not_started);
        all.filter(|(_, reason)| reason.is_some()).map(|(name, _)| name.as_str()).next()
    }

    /// Why implementations did not start.
    pub(crate) fn reasons_not_started(&self) -> String {
        let all = self.implementations.iter().zip(&self.not_started);
        let reasons = all.filter_map(|(name, reason)| Some(format!("{name} did not start: {}", reason.as_ref()?)));
        reasons.collect::<Vec<_>>().join("\n")
    }

    /// The table: a row for each subject, and one for all.
    pub(crate) fn table(&self) -> String {
        let names = self.rows.keys().map(|subject| shown::name(subject).len()).max().unwrap_or(0).max("vectors".len());
        let compares = self.implementations.len() > 1;
        let total = self.total();
        let mut text = String::new();
        _ = write!(text, "{:names$} {:>7}", "", "");
        // What the specification leaves open has a column where there is any.
        let has_open: Vec<bool> = total.scores.iter().map(|score| score.open > 0).collect();
        for (name, has_open) in self.implementations.iter().zip(&has_open) {
            let width = if *has_open { 25 } else { 20 };
            _ = write!(text, "  {:<width$}", shortened(&shown::name(name), width));
        }
        _ = write!(text, "\n{:names$} {:>7}", "", "vectors");
        for has_open in &has_open {
            let open = if *has_open { " open" } else { "" };
            _ = write!(text, " {:>5}{:>5}{:>6}{:>5}{open}", "pass", "fail", "error", "skip");
        }
        let columns: usize = has_open.iter().map(|has_open| if *has_open { 27 } else { 22 }).sum();
        let width = names + 8 + columns + if compares { 7 } else { 0 };
        _ = writeln!(text, "{}\n{}", if compares { " differ" } else { "" }, "\u{2500}".repeat(width));
        let is_file = |(subject, _): &(&String, &Row)| !is_operator_of_the_specification(subject);
        let (files, operators): (Vec<_>, Vec<_>) = self.rows.iter().partition(is_file);
        for (subject, row) in &operators {
            row.write(&mut text, subject, names, &has_open, compares);
        }
        if !files.is_empty() && !operators.is_empty() {
            _ = writeln!(text, "\nof several operators, or of calls, by file:");
        }
        for (subject, row) in &files {
            row.write(&mut text, &shown::name(subject), names, &has_open, compares);
        }
        _ = writeln!(text, "{}", "\u{2500}".repeat(width));
        total.write(&mut text, "all", names, &has_open, compares);
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
    }

    fn total(&self) -> Row {
        let mut total = Row { scores: vec![Score::default(); self.implementations.len()], ..Row::default() };
        for row in self.rows.values() {
            total.vectors += row.vectors;
            if let Some(worst) = &row.worst
                && total.worst.as_ref().is_none_or(|so_far| worst.distance > so_far.distance)
            {
                total.worst = Some(worst.clone());
            }
            total.of_other_shape += row.of_other_shape;
            for (sum, score) in total.scores.iter_mut().zip(&row.scores) {
                *sum += *score;
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
            let (distance, vector, output) = (distance.to_string(), shown::name(vector), shown::name(output));
            _ = writeln!(text, "  {distance:<8} {vector}, {output}[{index}]");
        }
    }

    /// What the derived bound says, for each implementation that was judged by it.
    fn by_the_bound(&self, text: &mut String) {
        const KINDS: [Standing; 5] =
            [Standing::HiddenFault, Standing::Fault, Standing::IllConditioned, Standing::Disputed, Standing::Undecided];
        for (implementation, name) in self.implementations.iter().enumerate() {
            if !self.bounds.keys().any(|(judged, _)| *judged == implementation) {
                continue;
            }
            let of = |standing| self.bounds.get(&(implementation, standing));
            let passed = of(Standing::Passed).map_or(0, |listed| listed.count);
            _ = writeln!(text, "{name} by the derived bound: {passed} inside");
            for (listed, words) in KINDS.into_iter().filter_map(|kind| Some((of(kind)?, kind.words()?))) {
                _ = writeln!(text, "    {} {words}:", listed.count);
                listed.write(text);
            }
        }
    }

    /// What stands below the table: implementations, known failures, skipped vectors, and what was unexpected.
    pub(crate) fn remarks(&self, arguments: &str) -> String {
        let mut text = String::new();
        let total = self.total();
        for (implementation, name) in self.implementations.iter().enumerate() {
            _ = match (&self.descriptions[implementation], &self.not_started[implementation]) {
                (_, Some(reason)) => writeln!(text, "{name}: skipped, as it did not start: {reason}"),
                (description, None) => {
                    let adapter = description.as_ref().and_then(|description| description.adapter.as_deref());
                    let adapter = adapter.map(|adapter| format!(" on {adapter}")).unwrap_or_default();
                    let facts = description.as_ref().map(|description| description.facts.join("; "));
                    let facts = facts.filter(|facts| !facts.is_empty()).map(|facts| format!(" ({facts})"));
                    let passed = total.scores[implementation].passed_in_words();
                    writeln!(text, "{name}{adapter}: {passed}{}", facts.unwrap_or_default())
                }
            };
        }
        self.largest_differences(&mut text);
        self.by_the_bound(&mut text);
        self.left_open(&mut text, &total.scores);
        for ((implementation, reason), count) in &self.skipped {
            if self.not_started[*implementation].is_none() {
                _ = writeln!(text, "{}: {count} skipped: {reason}", self.implementations[*implementation]);
            }
        }
        for ((name, reason), vectors) in &self.known {
            _ = writeln!(text, "{name}: {} known to fail: {reason}", vectors.count);
            vectors.write(&mut text);
        }
        self.by_cause(&mut text);
        if let Some(unexpected) = self.failures.values().chain(self.errors.values()).next() {
            _ = writeln!(text, "\nTo see one: webnn explain {}{arguments}", shown::argument(&unexpected.vector));
        }
        text
    }

    /// What the specification leaves open, for each implementation that was asked.
    fn left_open(&self, text: &mut String, scores: &[Score]) {
        for (implementation, name) in self.implementations.iter().enumerate() {
            let of_it = || self.open.iter().filter(|((of, _), _)| *of == implementation);
            let otherwise: usize = of_it().map(|(_, open)| open.otherwise.count).sum();
            let open = scores[implementation].open;
            if open > 0 {
                _ = writeln!(
                    text,
                    "{name}: {open} left open by the specification, {otherwise} of them otherwise than the vector has it"
                );
            }
            for ((_, reason), LeftOpen { count, otherwise }) in of_it().filter(|(_, open)| open.otherwise.count > 0) {
                _ = writeln!(text, "    {} of {count}: {reason}", otherwise.count);
                otherwise.write(text);
            }
        }
    }

    /// What was not as expected: failures first, since whatever broke breaks many, and each cause once.
    fn by_cause(&self, text: &mut String) {
        if self.unexpected == 0 {
            return;
        }
        _ = writeln!(text, "\n{} unexpected:", self.unexpected);
        let mut left = self.unexpected;
        for ((implementation, _), Unexpected { vector, what, count }) in
            self.failures.iter().chain(&self.errors).take(self.most)
        {
            let others = if *count > 1 { format!(", and {} more with this message", count - 1) } else { String::new() };
            let (name, vector) = (&self.implementations[*implementation], shown::name(vector));
            _ = writeln!(text, "  {name}  {vector}{others}\n    {what}");
            left -= count;
        }
        if left > 0 {
            _ = writeln!(text, "  ... and {left} more, in the result file");
        }
    }
}

/// What is counted for a reason; for the others together, where there are too many.
fn of_a_reason<'a, T: Default>(
    reasons: &'a mut BTreeMap<(usize, String), T>,
    implementation: usize,
    reason: &str,
) -> &'a mut T {
    let key = (implementation, reason.to_owned());
    let is_listed = reasons.len() < MOST_REASONS || reasons.contains_key(&key);
    reasons.entry(if is_listed { key } else { (implementation, OTHER_REASONS.to_owned()) }).or_default()
}

/// An element, behind the name of its vector.
fn told(element: Option<&Element>) -> String {
    element.map(|element| format!(": {element}")).unwrap_or_default()
}

/// That the specification's text asks for a failure as it is written, on a line of its own.
fn of_the_text(issue: Option<&str>) -> String {
    issue.map(|issue| format!("\n    {}", literal::told(issue))).unwrap_or_default()
}

impl Row {
    fn write(&self, text: &mut String, subject: &str, width: usize, has_open: &[bool], compares: bool) {
        _ = write!(text, "{subject:width$} {:>7}", self.vectors);
        for (score, has_open) in self.scores.iter().zip(has_open) {
            let unexpected = score.failed + score.errored > score.known;
            let failed = if unexpected { AnsiColor::Red } else { AnsiColor::Yellow };
            text.push(' ');
            text.push_str(&count(score.passed, 5, Some(AnsiColor::Green)));
            text.push_str(&count(score.failed, 5, Some(failed)));
            text.push_str(&count(score.errored, 6, Some(failed)));
            text.push_str(&count(score.skipped, 5, None));
            if *has_open {
                text.push_str(&count(score.open, 5, None));
            }
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
