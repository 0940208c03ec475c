//! sin, cos and tan, for every finite float32.
//!
//! A GPU's own sin is good to an absolute error near 0 and is noise beyond 1e10. Here the argument is reduced
//! exactly enough: Payne and Hanek's method (1983) multiplies the 24-bit significand by the 96 bits of 2/pi that
//! matter for its exponent, in integers, and keeps the quadrant and a fraction of 64 bits. No float32 comes closer to
//! a multiple of pi/2 than about 2^-30, so at least 30 good bits remain after cancellation. The fraction times pi/2
//! is returned as a pair.

// A word of 2/pi = 0.a2f9836e..., with one zero word in front.
fn two_over_pi(word: u32) -> u32 {
    switch word {
        case 1u: { return 0xa2f9836eu; }
        case 2u: { return 0x4e441529u; }
        case 3u: { return 0xfc2757d1u; }
        case 4u: { return 0xf534ddc0u; }
        case 5u: { return 0xdb629599u; }
        case 6u: { return 0x3c439041u; }
        case 7u: { return 0xfe5163abu; }
        default: { return 0u; }
    }
}

// 32 bits of 2/pi from a bit position on.
fn two_over_pi_bits(position: u32) -> u32 {
    let word = position >> 5u;
    let shift = position & 31u;
    let high = two_over_pi(word) << shift;
    // Two shifts, since a shift by 32 is none.
    return high | ((two_over_pi(word + 1u) >> 1u) >> (31u - shift));
}

// |x| = quadrant * pi/2 + hi + lo, |hi| <= pi/4, the quadrant modulo 4.
struct Angle { hi: f32, lo: f32, quadrant: u32 }

fn f32_reduce_angle(magnitude: u32) -> Angle {
    // Below pi/4 there is nothing to do.
    if (magnitude <= 0x3f490fdau) { return Angle(f32_of(magnitude), 0.0, 0u); }
    let e = (magnitude >> 23u) - 127u;
    let m = (magnitude & 0x7fffffu) | 0x800000u;
    // x = m * 2^(e - 23). Bits of 2/pi above weight 2 after that scaling only add multiples of 4 quadrants.
    let position = e + 7u;
    let p2 = u32_mul_wide(m, two_over_pi_bits(position + 64u));
    let p1 = u32_mul_wide(m, two_over_pi_bits(position + 32u));
    let p0 = m * two_over_pi_bits(position);
    // Quadrants in units of 2^-94, modulo 4.
    let w2 = p2.y;
    let w1 = p1.y + p2.x;
    let w0 = p0 + p1.x + select(0u, 1u, w1 < p1.y);
    var quadrant = w0 >> 30u;
    var high = (w0 << 2u) | (w1 >> 30u);
    var low = (w1 << 2u) | (w2 >> 30u);
    // To the nearest quadrant.
    let past = high >= 0x80000000u;
    if (past) {
        quadrant += 1u;
        low = 0u - low;
        high = ~high + select(0u, 1u, low == 0u);
    }
    let a = angle_of_fraction(high, low);
    let sign = select(0u, 0x80000000u, past);
    return Angle(f32_of(bitcast<u32>(a.hi) ^ sign), f32_of(bitcast<u32>(a.lo) ^ sign), quadrant & 3u);
}

// A fraction of a quadrant, 64 bits of it, times pi/2.
fn angle_of_fraction(high: u32, low: u32) -> Pair {
    var top = high;
    var next = low;
    var zeros = 0u;
    if (top == 0u) {
        top = low;
        next = 0u;
        zeros = 32u;
    }
    let shift = countLeadingZeros(top);
    // Two shifts, since a shift by 32 is none.
    let normal = (top << shift) | ((next >> 1u) >> (31u - shift));
    zeros += shift;
    // pi/2 in units of 2^-31, times a fraction in units of 2^-32: the high word is in units of 2^-31.
    let turned = u32_mul_wide(normal, 0xc90fdaa2u).x;
    let unit = f32_power_of_two(-31 - bitcast<i32>(zeros));
    return Pair(f32(turned & 0xffffff00u) * unit, f32(turned & 0xffu) * unit);
}

// sin(hi + lo) for |hi| <= pi/4, before the last rounding.
fn sin_reduced(hi: f32, lo: f32) -> Pair {
    let z = hi * hi;
    let p = -0.16666667163372040 + z * (0.0083333728834986687 + z * (-0.00019850299577228725
        + z * 0.0000028044437385688070));
    return Pair(hi, hi * (z * p) + (lo - lo * (0.5 * z)));
}

// cos(hi + lo) likewise. The square is split, because its rounding would show in 1 - z/2.
fn cos_reduced(hi: f32, lo: f32) -> Pair {
    let upper = f32_upper(hi);
    let half = 0.5 * upper * upper;
    let rest = 0.5 * (hi - upper) * (hi + upper) + hi * lo;
    let z = hi * hi;
    let p = 0.041666645556688309 + z * (-0.0013887312961742282 + z * 0.000024432958525721915);
    let s = pair_fast_sum(1.0, -half);
    return Pair(s.hi, s.lo + (z * z * p - rest));
}

// One of the two, rounded.
fn wave(a: Angle, sine: bool) -> f32 {
    if (sine) {
        let s = sin_reduced(a.hi, a.lo);
        return s.hi + s.lo;
    }
    let c = cos_reduced(a.hi, a.lo);
    return c.hi + c.lo;
}

fn f32_sin(x: f32) -> f32 {
    let magnitude = f32_magnitude(x);
    if (magnitude >= 0x7f800000u) { return f32_nan(); }
    // x itself below 2^-12.
    if (magnitude < 0x39800000u) { return x; }
    let a = f32_reduce_angle(magnitude);
    let value = wave(a, (a.quadrant & 1u) == 0u);
    let sign = f32_sign_bit(x) ^ ((a.quadrant & 2u) << 30u);
    return f32_of(bitcast<u32>(value) ^ sign);
}

fn f32_cos(x: f32) -> f32 {
    let magnitude = f32_magnitude(x);
    if (magnitude >= 0x7f800000u) { return f32_nan(); }
    if (magnitude < 0x39800000u) { return 1.0; }
    let a = f32_reduce_angle(magnitude);
    let value = wave(a, (a.quadrant & 1u) != 0u);
    // Negative in the second and third quadrant.
    let sign = ((a.quadrant + 1u) & 2u) << 30u;
    return f32_of(bitcast<u32>(value) ^ sign);
}

// sin / cos, or -cos / sin in odd quadrants, as pairs.
fn f32_tan(x: f32) -> f32 {
    let magnitude = f32_magnitude(x);
    if (magnitude >= 0x7f800000u) { return f32_nan(); }
    if (magnitude < 0x39000000u) { return x; }
    let a = f32_reduce_angle(magnitude);
    let s = sin_reduced(a.hi, a.lo);
    let c = cos_reduced(a.hi, a.lo);
    let odd = (a.quadrant & 1u) != 0u;
    let above = pair_fast_sum(select(s.hi, -c.hi, odd), select(s.lo, -c.lo, odd));
    let below = pair_fast_sum(select(c.hi, s.hi, odd), select(c.lo, s.lo, odd));
    let t = pair_mul(above, pair_recip(below));
    return f32_of(bitcast<u32>(t.hi + t.lo) ^ f32_sign_bit(x));
}
