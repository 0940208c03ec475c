//! Whether code and prose have the same steps in the same order.
//!
//! An algorithm of a proposal has to be encoded; one of the specification may wait, since the specification is encoded
//! section by section. Whatever is encoded names every step of the prose once, and in the order of the prose.
//!
//! There is one liberty. Where the prose says *run these steps, but abort when ...* and then *if aborted, ...*, code
//! asks first whether to abort, so that it may name the step about abortion before the steps that are not run then.

mod compare;
mod finding;
mod order;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use finding::{Finding, Group, Report, Summary};

use crate::bikeshed::{Algorithm, Document, ReadError};
use crate::code::{Code, Encoding, Place};
use crate::step_path::StepPath;

/// Frames that stand for the rules of another standard, which throw before an algorithm of ours begins. Their places
/// are words, such as `EnforceRange`; a number would claim a step of a document that nobody holds it against.
const OTHER_STANDARDS: [&str; 1] = ["Web IDL"];

/// What a document is to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The specification: what is not encoded yet will be.
    Specification,
    /// A proposal of ours: it is encoded, or it is not proposed.
    Proposal,
}

/// A document to check the code against.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it was read from.
    pub path: PathBuf,
    /// What it is.
    pub role: Role,
    /// What it says.
    pub document: Document,
}

impl Source {
    /// Reads a document from a file.
    ///
    /// # Errors
    /// Those of [`Document::read`].
    pub fn read(path: &Path, role: Role) -> Result<Self, ReadError> {
        Ok(Self { path: path.to_owned(), role, document: Document::read(path)? })
    }
}

/// Compares the code with every document.
///
/// Algorithms that only the code has are found if the specification is among the documents: without it nobody knows.
pub fn check(code: &Code, sources: &[Source]) -> Report {
    let mut report = Report { oddities: code.oddities.clone(), files: code.files, ..Report::default() };
    for source in sources {
        check_source(code, source, &mut report);
    }
    if sources.iter().any(|source| source.role == Role::Specification) {
        report.groups.extend(foreign(code, sources));
    }
    report
}

fn check_source(code: &Code, source: &Source, report: &mut Report) {
    let file: Arc<Path> = source.path.as_path().into();
    let place = |line| Place { file: file.clone(), line };
    let mut summary = Summary { path: source.path.clone(), role: source.role, ..Summary::default() };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for algorithm in &source.document.algorithms {
        let name = algorithm.name();
        let prose = place(algorithm.line);
        let mut findings = Vec::new();
        let encoding = code.algorithms.get(&name);
        if let Some(first) = seen.get(&name) {
            findings.push(Finding::DefinedTwice { first: place(*first) });
        } else {
            seen.insert(name.clone(), algorithm.line);
            summary.algorithms += 1;
            summary.steps += algorithm.steps.len();
            if let Some(encoding) = encoding {
                summary.encoded += 1;
                summary.encoded_steps += algorithm.steps.len();
                findings.extend(compare::compare(algorithm, encoding, &file));
            } else {
                summary.open.push((name.clone(), prose.clone()));
                if source.role == Role::Proposal {
                    findings.push(Finding::NotEncoded { steps: algorithm.steps.len() });
                }
            }
        }
        if !findings.is_empty() {
            let code = encoding.and_then(|encoding| encoding.frames.first().cloned());
            report.groups.push(Group { name, prose: Some(prose), code, findings });
        }
    }
    report.summaries.push(summary);
}

/// The algorithms that the code has and no document.
fn foreign(code: &Code, sources: &[Source]) -> Vec<Group> {
    let algorithms = || sources.iter().flat_map(|source| source.document.algorithms.iter().map(move |it| (source, it)));
    let names: BTreeMap<String, (&Source, &Algorithm)> = algorithms().map(|pair| (pair.1.name(), pair)).collect();
    let is_elsewhere = |name: &str, encoding: &Encoding| {
        let has_numbers = encoding.steps.iter().any(|step| step.name.parse::<StepPath>().is_ok());
        OTHER_STANDARDS.contains(&name) && !has_numbers
    };
    let unknown =
        code.algorithms.iter().filter(|(name, encoding)| !names.contains_key(*name) && !is_elsewhere(name, encoding));
    let group = |(name, encoding): (&String, &Encoding)| {
        // Mostly the arguments were changed, or the interface was forgotten.
        let similar = names.iter().find(|(other, _)| stem(other) == stem(name)).map(|(other, (source, algorithm))| {
            (other.clone(), Place { file: source.path.as_path().into(), line: algorithm.line })
        });
        let documents = sources.iter().map(|source| source.path.clone()).collect();
        Group {
            name: name.clone(),
            prose: None,
            code: encoding.frames.first().cloned(),
            findings: vec![Finding::NotInProse { documents, similar }],
        }
    };
    unknown.map(group).collect()
}

/// What remains of a name when its interface, its arguments and its case are gone.
fn stem(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default();
    name.rsplit(['.', '/']).next().unwrap_or_default().to_lowercase()
}
