//! `webnn explain`

use std::fmt::Write as _;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use webnn_reference::derived_bound::Allowance;
use webnn_reference::steps::{Place, Reading};
use webnn_vectors::{Kind, Value, Vector};

use super::{find, show};
use crate::execute::bounds::{self, BoundedOutputs, BoundedTensor};
use crate::execute::{CallResult, Observation, Tensor};
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::{Implementation, Start};
use crate::judge::bound::{Standing, bound_verdict, radii, radius_text, verdicts};
use crate::judge::distance::{Allowed, difference, distances, texts};
use crate::judge::{Outcome, judge};
use crate::selection::Selection;

/// The arguments of `webnn explain`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The vector: its id (FILE/NAME), its name, or a part of its id that no other has.
    vector: String,

    #[command(flatten)]
    selection: Selection,

    /// Run on this implementation; `reference` and `wgpu` by default. May be given several times.
    #[arg(long = "implementation", short, value_name = "NAME")]
    implementations: Vec<Implementation>,

    /// Which reading of the specification is executed where its text is wrong: as meant, or as written.
    #[arg(long, value_name = "READING", default_value = "corrected", value_parser = ["corrected", "literal"])]
    text: String,

    /// Show every element of the outputs, not only the first ones and the worst.
    #[arg(long)]
    all: bool,
}

/// What one implementation did.
struct Explained {
    name: String,
    observation: Observation,
    outcome: Outcome,
    places: Vec<Place>,
    allowance: Allowance,
}

/// Explains a vector.
///
/// # Errors
/// If there is no such vector, or more than one.
pub(crate) fn explain(arguments: &Arguments) -> Result<u8, Failure> {
    let files = arguments.selection.load()?;
    let (file, vector) = find(&files, &arguments.vector)?;
    anstream::print!("{}", show::text(file, vector));

    let reading = if arguments.text == "literal" { Reading::Literal } else { Reading::Corrected };
    let by_default = [Implementation::Reference, Implementation::Wgpu(None)];
    let chosen = if arguments.implementations.is_empty() { &by_default[..] } else { &arguments.implementations };
    let mut explained: Vec<Explained> = Vec::new();
    for implementation in chosen {
        match implementation.start(&Start::new(reading)) {
            Err(reason) if arguments.implementations.is_empty() => {
                anstream::println!("\n{implementation}: skipped. {reason}");
            }
            Err(reason) => return Err(Failure::NotStarted(format!("{implementation} did not start: {reason}"))),
            Ok((executor, description)) => {
                let (observation, places) = executor.trace(vector);
                let outcome = judge(vector, &observation, implementation.is_ours());
                let (name, allowance) = (implementation.to_string(), description.allowance());
                explained.push(Explained { name, observation, outcome, places, allowance });
            }
        }
    }

    if let Some(first) = explained.first() {
        anstream::print!("\nSteps of the specification reached:\n{}", steps_text(&first.places));
    }
    for one in &explained {
        anstream::print!("\n{}: {}\n{}", one.name, one.outcome, calls_text(vector, &one.observation));
    }
    let bounded = bounds::of_vector(
        vector,
        reading,
        explained.iter().map(|one| one.allowance).fold(Allowance::default(), Allowance::or),
    );
    let bounded = bounded.unwrap_or_default();
    for one in &explained {
        anstream::print!("{}", bound_text(vector, one, &bounded));
    }
    anstream::print!("{}", values_text(vector, &explained, &bounded, arguments.all));
    let failed = explained.iter().any(|one| matches!(one.outcome, Outcome::Failed(_) | Outcome::Errored(_)));
    Ok(if failed { UNEXPECTED } else { AS_EXPECTED })
}

