//! A line of a result file, as it is written.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::implementation::Description;
use crate::judge::bound::{BoundVerdict, Element, Standing};
use crate::judge::{Failure as NotAsExpected, Outcome};
use crate::record::{About, Header};

/// A line of a result file. The first is the header and the last the footer; a file without its footer is of a run that did not
/// end.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "line", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[schemars(rename = "ResultFileLine")]
pub(super) enum Line<'a> {
    /// What was run, and how.
    Header {
        #[serde(flatten)]
        header: &'a Header,
    },
    /// An implementation runs.
    Started {
        /// As the header calls it.
        implementation: &'a str,
        #[serde(flatten)]
        description: &'a Description,
    },
    /// An implementation did not start.
    NotStarted {
        /// As the header calls it.
        implementation: &'a str,
        /// Why.
        reason: &'a str,
    },
    /// What a vector is about.
    Vector {
        /// Its id.
        vector: &'a str,
        #[serde(flatten)]
        about: &'a About,
    },
    /// How a vector went on an implementation.
    Result {
        /// The vector's id.
        vector: &'a str,
        /// The implementation.
        implementation: &'a str,
        /// Whether that was expected.
        expected: bool,
        /// Why it is known not to pass, where that is listed.
        #[serde(skip_serializing_if = "Option::is_none")]
        known: Option<&'a str>,
        /// Where the specification's text asks for this failure as it is written: what that error is called in SPEC_ISSUES.md.
        #[serde(skip_serializing_if = "Option::is_none")]
        as_written: Option<&'a str>,
        /// How long it took.
        seconds: f64,
        #[serde(flatten)]
        outcome: OutcomeLine<'a>,
        /// What the derived bound says of it, where it was asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        bound: Option<BoundLine<'a>>,
    },
    /// Where two implementations part.
    Difference {
        /// The vector's id.
        vector: &'a str,
        /// The implementations.
        implementations: [&'a str; 2],
        /// The output.
        output: &'a str,
        /// The largest distance; `null` if the outputs are of different types or shapes.
        worst: Option<String>,
        /// Where that is.
        index: Option<usize>,
    },
    /// A result that is not the same every time.
    Flake {
        /// The vector's id.
        vector: &'a str,
        /// The implementation.
        implementation: &'a str,
        /// How it went, and how another time.
        message: &'a str,
    },
    /// The run has ended.
    Footer {
        /// How many results there are.
        results: usize,
        /// How many of them, and of the flakes, are not as expected.
        unexpected: usize,
        /// How long it took.
        seconds: f64,
        /// Whether somebody ended the run before its vectors did.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        interrupted: bool,
        /// Why the run ended before its vectors did, where that was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        ended_early: Option<&'a str>,
    },
}

/// Where a run comes from: what a header has beside what is read back from it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Provenance {
    /// The files and folders that were named; none for those that the program carries.
    pub(super) paths: Vec<String>,
    /// Where the expected values come from.
    pub(super) sources: Vec<String>,
    /// Tells which vectors were chosen, of which state of the files.
    pub(super) fingerprint: String,
    /// Whether it is judged by the derived bound too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) bounds: bool,
    /// The texts of which the id of a vector has to contain one; absent if any will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) filters: Vec<String>,
    /// The operators that a graph may have; absent if any will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) operators: Vec<String>,
    /// The result file of which only what was not as expected was run again.
    #[serde(rename = "failedOnly", skip_serializing_if = "Option::is_none")]
    pub(super) failed_only: Option<String>,
    /// The commit of the program; `null` where that is not known.
    pub(super) commit: Option<&'static str>,
    /// The commit of the specification that the reference encodes.
    pub(super) specification: &'static str,
    /// The system that it was run on.
    pub(super) os: &'static str,
    /// The processor that it was run on.
    pub(super) processor: &'static str,
}

/// The JSON Schema of a line.
pub(crate) fn schema() -> Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Line<'static>>()
}

/// How a vector went.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum OutcomeLine<'a> {
    /// It is as the vector expects.
    Passed {
        /// How far off the worst element is; absent where there are none, as where a call is refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        distance: Option<String>,
        /// Whether every element is equal to the last bit; absent where there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        bit_equal: Option<bool>,
    },
    /// It is not as the vector expects.
    Failed {
        /// In what, in a sentence.
        message: String,
        #[serde(flatten)]
        failure: FailureLine<'a>,
    },
    /// Something broke.
    Errored {
        /// What.
        message: &'a str,
    },
    /// It was not run.
    Skipped {
        /// Why.
        reason: &'a str,
    },
    /// The specification leaves open what is right.
    Open {
        /// What it leaves open.
        reason: &'a str,
        /// In what it is not as the vector expects; `null` if it is.
        difference: Option<String>,
    },
}

/// What the derived bound says: `inside`, `outside` or `undecided`; how the vector stands with both judges; what the bound
/// says of the numbers that the vector expects; and unless the verdict is `inside`, of which element it is: its value, what
/// the reference has, and how far an honest implementation may be from that.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BoundLine<'a> {
    /// `inside`, `outside` or `undecided`.
    verdict: String,
    /// How the vector stands with both judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<Standing>,
    /// What the bound says of the numbers that the vector expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_expected: Option<String>,
    #[serde(flatten)]
    element: Option<&'a Element>,
}

impl<'a> BoundLine<'a> {
    pub(super) fn new(outcome: &Outcome, bound: &'a BoundVerdict) -> Self {
        Self {
            verdict: bound.verdict.to_string(),
            standing: Standing::of(outcome, bound),
            of_expected: bound.expected.map(|verdict| verdict.to_string()),
            element: bound.element.as_ref(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum FailureLine<'a> {
    /// An element is too far off.
    Element {
        /// The output.
        output: &'a str,
        /// Its place there.
        index: usize,
        /// What the vector expects.
        expected_value: &'a str,
        /// What the implementation returned.
        actual_value: &'a str,
        /// How far that is off.
        distance: String,
        /// How far it may be off.
        allowed: String,
    },
    /// What else there may be.
    Other {},
}

impl<'a> From<&'a Outcome> for OutcomeLine<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Passed { numbers } => Self::Passed {
                distance: numbers.map(|numbers| numbers.distance.to_string()),
                bit_equal: numbers.map(|numbers| numbers.bit_equal),
            },
            Outcome::Failed(failure) => Self::Failed { message: failure.to_string(), failure: failure.into() },
            Outcome::Errored(message) => Self::Errored { message },
            Outcome::Skipped(reason) => Self::Skipped { reason },
            Outcome::Open { reason, difference } => {
                Self::Open { reason, difference: difference.as_ref().map(ToString::to_string) }
            }
        }
    }
}

impl<'a> From<&'a NotAsExpected> for FailureLine<'a> {
    fn from(failure: &'a NotAsExpected) -> Self {
        match failure {
            NotAsExpected::Element { output, index, expected, actual, distance, allowed } => Self::Element {
                output,
                index: *index,
                expected_value: expected,
                actual_value: actual,
                distance: distance.to_string(),
                allowed: allowed.to_string(),
            },
            NotAsExpected::Descriptor { .. } | NotAsExpected::Exception { .. } | NotAsExpected::Call { .. } => {
                Self::Other {}
            }
        }
    }
}
