//! Numbers become bytes as their types say, and absurd shapes become nothing.

use half::f16;
use webnn_vectors::{Data, DataError, DataType, Descriptor, ElementType, Number, f16_from_f64};

fn data(json: &str) -> Data {
    serde_json::from_str(json).unwrap()
}

fn descriptor(data_type: DataType, shape: &[u32]) -> Descriptor {
    Descriptor { data_type, shape: shape.to_vec() }
}

fn bytes(data_type: DataType, json: &str) -> Result<Vec<u8>, DataError> {
    let data = data(json);
    let count = data.element_count().unwrap_or(1);
    descriptor(data_type, &[u32::try_from(count).unwrap()]).bytes_of(&data)
}

#[test]
fn special_numbers_survive() {
    let text = r#"["NaN","Infinity","-Infinity","-0","9223372036854775807n","-9223372036854775808n",0,-1.5,5.0]"#;
    let list = data(text);
    assert_eq!(serde_json::to_string(&list).unwrap(), text);
    let numbers: Vec<Number> = list.elements(9).collect();
    assert_eq!(numbers[3], Number::Float(-0.0));
    assert_ne!(numbers[3], Number::Integer(0));
    assert_eq!(numbers[4], Number::Integer(i64::MAX.into()));
    assert_eq!(data("-0"), Data::Fill(Number::Float(-0.0)));
    assert_eq!(data(r#""NaN""#), Data::Fill(Number::Float(f64::NAN)));
    assert_eq!(data(r#""123""#), Data::Fill(Number::Integer(123)));
}

#[test]
fn a_bare_integer_beyond_2_to_the_53_is_a_double() {
    assert_eq!(data("9007199254740992"), Data::Fill(Number::Integer(1 << 53)));
    assert_eq!(data("9007199254740993"), Data::Fill(Number::Float(9_007_199_254_740_992.0)));
    assert_eq!(data("-9223372036854776000"), Data::Fill(Number::Float(-(2f64.powi(63)))));
    assert_eq!(bytes(DataType::Int64, "[-9223372036854776000]").unwrap(), i64::MIN.to_le_bytes());
    assert!(matches!(bytes(DataType::Int64, "[9223372036854776000]"), Err(DataError::OutOfRange { index: 0, .. })));
}

#[test]
fn integers_are_exact_to_their_ends() {
    let ends = r#"["18446744073709551615", "0n"]"#;
    assert_eq!(bytes(DataType::Uint64, ends).unwrap(), [u64::MAX.to_le_bytes(), 0u64.to_le_bytes()].concat());
    let ends = r#"["9223372036854775807n", "-9223372036854775808n"]"#;
    assert_eq!(bytes(DataType::Int64, ends).unwrap(), [i64::MAX.to_le_bytes(), i64::MIN.to_le_bytes()].concat());
    assert_eq!(bytes(DataType::Int8, "[-128, 127, -1]").unwrap(), [0x80, 0x7F, 0xFF]);
    assert_eq!(bytes(DataType::Uint8, "[255, 5.0, \"-0\"]").unwrap(), [255, 5, 0]);
    assert_eq!(bytes(DataType::Int32, "[-2]").unwrap(), (-2i32).to_le_bytes());
    assert_eq!(bytes(DataType::Uint32, "[4294967295]").unwrap(), [0xFF; 4]);
}

#[test]
fn what_an_integer_type_cannot_hold_is_named() {
    let error = bytes(DataType::Int8, "[1, 2, 128]").unwrap_err().to_string();
    assert_eq!(error, "element 2 is 128, outside the range of int8 (-128 to 127)");
    let error = bytes(DataType::Int32, "[1.5]").unwrap_err().to_string();
    assert_eq!(error, "element 0 is 1.5, which is not an integer: int32 cannot hold it");
    for special in ["NaN", "Infinity", "-Infinity"] {
        let error = bytes(DataType::Uint8, &format!("[0, \"{special}\"]")).unwrap_err().to_string();
        assert_eq!(error, format!("element 1 is {special}, which is not an integer: uint8 cannot hold it"));
    }
    assert!(matches!(bytes(DataType::Uint64, "[1e300]"), Err(DataError::OutOfRange { .. })));
    assert!(matches!(bytes(DataType::Uint64, "[-1]"), Err(DataError::OutOfRange { .. })));
    assert!(matches!(bytes(DataType::Int4, "[1]"), Err(DataError::NoBytes(ElementType::Int4))));
}

#[test]
fn float32_rounds_to_nearest_even() {
    // Halfway between two neighbours of 2^24, then a little above.
    assert_eq!(bytes(DataType::Float32, "[16777217]").unwrap(), 16_777_216f32.to_le_bytes());
    assert_eq!(bytes(DataType::Float32, "[16777219]").unwrap(), 16_777_220f32.to_le_bytes());
    assert_eq!(bytes(DataType::Float32, "[1e39]").unwrap(), f32::INFINITY.to_le_bytes());
    // As a double this integer is the tie 2^54 + 2^30, which would round down.
    assert_eq!(bytes(DataType::Float32, "[\"18014399583223809n\"]").unwrap(), 0x5A80_0001u32.to_le_bytes());
    assert_eq!(bytes(DataType::Float32, "[\"-0\", \"NaN\"]").unwrap(), [0, 0, 0, 0x80, 0, 0, 0xC0, 0x7F]);
}

#[test]
fn float16_rounds_once() {
    assert_eq!(f16_from_f64(65519.0), f16::MAX);
    assert_eq!(f16_from_f64(65520.0), f16::INFINITY);
    assert_eq!(f16_from_f64(-0.0).to_bits(), 0x8000);
    assert!(f16_from_f64(f64::NAN).is_nan());
    assert_eq!(f16_from_f64(2f64.powi(-25)).to_bits(), 0);
    assert_eq!(f16_from_f64(2f64.powi(-25) * (1.0 + f64::EPSILON)).to_bits(), 1);
    assert_eq!(f16_from_f64(1e-300).to_bits(), 0);
    assert_eq!(f16_from_f64(1e300), f16::INFINITY);
    // Just above the tie between 1 and its successor: by way of float32 it would become the tie,
    // and 1.
    let above = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    assert_eq!(f16_from_f64(above).to_bits(), 0x3C01);
    assert_eq!(f16_from_f64(1.0 + 2f64.powi(-11)).to_bits(), 0x3C00);
    // Just below the tie that would round up to an even neighbour.
    let below = 1.0 + 3.0 * 2f64.powi(-11) - 2f64.powi(-40);
    assert_eq!(f16_from_f64(below).to_bits(), 0x3C01);
}

/// Around every float16 and every tie between two of them, the nearest is found and the tie is
/// even.
#[test]
fn float16_is_nearest_everywhere() {
    for bits in 0..f16::MAX.to_bits() {
        let (low, high) = (f16::from_bits(bits).to_f64(), f16::from_bits(bits + 1).to_f64());
        let tie = f64::midpoint(low, high);
        assert_eq!(f16_from_f64(low).to_bits(), bits);
        assert_eq!(f16_from_f64(tie.next_down()).to_bits(), bits);
        assert_eq!(f16_from_f64(tie).to_bits(), bits + (bits & 1));
        assert_eq!(f16_from_f64(-tie.next_up()).to_bits(), 0x8000 | (bits + 1));
    }
}

#[test]
fn fills_and_repetitions_cycle() {
    let repeat = data(r#"{"$repeat": [1, 2, 3], "times": 3}"#);
    assert_eq!(repeat.element_count(), Some(9));
    assert_eq!(repeat.elements(9).map(Number::to_f64).collect::<Vec<_>>(), [1., 2., 3., 1., 2., 3., 1., 2., 3.]);
    assert_eq!(repeat.element(7), Some(Number::Integer(2)));
    assert_eq!(repeat.element(9), None);
    assert_eq!(repeat.to_bytes(ElementType::Uint8, 9).unwrap(), [1, 2, 3, 1, 2, 3, 1, 2, 3]);
    assert_eq!(data("7").to_bytes(ElementType::Int16, 2).unwrap(), [7, 0, 7, 0]);
    assert_eq!(data("0").to_bytes(ElementType::Float64, 3).unwrap(), [0; 24]);
    assert_eq!(data("7").elements(5).count(), 5);
    let long = data(r#"{"$repeat": [1, 2, 3], "times": 100000}"#).to_bytes(ElementType::Uint8, 300_000).unwrap();
    assert!(long.chunks(3).all(|chunk| chunk == [1, 2, 3]));
    let mut reused = vec![9; 100];
    data("7").write_bytes(ElementType::Uint8, 3, &mut reused).unwrap();
    assert_eq!(reused, [7, 7, 7]);
}

#[test]
fn data_that_are_too_few_or_too_many_are_refused() {
    let error = data("[1, 2]").to_bytes(ElementType::Uint8, 3).unwrap_err();
    assert_eq!(error.to_string(), "2 elements, but the tensor holds 3");
    let error = descriptor(DataType::Float32, &[4, 6]).bytes_of(&data("[1]")).unwrap_err();
    assert_eq!(error.to_string(), "1 elements, but shape [4, 6] holds 24");
}

#[test]
fn absurd_shapes_allocate_nothing() {
    let absurd = descriptor(DataType::Float32, &[u32::MAX, u32::MAX, u32::MAX]);
    assert_eq!(absurd.element_count(), None);
    assert_eq!(absurd.byte_length(), None);
    assert!(matches!(absurd.bytes_of(&data("1")), Err(DataError::TooLarge { .. })));
    let large = descriptor(DataType::Int64, &[u32::MAX, u32::MAX]);
    assert!(large.element_count().is_some() && large.byte_length().is_none());
    assert!(matches!(large.bytes_of(&data("0")), Err(DataError::TooLarge { .. })));
    let edge = descriptor(DataType::Uint8, &[1 << 16, 1 << 16]);
    assert!(matches!(edge.bytes_of(&data("1")), Err(DataError::TooLarge { .. })));
    let repeat = data(r#"{"$repeat": [1, 2, 3], "times": 18446744073709551615}"#);
    assert_eq!(repeat.element_count(), Some(u64::MAX));
    assert!(repeat.to_bytes(ElementType::Uint8, u64::MAX).is_err());
    assert_eq!(repeat.elements(u64::MAX).take(2).count(), 2);
}

#[test]
fn a_shape_of_zero_has_no_bytes() {
    let zero = descriptor(DataType::Float32, &[u32::MAX, u32::MAX, u32::MAX, 0]);
    assert_eq!(zero.byte_length(), Some(0));
    assert_eq!(zero.bytes_of(&data("[]")).unwrap(), [0u8; 0]);
    assert_eq!(zero.bytes_of(&data("1")).unwrap(), [0u8; 0]);
    assert!(zero.bytes_of(&data("[1]")).is_err());
    assert_eq!(data(r#"{"$repeat": [], "times": 5}"#).element_count(), Some(0));
    assert_eq!(data(r#"{"$repeat": [], "times": 5}"#).element(0), None);
}

#[test]
fn four_bit_types_are_counted_in_pairs() {
    assert_eq!(descriptor(DataType::Int4, &[3]).byte_length(), Some(2));
}
