//! A report in Markdown: for the summary of a CI job, or a comment on a pull request.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Score;
use crate::record::{Record, Went};

/// How many unexpected results are listed.
const MOST: usize = 50;

/// The report.
pub(crate) fn text(record: &Record) -> String {
    let mut text = String::from("## WebNN conformance\n\n");
    let names = record.implementations();
    _ = writeln!(text, "| | {} |", names.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(" | "));
    _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
    let scores: Vec<Score> = names.iter().map(|name| Score::of(record, name)).collect();
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
    unexpected(&mut text, record);
    for flake in &record.flakes {
        let (name, message) = (escaped(&flake.implementation), escaped(&flake.message));
        _ = writeln!(text, "- flaky: `{}` on {name}: {message}", flake.vector);
    }
    by_subject(&mut text, record);
    explained(&mut text, record);
    text
}

/// Why vectors did not pass although that is as expected: known failures, what was skipped, and what is left open, each with
/// its reason and how many vectors it is of.
fn explained(text: &mut String, record: &Record) {
    let mut reasons: BTreeMap<(&str, Went, &str), usize> = BTreeMap::new();
    for result in record.results.values().filter(|result| result.expected && result.outcome != Went::Passed) {
        let reason = result.known().unwrap_or_else(|| result.message());
        *reasons.entry((&result.implementation, result.outcome, reason)).or_default() += 1;
    }
    for name in record.implementations() {
        let mut of_it: Vec<(&str, &str, usize)> = reasons
            .iter()
            .filter(|((implementation, ..), _)| implementation == name)
            .map(|((_, went, reason), count)| (went.as_str(), *reason, *count))
            .collect();
        if of_it.is_empty() {
            continue;
        }
        of_it.sort_by_key(|(went, _, count)| (*went, Reverse(*count)));
        let name = escaped(name);
        _ = writeln!(text, "\n<details><summary>{name}: why vectors did not pass, as expected</summary>\n");
        _ = writeln!(text, "| | vectors | why |\n|---|---:|---|");
        for (went, reason, count) in of_it {
            _ = writeln!(text, "| {went} | {count} | {} |", escaped(reason));
        }
        _ = writeln!(text, "\n</details>");
    }
}

fn unexpected(text: &mut String, record: &Record) {
    let all: Vec<_> = record.unexpected().collect();
    let is_judged = record.implementations().iter().any(|name| Score::of(record, name).judged() > 0);
    if all.is_empty() {
        _ = writeln!(text, "\n{}", if is_judged { "Everything was as expected." } else { "Nothing was judged." });
        return;
    }
    _ = writeln!(text, "\n### Not as expected\n");
    for result in all.iter().take(MOST) {
        let message = match result.message() {
            "" => "passed, although it is expected to fail",
            message => message.lines().next().unwrap_or_default(),
        };
        _ = writeln!(text, "- `{}` on {}: {}", result.vector, escaped(&result.implementation), escaped(message));
    }
    if all.len() > MOST {
        _ = writeln!(text, "- and {} more", all.len() - MOST);
    }
}

fn by_subject(text: &mut String, record: &Record) {
    let names = record.implementations();
    let subjects: BTreeSet<&str> = record.vectors.values().map(|about| about.subject.as_str()).collect();
    _ = writeln!(text, "\n<details><summary>by operator: passed of judged</summary>\n");
    _ = writeln!(text, "| | {} |", names.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(" | "));
    _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
    for subject in subjects {
        let cell = |name: &String| {
            let score =
                Score::among(record, |result| record.subject(result) == subject && &result.implementation == name);
            match score.judged() {
                0 => String::new(),
                judged => format!("{} / {judged}", score.passed),
            }
        };
        _ = writeln!(text, "| {} | {} |", escaped(subject), names.iter().map(cell).collect::<Vec<_>>().join(" | "));
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
