//! A vector, its three kinds, and the form that it has in a file.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Problem;
use crate::graph::{ExpectedOutput, Graph, Tolerance};
use crate::members;
use crate::scenario::Step;
use crate::value::Value;

/// One conformance test as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// `FILE_STEM/NAME`, unique among the vectors that were loaded together; empty outside a file.
    pub id: String,
    /// Its place in the file's list.
    pub index: usize,
    /// Its name, unique within the file.
    pub name: String,
    /// Where the expected values come from, where that is not the file's source.
    pub source: Option<String>,
    /// A remark.
    pub note: Option<String>,
    /// What the specification leaves open; other implementations are reported and not judged.
    pub implementation_defined: Option<String>,
    /// What happens under the specification's text as written.
    pub literal: Option<Literal>,
    /// Whether every operand is within the types and ranks that the specification requires (data of
    /// web-platform-tests say so).
    pub required: Option<bool>,
    /// What it does.
    pub kind: Kind,
}

impl Vector {
    /// The graph, unless it is a scenario.
    #[must_use]
    pub fn graph(&self) -> Option<&Graph> {
        match &self.kind {
            Kind::Graph { graph, .. } | Kind::Negative { graph, .. } => Some(graph),
            Kind::Scenario { .. } => None,
        }
    }

    /// How far this output of the vector may be off: its own tolerance, or else the vector's, or
    /// else not at all.
    #[must_use]
    pub fn tolerance_of(&self, output: &ExpectedOutput) -> Tolerance {
        let of_vector = if let Kind::Graph { tolerance, .. } = self.kind { tolerance } else { None };
        output.tolerance.or(of_vector).unwrap_or(Tolerance::EXACT)
    }
}

/// The three kinds of vectors.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A graph with expected outputs.
    Graph {
        /// What is built and dispatched.
        graph: Graph,
        /// For every output that has none of its own.
        tolerance: Option<Tolerance>,
    },
    /// A graph that cannot be built.
    Negative {
        /// What is built.
        graph: Graph,
        /// The exception that one of the calls throws.
        throws: Throws,
    },
    /// A list of calls.
    Scenario {
        /// The calls, in order.
        steps: Vec<Step>,
    },
}

/// An exception that a call has to throw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Throws {
    /// Its name.
    pub name: ExceptionName,
    /// Which step throws it; optional for other implementations.
    #[serde(default, deserialize_with = "members::present_object", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ThrownAt")]
    pub at: Option<ThrownAt>,
}

impl Throws {
    /// Whether it is Web IDL that throws, since a value is of another type than the method takes. Only where a vector says
    /// that may an operator be given such a value.
    #[must_use]
    pub fn is_of_web_idl(&self) -> bool {
        self.at.as_ref().is_some_and(|at| at.algorithm == WEB_IDL)
    }
}

/// What stands for an algorithm where Web IDL throws, before a method is called.
pub(crate) const WEB_IDL: &str = "Web IDL";

/// The exceptions that the specification and its proposals throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs)] // Defined by Web IDL.
pub enum ExceptionName {
    TypeError,
    InvalidStateError,
    SecurityError,
    NotSupportedError,
    OperationError,
    UnknownError,
    NotFoundError,
    QuotaExceededError,
}

impl ExceptionName {
    /// The name as JavaScript sees it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeError => "TypeError",
            Self::InvalidStateError => "InvalidStateError",
            Self::SecurityError => "SecurityError",
            Self::NotSupportedError => "NotSupportedError",
            Self::OperationError => "OperationError",
            Self::UnknownError => "UnknownError",
            Self::NotFoundError => "NotFoundError",
            Self::QuotaExceededError => "QuotaExceededError",
        }
    }
}

/// A step of an algorithm of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThrownAt {
    /// The algorithm, by the name that the code gives it.
    pub algorithm: String,
    /// The step's number, such as "4" or "6.2".
    pub step: String,
}

/// What happens under the specification's text as written, where that text is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Literal {
    /// The issue's id in the ledger of the specification's errors.
    pub issue: String,
    /// What happens.
    pub outcome: LiteralOutcome,
}

/// What a vector does under the literal text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LiteralOutcome {
    /// No exception, and the expected values.
    Passes,
    /// An exception.
    Throws,
    /// Other values.
    Differs,
}

