//! The calls of scenarios, beside the operators: on what they are made, what they take and what they give.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value as Json, json};

use crate::descriptor::DataType;
use crate::scenario::View;
use crate::signature::{Class, Kind, Parameter};
use crate::value::{Double, MLNumber};

/// A call.
#[derive(Debug)]
pub(crate) struct Call {
    /// What it is made on, if on anything.
    pub(crate) on: Option<Class>,
    pub(crate) name: &'static str,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) gives: Gives,
}

/// What a call gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    Object(Class),
    Promise(Class),
    /// What the promise is of that it awaits.
    Awaited,
}

use Class::{Blob, Buffer, Builder, Context, Device, Exported, Graph, Operand, Stream, Tensor, Value};
use Gives::{Awaited, Object, Promise};

/// All calls. One that can be made in several ways is there several times.
pub(crate) static CALLS: LazyLock<Vec<Call>> = LazyLock::new(|| {
    let on = |class, calls: Vec<Call>| calls.into_iter().map(move |call| Call { on: Some(class), ..call });
    let mut all = on_nothing();
    all.extend(on(Context, on_a_context()).chain(on(Builder, on_a_builder())).chain(on(Graph, on_a_graph())));
    all.extend(on(Device, on_a_device()).chain(on(Buffer, on_a_buffer())).chain(on(Blob, on_a_blob())));
    all.extend([Tensor, Exported].into_iter().flat_map(|class| on(class, vec![call("destroy", [], Object(Value))])));
    all
});

fn on_nothing() -> Vec<Call> {
    let stand_in = either(Kind::Members(vec![]), Kind::Named(&[Device]));
    let preference = Kind::OneOf(vec!["default", "high-performance", "low-power"]);
    vec![
        call(
            "createContext",
            [optional("powerPreference", preference), optional("accelerated", Kind::Boolean)],
            Promise(Context),
        ),
        call("createContext", [required("gpuDevice", stand_in)], Promise(Context)),
        call("requestDevice", [], Object(Device)),
        call("MLGraphBuilder", [required("context", Kind::Named(&[Context]))], Object(Builder)),
        call(
            "buffer",
            [
                required("view", Kind::OneOf(View::NAMES.to_vec())),
                required("data", Kind::Data),
                optional("dataType", data_type()),
                optional("length", count()),
            ],
            Object(Buffer),
        ),
        call("blob", [required("bytes", buffer_source())], Object(Blob)),
        call(
            "stream",
            [required("bytes", buffer_source()), optional("chunk", count()), optional("failsAt", count())],
            Object(Stream),
        ),
        call("await", [required("promise", Kind::Promise)], Awaited),
    ]
}

fn on_a_context() -> Vec<Call> {
    let graph = || required("graph", Kind::Named(&[Graph]));
    let tensor = || required("tensor", Kind::Named(&[Tensor]));
    let key = || required("key", Kind::Text);
    let tensors = |name| required(name, record(&[Tensor]));
    vec![
        call("createTensor", [tensor_descriptor()], Promise(Tensor)),
        call("createConstantTensor", [descriptor(), required("inputData", buffer_source())], Promise(Tensor)),
        call("createConstantTensor", [tensor()], Promise(Tensor)),
        call(
            "createExportableTensor",
            [
                tensor_descriptor(),
                required("gpuDevice", Kind::Named(&[Device])),
                optional("usage", Kind::Integer(0..=u32::MAX.into())),
            ],
            Promise(Tensor),
        ),
        call("exportToGPU", [tensor()], Object(Exported)),
        call("readTensor", [tensor(), optional("outputData", buffer_source())], Promise(Value)),
        call("writeTensor", [tensor(), required("inputData", buffer_source())], Object(Value)),
        call("dispatch", [graph(), tensors("inputs"), tensors("outputs")], Object(Value)),
        call("destroy", [], Object(Value)),
        call("lose", [optional("message", Kind::Text)], Object(Value)),
        call("lost", [], Promise(Value)),
        call("pump", [optional("steps", count())], Object(Value)),
        call("opSupportLimits", [], Object(Value)),
        call("setMemoryBudget", [required("bytes", either(Kind::Null, count()))], Promise(Value)),
        call("ledger", [required("figure", Kind::OneOf(FIGURES.to_vec()))], Object(Value)),
        call("listGraphs", [], Promise(Value)),
        call("loadGraph", [key()], Promise(Graph)),
        call("saveGraph", [key(), graph(), optional("constants", record(&[Operand]))], Promise(Value)),
        call("deleteGraph", [key()], Promise(Value)),
        call("spoilGraph", [key(), required("how", Kind::OneOf(vec!["damaged", "older"]))], Object(Value)),
        call("storage", [required("state", Kind::OneOf(vec!["working", "full", "failing", "denied"]))], Object(Value)),
    ]
}

