//! Rules for sums: of elements, of products, and what is made of them.
//!
//! A sum is bounded from three others over the same elements: that of their middles, that of their absolute values, which
//! the roundings are in proportion to, and that of their spreads. Where an operator is linear, all three are computed by
//! the interpreter's own sums.
//!
//! Where subnormal numbers are taken for 0, that may happen to every sum on the way, too: terms of either sign may cancel
//! to such a number at each addition. (A sum of terms of one sign is not subnormal unless all of them are, and those are
//! ranges down to 0 already.)

use ndarray::{ArrayD, ArrayView2, IxDyn};

use super::Ranges;
use super::elementwise;
use super::precision::{Precision, is_power_of_two};
use super::range::Range;
use super::site::{Site, listed, points};
use crate::index::{Along, axes, strides};
use crate::number::{self, count, size};
use crate::ops::conv2d::Conv2d;
use crate::ops::convtranspose2d::ConvTranspose2d;
use crate::ops::cumulativesum::CumulativeSum;
use crate::ops::gemm::Gemm;
use crate::ops::matmul::{dimension_of, multiply};
use crate::ops::pool2d::{Pool2d, Pooling};
use crate::ops::reduce::{Reduce, Reduction};
use crate::ops::resample2d::{Coordinate, MLInterpolationMode, Resample2d};
use crate::value::{Computed, broadcast, reserved};

/// A sum of ranges.
pub(super) fn sum(precision: Precision, terms: &[Range]) -> Range {
    let mut growing = Growing::default();
    terms.iter().for_each(|term| growing.add(*term));
    growing.range(precision)
}

/// A sum of ranges while it grows.
#[derive(Clone, Copy, Debug, Default)]
struct Growing {
    middle: number::Sum,
    magnitude: f64,
    spread: f64,
    terms: usize,
    /// Whether there are terms that may be below 0, and terms that may be above.
    signs: [bool; 2],
    infinite: Option<Range>,
    doubt: bool,
}

impl Growing {
    fn add(&mut self, term: Range) {
        self.doubt |= term.doubt;
        self.signs[0] |= term.least < 0.0;
        self.signs[1] |= term.greatest > 0.0;
        if !term.is_finite() {
            let others = self.infinite.map_or(term, |others| sum_of_infinite(others, term));
            self.infinite = Some(others);
            return;
        }
        self.middle.add(term.middle());
        self.magnitude += term.magnitude();
        self.spread += term.spread();
        // To add 0 is exact.
        self.terms += usize::from(term.magnitude() != 0.0);
    }

    fn range(&self, precision: Precision) -> Range {
        let range = match self.infinite {
            // An infinity, whatever is added to it, or NaN; or else it may be anything, and so may the sum.
            Some(infinite) if infinite.is_point() => infinite,
            Some(_) => Range::ANYTHING,
            None => {
                let additions = count(self.terms.saturating_sub(1));
                let flush = if self.signs == [true; 2] { precision.flush() } else { 0.0 };
                let errors = additions * (precision.unit() * self.magnitude + flush);
                precision.rounded(Range::around(self.middle.value(), spread(self.spread, self.magnitude) + errors))
            }
        };
        Range { doubt: range.doubt || self.doubt, ..range }
    }
}

/// A spread, with what binary64 loses of a middle and a spread where an end is far smaller than both.
fn spread(spread: f64, magnitude: f64) -> f64 {
    if spread == 0.0 { 0.0 } else { spread + magnitude * f64::EPSILON }
}

/// The sum of two terms that are not finite, or that need not be.
fn sum_of_infinite(a: Range, b: Range) -> Range {
    if !a.is_point() || !b.is_point() { Range::ANYTHING } else { Range::point(a.least + b.least) }
}

