//! Rules for the normalizations, by their decompositions.

use ndarray::{ArrayD, IxDyn};

use super::Ranges;
use super::precision::Precision;
use super::range::Range;
use super::site::{Site, listed, points};
use super::sums::sum;
use crate::index::{Along, axes};
use crate::number::{count, size};
use crate::ops::batchnormalization::BatchNormalization;
use crate::ops::conv2d::four;
use crate::ops::instancenormalization::InstanceNormalization;
use crate::ops::layernormalization::LayerNormalization;
use crate::ops::softmax::Softmax;
use crate::value::Computed;

/// A number less its mean, and what that is divided by: sqrt(variance + epsilon).
#[derive(Clone, Copy)]
struct Quotient {
    deviation: Range,
    divisor: Range,
}

impl Quotient {
    fn range(self, precision: Precision) -> Range {
        // The decompositions round here to the type, and so leave its range where a variance is small.
        precision.on_the_way(precision.div(self.deviation, self.divisor))
    }

    /// The same with a factor, which may be multiplied with either or with the quotient: what is too small for the type
    /// on one of these ways need not be on another.
    fn scaled(self, precision: Precision, scale: Range) -> Range {
        let of_deviation = precision.div(precision.mul(scale, self.deviation), self.divisor);
        let of_divisor = precision.mul(precision.div(scale, self.divisor), self.deviation);
        precision.mul(scale, self.range(precision)).or(of_deviation).or(of_divisor)
    }

    /// scale * deviation / divisor + bias.
    fn affine(self, precision: Precision, scale: Option<Range>, bias: Option<Range>) -> Range {
        let scaled = scale.map_or_else(|| self.range(precision), |scale| self.scaled(precision, scale));
        bias.map_or(scaled, |bias| precision.add(scaled, bias))
    }
}

/// What a variance divides by: sqrt(variance + epsilon).
fn divisor(precision: Precision, variance: Range, epsilon: f64) -> Range {
    precision.sqrt(precision.add(variance, Range::point(epsilon)))
}

/// batchNormalization
pub(super) fn batch(operation: &BatchNormalization, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (precision, computed) = (site.precision(), points(site.computed(0))?);
    let (x, means, variances) = (site.operand(0)?, site.operand(1)?, site.operand(2)?);
    let (scales, biases) = (site.optional(operation.scale)?, site.optional(operation.bias)?);
    let along = Along::new(site.computed(0).shape(), operation.axis);
    site.stored(x.iter().zip(computed).enumerate().map(|(index, (x, y))| {
        let feature = index / along.after % along.dimension;
        let of_feature = |ranges: &Option<Vec<Range>>| ranges.as_ref().map(|ranges| ranges[feature]);
        let (scale, bias) = (of_feature(&scales), of_feature(&biases));
        if let Some(range) = if_infinite([*x, means[feature], variances[feature]].into_iter(), y) {
            return range;
        }
        let deviation = precision.sub(*x, means[feature]);
        let divisor = divisor(precision, variances[feature], operation.epsilon);
        Quotient { deviation, divisor }.affine(precision, scale, bias)
    }))
}

/// Where an operand is not finite: what the interpreter says if all are exact, and otherwise nothing.
fn if_infinite(operands: impl Iterator<Item = Range>, computed: Range) -> Option<Range> {
    let (mut are_finite, mut are_points, mut doubt) = (true, true, false);
    for operand in operands {
        are_finite &= operand.is_finite();
        are_points &= operand.is_point();
        doubt |= operand.doubt;
    }
    match (are_finite, are_points) {
        (true, _) => None,
        (false, true) => Some(Range { doubt, ..computed }),
        (false, false) => Some(Range::ANYTHING),
    }
}

/// instanceNormalization
pub(super) fn instance(operation: &InstanceNormalization, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let permutation = operation.layout.to_nchw([0, 1, 2, 3]);
    let [_, channels, _, _] = operation.layout.to_nchw(four(site.computed(0).shape()));
    let (scales, biases) = (site.optional(operation.scale)?, site.optional(operation.bias)?);
    let of_channel = |ranges: &Option<Vec<Range>>, layer: usize| ranges.as_ref().map(|ranges| ranges[layer % channels]);
    layers(site, &permutation, 2, operation.epsilon, |layer, _| {
        [of_channel(&scales, layer), of_channel(&biases, layer)]
    })
}

/// layerNormalization
pub(super) fn layer(operation: &LayerNormalization, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let rank = site.computed(0).shape().len();
    let kept = axes(rank).into_iter().filter(|axis| !operation.axes.contains(axis));
    let permutation: Vec<usize> = kept.chain(operation.axes.iter().copied()).map(size).collect();
    let (scales, biases) = (site.optional(operation.scale)?, site.optional(operation.bias)?);
    let of_place = |ranges: &Option<Vec<Range>>, place: usize| ranges.as_ref().map(|ranges| ranges[place]);
    layers(site, &permutation, operation.axes.len(), operation.epsilon, |_, place| {
        [of_place(&scales, place), of_place(&biases, place)]
    })
}

