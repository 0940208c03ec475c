//! Arguments as the prelude passes them: converted by Web IDL already.

use rquickjs::{Array, Object as JsObject, Value};
use webnn_reference::buffer::{ArrayBuffer, ArrayBufferView, BufferSource};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::number::MLNumber;

use super::source::Stream;

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// It was left out.
    Undefined,
    /// A boolean.
    Boolean(bool),
    /// A number or a bigint.
    Number(MLNumber),
    /// A string.
    Text(String),
    /// An object of an interface.
    Handle(u32),
    /// A sequence.
    Sequence(Vec<Argument>),
    /// A dictionary or a record.
    Members(Vec<(String, Argument)>),
    /// A buffer source.
    Buffer(Source),
    /// A blob.
    Blob(Vec<u8>),
    /// A stream, whose bytes arrive later.
    Stream(Stream),
}

/// A buffer, and the view of it that script passed, if it is one.
#[derive(Clone, Debug)]
pub(super) struct Source {
    view: Option<ArrayBufferView>,
    buffer: ArrayBuffer,
}

impl Source {
    /// The buffer source for data of this type.
    ///
    /// The bits of float16 may be passed as those of a `Uint16Array`: the specification's note on `Float16Array` allows
    /// it where the latter is new, and tests older than it have no other way.
    pub(super) fn of(&self, data_type: MLOperandDataType) -> BufferSource {
        let buffer = self.buffer.clone();
        match (self.view, data_type) {
            (Some(ArrayBufferView::Uint16Array), MLOperandDataType::Float16) => {
                BufferSource::of_view(ArrayBufferView::Float16Array, buffer)
            }
            (Some(view), _) => BufferSource::of_view(view, buffer),
            (None, _) => BufferSource::of_buffer(buffer),
        }
    }
}

impl Argument {
    pub(super) fn from_script(value: &Value<'_>) -> rquickjs::Result<Self> {
        if value.is_undefined() || value.is_null() {
            Ok(Self::Undefined)
        } else if let Some(boolean) = value.as_bool() {
            Ok(Self::Boolean(boolean))
        } else if let Some(number) = value.as_number() {
            Ok(Self::Number(MLNumber::Double(number)))
        } else if let Some(text) = value.as_string() {
            Ok(Self::Text(text.to_string()?))
        } else if let Some(items) = value.as_array() {
            Ok(Self::Sequence(items.iter().map(|item| Self::from_script(&item?)).collect::<rquickjs::Result<_>>()?))
        } else {
            Self::from_object(&value.get::<JsObject<'_>>()?)
        }
    }

    fn from_object(object: &JsObject<'_>) -> rquickjs::Result<Self> {
        if let Some(handle) = object.get("handle")? {
            Ok(Self::Handle(handle))
        } else if let Some(digits) = object.get::<_, Option<String>>("bigint")? {
            Ok(Self::Number(MLNumber::BigInt(nearest_integer(&digits))))
        } else if let Some(members) = object.get::<_, Option<Array<'_>>>("members")? {
            Ok(Self::Members(members.iter().map(|member| Self::member(&member?)).collect::<rquickjs::Result<_>>()?))
        } else if let Some(pieces) = object.get::<_, Option<Vec<String>>>("blob")? {
            Ok(Self::Blob(joined(&pieces)))
        } else if let Some(number) = object.get("stream")? {
            Ok(Self::Stream(Stream { number, is_locked: object.get("locked")? }))
        } else {
            Ok(Self::Buffer(source(object)?))
        }
    }

    fn member(member: &Array<'_>) -> rquickjs::Result<(String, Self)> {
        Ok((member.get(0)?, Self::from_script(&member.get(1)?)?))
    }
}

/// The integer, or the nearest of 128 bits.
fn nearest_integer(digits: &str) -> i128 {
    digits.parse().unwrap_or(if digits.starts_with('-') { i128::MIN } else { i128::MAX })
}

fn source(object: &JsObject<'_>) -> rquickjs::Result<Source> {
    let bytes = joined(&object.get::<_, Option<Vec<String>>>("bytes")?.unwrap_or_default());
    let buffer = if object.get("shared")? { ArrayBuffer::new_shared(bytes) } else { ArrayBuffer::new(bytes) };
    if object.get("detached")? {
        buffer.detach();
    }
    let view = object.get::<_, Option<String>>("view")?.and_then(|name| ArrayBufferView::from_name(&name));
    Ok(Source { view, buffer })
}

/// The bytes of all pieces.
pub(super) fn joined(pieces: &[String]) -> Vec<u8> {
    pieces.iter().flat_map(|piece| bytes_of(piece)).collect()
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn bytes_of(digits: &str) -> impl Iterator<Item = u8> {
    digits.as_bytes().chunks_exact(2).map(|pair| 16 * digit(pair[0]) + digit(pair[1]))
}

/// The value of a hexadecimal digit in lower case.
fn digit(digit: u8) -> u8 {
    if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 }
}