/// A sum of products of ranges, and of further terms.
pub(super) fn dot(precision: Precision, weights: &[Range], vector: &[Range], further: &[Range]) -> Range {
    let mut growing = Growing::default();
    let mut small_products = 0;
    for (weight, number) in weights.iter().zip(vector) {
        let product = exact_product(precision, *weight, *number);
        small_products += usize::from(product.magnitude() != 0.0 && product.magnitude() < precision.least_normal());
        growing.add(product);
    }
    further.iter().for_each(|term| growing.add(*term));
    // A product that is alone is rounded once, like any number.
    let roundings = if growing.terms > 1 { precision.unit() * growing.magnitude } else { 0.0 };
    growing.spread += roundings + count(small_products) * precision.underflow();
    growing.range(precision)
}

/// The same, where a term or a sum on the way may leave the range of the type: then it may be anything.
pub(super) fn dot_in_type(precision: Precision, weights: &[Range], vector: &[Range], further: &[Range]) -> Range {
    let products = weights.iter().zip(vector).map(|(weight, number)| weight.magnitude() * number.magnitude());
    let magnitude: f64 = products.chain(further.iter().map(Range::magnitude)).sum();
    if magnitude > precision.greatest() { Range::ANYTHING } else { dot(precision, weights, vector, further) }
}

/// Whether one of these is not a single number: of exact operands, a subnormal one that may be taken for 0.
fn has_widened<'a>(mut operands: impl Iterator<Item = &'a Range>) -> bool {
    operands.any(|range| range.least < range.greatest)
}

/// A product, before it is rounded.
fn exact_product(precision: Precision, a: Range, b: Range) -> Range {
    if !a.is_finite() || !b.is_finite() {
        return precision.mul(a, b);
    }
    let (middle, spread) = (a.middle() * b.middle(), a.middle().abs() * b.spread() + a.spread() * b.magnitude());
    Range::around(middle, self::spread(spread, a.magnitude() * b.magnitude())).with_doubts_of(a).with_doubts_of(b)
}

/// A linear operator: its two tensors, and a bias where it has one.
struct Linear<'a> {
    site: &'a Site<'a>,
    a: Vec<Range>,
    b: Vec<Range>,
    bias: Option<Vec<Range>>,
}

/// The interpreter's sums of the products of two tensors, and of a bias where there is one.
type Sums<'a> = dyn Fn(&[f64], &[f64], Option<&[f64]>) -> Computed<Vec<f64>> + 'a;

/// The sums from which each range of a linear operator is made: those of the middles, of the absolute values, of the
/// spreads, of the terms that are not 0, and of those in doubt.
struct Parts {
    middle: Vec<f64>,
    magnitude: Vec<f64>,
    spread: Vec<f64>,
    terms: Vec<f64>,
    doubtful: Vec<f64>,
}

