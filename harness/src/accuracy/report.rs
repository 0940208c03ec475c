//! The table of an implementation's accuracy: for the terminal, as Markdown and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use webnn_reference::data_type::MLOperandDataType;

use super::{Found, Measured, Missing};
use crate::implementation::Description;
use crate::judge::distance::Distance;
use crate::listing::{MeasuredCase, MeasuredElement, MeasuredFigures, MeasuredImplementation};

/// The cases of one data type, in their order.
fn by_type(all: &[Measured]) -> Vec<(MLOperandDataType, Vec<&Measured>)> {
    let of = |data_type: MLOperandDataType| all.iter().filter(move |one| one.case.data_type() == data_type);
    let groups = MLOperandDataType::ALL.into_iter().map(|data_type| (data_type, of(data_type).collect::<Vec<_>>()));
    groups.filter(|(_, cases)| !cases.is_empty()).collect()
}

/// What the columns mean, for people.
const COLUMNS: &str = "\
differ   how many results have other bits than the interpreter's, NaN aside
flushed  of adapters that flush float32 subnormals: how many are what that makes
NaN      how many are NaN where the interpreter has none, or the other way round
inf      the same for infinities
worst    the largest distance from the interpreter's result, in units in the
         last place (ULP), or, of integers, the difference";

/// The table for a terminal of 80 columns.
pub(crate) fn text(description: &Description, all: &[Measured]) -> String {
    let mut text = heading(description) + "\n";
    for (data_type, cases) in by_type(all) {
        _ = writeln!(
            text,
            "\n{:<34}{:>9}{:>9}{:>9}{:>6}{:>6}{:>7}\n{}",
            data_type.as_str(),
            "inputs",
            "differ",
            "flushed",
            "NaN",
            "inf",
            "worst",
            "\u{2500}".repeat(80)
        );
        for Measured { case, found } in cases {
            match found {
                Ok(found) => row(&mut text, &case.title(), found),
                Err(Missing::Unsupported(reason)) => _ = writeln!(text, "{:<34}skipped: {reason}", case.title()),
                Err(Missing::Failed(problem)) => _ = writeln!(text, "{:<34}FAILED: {problem}", case.title()),
            }
        }
    }
    _ = writeln!(text, "\n{COLUMNS}");
    text
}

fn row(text: &mut String, title: &str, found: &Found) {
    let Found { agreement, worst } = found;
    _ = writeln!(
        text,
        "{title:<34}{:>9}{:>9}{:>9}{:>6}{:>6}{:>7}",
        agreement.elements,
        count(agreement.unequal),
        count(agreement.flushed),
        count(agreement.nan),
        count(agreement.infinite),
        agreement.worst.map_or_else(|| count(0), |(distance, _)| shown(distance))
    );
    if let Some(element) = worst {
        _ = writeln!(text, "    {}", sentence(element));
    }
}

fn heading(Description { name, adapter, facts, .. }: &Description) -> String {
    let adapter = adapter.as_deref().map(|adapter| format!(" on {adapter}")).unwrap_or_default();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join("; ")) };
    format!("{name}{adapter}{facts}")
}

fn sentence(MeasuredElement { operands, expected, actual }: &MeasuredElement) -> String {
    format!("of {}: {actual}, not {expected}", operands.join(" and "))
}

fn count(count: usize) -> String {
    if count == 0 { "-".into() } else { count.to_string() }
}

/// Without its unit, which the column has.
fn shown(distance: Distance) -> String {
    match distance {
        Distance::Ulp(distance) => distance.to_string(),
        other => other.to_string(),
    }
}

/// The table as Markdown, with how it was made.
pub(crate) fn markdown(description: &Description, all: &[Measured], command: &str) -> String {
    let mut text = format!(
        "# Accuracy of the GPU kernels\n\n\
         Made by `{command}`; do not edit.\n\n\
         Adapter: {}.\n\n\
         Each element-wise operator on all 65,536 float16 numbers, on a stratified sample of the float32 numbers with \
         every exponent, and on samples of the integers; operators of two operands on pairs. The result is compared \
         with the interpreter's, which computes in binary64 and rounds once; `wpt-tests/generate/accuracy.py` compares \
         that with values of 50 digits. *Differ*: results with other bits, NaN aside. *NaN*, *inf*: NaN or \
         an infinity on one side only. *Worst*: in units in the last place; of integers, the difference.\n",
        heading(description)
    );
    for (data_type, cases) in by_type(all) {
        _ = writeln!(text, "\n## {data_type}\n\n{MARKDOWN_COLUMNS}");
        for Measured { case, found } in cases {
            let cells = match found {
                Ok(Found { agreement, worst }) => format!(
                    "{} | {} | {} | {} | {} | {} | {}",
                    agreement.elements,
                    agreement.unequal,
                    agreement.flushed,
                    agreement.nan,
                    agreement.infinite,
                    agreement.worst.map_or_else(|| "0".into(), |(distance, _)| shown(distance)),
                    worst.as_ref().map(sentence).unwrap_or_default()
                ),
                Err(Missing::Unsupported(reason)) => format!(" | | | | | | {reason}"),
                Err(Missing::Failed(problem)) => format!(" | | | | | | failed: {problem}"),
            };
            _ = writeln!(text, "| {} | {cells} |", case.title());
        }
    }
    text
}

const MARKDOWN_COLUMNS: &str = "\
| operator | inputs | differ | flushed | NaN | inf | worst | where |
|---|---:|---:|---:|---:|---:|---:|---|";

/// All that was found, for programs.
pub(crate) fn listed(implementations: &[(Description, Vec<Measured>)]) -> Vec<MeasuredImplementation> {
    let listed = |(description, measured): &(Description, Vec<Measured>)| MeasuredImplementation {
        implementation: description.clone(),
        cases: measured.iter().map(case).collect(),
    };
    implementations.iter().map(listed).collect()
}

fn case(Measured { case, found }: &Measured) -> MeasuredCase {
    let found = match found {
        Ok(Found { agreement, worst }) => MeasuredFigures::Compared {
            elements: agreement.elements,
            differ: agreement.unequal,
            flushed: agreement.flushed,
            nan: agreement.nan,
            infinite: agreement.infinite,
            worst: agreement.worst.map_or(json!(0), |(distance, _)| number(distance)),
            at: worst.clone(),
        },
        Err(Missing::Unsupported(reason)) => MeasuredFigures::Skipped { skipped: reason.clone() },
        Err(Missing::Failed(problem)) => MeasuredFigures::Failed { failed: problem.clone() },
    };
    MeasuredCase { operator: case.operator, title: case.title(), data_type: case.data_type().as_str(), found }
}

/// A distance that is infinite has no number.
fn number(distance: Distance) -> Value {
    match distance {
        Distance::Ulp(distance) => json!(distance),
        Distance::Absolute(distance) => json!(distance),
        Distance::Infinite => Value::Null,
    }
}
