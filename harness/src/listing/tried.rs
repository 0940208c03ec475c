//! What `webnn smoke`, `webnn fuzz` and `webnn decompositions` tried, for programs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// How something that was tried went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Mark {
    /// As it has to.
    Ok,
    /// It is not supported.
    Skip,
    /// Otherwise.
    Bad,
}

/// One thing that an adapter has to do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SmokeCheck {
    /// What it has to do.
    pub(crate) about: String,
    /// How that went.
    pub(crate) outcome: Mark,
    /// What is wrong, or why it is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// What to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) advice: Option<&'static str>,
}

/// A random graph on which an implementation differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FuzzFinding {
    /// The number of the graph.
    pub(crate) graph: u64,
    /// The implementation.
    pub(crate) implementation: String,
    /// In what it differs.
    pub(crate) difference: String,
    /// The name of the shrunk graph's vector.
    pub(crate) vector: String,
    /// The file of that vector.
    pub(crate) file: String,
    /// The operators of the shrunk graph.
    pub(crate) operators: Vec<String>,
    /// How many operators the graph had before it was shrunk.
    pub(crate) operators_before: usize,
    /// How many graphs were tried to shrink it.
    pub(crate) tried: usize,
}

/// Random graphs that an implementation skipped.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedGraphs {
    /// The implementation.
    pub(crate) implementation: String,
    /// Why.
    pub(crate) reason: String,
    /// How many.
    pub(crate) graphs: usize,
}

/// How often an operator was drawn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DrawnOperator {
    /// The operator.
    pub(crate) operator: &'static str,
    /// How often.
    pub(crate) drawn: usize,
    /// How often the builder refused the call that was proposed.
    pub(crate) refused: usize,
    /// How often on which data type.
    pub(crate) data_types: BTreeMap<&'static str, usize>,
    /// How often with which option.
    pub(crate) options: BTreeMap<String, usize>,
}

/// How the decomposition of an operator went on vectors.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecomposedOperator {
    /// The operator.
    pub(crate) operator: &'static str,
    /// How many vectors are of it.
    pub(crate) vectors: usize,
    /// How many the decomposition does not admit, by what it does admit.
    pub(crate) not_admitted: BTreeMap<&'static str, usize>,
    /// On how many it gives what is expected.
    pub(crate) agree: usize,
    /// On how many it is beyond the tolerance, and inside the derived bound.
    pub(crate) inside: usize,
    /// On how many it gives something else where the specification leaves that open.
    pub(crate) open: usize,
    /// The vectors on which it parts from its operator.
    pub(crate) part: Vec<PartingVector>,
    /// The vectors on which it throws.
    pub(crate) throws: Vec<ThrowingVectors>,
}

/// A vector on which a decomposition parts from its operator.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PartingVector {
    /// The vector's id.
    pub(crate) vector: String,
    /// What it gives.
    pub(crate) message: String,
}

/// The vectors on which a decomposition throws the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ThrowingVectors {
    /// What it throws.
    pub(crate) error: String,
    /// The vectors' ids.
    pub(crate) vectors: Vec<String>,
}
