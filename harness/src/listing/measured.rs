//! What `webnn bench` measured, for programs.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

/// How long something took, each time that it was done, in seconds.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Times {
    /// The one in the middle.
    pub(crate) median: f64,
    /// The shortest.
    pub(crate) least: f64,
    /// The longest.
    pub(crate) most: f64,
}

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |index: usize| times.get(index).map_or(0.0, Duration::as_secs_f64);
        Self { median: at(times.len() / 2), least: at(0), most: at(times.len().saturating_sub(1)) }
    }
}

/// How long an implementation took for all vectors.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TimedImplementation {
    /// The implementation.
    pub(crate) implementation: String,
    /// From its start until the last vector was judged.
    pub(crate) running: Times,
}

/// How long a network took to be built, and to be loaded instead. Cold is a device that has compiled nothing yet, warm one that
/// has compiled these kernels before.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CachedNetwork {
    /// The implementation.
    pub(crate) implementation: String,
    /// The network.
    pub(crate) network: &'static str,
    /// The calls of the builder.
    pub(crate) describe: Times,
    /// `build()`, until its promise is fulfilled.
    pub(crate) build_cold: Times,
    /// `loadGraph()`, until its promise is fulfilled.
    pub(crate) load_cold: Times,
    /// `build()` once more.
    pub(crate) build_warm: Times,
    /// `loadGraph()` once more.
    pub(crate) load_warm: Times,
    /// `saveGraph()`, until its promise is fulfilled.
    pub(crate) save: Times,
    /// How many bytes are kept; none where a graph is kept as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entry_bytes: Option<usize>,
    /// How many bytes of weights are left out.
    pub(crate) weight_bytes: u64,
}

/// What a workload cost in memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MeasuredWorkload {
    /// Its name.
    pub(crate) workload: &'static str,
    /// What it is.
    pub(crate) about: &'static str,
    /// The ways in which it was done.
    pub(crate) rows: Vec<MeasuredWay>,
    /// What is wrong with the results of the ways taken together; `null` if nothing is.
    pub(crate) contradiction: Option<String>,
}

/// What a way of a workload cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MeasuredWay {
    /// Its name.
    pub(crate) way: &'static str,
    /// What it is.
    pub(crate) about: &'static str,
    /// What is to be said beside that; `null` if nothing is.
    pub(crate) remark: Option<String>,
    /// The command that measures it again.
    pub(crate) command: String,
    /// What was measured: bytes, seconds, bytes for each second, or a number of times, by names that `docs/memory.md` explains.
    pub(crate) figures: BTreeMap<String, MeasuredFigure>,
    /// The bytes that its context was allowed to have on the device; `null` without a limit.
    pub(crate) budget: Option<u64>,
    /// A digest of the bits that were computed; `null` if nothing was.
    pub(crate) result: Option<String>,
    /// Why it could not be measured; `null` if it was.
    pub(crate) failure: Option<String>,
}

/// A figure, of all times that it was measured.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct MeasuredFigure {
    /// The one in the middle, or between the two in the middle.
    pub(crate) median: f64,
    /// The least.
    pub(crate) least: f64,
    /// The greatest.
    pub(crate) most: f64,
}
