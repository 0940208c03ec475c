//! Natural logarithm.
//!
//! x = 2^k m with m in [sqrt(1/2), sqrt(2)), taken from the bits so that subnormals are like any other, and
//! f = m - 1, exact. ln(1 + f) = f - f^2/2 + f^3 q(f), where f^2/2 is split into an exact upper part and the rest:
//! its rounding is what would show near x = 1.

fn f32_log(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (f32_magnitude(x) == 0u) { return f32_of(0xff800000u); }
    if (f32_is_nan(x) || bits == 0x7f800000u) { return x; }
    if (bits >= 0x80000000u) { return f32_nan(); }
    let l = f32_log_pair(bits);
    return l.hi + l.lo;
}

// The logarithm of a positive finite number, given as bits, before its last rounding.
fn f32_log_pair(magnitude: u32) -> Pair {
    let s = f32_split(magnitude);
    let f = s.m - 1.0;
    let k = f32(s.k);
    let q = 0.33333310484886169 + f * (-0.25 + f * (0.20002226531505585 + f * (-0.16668526828289032
        + f * (0.14218121767044067 + f * (-0.12396421283483505 + f * (0.11888592690229416
        + f * (-0.11725828796625137 + f * 0.068049177527427673)))))));
    let f1 = f32_upper(f);
    let square = 0.5 * f1 * f1;
    let rest = 0.5 * (f - f1) * (f + f1);
    let near = pair_fast_sum(f, -square);
    let tail = (near.lo - rest) + f * f * f * q + k * 0.0000014286067653301870;
    let far = pair_sum(k * 0.693145751953125, near.hi);
    return Pair(far.hi, far.lo + tail);
}

// m * 2^k with m in [sqrt(1/2), sqrt(2)).
struct Split { m: f32, k: i32 }

fn f32_split(magnitude: u32) -> Split {
    let u = f32_unpack(magnitude);
    let up = u.m > 0xb504f3u;
    let field = select(127u, 126u, up) << 23u;
    return Split(f32_of(field | (u.m & 0x7fffffu)), u.e + select(0, 1, up));
}
