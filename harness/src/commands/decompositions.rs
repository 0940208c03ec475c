//! `webnn decompositions`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use spec_diff::bikeshed::Document;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::derived_bound::Allowance;
use webnn_reference::steps::Reading;
use webnn_vectors::Vector;
use webnn_wpt::decompose::{Decomposed, Decompositions, only_operator, restriction};
use webnn_wpt::folder::Resources;
use webnn_wpt::host::{Host, Limits, THREAD_STACK};

use crate::execute::{Observation, Tensor, bounds};
use crate::failure::{AS_EXPECTED, Failure};
use crate::implementation::Implementation;
use crate::judge::bound::{Verdict, verdicts};
use crate::judge::{Outcome, judge};
use crate::listing::tried::{DecomposedOperator, PartingVector, ThrowingVectors};
use crate::listing::{Format, Listing};
use crate::selection::Selection;
use crate::shown::{inert, plural};

/// The arguments of `webnn decompositions`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// The specification's source (index.bs), whose decompositions are run.
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,

    /// Run them on this implementation.
    #[arg(long, short, value_name = "NAME", default_value = "reference")]
    implementation: Implementation,

    /// How many vectors to name for each way in which a decomposition parts from its operator.
    #[arg(long, value_name = "N", default_value_t = 3)]
    show: usize,

    #[command(flatten)]
    format: Format,
}

/// How the decomposition of one operator went.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) vectors: usize,
    pub(crate) agree: usize,
    /// Outside the vector's tolerance, and inside the derived bound.
    pub(crate) inside: usize,
    pub(crate) open: usize,
    pub(crate) outside: BTreeMap<&'static str, usize>,
    /// Vectors whose expected outputs the decomposition does not give, each with what it gives.
    pub(crate) part: Vec<(String, String)>,
    /// What it throws, each with the vectors on which it does.
    pub(crate) throws: BTreeMap<String, Vec<String>>,
}

/// Runs the decompositions of the specification on vectors of their operators.
///
/// # Errors
/// If a file can not be read, or the JavaScript of the specification can not be loaded.
pub(crate) fn decompositions(arguments: &Arguments) -> Result<u8, Failure> {
    let decompositions = Decompositions::of(&read(&arguments.spec)?);
    let operators = decompositions.operators();
    if operators.is_empty() {
        let path = arguments.spec.display();
        return Err(Failure::Data(format!("{path} has no decomposition; is it the specification's source?")));
    }
    let files = arguments.selection.load()?;
    let vectors: Vec<Vector> = files.into_iter().flat_map(|file| file.vectors).collect();
    let reports = on_a_deep_stack(|| run_all(&decompositions, &operators, &vectors, &arguments.implementation))??;
    let others: Vec<&str> = decompositions.functions().into_iter().filter(|name| !operators.contains(name)).collect();
    if arguments.format.is_json() {
        let operators = reports.into_iter().map(|(operator, report)| report.listed(operator)).collect();
        let others = others.into_iter().map(str::to_owned).collect();
        Listing::Decompositions { operators, others }.print()?;
        return Ok(AS_EXPECTED);
    }
    anstream::println!("{}", table(&reports));
    anstream::print!("{}", inert(&remarks(&reports, arguments.show)));
    let (count, others) = (operators.len(), others.join(", "));
    anstream::println!("\n{count} decompositions; functions that are of no operator: {others}");
    Ok(AS_EXPECTED)
}

/// The specification's source.
pub(crate) fn read(path: &Path) -> Result<Document, Failure> {
    Document::read(path).map_err(|error| Failure::Data(error.to_string()))
}

/// Runs in a thread whose stack is deep enough for script.
pub(crate) fn on_a_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(THREAD_STACK);
        let spawned = thread.spawn_scoped(scope, work);
        let thread = spawned.map_err(|error| Failure::NotStarted(format!("no thread to run script in: {error}")))?;
        thread.join().map_err(|_| Failure::NotStarted("the thread that runs script panicked".into()))
    })
}

/// Runs each decomposition on the vectors of its operator.
pub(crate) fn run_all(
    decompositions: &Decompositions,
    operators: &[&'static str],
    vectors: &[Vector],
    implementation: &Implementation,
) -> Result<BTreeMap<&'static str, Report>, Failure> {
    let (provider, _) = implementation
        .provider()
        .map_err(|reason| Failure::NotStarted(format!("{implementation} did not start: {reason}")))?;
    let resources = Resources::new(Path::new("."), vec![]);
    let host = Host::new(provider, Reading::Corrected, resources, Limits::default());
    let mut reports = BTreeMap::new();
    for operator in operators {
        let report = run_one(decompositions, operator, vectors, &host)?;
        reports.insert(*operator, report);
    }
    Ok(reports)
}

fn run_one(
    decompositions: &Decompositions,
    operator: &str,
    vectors: &[Vector],
    host: &Host,
) -> Result<Report, Failure> {
    let mut report = Report::default();
    let mut admitted = Vec::new();
    for vector in vectors {
        let Some((_, graph)) = only_operator(vector).filter(|(used, _)| used.name == operator) else {
            continue;
        };
        report.vectors += 1;
        let known = graph.inputs.values().all(|input| input.descriptor.data_type.is_specified());
        match restriction(&graph.operators[0], graph) {
            Some(restriction) => *report.outside.entry(restriction).or_default() += 1,
            None if known => admitted.push(vector),
            None => *report.outside.entry("data types of the specification").or_default() += 1,
        }
    }
    let results = decompositions.run(host, operator, &admitted).map_err(|error| Failure::Data(error.to_string()))?;
    for (vector, decomposed) in admitted.into_iter().zip(results) {
        report.add(vector, decomposed);
    }
    Ok(report)
}

