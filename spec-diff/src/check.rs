//! Whether code and prose say the same.
//!
//! The steps first. An algorithm of a proposal has to be encoded, and so has one that is locked; one of a specification
//! that nobody has locked may wait. Whatever is encoded names every step of the prose once, and in the order of the prose.
//! There is one liberty. Where the prose says *run these steps, but abort when ...* and then *if aborted, ...*, code
//! asks first whether to abort, so that it may name the step about abortion before the steps that are not run then.
//!
//! Then the facts: the tables of tensor limits and the Web IDL, which code has as tables and types of its own.
//!
//! The lock stands between the two. The code is held against the lock, which needs no copy of the specification, and the
//! lock against a copy, which says what changed since.

mod compare;
mod drift;
mod facts;
mod finding;
mod order;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use drift::drift;
pub use finding::{Finding, Report, Summary};

use crate::bikeshed::{Algorithm, Document, ReadError};
use crate::code::{Code, Encoding, Place};
use crate::facts::Facts;
use crate::lock::Lock;
use crate::step_path::StepPath;

/// Frames that stand for the rules of another standard, which throw before an algorithm of ours begins. Their places
/// are words, such as `EnforceRange`; a number would claim a step of a document that nobody holds it against.
const OTHER_STANDARDS: [&str; 1] = ["Web IDL"];

/// What a document is to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The specification: what is not encoded yet will be.
    Specification,
    /// The specification as it was locked: all of it is encoded.
    Locked,
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
    let mut report = Report { findings: code.oddities.iter().map(Finding::from).collect(), ..Report::default() };
    for source in sources {
        check_source(code, source, &mut report);
    }
    if let Some(specification) = sources.iter().find(|source| source.role != Role::Proposal) {
        report.findings.extend(foreign(code, sources));
        report.findings.extend(sources.iter().flat_map(|proposal| misplaced(proposal, specification)));
    }
    report
}

/// The amendments of a proposal to what the specification does not have.
fn misplaced(proposal: &Source, specification: &Source) -> Vec<Finding> {
    let amendments = proposal.document.amendments.iter();
    let finding = |amendment: &crate::bikeshed::Amendment| {
        let what = crate::proposal::misplaced(amendment, &specification.document)?;
        let place = Place { file: proposal.path.as_path().into(), line: amendment.line };
        Some(Finding { place, subject: amendment.algorithm.clone(), what })
    };
    amendments.filter_map(finding).collect()
}

/// Compares the facts of the code with the lock.
pub fn check_facts(code: &Facts, lock: &Lock) -> Vec<Finding> {
    facts::compare(code, lock)
}

impl From<&Lock> for Source {
    fn from(lock: &Lock) -> Self {
        Self { path: lock.path(), role: Role::Locked, document: lock.as_document() }
    }
}

fn check_source(code: &Code, source: &Source, report: &mut Report) {
    let file: Arc<Path> = source.path.as_path().into();
    let place = |line| Place { file: file.clone(), line };
    let mut summary = Summary::new(source.path.clone(), source.role);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for algorithm in &source.document.algorithms {
        let name = algorithm.name();
        let finding = |what| Finding { place: place(algorithm.line), subject: name.clone(), what };
        if let Some(first) = seen.get(&name) {
            report.findings.push(finding(format!("this algorithm is defined twice: first at {}", place(*first))));
            continue;
        }
        seen.insert(name.clone(), algorithm.line);
        summary.algorithms += 1;
        summary.steps += algorithm.steps.len();
        if let Some(encoding) = code.algorithms.get(&name) {
            summary.encoded += 1;
            summary.encoded_steps += algorithm.steps.len();
            let differences = compare::compare(algorithm, encoding, &file);
            report.findings.extend(differences.into_iter().map(|difference| difference.about(&name)));
        } else {
            summary.open.push((name.clone(), place(algorithm.line)));
            if source.role != Role::Specification {
                report
                    .findings
                    .push(finding(format!("no code encodes it: open its frame with algorithm!(\"{name}\")")));
            }
        }
    }
    report.summaries.push(summary);
}

/// The algorithms that the code has and no document.
fn foreign(code: &Code, sources: &[Source]) -> Vec<Finding> {
    let algorithms = || sources.iter().flat_map(|source| source.document.algorithms.iter().map(move |it| (source, it)));
    let names: BTreeMap<String, (&Source, &Algorithm)> = algorithms().map(|pair| (pair.1.name(), pair)).collect();
    let is_elsewhere = |name: &str, encoding: &Encoding| {
        let has_numbers = encoding.steps.iter().any(|step| step.name.parse::<StepPath>().is_ok());
        OTHER_STANDARDS.contains(&name) && !has_numbers
    };
    let unknown =
        code.algorithms.iter().filter(|(name, encoding)| !names.contains_key(*name) && !is_elsewhere(name, encoding));
    let finding = |(name, encoding): (&String, &Encoding)| {
        // Mostly the arguments were changed, or the interface was forgotten.
        let similar = names.iter().find(|(other, _)| stem(other) == stem(name));
        let what = match similar {
            Some((other, (source, algorithm))) => {
                format!(
                    "there is no such algorithm: did you mean {other}, {}:{}?",
                    source.path.display(),
                    algorithm.line
                )
            }
            None => {
                let documents: Vec<_> = sources.iter().map(|source| source.path.display().to_string()).collect();
                format!("there is no such algorithm in {}", documents.join(", "))
            }
        };
        let place = encoding.frames.first()?.clone();
        Some(Finding { place, subject: name.clone(), what })
    };
    unknown.filter_map(finding).collect()
}

/// What remains of a name when its interface, its arguments and its case are gone.
fn stem(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default();
    name.rsplit(['.', '/']).next().unwrap_or_default().to_lowercase()
}
