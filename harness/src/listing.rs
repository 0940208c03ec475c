//! What is listed, for programs: the forms that `--format json` writes, and their schema.

pub(crate) mod measured;
pub(crate) mod tried;

use std::path::Path;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value as Json;
use webnn_vectors::Vector;

use crate::commands::compare::Changes;
use crate::failure::Failure;
use crate::implementation::Description;
use crate::output;
use measured::{CachedNetwork, MeasuredWorkload, TimedImplementation, Times};
use tried::{DecomposedOperator, DrawnOperator, FuzzFinding, SkippedGraphs, SmokeCheck};

/// How a listing is written.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Format {
    /// The form: for a terminal, or for programs (`webnn schema listings` says what that looks like).
    #[arg(long = "format", short = 'F', value_enum, default_value = "text")]
    form: Form,
}

/// The same, for a verb whose verbs below it take it too.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FormatOfAll {
    /// The form: for a terminal, or for programs (`webnn schema listings` says what that looks like).
    #[arg(long = "format", short = 'F', value_enum, default_value = "text", global = true)]
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

impl Format {
    pub(crate) fn is_json(self) -> bool {
        self.form == Form::Json
    }
}

impl FormatOfAll {
    pub(crate) fn is_json(self) -> bool {
        self.form == Form::Json
    }
}

/// A listing; which one it is stands in its first member.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "listing", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Listing<'a> {
    /// Of `webnn list vectors`.
    Vectors {
        /// The vectors, in the order in which they are run.
        vectors: Vec<ListedVector<'a>>,
    },
    /// Of `webnn list operators`.
    Operators {
        /// The operators of the specification.
        operators: Vec<ListedOperator>,
        /// The enumerations that their arguments and options are of.
        enumerations: Vec<ListedEnumeration>,
    },
    /// Of `webnn list implementations`.
    Implementations {
        /// What vectors can be run on.
        implementations: Vec<ListedImplementation>,
    },
    /// Of `webnn list adapters`.
    Adapters {
        /// The adapters that wgpu finds, in words.
        adapters: Vec<String>,
    },
    /// Of `webnn show`.
    Vector {
        /// Its id.
        id: &'a str,
        /// The file that it is in.
        path: &'a str,
        /// Its place in the list there, from 0.
        place: usize,
        /// Where its expected values come from.
        source: &'a str,
        /// The vector, in the form of files of vectors.
        vector: &'a Vector,
    },
    /// Of `webnn explain`.
    Explanation {
        /// The vector's id.
        vector: &'a str,
        /// The steps of the specification that the first implementation reached, in their order.
        steps: Vec<ReachedAlgorithm<'a>>,
        /// How it went on each implementation.
        results: Vec<ExplainedResult>,
    },
    /// Of `webnn coverage`.
    Coverage {
        /// How many vectors were run.
        vectors: usize,
        /// What they reach.
        reached: Vec<ReachedPart>,
    },
    /// Of `webnn plan`.
    Plan {
        /// The graphs.
        graphs: Vec<PlannedGraph>,
    },
    /// Of `webnn accuracy`.
    Accuracy {
        /// The implementations that were measured.
        implementations: Vec<MeasuredImplementation>,
    },
    /// Of `webnn compare`.
    Comparison {
        /// What is not as it was, the worst first.
        #[schemars(with = "Vec<Changed>")]
        changes: &'a Changes<'a>,
        /// What takes longer.
        slower: &'a [Slowed],
    },
    /// Of `webnn bench`.
    Benchmark {
        /// How many vectors were run.
        vectors: usize,
        /// How many times everything was done.
        runs: u32,
        /// How long it took to load the vectors.
        loading: Times,
        /// How long it took to run them.
        implementations: Vec<TimedImplementation>,
    },
    /// Of `webnn bench cache`.
    CacheBenchmark {
        /// How many times everything was done.
        runs: u32,
        /// Well-known networks on each implementation.
        networks: Vec<CachedNetwork>,
    },
    /// Of `webnn bench memory`, also as `memory.json`.
    MemoryBenchmark {
        /// The version of this program.
        version: &'static str,
        /// What the implementation says of itself.
        implementation: Description,
        /// How many processors there are.
        processors: usize,
        /// How many bytes the models have.
        size: u64,
        /// How many times each way was gone.
        repeat: u32,
        /// Whether the files of models were read from the disk each time.
        cold: bool,
        /// What was measured.
        workloads: Vec<MeasuredWorkload>,
    },
    /// Of `webnn smoke`.
    SmokeTest {
        /// What the implementation says of itself.
        implementation: Description,
        /// Whether it speaks the protocol: nothing is bad, and something was computed.
        speaks: bool,
        /// What was tried.
        checks: Vec<SmokeCheck>,
    },
    /// Of `webnn fuzz`.
    RandomGraphs {
        /// The seed.
        seed: u64,
        /// The number of the first graph.
        first: u64,
        /// How many graphs were run.
        graphs: u64,
        /// How many comparisons were made, of whole graphs and of single operators.
        compared: usize,
        /// How many of them are undecided: inside a bound that spans a jump.
        undecided: usize,
        /// How many graphs an implementation skipped.
        skipped: usize,
        /// Which implementations, and why.
        skipped_for: Vec<SkippedGraphs>,
        /// Whether it ended early because an implementation hung too often.
        given_up: bool,
        /// How long it took.
        seconds: f64,
        /// Where implementations differ.
        findings: Vec<FuzzFinding>,
        /// What was drawn.
        operators: Vec<DrawnOperator>,
    },
    /// Of `webnn decompositions`.
    Decompositions {
        /// The operators that have a decomposition.
        operators: Vec<DecomposedOperator>,
        /// Functions of the specification's JavaScript that are of no operator.
        others: Vec<String>,
    },
}

