//! The graph of a vector: inputs, operators, expected outputs.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::slice;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::descriptor::Descriptor;
use crate::members;
use crate::value::Value;

/// A graph, as calls on one `MLGraphBuilder`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Graph {
    /// Inputs and constants, by name.
    #[serde(deserialize_with = "members::unique_objects")]
    #[schemars(with = "std::collections::BTreeMap<String, Input>")]
    pub inputs: IndexMap<String, Input>,
    /// The operators, in the order of the calls.
    #[serde(deserialize_with = "members::objects")]
    #[schemars(with = "Vec<Operator>")]
    pub operators: Vec<Operator>,
    /// What the graph computes, by name; none in a negative vector.
    #[serde(
        default,
        deserialize_with = "members::unique_objects_not_empty",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    #[schemars(with = "std::collections::BTreeMap<String, ExpectedOutput>")]
    #[schemars(extend("minProperties" = 1))]
    pub expected_outputs: IndexMap<String, ExpectedOutput>,
}

impl Graph {
    /// The operands that `build()` is given: the expected outputs, or every output of the last
    /// operator where the vector expects none (a negative one).
    #[must_use]
    pub fn build_outputs(&self) -> Vec<&str> {
        if self.expected_outputs.is_empty() {
            let last = self.operators.last().map(|operator| operator.outputs.as_slice());
            return last.unwrap_or_default().iter().map(String::as_str).collect();
        }
        self.expected_outputs.keys().map(String::as_str).collect()
    }

    /// The names of what the operators give, in their order.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.operators.iter().flat_map(|operator| operator.outputs.as_slice()).map(String::as_str)
    }

    /// The names of the operands that operators take. A string that is no operand's name is among them too.
    #[must_use]
    pub fn taken(&self) -> HashSet<String> {
        self.operators.iter().flat_map(Operator::strings).collect()
    }
}

/// An input or a constant of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Its type and shape.
    #[serde(deserialize_with = "members::object")]
    #[schemars(with = "Descriptor")]
    pub descriptor: Descriptor,
    /// Whether it is a constant of the graph.
    #[serde(default, skip_serializing_if = "is_false")]
    pub constant: bool,
    /// Its elements.
    pub data: Data,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature is serde's.
pub(crate) fn is_false(boolean: &bool) -> bool {
    !boolean
}

/// One call of an operator's method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Operator {
    /// The method of `MLGraphBuilder`.
    pub name: String,
    /// Its arguments, in the order of the call.
    #[serde(deserialize_with = "arguments")]
    #[schemars(with = "Vec<Option<Argument>>")]
    pub arguments: Vec<Argument>,
    /// The names of what it returns.
    pub outputs: Names,
}

impl Operator {
    /// The argument of this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments.iter().find(|argument| argument.name == name).map(|argument| &argument.value)
    }

    /// Every string among the arguments: names of operands, and others.
    #[must_use]
    pub fn strings(&self) -> Vec<String> {
        let mut strings = Vec::new();
        let mut left: Vec<&Value> = self.arguments.iter().map(|argument| &argument.value).collect();
        while let Some(value) = left.pop() {
            match value {
                Value::String(text) => strings.push(text.clone()),
                Value::List(items) => left.extend(items),
                Value::Object(members) => left.extend(members.values()),
                Value::Null | Value::Boolean(_) | Value::Number(_) | Value::BigInt(_) => {}
            }
        }
        strings
    }
}

/// A named argument: an object of one member.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter's name.
    pub name: String,
    /// Its value; a string that names an input or an earlier output is that operand.
    pub value: Value,
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&self.name, &self.value)?;
        map.end()
    }
}

impl JsonSchema for Argument {
    fn schema_name() -> Cow<'static, str> {
        "Argument".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One argument as {NAME: VALUE}; several members are as many arguments.",
            "type": "object",
            "minProperties": 1,
            "additionalProperties": generator.subschema_for::<Value>()
        })
    }
}

/// One entry of an argument list: `None` for the `null` that is skipped.
struct Entry(Option<IndexMap<String, Value>>);

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an argument: an object of one member, such as {\"axis\": 1}")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Entry, E> {
        Ok(Entry(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
        let members = members::collect(map)?;
        if members.is_empty() {
            return Err(de::Error::invalid_length(0, &self));
        }
        Ok(Entry(Some(members)))
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct ArgumentsVisitor;

impl<'de> Visitor<'de> for ArgumentsVisitor {
    type Value = Vec<Argument>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of arguments, each an object of one member")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Argument>, A::Error> {
        let mut arguments: Vec<Argument> = Vec::new();
        while let Some(Entry(entry)) = seq.next_element()? {
            for (name, value) in entry.into_iter().flatten() {
                if arguments.iter().any(|argument| argument.name == name) {
                    return Err(de::Error::custom(format!("the argument {name:?} is given twice; drop one")));
                }
                arguments.push(Argument { name, value });
            }
        }
        Ok(arguments)
    }
}

fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Argument>, D::Error> {
    deserializer.deserialize_seq(ArgumentsVisitor)
}

/// One name, or a list of them where a method returns several operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// Written as a string.
    One(String),
    /// Written as a list.
    Several(Vec<String>),
}

impl Names {
    /// The names.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        match self {
            Self::One(name) => slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(name) => serializer.serialize_str(name),
            Self::Several(names) => names.serialize(serializer),
        }
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a list of names")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Names, E> {
        Ok(Names::One(name.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Names, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = seq.next_element()? {
            names.push(name);
        }
        if names.is_empty() {
            return Err(de::Error::invalid_length(0, &self));
        }
        Ok(Names::Several(names))
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

impl JsonSchema for Names {
    fn schema_name() -> Cow<'static, str> {
        "Names".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A name, or a list of names.",
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 }
            ]
        })
    }
}

/// What an output has to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedOutput {
    /// Its type and shape.
    #[serde(deserialize_with = "members::object")]
    #[schemars(with = "Descriptor")]
    pub descriptor: Descriptor,
    /// How far its elements may be off; overrides the vector's.
    #[serde(default, deserialize_with = "members::present_object", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Tolerance")]
    pub tolerance: Option<Tolerance>,
    /// Its elements.
    pub data: Data,
}

/// How far a result may be from the expected value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("required" = ["metricType", "value"]))]
pub struct Tolerance {
    /// How the distance is measured.
    pub metric_type: MetricType,
    /// The greatest distance allowed; `null` for none.
    #[serde(deserialize_with = "Option::deserialize")] // Makes the member required.
    #[schemars(range(min = 0.0))]
    pub value: Option<f64>,
}

impl Tolerance {
    /// No distance at all.
    pub const EXACT: Self = Self { metric_type: MetricType::Ulp, value: None };
}

/// How a distance is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum MetricType {
    /// In units of the last place of the output's type.
    Ulp,
    /// As an absolute difference.
    Atol,
}
