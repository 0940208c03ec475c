//! exp(x - m) for the greatest m, the terms of softmax and of reduceLogSumExp.
//!
//! The difference is a pair, since its rounding would be multiplied by exp; so is the power. A term below 2^-100 does
//! not show beside the 1 that exp(m - m) is.

fn exp_difference(x: f32, greatest: f32) -> Scaled {
    let d = pair_sum(x, -greatest);
    if (f32_is_finite(d.hi) && d.hi > -104.0) { return exp_scaled(d.hi, d.lo); }
    return Scaled(0.0, 0.0, 0);
}

fn sum_add_exp(sum: Sum, x: f32, greatest: f32) -> Sum {
    let e = exp_difference(x, greatest);
    let unit = f32_power_of_two(max(e.k, -100));
    return sum_step(sum, e.hi * unit, e.lo * unit, false);
}

// exp(x - greatest) over the sum of these.
fn softmax_ratio(x: f32, greatest: f32, sum: Sum) -> f32 {
    if (!f32_is_finite(greatest)) { return f32_nan(); }
    let e = exp_difference(x, greatest);
    let q = pair_mul(Pair(e.hi, e.lo), pair_recip(sum.small));
    // The quotient, brought back to a significand near 1 for the scaling.
    if (f32_magnitude(q.hi) == 0u) { return 0.0; }
    let k = f32_unpack(f32_magnitude(q.hi)).e;
    let unit = f32_power_of_two(-k);
    return f32_scale(q.hi * unit, q.lo * unit, e.k + k);
}

fn log_sum_exp(sum: Sum, greatest: f32) -> f32 {
    if (!f32_is_finite(greatest)) { return greatest; }
    let l = f32_log_pair(bitcast<u32>(sum.small.hi));
    let s = pair_sum(greatest, l.hi);
    return s.hi + (s.lo + (l.lo + sum.small.lo / sum.small.hi));
}
