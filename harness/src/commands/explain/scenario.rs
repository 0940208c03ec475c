//! What each call of a scenario gave, and what the ledgers of its contexts said then.

use std::fmt::Write as _;

use webnn_vectors::{Step, Value};

use super::{Explained, MOST_ROWS};
use crate::commands::show;
use crate::execute::ledgers::{Figures, Ledgers};
use crate::execute::{CallResult, Observation, Tensor};
use crate::judge::distance::texts;

/// The calls, each once, with what the implementations gave: one line where they gave the same.
pub(super) fn text(steps: &[Step], explained: &[Explained]) -> String {
    let mut text = String::new();
    for (index, step) in steps.iter().enumerate() {
        _ = writeln!(text, "  {index:>3}  {}", show::step_text(step));
        let gave = |one: &Explained| match &one.observation {
            Observation::Calls(calls) => Some(calls.get(index).map_or_else(|| "not made".to_owned(), result_text)),
            _ => None,
        };
        side_by_side(&mut text, "       ->", explained, gave);
        side_by_side(&mut text, "          ", explained, |one| changes(&one.ledgers, index));
    }
    if explained.iter().any(|one| !one.ledgers.is_empty()) {
        text.push_str("\nLedgers at the end, in bytes:\n");
        side_by_side(&mut text, " ", explained, at_the_end);
    }
    text
}

/// What there is to say of each implementation, or of all of them at once.
fn side_by_side(text: &mut String, mark: &str, explained: &[Explained], said: impl Fn(&Explained) -> Option<String>) {
    let all: Vec<(&str, Option<String>)> = explained.iter().map(|one| (one.name.as_str(), said(one))).collect();
    let is_same = all.iter().all(|(_, said)| Some(said) == all.first().map(|(_, said)| said));
    for (name, said) in all.iter().take(if is_same { 1 } else { all.len() }) {
        let Some(said) = said else { continue };
        _ = if is_same { writeln!(text, "{mark} {said}") } else { writeln!(text, "{mark} {name}: {said}") };
    }
}

fn result_text(result: &CallResult) -> String {
    match result {
        CallResult::Done | CallResult::Value(Value::Null) => "done".into(),
        CallResult::Read(tensor) => format!("{}{:?} [{}]", tensor.data_type, tensor.shape, first_texts(tensor)),
        CallResult::Value(value) => serde_json::to_string(value).unwrap_or_default(),
        CallResult::Threw(exception) => exception.to_string(),
        CallResult::Invalid(problem) => format!("can not be made: {problem}"),
    }
}

/// The figures that the call changed. Peaks are left to the end.
fn changes(ledgers: &[Ledgers], index: usize) -> Option<String> {
    let before = index.checked_sub(1).and_then(|before| ledgers.get(before));
    let figure_before = |context: &str, figure: &str| {
        let figures = before?.iter().find(|(name, _)| name == context);
        figures?.1.iter().find(|(name, _)| *name == figure).map(|(_, bytes)| *bytes)
    };
    let changed = |context: &str, figures: &Figures| -> Figures {
        let is_new = |(name, bytes): &&(&str, u64)| figure_before(context, name).unwrap_or(0) != *bytes;
        figures.iter().filter(|(name, _)| !name.starts_with("peak ")).filter(is_new).copied().collect()
    };
    let of_contexts =
        ledgers.get(index)?.iter().map(|(context, figures)| (context.as_str(), changed(context, figures)));
    figures_text(of_contexts)
}

/// The figures after the last call, without those that are 0.
fn at_the_end(one: &Explained) -> Option<String> {
    let is_some = |(_, bytes): &&(&str, u64)| *bytes != 0;
    let of_contexts = one.ledgers.last()?.iter();
    let of_contexts =
        of_contexts.map(|(context, figures)| (context.as_str(), figures.iter().filter(is_some).copied().collect()));
    figures_text(of_contexts)
}

fn figures_text<'a>(of_contexts: impl Iterator<Item = (&'a str, Figures)>) -> Option<String> {
    let text = |(context, figures): (&str, Figures)| {
        let figures: Vec<String> = figures.iter().map(|(name, bytes)| format!("{name} {bytes}")).collect();
        format!("ledger of {context}: {}", figures.join(", "))
    };
    let texts: Vec<String> = of_contexts.filter(|(_, figures)| !figures.is_empty()).map(text).collect();
    if texts.is_empty() { None } else { Some(texts.join("; ")) }
}

fn first_texts(tensor: &Tensor) -> String {
    let mut texts = texts(tensor);
    let count = texts.len();
    texts.truncate(MOST_ROWS);
    let more = if count > texts.len() { ", ..." } else { "" };
    format!("{}{more}", texts.join(", "))
}