impl Listing<'_> {
    /// Writes it to standard output.
    ///
    /// # Errors
    /// If that can not be done, or what is listed can not be read any more.
    pub(crate) fn print(&self) -> Result<(), Failure> {
        output::print_pieces(|out| output::write_json(out, self))
    }

    /// Writes it to a file.
    ///
    /// # Errors
    /// If that can not be done, or what is listed can not be read any more.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        output::write_pieces(path, |out| output::write_json(out, self))
    }
}

/// The JSON Schema of all listings.
pub(crate) fn schema() -> schemars::Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Listing<'static>>()
}

/// A vector, in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedVector<'a> {
    /// Its id, `FILE/NAME`.
    pub(crate) id: &'a str,
    /// The file that it is in.
    pub(crate) path: &'a str,
    /// `graph`, `negative` or `scenario`.
    pub(crate) kind: &'static str,
    /// Its operator, or else its file.
    pub(crate) subject: String,
    /// The data type of its first input, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data_type: Option<&'static str>,
    /// Where its expected values come from.
    pub(crate) source: &'a str,
}

/// An operator of the specification.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedOperator {
    /// The method of `MLGraphBuilder`.
    pub(crate) name: &'static str,
    /// The section's anchor.
    pub(crate) section: &'static str,
    /// What the method takes, in order.
    pub(crate) parameters: Vec<ListedParameter>,
    /// What it returns, as Web IDL writes it.
    pub(crate) returns: String,
}

/// A parameter of an operator's method.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ListedParameter {
    /// Its name, under which an adapter is sent its argument.
    pub(crate) name: &'static str,
    /// Its type, as Web IDL writes it.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Whether it may be left out.
    pub(crate) optional: bool,
    /// What it can have, if it is a dictionary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) members: Vec<ListedMember>,
}

/// A member of an operator's options.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ListedMember {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its type, as Web IDL writes it.
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

/// An enumeration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ListedEnumeration {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its values.
    pub(crate) values: Vec<&'static str>,
}

/// Something that vectors can be run on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ListedImplementation {
    /// As `-i` takes it.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) description: &'static str,
}

/// An algorithm that was reached.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReachedAlgorithm<'a> {
    /// The algorithm.
    pub(crate) algorithm: &'a str,
    /// Its steps, in the order in which they were reached first.
    pub(crate) steps: Vec<&'a str>,
}

/// How a vector went on an implementation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedResult {
    /// The implementation.
    pub(crate) implementation: String,
    /// `passed`, `failed`, `errored`, `skipped` or `open`.
    pub(crate) outcome: &'static str,
    /// The same in a sentence.
    pub(crate) message: String,
    /// Why it is known not to pass, where that is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<String>,
    /// Where the specification's text asks for this failure as it is written: what that error is called in SPEC_ISSUES.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) as_written: Option<String>,
    /// What the derived bound says: `inside`, `undecided` or `outside`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bound: Option<String>,
    /// What each output has.
    pub(crate) outputs: Vec<ExplainedOutput>,
}

