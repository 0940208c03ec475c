//! A report in Markdown: for the summary of a CI job, or a comment on a pull request.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Score;
use crate::failure::Failure;
use crate::record::{Brief, Record, Went};

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
    let names = record.implementations();
    _ = writeln!(text, "| | {} |", names.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(" | "));
    _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
    let scores = Score::of_all(record);
    let mut row = |title: &str, of: fn(&Score) -> usize| {
        let cells: Vec<String> = scores.iter().map(|score| of(score).to_string()).collect();
        _ = writeln!(text, "| {title} | {} |", cells.join(" | "));
    };
    row("passed", |score| score.passed);
    row("failed", |score| score.failed);
    row("errored", |score| score.errored);
    row("skipped", |score| score.skipped);
    row("left open by the specification", |score| score.open);
    row("**unexpected**", |score| score.unexpected);
    for (name, reason) in &record.not_started {
        _ = writeln!(text, "\n`{name}` did not start: {}", escaped(reason));
    }
    unexpected(&mut text, record, &scores)?;
    flaky(&mut text, record)?;
    by_subject(&mut text, record);
    explained(&mut text, record)?;
    Ok(text)
}

/// Why vectors did not pass although that is as expected: known failures, what was skipped, and what is left open, each with
/// its reason and how many vectors it is of.
fn explained(text: &mut String, record: &Record) -> Result<(), Failure> {
    for (implementation, name) in record.implementations().iter().enumerate() {
        let mut reasons: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let mut others = 0;
        let takes = |of, brief: &Brief| of == implementation && brief.expected && brief.outcome != Went::Passed;
        for result in record.results(takes) {
            let (.., result) = result?;
            let reason = result.known().unwrap_or_else(|| result.message()).to_owned();
            let key = (result.outcome.as_str(), reason);
            if reasons.len() < MOST_REASONS || reasons.contains_key(&key) {
                *reasons.entry(key).or_default() += 1;
            } else {
                others += 1;
            }
        }
        if reasons.is_empty() {
            continue;
        }
        let mut of_it: Vec<_> = reasons.into_iter().collect();
        of_it.sort_by_key(|((went, _), count)| (*went, Reverse(*count)));
        let name = escaped(name);
        _ = writeln!(text, "\n<details><summary>{name}: why vectors did not pass, as expected</summary>\n");
        _ = writeln!(text, "| | vectors | why |\n|---|---:|---|");
        for ((went, reason), count) in of_it {
            _ = writeln!(text, "| {went} | {count} | {} |", escaped(&reason));
        }
        if others > 0 {
            _ = writeln!(text, "| | {others} | for other reasons, which the result file has |");
        }
        _ = writeln!(text, "\n</details>");
    }
    Ok(())
}

fn unexpected(text: &mut String, record: &Record, scores: &[Score]) -> Result<(), Failure> {
    let count: usize = scores.iter().map(|score| score.unexpected).sum();
    if count == 0 {
        let is_judged = scores.iter().any(|score| score.judged() > 0);
        _ = writeln!(text, "\n{}", if is_judged { "Everything was as expected." } else { "Nothing was judged." });
        return Ok(());
    }
    _ = writeln!(text, "\n### Not as expected\n");
    for result in record.results(|_, brief| !brief.expected).take(MOST) {
        let (.., result) = result?;
        let message = match result.message() {
            "" => "passed, although it is expected to fail",
            message => message.lines().next().unwrap_or_default(),
        };
        _ = writeln!(text, "- `{}` on {}: {}", result.vector, escaped(&result.implementation), escaped(message));
    }
    and_more(text, count);
    Ok(())
}

fn flaky(text: &mut String, record: &Record) -> Result<(), Failure> {
    let flakes = record.flakes();
    let count = flakes.len();
    for flake in flakes.take(MOST) {
        let flake = flake?;
        let (name, message) = (escaped(&flake.implementation), escaped(&flake.message));
        _ = writeln!(text, "- flaky: `{}` on {name}: {message}", flake.vector);
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

/// Without what Markdown or HTML would take as markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => escaped.extend(['\\', c]),
            '\n' | '\r' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
