//! Casting of numbers: <https://www.w3.org/TR/webnn/#algorithms-casting>.
//!
//! The numbers of script are `MLNumber`s; what comes out is representable in the data type that was cast to: a
//! [`MLNumber::Double`] for the floating point types, a [`MLNumber::BigInt`] for the integer types.

use crate::data_type::MLOperandDataType;
use crate::number::{MLNumber, to_float16, to_float32, to_integer};
use crate::{algorithm, literal, step};

/// <https://www.w3.org/TR/webnn/#cast>
pub fn cast(x: MLNumber, data_type: MLOperandDataType) -> MLNumber {
    algorithm!("cast");
    step!("1");
    match data_type {
        MLOperandDataType::Float32 => MLNumber::Double(convert_to_float(x, 32)),
        MLOperandDataType::Float16 => MLNumber::Double(convert_to_float(x, 16)),
        MLOperandDataType::Int64 => MLNumber::BigInt(convert_to_int(x, 64, "signed")),
        MLOperandDataType::Uint64 => MLNumber::BigInt(convert_to_int(x, 64, "unsigned")),
        MLOperandDataType::Int32 => MLNumber::BigInt(convert_to_int(x, 32, "signed")),
        MLOperandDataType::Uint32 => {
            let signedness = if literal!("cast-uint32-signed") { "signed" } else { "unsigned" };
            MLNumber::BigInt(convert_to_int(x, 32, signedness))
        }
        MLOperandDataType::Int8 => MLNumber::BigInt(convert_to_int(x, 8, "signed")),
        MLOperandDataType::Uint8 => MLNumber::BigInt(convert_to_int(x, 8, "unsigned")),
    }
}

/// <https://www.w3.org/TR/webnn/#converttofloat>, for a `bit_length` of 32 or 16.
fn convert_to_float(x: MLNumber, bit_length: u32) -> f64 {
    algorithm!("ConvertToFloat");
    step!("1");
    if x.to_f64().is_nan() {
        return f64::NAN;
    }
    step!("2");
    // The conversions below are of IEEE 754: they round to the nearest value, ties to even, and beyond the largest
    // finite one they behave as if the next power of two were representable and called infinity. They keep the sign
    // of a zero.
    let y = if bit_length == 32 {
        step!("2.1");
        step!("2.2");
        step!("2.3");
        to_float32(x)
    } else {
        step!("2.4");
        step!("2.5");
        step!("2.6");
        to_float16(x)
    };
    step!("3");
    step!("4");
    step!("5");
    step!("6");
    step!("7");
    y
}

/// <https://www.w3.org/TR/webnn/#converttoint>, for a `signedness` of "signed" or "unsigned".
fn convert_to_int(x: MLNumber, bit_length: u32, signedness: &str) -> i128 {
    algorithm!("ConvertToInt");
    let (lower_bound, upper_bound): (i128, i128) = if signedness == "unsigned" {
        step!("1");
        step!("1.1");
        step!("1.2");
        (0, (1 << bit_length) - 1)
    } else {
        step!("2");
        step!("2.1");
        step!("2.2");
        (-(1 << (bit_length - 1)), (1 << (bit_length - 1)) - 1)
    };
    step!("3"); // BY TYPE: an integer has no -0.
    step!("4");
    let x = match x {
        MLNumber::BigInt(integer) => return integer.clamp(lower_bound, upper_bound),
        MLNumber::Double(double) if double.is_nan() => return 0,
        MLNumber::Double(double) => double,
    };
    step!("5");
    step!("6");
    let x = to_integer(x, lower_bound, upper_bound);
    step!("7");
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use MLOperandDataType::{Float16, Float32, Int8, Int64, Uint8, Uint32, Uint64};

    fn double(x: f64, data_type: MLOperandDataType) -> f64 {
        cast(MLNumber::Double(x), data_type).to_f64()
    }

    #[test]
    fn floats_round_to_nearest_even_and_overflow_to_infinity() {
        assert_eq!(double(0.1, Float32), f64::from(0.1f32));
        assert_eq!(double(65519.99, Float16), 65504.0);
        assert_eq!(double(65520.0, Float16), f64::INFINITY);
        assert!(double(-1e-60, Float32).is_sign_negative());
        assert!(double(f64::NAN, Float16).is_nan());
    }

    #[test]
    fn integers_round_half_to_even_and_clamp() {
        assert_eq!(double(2.5, Int8), 2.0);
        assert_eq!(double(3.5, Int8), 4.0);
        assert_eq!(double(-1000.0, Int8), -128.0);
        assert_eq!(double(f64::INFINITY, Uint8), 255.0);
        assert_eq!(double(f64::NAN, Uint32), 0.0);
        assert_eq!(double(3e9, Uint32), 3e9);
        assert_eq!(cast(MLNumber::BigInt(1 << 100), Uint64), MLNumber::BigInt(i128::from(u64::MAX)));
        assert_eq!(cast(MLNumber::BigInt(i128::from(i64::MIN)), Int64), MLNumber::BigInt(i128::from(i64::MIN)));
    }
}
