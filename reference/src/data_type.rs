//! `MLOperandDataType`: <https://www.w3.org/TR/webnn/#enumdef-mloperanddatatype>.

use std::fmt;

/// The type of an operand's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MLOperandDataType {
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary16.
    Float16,
    /// 32-bit two's complement integer.
    Int32,
    /// 32-bit unsigned integer.
    Uint32,
    /// 64-bit two's complement integer.
    Int64,
    /// 64-bit unsigned integer.
    Uint64,
    /// 8-bit two's complement integer.
    Int8,
    /// 8-bit unsigned integer.
    Uint8,
}

use MLOperandDataType::{Float16, Float32, Int8, Int32, Int64, Uint8, Uint32, Uint64};

impl MLOperandDataType {
    /// All data types, in the order of the IDL.
    pub const ALL: [Self; 8] = [Float32, Float16, Int32, Uint32, Int64, Uint64, Int8, Uint8];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Float32 => "float32",
            Float16 => "float16",
            Int32 => "int32",
            Uint32 => "uint32",
            Int64 => "int64",
            Uint64 => "uint64",
            Int8 => "int8",
            Uint8 => "uint8",
        }
    }

    /// The data type that script writes as `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data_type| data_type.as_str() == name)
    }

    /// The element size, in bytes, of the typed array that matches this type, according to
    /// <https://www.w3.org/TR/webnn/#appendices-mloperanddatatype-arraybufferview-compatibility>.
    pub fn element_size(self) -> u64 {
        match self {
            Int8 | Uint8 => 1,
            Float16 => 2,
            Float32 | Int32 | Uint32 => 4,
            Int64 | Uint64 => 8,
        }
    }

    /// Whether it is one of the two floating point types.
    pub fn is_float(self) -> bool {
        match self {
            Float32 | Float16 => true,
            Int32 | Uint32 | Int64 | Uint64 | Int8 | Uint8 => false,
        }
    }
}

impl fmt::Display for MLOperandDataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
