//! One element of a tensor, as the vectors write it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// Integers of a larger magnitude are not all doubles.
const LARGEST_EXACT: i128 = 1 << 53;

/// A number of a vector: an exact integer, or a double.
///
/// A bare JSON integer beyond 2^53 is the double of its value, as in JavaScript; a 64-bit integer
/// that must survive is written as a string. NaN, the infinities and -0 are strings as well.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer, exactly.
    Integer(i128),
    /// A double, special values included.
    Float(f64),
}

/// Bit equality: NaN equals NaN, and -0 is not 0, since this compares what files say and not what
/// they mean.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

impl Eq for Number {}

impl Number {
    /// The nearest double.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    /// The number as an integer, where it is one.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub fn to_integer(self) -> Option<i128> {
        match self {
            Self::Integer(integer) => Some(integer),
            // Beyond 2^126 no data type holds it, and below the conversion is exact.
            Self::Float(float) if float.fract() == 0.0 && float.abs() < 2f64.powi(126) => Some(float as i128),
            Self::Float(_) => None,
        }
    }

    /// Reads the string form: `NaN`, `Infinity`, `-Infinity`, `-0`, `123n`, `123`.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "NaN" => Some(Self::Float(f64::NAN)),
            "Infinity" => Some(Self::Float(f64::INFINITY)),
            "-Infinity" => Some(Self::Float(f64::NEG_INFINITY)),
            "-0" => Some(Self::Float(-0.0)),
            _ => parse_integer(text.strip_suffix('n').unwrap_or(text)).map(Self::Integer),
        }
    }

    /// A bare JSON integer.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn from_bare_integer(integer: i128) -> Self {
        if integer.abs() <= LARGEST_EXACT { Self::Integer(integer) } else { Self::Float(integer as f64) }
    }

    /// The string form, for a number that a bare JSON number cannot carry.
    pub(crate) fn special_text(self) -> Option<Cow<'static, str>> {
        match self {
            Self::Integer(integer) if integer.abs() > LARGEST_EXACT => Some(format!("{integer}n").into()),
            Self::Integer(_) => None,
            Self::Float(float) if float.is_nan() => Some("NaN".into()),
            Self::Float(f64::INFINITY) => Some("Infinity".into()),
            Self::Float(f64::NEG_INFINITY) => Some("-Infinity".into()),
            Self::Float(float) if float == 0.0 && float.is_sign_negative() => Some("-0".into()),
            Self::Float(_) => None,
        }
    }
}

/// Decimal digits with an optional minus sign; a plus sign, blanks and the empty string are
/// refused.
pub(crate) fn parse_integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if decimal { text.parse().ok() } else { None }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Float(float) => match self.special_text() {
                Some(text) => f.write_str(&text),
                None => write!(f, "{float}"),
            },
        }
    }
}

impl Serialize for Number {
    #[allow(clippy::cast_possible_truncation)] // Without a special text an integer is within 2^53.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.special_text(), *self) {
            (Some(text), _) => serializer.serialize_str(&text),
            (None, Self::Integer(integer)) => serializer.serialize_i64(integer as i64),
            (None, Self::Float(float)) => serializer.serialize_f64(float),
        }
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a number, or one of the strings "NaN", "Infinity", "-Infinity", "-0", "123n", "123""#)
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Number, E> {
        Ok(Number::from_bare_integer(integer.into()))
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<Number, E> {
        Ok(Number::from_bare_integer(integer.into()))
    }

    fn visit_f64<E: de::Error>(self, float: f64) -> Result<Number, E> {
        Ok(Number::Float(float))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
        Number::from_text(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number. NaN, the infinities, -0 and exact 64-bit integers are strings.",
            "anyOf": [
                { "type": "number" },
                { "type": "string", "pattern": "^(NaN|-?Infinity|-?[0-9]+n?)$" }
            ]
        })
    }
}