/// The figures of a ledger that a scenario can ask for.
pub const FIGURES: &[&str] = &[
    "constants",
    "peak constants",
    "intermediates",
    "peak intermediates",
    "tensors",
    "peak tensors",
    "parameters",
    "peak parameters",
    "staging",
    "peak staging",
    "offloaded",
    "peak offloaded",
    "budgeted",
    "peak budgeted",
    "host",
    "peak host",
    "uploaded",
    "downloaded",
    "read",
];

fn on_a_builder() -> Vec<Call> {
    vec![
        call("input", [required("name", Kind::Text), descriptor()], Object(Operand)),
        call("constant", [descriptor()], Object(Operand)),
        call("constant", [descriptor(), required("buffer", buffer_source())], Object(Operand)),
        call("constant", [required("dataType", data_type()), required("value", Kind::Number)], Object(Operand)),
        call("constant", [required("tensor", Kind::Named(&[Tensor]))], Object(Operand)),
        call("build", [required("outputs", record(&[Operand]))], Promise(Graph)),
    ]
}

fn on_a_graph() -> Vec<Call> {
    let data = either(Kind::BufferSource, Kind::Named(&[Buffer, Blob, Stream]));
    vec![
        call(
            "setConstantData",
            [required("constant", Kind::OPERAND), required("data", data), optional("byteOffset", count())],
            Promise(Value),
        ),
        call("offload", [optional("to", Kind::OneOf(vec!["host", "source"]))], Promise(Value)),
        call("reload", [], Promise(Value)),
        call("pinned", [], Object(Value)),
        call("setPinned", [required("pinned", Kind::Boolean)], Object(Value)),
        call("destroy", [], Object(Value)),
        call("inputs", [], Object(Value)),
        call("outputs", [], Object(Value)),
        call("constants", [], Object(Value)),
        call("constants", [required("name", Kind::Text)], Object(Operand)),
    ]
}

fn on_a_device() -> Vec<Call> {
    let buffer = || required("buffer", Kind::Named(&[Exported]));
    vec![
        call(
            "writeBuffer",
            [buffer(), optional("bufferOffset", count()), required("data", buffer_source())],
            Object(Value),
        ),
        call("readBuffer", [buffer(), descriptor()], Object(Value)),
        call("lose", [optional("message", Kind::Text)], Object(Value)),
    ]
}

fn on_a_buffer() -> Vec<Call> {
    vec![call("fill", [required("data", Kind::Data)], Object(Value)), call("detach", [], Object(Value))]
}

fn on_a_blob() -> Vec<Call> {
    vec![
        call("vanish", [], Object(Value)),
        call("truncate", [required("bytes", count())], Object(Value)),
        call("reappear", [], Object(Value)),
    ]
}

fn call<const N: usize>(name: &'static str, parameters: [Parameter; N], gives: Gives) -> Call {
    Call { on: None, name, parameters: parameters.into(), gives }
}

fn required(name: &'static str, kind: Kind) -> Parameter {
    Parameter::required(name, kind)
}

fn optional(name: &'static str, kind: Kind) -> Parameter {
    Parameter::optional(name, kind)
}

fn either(one: Kind, other: Kind) -> Kind {
    Kind::Either(one.into(), other.into())
}

