//! Tensor limits: which data types and ranks each operand may have.
//!
//! One row per row of the specification's `tensor-limits-*` tables. The rows stand in the file of their section and
//! feed the checks of the methods and `opSupportLimits()`.

use crate::context::MLContext;
use crate::data_type::MLOperandDataType;
use crate::operand::MLOperand;
use crate::ops::{MLInputOperandLayout, OPERATORS};

use MLOperandDataType::{Float16, Float32, Int8, Int32, Int64, Uint8, Uint32, Uint64};

/// A table of the specification, for one or more operators.
#[derive(Debug)]
pub struct TensorLimits {
    /// The table's anchor.
    pub table: &'static str,
    /// Its rows.
    pub rows: &'static [OperandLimits],
}

/// One row: the limits of one operand.
#[derive(Debug)]
pub struct OperandLimits {
    /// The operand: a parameter, a member of the options, or an output.
    pub operand: &'static str,
    /// <https://www.w3.org/TR/webnn/#allowed-data-types>
    pub allowed_data_types: DataTypes,
    /// <https://www.w3.org/TR/webnn/#required-data-types>
    pub required_data_types: &'static [MLOperandDataType],
    /// <https://www.w3.org/TR/webnn/#allowed-ranks>
    pub allowed_ranks: Ranks,
    /// <https://www.w3.org/TR/webnn/#required-ranks>, from the first to the last.
    pub required_ranks: (usize, usize),
}

/// Allowed data types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataTypes {
    /// Any.
    Any,
    /// One of these.
    Only(&'static [MLOperandDataType]),
    /// The same as that of another operand.
    SameAs(&'static str),
}

/// Allowed ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// N: any.
    Any,
    /// From this one on.
    AtLeast(usize),
    /// From the first to the last.
    Between(usize, usize),
    /// The same as that of another operand.
    SameAs(&'static str),
}

/// Both floating point types.
pub const FLOATS: &[MLOperandDataType] = &[Float32, Float16];
/// The floating point types and int32.
pub const FLOATS_AND_INT32: &[MLOperandDataType] = &[Float32, Float16, Int32];
/// The signed types.
pub const SIGNED: &[MLOperandDataType] = &[Float32, Float16, Int64, Int32, Int8];
/// The floating point types and the integers of 32 and 64 bits.
pub const FLOATS_AND_WIDE_INTEGERS: &[MLOperandDataType] = &[Float32, Float16, Int32, Uint32, Int64, Uint64];
/// The floating point types, int32 and the 8-bit integers.
pub const FLOATS_INT32_AND_BYTES: &[MLOperandDataType] = &[Float32, Float16, Int32, Int8, Uint8];
/// The types of the indices that gathering and scattering take.
pub const INDICES: &[MLOperandDataType] = &[Int32, Uint32, Int64];
/// int32 alone.
pub const INT32: &[MLOperandDataType] = &[Int32];
/// The types of quantized elements.
pub const QUANTIZED: &[MLOperandDataType] = &[Uint8, Int8, Uint32, Int32];
/// The 8-bit types.
pub const BYTES: &[MLOperandDataType] = &[Uint8, Int8];
/// The 8-bit types and int32.
pub const BYTES_AND_INT32: &[MLOperandDataType] = &[Uint8, Int8, Int32];
/// The floating point types and the 8-bit integers.
pub const FLOATS_AND_BYTES: &[MLOperandDataType] = &[Float32, Float16, Uint8, Int8];
/// uint8 alone: truth values.
pub const UINT8: &[MLOperandDataType] = &[Uint8];

impl DataTypes {
    fn allow(self, data_type: MLOperandDataType, same_as: Option<MLOperandDataType>) -> bool {
        match self {
            Self::Any => true,
            Self::Only(data_types) => data_types.contains(&data_type),
            Self::SameAs(_) => same_as == Some(data_type),
        }
    }
}

impl Ranks {
    fn allow(self, rank: usize) -> bool {
        match self {
            // A table that says "same as" for a rank leaves the check to a step that compares shapes.
            Self::Any | Self::SameAs(_) => true,
            Self::AtLeast(least) => rank >= least,
            Self::Between(first, last) => (first..=last).contains(&rank),
        }
    }
}

impl TensorLimits {
    /// The row of an operand.
    ///
    /// # Panics
    /// If the table has none: a method asks for an operand that is not in the table of its section.
    pub fn operand(&self, operand: &str) -> &'static OperandLimits {
        let row = self.rows.iter().find(|row| row.operand == operand);
        row.unwrap_or_else(|| panic!("{} has no row for {operand}", self.table))
    }

    /// Whether the operand's data type is one of its allowed data types.
    pub fn allows_data_type(&self, name: &str, operand: &MLOperand) -> bool {
        self.operand(name).allowed_data_types.allow(operand.data_type(), None)
    }

    /// As [`allows_data_type`](Self::allows_data_type), where the table may say "same as `other`".
    pub fn allows_data_type_as(&self, name: &str, operand: &MLOperand, other: &MLOperand) -> bool {
        self.operand(name).allowed_data_types.allow(operand.data_type(), Some(other.data_type()))
    }

    /// Whether a data type is one that the operand may have, whatever those of others.
    pub fn allows(&self, name: &str, data_type: MLOperandDataType) -> bool {
        self.operand(name).allowed_data_types.allow(data_type, Some(data_type))
    }

    /// Whether the operand's rank is one of its allowed ranks.
    pub fn allows_rank(&self, name: &str, operand: &MLOperand) -> bool {
        self.allows_rank_of(name, operand.rank())
    }

    /// Whether a rank is one that the operand may have.
    pub fn allows_rank_of(&self, name: &str, rank: usize) -> bool {
        self.operand(name).allowed_ranks.allow(rank)
    }

    /// The data types that the operand may have, with "same as" followed.
    pub fn data_types(&self, name: &str) -> Vec<MLOperandDataType> {
        match self.operand(name).allowed_data_types {
            DataTypes::Any => MLOperandDataType::ALL.to_vec(),
            DataTypes::Only(data_types) => data_types.to_vec(),
            DataTypes::SameAs(other) => self.data_types(other),
        }
    }

    /// The smallest and the largest rank that the operand may have, with "same as" followed.
    pub fn rank_range(&self, name: &str, max_rank: usize) -> (usize, usize) {
        match self.operand(name).allowed_ranks {
            Ranks::Any => (0, max_rank),
            Ranks::AtLeast(least) => (least, max_rank),
            Ranks::Between(first, last) => (first, last),
            Ranks::SameAs(other) => self.rank_range(other, max_rank),
        }
    }
}

