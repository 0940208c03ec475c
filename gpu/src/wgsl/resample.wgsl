//! Between four elements: a sum of products with whole numbers, over the product of two denominators.
//!
//! The weights, whole numbers below 2^32 each, are exact as pairs, and so is the product of two: the places of an image
//! have 31 bits together. An infinity with the weight 0 makes NaN.

fn resample_add(sum: Sum, x: f32, m: Pair, n: Pair) -> Sum {
    let w = pair_mul(m, n);
    // Without branches: SwiftShader's compiler takes minutes for a few of these in a row.
    let finite = f32_of(select(0u, bitcast<u32>(x), f32_is_finite(x)));
    return sum_add_product(sum_add_product(sum, x, w.hi), finite, w.lo);
}

// Of elements of 8 and 16 bits, whose products with whole numbers are nowhere near the ends of float32. A word has
// several of them, and SwiftShader's compiler takes minutes for the steps of as many sums. What is not finite is added up
// apart, in the upper sum. Of integers everything is whole and below 2^41, which a pair holds.
fn resample_add_short(sum: Sum, x: f32, m: Pair, n: Pair) -> Sum {
    let w = pair_mul(m, n);
    let is_finite = f32_is_finite(x);
    let finite = f32_of(select(0u, bitcast<u32>(x), is_finite));
    let special = f32_of(select(bitcast<u32>(f32_opaque(x * w.hi)), 0u, is_finite));
    return Sum(pair_add(sum.small, pair_mul(w, Pair(finite, 0.0))), Pair(sum.big.hi + special, 0.0));
}

fn resample_value(sum: Sum, denominator: Pair) -> f32 {
    let t = sum_total(sum);
    let m = f32_magnitude(t.hi);
    if (m < 0x20000000u || m >= 0x7f800000u) {
        return f32_opaque(f32_div(t.hi + t.lo, denominator.hi) * t.unit) * t.unit;
    }
    let q = pair_mul(Pair(t.hi, t.lo), pair_recip(denominator));
    return f32_opaque((q.hi + q.lo) * t.unit) * t.unit;
}

// To the nearest integer, the even one of two. The sum is exact, and so is what is left of it.
fn resample_integer(sum: Sum, denominator: Pair) -> i32 {
    let guess = round(sum.small.hi / denominator.hi);
    let p = pair_mul(denominator, Pair(guess, 0.0));
    let rest = pair_add(sum.small, Pair(-p.hi, -p.lo));
    let twice = Pair(2.0 * rest.hi, 2.0 * rest.lo);
    let above = pair_add(twice, Pair(-denominator.hi, -denominator.lo)).hi;
    let below = pair_add(twice, denominator).hi;
    let n = i32(guess);
    let odd = (n & 1) != 0;
    let up = above > 0.0 || (above == 0.0 && odd);
    let down = below < 0.0 || (below == 0.0 && odd);
    return n + select(0, 1, up) - select(0, 1, down);
}
