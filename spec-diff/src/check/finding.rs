//! What a check found.

use std::fmt;
use std::path::PathBuf;

use super::Role;
use crate::code::{Oddity, OddityKind, Place};
use crate::step_path::StepPath;

/// Everything that a check has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// One per document.
    pub summaries: Vec<Summary>,
}

/// Something that is wrong: a line for people, that begins with a place which editors and terminals can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What it is about: an algorithm, a row of a table, a declaration.
    pub subject: String,
    /// What is wrong, and what to do.
    pub what: String,
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

impl Summary {
    pub(super) fn new(path: PathBuf, role: Role) -> Self {
        Self { path, role, algorithms: 0, encoded: 0, steps: 0, encoded_steps: 0, open: Vec::new() }
    }
}

/// One difference between the steps of an algorithm in prose and in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// The code does not name steps that follow one another in the prose.
    Missing {
        /// The first of them.
        first: StepPath,
        /// The last of them.
        last: StepPath,
        /// How many they are.
        count: usize,
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

impl Difference {
    /// The difference as a finding about an algorithm.
    pub(super) fn about(self, algorithm: &str) -> Finding {
        let after =
            |step: Option<StepPath>| step.map_or("at the beginning".into(), |step| format!("after step {step}"));
        let (place, what) = match self {
            Self::Missing { first, last, count, prose, after: (before, place) } => {
                let which = match count {
                    1 => format!("step {first} is not named"),
                    2 => format!("steps {first} and {last} are not named"),
                    _ => format!("the {count} steps from {first} to {last} are not named"),
                };
                (place, format!("{which}: encode {prose} {}", after(before)))
            }
            Self::Unknown { step, code, prose_end } => {
                (code, format!("there is no step {step}: the algorithm ends at {prose_end}"))
            }
            Self::Repeated { step, first, again } => (again, format!("step {step} is named again: it was at {first}")),
            Self::OutOfOrder { step, code, code_after, prose, prose_after } => {
                let (here, there) = (after(code_after), after(prose_after));
                (code, format!("step {step} stands {here}: {prose} has it {there}"))
            }
        };
        Finding { place, subject: algorithm.to_owned(), what }
    }
}

impl From<&Oddity> for Finding {
    fn from(oddity: &Oddity) -> Self {
        let what = match &oddity.kind {
            OddityKind::StepWithoutFrame(step) => format!("step {step} is in no frame: open one with algorithm!(..)"),
            OddityKind::NotLiteral(name) => format!("the name in {name}! can not be read: make it a plain string"),
        };
        Self { place: oddity.place.clone(), subject: "no algorithm".to_owned(), what }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.subject, self.what)
    }
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}