impl Linear<'_> {
    fn parts(&self, sums: &Sums<'_>) -> Computed<Parts> {
        let of = |ranges: &[Range], part: fn(&Range) -> f64| listed(ranges.iter().map(part), ranges.len());
        let sums = |a: fn(&Range) -> f64, b: fn(&Range) -> f64, bias: fn(&Range) -> f64| {
            let bias = self.bias.as_deref().map(|ranges| of(ranges, bias)).transpose()?;
            sums(&of(&self.a, a)?, &of(&self.b, b)?, bias.as_deref())
        };
        let (zero, one) = (|_: &Range| 0.0, |_: &Range| 1.0);
        let distance = |range: &Range| range.middle().abs();
        // What may be NaN is as good as infinite.
        let magnitude = |range: &Range| if range.nan { f64::INFINITY } else { range.magnitude() };
        let not_zero = |range: &Range| if range.magnitude() == 0.0 { 0.0 } else { 1.0 };
        let doubt = |range: &Range| if range.doubt { 1.0 } else { 0.0 };
        let both = |mut a: Vec<f64>, b: Vec<f64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        let mut parts = Parts {
            magnitude: sums(magnitude, magnitude, magnitude)?,
            spread: zeros(self.site)?,
            terms: sums(not_zero, not_zero, not_zero)?,
            doubtful: zeros(self.site)?,
            middle: sums(Range::middle, Range::middle, Range::middle)?,
        };
        let any = |has: fn(&Range) -> bool| self.a.iter().chain(&self.b).chain(self.bias.iter().flatten()).any(has);
        if any(|range| range.spread() != 0.0) {
            let of_b = sums(distance, Range::spread, Range::spread)?;
            parts.spread = both(sums(Range::spread, Range::magnitude, zero)?, of_b);
        }
        if any(|range| range.doubt) {
            parts.doubtful = both(sums(doubt, one, doubt)?, sums(one, doubt, zero)?);
        }
        Ok(parts)
    }

    /// The ranges of the output.
    fn ranges(&self, sums: &Sums<'_>) -> Computed<Vec<Ranges>> {
        let (site, precision) = (self.site, self.site.precision());
        let (parts, computed) = (self.parts(sums)?, points(site.computed(0))?);
        let has_small_products = self.has_small_products(precision);
        let operands = self.a.iter().chain(&self.b).chain(self.bias.iter().flatten());
        let are_known = site.are_all_exact() && !has_widened(operands);
        let range = |index: usize| {
            let (magnitude, terms) = (parts.magnitude[index], parts.terms[index]);
            if !magnitude.is_finite() {
                return if are_known { computed[index] } else { Range::ANYTHING };
            }
            let middle = parts.middle[index];
            let roundings = if terms > 1.0 { terms * precision.unit() * magnitude } else { 0.0 };
            let underflow = if has_small_products { terms * precision.underflow() } else { 0.0 };
            let flush = if middle.abs() < magnitude { terms * precision.flush() } else { 0.0 };
            let errors = roundings + underflow + flush;
            let range = Range::around(middle, spread(parts.spread[index], magnitude) + errors);
            Range { doubt: parts.doubtful[index] > 0.0, ..range }
        };
        site.stored((0..computed.len()).map(range))
    }

    /// Whether a product may be too small for the type.
    fn has_small_products(&self, precision: Precision) -> bool {
        let least = |ranges: &[Range]| {
            let magnitudes = ranges.iter().map(Range::magnitude).filter(|magnitude| *magnitude != 0.0);
            magnitudes.fold(f64::INFINITY, f64::min)
        };
        least(&self.a) * least(&self.b) < precision.least_normal()
    }
}

/// conv2d
pub(super) fn conv2d(operation: &Conv2d, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (a, b, bias) = (site.operand(0)?, site.operand(1)?, site.optional(operation.bias)?);
    let shapes = [site.bound().input(0).shape(), site.bound().input(1).shape(), site.computed(0).shape()];
    Linear { site, a, b, bias }.ranges(&|x, w, bias| {
        let mut sums = zeros(site)?;
        operation.sums(x, w, bias, shapes, |index, sum| sums[index] = sum);
        Ok(sums)
    })
}

/// convTranspose2d
pub(super) fn conv_transpose2d(operation: &ConvTranspose2d, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (a, b, bias) = (site.operand(0)?, site.operand(1)?, site.optional(operation.bias)?);
    let shapes = [site.bound().input(0).shape(), site.bound().input(1).shape(), site.computed(0).shape()];
    Linear { site, a, b, bias }.ranges(&|x, w, bias| {
        let mut sums = zeros(site)?;
        operation.sums(x, w, bias, shapes, |index, sum| sums[index] = sum)?;
        Ok(sums)
    })
}

fn zeros(site: &Site<'_>) -> Computed<Vec<f64>> {
    let length = site.computed(0).shape().iter().product();
    let mut zeros = reserved(length)?;
    zeros.resize(length, 0.0);
    Ok(zeros)
}

