//! Rules for the operators that make each element of the output from one element of each operand.

use super::Ranges;
use super::precision::{Precision, joined};
use super::range::Range;
use super::site::{Site, each_point};
use crate::number::MLNumber;
use crate::ops::binary::Binary;
use crate::ops::clamp::Clamp;
use crate::ops::unary::Unary;
use crate::value::Computed;

/// The rule of a function of one operand.
pub(super) fn of_one(site: &Site<'_>, rule: impl Fn(Precision, Range) -> Range) -> Computed<Vec<Ranges>> {
    if site.are_integers() && site.are_all_exact() {
        return Ok(site.exact());
    }
    let precision = site.precision();
    let of = |(x, y): (Range, Range)| exact_if_infinite(&[x], y).unwrap_or_else(|| joined(x, x, rule(precision, x)));
    site.stored(site.operands(0).zip(each_point(site.computed(0))).map(of))
}

/// The rule of a function of two operands, broadcast to each other.
pub(super) fn of_two(site: &Site<'_>, rule: impl Fn(Precision, Range, Range) -> Range) -> Computed<Vec<Ranges>> {
    if site.are_integers() && site.are_all_exact() {
        return Ok(site.exact());
    }
    let precision = site.precision();
    let of =
        |((a, b), y): ((Range, Range), Range)| exact_if_infinite(&[a, b], y).unwrap_or_else(|| rule(precision, a, b));
    let both = site.broadcast(0)?.zip(site.broadcast(1)?);
    site.stored(both.zip(each_point(site.computed(0))).map(of))
}

/// Where operands are exact and one of them is not finite, so is the result: what the interpreter says.
fn exact_if_infinite(operands: &[Range], computed: Range) -> Option<Range> {
    let are_points = operands.iter().all(|operand| operand.is_point() && !operand.is_zero_of_either_sign());
    let are_finite = operands.iter().all(Range::is_finite);
    let doubt = operands.iter().any(|operand| operand.doubt);
    (are_points && !are_finite).then_some(Range { doubt, ..computed })
}

/// abs, neg, sqrt and the others of their section.
pub(super) fn unary(operation: Unary, precision: Precision, x: Range) -> Range {
    let one = Range::point(1.0);
    match operation {
        Unary::Abs => x.abs(),
        Unary::Ceil => jumping(x, f64::ceil),
        Unary::Cos => precision.cos(x),
        Unary::Erf => precision.erf(x),
        Unary::Exp => precision.exp(x),
        Unary::Floor => jumping(x, f64::floor),
        Unary::Identity => x,
        Unary::Log => precision.log(x),
        Unary::Neg => x.negative(),
        Unary::Reciprocal => precision.div(one, x),
        Unary::RoundEven => jumping(x, f64::round_ties_even),
        Unary::Sin => precision.sin(x),
        Unary::Sign => {
            let sign = jumping(x, |number| if number == 0.0 { 0.0 } else { number.signum() });
            // The sign of NaN is 0.
            if x.nan { Range { nan: false, ..sign.or(Range::point(0.0)) }.doubtful() } else { sign }
        }
        Unary::Sqrt => precision.sqrt(x),
        Unary::Tan => precision.tan(x),
    }
}

/// What a function that rises in steps makes of a range: a doubt, if there is a step in it.
fn jumping(x: Range, function: impl Fn(f64) -> f64) -> Range {
    let steps = x.map(function);
    if steps.least == steps.greatest || steps.is_nan() { steps } else { steps.doubtful() }
}

/// The integers nearest to the numbers of a range.
pub(super) fn rounded_to_integer(x: Range) -> Range {
    x.map(f64::round_ties_even)
}

/// add, sub, mul and the others of their section.
pub(super) fn binary(operation: Binary, precision: Precision, a: Range, b: Range) -> Range {
    let both = |of: fn(f64, f64) -> f64| joined(a, b, Range::between(of(a.least, b.least), of(a.greatest, b.greatest)));
    match operation {
        Binary::Add => precision.add(a, b),
        Binary::Sub => precision.sub(a, b),
        Binary::Mul => precision.mul(a, b),
        // A quotient or a power of integers that are in doubt is not worth a rule.
        Binary::Div | Binary::Pow if precision.is_of_integers() => Range::ANYTHING,
        Binary::Div => precision.div(a, b),
        Binary::Max => both(f64::max),
        Binary::Min => both(f64::min),
        Binary::Pow => pow(precision, a, b),
    }
}

/// A power of a negative number is defined for integers only; its sign says whether they are odd.
fn pow(precision: Precision, x: Range, y: Range) -> Range {
    // x to the 0 and 1 to the y are 1, also of NaN.
    if x.nan || y.nan {
        return Range::ANYTHING;
    }
    // A zero that is an end may have either sign, and so may the infinity that it makes; that of -0 is negative where the
    // exponent is an odd integer.
    let is_sure = x.is_point() && !x.is_zero_of_either_sign() && (y.is_point() || x.least.is_sign_positive());
    if x.has_zero() && !is_sure && y.least < 0.0 {
        return Range::ANYTHING;
    }
    if x.least >= 0.0 {
        return precision.pow(x, y);
    }
    if !y.is_point() || x.greatest > 0.0 {
        return Range::ANYTHING;
    }
    let (magnitude, exponent) = (x.abs(), y.least);
    if exponent.is_infinite() {
        return precision.pow(magnitude, y);
    }
    if exponent.fract() != 0.0 {
        // Of -Infinity it is Infinity or 0, and no NaN.
        let is_negative = x.greatest < 0.0 && x.least > f64::NEG_INFINITY;
        return if is_negative { Range::NAN } else { Range::ANYTHING };
    }
    let power = precision.pow(magnitude, y);
    if exponent.rem_euclid(2.0) == 1.0 { power.negative() } else { power }
}

