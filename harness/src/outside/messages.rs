//! The messages of the protocol, as `../../PROTOCOL.md` describes them.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::elements::Elements;

/// The version of the protocol.
pub(crate) const PROTOCOL: u32 = 1;

/// The JSON Schema of all messages: a line is one of these.
pub(crate) fn schema() -> schemars::Schema {
    #[derive(JsonSchema)]
    #[schemars(untagged, rename = "Message")]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Message {
        Command(Command),
        Answer(Answered),
    }
    schemars::schema_for!(Message)
}

/// What the harness writes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "command", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Command {
    /// Say who you are.
    Start {
        /// The version of the protocol.
        protocol: u32,
    },
    /// Run a vector.
    Run {
        /// A number that the answer repeats.
        seq: u64,
        /// What to run.
        vector: Box<SentVector>,
        /// How far the run is, for a page that shows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        progress: Option<Box<Progress>>,
    },
    /// There is nothing more to do.
    Stop {
        /// How the run went, for a page that shows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        progress: Option<Box<Progress>>,
    },
}

/// How far a run is.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Progress {
    /// How many vectors have a result.
    pub(crate) done: usize,
    /// How many there are.
    pub(crate) total: usize,
    /// How many of them went how: `passed`, `failed`, `errored`, `skipped`, `open`.
    pub(crate) outcomes: BTreeMap<String, usize>,
    /// The last that failed, or broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_failure: Option<ShownFailure>,
}

/// A vector that did not pass.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownFailure {
    /// Its id.
    pub(crate) vector: String,
    /// How it went.
    pub(crate) message: String,
}

/// A vector without what is expected of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentVector {
    /// Its id, for messages.
    pub(crate) id: String,
    /// What it is.
    #[serde(flatten)]
    pub(crate) work: Work,
}

/// What a vector asks for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Work {
    /// To build a graph, to dispatch it and to read its outputs.
    Graph(SentGraph),
    /// To make calls.
    Scenario(Vec<Json>),
}

/// A graph, as calls on one builder.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentGraph {
    /// Inputs and constants, in the order of their creation.
    #[schemars(with = "BTreeMap<String, SentInput>")]
    pub(crate) inputs: IndexMap<String, SentInput>,
    /// The operators, in the order of the calls.
    pub(crate) operators: Vec<SentOperator>,
    /// The operands that `build()` is given.
    pub(crate) outputs: Vec<String>,
}

/// An input or a constant of a graph, and its elements.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentInput {
    /// Its type.
    pub(crate) data_type: String,
    /// Its dimensions.
    pub(crate) shape: Vec<u32>,
    /// Whether it is a constant of the graph.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) constant: bool,
    /// The elements: little-endian, row-major, in base64.
    pub(crate) bytes: Elements,
    /// How many times over; once if it is not there.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub(crate) times: u64,
}

fn once() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature is serde's.
fn is_once(times: &u64) -> bool {
    *times == 1
}

/// One call of an operator's method.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentOperator {
    /// The method.
    pub(crate) name: String,
    /// Its arguments by the names of its parameters, in their order.
    pub(crate) arguments: serde_json::Map<String, Json>,
    /// The names of what it returns.
    pub(crate) outputs: Vec<String>,
}

/// What an adapter answers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Answer {
    /// To `start`: who it is.
    Ready(Box<Ready>),
    /// To `run`: the outputs, by name.
    Result {
        /// That of the command.
        seq: u64,
        /// The outputs.
        outputs: BTreeMap<String, SentTensor>,
    },
    /// To `run`: WebNN threw, or rejected a promise.
    Exception {
        /// That of the command.
        seq: u64,
        /// What it threw.
        #[serde(flatten)]
        exception: SentException,
    },
    /// To `run`: the vector can not be run.
    Skipped {
        /// That of the command.
        seq: u64,
        /// Why.
        reason: String,
        /// Where that is discussed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        issue: Option<String>,
    },
    /// To `run`: something broke. To `start`, without a number: it can not take part.
    Errored {
        /// That of the command.
        #[serde(default)]
        seq: u64,
        /// What.
        message: String,
        /// More about it, such as a stack trace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<String>,
    },
    /// To `run` with a scenario: what each call gave.
    Calls {
        /// That of the command.
        seq: u64,
        /// The results, in order.
        results: Vec<SentResult>,
    },
}

/// An answer as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct Answered {
    /// The answer.
    #[serde(flatten)]
    pub(crate) answer: Answer,
    /// Nothing works any more, and this is why: what was asked is asked once more where it is started anew.
    #[serde(default)]
    pub(crate) fatal: Option<String>,
}

impl Answer {
    /// What it is called.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Ready(_) => "ready",
            Self::Result { .. } => "result",
            Self::Exception { .. } => "exception",
            Self::Skipped { .. } => "skipped",
            Self::Errored { .. } => "errored",
            Self::Calls { .. } => "calls",
        }
    }

    /// The command that it answers; none for `ready`.
    pub(crate) fn seq(&self) -> Option<u64> {
        match self {
            Self::Ready(_) => None,
            Self::Result { seq, .. }
            | Self::Exception { seq, .. }
            | Self::Skipped { seq, .. }
            | Self::Errored { seq, .. }
            | Self::Calls { seq, .. } => Some(*seq),
        }
    }
}

/// Who an adapter is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ready {
    /// The version of the protocol that it speaks.
    pub(crate) protocol: u32,
    /// The implementation's name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// The language that it is written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    /// Its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) homepage: Option<String>,
    /// Where to report a bug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) issues: Option<String>,
    /// The device that computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) adapter: Option<String>,
    /// The data types that it supports; all, if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_types: Option<Vec<String>>,
    /// The operators that it supports; all, if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) operators: Option<Vec<String>>,
    /// Whether it runs scenarios.
    #[serde(default)]
    pub(crate) scenarios: bool,
    /// Whether it validates as WebNN does; one that does not is not sent calls that have to be refused.
    #[serde(default = "validates")]
    pub(crate) validation: bool,
}

fn validates() -> bool {
    true
}

/// A tensor that was read back.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentTensor {
    /// Its type.
    pub(crate) data_type: String,
    /// Its dimensions.
    pub(crate) shape: Vec<u32>,
    /// The elements: little-endian, row-major, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<Elements>,
    /// The elements as numbers, instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<webnn_vectors::Data>,
}

/// An exception.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentException {
    /// `TypeError`, or the name of a `DOMException`.
    pub(crate) name: String,
    /// What was wrong.
    #[serde(default)]
    pub(crate) message: String,
    /// The data type or rank of an operand that the implementation's `opSupportLimits()` does not list, where it threw for
    /// that: a vector that expects a result is then skipped with this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unsupported: Option<String>,
}

/// What one call of a scenario gave.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SentResult {
    /// It returned, or its promise was fulfilled.
    Done(bool),
    /// A tensor was read back.
    Tensor(SentTensor),
    /// Another value that a vector can ask for.
    Value(webnn_vectors::Value),
    /// It threw, or its promise was rejected.
    Exception(SentException),
}
