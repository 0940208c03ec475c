//! One test per trap: what a driver, or naga, does to numbers unless a kernel is written around it.
//!
//! Found by measuring lavapipe, SwiftShader and an H200. Each test holds the library's function to IEEE 754; some
//! also show that the plain WGSL spelling would have failed, and pass either way.

mod adapter;

use adapter::{binary, device, kernel, pairs, run, special, unary, words};
use webnn_gpu::wgsl::{Form, Lane, MAX_ITERATIONS, Params, Scalar};

/// Equal as bits, or NaN both.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn check_unary(expression: &str, truth: impl Fn(f32) -> f32) {
    check_inputs(&special(), expression, truth);
}

fn check_inputs(inputs: &[f32], expression: &str, truth: impl Fn(f32) -> f32) {
    let Some(device) = device() else { return };
    for (x, got) in inputs.iter().zip(unary(&device, expression, inputs)) {
        let truth = truth(*x);
        assert!(same(truth, got), "{expression} of {x:e}: {truth:e} expected, got {got:e}");
    }
}

fn check_binary(expression: &str, truth: impl Fn(f32, f32) -> f32) {
    let Some(device) = device() else { return };
    let (a, b) = pairs(&special(), &special());
    for ((x, y), got) in a.iter().zip(&b).zip(binary(&device, expression, &a, &b)) {
        let truth = truth(*x, *y);
        assert!(same(truth, got), "{expression} of {x:e}, {y:e}: {truth:e} expected, got {got:e}");
    }
}

fn minimum(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        f32::NAN
    } else if x == y {
        if x.is_sign_negative() { x } else { y }
    } else {
        x.min(y)
    }
}

/// Trap: `min` and `max` return the other operand for NaN, on some drivers depending on the order.
#[test]
fn min_and_max_keep_nan() {
    check_binary("f32_min(a(i), b(i))", minimum);
    check_binary("f32_max(a(i), b(i))", |x, y| -minimum(-x, -y));
}

/// Trap: `clamp` is made of both.
#[test]
fn clamp_keeps_nan() {
    check_unary("f32_clamp(a(i), -1.5, 2.0)", |x| if x.is_nan() { x } else { x.clamp(-1.5, 2.0) });
    check_unary("f32_relu(a(i))", |x| if x < 0.0 { 0.0 } else { x });
}

