//! The library's elementary functions against double precision, over special values and dense random ones.
//!
//! The truth is computed in f64, whose own error is a billionth of a float32's last place. Each function has a
//! bound in ULP which it must keep over the whole range, at every input: `--nocapture` prints what was measured.

#![allow(clippy::print_stdout, reason = "the measured errors are the point of the run")]

mod adapter;

use std::sync::Arc;

use adapter::{Bits, binary, device, pairs, special, ulps, unary};
use webnn_gpu::device::Device;

/// Bit patterns per function: 2^20, or what `WEBNN_GPU_SAMPLES` says (at most 2^24, or a binding overflows).
fn dense() -> usize {
    let set = std::env::var("WEBNN_GPU_SAMPLES").ok();
    set.and_then(|samples| samples.parse().ok()).unwrap_or(1 << 20)
}

/// Special values, every kind of bit pattern, and an interval where the function is busy.
fn inputs(busy: (f32, f32)) -> Vec<f32> {
    let mut bits = Bits::new(0x5eed);
    let mut inputs = special();
    inputs.extend((0..dense() / 2).map(|_| bits.any_f32()));
    inputs.extend((0..dense() / 2).map(|_| bits.f32_in(busy.0, busy.1)));
    inputs
}

/// The worst error of a unary function, printed and held to its bound.
fn check(expression: &str, busy: (f32, f32), bound: f64, truth: impl Fn(f64) -> f64) {
    let Some(device) = device() else { return };
    let inputs = inputs(busy);
    let outputs = unary(&device, expression, &inputs);
    let errors = inputs.iter().zip(&outputs).map(|(x, got)| (ulps(*got, truth(f64::from(*x))), *x, *got));
    report(&device, expression, bound, errors);
}

/// The same for a function that ends in plain arithmetic: on a device that flushes float32 subnormals, a subnormal
/// input may count as zero, and a subnormal result may be zero. Nothing else is allowed for.
fn check_but_for_flushing(expression: &str, busy: (f32, f32), bound: f64, truth: impl Fn(f64) -> f64) {
    let Some(device) = device() else { return };
    let flushes = device.subnormals().unwrap();
    let inputs = inputs(busy);
    let outputs = unary(&device, expression, &inputs);
    let errors = inputs.iter().zip(&outputs).map(|(x, got)| {
        let exact = truth(f64::from(*x));
        let mut error = ulps(*got, exact);
        if x.is_subnormal() && !flushes.kept_as_operands {
            error = error.min(ulps(*got, truth(f64::from(0.0_f32.copysign(*x)))));
        }
        if exact.abs() < f64::from(f32::MIN_POSITIVE) && !flushes.kept_as_results {
            error = error.min(ulps(*got, 0.0));
        }
        (error, *x, *got)
    });
    report(&device, expression, bound, errors);
}

fn report<X: std::fmt::Debug>(
    device: &Arc<Device>,
    name: &str,
    bound: f64,
    errors: impl Iterator<Item = (f64, X, f32)>,
) {
    let (worst, x, got) = errors.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    println!("{name:24} {worst:.3} ULP at {x:?} (got {got:e}) on {}", device.info().name);
    assert!(worst <= bound, "{name}: {worst} ULP at {x:?}, got {got:e}; the bound is {bound}");
}

#[test]
fn exp() {
    check("f32_exp(a(i))", (-105.0, 89.0), 1.0, f64::exp);
}

#[test]
fn expm1() {
    check("f32_expm1(a(i))", (-20.0, 89.0), 1.0, f64::exp_m1);
    check("f32_expm1(a(i))", (-1.0, 1.0), 1.0, f64::exp_m1);
}

#[test]
fn log() {
    check("f32_log(a(i))", (0.0, 2.0), 1.0, f64::ln);
    check("f32_log(a(i))", (0.999, 1.001), 1.0, f64::ln);
}

#[test]
fn tanh() {
    check("f32_tanh(a(i))", (-10.0, 10.0), 1.0, f64::tanh);
    check("f32_tanh(a(i))", (-0.5, 0.5), 1.0, f64::tanh);
}

#[test]
fn sigmoid() {
    let truth = |x: f64| {
        if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) }
    };
    check("f32_sigmoid(a(i))", (-105.0, 20.0), 1.0, truth);
    check("f32_sigmoid(a(i))", (-3.0, 3.0), 1.0, truth);
}

#[test]
fn softplus() {
    let truth = |x: f64| {
        if x.is_nan() { x } else { x.max(0.0) + (-x.abs()).exp().ln_1p() }
    };
    check("f32_softplus(a(i))", (-105.0, 20.0), 1.0, truth);
    check("f32_softplus(a(i))", (-3.0, 3.0), 1.0, truth);
}

#[test]
fn erf() {
    check("f32_erf(a(i))", (-4.5, 4.5), 1.0, erf64);
    check("f32_erf(a(i))", (-1.1, 1.1), 1.0, erf64);
}

/// erf in f64: Maclaurin's series, all of whose terms are positive in this form (Abramowitz and Stegun 7.1.6).
fn erf64(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 {
        return x;
    }
    if x.abs() > 6.0 {
        return 1.0_f64.copysign(x);
    }
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut n = 0.0;
    while term > sum * 1e-18 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * x * (-x * x).exp() * sum
}

#[test]
fn gelu() {
    check_but_for_flushing("f32_gelu(a(i))", (-15.0, 15.0), 1.0, gelu64);
    check_but_for_flushing("f32_gelu(a(i))", (-1.5, 1.5), 1.0, gelu64);
}

