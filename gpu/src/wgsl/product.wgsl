//! Long products, without overflow and underflow on the way.
//!
//! The significands are multiplied as pairs and the exponents added as integers, so that 1e-30 * 1e-30 * 1e30 * 1e30
//! is 1. What has no significand, zeros, infinities and NaN, is multiplied apart from that, together with the signs:
//! 0 * inf is NaN there too.

// (hi + lo) * 2^e with hi between 1 and 2, times special, which is 1 or -1 unless a factor was 0, inf or NaN.
struct Product { hi: f32, lo: f32, e: i32, special: f32 }

fn product_empty() -> Product { return Product(1.0, 0.0, 0, 1.0); }

fn product_multiply(product: Product, x: f32) -> Product {
    let m = f32_magnitude(x);
    let regular = m != 0u && m < 0x7f800000u;
    let one = f32_sign_bit(x) | 0x3f800000u;
    let special = product.special * f32_of(select(bitcast<u32>(x), one, regular));
    let u = f32_unpack(select(0x3f800000u, m, regular));
    let v = f32_of((u.m & 0x7fffffu) | 0x3f800000u);
    return product_normal(pair_mul(Pair(product.hi, product.lo), Pair(v, 0.0)), product.e + u.e, special);
}

fn product_normal(p: Pair, e: i32, special: f32) -> Product {
    let unit = select(1.0, 0.5, p.hi >= 2.0);
    // Far beyond float32, and far from the ends of an integer.
    let exponent = clamp(e + select(0, 1, p.hi >= 2.0), -0x20000000, 0x20000000);
    return Product(p.hi * unit, p.lo * unit, exponent, special);
}

fn product_join(a: Product, b: Product) -> Product {
    return product_normal(pair_mul(Pair(a.hi, a.lo), Pair(b.hi, b.lo)), a.e + b.e, a.special * b.special);
}

fn product_pack(product: Product) -> vec4<u32> {
    return vec4<u32>(
        bitcast<u32>(product.hi), bitcast<u32>(product.lo), bitcast<u32>(product.e), bitcast<u32>(product.special),
    );
}

fn product_unpack(words: vec4<u32>) -> Product {
    return Product(f32_of(words.x), f32_of(words.y), bitcast<i32>(words.z), f32_of(words.w));
}

fn product_value(product: Product) -> f32 {
    if (f32_magnitude(product.special) != 0x3f800000u) { return product.special; }
    let value = f32_scale(product.hi, product.lo, product.e);
    return f32_of(bitcast<u32>(value) ^ f32_sign_bit(product.special));
}
