//! Between float32 and 32-bit integers.
//!
//! To integers: towards zero, exact up to the ends of the range, then saturating, and NaN becomes 0. naga's own
//! `i32(f32)` clamps at 2147483520. To float32: to nearest even, which WGSL leaves open.

fn f32_to_i32(x: f32) -> i32 {
    let e = bitcast<i32>(f32_magnitude(x) >> 23u) - 127;
    let negative = f32_sign_bit(x) != 0u;
    if (e < 0 || f32_is_nan(x)) { return 0; }
    if (e >= 31) { return bitcast<i32>(select(0x7fffffffu, 0x80000000u, negative)); }
    let n = bitcast<i32>(f32_integer_part(x, e));
    return select(n, -n, negative);
}

fn f32_to_u32(x: f32) -> u32 {
    let e = bitcast<i32>(f32_magnitude(x) >> 23u) - 127;
    if (e < 0 || f32_sign_bit(x) != 0u || f32_is_nan(x)) { return 0u; }
    if (e >= 32) { return 0xffffffffu; }
    return f32_integer_part(x, e);
}

// The integer part of |x|, whose exponent e is in 0..=31.
fn f32_integer_part(x: f32, e: i32) -> u32 {
    let m = (bitcast<u32>(x) & 0x7fffffu) | 0x800000u;
    if (e <= 23) { return m >> bitcast<u32>(23 - e); }
    return m << bitcast<u32>(e - 23);
}

fn f32_to_i8(x: f32) -> i32 { return clamp(f32_to_i32(x), -128, 127); }

fn f32_to_u8(x: f32) -> u32 { return min(f32_to_u32(x), 255u); }

fn u32_to_f32(n: u32) -> f32 { return f32_of(u32_to_f32_bits(n, 0u, 0u)); }

fn i32_to_f32(n: i32) -> f32 {
    let sign = bitcast<u32>(n) & 0x80000000u;
    let magnitude = select(bitcast<u32>(n), 0u - bitcast<u32>(n), n < 0);
    return f32_of(sign | u32_to_f32_bits(magnitude, 0u, 0u));
}

// The bits of n * 2^scale, with a sticky bit for what lies below n.
fn u32_to_f32_bits(n: u32, scale: u32, sticky: u32) -> u32 {
    if (n == 0u) { return 0u; }
    let shift = countLeadingZeros(n);
    let m = n << shift;
    let odd = (m >> 8u) & 1u;
    let up = select(0u, 1u, (m & 0xffu) + odd > 0x80u || ((m & 0xffu) == 0x80u && sticky != 0u));
    // The leading bit of the significand adds 1 to the exponent field.
    return ((157u + scale - shift) << 23u) + (m >> 8u) + up;
}
