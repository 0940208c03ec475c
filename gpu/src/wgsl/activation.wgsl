//! Activations whose plain formulas lose bits.
//!
//! gelu is x times the normal distribution's share below x. For negative x that share is a tail, exp(-a^2/2) times a
//! smooth function of a = |x|, and 1 + erf would cancel; for positive x it is 1 less the same tail. (1 + a) times the
//! smooth function is a polynomial of t = (a - 5/2) / (a + 5/2), good to 2^-27 up to a = 15, where nothing is left.
//!
//! Sums of a product and a number, and hardSwish's product, are rounded once: they may cancel.

fn f32_gelu(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    // -0 too is itself: the low part of a product with it would be +0.
    if (f32_is_nan(x) || bits == 0x7f800000u || f32_magnitude(x) == 0u) { return x; }
    // 0 times -inf.
    if (bits == 0xff800000u) { return f32_nan(); }
    let a = f32_abs(x);
    if (a >= 14.8) { return f32_of(select(bits, 0x80000000u, bits >= 0x80000000u)); }
    let square = pair_product(a, a);
    let e = exp_scaled(-0.5 * square.hi, 0.0);
    // The square's lower part, up to 2^-18, is more than the exponential expects of one.
    let share = pair_mul(gelu_share(a), Pair(e.hi, e.lo - 0.5 * square.lo * e.hi));
    if (x < -1.0) {
        let q = pair_mul(Pair(2.0 * a, 0.0), share);
        return f32_neg(f32_scale(q.hi, q.lo, e.k - 1));
    }
    let unit = f32_power_of_two(max(e.k, -60));
    let tail = Pair(share.hi * unit, share.lo * unit);
    if (bits >= 0x80000000u) { return gelu_product(x, tail); }
    return gelu_product(x, pair_add(Pair(1.0, 0.0), Pair(-tail.hi, -tail.lo)));
}

fn gelu_product(x: f32, share: Pair) -> f32 {
    let p = pair_mul(Pair(x, 0.0), share);
    return p.hi + p.lo;
}

// The share beyond a, over exp(-a^2/2).
fn gelu_share(a: f32) -> Pair {
    // 1 - 5 / (a + 5/2), whose own rounding would show: what it is goes in to first order.
    let u = pair_mul(pair_recip(pair_sum(a, 2.5)), Pair(5.0, 0.0));
    let far = pair_sum(1.0, -u.hi);
    let t = far.hi;
    let slope = -0.0915874913 + t * (-0.0754333511 + t * (0.138189185 - t * 0.0347985402));
    let rest = (far.lo - u.lo) * slope - 0.00000000094708085818240306;
    let p = -0.037716675549745560 + t * (0.046063061803579330 + t * (-0.0086996350437402700
        + t * (-0.0060485815629363100 + t * (0.0012831054627895400 + t * (0.0012661378132179400
        + t * (0.0000025797742182500000 + t * (-0.00022872538829688000 - t * 0.000064632433350200000)))))));
    let s = pair_fast_sum(0.49465966224670410, f32_opaque(t * (-0.091587491333484650 + t * p)));
    return pair_mul(Pair(s.hi, s.lo + rest), pair_recip(pair_sum(1.0, a)));
}

// x * max(0, min(6, x + 3)) / 6
fn f32_hard_swish(x: f32) -> f32 {
    if (f32_is_nan(x) || x >= 3.0) { return x; }
    // x times 0, and -inf times 0.
    if (x <= -3.0) { return f32_of(select(0x80000000u, 0x7fc00000u, f32_is_infinite(x))); }
    // The product may be subnormal, and then be rounded twice.
    if (f32_magnitude(x) < 0x30000000u) { return 0.5 * x; }
    let p = pair_mul(Pair(x, 0.0), pair_sum(x, 3.0));
    let q = pair_mul(p, Pair(0.16666667163372040, -0.0000000049670538793122887));
    return q.hi + q.lo;
}

// alpha * x + beta
fn f32_linear(alpha: f32, x: f32, beta: f32) -> f32 {
    return sum_value(sum_add(sum_add_product(sum_empty(), alpha, x), beta));
}
