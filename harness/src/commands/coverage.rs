//! `webnn coverage`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use spec_diff::bikeshed::Document;
use spec_diff::lock::Lock;
use webnn_reference::ops::OPERATORS;
use webnn_reference::steps::Reading;
use webnn_vectors::VectorFile;

use crate::execute::{CallResult, Observation, cells};
use crate::failure::{AS_EXPECTED, Failure};
use crate::implementation::{Implementation, Start};
use crate::listing::{Format, Listing, ReachedPart};
use crate::output;
use crate::selection::Selection;
use crate::shown::plural;

/// The arguments of `webnn coverage`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// The specification's source (Bikeshed), of whose steps it is said which no vector reaches. Without it, they are those of
    /// the specification that this program was last compared with.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// Write which steps each vector reaches, and where it throws, for `spec-diff`.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    format: Format,

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
        let text = serde_json::to_string(self).map_err(|error| Failure::Output(error.to_string()))?;
        output::write(path, &(text + "\n"))
    }
}

/// Says what the vectors reach.
///
/// # Errors
/// If the vectors or the specification can not be read.
pub(crate) fn coverage(arguments: &Arguments) -> Result<u8, Failure> {
    let spec = specification(arguments.spec.as_deref())?;
    let files = arguments.selection.load()?;
    let reached = reach(&files)?;
    if let Some(path) = &arguments.json {
        reached.record.write(path)?;
    }
    let vectors: usize = files.iter().map(|file| file.vectors.len()).sum();
    let parts = [vec![of_cells(&reached)], of_steps(&spec, &reached)].concat();
    if arguments.format.is_json() {
        Listing::Coverage { vectors, reached: parts }.print()?;
    } else {
        anstream::println!("{}, on the reference", plural(vectors, "vector"));
        anstream::print!("{}", parts.iter().map(|part| text(part, arguments.verbose)).collect::<String>());
    }
    Ok(AS_EXPECTED)
}

/// The specification's steps: of its source, or of the lock that the code is held against.
fn specification(path: Option<&Path>) -> Result<Document, Failure> {
    let Some(path) = path else {
        let lock = Lock::parse(include_str!("../../../spec-diff/steps.lock"), Path::new("spec-diff/steps.lock"));
        return lock.map(|lock| lock.as_document()).map_err(|error| Failure::Data(error.to_string()));
    };
    let document = Document::read(path).map_err(|error| Failure::Data(error.to_string()))?;
    if document.algorithms.is_empty() {
        let path = path.display();
        return Err(Failure::Data(format!("{path} has no algorithms; is it the specification's source (index.bs)?")));
    }
    Ok(document)
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
fn of_cells(reached: &Reached) -> ReachedPart {
    let mut tally = Tally::new("required data types of operands");
    for row in OPERATORS {
        for operand in row.limits.rows {
            for data_type in operand.required_data_types {
                let cell = (row.name, operand.operand, *data_type);
                tally.add(reached.cells.contains(&cell), || format!("{}, {}: {data_type}", row.name, operand.operand));
            }
        }
    }
    tally.0
}

fn of_steps(spec: &Document, reached: &Reached) -> Vec<ReachedPart> {
    let mut algorithms = Tally::new("algorithms with steps");
    let mut steps = Tally::new("steps");
    let mut throwing = Tally::new("steps that name an exception, by throwing it");
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
    // The lock has no text, so it does not say which steps name an exception.
    let all = [algorithms.0, steps.0, throwing.0];
    all.into_iter().filter(|part| part.of > 0).collect()
}

/// How many there are, and which are not reached.
struct Tally(ReachedPart);

impl Tally {
    fn new(what: &'static str) -> Self {
        Self(ReachedPart { what, reached: 0, of: 0, missing: Vec::new() })
    }

    fn add(&mut self, is_reached: bool, name: impl FnOnce() -> String) {
        self.0.of += 1;
        self.0.reached += usize::from(is_reached);
        if !is_reached {
            self.0.missing.push(name());
        }
    }
}

fn text(part: &ReachedPart, verbose: bool) -> String {
    let ReachedPart { what, reached, of, missing } = part;
    let missing = missing.iter().filter(|_| verbose).map(|name| format!("  {name}\n"));
    format!("{what}: {reached} of {of}\n{}", missing.collect::<String>())
}
