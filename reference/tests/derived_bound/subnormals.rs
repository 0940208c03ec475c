//! Subnormal numbers, which may be lost where that is granted.

use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::derived_bound::Allowance;
use webnn_reference::exception::Result;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::batchnormalization::MLBatchNormalizationOptions;
use webnn_reference::ops::conv2d::MLConv2dOptions;
use webnn_reference::ops::gemm::MLGemmOptions;
use webnn_reference::ops::instancenormalization::MLInstanceNormalizationOptions;
use webnn_reference::ops::layernormalization::MLLayerNormalizationOptions;
use webnn_reference::ops::pool2d::MLPool2dOptions;
use webnn_reference::ops::reduce::MLReduceOptions;
use webnn_reference::ops::resample2d::{MLInterpolationMode, MLResample2dOptions};

use crate::bounded::{constant, o, outputs};
use crate::hardware::Chance;

#[test]
fn subnormals_may_be_lost_where_that_is_granted() -> Result<()> {
    let small = f32::MIN_POSITIVE / 4.0;
    let product = |flushes_subnormals| {
        outputs(Allowance { flushes_subnormals }, |b| {
            Ok(vec![b.mul(&constant(b, &[2], &[small, 1.0]), &constant(b, &[2], &[1f32, 1.0]), &o())?])
        })
    };
    let (kept, flushed) = (product(false)?.remove(0), product(true)?.remove(0));
    assert!(!kept.holds(0, 0.0) && flushed.holds(0, 0.0) && flushed.holds(0, small) && !flushed.holds(0, 2.0 * small));
    assert!(!flushed.holds(1, 0.0));
    Ok(())
}

#[test]
fn a_subnormal_that_is_taken_for_zero_makes_nan_of_an_infinity() -> Result<()> {
    let products = |flushes_subnormals| {
        outputs(Allowance { flushes_subnormals }, |b| {
            let (small, infinite) = (constant(b, &[1, 1], &[1e-45f32]), constant(b, &[1, 1], &[f32::NEG_INFINITY]));
            Ok(vec![b.matmul(&small, &infinite, &o())?, b.gemm(&small, &infinite, &Default::default())?])
        })
    };
    for (kept, flushed) in products(false)?.iter().zip(products(true)?.iter()) {
        assert!(kept.holds(0, f64::NEG_INFINITY) && !kept.holds(0, f64::NAN));
        assert!(flushed.holds(0, f64::NEG_INFINITY) && flushed.holds(0, f64::NAN));
    }
    Ok(())
}

/// A number as an adapter has it that takes subnormal numbers for 0: each operand and each result.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flushing(f32);

impl Flushing {
    fn of(number: f32) -> Self {
        Self(if number.is_subnormal() { 0.0 } else { number })
    }
    fn add(self, other: Self) -> Self {
        Self::of(self.0 + other.0)
    }
    fn sub(self, other: Self) -> Self {
        Self::of(self.0 - other.0)
    }
    fn mul(self, other: Self) -> Self {
        Self::of(self.0 * other.0)
    }
    fn div(self, other: Self) -> Self {
        Self::of(self.0 / other.0)
    }
    fn sqrt(self) -> Self {
        Self::of(self.0.sqrt())
    }
}

/// The sum of numbers, one by one.
fn flushing_sum(terms: impl IntoIterator<Item = Flushing>) -> Flushing {
    terms.into_iter().reduce(Flushing::add).expect("some")
}

/// (x - mean) / sqrt(variance + epsilon), and what is made of that by a factor in three places, and a bias.
fn flushing_normalization(x: &[Flushing], [scale, bias]: [Flushing; 2], epsilon: f32) -> [Vec<Flushing>; 3] {
    let count = Flushing(f32::from(u16::try_from(x.len()).expect("few")));
    let mean = flushing_sum(x.iter().copied()).div(count);
    let deviations: Vec<Flushing> = x.iter().map(|x| x.sub(mean)).collect();
    let variance = flushing_sum(deviations.iter().map(|x| x.mul(*x))).div(count);
    let divisor = variance.add(Flushing::of(epsilon)).sqrt();
    let each = |way: fn(Flushing, Flushing, Flushing) -> Flushing| {
        deviations.iter().map(|deviation| way(scale, *deviation, divisor).add(bias)).collect()
    };
    [
        each(|scale, deviation, divisor| scale.mul(deviation.div(divisor))),
        each(|scale, deviation, divisor| scale.mul(deviation).div(divisor)),
        each(|scale, deviation, divisor| scale.div(divisor).mul(deviation)),
    ]
}

/// How honest computations that lose subnormal numbers fare with bounds.
#[derive(Default)]
struct Lost {
    /// How many elements are outside if nothing of it is granted.
    outside: usize,
}

