//! Between 64-bit integers and the rest.
//!
//! As in `convert.wgsl`, and around two errors of naga 30: `i64(u32)` extends the sign and `u64(i32)` does not.
//! Each conversion below changes the width first and the signedness after. Halves need nothing of their own: an
//! integer that float32 has to round is above 2^24, and infinite as a half either way.

fn u64_of_words(high: u32, low: u32) -> u64 { return (u64(high) << 32u) | u64(low); }

fn u64_high(n: u64) -> u32 { return u32(n >> 32u); }

fn u64_low(n: u64) -> u32 { return u32(n & 0xfffffffflu); }

fn u32_to_i64(n: u32) -> i64 { return bitcast<i64>(u64(n)); }

// By its words: lavapipe compares what `i64(i32)` gives as if it were never below 0.
fn i32_to_u64(n: i32) -> u64 { return u64_of_words(bitcast<u32>(n >> 31u), bitcast<u32>(n)); }

fn i32_to_i64(n: i32) -> i64 { return bitcast<i64>(i32_to_u64(n)); }

// Narrowing keeps the low bits.
fn i64_to_i32(n: i64) -> i32 { return bitcast<i32>(u64_low(bitcast<u64>(n))); }

fn f32_to_u64(x: f32) -> u64 {
    let e = bitcast<i32>(f32_magnitude(x) >> 23u) - 127;
    if (e < 0 || f32_sign_bit(x) != 0u || f32_is_nan(x)) { return 0lu; }
    if (e >= 64) { return ~0lu; }
    return f32_integer_part64(x, e);
}

fn f32_to_i64(x: f32) -> i64 {
    let e = bitcast<i32>(f32_magnitude(x) >> 23u) - 127;
    let negative = f32_sign_bit(x) != 0u;
    if (e < 0 || f32_is_nan(x)) { return 0li; }
    if (e >= 63) { return bitcast<i64>(select(~0lu >> 1u, 1lu << 63u, negative)); }
    let n = bitcast<i64>(f32_integer_part64(x, e));
    return select(n, 0li - n, negative);
}

// The integer part of |x|, whose exponent e is in 0..=63.
fn f32_integer_part64(x: f32, e: i32) -> u64 {
    let m = u64((bitcast<u32>(x) & 0x7fffffu) | 0x800000u);
    if (e <= 23) { return m >> bitcast<u32>(23 - e); }
    return m << bitcast<u32>(e - 23);
}

fn u64_to_f32(n: u64) -> f32 { return f32_of(u64_to_f32_bits(n)); }

fn i64_to_f32(n: i64) -> f32 {
    let bits = bitcast<u64>(n);
    let sign = u64_high(bits) & 0x80000000u;
    let magnitude = select(bits, 0lu - bits, sign != 0u);
    return f32_of(sign | u64_to_f32_bits(magnitude));
}

fn u64_to_f32_bits(n: u64) -> u32 {
    let high = u64_high(n);
    if (high == 0u) { return u32_to_f32_bits(u64_low(n), 0u, 0u); }
    // The upper 32 significant bits, and whether anything is below.
    let shift = countLeadingZeros(high);
    let m = n << shift;
    let sticky = select(0u, 1u, u64_low(m) != 0u);
    return u32_to_f32_bits(u64_high(m), 32u - shift, sticky);
}
