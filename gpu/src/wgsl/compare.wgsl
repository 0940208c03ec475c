//! Comparing float32, with NaN and subnormals as IEEE 754 has them.
//!
//! naga writes `!=` as an ordered comparison, so `NaN != x` is false. Hardware that flushes subnormals finds
//! 1e-40 equal to 0. `min` and `max` drop a NaN. All three vanish when the comparison is of integers: the bits of
//! floats, with the negative ones turned around, are in the order of the floats.

// Order of numbers, with -0 equal to 0.
fn f32_key(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return select(bits, bitcast<i32>(0x80000000u - bitcast<u32>(x)), bits < 0);
}

// Order of bits, with -0 just below 0.
fn f32_total_key(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return bits ^ ((bits >> 31u) & 0x7fffffff);
}

fn f32_unordered(a: f32, b: f32) -> bool { return f32_is_nan(a) || f32_is_nan(b); }

fn f32_eq(a: f32, b: f32) -> bool { return !f32_unordered(a, b) && f32_key(a) == f32_key(b); }

fn f32_ne(a: f32, b: f32) -> bool { return f32_unordered(a, b) || f32_key(a) != f32_key(b); }

fn f32_lt(a: f32, b: f32) -> bool { return !f32_unordered(a, b) && f32_key(a) < f32_key(b); }

fn f32_le(a: f32, b: f32) -> bool { return !f32_unordered(a, b) && f32_key(a) <= f32_key(b); }

fn f32_gt(a: f32, b: f32) -> bool { return f32_lt(b, a); }

fn f32_ge(a: f32, b: f32) -> bool { return f32_le(b, a); }

// NaN if either is NaN (IEEE 754-2019 minimum, not minNum); -0 is below 0.
fn f32_min(a: f32, b: f32) -> f32 {
    if (f32_is_nan(a)) { return a; }
    if (f32_is_nan(b)) { return b; }
    return f32_of(select(bitcast<u32>(b), bitcast<u32>(a), f32_total_key(a) < f32_total_key(b)));
}

fn f32_max(a: f32, b: f32) -> f32 {
    if (f32_is_nan(a)) { return a; }
    if (f32_is_nan(b)) { return b; }
    return f32_of(select(bitcast<u32>(b), bitcast<u32>(a), f32_total_key(a) > f32_total_key(b)));
}

fn f32_clamp(x: f32, low: f32, high: f32) -> f32 { return f32_min(f32_max(x, low), high); }

// 0 below 0, and x elsewhere: NaN and -0 stay.
fn f32_relu(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    return f32_of(select(bits, 0u, bits > 0x80000000u && !f32_is_nan(x)));
}
