//! quantizeLinear and dequantizeLinear: ties, ends of ranges, and integers that float32 does not hold.

mod session;

use session::{
    Data, Float16, Float32, Int8, Int32, Uint8, Uint32, assert_same, data, f32s, none, of_bytes, session, small,
};
use webnn_reference::data_type::MLOperandDataType;

fn words(data_type: MLOperandDataType, shape: &[u32], numbers: &[i64]) -> Data {
    data(data_type, shape, numbers.iter().flat_map(|number| (*number as u32).to_le_bytes()).collect())
}

#[test]
fn quantizes_to_the_nearest() {
    let Some(session) = session() else { return };
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let run = |x: &[f32], scale: f32, zero: Data| {
        let shape = [x.len() as u32];
        session
            .run(&[f32s(&shape, x), f32s(&[1], &[scale]), zero], |b, x| b.quantize_linear(&x[0], &x[1], &x[2], &none()))
    };
    let ties = [1.0, 3.0, 5.0, -1.0, -3.0, 0.99, 1.01, -0.0];
    assert_eq!(run(&ties, 2.0, small(Uint8, &[1], &[100])), [100, 102, 102, 100, 98, 100, 101, 100]);
    // A negative scale is divided by like any other.
    assert_eq!(run(&[2.0, -4.0], -2.0, small(Uint8, &[1], &[100])), [99, 102]);
    let ends = [1e30, -1e30, inf, -inf, nan, 250.0, -250.0];
    assert_eq!(run(&ends, 1.0, small(Uint8, &[1], &[10])), [255, 0, 255, 0, 10, 255, 0]);
    let bytes = run(&ends, 1.0, small(Int8, &[1], &[-10]));
    assert_eq!(of_bytes(&bytes, i8::from_le_bytes), [127, -128, 127, -128, -10, 127, -128]);
    assert_eq!(run(&[1.0, -1.0, 0.0], 0.0, small(Uint8, &[1], &[7])), [255, 0, 7]);
    assert_eq!(run(&[1e30, inf], inf, small(Uint8, &[1], &[7])), [7, 7]);
    // The quotient of subnormals.
    assert_eq!(run(&[3e-45, 1e-44], 1e-45, small(Uint8, &[1], &[0])), [2, 7]);
    // 12582914 / 3 is 4194304.67, which float32 rounds to a tie.
    let bytes = run(&[12_582_914.0], 3.0, words(Int32, &[1], &[0]));
    assert_eq!(of_bytes(&bytes, i32::from_le_bytes), [4_194_305]);
}

#[test]
fn quantizes_to_32_bits() {
    let Some(session) = session() else { return };
    let run = |x: &[f32], zero: Data| {
        let shape = [x.len() as u32];
        session
            .run(&[f32s(&shape, x), f32s(&[1], &[0.5]), zero], |b, x| b.quantize_linear(&x[0], &x[1], &x[2], &none()))
    };
    let far = [2_147_483_520.0, 2_147_483_648.0, -2_147_483_520.0, 1e10, -1e10, 8_388_608.0];
    let least = i64::from(i32::MIN);
    let signed = of_bytes(&run(&far, words(Int32, &[1], &[least])), i32::from_le_bytes);
    let top = i32::MAX;
    assert_eq!(signed, [top - 255, top, i32::MIN, top, i32::MIN, i32::MIN + 16_777_216]);
    let unsigned = of_bytes(&run(&far, words(Uint32, &[1], &[0xffff_ffff])), u32::from_le_bytes);
    assert_eq!(unsigned, [u32::MAX, u32::MAX, 255, u32::MAX, 0, u32::MAX]);
}

#[test]
fn quantizes_by_blocks() {
    let Some(session) = session() else { return };
    let x = f32s(&[2, 4], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let scale = f32s(&[1, 2], &[1.0, 0.5]);
    let zero = small(Uint8, &[1, 2], &[0, 100]);
    let quantized =
        session.run(&[x, scale.clone(), zero.clone()], |b, x| b.quantize_linear(&x[0], &x[1], &x[2], &none()));
    assert_eq!(quantized, [1, 2, 106, 108, 5, 6, 114, 116]);
    let x = data(Uint8, &[2, 4], quantized);
    let back = session.run_f32(&[x, scale, zero], |b, x| b.dequantize_linear(&x[0], &x[1], &x[2], &none()));
    assert_same(&back, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn dequantizes_exactly() {
    let Some(session) = session() else { return };
    let run = |data_type, x: &[i64], zero: i64, scale: f32| {
        let inputs = [words(data_type, &[x.len() as u32], x), f32s(&[1], &[scale]), words(data_type, &[1], &[zero])];
        session.run_f32(&inputs, |b, x| b.dequantize_linear(&x[0], &x[1], &x[2], &none()))
    };
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    assert_same(&run(Int32, &[most, least, 0], least, 1.0), &[4_294_967_296.0, 0.0, 2_147_483_648.0]);
    assert_same(&run(Uint32, &[0, 0xffff_ffff], 0xffff_fffe, 0.5), &[-2_147_483_647.0, 0.5]);
    // 16777217 times 3 is 50331651: rounding the difference first would give 50331648.
    assert_same(&run(Int32, &[16_777_217], 0, 3.0), &[50_331_652.0]);
    assert_same(&run(Int32, &[16_777_217, 0], 0, f32::INFINITY), &[f32::INFINITY, f32::NAN]);
    for data_type in [Int8, Uint8] {
        for of_scale in [Float32, Float16] {
            let inputs =
                [small(data_type, &[3], &[1, 2, 100]), small(of_scale, &[1], &[3]), small(data_type, &[1], &[2])];
            let got = session.run(&inputs, |b, x| b.dequantize_linear(&x[0], &x[1], &x[2], &none()));
            let wanted = [-3.0f32, 0.0, 294.0];
            match of_scale {
                Float32 => assert_same(&of_bytes(&got, f32::from_le_bytes), &wanted),
                _ => assert_eq!(of_bytes(&got, half::f16::from_le_bytes), wanted.map(half::f16::from_f32)),
            }
        }
    }
}
