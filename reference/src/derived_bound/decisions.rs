//! Rules for the operators that decide something, or make a number an integer: exact, but for what lies near a jump.

use ndarray::Dimension;

use super::Ranges;
use super::precision::of_whole_numbers;
use super::range::Range;
use super::site::{Site, limits, points};
use crate::index::{Along, block};
use crate::number::{count, size};
use crate::ops::argminmax::{ArgMinMax, Extreme};
use crate::ops::logical::Logical;
use crate::value::Computed;

/// argMin and argMax: any index whose element may be the extreme.
pub(super) fn arg_min_max(operation: &ArgMinMax, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    if site.are_all_exact() {
        return Ok(site.exact());
    }
    let shape: Vec<usize> = site.bound().input_descriptor(0).shape.iter().copied().map(size).collect();
    let along = Along::new(&shape, operation.axis);
    let (x, y) = (site.operand(0)?, points(site.computed(0))?);
    let lanes = (0..along.before * along.after).map(|lane| {
        let (before, after) = (lane / along.after, lane % along.after);
        let elements = (0..along.dimension).map(|index| x[along.offset(before, index, after)]);
        let elements: Vec<Range> = match operation.extreme {
            Extreme::ArgMin => elements.map(Range::negative).collect(),
            Extreme::ArgMax => elements.collect(),
        };
        index_of_greatest(&elements, y[lane])
    });
    site.stored(lanes)
}

/// Where the greatest of these elements may be, given where the interpreter finds it.
fn index_of_greatest(elements: &[Range], found: Range) -> Range {
    if elements.iter().all(Range::is_point) {
        return elements.iter().fold(found, |found, element| found.with_doubts_of(*element));
    }
    if elements.iter().any(|element| element.nan) {
        return Range::between(0.0, count(elements.len() - 1)).doubtful();
    }
    let bar = elements.iter().map(|element| element.least).fold(f64::NEG_INFINITY, f64::max);
    let reaching = elements.iter().enumerate().filter(|(_, element)| element.greatest >= bar);
    let candidates = reaching.map(|(index, element)| Range::point(count(index)).with_doubts_of(*element));
    let range = candidates.reduce(Range::or).unwrap_or(found);
    if range.is_point() { range } else { range.doubtful() }
}

/// The comparisons and the logic of their section.
pub(super) fn logical(operation: Logical, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    if site.are_all_exact() {
        return Ok(site.exact());
    }
    let is_unary = site.bound().input_count() == 1;
    let (a, b) = (site.broadcast(0)?, site.broadcast(if is_unary { 0 } else { 1 })?);
    let is_float = site.bound().input_descriptor(0).data_type.is_float();
    let integers: Option<fn(Range) -> Range> = if is_float { None } else { Some(of_whole_numbers) };
    site.stored(a.zip(b).map(|(a, b)| {
        let results: Vec<bool> = match operation {
            Logical::LogicalNot | Logical::IsNaN | Logical::IsInfinite => {
                representatives(a).into_iter().map(|a| operation.of_one(a)).collect()
            }
            Logical::LogicalAnd | Logical::LogicalOr | Logical::LogicalXor => {
                let pairs =
                    representatives(a).into_iter().flat_map(|a| representatives(b).into_iter().map(move |b| (a, b)));
                pairs.map(|(a, b)| operation.of_both(a, b)).collect()
            }
            Logical::Equal
            | Logical::NotEqual
            | Logical::Greater
            | Logical::GreaterOrEqual
            | Logical::Lesser
            | Logical::LesserOrEqual => {
                let (a, b) = (integers.map_or(a, |widened| widened(a)), integers.map_or(b, |widened| widened(b)));
                relations(a, b).into_iter().map(|(a, b)| operation.of_both(a, b)).collect()
            }
        };
        let number = |result: bool| if result { 1.0 } else { 0.0 };
        let ranges = results.into_iter().map(|result| Range::point(number(result)));
        let range = ranges.reduce(Range::or).unwrap_or(Range::ANYTHING).with_doubts_of(a).with_doubts_of(b);
        if range.is_point() { range } else { range.doubtful() }
    }))
}

/// One number of each kind that a range holds: zero, another finite number, an infinity, NaN.
fn representatives(x: Range) -> Vec<f64> {
    let has_infinity = x.least == f64::NEG_INFINITY || x.greatest == f64::INFINITY;
    let has_finite = x.least < f64::INFINITY && x.greatest > f64::NEG_INFINITY;
    let kinds = [
        (x.has_zero(), 0.0),
        (has_finite && (x.least != 0.0 || x.greatest != 0.0), 1.0),
        (has_infinity, f64::INFINITY),
        (x.nan, f64::NAN),
    ];
    kinds.into_iter().filter(|(is_held, _)| *is_held).map(|(_, number)| number).collect()
}