/// The steps, grouped by algorithm in the order in which those were first entered.
fn steps_text(places: &[Place]) -> String {
    let mut algorithms: Vec<(&str, Vec<&str>)> = Vec::new();
    for place in places {
        match algorithms.iter_mut().find(|(algorithm, _)| *algorithm == place.algorithm) {
            Some((_, steps)) if steps.contains(&place.step) => {}
            Some((_, steps)) => steps.push(place.step),
            None => algorithms.push((place.algorithm, vec![place.step])),
        }
    }
    let mut text = String::new();
    for (algorithm, steps) in algorithms {
        _ = writeln!(text, "  {algorithm}: {}", steps.join(" "));
    }
    text
}

/// What the derived bound says of an implementation.
fn bound_text(vector: &Vector, one: &Explained, bounded: &BoundedOutputs) -> String {
    let Some(bound) = bound_verdict(vector, bounded, &one.observation) else {
        return String::new();
    };
    let words = match Standing::of(&one.outcome, &bound) {
        Some(Standing::Passed) | None => "",
        Some(Standing::HiddenFault) => ", a fault that the tolerance hides",
        Some(Standing::IllConditioned) => ", so the vector is ill-conditioned",
        Some(Standing::Fault) => ", as it is beyond the tolerance",
        Some(Standing::Disputed) => ", and what the vector expects is outside",
        Some(Standing::Undecided) => ", as the bound spans a jump",
    };
    let element = bound.element.as_ref().map(|element| format!(": {element}")).unwrap_or_default();
    format!("{} by the derived bound: {}{words}{element}\n", one.name, bound.verdict)
}

fn calls_text(vector: &Vector, observation: &Observation) -> String {
    let (Kind::Scenario { steps }, Observation::Calls(calls)) = (&vector.kind, observation) else {
        return String::new();
    };
    let mut text = String::new();
    for (index, (step, call)) in steps.iter().zip(calls).enumerate() {
        let gave = match call {
            CallResult::Done | CallResult::Value(Value::Null) => "done".into(),
            CallResult::Read(tensor) => format!("{}{:?} [{}]", tensor.data_type, tensor.shape, first_texts(tensor)),
            CallResult::Value(value) => serde_json::to_string(value).unwrap_or_default(),
            CallResult::Threw(exception) => exception.to_string(),
            CallResult::Invalid(problem) => format!("can not be made: {problem}"),
        };
        _ = writeln!(text, "  {index:>3}  {}\n       -> {gave}", show::step_text(step));
    }
    text
}

fn first_texts(tensor: &Tensor) -> String {
    let mut texts = texts(tensor);
    let count = texts.len();
    texts.truncate(MOST_ROWS);
    let more = if count > texts.len() { ", ..." } else { "" };
    format!("{}{more}", texts.join(", "))
}

/// How many rows of values are shown unless all are asked for.
const MOST_ROWS: usize = 16;

/// Every output: expected and actual values side by side, with distance and allowance, and with the derived bound and what
/// that says.
fn values_text(vector: &Vector, explained: &[Explained], bounded: &BoundedOutputs, all: bool) -> String {
    let Kind::Graph { graph, .. } = &vector.kind else {
        return String::new();
    };
    let mut text = String::new();
    for (name, output) in &graph.expected_outputs {
        let actual: Vec<(&str, &Tensor)> = explained.iter().filter_map(|one| output_of(one, name)).collect();
        let Some((_, first)) = actual.first() else {
            continue;
        };
        let allowed = Allowed::from(vector.tolerance_of(output));
        let Ok(bytes) = output.descriptor.bytes_of(&output.data) else {
            continue;
        };
        let expected = Tensor { data_type: first.data_type, shape: output.descriptor.shape.clone(), bytes };
        _ = writeln!(text, "\n{name} ({}{:?}), allowed distance {allowed}", expected.data_type, expected.shape);
        let bounded = bounded.iter().find(|(output, _)| output == name).map(|(_, bounded)| bounded);
        _ = writeln!(text, "{}", values_table(&expected, &actual, allowed, bounded, all));
        text.push_str(&partings_text(&actual));
    }
    text
}

