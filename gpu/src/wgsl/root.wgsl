//! Square root of float32, correctly rounded.
//!
//! Same method as division: the hardware guesses, an exact integer remainder decides. With x = n * 2^(2k) and n
//! a 48-bit integer, the root is floor(sqrt(n)) or one more, by whether n - y^2 exceeds y.

fn f32_sqrt(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (f32_magnitude(x) == 0u || bits == 0x7f800000u || f32_is_nan(x)) { return x; }
    if (bits >= 0x80000000u) { return f32_nan(); }
    let u = f32_unpack(bits);
    // n = m * 2^23, with an odd exponent's factor of 2 moved into m.
    let odd = bitcast<u32>(u.e & 1);
    let m = u.m << odd;
    let k = (u.e - bitcast<i32>(odd)) >> 1u;
    let r = root_step(root_step(root_step(Root(u32(sqrt(f32(m) * 8388608.0)), m << 23u))));
    let rest = bitcast<i32>((m << 23u) - r.y * r.y);
    let up = select(0u, 1u, rest > bitcast<i32>(r.y));
    return f32_of((bitcast<u32>(k + 126) << 23u) + r.y + up);
}

// A guess at the root of a number whose low word is n.
struct Root { y: u32, n: u32 }

// One nearer to the floor. The hardware's guess is within 3 of it.
fn root_step(r: Root) -> Root {
    let rest = bitcast<i32>(r.n - r.y * r.y);
    let below = select(0u, 1u, rest > bitcast<i32>(2u * r.y));
    let above = select(0u, 1u, rest < 0);
    return Root(r.y + below - above, r.n);
}