/// <https://www.w3.org/TR/webnn/#dictdef-mltensorlimits>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MLTensorLimits {
    /// The supported data types.
    pub data_types: Vec<MLOperandDataType>,
    /// The smallest and the largest supported rank: <https://www.w3.org/TR/webnn/#dictdef-mlrankrange>.
    pub rank_range: (usize, usize),
}

/// <https://www.w3.org/TR/webnn/#dictdef-mlopsupportlimits>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MLOpSupportLimits {
    /// The preferred layout of layout-dependent operators.
    pub preferred_input_layout: MLInputOperandLayout,
    /// The largest tensor, in bytes.
    pub max_tensor_byte_length: u64,
    /// The limits of inputs.
    pub input: MLTensorLimits,
    /// The limits of constants.
    pub constant: MLTensorLimits,
    /// The limits of outputs.
    pub output: MLTensorLimits,
    /// The limits of each operator's operands, by their names.
    pub operators: Vec<(&'static str, Vec<(&'static str, MLTensorLimits)>)>,
}

impl MLContext {
    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-opsupportlimits>
    pub fn op_support_limits(&self) -> MLOpSupportLimits {
        let limits = self.limits();
        let any = MLTensorLimits { data_types: limits.data_types.clone(), rank_range: (0, limits.max_rank) };
        let of_operand = |table: &TensorLimits, row: &OperandLimits| MLTensorLimits {
            data_types: table
                .data_types(row.operand)
                .into_iter()
                .filter(|data_type| limits.data_types.contains(data_type))
                .collect(),
            rank_range: table.rank_range(row.operand, limits.max_rank),
        };
        MLOpSupportLimits {
            preferred_input_layout: limits.preferred_input_layout,
            max_tensor_byte_length: limits.max_tensor_byte_length,
            input: any.clone(),
            constant: any.clone(),
            output: any,
            operators: OPERATORS
                .iter()
                .filter(|row| !limits.unsupported_operators.contains(&row.name))
                .map(|row| {
                    let operands =
                        row.limits.rows.iter().map(|operand| (operand.operand, of_operand(row.limits, operand)));
                    (row.name, operands.collect())
                })
                .collect(),
        }
    }
}
