//! Long sums: of numbers and of products, in twice float32's precision and more than twice its range.
//!
//! Each term is an exact pair, and the running sum is one (Dekker's addition, which renormalises, so that the error
//! grows with the number of terms times 2^-48). Two things would still go wrong with one pair. A running sum can
//! overflow though the whole does not: 3e38 + 3e38 - 3e38. And a product of two floats can overflow though the sum
//! of products does not. So terms of 2^96 and more are kept apart, as multiples of 2^160: neither of the two sums
//! can overflow with any number of terms that a tensor has, and what cancels between them cancels exactly.
//!
//! Infinities and NaN land in the upper sum. What the algebra calls the error of an infinity is NaN, so it is dropped
//! where it arises; from there on, the upper sum is IEEE's own: inf + x = inf, inf - inf = NaN.

struct Sum { small: Pair, big: Pair }

fn sum_empty() -> Sum { return Sum(Pair(0.0, 0.0), Pair(0.0, 0.0)); }

// A running sum with one more term hi + lo, |lo| being small beside |hi|.
fn pair_step(sum: Pair, hi: f32, lo: f32) -> Pair {
    let s = pair_sum(sum.hi, hi);
    let rest = (pair_left(s) + lo) + sum.lo;
    return pair_fast_sum(s.hi, f32_of(select(0u, bitcast<u32>(rest), f32_is_finite(s.hi))));
}

// With the term hi + lo, which is a multiple of 2^160 if big.
fn sum_step(sum: Sum, hi: f32, lo: f32, big: bool) -> Sum {
    let s = pair_step(
        Pair(select(sum.small.hi, sum.big.hi, big), select(sum.small.lo, sum.big.lo, big)),
        hi,
        lo,
    );
    return Sum(
        Pair(select(s.hi, sum.small.hi, big), select(s.lo, sum.small.lo, big)),
        Pair(select(sum.big.hi, s.hi, big), select(sum.big.lo, s.lo, big)),
    );
}

// 2^96 and more, NaN included.
fn sum_is_big(x: f32) -> bool { return f32_magnitude(x) >= 0x6f800000u; }

// 2^-80 for big finite numbers, else 1.
fn sum_unit(big: bool) -> f32 { return f32_of(select(0x3f800000u, 0x17800000u, big)); }

fn sum_add(sum: Sum, x: f32) -> Sum {
    let big = sum_is_big(x);
    let unit = sum_unit(big);
    return sum_step(sum, f32_opaque(x * unit) * unit, 0.0, big);
}

// What is left of a product whose rounded value is p. The parts of a factor below 2^-100, and of a product below 2^-72,
// come near the subnormals, which some adapters take for zero: there the lesser factor is multiplied by 2^64 first.
fn sum_product_left(x: f32, y: f32, p: f32) -> f32 {
    let x_is_lesser = f32_magnitude(x) < f32_magnitude(y);
    let lesser = min(f32_magnitude(x), f32_magnitude(y));
    let is_small = lesser < 0x0d800000u || f32_magnitude(p) < 0x1b800000u;
    let of_x = f32_of(select(0x3f800000u, 0x5f800000u, is_small && x_is_lesser));
    let of_y = f32_of(select(0x3f800000u, 0x5f800000u, is_small && !x_is_lesser));
    let left = pair_product(x * of_x, y * of_y).lo * f32_of(select(0x3f800000u, 0x1f800000u, is_small));
    // Next to the subnormals, it is less than what its parts lose.
    return f32_of(select(bitcast<u32>(left), 0u, f32_magnitude(p) < 0x01800000u));
}

// The scaled factors lose nothing: each is at least 2^-32 where the product is big.
fn sum_add_product(sum: Sum, a: f32, b: f32) -> Sum {
    let big = sum_is_big(a * b);
    let unit = sum_unit(big && f32_is_finite(a) && f32_is_finite(b));
    let x = a * unit;
    let y = b * unit;
    let p = f32_opaque(x * y);
    return sum_step(sum, p, sum_product_left(x, y, p), big);
}

fn sum_join(a: Sum, b: Sum) -> Sum {
    return Sum(pair_step(a.small, b.small.hi, b.small.lo), pair_step(a.big, b.big.hi, b.big.lo));
}

