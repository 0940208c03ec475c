//! float32 as bits.
//!
//! What a float instruction may do to NaN, infinities, -0 and subnormals depends on the driver; what an integer
//! instruction does to 32 bits does not. Everything that is a question about the representation is asked of the
//! bits. Constants that are not finite are built at run time, since a module with one in it is rejected.

fn f32_of(bits: u32) -> f32 { return bitcast<f32>(bits); }

fn f32_nan() -> f32 { return f32_of(0x7fc00000u); }

fn f32_magnitude(x: f32) -> u32 { return bitcast<u32>(x) & 0x7fffffffu; }

fn f32_sign_bit(x: f32) -> u32 { return bitcast<u32>(x) & 0x80000000u; }

fn f32_is_nan(x: f32) -> bool { return f32_magnitude(x) > 0x7f800000u; }

fn f32_is_infinite(x: f32) -> bool { return f32_magnitude(x) == 0x7f800000u; }

fn f32_is_finite(x: f32) -> bool { return f32_magnitude(x) < 0x7f800000u; }

fn f32_abs(x: f32) -> f32 { return f32_of(f32_magnitude(x)); }

fn f32_neg(x: f32) -> f32 { return f32_of(bitcast<u32>(x) ^ 0x80000000u); }

// The magnitude of x with the sign of y.
fn f32_with_sign(x: f32, y: f32) -> f32 { return f32_of(f32_magnitude(x) | f32_sign_bit(y)); }

// -1, 0 or 1 with the sign of x, and NaN for NaN: the built-in gives 0 there.
fn f32_sign(x: f32) -> f32 {
    let m = f32_magnitude(x);
    if (m == 0u || m > 0x7f800000u) { return x; }
    return f32_of(f32_sign_bit(x) | 0x3f800000u);
}

// x, in a way that no compiler sees through.
//
// Drivers rewrite float expressions as if they were real numbers: Mesa turns (a + b) - a into b and 1 + (x - c)
// into x + (1 - c), NVIDIA joins a * b + c into one rounding. Error-free transformations live on exactly these
// roundings. Nothing in WGSL forbids the rewriting, but it stops at integer code, so a value that must stay as
// rounded passes through here. The subtraction does nothing to a number; it maps one NaN to another. (A `select`
// with a constant would not do: Mesa moves arithmetic with another constant into its branches.)
fn f32_opaque(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    return f32_of(bits - select(0u, 1u, bits == 0x7fc00001u));
}

// 2^k, for k of a normal number.
fn f32_power_of_two(k: i32) -> f32 { return f32_of(bitcast<u32>((k + 127) << 23u)); }

// A finite nonzero number as m * 2^(e - 23) with m in [2^23, 2^24). Subnormals are normalised.
struct Unpacked { m: u32, e: i32 }

fn f32_unpack(magnitude: u32) -> Unpacked {
    let field = magnitude >> 23u;
    if (field != 0u) {
        return Unpacked((magnitude & 0x7fffffu) | 0x800000u, bitcast<i32>(field) - 127);
    }
    let shift = countLeadingZeros(magnitude) - 8u;
    return Unpacked(magnitude << shift, -126 - bitcast<i32>(shift));
}

// n / 2^shift to nearest, ties to even; shift in 1..=31 and n below 2^31.
fn u32_shift_round(n: u32, shift: u32) -> u32 {
    let even = (n >> shift) & 1u;
    return (n + (1u << (shift - 1u)) - 1u + even) >> shift;
}

// All 64 bits of a product: high word, low word.
fn u32_mul_wide(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let cross0 = a0 * b1;
    let cross1 = a1 * b0;
    let middle = (low >> 16u) + (cross0 & 0xffffu) + (cross1 & 0xffffu);
    let high = a1 * b1 + (cross0 >> 16u) + (cross1 >> 16u) + (middle >> 16u);
    return vec2<u32>(high, (low & 0xffffu) | (middle << 16u));
}
