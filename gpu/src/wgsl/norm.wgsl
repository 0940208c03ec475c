//! The root of a sum of squares, without the squares' overflow and underflow.
//!
//! The squares are kept in units of the square of the greatest power of two met so far, as a pair. What is more than
//! 60 binary orders below counts as if it were that: beside a square of 1 its square does not show.

// (hi + lo) * 4^e, and the sum of the magnitudes that are not finite.
struct Norm { hi: f32, lo: f32, e: i32, special: f32 }

fn norm_empty() -> Norm { return Norm(0.0, 0.0, -1000, 0.0); }

fn norm_add(norm: Norm, x: f32) -> Norm {
    let m = f32_magnitude(x);
    if (m >= 0x7f800000u) { return Norm(norm.hi, norm.lo, norm.e, f32_max(norm.special, f32_of(m))); }
    if (m == 0u) { return norm; }
    let u = f32_unpack(m);
    let n = norm_raise(norm, u.e);
    let below = max(u.e - n.e, -60);
    let v = f32_of((u.m & 0x7fffffu) | (bitcast<u32>(below + 127) << 23u));
    let p = pair_product(v, v);
    let s = pair_step(Pair(n.hi, n.lo), p.hi, p.lo);
    return Norm(s.hi, s.lo, n.e, n.special);
}

// In units of 4^e, if those are greater.
fn norm_raise(norm: Norm, e: i32) -> Norm {
    if (e <= norm.e) { return norm; }
    let unit = f32_power_of_two(max(2 * (norm.e - e), -126));
    return Norm(norm.hi * unit, norm.lo * unit, e, norm.special);
}

fn norm_join(a: Norm, b: Norm) -> Norm {
    let m = norm_raise(a, b.e);
    let n = norm_raise(b, a.e);
    let s = pair_step(Pair(m.hi, m.lo), n.hi, n.lo);
    return Norm(s.hi, s.lo, m.e, f32_max(m.special, n.special));
}

fn norm_pack(norm: Norm) -> vec4<u32> {
    return vec4<u32>(
        bitcast<u32>(norm.hi), bitcast<u32>(norm.lo), bitcast<u32>(norm.e), bitcast<u32>(norm.special),
    );
}

fn norm_unpack(words: vec4<u32>) -> Norm {
    return Norm(f32_of(words.x), f32_of(words.y), bitcast<i32>(words.z), f32_of(words.w));
}

fn norm_root(norm: Norm) -> f32 {
    if (f32_magnitude(norm.special) != 0u) { return norm.special; }
    if (f32_magnitude(norm.hi) == 0u) { return 0.0; }
    // One Newton step from the root of the upper part, whose remainder is exact.
    let r = f32_sqrt(norm.hi);
    let p = pair_product(r, r);
    let rest = (((norm.hi - p.hi) - p.lo) + norm.lo) / (2.0 * r);
    let k = f32_unpack(f32_magnitude(r)).e;
    let unit = f32_power_of_two(-k);
    return f32_scale(r * unit, rest * unit, norm.e + k);
}
