//! `steps.lock`: the specification as the code was last compared with it, as hashes.
//!
//! A line of the lock says what something is, its name, and the hash of what the specification says of it; a step also has
//! the exceptions that it names:
//!
//! ```text
//! algorithm 66b87ed1c1b7e3a1 MLGraphBuilder.relu(input, options)
//! 1 0c1de09d24bfcdbb
//! 2 9d8a13ffd7e0e1c3 TypeError
//! row 5a9e0bdf5af3c0a8 tensor-limits-relu input
//! member 2f5ac31ab0c9f2a1 MLConv2dOptions.groups
//! decomposition 0d92be4c1d1ad2f0 relu
//! ```
//!
//! So the code can be checked where there is no copy of the specification, and a copy can be asked what changed in it.
//! None of its prose is in here.

mod format;

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fnv::FnvHasher;

use crate::bikeshed::{Algorithm, Document, Flow, Step};
use crate::facts::{self, Subject};
use crate::step_path::StepPath;

pub use format::LockError;

/// The hash of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(u64);

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Where it was read from.
    pub path: Arc<Path>,
    /// The algorithms, in the order of the specification.
    pub algorithms: Vec<LockedAlgorithm>,
    /// The facts of tables and of Web IDL, with the line that has them.
    pub facts: BTreeMap<Subject, (Hash, usize)>,
    /// The decompositions by name, with the line that has them.
    pub decompositions: BTreeMap<String, (Hash, usize)>,
}

/// An algorithm in a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedAlgorithm {
    /// Its name.
    pub name: String,
    /// What comes before its steps: all of it, if it has none.
    pub preamble: Hash,
    /// Its steps.
    pub steps: Vec<LockedStep>,
    /// The line of the lock that has it.
    pub line: usize,
}

/// A step in a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedStep {
    /// Its path.
    pub path: StepPath,
    /// What it says.
    pub hash: Hash,
    /// How it stands to being aborted.
    pub flow: Flow,
    /// The exceptions that it names.
    pub exceptions: Vec<String>,
    /// The line of the lock that has it.
    pub line: usize,
}

impl Hash {
    /// The hash of these texts, wherever their lines are broken.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut hasher = FnvHasher::default();
        for word in texts.into_iter().flat_map(str::split_whitespace) {
            hasher.write(word.as_bytes());
            hasher.write_u8(b' ');
        }
        Self(hasher.finish())
    }

    /// The hash of what an algorithm says before its steps.
    pub fn of_preamble(algorithm: &Algorithm) -> Self {
        Self::of(algorithm.preamble.iter().filter(|line| !line.is_remark).map(|line| line.text.as_str()))
    }

    /// The hash of what a step says; its notes may change.
    pub fn of_step(step: &Step) -> Self {
        Self::of(step.instructions())
    }
}

impl Lock {
    /// What a document says, as a lock.
    pub fn of(document: &Document, path: &Path) -> Self {
        let facts = facts::of_document(document, path).into_iter();
        let facts = facts.map(|(subject, fact)| (subject, (Hash::of([fact.text.as_str()]), 0)));
        let decompositions = document.decompositions.iter();
        let decompositions = decompositions.map(|it| (it.name.clone(), (Hash::of([it.text.as_str()]), 0)));
        Self {
            path: path.into(),
            algorithms: document.algorithms.iter().map(LockedAlgorithm::of).collect(),
            facts: facts.collect(),
            decompositions: decompositions.collect(),
        }
    }

    /// The algorithm of this name.
    pub fn algorithm(&self, name: &str) -> Option<&LockedAlgorithm> {
        self.algorithms.iter().find(|algorithm| algorithm.name == name)
    }

    /// The locked algorithms as a document that has their steps, but none of their text. Its lines are those of the lock.
    pub fn as_document(&self) -> Document {
        Document {
            algorithms: self.algorithms.iter().map(LockedAlgorithm::as_algorithm).collect(),
            ..Document::default()
        }
    }

    /// The same lock with nothing in it.
    pub(crate) fn without_content(&self) -> Self {
        Self {
            path: self.path.clone(),
            algorithms: Vec::new(),
            facts: BTreeMap::new(),
            decompositions: BTreeMap::new(),
        }
    }

    /// Takes over what a newer lock has under a name, or that it has nothing.
    pub(crate) fn take(&mut self, name: &str, newest: &Self) {
        self.facts.retain(|subject, _| subject.name != name);
        self.facts
            .extend(newest.facts.iter().filter(|(it, _)| it.name == name).map(|(it, locked)| (it.clone(), *locked)));
        self.decompositions.remove(name);
        self.decompositions.extend(newest.decompositions.get(name).map(|locked| (name.to_owned(), *locked)));
        self.algorithms.retain(|algorithm| algorithm.name != name);
        let Some(place) = newest.algorithms.iter().position(|algorithm| algorithm.name == name) else { return };
        // Behind the nearest algorithm before it in the specification.
        let before = newest.algorithms[..place].iter().rev();
        let mut positions = before.filter_map(|it| self.algorithms.iter().position(|own| own.name == it.name));
        let position = positions.next().map_or(0, |position| position + 1);
        self.algorithms.insert(position, newest.algorithms[place].clone());
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.path.to_path_buf()
    }
}

impl LockedAlgorithm {
    /// What an algorithm says, as in a lock.
    pub fn of(algorithm: &Algorithm) -> Self {
        let step = |step: &Step| LockedStep {
            path: step.path.clone(),
            hash: Hash::of_step(step),
            flow: step.flow,
            exceptions: step.exceptions().map(str::to_owned).collect(),
            line: 0,
        };
        Self {
            name: algorithm.name(),
            preamble: Hash::of_preamble(algorithm),
            steps: algorithm.steps.iter().map(step).collect(),
            line: 0,
        }
    }

    fn as_algorithm(&self) -> Algorithm {
        let step = |step: &LockedStep| Step {
            path: step.path.clone(),
            line: step.line,
            text: String::new(),
            attached: Vec::new(),
            flow: step.flow,
            column: 0,
        };
        Algorithm {
            defined_for: None,
            term: self.name.clone(),
            aliases: Vec::new(),
            kind: crate::bikeshed::Kind::Concept,
            element: String::new(),
            line: self.line,
            end_line: self.steps.last().map_or(self.line, |step| step.line),
            preamble: Vec::new(),
            steps: self.steps.iter().map(step).collect(),
        }
    }
}
