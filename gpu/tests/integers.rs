//! Conversions between floats and integers, and integer arithmetic, against Rust's.
//!
//! Rust's `as` is the rule that the library follows: towards zero, saturating, NaN to 0; integers to floats to
//! nearest even; integers to narrower ones by their low bits.

mod adapter;

use std::sync::Arc;

use adapter::{Bits, device, device_with_int64, kernel, run, special, words};
use half::f16;
use webnn_gpu::device::Device;
use webnn_gpu::wgsl::Lane;

/// Applies an expression of `a(i)` to every operand and compares with the truth.
fn check<A, R>(device: &Arc<Device>, from: Lane, to: Lane, expression: &str, a: &[A], truth: impl Fn(A) -> R)
where
    A: bytemuck::Pod + std::fmt::Debug,
    R: bytemuck::Pod + std::fmt::Debug + PartialEq,
{
    let bytes = run(device, &kernel(&[from], to, expression), &[bytemuck::cast_slice(a)], a.len());
    for (x, got) in a.iter().zip(words::<R>(&bytes)) {
        assert_eq!(got, truth(*x), "{expression} of {x:?}");
    }
}

/// Floats around every power of two, around every integer edge, and random ones.
fn floats() -> Vec<f32> {
    let mut bits = Bits::new(21);
    let mut floats = special();
    for e in -3..66 {
        let p = 2.0_f32.powi(e);
        floats.extend([p, p.next_up(), p.next_down(), p + 0.5, p * 1.5].into_iter().flat_map(|x| [x, -x]));
    }
    floats.extend((0..1 << 16).map(|_| bits.any_f32()));
    floats.extend((0..1 << 16).map(|_| bits.f32_in(-3e9, 5e9)));
    floats
}

/// 64-bit integers around every power of two, around every rounding of every magnitude, and random ones.
fn integers() -> Vec<u64> {
    let mut bits = Bits::new(22);
    let mut integers = vec![0];
    for e in 0..64 {
        let p = 1_u64 << e;
        integers.extend([p - 1, p, p + 1, p.wrapping_neg(), p.wrapping_neg() - 1]);
        // Halfway between two float32 of this magnitude, and its neighbours.
        if e >= 24 {
            for odd in [1_u64, 3] {
                let half = p + odd * (1 << (e - 24));
                integers.extend([half - 1, half, half + 1]);
            }
        }
    }
    integers.extend((0..1 << 16).map(|_| bits.next_u64() >> (bits.next_u64() % 64)));
    integers.extend((0..1 << 14).map(|_| (bits.next_u64() >> (bits.next_u64() % 64)).wrapping_neg()));
    integers
}

#[test]
fn floats_to_integers() {
    let Some(device) = device() else { return };
    let f = floats();
    check(&device, Lane::F32, Lane::I32, "f32_to_i32(a(i))", &f, |x| x as i32);
    check(&device, Lane::F32, Lane::U32, "f32_to_u32(a(i))", &f, |x| x as u32);
    check(&device, Lane::F32, Lane::I8, "f32_to_i8(a(i))", &f, |x| x as i8);
    check(&device, Lane::F32, Lane::U8, "f32_to_u8(a(i))", &f, |x| x as u8);
}

#[test]
fn floats_to_64_bit_integers() {
    let Some(device) = device_with_int64() else {
        return;
    };
    let f = floats();
    check(&device, Lane::F32, Lane::I64, "f32_to_i64(a(i))", &f, |x| x as i64);
    check(&device, Lane::F32, Lane::U64, "f32_to_u64(a(i))", &f, |x| x as u64);
}

#[test]
fn integers_to_floats() {
    let Some(device) = device() else { return };
    let u = integers().into_iter().map(|n| n as u32).collect::<Vec<_>>();
    let i = u.iter().map(|n| n.cast_signed()).collect::<Vec<_>>();
    check(&device, Lane::U32, Lane::F32, "u32_to_f32(a(i))", &u, |n| n as f32);
    check(&device, Lane::I32, Lane::F32, "i32_to_f32(a(i))", &i, |n| n as f32);
    // Through float32, which is exact wherever a half is finite.
    check(&device, Lane::I32, Lane::F16, "i32_to_f32(a(i))", &i, |n| f16::from_f64(f64::from(n)).to_bits());
}

#[test]
fn integers_of_64_bits_to_floats() {
    let Some(device) = device_with_int64() else {
        return;
    };
    let u = integers();
    let i = u.iter().map(|n| n.cast_signed()).collect::<Vec<_>>();
    check(&device, Lane::U64, Lane::F32, "u64_to_f32(a(i))", &u, |n| n as f32);
    check(&device, Lane::I64, Lane::F32, "i64_to_f32(a(i))", &i, |n| n as f32);
    // f64 is exact for every magnitude that is finite as a half.
    check(&device, Lane::I64, Lane::F16, "i64_to_f32(a(i))", &i, |n| f16::from_f64(n as f64).to_bits());
    check(&device, Lane::U64, Lane::F16, "u64_to_f32(a(i))", &u, |n| f16::from_f64(n as f64).to_bits());
}

