//! x to the power y, with all the special cases of IEEE 754-2019, 9.2.1.
//!
//! WGSL's `pow` is exp2(y log2 x) in float32: an error of 2^-24 in the logarithm, times an exponent of 100, is
//! lost bits in the result, and a negative x is NaN. Here log2 x is a pair, good to about 2^-40:
//!
//!     s = (m - 1) / (m + 1),  log2 m = s (2/ln 2 + s^2 (2/(3 ln 2) + s^2 r(s^2)))
//!
//! with the first two coefficients as pairs too; y times it is a pair, and exp2 of that is rounded once. A
//! negative x has its sign handled by whether y is odd.

// 0 if y is not an integer, 1 if it is odd, 2 if it is even. y is finite and not 0.
fn f32_parity(y: f32) -> u32 {
    let e = bitcast<i32>(f32_magnitude(y) >> 23u) - 127;
    if (e < 0) { return 0u; }
    if (e > 23) { return 2u; }
    let m = (bitcast<u32>(y) & 0x7fffffu) | 0x800000u;
    let unit = 1u << bitcast<u32>(23 - e);
    if ((m & (unit - 1u)) != 0u) { return 0u; }
    return select(2u, 1u, (m & unit) != 0u);
}

fn f32_pow(x: f32, y: f32) -> f32 {
    let one = 0x3f800000u;
    let inf = 0x7f800000u;
    let a = f32_magnitude(x);
    let b = f32_magnitude(y);
    if (b == 0u || bitcast<u32>(x) == one) { return 1.0; }
    if (a > inf || b > inf) { return f32_nan(); }
    let y_negative = f32_sign_bit(y) != 0u;
    if (b == inf) {
        if (a == one) { return 1.0; }
        return f32_of(select(0u, inf, (a > one) != y_negative));
    }
    let parity = f32_parity(y);
    let sign = select(0u, f32_sign_bit(x), parity == 1u);
    if (a == 0u || a == inf) {
        return f32_of(sign | select(0u, inf, (a == inf) != y_negative));
    }
    if (f32_sign_bit(x) != 0u && parity == 0u) { return f32_nan(); }
    return f32_of(sign | bitcast<u32>(f32_pow_magnitude(a, y)));
}

// log2 of a positive finite number, given as bits, as a pair.
fn f32_log2_pair(magnitude: u32) -> Pair {
    let split = f32_split(magnitude);
    let f = split.m - 1.0;
    let s = pair_mul(Pair(f, 0.0), pair_recip(pair_sum(1.0, split.m)));
    let z = pair_mul(s, s);
    let r = 0.57707798480987549 + z.hi * (0.41220578551292419 + z.hi * (0.32002523541450500
        + z.hi * 0.28142127394676208));
    let q = pair_fast_sum(0.96179670095443726, z.hi * r - 0.0000000070284618125781770);
    let w = pair_add(Pair(2.8853900432586670, 0.000000038519260670000222), pair_mul(z, q));
    return pair_add(Pair(f32(split.k), 0.0), pair_mul(s, w));
}

fn f32_pow_magnitude(magnitude: u32, y: f32) -> f32 {
    let l = f32_log2_pair(magnitude);
    let rough = y * l.hi;
    if (rough >= 128.5) { return f32_of(0x7f800000u); }
    if (rough <= -151.0) { return 0.0; }
    // So near 1 that nothing shows, and whose products could be subnormal.
    if (abs(rough) < 1e-9) { return 1.0; }
    let p = pair_mul(Pair(y, 0.0), l);
    let k = round(p.hi);
    let r = pair_sum(f32_opaque(p.hi - k), p.lo);
    let t = pair_mul(r, Pair(0.69314718246459961, -0.0000000019046542121259336));
    let e = exp_reduced(t.hi, t.lo);
    return f32_scale(e.hi, e.lo, i32(k));
}
