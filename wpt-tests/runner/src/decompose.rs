//! Runs the decompositions that the specification gives for operators, in place of the operators.
//!
//! What they are run on is vectors: of each operator, those that its decomposition admits. The outputs come back as they
//! are; whoever asked for them judges.

use std::time::Duration;

use serde::Deserialize;
use spec_diff::bikeshed::{Document, Script};
use spec_diff::idl::Idl;
use webnn_reference::ops;
use webnn_vectors::{Graph, Kind, Operator, Value, Vector};

use crate::host::Host;
use crate::{Error, idl, literal};

/// How long all vectors of an operator may take.
const TIME: Duration = Duration::from_secs(300);

/// The decompositions of a revision of the specification.
#[derive(Clone, Debug)]
pub struct Decompositions {
    scripts: Vec<Script>,
    idl: Idl,
}

/// What a decomposition gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decomposed {
    /// Its outputs.
    Outputs(Vec<Output>),
    /// It threw this.
    Threw(String),
}

/// An output of a decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name in the vector.
    pub name: String,
    /// Its data type.
    pub data_type: String,
    /// Its shape.
    pub shape: Vec<u32>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Decompositions {
    /// Those of the specification's source.
    pub fn of(document: &Document) -> Self {
        Self { scripts: document.scripts.clone(), idl: Idl::of(document) }
    }

    /// The functions that take a builder: decompositions of operators, and what those use.
    pub fn functions(&self) -> Vec<&str> {
        self.scripts.iter().flat_map(|script| &script.functions).map(String::as_str).collect()
    }

    /// The operators that have a decomposition.
    pub fn operators(&self) -> Vec<&'static str> {
        self.functions().into_iter().filter_map(|name| Some(ops::operator(name)?.name)).collect()
    }

    /// Runs the decomposition of `operator` on vectors of that operator alone.
    ///
    /// # Errors
    /// If the JavaScript of the specification can not be loaded.
    pub fn run(&self, host: &Host, operator: &str, vectors: &[&Vector]) -> Result<Vec<Decomposed>, Error> {
        let name = |script: &Script| format!("the specification's source, line {}", script.line);
        let mut scripts: Vec<(String, String)> =
            self.scripts.iter().map(|script| (name(script), script.text.clone())).collect();
        let tests = vectors.iter().filter_map(|vector| self.test(operator, vector)).collect::<Vec<_>>().join(",\n");
        scripts.push(("tests.js".into(), format!("globalThis.decompositionTests = [\n{tests}\n];")));
        let json = host.run_program(&scripts, include_str!("../js/decompose.js"), TIME)?;
        let results: Vec<Reported> = serde_json::from_str(&json).map_err(|error| Error::Script(error.to_string()))?;
        Ok(results.into_iter().map(Decomposed::from).collect())
    }

    fn test(&self, operator: &str, vector: &Vector) -> Option<String> {
        let parameters = ops::operator(operator)?.parameters.len();
        let options = idl::options_of(operator).map(|name| self.idl.all_members(name)).unwrap_or_default();
        let default = |member: &spec_diff::idl::Field| Some(format!("{}: {}", member.name, member.default.as_ref()?));
        let defaults: Vec<String> = options.into_iter().filter_map(default).collect();
        let graph = literal::graph(vector.graph()?);
        Some(format!("{{graph: {graph}, parameters: {parameters}, defaults: {{{}}}}}", defaults.join(", ")))
    }
}

/// The operator of a vector that is a graph of this operator alone.
pub fn only_operator(vector: &Vector) -> Option<(&Operator, &Graph)> {
    match &vector.kind {
        Kind::Graph { graph, .. } => match graph.operators.as_slice() {
            [operator] => Some((operator, graph)),
            _ => None,
        },
        Kind::Negative { .. } | Kind::Scenario { .. } => None,
    }
}

/// What the specification says that a decomposition is restricted to, where the vector is outside of that.
pub fn restriction(operator: &Operator, graph: &Graph) -> Option<&'static str> {
    let option = |name: &str| operator.argument("options").and_then(Value::as_object)?.get(name);
    let is = |name: &str, default: &str| option(name).is_none_or(|value| value.as_str() == Some(default));
    let of_rank_4 = || {
        let input = operator.arguments.first().and_then(|argument| argument.value.as_str());
        input.and_then(|name| graph.inputs.get(name)).is_some_and(|input| input.descriptor.shape.len() == 4)
    };
    let activations = |names: &[&str]| {
        let given = option("activations").and_then(Value::as_list);
        given.is_none_or(|given| given.iter().map(Value::as_str).eq(names.iter().map(|name| Some(*name))))
    };
    // Without axes, all but the first are taken.
    let axes_are = |numbers: &[u64]| {
        let given = option("axes").and_then(Value::as_list);
        given.is_none_or(|given| given.iter().map(Value::as_u64).eq(numbers.iter().map(|number| Some(*number))))
    };
    let admits = match operator.name.as_str() {
        "batchNormalization" => of_rank_4() && option("axis").is_none_or(|axis| axis.as_u64() == Some(1)),
        "instanceNormalization" => of_rank_4() && is("layout", "nchw"),
        "layerNormalization" => of_rank_4() && axes_are(&[1, 2, 3]),
        "gru" | "gruCell" => is("layout", "zrn") && activations(&["sigmoid", "tanh"]),
        "lstm" | "lstmCell" => is("layout", "iofg") && activations(&["sigmoid", "tanh", "tanh"]),
        "split" => operator.argument("splits").is_some_and(|splits| splits.as_list().is_some()),
        _ => true,
    };
    let restricted_to = match operator.name.as_str() {
        "batchNormalization" | "instanceNormalization" => "an input of rank 4 in the layout nchw",
        "layerNormalization" => "an input of rank 4 and the axes [1, 2, 3]",
        "split" => "splits that are a list",
        _ => "the default layout and activations",
    };
    (!admits).then_some(restricted_to)
}

/// What `js/decompose.js` reports of a test.
#[derive(Deserialize)]
#[serde(untagged)]
enum Reported {
    Outputs { outputs: Vec<ReportedOutput> },
    Error { error: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReportedOutput {
    name: String,
    data_type: String,
    shape: Vec<u32>,
    digits: String,
}

impl From<Reported> for Decomposed {
    fn from(reported: Reported) -> Self {
        match reported {
            Reported::Error { error } => Self::Threw(error),
            Reported::Outputs { outputs } => Self::Outputs(outputs.into_iter().map(Output::from).collect()),
        }
    }
}

impl From<ReportedOutput> for Output {
    fn from(output: ReportedOutput) -> Self {
        let ReportedOutput { name, data_type, shape, digits } = output;
        Self { name, data_type, shape, bytes: crate::native::bytes_of(&digits).collect() }
    }
}