/// matmul
pub(super) fn matmul(site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let shape = &site.output().shape;
    let (batch_shape, matrix) = shape.split_at(shape.len() - 2);
    let (rows, columns) = (size(matrix[0]), size(matrix[1]));
    let stacked = |x: &ArrayD<Range>| -> Computed<Vec<Range>> {
        let mut stacked_shape = batch_shape.to_vec();
        stacked_shape.extend(x.shape()[x.ndim() - 2..].iter().map(|dimension| dimension_of(*dimension)));
        let view = broadcast(x, &stacked_shape)?;
        listed(view.iter().copied(), view.len())
    };
    let (a, b) = (site.array(0)?, site.array(1)?);
    let inner = a.shape()[a.ndim() - 1];
    let batches: usize = batch_shape.iter().copied().map(size).product();
    Linear { site, a: stacked(&a)?, b: stacked(&b)?, bias: None }.ranges(&|a, b, _| {
        let mut sums = zeros(site)?;
        for batch in 0..batches {
            let a = &a[batch * rows * inner..][..rows * inner];
            let b = &b[batch * inner * columns..][..inner * columns];
            let sums = &mut sums[batch * rows * columns..][..rows * columns];
            multiply(a, b, [rows, inner, columns], |index, sum| sums[index] = sum)?;
        }
        Ok(sums)
    })
}

/// gemm: alpha * (sum of a * b) + beta * c, where alpha and beta may be multiplied with whatever comes first.
pub(super) fn gemm(operation: &Gemm, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (precision, computed) = (site.precision(), points(site.computed(0))?);
    let shape = site.computed(0).shape();
    let (rows, columns) = (shape[0], shape[1]);
    let (a, b) = (site.array(0)?, site.array(1)?);
    let transposed = |x: &ArrayD<Range>, transpose: bool| {
        let view = if transpose { x.t() } else { x.view() };
        listed(view.iter().copied(), view.len())
    };
    let (a, b) = (transposed(&a, operation.a_transpose)?, transposed(&b, !operation.b_transpose)?);
    let (a, b) = (matrix(&a, rows), matrix(&b, columns));
    let c = operation.c.map(|_| listed(site.broadcast(2)?, computed.len())).transpose()?;
    // A subnormal operand that is taken for 0 makes NaN of an infinity.
    let are_flushed = has_widened(a.iter().chain(&b).chain(c.iter().flatten()));
    // What is scaled leaves the range of the type where the result need not: 1.2 times the greatest number, less that.
    let scaled = |factor: f64, range: Range| precision.on_the_way(precision.mul(Range::point(factor), range));
    let range = |index: usize| {
        let (row, column) = (index / columns, index % columns);
        let (a, b): (Vec<Range>, Vec<Range>) = (a.row(row).to_vec(), b.row(column).to_vec());
        let further = c.as_ref().map(|c| scaled(operation.beta, c[index]));
        // alpha before, with either factor, or after: one rounding more for each product.
        let before =
            |factors: &[Range]| -> Vec<Range> { factors.iter().map(|x| scaled(operation.alpha, *x)).collect() };
        let range = dot(precision, &before(&a), &b, further.as_slice());
        let range = range.or(dot(precision, &a, &before(&b), further.as_slice()));
        let after = scaled(operation.alpha, precision.on_the_way(dot(precision, &a, &b, &[])));
        let after = further.map_or(after, |further| precision.add(after, further));
        let either = range.or(after);
        let has_infinity = a.iter().chain(&b).chain(c.iter().map(|c| &c[index])).any(|operand| !operand.is_finite());
        if !has_infinity || !site.are_all_exact() {
            either
        } else if are_flushed {
            Range::ANYTHING
        } else {
            computed[index].with_doubts_of(either)
        }
    };
    site.stored((0..computed.len()).map(range))
}

fn matrix(elements: &[Range], rows: usize) -> ArrayView2<'_, Range> {
    ArrayView2::from_shape((rows, elements.len().checked_div(rows).unwrap_or(0)), elements).expect("a matrix")
}