/// The ranges of layers, each normalized by its own mean and variance: the elements that follow one another along the last
/// `layer_rank` axes, after `permutation`. `factors` gives scale and bias for a layer and a place in it.
fn layers(
    site: &Site<'_>,
    permutation: &[usize],
    layer_rank: usize,
    epsilon: f64,
    factors: impl Fn(usize, usize) -> [Option<Range>; 2],
) -> Computed<Vec<Ranges>> {
    let (precision, computed) = (site.precision(), points(site.computed(0))?);
    let x = site.array(0)?;
    let numbers = listed(0..x.len(), x.len())?;
    let numbers = ArrayD::from_shape_vec(x.raw_dim(), numbers).expect("as many numbers as elements");
    let places = listed(numbers.view().permuted_axes(IxDyn(permutation)).iter().copied(), x.len())?;
    let elements = x.into_raw_vec_and_offset().0;
    let of_a_layer = &permutation[permutation.len() - layer_rank..];
    let length: usize = of_a_layer.iter().map(|axis| site.computed(0).shape()[*axis]).product();
    let mut y = computed.clone();
    for (layer, places) in places.chunks(length.max(1)).enumerate() {
        let x: Vec<Range> = places.iter().map(|place| elements[*place]).collect();
        let normalized = x.iter().all(Range::is_finite).then(|| normalized(precision, &x, epsilon));
        for (index, place) in places.iter().enumerate() {
            let [scale, bias] = factors(layer, index);
            y[*place] = match &normalized {
                Some(normalized) => normalized[index].affine(precision, scale, bias),
                None => if_infinite(x.iter().copied(), computed[*place]).unwrap_or(Range::ANYTHING),
            };
        }
    }
    site.stored(y.into_iter())
}

/// (x - mean) / sqrt(variance + epsilon), the variance as the mean of the squares of x - mean.
fn normalized(precision: Precision, x: &[Range], epsilon: f64) -> Vec<Quotient> {
    let length = Range::point(count(x.len()));
    let mean = precision.div(sum(precision, x), length);
    let deviations: Vec<Range> = x.iter().map(|x| precision.sub(*x, mean)).collect();
    let squares: Vec<Range> = deviations.iter().map(|x| x.abs()).map(|x| precision.mul(x, x)).collect();
    let variance = precision.div(sum(precision, &squares), length);
    let divisor = divisor(precision, variance, epsilon);
    deviations.into_iter().map(|deviation| Quotient { deviation, divisor }).collect()
}

/// softmax
pub(super) fn softmax(operation: &Softmax, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    let (precision, x) = (site.precision(), site.operand(0)?);
    let mut y = points(site.computed(0))?;
    let along = Along::new(site.computed(0).shape(), operation.axis);
    for lane in 0..along.before * along.after {
        let places = (0..along.dimension).map(|index| along.offset(lane / along.after, index, lane % along.after));
        let places: Vec<usize> = places.collect();
        // exp(-Infinity) is 0, exactly, beside numbers that are finite.
        let counts = |place: &usize| !(x[*place].is_point() && x[*place].least == f64::NEG_INFINITY);
        let counting: Vec<usize> = places.iter().copied().filter(counts).collect();
        let are_finite = !counting.is_empty() && counting.iter().all(|place| x[*place].is_finite());
        let places = if are_finite { counting } else { places };
        let of_lane: Vec<Range> = places.iter().map(|place| x[*place]).collect();
        let infinite = |place: usize| if_infinite(of_lane.iter().copied(), y[place]);
        let ranges: Vec<Range> = match places.first().copied().and_then(infinite) {
            Some(_) => places.iter().filter_map(|place| infinite(*place)).collect(),
            None => quotients(precision, &of_lane),
        };
        for (place, range) in places.into_iter().zip(ranges) {
            y[place] = range;
        }
    }
    site.stored(y.into_iter())
}

/// exp(x - max) / sum of exp(x - max). It rises with its own x and falls with the others'; the shifted argument's rounding
/// is as much of the exponential as it is itself.
fn quotients(precision: Precision, x: &[Range]) -> Vec<Range> {
    let unit = precision.unit();
    let greatest = x.iter().map(|range| range.greatest).fold(f64::NEG_INFINITY, f64::max);
    let exp = |number: f64| (number - greatest).exp();
    let relative = |x: &Range| {
        let shifted = greatest - x.least;
        unit * shifted + 2.0 * unit * precision.exp_ulp(shifted)
    };
    let of_greatest: f64 = x.iter().map(|x| exp(x.greatest)).sum();
    let weighted: f64 = x.iter().map(|x| exp(x.greatest) * relative(x)).sum();
    let of_sum = weighted / of_greatest + count(x.len() - 1) * unit;
    let doubt = x.iter().any(|range| range.doubt);
    let greatest_others = sums_of_others(x.iter().map(|x| exp(x.greatest)));
    let least_others = sums_of_others(x.iter().map(|x| exp(x.least)));
    let quotient = |(x, others): (&Range, [f64; 2])| {
        let [greatest_others, least_others] = others;
        let least = exp(x.least) / (greatest_others + exp(x.least)) * (1.0 - relative(x)) / (1.0 + of_sum);
        let above = exp(x.greatest) / (least_others + exp(x.greatest)) * (1.0 + relative(x));
        let greatest = if of_sum < 1.0 { above / (1.0 - of_sum) } else { f64::INFINITY };
        let range = precision.within_ulp(Range::between(least.max(0.0), greatest.min(1.0)), 2.5);
        let underflow = if least < precision.least_normal() { precision.underflow() } else { 0.0 };
        let range = precision.within(range, underflow);
        Range { least: range.least.max(0.0), doubt, ..range }
    };
    let others = greatest_others.into_iter().zip(least_others).map(<[f64; 2]>::from);
    x.iter().zip(others).map(quotient).collect()
}

/// For each number the sum of all but itself. (The sum of all less the number is 0 where the others are far smaller.)
fn sums_of_others(numbers: impl DoubleEndedIterator<Item = f64> + Clone) -> Vec<f64> {
    let before = |sum: &mut f64, number: f64| Some(std::mem::replace(sum, *sum + number));
    let mut after: Vec<f64> = numbers.clone().rev().scan(0.0, before).collect();
    after.reverse();
    numbers.scan(0.0, before).zip(after).map(|(before, after)| before + after).collect()
}