/// clamp
pub(super) fn clamp(operation: &Clamp, x: Range) -> Range {
    let bound = |number: MLNumber| number.to_f64();
    let (minimum, maximum) = (bound(operation.min_value), bound(operation.max_value));
    x.map(|number| {
        let number = if number < minimum { minimum } else { number };
        if number > maximum { maximum } else { number }
    })
}

/// relu
pub(super) fn relu(x: Range) -> Range {
    x.map(|number| if number < 0.0 { 0.0 } else { number })
}

/// leakyRelu and prelu: the slope matters below 0 only.
pub(super) fn rectified(precision: Precision, x: Range, slope: Range) -> Range {
    by_sign(x, |negative| precision.mul(slope, negative))
}

/// elu: alpha * (exp(x) - 1) below 0, with that cancellation.
pub(super) fn elu(precision: Precision, x: Range, alpha: f64) -> Range {
    let alpha = Range::point(alpha);
    let below = |number: f64| {
        let exp = precision.exp(Range::point(number));
        precision.mul(alpha, precision.sub(exp, Range::point(1.0)))
    };
    by_sign(x, |negative| precision.ends(negative, below))
}

/// A function that is the identity from 0 on.
fn by_sign(x: Range, below: impl Fn(Range) -> Range) -> Range {
    match x.split_at(0.0) {
        [None, Some(above)] => above,
        [Some(negative), None] => below(negative),
        [Some(negative), Some(above)] => below(negative).or(above),
        [None, None] => x,
    }
}

/// gelu: 0.5 * x * (1 + erf(x / sqrt(2))), with that cancellation. It falls up to a place below 0 and rises from there.
pub(super) fn gelu(precision: Precision, x: Range) -> Range {
    const LEAST_AT: f64 = -0.751_791_524_693_564_5;
    let root = Range::point(std::f64::consts::SQRT_2);
    let at = |number: f64| {
        let x = Range::point(number);
        let erf = precision.erf(precision.div(x, precision.rounded(root)));
        precision.mul(precision.mul(Range::point(0.5), x), precision.add(Range::point(1.0), erf))
    };
    turning(precision, x, &[LEAST_AT], at)
}

/// hardSwish: x * max(0, min(6, x + 3)) / 6. It falls from -3 to -1.5.
pub(super) fn hard_swish(precision: Precision, x: Range) -> Range {
    let at = |number: f64| {
        let x = Range::point(number);
        let gate = precision.add(x, Range::point(3.0)).map(|number| number.clamp(0.0, 6.0));
        precision.div(precision.mul(x, gate), Range::point(6.0))
    };
    turning(precision, x, &[-3.0, -1.5], at)
}

/// What a function makes of a range that rises or falls between these places: what it makes of the ends, and of the
/// places that lie between them.
fn turning(precision: Precision, x: Range, places: &[f64], at: impl Fn(f64) -> Range) -> Range {
    let inside = places.iter().filter(|place| x.least < **place && **place < x.greatest);
    inside.fold(precision.ends(x, &at), |range, place| range.or(at(*place)))
}

/// hardSigmoid: max(min(alpha * x + beta, 1), 0).
pub(super) fn hard_sigmoid(precision: Precision, x: Range, alpha: f64, beta: f64) -> Range {
    linear(precision, x, alpha, beta).map(|number| number.clamp(0.0, 1.0))
}

/// linear: alpha * x + beta.
pub(super) fn linear(precision: Precision, x: Range, alpha: f64, beta: f64) -> Range {
    precision.add(precision.mul(Range::point(alpha), x), Range::point(beta))
}

/// sigmoid: 1 / (1 + exp(-x)).
pub(super) fn sigmoid(precision: Precision, x: Range) -> Range {
    let one = Range::point(1.0);
    precision.ends(x, |number| precision.div(one, precision.add(one, precision.exp(Range::point(-number)))))
}

/// softplus: ln(1 + exp(x)), or x + ln(1 + exp(-x)), which does not overflow.
pub(super) fn softplus(precision: Precision, x: Range) -> Range {
    let one = Range::point(1.0);
    let log = |number: f64| precision.log(precision.add(one, precision.exp(Range::point(number))));
    precision.ends(x, |number| {
        let without_overflow = precision.add(Range::point(number.max(0.0)), log(-number.abs()));
        let naive = log(number);
        if naive.is_finite() { naive.or(without_overflow) } else { without_overflow }
    })
}

/// softsign: x / (1 + |x|).
pub(super) fn softsign(precision: Precision, x: Range) -> Range {
    let one = Range::point(1.0);
    precision.ends(x, |number| {
        if number.is_infinite() {
            // NaN there, and everything close to 1 on the way.
            return Range { nan: true, ..Range::point(number.signum()) };
        }
        precision.div(Range::point(number), precision.add(one, Range::point(number.abs())))
    })
}
