//! `webnn coverage`

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use spec_diff::bikeshed::Document;
use webnn_reference::ops::OPERATORS;
use webnn_reference::steps::Reading;
use webnn_vectors::VectorFile;

use crate::execute::{CallResult, Observation, cells};
use crate::failure::{AS_EXPECTED, Failure};
use crate::implementation::{Implementation, Start};
use crate::selection::Selection;

/// The arguments of `webnn coverage`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// The specification's source (Bikeshed), to say which of its steps no vector reaches.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// Write which steps each vector reaches, and where it throws, for `spec-diff`.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// List what is not covered.
    #[arg(long, short)]
    verbose: bool,
}

/// A step of an algorithm.
type Step = (String, String);

/// What some vectors reach.
#[derive(Default)]
struct Reached {
    cells: BTreeSet<cells::Cell>,
    steps: BTreeSet<Step>,
    throws: BTreeSet<Step>,
    record: Record,
}

/// The steps of each vector, as `spec-diff` reads them.
#[derive(Default, Serialize)]
struct Record {
    /// Algorithms and steps, to which the numbers below point.
    places: Vec<Step>,
    vectors: Vec<RecordedVector>,
    #[serde(skip)]
    numbers: BTreeMap<Step, usize>,
}

#[derive(Serialize)]
struct RecordedVector {
    vector: String,
    reached: BTreeSet<usize>,
    threw: BTreeSet<usize>,
}

impl Record {
    fn add(&mut self, vector: String, reached: &[Step], threw: &[Step]) {
        let [reached, threw] = [reached, threw].map(|steps| steps.iter().map(|step| self.number(step)).collect());
        self.vectors.push(RecordedVector { vector, reached, threw });
    }

    fn number(&mut self, step: &Step) -> usize {
        *self.numbers.entry(step.clone()).or_insert_with(|| {
            self.places.push(step.clone());
            self.places.len() - 1
        })
    }

    fn write(&self, path: &Path) -> Result<(), Failure> {
        let failure = |error: &dyn std::fmt::Display| Failure::Output(format!("{}: {error}", path.display()));
        let text = serde_json::to_string(self).map_err(|error| failure(&error))?;
        fs::write(path, text + "\n").map_err(|error| failure(&error))
    }
}

/// Says what the vectors reach.
///
/// # Errors
/// If the vectors or the specification can not be read.
pub(crate) fn coverage(arguments: &Arguments) -> Result<u8, Failure> {
    let spec = arguments.spec.as_deref().map(Document::read).transpose();
    let spec = spec.map_err(|error| Failure::Data(error.to_string()))?;
    let files = arguments.selection.load()?;
    let reached = reach(&files)?;
    if let Some(path) = &arguments.json {
        reached.record.write(path)?;
    }
    let count: usize = files.iter().map(|file| file.vectors.len()).sum();
    anstream::println!("{count} vectors, on the reference");
    anstream::print!("{}", cells_text(&reached, arguments.verbose));
    match spec {
        Some(spec) => anstream::print!("{}", steps_text(&spec, &reached, arguments.verbose)),
        None => anstream::println!(
            "{} steps reached, {} of them by an exception; --spec says of how many",
            reached.steps.len(),
            reached.throws.len()
        ),
    }
    Ok(AS_EXPECTED)
}

fn reach(files: &[VectorFile]) -> Result<Reached, Failure> {
    let (executor, _) =
        Implementation::Reference.start(&Start::new(Reading::Corrected)).map_err(Failure::NotStarted)?;
    let mut reached = Reached::default();
    for vector in files.iter().flat_map(|file| &file.vectors) {
        let ((observation, places), cells) = cells::collect(|| executor.trace(vector));
        let steps: Vec<Step> = places.iter().map(|place| (place.algorithm.to_owned(), place.step.to_owned())).collect();
        let throws = thrown(&observation);
        reached.record.add(vector.id.clone(), &steps, &throws);
        reached.cells.extend(cells);
        reached.steps.extend(steps);
        reached.throws.extend(throws);
    }
    Ok(reached)
}

fn thrown(observation: &Observation) -> Vec<Step> {
    let exceptions = match observation {
        Observation::Threw(exception) => vec![exception],
        Observation::Calls(calls) => calls
            .iter()
            .filter_map(|call| match call {
                CallResult::Threw(exception) => Some(exception),
                CallResult::Done | CallResult::Read(_) | CallResult::Value(_) | CallResult::Invalid(_) => None,
            })
            .collect(),
        Observation::Outputs(_) | Observation::Skipped(_) | Observation::Errored(_) => vec![],
    };
    exceptions.into_iter().map(|exception| (exception.algorithm.to_owned(), exception.step.to_owned())).collect()
}

/// The required data types of every operand of every operator.
fn cells_text(reached: &Reached, verbose: bool) -> String {
    let required = OPERATORS.iter().flat_map(|row| {
        row.limits.rows.iter().flat_map(|operand| {
            operand.required_data_types.iter().map(|data_type| (row.name, operand.operand, *data_type))
        })
    });
    let (covered, missing): (Vec<_>, Vec<_>) = required.partition(|cell| reached.cells.contains(cell));
    let all = covered.len() + missing.len();
    let mut text = format!("required data types of operands: {} of {all}\n", covered.len());
    if verbose {
        for (operator, operand, data_type) in missing {
            _ = writeln!(text, "  {operator}, {operand}: {data_type}");
        }
    }
    text
}

fn steps_text(spec: &Document, reached: &Reached, verbose: bool) -> String {
    let (mut algorithms, mut steps, mut throwing) = (Tally::default(), Tally::default(), Tally::default());
    for algorithm in &spec.algorithms {
        let name = algorithm.name();
        let is_reached = |path: &str| reached.steps.contains(&(name.clone(), path.to_owned()));
        if !algorithm.steps.is_empty() {
            let any = algorithm.steps.iter().any(|step| is_reached(&step.path.to_string()));
            algorithms.add(any, || name.clone());
        }
        for step in &algorithm.steps {
            let path = step.path.to_string();
            steps.add(is_reached(&path), || format!("{name} step {path}"));
            if step.exceptions().next().is_some() {
                let thrown = reached.throws.contains(&(name.clone(), path.clone()));
                throwing.add(thrown, || format!("{name} step {path}"));
            }
        }
    }
    let mut text = String::new();
    algorithms.write(&mut text, "algorithms with steps", verbose);
    steps.write(&mut text, "steps", verbose);
    throwing.write(&mut text, "steps that name an exception, by throwing it", verbose);
    text
}

/// How many there are, and which are not reached.
#[derive(Default)]
struct Tally {
    all: usize,
    missing: Vec<String>,
}

impl Tally {
    fn add(&mut self, reached: bool, name: impl FnOnce() -> String) {
        self.all += 1;
        if !reached {
            self.missing.push(name());
        }
    }

    fn write(&self, text: &mut String, what: &str, verbose: bool) {
        _ = writeln!(text, "{what}: {} of {}", self.all - self.missing.len(), self.all);
        if verbose {
            for name in &self.missing {
                _ = writeln!(text, "  {name}");
            }
        }
    }
}
