//! exp and the functions made of it.
//!
//! x = k ln 2 + r with |r| <= ln 2 / 2 (Cody and Waite: the first part of ln 2 has 16 bits, so that k times it is
//! exact), and exp r = 1 + r + r^2 (1/2 + r p(r)). The sum is kept as a pair, good to 2^-28: sigmoid and tanh need
//! more than a float of exp to be right in theirs, and exp itself then misses the nearest float rarely.
//!
//! The factor 2^k is never multiplied in where the result could be subnormal: `f32_scale` builds those by
//! integer shifts, rounding once, since hardware may flush the product.

// (hi + lo) * 2^k, with hi between 1/4 and 2.
struct Scaled { hi: f32, lo: f32, k: i32 }

// exp of a small argument given as a pair, as a pair.
fn exp_reduced(hi: f32, lo: f32) -> Pair {
    let p = 0.16666667163372040 + hi * (0.041666455566883087 + hi * (0.0083331977948546410
        + hi * (0.0013935775496065617 + hi * 0.00019953389710281044)));
    let bend = hi * hi * (0.5 + hi * p);
    let s = pair_fast_sum(1.0, hi);
    return pair_fast_sum(s.hi, s.lo + (bend + (lo + lo * hi)));
}

// exp(x + low) for |x| up to 110 and a low part that is small beside it.
fn exp_scaled(x: f32, low: f32) -> Scaled {
    let k = round(x * 1.4426950216293335);
    let high = f32_opaque(x - k * 0.693145751953125);
    let tail = k * 0.0000014286067653301870;
    let r = f32_opaque(high - tail);
    let e = exp_reduced(r, ((high - r) - tail) + low);
    return Scaled(e.hi, e.lo, i32(k));
}

// Rounds (hi + lo) * 2^k to a float32, hi being in [1/4, 2): below the normal numbers, by shifting an integer.
fn f32_scale(hi: f32, lo: f32, k: i32) -> f32 {
    if (k > 128) { return f32_of(0x7f800000u); }
    if (k > -125) {
        let bits = bitcast<i32>(hi + lo) + (k << 23u);
        return f32_of(min(bitcast<u32>(bits), 0x7f800000u));
    }
    if (k < -150) { return 0.0; }
    // In units of 2^-30. The sum is below 2^31.
    let fixed = bitcast<u32>(i32(hi * 1073741824.0) + i32(lo * 1073741824.0));
    let shift = bitcast<u32>(-119 - k);
    let units = u32_shift_round(fixed, shift);
    // Bits are units of 2^-149 up to 2^-125, and of twice that above.
    if (units <= 0x1000000u) { return f32_of(units); }
    return f32_of(u32_to_f32_bits(fixed, 0u, 0u) - (bitcast<u32>(30 - k) << 23u));
}

fn f32_exp(x: f32) -> f32 {
    if (f32_is_nan(x)) { return x; }
    if (x > 88.722839) { return f32_of(0x7f800000u); }
    if (x < -104.0) { return 0.0; }
    let e = exp_scaled(x, 0.0);
    return f32_scale(e.hi, e.lo, e.k);
}

// exp(x) - 1 without the cancellation.
fn f32_expm1(x: f32) -> f32 {
    if (f32_is_nan(x) || f32_magnitude(x) < 0x32800000u) { return x; }
    if (x > 88.722839) { return f32_of(0x7f800000u); }
    if (x < -18.0) { return -1.0; }
    if (abs(x) < 0.34) {
        let p = 0.16666667163372040 + x * (0.041666455566883087 + x * (0.0083331977948546410
            + x * (0.0013935775496065617 + x * 0.00019953389710281044)));
        return x + x * x * (0.5 + x * p);
    }
    let e = exp_scaled(x, 0.0);
    // By half of 2^k and doubled at the end: 2^128 is no float32, though its product with a half is.
    let half = f32_power_of_two(e.k - 1);
    let s = pair_sum(e.hi * half, -0.5);
    return 2.0 * (s.hi + (s.lo + e.lo * half));
}

// 1 + exp(-a) for a >= 0, as a pair, and exp(-a) beside it.
struct Logistic { power: Scaled, sum: Pair }

fn logistic(a: f32) -> Logistic {
    let e = exp_scaled(-min(a, 105.0), 0.0);
    // Below 2^-60 the power no longer shows in the sum, and must not become subnormal.
    let unit = f32_power_of_two(max(e.k, -60));
    return Logistic(e, pair_add(Pair(1.0, 0.0), Pair(e.hi * unit, e.lo * unit)));
}

// 1 / (1 + exp(-x)); for negative x as exp(x) / (1 + exp(x)), which loses nothing.
fn f32_sigmoid(x: f32) -> f32 {
    if (f32_is_nan(x)) { return x; }
    let l = logistic(f32_abs(x));
    let inverse = pair_recip(l.sum);
    if (f32_sign_bit(x) == 0u) { return inverse.hi + inverse.lo; }
    let q = pair_mul(Pair(l.power.hi, l.power.lo), inverse);
    return f32_scale(q.hi, q.lo, l.power.k);
}

// ln(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)).
fn f32_softplus(x: f32) -> f32 {
    if (f32_is_nan(x)) { return x; }
    let l = logistic(f32_abs(x));
    let p = l.power;
    if (f32_sign_bit(x) != 0u && p.k < -12) {
        // So small that 1 + t would lose bits of t: t - t^2/2 + t^3/3.
        let t = p.hi * f32_power_of_two(max(p.k, -60));
        return f32_scale(p.hi, p.lo - p.hi * t * (0.5 - t * 0.333333343), p.k);
    }
    // The logarithm of the pair, to first order in its low part.
    let tail = f32_log_pair(bitcast<u32>(l.sum.hi));
    let s = pair_sum(select(x, 0.0, f32_sign_bit(x) != 0u), tail.hi);
    let value = s.hi + (s.lo + (tail.lo + l.sum.lo / l.sum.hi));
    return select(value, x, bitcast<u32>(x) == 0x7f800000u);
}

// x + x^3 p(x^2) near 0, else 1 - 2 / (exp(2x) + 1).
fn f32_tanh(x: f32) -> f32 {
    let a = f32_abs(x);
    if (f32_is_nan(x) || f32_magnitude(x) < 0x39000000u) { return x; }
    if (a > 9.5) { return f32_with_sign(1.0, x); }
    if (a < 0.35) {
        let z = x * x;
        let p = -0.33333319425582886 + z * (0.13332283496856689 + z * (-0.053714372217655182
            + z * 0.019388400018215179));
        return x + x * (z * p);
    }
    let e = exp_scaled(2.0 * a, 0.0);
    let unit = f32_power_of_two(e.k);
    let d = pair_add(Pair(e.hi * unit, e.lo * unit), Pair(1.0, 0.0));
    let inverse = pair_recip(d);
    let s = pair_fast_sum(1.0, -2.0 * inverse.hi);
    return f32_with_sign(s.hi + (s.lo - 2.0 * inverse.lo), x);
}
