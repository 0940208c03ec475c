//! Scenarios: calls in order, with what each has to give.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bytes::{DataError, ElementType, byte_length};
use crate::calls;
use crate::data::Data;
use crate::descriptor::{DataType, Descriptor};
use crate::graph::{Names, Tolerance, is_false};
use crate::members;
use crate::value::Value;
use crate::vector::Throws;

/// One call of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("allOf" = calls::schema()))]
pub struct Step {
    /// Names the result.
    #[serde(rename = "let", default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Names")]
    pub binding: Option<Names>,
    /// The object that the call is made on.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub on: Option<String>,
    /// The method.
    pub call: String,
    /// Its arguments, by parameter name.
    #[serde(default, deserialize_with = "members::unique", skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "calls::Arguments")]
    pub arguments: IndexMap<String, Value>,
    /// The exception that it throws, or that its promise is rejected with.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Throws")]
    pub throws: Option<Throws>,
    /// What its result has to be.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Returns")]
    pub returns: Option<Returns>,
    /// Binds the promise itself instead of awaiting it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pending: bool,
    /// A remark.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

/// What a result has to be: a tensor's contents (`descriptor` and `data`), or any other value
/// (`value`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Returns {
    /// The type and shape of what is read.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Descriptor")]
    pub descriptor: Option<Descriptor>,
    /// Its elements.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Data")]
    pub data: Option<Data>,
    /// How far they may be off.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Tolerance")]
    pub tolerance: Option<Tolerance>,
    /// A value that is no tensor; members of an object that are not named here are not compared.
    #[serde(default, deserialize_with = "members::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub value: Option<Value>,
}

/// What a JavaScript buffer is seen as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// A typed array, of this element type.
    TypedArray(ElementType),
    /// A `Uint8ClampedArray`.
    Uint8ClampedArray,
    /// A `DataView`.
    DataView,
    /// A bare `ArrayBuffer`.
    ArrayBuffer,
    /// A bare `SharedArrayBuffer`.
    SharedArrayBuffer,
}

impl View {
    /// The names of all views.
    pub const NAMES: [&'static str; 15] = [
        "Float64Array",
        "Float32Array",
        "Float16Array",
        "BigInt64Array",
        "BigUint64Array",
        "Int32Array",
        "Uint32Array",
        "Int16Array",
        "Uint16Array",
        "Int8Array",
        "Uint8Array",
        "Uint8ClampedArray",
        "DataView",
        "ArrayBuffer",
        "SharedArrayBuffer",
    ];

    /// The view of this constructor's name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let element = match name {
            "Uint8ClampedArray" => return Some(Self::Uint8ClampedArray),
            "DataView" => return Some(Self::DataView),
            "ArrayBuffer" => return Some(Self::ArrayBuffer),
            "SharedArrayBuffer" => return Some(Self::SharedArrayBuffer),
            "Float64Array" => ElementType::Float64,
            "Float32Array" => ElementType::Float32,
            "Float16Array" => ElementType::Float16,
            "BigInt64Array" => ElementType::Int64,
            "BigUint64Array" => ElementType::Uint64,
            "Int32Array" => ElementType::Int32,
            "Uint32Array" => ElementType::Uint32,
            "Int16Array" => ElementType::Int16,
            "Uint16Array" => ElementType::Uint16,
            "Int8Array" => ElementType::Int8,
            "Uint8Array" => ElementType::Uint8,
            _ => return None,
        };
        Some(Self::TypedArray(element))
    }

    /// The type of its elements, where the view has one.
    #[must_use]
    pub fn element(self) -> Option<ElementType> {
        match self {
            Self::TypedArray(element) => Some(element),
            Self::Uint8ClampedArray => Some(ElementType::Uint8),
            Self::DataView | Self::ArrayBuffer | Self::SharedArrayBuffer => None,
        }
    }
}

/// A buffer source given in place, or the arguments of `buffer`.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferSource {
    /// What JavaScript would pass.
    pub view: View,
    /// The type of the data.
    pub element: ElementType,
    /// How many elements.
    pub element_count: u64,
    /// The elements.
    pub data: Data,
}

impl BufferSource {
    /// Reads `{"view", "data", "dataType"?, "length"?}`.
    ///
    /// # Errors
    ///
    /// A sentence, where the members are not those of a buffer source.
    pub fn from_members(members: &IndexMap<String, Value>) -> Result<Self, String> {
        if let Some(name) = members.keys().find(|name| !["view", "data", "dataType", "length"].contains(&name.as_str()))
        {
            return Err(format!("unknown member `{name}` of a buffer source: view, data, dataType, length"));
        }
        let name = members
            .get("view")
            .and_then(Value::as_str)
            .ok_or("a buffer source needs a `view`, such as \"Float32Array\"")?;
        let view =
            View::from_name(name).ok_or_else(|| format!("{name:?} is not a view; an example is \"Float32Array\""))?;
        let element = element_of(view, members.get("dataType"))?;
        let data = Data::from_value(members.get("data").ok_or("a buffer source needs `data`")?)?;
        let length = match members.get("length") {
            Some(length) => Some(length.as_u64().ok_or("`length` has to be a number of elements")?),
            None => None,
        };
        let element_count = match (data.element_count(), length) {
            (Some(actual), Some(length)) if actual != length => {
                return Err(format!("{actual} elements, but `length` is {length}"));
            }
            (Some(count), _) | (None, Some(count)) => count,
            (None, None) => return Err("a single number needs a `length` to fill".to_owned()),
        };
        let checked = byte_length(element, element_count).and_then(|_| element.check(&data));
        checked.and_then(|()| element.ensure_no_overflow(&data)).map_err(|error| error.to_string())?;
        Ok(Self { view, element, element_count, data })
    }

    /// The little-endian bytes of the buffer.
    ///
    /// # Errors
    ///
    /// More bytes than a tensor of a vector may have.
    pub fn to_bytes(&self) -> Result<Vec<u8>, DataError> {
        self.data.to_bytes(self.element, self.element_count)
    }
}

fn element_of(view: View, data_type: Option<&Value>) -> Result<ElementType, String> {
    match (view.element(), data_type) {
        (Some(_), Some(_)) => Err("a typed array has its own type; drop `dataType`".to_owned()),
        (Some(element), None) => Ok(element),
        (None, None) => Err("a view without a type of its own needs a `dataType`".to_owned()),
        (None, Some(value)) => DataType::from_name(value.as_str().unwrap_or_default())
            .filter(|data_type| data_type.is_specified())
            .map(ElementType::from)
            .ok_or_else(|| format!("{value} is not a data type")),
    }
}
