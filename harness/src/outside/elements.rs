//! The elements of a tensor in a message: bytes, written as base64. They are large, so they are encoded into the line and
//! decoded out of it without a copy in between.

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine as _};
use schemars::JsonSchema;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes; or a text that is none, which is a mistake of whoever wrote this tensor, and not of the whole message.
#[derive(Clone, Debug)]
pub(crate) enum Elements {
    /// Little-endian, row-major.
    Bytes(Vec<u8>),
    /// A text, and why it is no base64.
    NoBase64 { text: String, why: String },
}

impl Elements {
    /// The bytes.
    ///
    /// # Errors
    /// Why it is none, and what to do.
    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, String> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::NoBase64 { why, .. } => Err(why),
        }
    }
}

impl Serialize for Elements {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(bytes) => serializer.collect_str(&Base64Display::new(bytes, &STANDARD)),
            Self::NoBase64 { text, .. } => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Elements {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Elements;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Elements, E> {
        Ok(match STANDARD.decode(text) {
            Ok(bytes) => Elements::Bytes(bytes),
            Err(error) => Elements::NoBase64 { text: text.to_owned(), why: no_base64(text, &error) },
        })
    }
}

impl JsonSchema for Elements {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

fn no_base64(text: &str, error: &DecodeError) -> String {
    let what = match error {
        DecodeError::InvalidByte(place, byte) => format!("{:?} at character {place}", char::from(*byte)),
        DecodeError::InvalidLength(_) => format!("{} characters, of which some are missing", text.len()),
        DecodeError::InvalidLastSymbol(place, _) => format!("bits too many at character {place}, the last"),
        DecodeError::InvalidPadding => "not padded with `=` to a multiple of four characters".to_owned(),
    };
    format!("its `bytes` are no base64 ({what}): encode the bytes of all elements at once")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_base64_and_what_is_not_stays_what_it_was() {
        let text = "\"AAECAw==\"";
        let elements: Elements = serde_json::from_str(text).expect("a string");
        assert_eq!(serde_json::to_string(&elements).expect("plain data"), text);
        assert_eq!(elements.into_bytes(), Ok(vec![0, 1, 2, 3]));

        let text = "\"AAEC Aw\"";
        let elements: Elements = serde_json::from_str(text).expect("a string");
        assert_eq!(serde_json::to_string(&elements).expect("plain data"), text);
        assert!(elements.into_bytes().is_err_and(|why| why.contains("' ' at character 4")));
    }
}