/// cumulativeSum
pub(super) fn cumulative_sum(operation: &CumulativeSum, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    if site.are_integers() && site.are_all_exact() {
        return Ok(site.exact());
    }
    let precision = site.precision();
    let x = site.operand(0)?;
    let along = Along::new(site.computed(0).shape(), operation.axis);
    let mut y = x.clone();
    for lane in 0..along.before * along.after {
        let (before, after) = (lane / along.after, lane % along.after);
        let mut growing = Growing::default();
        for index in 0..along.dimension {
            let index = if operation.reversed { along.dimension - 1 - index } else { index };
            let place = along.offset(before, index, after);
            let preceding = growing;
            growing.add(x[place]);
            y[place] = if operation.exclusive { preceding } else { growing }.range(precision);
        }
    }
    site.stored(y.into_iter())
}

/// averagePool2d, l2Pool2d, maxPool2d
pub(super) fn pool2d(operation: &Pool2d, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    if site.are_integers() && site.are_all_exact() {
        return Ok(site.exact());
    }
    let (precision, computed) = (site.precision(), points(site.computed(0))?);
    let reduction = match operation.pooling {
        Pooling::AveragePool2d => Reduction::Mean,
        Pooling::L2Pool2d => Reduction::L2,
        Pooling::MaxPool2d => Reduction::Max,
    };
    let shapes = [site.bound().input(0).shape(), site.computed(0).shape()];
    let mut y = computed.clone();
    operation.windows(&site.operand(0)?, shapes, |index, window| {
        if !window.is_empty() {
            y[index] = reduced(reduction, precision, window, computed[index]);
        }
    })?;
    site.stored(y.into_iter())
}

/// The reductions.
pub(super) fn reduce(operation: &Reduce, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    if site.are_integers() && site.are_all_exact() {
        return Ok(site.exact());
    }
    let (precision, computed) = (site.precision(), points(site.computed(0))?);
    let input = site.array(0)?;
    let (reduced_axes, kept): (Vec<u32>, Vec<u32>) =
        axes(input.ndim()).into_iter().partition(|axis| operation.axes.contains(axis));
    let permutation: Vec<usize> = kept.iter().chain(&reduced_axes).copied().map(size).collect();
    let length: usize = reduced_axes.iter().map(|axis| input.shape()[size(*axis)]).product();
    let x = listed(input.view().permuted_axes(IxDyn(&permutation)).iter().copied(), input.len())?;
    let run = |index: usize| &x[index * length..(index + 1) * length];
    site.stored(computed.iter().enumerate().map(|(index, computed)| match run(index) {
        [] => *computed,
        run => reduced(operation.reduction, precision, run, *computed),
    }))
}

/// What ranges are reduced to, given what the interpreter computed.
fn reduced(reduction: Reduction, precision: Precision, x: &[Range], computed: Range) -> Range {
    let doubt = x.iter().any(|range| range.doubt);
    let are_points = x.iter().all(Range::is_point);
    let are_finite = x.iter().all(Range::is_finite);
    if are_points && !are_finite {
        return Range { doubt, ..computed };
    }
    let squares = || x.iter().map(|range| range.abs()).map(|x| precision.mul(x, x)).collect::<Vec<_>>();
    let extreme = |of: fn(f64, f64) -> f64| {
        let both = |a: Range, b: Range| Range {
            nan: a.nan || b.nan,
            ..Range::between(of(a.least, b.least), of(a.greatest, b.greatest))
        };
        if x.iter().any(Range::is_nan) { Range::NAN } else { x.iter().copied().reduce(both).unwrap_or(computed) }
    };
    let range = match reduction {
        Reduction::L1 => sum(precision, &x.iter().map(|range| range.abs()).collect::<Vec<_>>()),
        Reduction::L2 => precision.sqrt(sum(precision, &squares())),
        Reduction::LogSum => precision.log(sum(precision, x)),
        Reduction::LogSumExp => log_sum_exp(precision, x),
        Reduction::Max => extreme(f64::max),
        Reduction::Mean => precision.div(sum(precision, x), Range::point(count(x.len()))),
        Reduction::Min => extreme(f64::min),
        Reduction::Product => product(precision, x),
        Reduction::Sum => sum(precision, x),
        Reduction::SumSquare => sum(precision, &squares()),
    };
    Range { doubt: range.doubt || doubt, ..range }
}