/// A pair of numbers for each relation in which two numbers of two ranges can be.
fn relations(a: Range, b: Range) -> Vec<(f64, f64)> {
    let relations = [
        (a.least < b.greatest, (0.0, 1.0)),
        (a.greatest > b.least, (1.0, 0.0)),
        (a.least.max(b.least) <= a.greatest.min(b.greatest), (0.0, 0.0)),
        (a.nan || b.nan, (f64::NAN, 0.0)),
    ];
    relations.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, pair)| pair).collect()
}

/// where: either value, where the condition is in doubt.
pub(super) fn select(site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (conditions, values) = (site.broadcast(0)?, site.broadcast(1)?.zip(site.broadcast(2)?));
    site.stored(conditions.zip(values).map(|(condition, (if_true, if_false))| {
        let chosen = match (condition.has_zero(), condition.is_point()) {
            (true, true) => if_false,
            (false, _) => if_true,
            (true, false) => if_true.or(if_false).doubtful(),
        };
        chosen.with_doubts_of(condition)
    }))
}

/// cast: to a floating point type a rounding, to an integer either neighbour of what is near an integer.
pub(super) fn cast(site: &Site<'_>) -> Computed<Vec<Ranges>> {
    if site.are_integers() && site.are_all_exact() {
        return Ok(site.exact());
    }
    let is_float = site.bound().input_descriptor(0).data_type.is_float();
    let ranges = site.operands(0);
    match limits(site.output().data_type) {
        Some(limits) if is_float => site.kept(ranges.map(|x| saturated(x.map(f64::trunc), limits, Range::point(0.0)))),
        Some(_) | None => site.stored(ranges),
    }
}

/// Integers, clamped to the limits of their type; NaN is what it is taken for.
fn saturated(x: Range, [least, greatest]: [f64; 2], of_nan: Range) -> Range {
    let clamped = Range { nan: false, ..x.map(|number| number.clamp(least, greatest)) };
    match (x.is_nan(), x.nan) {
        (true, _) => of_nan.with_doubts_of(x),
        (false, true) => clamped.or(of_nan).doubtful(),
        (false, false) => clamped,
    }
}

/// The range of the element of an operand that belongs to the block of an element of the input.
fn of_block(ranges: &[Range], index: &[usize], blocks: &[usize], shape: &[usize]) -> Range {
    let place = block(index, blocks, shape);
    ranges[place.iter().zip(blocks).fold(0, |offset, (index, dimension)| offset * dimension + index)]
}

/// dequantizeLinear: (input - zeroPoint) * scale, where both integers may be rounded to the scale's type first.
pub(super) fn dequantize(site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let precision = site.precision();
    let (input, computed) = (site.array(0)?, points(site.computed(0))?);
    let (scales, zero_points) = (site.operand(1)?, site.operand(2)?);
    let blocks = site.bound().input(1).shape();
    site.stored(input.indexed_iter().zip(computed).map(|((index, x), y)| {
        let scale = of_block(&scales, index.slice(), blocks, input.shape());
        if scale.is_point() && !scale.is_finite() {
            return y;
        }
        let zero_point = of_block(&zero_points, index.slice(), blocks, input.shape());
        precision.mul(precision.sub(precision.rounded(*x), precision.rounded(zero_point)), scale)
    }))
}

/// quantizeLinear: either neighbour of what lies near the middle of two integers.
pub(super) fn quantize(site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let precision = site.precision();
    let limits = limits(site.output().data_type).unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let (input, computed) = (site.array(0)?, points(site.computed(0))?);
    let (scales, zero_points) = (site.operand(1)?, site.operand(2)?);
    let blocks = site.bound().input(1).shape();
    site.stored(input.indexed_iter().zip(computed).map(|((index, x), y)| {
        let scale = of_block(&scales, index.slice(), blocks, input.shape());
        let are_points = x.is_point() && scale.is_point();
        if are_points && (!x.is_finite() || !scale.is_finite() || scale.least == 0.0) {
            return y.with_doubts_of(*x).with_doubts_of(scale);
        }
        let zero_point = of_block(&zero_points, index.slice(), blocks, input.shape());
        let quotient = precision.div(*x, scale).map(f64::round_ties_even);
        saturated(precision.add(quotient, zero_point), limits, zero_point)
    }))
}