fn record(classes: &'static [Class]) -> Kind {
    Kind::Record(Kind::Named(classes).into())
}

/// A number of bytes, elements or steps.
fn count() -> Kind {
    Kind::Integer(0..=u64::MAX.into())
}

/// In place, or by the name of a buffer.
fn buffer_source() -> Kind {
    either(Kind::BufferSource, Kind::Named(&[Buffer]))
}

fn data_type() -> Kind {
    Kind::OneOf(DataType::ALL.into_iter().filter(|data_type| data_type.is_specified()).map(DataType::name).collect())
}

fn shape() -> Kind {
    Kind::List(Kind::Integer(0..=u32::MAX.into()).into())
}

fn descriptor() -> Parameter {
    required("descriptor", Kind::Members(vec![required("dataType", data_type()), required("shape", shape())]))
}

fn tensor_descriptor() -> Parameter {
    let members = vec![
        required("dataType", data_type()),
        required("shape", shape()),
        optional("readable", Kind::Boolean),
        optional("writable", Kind::Boolean),
    ];
    required("descriptor", Kind::Members(members))
}

/// The names of all calls, in alphabetical order.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = CALLS.iter().map(|call| call.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The arguments of any call, for the schema.
pub(crate) struct Arguments;

impl JsonSchema for Arguments {
    fn schema_name() -> Cow<'static, str> {
        "Arguments".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // What is said of single calls refers to these.
        generator.subschema_for::<Double>();
        generator.subschema_for::<MLNumber>();
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<crate::value::Value>() })
    }
}

/// What the JSON Schema of a step says of the arguments of each call.
pub(crate) fn schema() -> Json {
    let rule = |name: &str| {
        let ways = || CALLS.iter().filter(|call| call.name == name).map(|call| call.parameters.as_slice());
        let takes_any = ways().all(|parameters| parameters.iter().any(|parameter| parameter.required));
        let forms: Vec<Json> = ways().map(members_schema).collect();
        json!({
            "if": { "properties": { "call": { "const": name } } },
            "then": {
                "properties": { "arguments": { "anyOf": forms } },
                "required": if takes_any { &["arguments"][..] } else { &[] }
            }
        })
    };
    names().into_iter().map(rule).collect()
}

/// An object with these members and no others.
pub(crate) fn members_schema(parameters: &[Parameter]) -> Json {
    let properties: serde_json::Map<String, Json> =
        parameters.iter().map(|parameter| (parameter.name.to_owned(), kind_schema(&parameter.kind))).collect();
    let required = parameters.iter().filter(|parameter| parameter.required);
    let required: Vec<&str> = required.map(|parameter| parameter.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["additionalProperties"] = json!(false);
    schema
}

fn kind_schema(kind: &Kind) -> Json {
    match kind {
        Kind::Null => json!({ "type": "null" }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Integer(range) if *range == (i128::MIN..=i128::MAX) => json!({ "type": "integer" }),
        Kind::Integer(range) => {
            // What JSON numbers hold exactly.
            let end = (*range.end()).min(1 << 53);
            json!({ "type": "integer", "minimum": range.start(), "maximum": end })
        }
        Kind::Double => json!({ "$ref": "#/$defs/Double" }),
        Kind::Number => json!({ "$ref": "#/$defs/MLNumber" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Named(_) | Kind::Promise => json!({ "type": "string", "description": kind.to_string() }),
        Kind::OneOf(values) => json!({ "enum": values }),
        Kind::List(of) => json!({ "type": "array", "items": kind_schema(of) }),
        Kind::Either(one, other) => json!({ "anyOf": [kind_schema(one), kind_schema(other)] }),
        Kind::Members(parameters) => members_schema(parameters),
        Kind::Record(of) => json!({ "type": "object", "additionalProperties": kind_schema(of) }),
        Kind::Data => json!({ "$ref": "#/$defs/Data" }),
        Kind::BufferSource => {
            let buffer = CALLS.iter().find(|call| call.name == "buffer");
            members_schema(buffer.map_or(&[], |call| &call.parameters))
        }
    }
}
