//! `webnn explain`

mod scenario;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use webnn_reference::derived_bound::Allowance;
use webnn_reference::steps::{Place, Reading};
use webnn_vectors::{Kind, Vector};

use super::{find, show};
use crate::execute::bounds::{self, BoundedOutputs, BoundedTensor};
use crate::execute::ledgers::{self, Ledgers};
use crate::execute::{Observation, Tensor};
use crate::expectations::{Expectations, has_argument, is_expected, under_the_literal_text};
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::{Description, Implementation, Start};
use crate::judge::bound::{Standing, bound_verdict, radii, radius_text, verdicts};
use crate::judge::distance::{Allowed, difference, distances, texts};
use crate::judge::{Outcome, judge, literal};
use crate::listing::{ExplainedOutput, ExplainedResult, Format, Listing, ReachedAlgorithm};
use crate::selection::Selection;
use crate::shown::{self, inert};
use crate::worker::{AtWork, as_written};

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

    /// How long it may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = super::run::seconds)]
    timeout: f64,

    /// The folder of the known failures, one file for each implementation, instead of those that the program carries.
    #[arg(long, value_name = "FOLDER")]
    expectations: Option<PathBuf>,

    #[command(flatten)]
    format: Format,

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
    /// What the ledgers said after each call, where the vector is about memory.
    ledgers: Vec<Ledgers>,
    allowance: Allowance,
    /// Whether it went as it is known to go.
    expected: bool,
    /// Why it is known not to pass, where that is listed.
    known: Option<String>,
    /// The error of the specification's text that asks for this failure as it is written.
    as_written: Option<String>,
}

/// Explains a vector.
///
/// # Errors
/// If there is no such vector, or more than one.
pub(crate) fn explain(arguments: &Arguments) -> Result<u8, Failure> {
    let files = arguments.selection.load()?;
    let (file, vector) = find(&files, &arguments.vector)?;
    let is_json = arguments.format.is_json();
    if !is_json {
        // The calls of a scenario come with what they gave.
        let is_scenario = matches!(vector.kind, Kind::Scenario { .. });
        let shown = if is_scenario { show::heading(file, vector) } else { show::text(file, vector) };
        anstream::print!("{}", inert(&shown));
    }
    let reading = if arguments.text == "literal" { Reading::Literal } else { Reading::Corrected };
    let by_default = [Implementation::Reference, Implementation::Wgpu(None)];
    let chosen = if arguments.implementations.is_empty() { &by_default[..] } else { &arguments.implementations };
    let mut explained: Vec<Explained> = Vec::new();
    for implementation in chosen {
        match arguments.explained(implementation, vector, reading)? {
            Ok(one) => explained.push(one),
            Err(reason) if !arguments.implementations.is_empty() => {
                return Err(Failure::NotStarted(format!("{implementation} did not start: {reason}")));
            }
            Err(_) if is_json => {}
            Err(reason) => anstream::println!("\n{implementation}: skipped, as it did not start: {reason}"),
        }
    }
    let allowance = explained.iter().map(|one| one.allowance).fold(Allowance::default(), Allowance::or);
    let bounded = bounds::of_vector(vector, reading, allowance).unwrap_or_default();
    if is_json {
        listing(vector, &explained, &bounded).print()?;
    } else {
        anstream::print!("{}", inert(&text(vector, &explained, &bounded, arguments.all)));
    }
    Ok(if explained.iter().all(|one| one.expected) { AS_EXPECTED } else { UNEXPECTED })
}