/// One conformance test: a scenario has `scenario`, a negative vector `graph` and `throws`, a graph
/// vector `graph`.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "Vector", extend("required" = ["name"]))]
#[schemars(extend("oneOf" = [
    {
        "required": ["graph"],
        "properties": { "scenario": false, "throws": false, "graph": { "required": ["expectedOutputs"] } }
    },
    {
        "required": ["graph", "throws"],
        "properties": {
            "scenario": false, "tolerance": false, "graph": { "properties": { "expectedOutputs": false } }
        }
    },
    {
        "required": ["scenario"],
        "properties": { "graph": false, "throws": false, "tolerance": false }
    }
]))]
pub(crate) struct VectorForm {
    /// Unique within the file.
    #[serde(deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1))]
    pub(crate) name: Option<String>,
    /// Where the expected values come from, where that is not the file's source.
    #[serde(deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    source: Option<String>,
    /// A remark.
    #[serde(deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    note: Option<String>,
    /// What the specification leaves open, as a sentence: others are reported and not judged.
    #[serde(deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    implementation_defined: Option<String>,
    /// What happens under the specification's text as written, where that text is wrong.
    #[serde(deserialize_with = "members::present_object", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Literal")]
    literal: Option<Literal>,
    /// Whether every operand is within the types and ranks that the specification requires.
    #[serde(deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    required: Option<bool>,
    /// How far the outputs may be off that have no tolerance of their own.
    #[serde(deserialize_with = "members::present_object", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Tolerance")]
    tolerance: Option<Tolerance>,
    /// What is built, and dispatched where it can be.
    #[serde(deserialize_with = "members::present_object", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Graph")]
    graph: Option<Graph>,
    /// The exception that a call of the graph throws.
    #[serde(deserialize_with = "members::present_object", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Throws")]
    throws: Option<Throws>,
    /// Calls in order.
    #[serde(deserialize_with = "members::present_objects", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Step>", length(min = 1))]
    scenario: Option<Vec<Step>>,
    /// Of web-platform-tests; ignored.
    #[serde(skip_serializing)]
    #[schemars(with = "Value")]
    tolerance_func: Option<IgnoredAny>,
    /// Of web-platform-tests; ignored.
    #[serde(skip_serializing, rename = "utils2026Tolerance")]
    #[schemars(with = "Value")]
    utils_tolerance: Option<IgnoredAny>,
    /// Of web-platform-tests; ignored.
    #[serde(skip_serializing)]
    #[schemars(with = "Value")]
    cast_to_supported_type: Option<IgnoredAny>,
}

impl VectorForm {
    /// The vector, where the members are those of one kind.
    pub(crate) fn into_vector(self) -> Result<Vector, Problem> {
        let name = self.name.filter(|name| !name.is_empty()).ok_or(Problem::NoName)?;
        let kind = kind(self.graph, self.throws, self.scenario, self.tolerance)?;
        Ok(Vector {
            id: String::new(),
            index: 0,
            name,
            source: self.source,
            note: self.note,
            implementation_defined: self.implementation_defined,
            literal: self.literal,
            required: self.required,
            kind,
        })
    }
}

fn kind(
    graph: Option<Graph>,
    throws: Option<Throws>,
    scenario: Option<Vec<Step>>,
    tolerance: Option<Tolerance>,
) -> Result<Kind, Problem> {
    match (graph, throws, scenario) {
        (Some(graph), None, None) if graph.expected_outputs.is_empty() => Err(Problem::NoExpectation),
        (Some(graph), None, None) => Ok(Kind::Graph { graph, tolerance }),
        (Some(graph), Some(_), None) if !graph.expected_outputs.is_empty() => {
            Err(Problem::MixedKinds("`throws`", "`expectedOutputs`"))
        }
        (Some(_), Some(_), None) if tolerance.is_some() => Err(Problem::MixedKinds("`throws`", "`tolerance`")),
        (Some(graph), Some(throws), None) => Ok(Kind::Negative { graph, throws }),
        (None, None, Some(_)) if tolerance.is_some() => Err(Problem::MixedKinds("`scenario`", "`tolerance`")),
        (None, None, Some(steps)) => Ok(Kind::Scenario { steps }),
        (Some(_), _, Some(_)) => Err(Problem::MixedKinds("`scenario`", "`graph`")),
        (None, Some(_), Some(_)) => Err(Problem::MixedKinds("`scenario`", "`throws` (which belongs to a step)")),
        (None, _, None) => Err(Problem::NoKind),
    }
}

impl From<Vector> for VectorForm {
    fn from(vector: Vector) -> Self {
        let form = Self {
            name: Some(vector.name),
            source: vector.source,
            note: vector.note,
            implementation_defined: vector.implementation_defined,
            literal: vector.literal,
            required: vector.required,
            ..Self::default()
        };
        match vector.kind {
            Kind::Graph { graph, tolerance } => Self { graph: Some(graph), tolerance, ..form },
            Kind::Negative { graph, throws } => Self { graph: Some(graph), throws: Some(throws), ..form },
            Kind::Scenario { steps } => Self { scenario: Some(steps), ..form },
        }
    }
}

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        VectorForm::from(self.clone()).serialize(serializer)
    }
}

/// Reads a vector outside a file, as the protocol sends it; its graph or scenario is not checked
/// any further.
impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        VectorForm::deserialize(deserializer)?.into_vector().map_err(D::Error::custom)
    }
}

impl JsonSchema for Vector {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        VectorForm::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        VectorForm::json_schema(generator)
    }
}
