//! float32 to float16, once, to nearest even.
//!
//! `pack2x16float` may round either way by WGSL's rules and `quantizeToF16` flushes subnormals; storing a half is
//! where a kernel's only rounding to float16 happens, so it is done here in integers. Loading needs no twin:
//! every half is a float32, and `unpack2x16float` has no choice.

// The 16 bits of x as a half, in the low bits.
fn f32_to_f16(x: f32) -> u32 {
    let sign = f32_sign_bit(x) >> 16u;
    let m = f32_magnitude(x);
    if (m > 0x7f800000u) {
        // Stays a NaN even if the payload's upper bits are 0.
        let payload = (m >> 13u) & 0x3ffu;
        return sign | 0x7c00u | select(payload, 0x200u, payload == 0u);
    }
    // 65536 and up. 65520 up to there becomes infinity below, by carrying into the exponent.
    if (m >= 0x47800000u) { return sign | 0x7c00u; }
    // 2^-14 and up: normal, exponent bias 15 for 127.
    if (m >= 0x38800000u) { return sign | u32_shift_round(m - 0x38000000u, 13u); }
    // Up to and including half the smallest subnormal.
    if (m <= 0x33000000u) { return sign; }
    let significand = (m & 0x7fffffu) | 0x800000u;
    return sign | u32_shift_round(significand, 126u - (m >> 23u));
}
