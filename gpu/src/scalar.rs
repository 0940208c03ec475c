//! Numbers that script passes, in the types that kernels compute in and tensors store.
//!
//! The builder has cast each to its operand's data type, so that every conversion here is exact.

use half::f16;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::number::MLNumber;

use crate::wgsl::{Lane, Scalar};

/// A number as the arithmetic type of a lane.
pub(crate) fn of(number: MLNumber, lane: Lane) -> Scalar {
    match lane.arithmetic() {
        "f32" => Scalar::F32(number.to_f64() as f32),
        "i32" => Scalar::I32(integer(number) as i32),
        "i64" => Scalar::I64(integer(number) as i64),
        "u64" => Scalar::U64(integer(number) as u64),
        _ => Scalar::U32(integer(number) as u32),
    }
}

/// A number's bytes as a tensor of a data type has them.
pub(crate) fn bytes(number: MLNumber, data_type: MLOperandDataType) -> Vec<u8> {
    match data_type {
        MLOperandDataType::Float32 => (number.to_f64() as f32).to_le_bytes().to_vec(),
        MLOperandDataType::Float16 => f16::from_f64(number.to_f64()).to_le_bytes().to_vec(),
        MLOperandDataType::Int32 | MLOperandDataType::Uint32 => (integer(number) as u32).to_le_bytes().to_vec(),
        MLOperandDataType::Int64 | MLOperandDataType::Uint64 => (integer(number) as u64).to_le_bytes().to_vec(),
        MLOperandDataType::Int8 | MLOperandDataType::Uint8 => vec![integer(number) as u8],
    }
}

fn integer(number: MLNumber) -> i128 {
    match number {
        MLNumber::BigInt(integer) => integer,
        MLNumber::Double(double) => double as i128,
    }
}

/// A number's bits as a lane has them, low word first.
pub(crate) fn bits(number: MLNumber, lane: Lane) -> [u32; 2] {
    match of(number, lane) {
        Scalar::F32(_) if lane == Lane::F16 => [u32::from(f16::from_f64(number.to_f64()).to_bits()), 0],
        Scalar::F32(value) => [value.to_bits(), 0],
        Scalar::I32(value) => [value.cast_unsigned(), 0],
        Scalar::U32(value) => [value, 0],
        Scalar::I64(value) => [value as u32, (value >> 32) as u32],
        Scalar::U64(value) => [value as u32, (value >> 32) as u32],
    }
}