impl Arguments {
    /// Runs the vector on an implementation, in a thread that is given up if it takes too long; or why that does not start.
    fn explained(
        &self,
        implementation: &Implementation,
        vector: &Vector,
        reading: Reading,
    ) -> Result<Result<Explained, String>, Failure> {
        let expectations = Expectations::load(implementation.kind(), self.expectations.as_deref())?;
        let timeout = Duration::from_secs_f64(self.timeout.min(1e9));
        let (to, from) = channel();
        let (started, traced) = (implementation.clone(), vector.clone());
        let at_work = AtWork::begin();
        thread::spawn(move || {
            let start = Start { timeout, ..Start::new(reading) };
            let result = started.start(&start).map(|(executor, description)| {
                let (observation, places) = executor.trace(&traced);
                let ledgers = if ledgers::is_about_memory(&traced) {
                    ledgers::record(|| drop(executor.finish(executor.start(&traced))))
                } else {
                    vec![]
                };
                drop(executor);
                (description, observation, places, ledgers)
            });
            drop(at_work);
            // Nobody listens any more where it took too long.
            drop(to.send(result));
        });
        let (description, observation, places, ledgers) = match from.recv_timeout(implementation.patience(timeout)) {
            Ok(Ok((description, observation, places, ledgers))) => (Some(description), observation, places, ledgers),
            Ok(Err(reason)) => return Ok(Err(reason)),
            Err(_) => {
                let problem = format!("did not answer within {} s (--timeout)", timeout.as_secs_f64());
                (None, Observation::Errored(problem), vec![], vec![])
            }
        };
        let outcome = judge(vector, &observation, implementation.is_ours());
        let facts = description.as_ref().map(|description| description.facts.as_slice()).unwrap_or_default();
        let wrong = vector.literal.as_ref().filter(|_| reading == Reading::Literal);
        let of_the_text = wrong.map(|wrong| under_the_literal_text(&vector.id, &wrong.issue));
        let entry =
            of_the_text.as_ref().or_else(|| expectations.of(&vector.id, |name| has_argument(vector, name), facts));
        let expected = is_expected(&outcome, entry);
        let known = entry.filter(|_| outcome.is_bad()).map(|entry| format!("{} ({})", entry.reason, entry.link));
        let as_written = as_written(vector, reading, &observation);
        let allowance = description.as_ref().map(Description::allowance).unwrap_or_default();
        let name = implementation.to_string();
        Ok(Ok(Explained { name, observation, outcome, places, ledgers, allowance, expected, known, as_written }))
    }
}

/// What the implementations did, for people.
fn text(vector: &Vector, explained: &[Explained], bounded: &BoundedOutputs, all: bool) -> String {
    let mut text = match &vector.kind {
        Kind::Scenario { steps } => scenario::text(steps, explained),
        Kind::Graph { .. } | Kind::Negative { .. } => String::new(),
    };
    if let Some(first) = explained.first() {
        _ = write!(text, "\nSteps of the specification reached:\n{}", steps_text(&first.places));
    }
    for one in explained {
        _ = write!(text, "\n{}: {}\n", one.name, one.outcome);
        if let Some(known) = &one.known {
            _ = writeln!(text, "  known: {known}");
        }
        if let Some(issue) = &one.as_written {
            _ = writeln!(text, "  {}", literal::told(issue));
        }
    }
    for one in explained {
        text.push_str(&bound_text(vector, one, bounded));
    }
    text + &values_text(vector, explained, bounded, all)
}

/// What the implementations did, for programs.
fn listing<'a>(vector: &'a Vector, explained: &'a [Explained], bounded: &BoundedOutputs) -> Listing<'a> {
    let result = |one: &Explained| ExplainedResult {
        implementation: one.name.clone(),
        outcome: one.outcome.name(),
        message: one.outcome.to_string(),
        known: one.known.clone(),
        as_written: one.as_written.clone(),
        bound: bound_verdict(vector, bounded, &one.observation).map(|bound| bound.verdict.to_string()),
        outputs: outputs(&one.observation),
    };
    let places = explained.first().map(|one| one.places.as_slice()).unwrap_or_default();
    Listing::Explanation {
        vector: &vector.id,
        steps: by_algorithm(places)
            .into_iter()
            .map(|(algorithm, steps)| ReachedAlgorithm { algorithm, steps })
            .collect(),
        results: explained.iter().map(result).collect(),
    }
}

fn outputs(observation: &Observation) -> Vec<ExplainedOutput> {
    let Observation::Outputs(outputs) = observation else {
        return vec![];
    };
    let output = |(name, tensor): &(String, Tensor)| ExplainedOutput {
        name: name.clone(),
        data_type: tensor.data_type.as_str(),
        shape: tensor.shape.clone(),
        elements: texts(tensor),
    };
    outputs.iter().map(output).collect()
}

/// The steps, grouped by algorithm in the order in which those were first entered.
fn by_algorithm(places: &[Place]) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut algorithms: Vec<(&str, Vec<&str>)> = Vec::new();
    for place in places {
        match algorithms.iter_mut().find(|(algorithm, _)| *algorithm == place.algorithm) {
            Some((_, steps)) if steps.contains(&place.step) => {}
            Some((_, steps)) => steps.push(place.step),
            None => algorithms.push((place.algorithm, vec![place.step])),
        }
    }
    algorithms
}

fn steps_text(places: &[Place]) -> String {
    let mut text = String::new();
    for (algorithm, steps) in by_algorithm(places) {
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
        let (shown, data_type) = (shown::name(name), expected.data_type);
        _ = writeln!(text, "\n{shown} ({data_type}{:?}), allowed distance {allowed}", expected.shape);
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