/// The logarithm of the sum of the exponentials as they are, or of their quotients by the greatest.
fn log_sum_exp(precision: Precision, x: &[Range]) -> Range {
    let log_of_sum = |x: Vec<Range>| {
        let exponentials: Vec<Range> = x.into_iter().map(|x| precision.exp(x)).collect();
        precision.log(sum(precision, &exponentials))
    };
    let greatest = x.iter().map(|range| range.greatest).fold(f64::NEG_INFINITY, f64::max);
    let shift = Range::point(greatest);
    let shifted = x.iter().map(|x| precision.sub(*x, shift)).collect();
    let without_overflow = precision.add(shift, log_of_sum(shifted));
    let naive = log_of_sum(x.to_vec());
    if naive.is_finite() { naive.or(without_overflow) } else { without_overflow }
}

/// A product of many: each rounding is relative, but for those of numbers that are too small.
fn product(precision: Precision, x: &[Range]) -> Range {
    let exact = x.iter().copied().reduce(exact_interval).unwrap_or(Range::point(1.0));
    let roundings = count(x.len() - 1);
    let relative = (1.0 + precision.unit()).powf(roundings) - 1.0;
    let greatest_factor: f64 = x.iter().map(|x| x.magnitude().max(1.0)).product();
    let least_factor: f64 = x.iter().map(|x| x.abs().least.min(1.0)).product();
    let underflow = if least_factor < precision.least_normal() && x.len() > 1 {
        roundings * precision.underflow() * greatest_factor
    } else {
        0.0
    };
    let error = |number: f64| number.abs() * relative + underflow;
    if !exact.is_finite() || !underflow.is_finite() {
        return Range::ANYTHING;
    }
    if x.len() == 1 || exact.magnitude() == 0.0 {
        return exact;
    }
    precision.rounded(Range {
        least: exact.least - error(exact.least),
        greatest: exact.greatest + error(exact.greatest),
        ..exact
    })
}

/// All products of two ranges, exactly.
fn exact_interval(a: Range, b: Range) -> Range {
    if !a.is_finite() || !b.is_finite() {
        return Range::ANYTHING;
    }
    let of = |a: f64| Range::between(a * b.least, a * b.greatest);
    of(a.least).or(of(a.greatest)).with_doubts_of(a).with_doubts_of(b)
}

/// resample2d. Coordinates are no data, and are computed in float32 at least.
pub(super) fn resample2d(operation: &Resample2d, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let x = site.array(0)?;
    let output_shape = site.computed(0).shape();
    let axes = operation.axes.map(size);
    let strides = strides(output_shape);
    let elements = (0..output_shape.iter().product()).map(|offset: usize| {
        let index: Vec<usize> =
            strides.iter().zip(output_shape).map(|(stride, dimension)| offset / stride % dimension).collect();
        let places = axes.map(|axis| Place::new(index[axis], x.shape()[axis], output_shape[axis]));
        let at = |row: usize, column: usize| {
            let mut from = index.clone();
            (from[axes[0]], from[axes[1]]) = (row, column);
            x[from.as_slice()]
        };
        match operation.mode {
            MLInterpolationMode::NearestNeighbor => nearest(places, at),
            MLInterpolationMode::Linear => linear(site, places, at),
        }
    });
    site.stored(elements)
}