impl Lost {
    /// Each of these computations is inside where it is granted that subnormal numbers are lost.
    fn holds(&mut self, ways: &[Vec<Flushing>], build: impl Fn(&MLGraphBuilder) -> Result<MLOperand>) -> Result<()> {
        let of = |flushes_subnormals| outputs(Allowance { flushes_subnormals }, |b| Ok(vec![build(b)?]));
        let (kept, granted) = (of(false)?.remove(0), of(true)?.remove(0));
        for way in ways {
            assert_eq!(way.len(), granted.numbers.len());
            for (index, Flushing(number)) in way.iter().enumerate() {
                let range = granted.range(index);
                assert!(
                    granted.holds(index, *number),
                    "{number:e}, and not {:e}, of {range:?}",
                    granted.numbers[index]
                );
                self.outside += usize::from(!kept.holds(index, *number));
            }
        }
        Ok(())
    }
}

/// Numbers of either sign, next to the least normal number.
fn small(chance: &mut Chance, count: usize) -> Vec<f32> {
    chance.numbers::<f32>(count).into_iter().map(|number| number * f32::MIN_POSITIVE).collect()
}

fn flushing(numbers: &[f32]) -> Vec<Flushing> {
    numbers.iter().copied().map(Flushing::of).collect()
}

#[test]
fn normalizations_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(41), Lost::default());
    for round in 0..200u8 {
        let (x, epsilon) = (small(&mut chance, 5), f32::powi(10.0, -i32::from(round % 12)));
        let bias = small(&mut chance, 1);
        let scale = if round % 2 == 0 { small(&mut chance, 1) } else { chance.numbers(1) };
        let ways = flushing_normalization(&flushing(&x), [Flushing::of(scale[0]), Flushing::of(bias[0])], epsilon);
        let repeated = |b: &MLGraphBuilder, number: &[f32]| constant(b, &[5], &[number[0]; 5]);
        lost.holds(&ways, |b| {
            let (scale, bias) = (Some(repeated(b, &scale)), Some(repeated(b, &bias)));
            let options = MLLayerNormalizationOptions {
                axes: Some(vec![0]),
                scale,
                bias,
                epsilon: epsilon.into(),
                ..Default::default()
            };
            b.layer_normalization(&constant(b, &[5], &x), &options)
        })?;
        lost.holds(&ways, |b| {
            let (scale, bias) = (Some(constant(b, &[1], &scale)), Some(constant(b, &[1], &bias)));
            let options = MLInstanceNormalizationOptions { scale, bias, epsilon: epsilon.into(), ..Default::default() };
            b.instance_normalization(&constant(b, &[1, 1, 5, 1], &x), &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn a_batch_normalization_may_lose_a_subnormal_in_any_of_its_products() -> Result<()> {
    let (mut chance, mut lost) = (Chance(43), Lost::default());
    for round in 0..200u8 {
        let (x, mean, bias) = (small(&mut chance, 4), small(&mut chance, 1), small(&mut chance, 1));
        let scale: Vec<f32> = chance.numbers(1);
        let (variance, epsilon) = (f32::powi(10.0, -2 * i32::from(round % 20)), 0.0);
        let divisor = Flushing::of(variance).add(Flushing::of(epsilon)).sqrt();
        let scaled = |way: fn(Flushing, Flushing, Flushing) -> Flushing| -> Vec<Flushing> {
            let deviations = flushing(&x).into_iter().map(|x| x.sub(Flushing::of(mean[0])));
            deviations.map(|x| way(Flushing::of(scale[0]), x, divisor).add(Flushing::of(bias[0]))).collect()
        };
        let ways = [
            scaled(|scale, deviation, divisor| scale.mul(deviation.div(divisor))),
            scaled(|scale, deviation, divisor| scale.mul(deviation).div(divisor)),
            scaled(|scale, deviation, divisor| scale.div(divisor).mul(deviation)),
        ];
        lost.holds(&ways, |b| {
            let (scale, bias) = (Some(constant(b, &[1], &scale)), Some(constant(b, &[1], &bias)));
            let options =
                MLBatchNormalizationOptions { scale, bias, axis: 0, epsilon: epsilon.into(), ..Default::default() };
            let (mean, variance) = (constant(b, &[1], &mean), constant(b, &[1], &[variance]));
            b.batch_normalization(&constant(b, &[1, 4], &x), &mean, &variance, &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn sums_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(47), Lost::default());
    for _ in 0..200 {
        let x = small(&mut chance, 6);
        let terms = flushing(&x);
        let shuffled = chance.shuffled(&terms);
        let along = MLReduceOptions::default;
        let sums = [vec![flushing_sum(terms.clone())], vec![flushing_sum(shuffled)]];
        lost.holds(&sums, |b| b.reduce_sum(&constant(b, &[6], &x), &along()))?;
        let means = sums.map(|sum| vec![sum[0].div(Flushing(6.0))]);
        lost.holds(&means, |b| b.reduce_mean(&constant(b, &[6], &x), &along()))?;
        let growing = (1..=6).map(|count| flushing_sum(terms[..count].iter().copied())).collect();
        lost.holds(&[growing], |b| b.cumulative_sum(&constant(b, &[6], &x), 0, &Default::default()))?;
        let averages = vec![
            flushing_sum(terms[..3].iter().copied()).div(Flushing(3.0)),
            flushing_sum(terms[3..].iter().copied()).div(Flushing(3.0)),
        ];
        lost.holds(&[averages], |b| {
            let options = MLPool2dOptions { window_dimensions: Some(vec![1, 3]), ..Default::default() };
            b.average_pool2d(&constant(b, &[1, 1, 2, 3], &x), &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn sums_of_products_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(53), Lost::default());
    for _ in 0..200 {
        // Numbers whose products are next to the least normal number, though they are not.
        let root = f32::powi(2.0, -63);
        let mut factors = || -> Vec<f32> { chance.numbers::<f32>(4).into_iter().map(|number| number * root).collect() };
        let (a, b) = (factors(), factors());
        let products = flushing(&a).into_iter().zip(flushing(&b)).map(|(a, b)| a.mul(b));
        let product = flushing_sum(products);
        lost.holds(&[vec![product]], |g| g.matmul(&constant(g, &[1, 4], &a), &constant(g, &[4, 1], &b), &o()))?;
        lost.holds(&[vec![product]], |g| {
            g.conv2d(&constant(g, &[1, 4, 1, 1], &a), &constant(g, &[1, 4, 1, 1], &b), &MLConv2dOptions::default())
        })?;

        // Products that are normal, and a sum of them on the way that is not.
        let (alpha, far) = (f32::powi(2.0, -40), f32::powi(2.0, 30));
        let scaled = |numbers: &[f32], factor: f32| -> Vec<f32> { numbers.iter().map(|x| x * factor).collect() };
        let (a, b) = (scaled(&a, far), scaled(&b, 1.0 / alpha / far));
        let dot = |a: &[Flushing], b: &[Flushing]| flushing_sum(a.iter().zip(b).map(|(a, b)| a.mul(*b)));
        let by_alpha = |x: &[f32]| flushing(x).into_iter().map(|x| x.mul(Flushing(alpha))).collect::<Vec<_>>();
        let ways = [
            vec![dot(&by_alpha(&a), &flushing(&b))],
            vec![dot(&flushing(&a), &by_alpha(&b))],
            vec![dot(&flushing(&a), &flushing(&b)).mul(Flushing(alpha))],
        ];
        lost.holds(&ways, |g| {
            let options = MLGemmOptions { alpha: alpha.into(), ..Default::default() };
            g.gemm(&constant(g, &[1, 4], &a), &constant(g, &[4, 1], &b), &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn what_is_between_elements_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(59), Lost::default());
    for _ in 0..100 {
        let x = small(&mut chance, 4);
        let [upper_left, upper_right, lower_left, lower_right] = [0, 1, 2, 3].map(|index| Flushing::of(x[index]));
        // From two places to four: at -1/4, 1/4, 3/4 and 5/4 of the way.
        let between = |a: Flushing, b: Flushing, place: u8| match place {
            0 => a,
            3 => b,
            1 => a.mul(Flushing(0.75)).add(b.mul(Flushing(0.25))),
            _ => a.mul(Flushing(0.25)).add(b.mul(Flushing(0.75))),
        };
        let places = (0..4).flat_map(|row| (0..4).map(move |column| (row, column)));
        let rows_last = places.map(|(row, column)| {
            between(between(upper_left, upper_right, column), between(lower_left, lower_right, column), row)
        });
        lost.holds(&[rows_last.collect()], |b| {
            let options = MLResample2dOptions {
                mode: MLInterpolationMode::Linear,
                sizes: Some(vec![4, 4]),
                ..Default::default()
            };
            b.resample2d(&constant(b, &[1, 1, 2, 2], &x), &options)
        })?;
    }
    assert!(lost.outside > 50, "{}", lost.outside);
    Ok(())
}

#[test]
fn no_more_is_lost_than_there_are_subnormals_on_the_way() -> Result<()> {
    let granted = |x: &[f32]| {
        outputs(Allowance { flushes_subnormals: true }, |b| {
            Ok(vec![b.reduce_sum(&constant(b, &[3], x), &MLReduceOptions::default())?])
        })
    };
    let least = f32::MIN_POSITIVE;
    // Numbers of one sign that are not subnormal have no sum that is.
    let normal = granted(&[least, 1.5 * least, 2.0 * least])?.remove(0);
    assert!(normal.holds(0, 4.5 * least) && !normal.holds(0, 4.0 * least) && !normal.holds(0, 0.0));
    // Two that cancel may lose one number, and there are two additions.
    let cancelling = granted(&[1.5 * least, -least, 8.0 * least])?.remove(0);
    assert!(cancelling.holds(0, 8.0 * least) && !cancelling.holds(0, 6.0 * least));
    Ok(())
}
