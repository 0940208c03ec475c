//! (x - mean) / sqrt(variance + epsilon), for the normalizations.
//!
//! Everything is a pair and rounds once, after scale and bias: those may cancel. A variance is the square of what a
//! float holds, so it is a `Norm`, and the deviation's inverse has an exponent of its own.

// The mean of a sum's elements, before its last rounding.
fn sum_mean_pair(sum: Sum, count: u32) -> Pair {
    let t = sum_total(sum);
    let m = f32_magnitude(t.hi);
    if (m < 0x20000000u || m >= 0x7f800000u) { return Pair(sum_mean(sum, count), 0.0); }
    let q = pair_mul(Pair(t.hi, t.lo), pair_recip(u32_pair(count)));
    return Pair(f32_opaque(q.hi * t.unit) * t.unit, f32_opaque(q.lo * t.unit) * t.unit);
}

fn u32_pair(n: u32) -> Pair {
    let hi = u32_to_f32(n);
    return Pair(hi, i32_to_f32(bitcast<i32>(n - f32_to_u32(hi))));
}

fn pair_words(p: Pair) -> vec4<u32> { return vec4<u32>(bitcast<u32>(p.hi), bitcast<u32>(p.lo), 0u, 0u); }

fn words_pair(words: vec4<u32>) -> Pair { return Pair(f32_of(words.x), f32_of(words.y)); }

// (hi + lo) * 2^k
struct Difference { hi: f32, lo: f32, k: i32 }

// x - mean, by quarters where it could overflow.
fn difference(x: f32, mean: Pair) -> Difference {
    let far = max(f32_magnitude(x), f32_magnitude(mean.hi)) >= 0x7e800000u;
    let unit = select(1.0, 0.25, far);
    let s = pair_sum(f32_opaque(x * unit), -f32_opaque(mean.hi * unit));
    let k = select(0, 2, far);
    if (!f32_is_finite(s.hi)) { return Difference(s.hi, 0.0, k); }
    let d = pair_fast_sum(s.hi, pair_left(s) - mean.lo * unit);
    return Difference(d.hi, d.lo, k);
}

// The difference's significand, between 1 and 2, as a pair, and its exponent. Neither 0 nor infinite.
fn difference_normal(d: Difference) -> Scaled {
    let u = f32_unpack(f32_magnitude(d.hi));
    let hi = f32_of((u.m & 0x7fffffu) | 0x3f800000u | f32_sign_bit(d.hi));
    // So small a difference has nothing below it.
    let low = d.lo * f32_power_of_two(clamp(-u.e, -126, 100));
    return Scaled(hi, select(0.0, low, u.e > -100), u.e + d.k);
}

// A sum of squares with one more.
fn norm_add_difference(norm: Norm, d: Difference) -> Norm {
    let m = f32_magnitude(d.hi);
    if (m >= 0x7f800000u) { return Norm(norm.hi, norm.lo, norm.e, f32_max(norm.special, f32_of(m))); }
    if (m == 0u) { return norm; }
    let v = difference_normal(d);
    let n = norm_raise(norm, v.k);
    let unit = f32_power_of_two(max(v.k - n.e, -60));
    let x = v.hi * unit;
    let p = pair_product(x, x);
    let s = pair_step(Pair(n.hi, n.lo), p.hi, p.lo + 2.0 * x * (v.lo * unit));
    return Norm(s.hi, s.lo, n.e, n.special);
}

// One number as a Norm, which it is the square of. It may be negative.
fn norm_of_square(x: f32) -> Norm {
    let m = f32_magnitude(x);
    if (m >= 0x7f800000u) { return Norm(0.0, 0.0, -1000, x); }
    if (m == 0u) { return norm_empty(); }
    let u = f32_unpack(m);
    let odd = bitcast<u32>(u.e & 1);
    return Norm(f32_of((u.m & 0x7fffffu) | ((127u + odd) << 23u) | f32_sign_bit(x)), 0.0, u.e >> 1u, 0.0);
}

fn norm_over_count(norm: Norm, count: u32) -> Norm {
    let q = pair_mul(Pair(norm.hi, norm.lo), pair_recip(u32_pair(count)));
    return Norm(q.hi, q.lo, norm.e, norm.special);
}

// 1 / sqrt(variance + epsilon), as (hi + lo) * 2^k.
fn deviation_inverse(variance: Norm, epsilon: f32) -> Scaled {
    let m = f32_magnitude(epsilon);
    if (f32_magnitude(variance.special) != 0u || m >= 0x7f800000u) {
        let v = bitcast<u32>(variance.special + epsilon);
        return Scaled(f32_of(select(0x7fc00000u, 0u, v == 0x7f800000u)), 0.0, 0);
    }
    let e = norm_of_square(epsilon);
    let n = norm_raise(variance, e.e);
    let unit = f32_power_of_two(max(2 * (e.e - n.e), -126));
    let v = pair_add(Pair(n.hi, n.lo), Pair(e.hi * unit, 0.0));
    if (f32_magnitude(v.hi) == 0u) { return Scaled(f32_of(0x7f800000u), 0.0, 0); }
    if (f32_sign_bit(v.hi) != 0u) { return Scaled(f32_nan(), 0.0, 0); }
    // One Newton step from the root of the upper part, whose remainder is exact.
    let r = f32_sqrt(v.hi);
    let p = pair_product(r, r);
    let rest = (((v.hi - p.hi) - p.lo) + v.lo) / (2.0 * r);
    let inverse = pair_recip(pair_fast_sum(r, rest));
    return Scaled(inverse.hi, inverse.lo, -n.e);
}

fn scaled_words(s: Scaled) -> vec4<u32> {
    return vec4<u32>(bitcast<u32>(s.hi), bitcast<u32>(s.lo), bitcast<u32>(s.k), 0u);
}

fn words_scaled(words: vec4<u32>) -> Scaled {
    return Scaled(f32_of(words.x), f32_of(words.y), bitcast<i32>(words.z));
}

// The difference over the deviation.
fn normalized(d: Difference, inverse: Scaled) -> Pair {
    let plain = f32_magnitude(d.hi) == 0u || f32_magnitude(inverse.hi) == 0u;
    if (plain || !f32_is_finite(d.hi) || !f32_is_finite(inverse.hi)) { return Pair(d.hi * inverse.hi, 0.0); }
    let v = difference_normal(d);
    let q = pair_mul(Pair(v.hi, v.lo), Pair(inverse.hi, inverse.lo));
    // In two factors, as it may be more than float32's range.
    let k = clamp(v.k + inverse.k, -252, 252);
    let first = f32_power_of_two(k >> 1u);
    let second = f32_power_of_two(k - (k >> 1u));
    let hi = f32_opaque(q.hi * first) * second;
    if (!f32_is_finite(hi)) { return Pair(hi, 0.0); }
    return Pair(hi, f32_opaque(q.lo * first) * second);
}
