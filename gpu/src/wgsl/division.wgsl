//! Division of float32, correctly rounded, also into and out of subnormals.
//!
//! WGSL allows `/` an error of 2.5 ULP, and a GPU that divides by multiplying with a reciprocal goes wrong where
//! the reciprocal is subnormal: an H200 has inf / FLT_MAX = NaN. So the hardware only divides significands, which
//! are between 1 and 2, and the remainder settles the last bits. The remainder is exact: quotient times divisor
//! is a 48-bit integer, but the difference from the dividend is known to be small, so its low 32 bits are enough.

fn f32_div(a: f32, b: f32) -> f32 {
    let sign = f32_sign_bit(a) ^ f32_sign_bit(b);
    let x = f32_magnitude(a);
    let y = f32_magnitude(b);
    let inf = 0x7f800000u;
    let undefined = x > inf || y > inf || (x == inf && y == inf) || (x == 0u && y == 0u);
    if (undefined) { return f32_nan(); }
    if (x == inf || y == 0u) { return f32_of(sign | inf); }
    if (y == inf || x == 0u) { return f32_of(sign); }
    return f32_of(sign | f32_div_magnitudes(x, y));
}

fn f32_recip(x: f32) -> f32 { return f32_div(1.0, x); }

// The bits of the quotient of two finite positive numbers, given as bits.
fn f32_div_magnitudes(x: u32, y: u32) -> u32 {
    let a = f32_unpack(x);
    let b = f32_unpack(y);
    // q = floor(a.m * 2^scale / b.m) has 24 bits; the exponent is that of q's top bit.
    let less = a.m < b.m;
    let scale = select(23u, 24u, less);
    let e = a.e - b.e - select(0, 1, less);
    let guess = (f32(a.m) / f32(b.m)) * select(8388608.0, 16777216.0, less);
    var q = u32(guess);
    let divisor = bitcast<i32>(b.m);
    var rest = bitcast<i32>((a.m << scale) - q * b.m);
    // The guess is within 3 of the quotient. No loop: lavapipe counts iterations.
    if (rest < 0) { q -= 1u; rest += divisor; }
    if (rest < 0) { q -= 1u; rest += divisor; }
    if (rest < 0) { q -= 1u; rest += divisor; }
    if (rest >= divisor) { q += 1u; rest -= divisor; }
    if (rest >= divisor) { q += 1u; rest -= divisor; }
    if (rest >= divisor) { q += 1u; rest -= divisor; }
    if (e >= -126) {
        if (e > 127) { return 0x7f800000u; }
        // Never a tie: 2 * rest == divisor would need a quotient of 25 bits. The carry may reach infinity.
        return (bitcast<u32>(e + 126) << 23u) + q + select(0u, 1u, 2 * rest > divisor);
    }
    let shift = bitcast<u32>(-126 - e);
    if (shift > 24u) { return 0u; }
    let sticky = select(0u, 1u, rest != 0);
    return u32_shift_round((q << 1u) | sticky, shift + 1u);
}