fn sum_pack(sum: Sum) -> vec4<u32> {
    return bitcast<vec4<u32>>(vec4<f32>(sum.small.hi, sum.small.lo, sum.big.hi, sum.big.lo));
}

fn sum_unpack(words: vec4<u32>) -> Sum {
    let n = bitcast<vec4<f32>>(words);
    return Sum(Pair(n.x, n.y), Pair(n.z, n.w));
}

// (hi + lo) * unit^2, where unit is 1 or 2^80.
struct Total { hi: f32, lo: f32, unit: f32 }

fn sum_total(sum: Sum) -> Total {
    if ((f32_magnitude(sum.big.hi) | f32_magnitude(sum.big.lo)) == 0u) {
        return Total(sum.small.hi, sum.small.lo, 1.0);
    }
    if (!f32_is_finite(sum.big.hi)) { return Total(sum.big.hi, 0.0, 1.0); }
    let unit = sum_unit(true);
    let t = pair_step(sum.big, f32_opaque(sum.small.hi * unit) * unit, f32_opaque(sum.small.lo * unit) * unit);
    return Total(t.hi, t.lo, f32_of(0x67800000u));
}

fn total_value(t: Total) -> f32 { return f32_opaque((t.hi + t.lo) * t.unit) * t.unit; }

fn sum_value(sum: Sum) -> f32 { return total_value(sum_total(sum)); }

fn sum_mean(sum: Sum, count: u32) -> f32 {
    let t = sum_total(sum);
    return f32_opaque(pair_over_count(t.hi, t.lo, count) * t.unit) * t.unit;
}

// Divided as a pair, where the low part is more than nothing.
fn pair_over_count(hi: f32, lo: f32, count: u32) -> f32 {
    let n = u32_to_f32(count);
    let m = f32_magnitude(hi);
    if (m < 0x20000000u || m >= 0x7f800000u || count == 0u) { return f32_div(hi + lo, n); }
    let rest = i32_to_f32(bitcast<i32>(count - f32_to_u32(n)));
    let q = pair_mul(Pair(hi, lo), pair_recip(Pair(n, rest)));
    return q.hi + q.lo;
}

// The logarithm, to first order in the low part. Beside it, for the upper sum, 160 ln 2.
fn sum_log(sum: Sum) -> f32 {
    let t = sum_total(sum);
    let bits = bitcast<u32>(t.hi);
    if (bits == 0u || bits >= 0x7f800000u) { return f32_log(t.hi); }
    let l = f32_log_pair(bits);
    let far = t.unit > 1.0;
    let s = pair_sum(l.hi, select(0.0, 110.90354919433594, far));
    return s.hi + (s.lo + (l.lo + t.lo / t.hi) + select(0.0, -0.00000030474469, far));
}

// alpha * sum + beta * c
fn sum_scaled(sum: Sum, alpha: f32, beta: f32, c: f32) -> f32 {
    let t = sum_total(sum);
    if (t.unit > 1.0) {
        // Beside an infinity a sum that is finite does not count, though float32 may not hold it.
        if (!(f32_is_finite(beta) && f32_is_finite(c)) && f32_is_finite(alpha)) { return beta * c; }
        // One unit first, so that a small alpha brings the number back into range; the other one only if it stays out of it,
        // as what is added may bring it back.
        let x = t.hi + t.lo;
        let first = f32_abs(x) < 1099511627776.0;
        let y = f32_opaque(alpha * f32_opaque(x * select(1.0, t.unit, first)));
        let big = !first || f32_abs(y) >= 65536.0;
        let scaled = f32_opaque(y * select(select(t.unit, sum_unit(true), big), 1.0, !first));
        return sum_value(sum_add_product(sum_step(sum_empty(), scaled, 0.0, big), beta, c));
    }
    let product = sum_add_product(sum_add_product(sum_empty(), alpha, t.hi), beta, c);
    // Beside an infinity there is no low part, and alpha may be one.
    if (!f32_is_finite(t.hi) || !f32_is_finite(alpha)) { return sum_value(product); }
    return sum_value(sum_add_product(product, alpha, t.lo));
}
