//! Rounding float32 to integers, on the bits: -0 stays, NaN stays, and a negative subnormal has the floor -1 also
//! where arithmetic flushes it.

fn f32_trunc(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let e = bitcast<i32>((bits >> 23u) & 0xffu) - 127;
    if (e >= 23) { return x; }
    if (e < 0) { return f32_of(bits & 0x80000000u); }
    return f32_of(bits & ~(0x7fffffu >> bitcast<u32>(e)));
}

fn f32_floor(x: f32) -> f32 {
    let t = f32_trunc(x);
    let below = f32_sign_bit(x) != 0u && bitcast<u32>(t) != bitcast<u32>(x);
    if (below) { return t - 1.0; }
    return t;
}

fn f32_ceil(x: f32) -> f32 { return f32_neg(f32_floor(f32_neg(x))); }

// To nearest, ties to even. Adding just under half to the bits carries into the exponent as it should.
fn f32_round_even(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let e = bitcast<i32>((bits >> 23u) & 0xffu) - 127;
    if (e >= 23) { return x; }
    if (e < 0) {
        let up = f32_magnitude(x) > 0x3f000000u;
        return f32_of(f32_sign_bit(x) | select(0u, 0x3f800000u, up));
    }
    let whole = 23u - bitcast<u32>(e);
    let even = (bits >> whole) & 1u;
    let rounded = bits + (1u << (whole - 1u)) - 1u + even;
    return f32_of(rounded & ~(0x7fffffu >> bitcast<u32>(e)));
}
