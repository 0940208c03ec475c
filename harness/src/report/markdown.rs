//! A report in Markdown: for the summary of a CI job, or a comment on a pull request.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::scope::Restriction;
use crate::failure::Failure;
use crate::judge::bound::Standing;
use crate::judge::literal;
use crate::markdown::{code, in_html, text as escaped};
use crate::record::{Brief, Record, ResultLine, Went};
use crate::score::Score;
use crate::shown::plural;

/// How many unexpected results, and flakes, are listed.
const MOST: usize = 50;

/// How many different reasons are listed for an implementation.
const MOST_REASONS: usize = 500;

/// The report.
///
/// # Errors
/// If the record can not be read again.
pub(crate) fn text(record: &Record) -> Result<String, Failure> {
    let mut text = String::from("## WebNN conformance\n\n");
    let scope = Restriction::sentence(record);
    if let Some(sentence) = &scope {
        _ = writeln!(text, "**{}**\n", escaped(sentence));
    }
    let names = record.implementations();
    _ = writeln!(text, "| | {} |", names.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(" | "));
    _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
    let scores = Score::of_all(record);
    let mut cells = |title: &str, of: &dyn Fn(&Score) -> String| {
        _ = writeln!(text, "| {title} | {} |", scores.iter().map(of).collect::<Vec<_>>().join(" | "));
    };
    let mut row = |title: &str, of: fn(&Score) -> usize| cells(title, &|score| of(score).to_string());
    row("passed", |score| score.passed);
    row("failed", |score| score.failed);
    row("errored", |score| score.errored);
    row("skipped", |score| score.skipped);
    row("left open by the specification", |score| score.open);
    row("**unexpected**", |score| score.unexpected);
    cells("of what passed with numbers, equal to the last bit", &|score| match score.with_numbers {
        0 => String::new(),
        with_numbers => format!("{} of {with_numbers}", score.bit_equal),
    });
    for (name, reason) in &record.not_started {
        _ = writeln!(text, "\n{} did not start: {}", code(name), escaped(reason));
    }
    let bounds = ByTheBound::of(record)?;
    unexpected(&mut text, record, &scores, scope.is_some(), bounds.finds_something())?;
    flaky(&mut text, record)?;
    bounds.write(&mut text, record);
    by_subject(&mut text, record);
    explained(&mut text, record)?;
    Ok(text)
}

/// What there is of one reason.
#[derive(Clone, Copy, Debug, Default)]
struct Explained {
    count: usize,
    /// How many of them went otherwise than the vector has it, where that is left open.
    otherwise: usize,
}

/// Why vectors did not pass although that is as expected: known failures, what was skipped, and what is left open, each with
/// its reason and how many vectors it is of.
fn explained(text: &mut String, record: &Record) -> Result<(), Failure> {
    for (implementation, name) in record.implementations().iter().enumerate() {
        let mut reasons: BTreeMap<(&str, String), Explained> = BTreeMap::new();
        let (mut others, mut otherwise) = (0, 0);
        let takes = |of, brief: &Brief| of == implementation && brief.expected && brief.outcome != Went::Passed;
        for result in record.results(takes) {
            let (.., result) = result?;
            let reason = result.known().unwrap_or_else(|| result.message()).to_owned();
            let key = (result.outcome.as_str(), reason);
            otherwise += usize::from(result.is_otherwise());
            if reasons.len() < MOST_REASONS || reasons.contains_key(&key) {
                let explained = reasons.entry(key).or_default();
                explained.count += 1;
                explained.otherwise += usize::from(result.is_otherwise());
            } else {
                others += 1;
            }
        }
        if reasons.is_empty() {
            continue;
        }
        let mut of_it: Vec<_> = reasons.into_iter().collect();
        of_it.sort_by_key(|((went, _), explained)| (*went, Reverse(explained.count)));
        if otherwise > 0 {
            let (name, vectors) = (escaped(name), plural(otherwise, "vector"));
            _ = writeln!(
                text,
                "\n{name}: {vectors} that the specification leaves open went otherwise than the vector has it."
            );
        }
        _ = writeln!(text, "\n<details><summary>{}: why vectors did not pass, as expected</summary>\n", in_html(name));
        _ = writeln!(text, "| | vectors | why |\n|---|---:|---|");
        for ((went, reason), Explained { count, otherwise }) in of_it {
            let otherwise = if otherwise > 0 { format!(", {otherwise} otherwise") } else { String::new() };
            _ = writeln!(text, "| {went} | {count}{otherwise} | {} |", escaped(&reason));
        }
        if others > 0 {
            _ = writeln!(text, "| | {others} | for other reasons, which the result file has |");
        }
        _ = writeln!(text, "\n</details>");
    }
    Ok(())
}

