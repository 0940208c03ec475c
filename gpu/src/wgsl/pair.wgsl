//! Pairs: a float32 and the rounding error it left behind, for 44 to 48 bits of precision.
//!
//! Knuth's and Dekker's error-free transformations (Knuth, TAOCP 2, 4.2.2; Dekker 1971), made safe for compilers
//! that do algebra: each rounded value that a later subtraction depends on passes through `f32_opaque`, and
//! factors are split by masking bits instead of by Veltkamp's multiplication, so that partial products are exact
//! whether or not they are fused with the sum around them.
//!
//! The same two-sum makes long sums: `pair_accumulate` keeps what each addition lost (Neumaier 1974).

struct Pair { hi: f32, lo: f32 }

// a + b exactly, for |a| >= |b| or a = 0.
fn pair_fast_sum(a: f32, b: f32) -> Pair {
    let s = f32_opaque(a + b);
    return Pair(s, b - (s - a));
}

// a + b exactly.
fn pair_sum(a: f32, b: f32) -> Pair {
    let s = f32_opaque(a + b);
    let t = f32_opaque(s - a);
    return Pair(s, (a - (s - t)) + (b - t));
}

// What an exact sum left behind, which is half a unit in its last place at most. More than that comes, next to the least
// normal numbers, of one on the way that is subnormal, where an adapter takes it for 0.
fn pair_left(s: Pair) -> f32 {
    let most = f32_magnitude(s.hi * 1.1920928955078125e-7);
    return f32_of(select(0u, bitcast<u32>(s.lo), f32_magnitude(s.lo) <= most));
}

// The upper 12 bits of the significand; what is left has 12 bits too.
fn f32_upper(x: f32) -> f32 { return f32_of(bitcast<u32>(x) & 0xfffff000u); }

// a * b exactly, if neither overflows nor comes near the subnormals.
fn pair_product(a: f32, b: f32) -> Pair {
    let p = f32_opaque(a * b);
    let a1 = f32_upper(a);
    let b1 = f32_upper(b);
    let a0 = a - a1;
    let b0 = b - b1;
    return Pair(p, (((a1 * b1 - p) + a1 * b0) + a0 * b1) + a0 * b0);
}

fn pair_add(a: Pair, b: Pair) -> Pair {
    let s = pair_sum(a.hi, b.hi);
    return pair_fast_sum(s.hi, s.lo + (a.lo + b.lo));
}

fn pair_mul(a: Pair, b: Pair) -> Pair {
    let p = pair_product(a.hi, b.hi);
    return pair_fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

// 1 / d, by one Newton step whose residual is exact.
fn pair_recip(d: Pair) -> Pair {
    let q = f32_opaque(1.0 / d.hi);
    let p = pair_product(q, d.hi);
    let residual = ((1.0 - p.hi) - p.lo) - q * d.lo;
    return pair_fast_sum(q, q * residual);
}

// A running sum with one more term.
fn pair_accumulate(sum: Pair, x: f32) -> Pair {
    let s = pair_sum(sum.hi, x);
    return Pair(s.hi, sum.lo + s.lo);
}

// What a running sum amounts to. After an infinity the lost part is meaningless.
fn pair_total(sum: Pair) -> f32 {
    if (!f32_is_finite(sum.hi)) { return sum.hi; }
    return sum.hi + sum.lo;
}