/// A place along an axis, and how far off it may be taken for.
#[derive(Clone, Copy, Debug)]
struct Place {
    coordinate: Coordinate,
    place: f64,
    error: f64,
    last: usize,
}

impl Place {
    fn new(index: usize, input_size: usize, output_size: usize) -> Self {
        let coordinate = Coordinate::new(index, input_size, output_size);
        let place = coordinate.to_f64();
        // The scale, the quotient, and the differences of 0.5: each is rounded once, but where all are exact.
        let is_exact = is_power_of_two(count(input_size) / count(output_size));
        let error = if is_exact { 0.0 } else { 4.0 * f64::powi(2.0, -24) * (place + 1.0) };
        Self { coordinate, place, error, last: input_size - 1 }
    }

    /// The elements between which the place may lie.
    fn neighbours(&self) -> std::ops::RangeInclusive<usize> {
        let [floor, ceil] = self.coordinate.both_sides();
        let is_near = |integer: usize| (self.place - count(integer)).abs() <= self.error;
        floor - usize::from(is_near(floor) && floor > 0)..=ceil + usize::from(is_near(ceil) && ceil < self.last)
    }

    /// The elements that may be the nearest.
    fn nearest(&self) -> [usize; 2] {
        let [floor, ceil] = self.coordinate.both_sides();
        let is_near_middle = (self.place - count(floor) - 0.5).abs() <= self.error && self.error > 0.0;
        if is_near_middle { [floor, ceil] } else { [self.coordinate.nearest(); 2] }
    }
}

/// The nearest element; either of two that are about as near.
fn nearest([row, column]: [Place; 2], at: impl Fn(usize, usize) -> Range) -> Range {
    let [[top, bottom], [left, right]] = [row.nearest(), column.nearest()];
    let any = at(top, left).or(at(top, right)).or(at(bottom, left)).or(at(bottom, right));
    if top == bottom && left == right { any } else { any.doubtful() }
}

/// The number between four: an error of the place counts as much as the elements around it differ.
fn linear(site: &Site<'_>, [row, column]: [Place; 2], at: impl Fn(usize, usize) -> Range) -> Range {
    let around = row.neighbours().flat_map(|row| column.neighbours().map(move |column| (row, column)));
    let hull = around.map(|(row, column)| at(row, column)).reduce(Range::or).unwrap_or(Range::ANYTHING);
    if !hull.is_finite() {
        return Range::ANYTHING;
    }
    let [rows, columns] = [row, column].map(|place| place.coordinate.both_sides());
    let weights = |place: Place| {
        let above = place.place - count(place.coordinate.both_sides()[0]);
        [1.0 - above, above]
    };
    let (of_rows, of_columns) = (weights(row), weights(column));
    let mut middle = 0.0;
    let (mut magnitude, mut spread) = (0.0, 0.0);
    for (row, of_row) in rows.into_iter().zip(of_rows) {
        for (column, of_column) in columns.into_iter().zip(of_columns) {
            let (range, weight) = (at(row, column), of_row * of_column);
            middle += weight * range.middle();
            magnitude += weight * range.magnitude();
            spread += weight * range.spread();
        }
    }
    // Two steps, in each of which a weight, a product and a sum are rounded; none where there is nothing between.
    let is_between = of_rows[1] * of_columns[1] != 0.0 || of_rows[1] + of_columns[1] != 0.0;
    let precision = site.precision();
    let unit = if precision.is_of_integers() { f64::powi(2.0, -24) } else { precision.unit() };
    let roundings = if is_between { 6.0 * (unit * magnitude + precision.flush()) } else { 0.0 };
    let of_places = (row.error + column.error) * (hull.greatest - hull.least);
    let range =
        Range { doubt: hull.doubt, ..Range::around(middle, self::spread(spread, magnitude) + roundings + of_places) };
    if site.are_integers() { elementwise::rounded_to_integer(range) } else { range }
}