/// How many decompositions there are, and those that part from their operators on the vectors that the program carries.
///
/// # Errors
/// If the JavaScript of the specification can not be loaded.
pub(crate) fn parting(specification: &Document) -> Result<(usize, BTreeSet<String>), Failure> {
    let decompositions = Decompositions::of(specification);
    let operators = decompositions.operators();
    let files = Selection::default().load()?;
    let vectors: Vec<Vector> = files.into_iter().flat_map(|file| file.vectors).collect();
    let run = || run_all(&decompositions, &operators, &vectors, &Implementation::Reference);
    let reports = on_a_deep_stack(run)??;
    let parting = reports.iter().filter(|(_, report)| !report.part.is_empty() || !report.throws.is_empty());
    Ok((operators.len(), parting.map(|(operator, _)| (*operator).to_owned()).collect()))
}

impl Report {
    fn add(&mut self, vector: &Vector, decomposed: Decomposed) {
        let outputs = match decomposed {
            Decomposed::Threw(error) => {
                return self.throws.entry(error).or_default().push(vector.id.clone());
            }
            Decomposed::Outputs(outputs) => outputs,
        };
        let tensors = outputs.into_iter().filter_map(|output| {
            let data_type = MLOperandDataType::from_name(&output.data_type)?;
            Some((output.name, Tensor { data_type, shape: output.shape, bytes: output.bytes }))
        });
        let outputs: Vec<(String, Tensor)> = tensors.collect();
        match judge(vector, &Observation::Outputs(outputs.clone()), false) {
            Outcome::Passed { .. } => self.agree += 1,
            Outcome::Open { difference: None, .. } => self.agree += 1,
            Outcome::Open { .. } => self.open += 1,
            Outcome::Failed(_) if is_inside_the_bound(vector, &outputs) => self.inside += 1,
            Outcome::Failed(failure) => self.part.push((vector.id.clone(), failure.to_string())),
            Outcome::Errored(problem) | Outcome::Skipped(problem) => self.part.push((vector.id.clone(), problem)),
        }
    }

    fn listed(self, operator: &'static str) -> DecomposedOperator {
        let part = self.part.into_iter().map(|(vector, message)| PartingVector { vector, message });
        let throws = self.throws.into_iter().map(|(error, vectors)| ThrowingVectors { error, vectors });
        DecomposedOperator {
            operator,
            vectors: self.vectors,
            not_admitted: self.outside,
            agree: self.agree,
            inside: self.inside,
            open: self.open,
            part: part.collect(),
            throws: throws.collect(),
        }
    }

    fn thrown(&self) -> usize {
        self.throws.values().map(Vec::len).sum()
    }
}

/// Whether the outputs are what an honest implementation of the operator may give on these inputs, by the derived bound,
/// though they are outside the vector's tolerance.
fn is_inside_the_bound(vector: &Vector, outputs: &[(String, Tensor)]) -> bool {
    let Some(graph) = vector.graph() else {
        return false;
    };
    let Ok(bounded) = bounds::outputs(graph, Reading::Corrected, Allowance::default()) else {
        return false;
    };
    bounded.iter().all(|(name, bounded)| {
        let actual = outputs.iter().find(|(output, _)| output == name).map(|(_, tensor)| tensor);
        let verdicts = actual.and_then(|actual| verdicts(bounded, actual));
        verdicts.is_some_and(|verdicts| verdicts.iter().all(|verdict| *verdict < Verdict::Outside))
    })
}

fn table(reports: &BTreeMap<&str, Report>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["decomposition", "vectors", "not admitted", "agree", "in bound", "open", "part", "throw"]);
    for (operator, report) in reports {
        let outside = report.outside.values().sum::<usize>();
        let Report { vectors, agree, inside, open, .. } = *report;
        let counts = [vectors, outside, agree, inside, open, report.part.len(), report.thrown()];
        let cells = counts.map(|count| if count == 0 { String::new() } else { count.to_string() });
        table.add_row(std::iter::once((*operator).to_owned()).chain(cells));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// Where decompositions part from their operators.
fn remarks(reports: &BTreeMap<&str, Report>, show: usize) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for (operator, report) in reports {
        for (restriction, count) in &report.outside {
            let are = if *count == 1 { "is" } else { "are" };
            let _ = writeln!(text, "\n{operator}: {} {are} not admitted, only {restriction}", plural(*count, "vector"));
        }
        for (error, vectors) in &report.throws {
            let _ = writeln!(text, "\n{operator}: throws {error}");
            let _ = writeln!(text, "  on {}", shortened(vectors, show));
        }
        if !report.part.is_empty() {
            let _ = writeln!(text, "\n{operator}: parts from its operator");
        }
        for (vector, failure) in report.part.iter().take(show) {
            let _ = writeln!(text, "  {vector}: {failure}");
        }
        if report.part.len() > show {
            let _ = writeln!(text, "  and {} more (--show N shows more)", report.part.len() - show);
        }
    }
    text
}

fn shortened(names: &[String], show: usize) -> String {
    let shown = names.iter().take(show.max(1)).cloned().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(show.max(1));
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