fn output_of<'a>(one: &'a Explained, name: &str) -> Option<(&'a str, &'a Tensor)> {
    match &one.observation {
        Observation::Outputs(outputs) => {
            let found = outputs.iter().find(|(output, _)| output == name);
            found.map(|(_, tensor)| (one.name.as_str(), tensor))
        }
        _ => None,
    }
}

fn values_table(
    expected: &Tensor,
    actual: &[(&str, &Tensor)],
    allowed: Allowed,
    bounded: Option<&BoundedTensor>,
    all: bool,
) -> String {
    let expected_texts = texts(expected);
    let columns: Vec<_> = actual
        .iter()
        .map(|(_, tensor)| {
            let verdicts = bounded.and_then(|bounded| verdicts(bounded, tensor)).unwrap_or_default();
            (texts(tensor), distances(tensor, expected, allowed), verdicts)
        })
        .collect();
    let radii = bounded.map(radii).unwrap_or_default();
    let worst = columns.iter().flat_map(|(_, distances, verdicts)| {
        [position_of_largest(distances), position_of_largest(verdicts)].into_iter().flatten()
    });
    let mut rows: Vec<usize> = (0..expected_texts.len()).collect();
    if !all {
        rows.truncate(MOST_ROWS);
        rows.extend(worst.filter(|index| *index >= MOST_ROWS));
        rows.sort_unstable();
        rows.dedup();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["index".to_owned(), "expected".to_owned()];
    if bounded.is_some() {
        header.push("bound".to_owned());
    }
    for (name, _) in actual {
        header.extend([(*name).to_owned(), "distance".to_owned()]);
        if bounded.is_some() {
            header.push("by the bound".to_owned());
        }
    }
    table.set_header(header);
    for index in &rows {
        let mut row = vec![index_text(*index, &expected.shape), expected_texts[*index].clone()];
        if bounded.is_some() {
            row.push(radii.get(*index).copied().map(radius_text).unwrap_or_default());
        }
        for (texts, distances, verdicts) in &columns {
            row.push(texts.get(*index).cloned().unwrap_or_default());
            row.push(distances.get(*index).map(ToString::to_string).unwrap_or_default());
            if bounded.is_some() {
                row.push(verdicts.get(*index).map(ToString::to_string).unwrap_or_default());
            }
        }
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let left_out = expected_texts.len() - rows.len();
    let more = if left_out > 0 { format!("\n{left_out} more rows; --all shows them") } else { String::new() };
    format!("{}{more}", table.trim_fmt())
}

/// Where the first of the largest is.
fn position_of_largest<T: Copy + PartialOrd>(all: &[T]) -> Option<usize> {
    let mut largest: Option<(usize, T)> = None;
    for (index, one) in all.iter().enumerate() {
        if largest.is_none_or(|(_, so_far)| *one > so_far) {
            largest = Some((index, *one));
        }
    }
    largest.map(|(index, _)| index)
}

/// An element's place: its index in row-major order, and along each axis.
fn index_text(index: usize, shape: &[u32]) -> String {
    let mut rest = u64::try_from(index).unwrap_or(u64::MAX);
    let mut indices: Vec<u64> = Vec::new();
    for dimension in shape.iter().rev() {
        let dimension = u64::from(*dimension).max(1);
        indices.push(rest % dimension);
        rest /= dimension;
    }
    indices.reverse();
    format!("{index} {indices:?}")
}

/// Where the implementations part.
fn partings_text(actual: &[(&str, &Tensor)]) -> String {
    let mut text = String::new();
    for (place, (a_name, a)) in actual.iter().enumerate() {
        for (b_name, b) in &actual[place + 1..] {
            _ = match difference(a, b) {
                Some((distance, _)) if distance.is_zero() => writeln!(text, "{a_name} and {b_name} agree"),
                Some((distance, index)) => {
                    writeln!(text, "{a_name} and {b_name} part by up to {distance}, at index {index}")
                }
                None => writeln!(text, "{a_name} and {b_name} give different types or shapes"),
            };
        }
    }
    text
}