/// Trap: naga 30's `i64(u32)` extends the sign, and its `u64(i32)` does not.
#[test]
fn widening_and_narrowing() {
    let Some(device) = device_with_int64() else {
        return;
    };
    let wide = integers();
    let u = wide.iter().map(|n| *n as u32).collect::<Vec<_>>();
    let i = u.iter().map(|n| n.cast_signed()).collect::<Vec<_>>();
    let signed = wide.iter().map(|n| n.cast_signed()).collect::<Vec<_>>();
    check(&device, Lane::U32, Lane::I64, "u32_to_i64(a(i))", &u, i64::from);
    check(&device, Lane::U32, Lane::U64, "u64(a(i))", &u, u64::from);
    check(&device, Lane::I32, Lane::U64, "i32_to_u64(a(i))", &i, |n| n as u64);
    check(&device, Lane::I32, Lane::I64, "i64(a(i))", &i, i64::from);
    check(&device, Lane::I64, Lane::I32, "i64_to_i32(a(i))", &signed, |n| n as i32);
    check(&device, Lane::U64, Lane::U32, "u64_low(a(i))", &wide, |n| n as u32);
    check(&device, Lane::I64, Lane::I8, "i64_to_i32(a(i))", &signed, |n| n as i8);
}

fn cross<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    values.iter().flat_map(|x| values.iter().map(move |y| (*x, *y))).unzip()
}

/// Applies an expression of `a(i)` and `b(i)` to all pairs.
fn check_pairs<T, R>(device: &Arc<Device>, lane: Lane, expression: &str, values: &[T], truth: impl Fn(T, T) -> R)
where
    T: bytemuck::Pod + std::fmt::Debug,
    R: bytemuck::Pod + std::fmt::Debug + PartialEq,
{
    let (a, b) = cross(values);
    let operands: [&[u8]; 2] = [bytemuck::cast_slice(&a), bytemuck::cast_slice(&b)];
    let bytes = run(device, &kernel(&[lane, lane], lane, expression), &operands, a.len());
    for ((x, y), got) in a.iter().zip(&b).zip(words::<R>(&bytes)) {
        assert_eq!(got, truth(*x, *y), "{expression} of {x:?}, {y:?}");
    }
}

const I32: [i32; 13] = [0, 1, -1, 2, -2, 3, 7, -7, 31, 46341, i32::MAX, i32::MIN, i32::MIN + 1];
const I64: [i64; 13] = [0, 1, -1, 2, -2, 3, 7, -7, 63, 3_037_000_500, i64::MAX, i64::MIN, i64::MIN + 1];

/// The library's rule for powers: wrapping, and cut towards zero for negative exponents.
fn power(base: i64, exponent: i64, wrap: impl Fn(i64) -> i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 => {
                if exponent % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        };
    }
    let (mut result, mut square, mut rest) = (1_i64, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = wrap(result.wrapping_mul(square));
        }
        square = wrap(square.wrapping_mul(square));
        rest >>= 1;
    }
    result
}

#[test]
fn powers_wrap() {
    let Some(device) = device() else { return };
    check_pairs(&device, Lane::I32, "i32_pow(a(i), b(i))", &I32, |x, y| {
        power(x.into(), y.into(), |n| i64::from(n as i32)) as i32
    });
    let Some(device) = device_with_int64() else {
        return;
    };
    check_pairs(&device, Lane::I64, "i64_pow(a(i), b(i))", &I64, |x, y| power(x, y, |n| n));
}

/// WGSL's own operators, which the notes found exact: wrapping, x / 0 = x, x % 0 = 0.
#[test]
fn plain_operators_wrap() {
    let Some(device) = device() else { return };
    let div = |x: i32, y: i32| if y == 0 { x } else { x.wrapping_div(y) };
    check_pairs(&device, Lane::I32, "a(i) + b(i)", &I32, i32::wrapping_add);
    check_pairs(&device, Lane::I32, "a(i) * b(i)", &I32, i32::wrapping_mul);
    check_pairs(&device, Lane::I32, "a(i) / b(i)", &I32, div);
    let Some(device) = device_with_int64() else {
        return;
    };
    let div = |x: i64, y: i64| if y == 0 { x } else { x.wrapping_div(y) };
    check_pairs(&device, Lane::I64, "a(i) + b(i)", &I64, i64::wrapping_add);
    check_pairs(&device, Lane::I64, "a(i) - b(i)", &I64, i64::wrapping_sub);
    check_pairs(&device, Lane::I64, "a(i) * b(i)", &I64, i64::wrapping_mul);
    check_pairs(&device, Lane::I64, "a(i) / b(i)", &I64, div);
    check_pairs(&device, Lane::I64, "max(a(i), b(i))", &I64, i64::max);
    check(&device, Lane::I64, Lane::I64, "i64_abs(a(i))", &I64, i64::wrapping_abs);
    check(&device, Lane::I64, Lane::I64, "i64_neg(a(i))", &I64, i64::wrapping_neg);
    check(&device, Lane::I64, Lane::I64, "i64_sign(a(i))", &I64, i64::signum);
}
