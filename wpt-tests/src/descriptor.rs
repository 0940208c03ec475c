//! What a tensor is: its data type and its shape, with size arithmetic that cannot overflow.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::value::Value;

/// The most bytes that one tensor of a vector may have (4 GiB less one). A larger shape is a matter
/// for a negative vector, whose data nobody lays out.
pub const MAX_BYTE_LENGTH: u64 = u32::MAX as u64;

/// `MLOperandDataType`, and the two 4-bit types that it had once and that some vectors of
/// web-platform-tests still use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DataType {
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary16.
    Float16,
    /// 32-bit two's complement.
    Int32,
    /// 32-bit unsigned.
    Uint32,
    /// 64-bit two's complement.
    Int64,
    /// 64-bit unsigned.
    Uint64,
    /// 8-bit two's complement.
    Int8,
    /// 8-bit unsigned.
    Uint8,
    /// 4-bit two's complement; no longer in the specification.
    Int4,
    /// 4-bit unsigned; no longer in the specification.
    Uint4,
}

impl DataType {
    /// The value of the specification's enumeration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Float16 => "float16",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
            Self::Int8 => "int8",
            Self::Uint8 => "uint8",
            Self::Int4 => "int4",
            Self::Uint4 => "uint4",
        }
    }

    /// Every type, in the order of the specification.
    pub const ALL: [Self; 10] = [
        Self::Float32,
        Self::Float16,
        Self::Int32,
        Self::Uint32,
        Self::Int64,
        Self::Uint64,
        Self::Int8,
        Self::Uint8,
        Self::Int4,
        Self::Uint4,
    ];

    /// The type of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data_type| data_type.name() == name)
    }

    /// Whether today's specification has the type.
    #[must_use]
    pub fn is_specified(self) -> bool {
        !matches!(self, Self::Int4 | Self::Uint4)
    }

    /// Bits of one element.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Int64 | Self::Uint64 => 64,
            Self::Float32 | Self::Int32 | Self::Uint32 => 32,
            Self::Float16 => 16,
            Self::Int8 | Self::Uint8 => 8,
            Self::Int4 | Self::Uint4 => 4,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `MLOperandDescriptor`: a data type and a shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Descriptor {
    /// The type of the elements.
    pub data_type: DataType,
    /// The dimensions, outermost first; empty for a scalar. Zero is refused in a graph vector.
    #[schemars(inner(range(max = 4_294_967_295u32)))]
    pub shape: Vec<u32>,
}

impl Descriptor {
    /// How many elements the shape holds; `None` beyond 2^64.
    #[must_use]
    pub fn element_count(&self) -> Option<u64> {
        // A zero makes the product zero, even where the other dimensions would overflow.
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(1u64, |count, dimension| count.checked_mul(u64::from(*dimension)))
    }

    /// How many bytes the tensor takes; `None` beyond 2^64. 4-bit elements are packed in pairs.
    #[must_use]
    pub fn byte_length(&self) -> Option<u64> {
        let bits = u128::from(self.element_count()?) * u128::from(self.data_type.bits());
        u64::try_from(bits.div_ceil(8)).ok()
    }

    /// Whether a tensor of a vector may have so many bytes.
    pub(crate) fn is_small_enough(&self) -> bool {
        self.byte_length().is_some_and(|length| length <= MAX_BYTE_LENGTH)
    }

    /// Reads the descriptor of a call, if it is one.
    pub(crate) fn from_members(members: &IndexMap<String, Value>) -> Option<Self> {
        let data_type = DataType::from_name(members.get("dataType")?.as_str()?)?;
        let dimension = |value: &Value| value.as_u64()?.try_into().ok();
        let shape = members.get("shape")?.as_list()?.iter().map(dimension).collect::<Option<_>>()?;
        Some(Self { data_type, shape })
    }
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.data_type, self.shape)
    }
}