fn unexpected(
    text: &mut String,
    record: &Record,
    scores: &[Score],
    is_a_part: bool,
    has_findings: bool,
) -> Result<(), Failure> {
    let count: usize = scores.iter().map(|score| score.unexpected).sum();
    if count == 0 {
        let is_judged = scores.iter().any(|score| score.judged() > 0);
        let what = if is_a_part { "What was run" } else { "Everything" };
        let but = if has_findings { ", but for what the derived bound finds" } else { "" };
        let sentence =
            if is_judged { format!("{what} was as expected{but}.") } else { "Nothing was judged.".to_owned() };
        _ = writeln!(text, "\n{sentence}");
        return Ok(());
    }
    _ = writeln!(text, "\n### Not as expected\n");
    for result in record.results(|_, brief| !brief.expected).take(MOST) {
        let (.., result) = result?;
        let message = match result.message() {
            "" => "passed, although it is expected to fail",
            message => message.lines().next().unwrap_or_default(),
        };
        let (vector, name) = (code(&result.vector), escaped(&result.implementation));
        _ = writeln!(text, "- {vector} on {name}: {}{}", escaped(message), of_the_text(&result));
    }
    and_more(text, count);
    Ok(())
}

/// That the specification's text asks for a failure as it is written.
fn of_the_text(result: &ResultLine) -> String {
    result.as_written().map(|issue| format!("; {}", escaped(&literal::told(issue)))).unwrap_or_default()
}

/// What the derived bound says, where it was asked.
#[derive(Debug, Default)]
struct ByTheBound {
    counts: BTreeMap<(usize, Standing), usize>,
    /// The first of what is not inside.
    first: Vec<String>,
    /// How many of these there are.
    found: usize,
}

impl ByTheBound {
    fn of(record: &Record) -> Result<Self, Failure> {
        let mut all = Self::default();
        if record.header.more.get("bounds").and_then(Json::as_bool) != Some(true) {
            return Ok(all);
        }
        for result in record.results(|_, _| true) {
            let (_, implementation, result) = result?;
            let Some(standing) = result.standing() else {
                continue;
            };
            *all.counts.entry((implementation, standing)).or_default() += 1;
            if let Some(words) = standing.words() {
                all.found += 1;
                if all.first.len() < MOST {
                    let element = result.element().map(|element| format!(": {element}")).unwrap_or_default();
                    let (vector, name) = (code(&result.vector), escaped(&result.implementation));
                    all.first.push(format!("- {vector} on {name}: {words}{}", escaped(&element)));
                }
            }
        }
        Ok(all)
    }

    fn finds_something(&self) -> bool {
        self.found > 0
    }

    fn write(&self, text: &mut String, record: &Record) {
        if self.counts.is_empty() {
            return;
        }
        _ = writeln!(text, "\n### By the derived bound\n");
        for (implementation, name) in record.implementations().iter().enumerate() {
            let of_it = self.counts.iter().filter(|((of, _), _)| *of == implementation);
            let counts: Vec<String> = of_it
                .map(|((_, standing), count)| format!("{count} {}", standing.words().unwrap_or("inside")))
                .collect();
            if !counts.is_empty() {
                _ = writeln!(text, "{}: {}\n", escaped(name), counts.join(", "));
            }
        }
        self.first.iter().for_each(|line| _ = writeln!(text, "{line}"));
        and_more(text, self.found);
    }
}

fn flaky(text: &mut String, record: &Record) -> Result<(), Failure> {
    let flakes = record.flakes();
    let count = flakes.len();
    for flake in flakes.take(MOST) {
        let flake = flake?;
        let (name, message) = (escaped(&flake.implementation), escaped(&flake.message));
        _ = writeln!(text, "- flaky: {} on {name}: {message}", code(&flake.vector));
    }
    and_more(text, count);
    Ok(())
}

fn and_more(text: &mut String, count: usize) {
    if count > MOST {
        _ = writeln!(text, "- and {} more", count - MOST);
    }
}

fn by_subject(text: &mut String, record: &Record) {
    let names = record.implementations();
    _ = writeln!(text, "\n<details><summary>by operator: passed of judged</summary>\n");
    _ = writeln!(text, "| | {} |", names.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(" | "));
    _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
    for (subject, scores) in Score::by_subject(record) {
        let cell = |score: &Score| match score.judged() {
            0 => String::new(),
            judged => format!("{} / {judged}", score.passed),
        };
        _ = writeln!(text, "| {} | {} |", escaped(subject), scores.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    _ = writeln!(text, "\n</details>");
}
