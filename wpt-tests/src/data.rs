//! The elements of a tensor, as lean as the file has them: a fill or a repetition is never spread
//! out in memory.

use std::borrow::Cow;
use std::fmt;
use std::slice;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::number::Number;
use crate::value::Value;

/// The elements of a tensor in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// One number, for every element.
    Fill(Number),
    /// Every element.
    List(Vec<Number>),
    /// A list, so many times over.
    Repeat {
        /// What is repeated.
        pattern: Vec<Number>,
        /// How often.
        times: u64,
    },
}

impl Data {
    /// How many elements these data are; `None` for a fill, which is as many as its tensor has.
    /// Capped at `u64::MAX`.
    #[must_use]
    pub fn element_count(&self) -> Option<u64> {
        match self {
            Self::Fill(_) => None,
            Self::List(list) => Some(list.len() as u64),
            Self::Repeat { pattern, times } => Some((pattern.len() as u64).saturating_mul(*times)),
        }
    }

    /// The numbers as the file lists them, without repetition: enough to check every element.
    #[must_use]
    pub fn distinct(&self) -> &[Number] {
        match self {
            Self::Fill(number) => slice::from_ref(number),
            Self::List(list) => list,
            Self::Repeat { pattern, .. } => pattern,
        }
    }

    /// The first `count` elements (`count` is the element count of the tensor).
    #[must_use]
    pub fn elements(&self, count: u64) -> Elements<'_> {
        let available = match self {
            Self::Fill(_) => count,
            // Without a pattern there is nothing to take from.
            _ => self.element_count().unwrap_or(0),
        };
        Elements { cycle: self.distinct(), position: 0, left: count.min(available) }
    }

    /// The element at `index` of a tensor, where there is one.
    #[must_use]
    pub fn element(&self, index: u64) -> Option<Number> {
        if self.element_count().is_some_and(|count| index >= count) {
            return None;
        }
        let distinct = self.distinct();
        let position = index.checked_rem(distinct.len() as u64)?;
        distinct.get(usize::try_from(position).ok()?).copied()
    }

    /// Reads data from a literal, as in the arguments of a scenario step.
    ///
    /// # Errors
    ///
    /// A sentence, where the literal is no data.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(list) => list.iter().map(number_of).collect::<Result<_, _>>().map(Self::List),
            Value::Object(members) => {
                let pattern =
                    members.get("$repeat").ok_or("data has to be a list, a number, or {\"$repeat\", \"times\"}")?;
                let Value::List(pattern) = pattern else {
                    return Err("$repeat has to be a list".to_owned());
                };
                let times = members.get("times").and_then(Value::as_u64).ok_or("times has to be a whole number")?;
                if members.len() > 2 {
                    return Err("{\"$repeat\", \"times\"} has no other members".to_owned());
                }
                let pattern = pattern.iter().map(number_of).collect::<Result<_, _>>()?;
                Ok(Self::Repeat { pattern, times })
            }
            other => number_of(other).map(Self::Fill),
        }
    }
}

fn number_of(value: &Value) -> Result<Number, String> {
    match value {
        Value::Number(number) => Ok(*number),
        Value::BigInt(integer) => Ok(Number::Integer(*integer)),
        Value::String(text) => Number::from_text(text).ok_or_else(|| format!("{text:?} is not a number")),
        other => Err(format!("{other} is not a number")),
    }
}

/// The elements of a [`Data`], one after another.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    cycle: &'a [Number],
    position: usize,
    left: u64,
}

impl Iterator for Elements<'_> {
    type Item = Number;

    fn next(&mut self) -> Option<Number> {
        if self.left == 0 {
            return None;
        }
        let number = *self.cycle.get(self.position)?;
        self.left -= 1;
        self.position += 1;
        if self.position == self.cycle.len() {
            self.position = 0;
        }
        Some(number)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::try_from(self.left).unwrap_or(usize::MAX), usize::try_from(self.left).ok())
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fill(number) => number.serialize(serializer),
            Self::List(list) => list.serialize(serializer),
            Self::Repeat { pattern, times } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("$repeat", pattern)?;
                map.serialize_entry("times", times)?;
                map.end()
            }
        }
    }
}

struct DataVisitor;

impl<'de> Visitor<'de> for DataVisitor {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers, a number that fills the tensor, or {\"$repeat\": [...], \"times\": n}")
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Data, E> {
        Ok(Data::Fill(Number::from_bare_integer(integer.into())))
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<Data, E> {
        Ok(Data::Fill(Number::from_bare_integer(integer.into())))
    }

    fn visit_f64<E: de::Error>(self, float: f64) -> Result<Data, E> {
        Ok(Data::Fill(Number::Float(float)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Data, E> {
        let unexpected = || E::invalid_value(de::Unexpected::Str(text), &self);
        Number::from_text(text).map(Data::Fill).ok_or_else(unexpected)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Data, A::Error> {
        let mut list = Vec::new();
        while let Some(number) = seq.next_element()? {
            list.push(number);
        }
        list.shrink_to_fit();
        Ok(Data::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Data, A::Error> {
        let form = Repetition::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Data::Repeat { pattern: form.pattern, times: form.times })
    }
}

/// A list that is repeated.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Repetition {
    #[serde(rename = "$repeat")]
    pattern: Vec<Number>,
    times: u64,
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DataVisitor)
    }
}

impl JsonSchema for Data {
    fn schema_name() -> Cow<'static, str> {
        "Data".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The elements in row-major order: a list, a number that fills the tensor, or a repetition.",
            "anyOf": [
                { "type": "array", "items": generator.subschema_for::<Number>() },
                generator.subschema_for::<Number>(),
                generator.subschema_for::<Repetition>()
            ]
        })
    }
}