/// The elements of an output.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedOutput {
    /// Its name.
    pub(crate) name: String,
    /// Its data type.
    pub(crate) data_type: &'static str,
    /// Its shape.
    pub(crate) shape: Vec<u32>,
    /// Its elements in row-major order, as text that keeps every digit.
    pub(crate) elements: Vec<String>,
}

/// How much of something is reached.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ReachedPart {
    /// What is counted.
    pub(crate) what: &'static str,
    /// How many of them are reached.
    pub(crate) reached: usize,
    /// How many there are.
    pub(crate) of: usize,
    /// Those that are not.
    pub(crate) missing: Vec<String>,
}

/// What a graph takes on a GPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlannedGraph {
    /// A vector's id, or a network's name.
    pub(crate) graph: String,
    /// Dispatches, each operator computed by itself.
    pub(crate) plain_dispatches: usize,
    /// Dispatches without views, and with chains of element-wise operators as one kernel.
    pub(crate) dispatches: usize,
    /// Bytes of intermediate tensors, each operator computed by itself.
    pub(crate) plain_bytes: u64,
    /// Bytes of what is left of them, in memory of their own.
    pub(crate) unplanned_bytes: u64,
    /// Bytes in shared memory.
    pub(crate) planned_bytes: u64,
    /// The largest sum of intermediate tensors needed at once; no plan can go below.
    pub(crate) least_bytes: u64,
}

/// How accurate an implementation is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MeasuredImplementation {
    /// What it says of itself.
    pub(crate) implementation: Description,
    /// What was measured.
    pub(crate) cases: Vec<MeasuredCase>,
}

/// How accurate an operator is on operands of a type.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeasuredCase {
    /// The operator.
    pub(crate) operator: &'static str,
    /// The operator with its options.
    pub(crate) title: String,
    /// The data type of its operands.
    pub(crate) data_type: &'static str,
    /// What was found.
    #[serde(flatten)]
    pub(crate) found: MeasuredFigures,
}

/// What was found of a case, or why nothing was.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(crate) enum MeasuredFigures {
    /// Results were compared.
    Compared {
        /// How many.
        elements: usize,
        /// How many have other bits than the interpreter's, NaN aside.
        differ: usize,
        /// How many of them are what flushing subnormals makes.
        flushed: usize,
        /// How many are NaN on one side only.
        nan: usize,
        /// How many are an infinity on one side only.
        infinite: usize,
        /// The largest distance, in units in the last place, or, of integers, the difference; `null` if it is infinite.
        worst: Json,
        /// Where that is.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<MeasuredElement>,
    },
    /// The implementation does not support it.
    Skipped {
        /// Why.
        skipped: String,
    },
    /// It should have a result, and has none.
    Failed {
        /// Why.
        failed: String,
    },
}

/// An element that is furthest off.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MeasuredElement {
    /// The operands.
    pub(crate) operands: Vec<String>,
    /// What the interpreter has.
    pub(crate) expected: String,
    /// What the implementation has.
    pub(crate) actual: String,
}

/// How a result changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Change {
    /// It passed before and does not now.
    Broken,
    /// It passes now and did not before.
    Fixed,
    /// It did not pass before and does not now, but in another way.
    Other,
    /// It is there now only.
    New,
    /// It was there before only.
    Gone,
}

impl Change {
    pub(crate) const ALL: [Self; 5] = [Self::Broken, Self::Fixed, Self::Other, Self::New, Self::Gone];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Fixed => "fixed",
            Self::Other => "other",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }
}

/// A result that changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Changed {
    /// How.
    pub(crate) change: Change,
    /// The vector's id.
    pub(crate) vector: String,
    /// The implementation.
    pub(crate) implementation: String,
    /// The outcome before, with its message.
    pub(crate) before: Option<String>,
    /// The outcome now, with its message.
    pub(crate) after: Option<String>,
}

/// An operator that takes longer: most of its vectors do, beyond what the others take longer on that implementation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Slowed {
    /// The implementation.
    pub(crate) implementation: String,
    /// The operator, or else the file of the vectors; absent where it is everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<String>,
    /// How many of the vectors take longer.
    pub(crate) slower: usize,
    /// How many were run both times.
    pub(crate) vectors: usize,
    /// How long they took before, in seconds: the median.
    pub(crate) before: f64,
    /// How long they take now.
    pub(crate) after: f64,
}
