//! What a check found.

use std::path::PathBuf;

use super::Role;
use crate::code::{Oddity, Place};
use crate::step_path::StepPath;

/// Everything that a check has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The algorithms with findings, in the order of the documents.
    pub groups: Vec<Group>,
    /// What stands in the code outside of any algorithm.
    pub oddities: Vec<Oddity>,
    /// One per document.
    pub summaries: Vec<Summary>,
    /// How many files of code were read.
    pub files: usize,
}

/// The findings in one algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The algorithm.
    pub name: String,
    /// Where the prose has it.
    pub prose: Option<Place>,
    /// Where the code has it.
    pub code: Option<Place>,
    /// What is wrong with it; at least one thing.
    pub findings: Vec<Finding>,
}

/// How much of a document is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The document.
    pub path: PathBuf,
    /// What it is.
    pub role: Role,
    /// Its algorithms.
    pub algorithms: usize,
    /// Those of them that code encodes.
    pub encoded: usize,
    /// Its steps.
    pub steps: usize,
    /// Those of them that are in encoded algorithms.
    pub encoded_steps: usize,
    /// The algorithms that no code encodes, and where they are.
    pub open: Vec<(String, Place)>,
}

impl Default for Summary {
    fn default() -> Self {
        let path = PathBuf::new();
        Self { path, role: Role::Specification, algorithms: 0, encoded: 0, steps: 0, encoded_steps: 0, open: vec![] }
    }
}

/// One difference between prose and code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No code encodes the algorithm, which is proposed.
    NotEncoded {
        /// How many steps it has.
        steps: usize,
    },
    /// No document has the algorithm.
    NotInProse {
        /// The documents.
        documents: Vec<PathBuf>,
        /// One that is called almost the same.
        similar: Option<(String, Place)>,
    },
    /// The document has another algorithm of this name before.
    DefinedTwice {
        /// The other one.
        first: Place,
    },
    /// The code does not name steps that follow one another in the prose.
    Missing {
        /// The first of them.
        first: StepPath,
        /// The last of them.
        last: StepPath,
        /// How many they are.
        count: usize,
        /// What the first one says: the user's own document, for the terminal only.
        text: String,
        /// Where the prose has the first.
        prose: Place,
        /// The step before them that the code does name, and where; the frame, if there is none.
        after: (Option<StepPath>, Place),
    },
    /// The prose has no such step.
    Unknown {
        /// What the code calls it.
        step: String,
        /// Where the code has it.
        code: Place,
        /// The last line of the algorithm in the prose.
        prose_end: Place,
    },
    /// The code names a step a second time.
    Repeated {
        /// The step.
        step: StepPath,
        /// Where the code has it first.
        first: Place,
        /// Where it has it again.
        again: Place,
        /// Where the prose has it.
        prose: Place,
    },
    /// The code names a step at another place than the prose.
    OutOfOrder {
        /// The step.
        step: StepPath,
        /// Where the code has it.
        code: Place,
        /// The step that the code has before it.
        code_after: Option<StepPath>,
        /// Where the prose has it.
        prose: Place,
        /// The step that the prose has before it.
        prose_after: Option<StepPath>,
    },
}

impl Report {
    /// How many findings there are.
    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.findings.len()).sum::<usize>() + self.oddities.len()
    }

    /// Whether there are none.
    pub fn is_clean(&self) -> bool {
        self.count() == 0
    }
}