/// Trap: naga lowers `!=` to an ordered comparison, so `NaN != x` is false. And hardware that flushes
/// subnormals finds them all equal.
#[test]
fn comparisons_are_ieee_s() {
    let number = |b: bool| if b { 1.0 } else { 0.0 };
    type Comparison = (&'static str, fn(f32, f32) -> bool);
    let comparisons: [Comparison; 6] = [
        ("eq", |x, y| x == y),
        ("ne", |x, y| x != y),
        ("lt", |x, y| x < y),
        ("le", |x, y| x <= y),
        ("gt", |x, y| x > y),
        ("ge", |x, y| x >= y),
    ];
    for (name, truth) in comparisons {
        let expression = format!("select(0.0, 1.0, f32_{name}(a(i), b(i)))");
        check_binary(&expression, |x, y| number(truth(x, y)));
    }
}

/// Trap: `sign(NaN)` is 0; negation and `abs` flush subnormals on an H200.
#[test]
fn sign_abs_and_neg_work_on_bits() {
    check_unary("f32_sign(a(i))", |x| if x.is_nan() || x == 0.0 { x } else { x.signum() });
    check_unary("f32_abs(a(i))", f32::abs);
    check_unary("f32_neg(a(i))", |x| -x);
    check_unary("select(0.0, 1.0, f32_is_nan(a(i)))", |x| if x.is_nan() { 1.0 } else { 0.0 });
    check_unary("select(0.0, 1.0, f32_is_infinite(a(i)))", |x| f32::from(u8::from(x.is_infinite())));
}

/// Trap: flushing makes the floor of a negative subnormal 0 where it is -1, and drops the sign of -0.
#[test]
fn rounding_works_on_bits() {
    check_unary("f32_floor(a(i))", f32::floor);
    check_unary("f32_ceil(a(i))", f32::ceil);
    check_unary("f32_trunc(a(i))", f32::trunc);
    check_unary("f32_round_even(a(i))", f32::round_ties_even);
    check_unary("f32_round_even(a(i) * 0.5)", |x| (x * 0.5).round_ties_even());
}

/// Trap: drivers fold `x * 0.0` to 0 and `x + 0.0` to x when the zero is a literal. As a scalar parameter it
/// comes from memory, in both forms.
#[test]
fn scalars_are_not_folded() {
    let Some(device) = device() else { return };
    let inputs = [f32::NAN, f32::INFINITY, -0.0, 1.0];
    for form in [Form::Dynamic, Form::Baked] {
        let mut kernel = kernel(&[Lane::F32], Lane::F32, "a(i) * zero() + zero()");
        kernel.params = Params::new().scalar("zero", Scalar::F32(0.0));
        let bytes = adapter::run_as(&device, &kernel, &[bytemuck::cast_slice(&inputs)], 4, form);
        let got = words::<f32>(&bytes);
        assert!(got[0].is_nan() && got[1].is_nan(), "{form:?}: {got:?}");
        assert_eq!(got[2].to_bits(), 0, "-0 * 0 + 0 is 0");
    }
}

/// Trap: (a + b) - a is rewritten to b, and a product is fused into the sum behind it. The error-free
/// transformations must return exactly what the rounded operation lost.
#[test]
fn error_free_transformations_are_exact() {
    let Some(device) = device() else { return };
    let mut bits = adapter::Bits::new(7);
    let n = 1 << 14;
    let a = (0..n).map(|_| bits.f32_in(-4.0, 4.0)).collect::<Vec<_>>();
    let b = (0..n).map(|_| bits.f32_in(-1e-3, 1e3)).collect::<Vec<_>>();
    let sums = ["pair_sum(a(i), b(i)).hi", "pair_sum(a(i), b(i)).lo"].map(|e| binary(&device, e, &a, &b));
    let products = ["pair_product(a(i), b(i)).hi", "pair_product(a(i), b(i)).lo"].map(|e| binary(&device, e, &a, &b));
    for i in 0..n {
        let (x, y) = (f64::from(a[i]), f64::from(b[i]));
        let wide = |pair: &[Vec<f32>; 2]| f64::from(pair[0][i]) + f64::from(pair[1][i]);
        assert_eq!(wide(&sums), x + y, "{x} + {y}");
        assert_eq!(sums[0][i], a[i] + b[i], "the upper part is the rounded sum");
        assert_eq!(wide(&products), x * y, "{x} * {y}");
        assert_eq!(products[0][i], a[i] * b[i], "the upper part is the rounded product");
    }
}

/// Trap: a long float32 sum loses what each addition rounds away.
#[test]
fn compensated_sums_do_not_drift() {
    let Some(device) = device() else { return };
    let mut sum = kernel(&[Lane::F32], Lane::F32, "total()");
    sum.body = "fn element(i: u32) -> f32 {\n    \
                    var sum = Pair(0.0, 0.0);\n    \
                    for (var k = 0u; k < length(); k++) { sum = pair_accumulate(sum, a(k)); }\n    \
                    return pair_total(sum);\n\
                }"
    .to_owned();
    let mut bits = adapter::Bits::new(11);
    let mut terms = (0..50_000).map(|_| bits.f32_in(0.0, 1.0)).collect::<Vec<_>>();
    terms.extend([1e8, -1e8]);
    sum.params = Params::new().number("length", terms.len() as u32);
    let got = words::<f32>(&run(&device, &sum, &[bytemuck::cast_slice(&terms)], 1))[0];
    let truth = terms.iter().map(|x| f64::from(*x)).sum::<f64>() as f32;
    assert_eq!(got, truth);
    // An infinity stays one, although what it lost is a NaN.
    terms.push(f32::INFINITY);
    sum.params = Params::new().number("length", terms.len() as u32);
    let got = words::<f32>(&run(&device, &sum, &[bytemuck::cast_slice(&terms)], 1))[0];
    assert_eq!(got, f32::INFINITY);
}

/// Trap: lavapipe ends loops after 65535 iterations in all, silently. Up to the generator's limit they run.
#[test]
fn loops_run_up_to_the_limit() {
    let Some(device) = device() else { return };
    let mut count = kernel(&[], Lane::U32, "iterations");
    count.params = Params::new().number("rows", 300).number("columns", MAX_ITERATIONS / 300 - 1);
    count.body = "fn element(i: u32) -> u32 {\n    \
                      var n = 0u;\n    \
                      for (var y = 0u; y < rows(); y++) {\n        \
                          for (var x = 0u; x < columns(); x++) { n += 1u; }\n    \
                      }\n    \
                      return n;\n\
                  }"
    .to_owned();
    let got = words::<u32>(&run(&device, &count, &[], 1))[0];
    assert_eq!(got, 300 * (MAX_ITERATIONS / 300 - 1));
}

/// Trap: an H200 divides by multiplying with a reciprocal, which may flush: inf / FLT_MAX is NaN there.
#[test]
fn division_at_the_ends_of_the_range() {
    check_binary("f32_div(a(i), b(i))", |x, y| x / y);
    check_unary("f32_sqrt(a(i))", f32::sqrt);
}

/// Trap: the built-in tanh is 8192 ULP off near 0 and NaN for large arguments on some drivers.
#[test]
fn tanh_keeps_small_and_large_arguments() {
    // Scaled here and not on the device, which may flush what comes out.
    let small: Vec<f32> = special().iter().map(|x| x * 1e-6).collect();
    check_inputs(&small, "f32_tanh(a(i))", |x| f64::from(x).tanh() as f32);
    check_unary("f32_tanh(f32_with_sign(100.0, a(i)))", |x| 1.0_f32.copysign(x));
}

/// Trap: the built-in sine is noise for large arguments. These are the hardest known for reduction in float32.
#[test]
fn sine_of_large_arguments() {
    let Some(device) = device() else { return };
    let inputs = [16_367_173.0_f32 * 2.0_f32.powi(72), 1e10, 2.0_f32.powi(127), f32::MAX, 1e22];
    for (x, got) in inputs.iter().zip(unary(&device, "f32_sin(a(i))", &inputs)) {
        let truth = f64::from(*x).sin() as f32;
        assert!((truth - got).abs() <= truth.abs() * f32::EPSILON, "sin {x:e} = {truth:e}, got {got:e}");
    }
}

/// Trap: float32 subnormals are flushed by some hardware; results that the library builds are not.
#[test]
fn subnormal_results_are_built_by_integers() {
    check_unary("f32_exp(-90.0 - f32_abs(f32_clamp(a(i), -12.0, 12.0)))", |x| {
        let x = -90.0
            - if x.is_nan() {
                return x;
            } else {
                x.clamp(-12.0, 12.0).abs()
            };
        f64::from(x).exp() as f32
    });
    // 2^-130 is 2^19 units of 2^-149.
    check_unary("f32_pow(2.0, select(-130.0, -130.0, a(i) == 0.0))", |_| f32::from_bits(1 << 19));
}

/// The device says whether it flushes, and its own answer agrees with a dispatch.
#[test]
fn the_device_knows_whether_it_flushes() {
    let Some(device) = device() else { return };
    let facts = device.subnormals().unwrap();
    let small = f32::from_bits(3);
    let sum = binary(&device, "a(i) + b(i)", &[small], &[small])[0];
    assert_eq!(facts.kept_as_results, sum == small + small, "{facts:?}, got {sum:e}");
}
