//! A literal argument: plain JSON, with the numbers that JSON lacks.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::members;
use crate::number::{Number, parse_integer};

/// A value of an argument. A string may be the name of an operand or of an object of a scenario:
/// that is for the reader to look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number; `{"$num": "-Infinity"}` for what JSON cannot write.
    Number(Number),
    /// A `BigInt`, written `{"$bigint": "9223372036854775820"}`.
    BigInt(i128),
    /// A string: a name, or itself.
    String(String),
    /// A list.
    List(Vec<Value>),
    /// A dictionary, in the file's order.
    Object(IndexMap<String, Value>),
}

impl Value {
    /// The string, where it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The boolean, where it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Boolean(boolean) = self { Some(*boolean) } else { None }
    }

    /// The number, where it is one (a `BigInt` is not).
    #[must_use]
    pub fn as_number(&self) -> Option<Number> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The number as an unsigned integer, where it is one.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.to_integer()?.try_into().ok()
    }

    /// The items, where it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The members, where it is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&IndexMap<String, Self>> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

impl From<bool> for Value {
    fn from(boolean: bool) -> Self {
        Self::Boolean(boolean)
    }
}

impl From<u32> for Value {
    fn from(integer: u32) -> Self {
        Self::Number(Number::Integer(integer.into()))
    }
}

impl From<i32> for Value {
    fn from(integer: i32) -> Self {
        Self::Number(Number::Integer(integer.into()))
    }
}

impl From<f64> for Value {
    fn from(float: f64) -> Self {
        Self::Number(Number::Float(float))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// The JSON form.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

fn tagged<S: Serializer>(serializer: S, tag: &str, text: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(tag, text)?;
    map.end()
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(boolean) => serializer.serialize_bool(*boolean),
            Self::Number(number) => match number.special_text() {
                Some(text) => tagged(serializer, "$num", &text),
                None => number.serialize(serializer),
            },
            Self::BigInt(integer) => tagged(serializer, "$bigint", &integer.to_string()),
            Self::String(text) => serializer.serialize_str(text),
            Self::List(list) => list.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, boolean: bool) -> Result<Value, E> {
        Ok(Value::Boolean(boolean))
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Value, E> {
        Ok(Value::Number(Number::from_bare_integer(integer.into())))
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<Value, E> {
        Ok(Value::Number(Number::from_bare_integer(integer.into())))
    }

    fn visit_f64<E: de::Error>(self, float: f64) -> Result<Value, E> {
        Ok(Value::Number(Number::Float(float)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element()? {
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        untag(members::collect(map)?).map_err(de::Error::custom)
    }
}

/// Turns a tagged literal into the number that it is.
fn untag(members: IndexMap<String, Value>) -> Result<Value, String> {
    let Some((tag, value)) = members.iter().find(|(name, _)| name.starts_with('$') && *name != "$repeat") else {
        return Ok(Value::Object(members));
    };
    if members.len() > 1 {
        return Err(format!("{{{tag:?}: ...}} has no other members"));
    }
    match (tag.as_str(), value) {
        ("$num", Value::Number(number)) => Ok(Value::Number(*number)),
        ("$num", Value::String(text)) => Number::from_text(text)
            .map(Value::Number)
            .ok_or_else(|| format!(r#"{text:?} is no number: $num takes "NaN", "Infinity", "-Infinity", "-0""#)),
        ("$bigint", Value::String(text)) => parse_integer(text.strip_suffix('n').unwrap_or(text))
            .map(Value::BigInt)
            .ok_or_else(|| format!("{text:?} is no integer: $bigint takes decimal digits")),
        ("$num" | "$bigint", _) => Err(format!("{tag} takes a string")),
        _ => Err(format!("unknown tag {tag:?}: the tags are $num, $bigint and $repeat")),
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl JsonSchema for Value {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Any JSON; {\"$num\": \"-Infinity\"} and {\"$bigint\": \"123\"} are the numbers that JSON lacks."
        })
    }
}

/// The values of a `double`, for the schema.
pub(crate) struct Double;

impl JsonSchema for Double {
    fn schema_name() -> Cow<'static, str> {
        "Double".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number; those that JSON lacks as text.",
            "anyOf": [
                { "type": "number" },
                { "enum": ["NaN", "Infinity", "-Infinity", "-0"] },
                { "type": "object", "properties": { "$num": true }, "required": ["$num"], "additionalProperties": false }
            ]
        })
    }
}

/// The values of an `MLNumber`, for the schema.
pub(crate) struct MLNumber;

impl JsonSchema for MLNumber {
    fn schema_name() -> Cow<'static, str> {
        "MLNumber".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number or a bigint.",
            "anyOf": [
                generator.subschema_for::<Double>(),
                { "type": "string", "pattern": "^-?[0-9]+n?$" },
                {
                    "type": "object",
                    "properties": { "$bigint": { "type": "string", "pattern": "^-?[0-9]+n?$" } },
                    "required": ["$bigint"],
                    "additionalProperties": false
                }
            ]
        })
    }
}