/// x erfc(-x / sqrt(2)) / 2 in f64; erfc by the continued fraction where 1 - erf would cancel.
fn gelu64(x: f64) -> f64 {
    let z = -x * std::f64::consts::FRAC_1_SQRT_2;
    if z < 1.0 || x.is_nan() {
        return 0.5 * x * (1.0 - erf64(z));
    }
    let fraction = (1..=200).rev().fold(z, |rest, term| z + 0.5 * f64::from(term) / rest);
    0.5 * x * (-z * z).exp() * std::f64::consts::FRAC_2_SQRT_PI / (2.0 * fraction)
}

#[test]
fn hard_swish() {
    let truth = |x: f64| if x.is_nan() { x } else { x * (x + 3.0).clamp(0.0, 6.0) / 6.0 };
    check_but_for_flushing("f32_hard_swish(a(i))", (-4.0, 4.0), 1.0, truth);
}

#[test]
fn linear_is_rounded_once() {
    // Around the zero of 3 x - 1, where a product that had been rounded would leave nothing but its error.
    check("f32_linear(3.0, a(i), -1.0)", (0.333_333, 0.333_334), 0.5001, |x| 3.0 * x - 1.0);
}

/// Hardware that fuses products into sums ends a little above one unit (1.02, 1.03 and 1.40 on an H200), software that
/// does not ends below.
const SINE: f64 = 1.1;
const TANGENT: f64 = 1.5;

#[test]
fn sin() {
    check("f32_sin(a(i))", (-1000.0, 1000.0), SINE, f64::sin);
    check("f32_sin(a(i))", (-4.0, 4.0), SINE, f64::sin);
}

#[test]
fn cos() {
    check("f32_cos(a(i))", (-1000.0, 1000.0), SINE, f64::cos);
    check("f32_cos(a(i))", (-4.0, 4.0), SINE, f64::cos);
}

#[test]
fn tan() {
    check("f32_tan(a(i))", (-1000.0, 1000.0), TANGENT, f64::tan);
    check("f32_tan(a(i))", (-4.0, 4.0), TANGENT, f64::tan);
}

#[test]
fn sqrt_is_correctly_rounded() {
    check("f32_sqrt(a(i))", (0.0, 4.0), 0.5, f64::sqrt);
}

#[test]
fn reciprocal_is_correctly_rounded() {
    check("f32_recip(a(i))", (-4.0, 4.0), 0.5, |x| 1.0 / x);
}

/// Division in f32 on the CPU is IEEE's.
#[test]
fn division_is_correctly_rounded() {
    let Some(device) = device() else { return };
    let mut bits = Bits::new(0xd171de);
    let (mut a, mut b) = pairs(&special(), &special());
    for _ in 0..dense() {
        a.push(bits.any_f32());
        b.push(bits.any_f32());
    }
    // Quotients in and around the subnormals.
    for _ in 0..dense() / 4 {
        a.push(bits.f32_in(1.0, 2.0) * f32::powi(2.0, -100));
        b.push(bits.f32_in(1.0, 2.0) * f32::powi(2.0, 20 + (bits.next_u64() % 40) as i32));
    }
    let outputs = binary(&device, "f32_div(a(i), b(i))", &a, &b);
    for ((x, y), got) in a.iter().zip(&b).zip(outputs) {
        let truth = x / y;
        let same = truth.to_bits() == got.to_bits() || (truth.is_nan() && got.is_nan());
        assert!(same, "{x:e} / {y:e} = {truth:e}, got {got:e}");
    }
}

#[test]
fn pow() {
    let Some(device) = device() else { return };
    let mut bits = Bits::new(0x90);
    let mut x = Vec::new();
    let mut y = Vec::new();
    // Any base, and an exponent that brings the result anywhere in range and a little out of it.
    for _ in 0..dense() {
        let base = f32::from_bits(bits.any_f32().to_bits() & 0x7fff_ffff);
        let exponent = f64::from(bits.f32_in(-152.0, 130.0)) / f64::from(base).log2();
        x.push(base);
        y.push(exponent as f32);
    }
    for _ in 0..dense() / 4 {
        x.push(bits.f32_in(-4.0, 4.0));
        y.push((bits.next_u64() % 64) as f32 - 32.0);
        x.push(bits.f32_in(0.99, 1.01));
        y.push(bits.f32_in(-9000.0, 9000.0));
        x.push(bits.any_f32());
        y.push(bits.any_f32());
    }
    let (special_x, special_y) = pairs(&special(), &special());
    x.extend(special_x);
    y.extend(special_y);
    let outputs = binary(&device, "f32_pow(a(i), b(i))", &x, &y);
    let errors = x
        .iter()
        .zip(&y)
        .zip(&outputs)
        .map(|((x, y), got)| (ulps(*got, f64::from(*x).powf(f64::from(*y))), (*x, *y), *got));
    report(&device, "f32_pow(a(i), b(i))", 1.0, errors);
}

/// Signs of zeros and infinities, which an error in ULP does not see.
#[test]
fn pow_has_ieee_s_special_cases() {
    let Some(device) = device() else { return };
    let (x, y) = pairs(&special(), &special());
    let outputs = binary(&device, "f32_pow(a(i), b(i))", &x, &y);
    for ((x, y), got) in x.iter().zip(&y).zip(outputs) {
        let truth = f64::from(*x).powf(f64::from(*y)) as f32;
        let signs = truth.is_nan() || truth.is_sign_negative() == got.is_sign_negative();
        assert!(signs, "{x:e} ^ {y:e} = {truth:e}, got {got:e}");
    }
}
