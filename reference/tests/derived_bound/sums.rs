//! Sums and sums of products, in any order; and their faults.

use half::f16;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::exception::Result;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::conv2d::MLConv2dOptions;
use webnn_reference::ops::gemm::MLGemmOptions;
use webnn_reference::ops::layernormalization::MLLayerNormalizationOptions;
use webnn_reference::ops::reduce::MLReduceOptions;
use webnn_reference::ops::resample2d::{MLInterpolationMode, MLResample2dOptions};

use crate::bounded::{constant, o, output};
use crate::hardware::{Chance, Hardware};
use webnn_reference::number::Element;

fn sums_are_inside<T: Hardware>(count: usize) -> Result<()> {
    let mut chance = Chance(7);
    let terms: Vec<T> = chance.numbers(count);
    let shape = [u32::try_from(count).expect("small")];
    let sum = output(|b| b.reduce_sum(&constant(b, &shape, &terms), &MLReduceOptions::default()))?;
    let squares = output(|b| b.reduce_sum_square(&constant(b, &shape, &terms), &MLReduceOptions::default()))?;
    let mean = output(|b| b.reduce_mean(&constant(b, &shape, &terms), &MLReduceOptions::default()))?;
    for _ in 0..1000 {
        let order = chance.shuffled(&terms);
        let one_by_one = order.iter().copied().reduce(Hardware::add).expect("some");
        let tree = chance.tree(&terms);
        assert!(sum.holds(0, one_by_one.number()) && sum.holds(0, tree.number()), "{one_by_one:?} {tree:?}");
        let divided = T::round(tree.number() / f64::from(shape[0]));
        assert!(mean.holds(0, divided.number()), "{divided:?}");
        let fused = order.iter().fold(T::round(0.0), |sum, x| x.fused(*x, sum));
        let separate = order.iter().fold(T::round(0.0), |sum, x| sum.add(x.mul(*x)));
        assert!(squares.holds(0, fused.number()) && squares.holds(0, separate.number()), "{fused:?} {separate:?}");
    }
    Ok(())
}

#[test]
fn sums_in_any_order_are_inside() -> Result<()> {
    sums_are_inside::<f32>(100)?;
    sums_are_inside::<f16>(40)
}

fn products_are_inside<T: Hardware>(inner: usize) -> Result<()> {
    let mut chance = Chance(11);
    let (a, b): (Vec<T>, Vec<T>) = (chance.numbers(inner), chance.numbers(inner));
    let inner = u32::try_from(inner).expect("small");
    let product = output(|g| g.matmul(&constant(g, &[1, inner], &a), &constant(g, &[inner, 1], &b), &o()))?;
    let pairs: Vec<(T, T)> = a.into_iter().zip(b).collect();
    for _ in 0..1000 {
        let order = chance.shuffled(&pairs);
        let fused = order.iter().fold(T::round(0.0), |sum, (a, b)| a.fused(*b, sum));
        let products: Vec<T> = order.iter().map(|(a, b)| a.mul(*b)).collect();
        let tree = chance.tree(&products);
        assert!(product.holds(0, fused.number()) && product.holds(0, tree.number()), "{fused:?} {tree:?}");
    }
    Ok(())
}

#[test]
fn products_in_any_order_are_inside() -> Result<()> {
    products_are_inside::<f32>(64)?;
    products_are_inside::<f16>(24)
}

/// As a tensor core of 19 bits has it.
fn truncated(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & !0x1fff)
}

#[test]
fn a_fault_in_a_sum_of_products_is_outside() -> Result<()> {
    let mut chance = Chance(13);
    for _ in 0..100 {
        let (a, b): (Vec<f32>, Vec<f32>) = (chance.numbers(32), chance.numbers(32));
        let product = output(|g| g.matmul(&constant(g, &[1, 32], &a), &constant(g, &[32, 1], &b), &o()))?;
        let exact = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        assert!(product.holds(0, f64::from(f32::rounded(exact(&a, &b)))));
        assert!(!product.holds(0, exact(&a[1..], &b[1..])), "a term left out");
        let mut swapped = b.clone();
        swapped.swap(3, 4);
        assert!(!product.holds(0, exact(&a, &swapped)), "a wrong index");
        let of = |numbers: &[f32]| numbers.iter().copied().map(truncated).collect::<Vec<f32>>();
        assert!(!product.holds(0, exact(&of(&a), &of(&b))), "operands of 11 bits");
    }
    Ok(())
}

#[test]
fn a_fault_in_a_convolution_is_outside() -> Result<()> {
    let mut chance = Chance(17);
    let (x, w): (Vec<f32>, Vec<f32>) = (chance.numbers(25), chance.numbers(9));
    let y = output(|b| {
        b.conv2d(&constant(b, &[1, 1, 5, 5], &x), &constant(b, &[1, 1, 3, 3], &w), &MLConv2dOptions::default())
    })?;
    for place in 0..9 {
        let (row, column) = (place / 3, place % 3);
        let product = |index: usize| {
            let from = (row + index / 3) * 5 + column + index % 3;
            f64::from(x[from]) * f64::from(w[index])
        };
        assert!(y.holds(place, f64::from(f32::rounded((0..9).map(product).sum()))));
        assert!(!y.holds(place, (1..9).map(product).sum::<f64>()), "a term left out");
    }
    Ok(())
}

#[test]
fn a_normalization_needs_its_epsilon_and_two_passes() -> Result<()> {
    let mut chance = Chance(19);
    let small: Vec<f32> = chance.numbers::<f32>(16).into_iter().map(|x| x / 64.0).collect();
    let options = || MLLayerNormalizationOptions { axes: Some(vec![0]), ..MLLayerNormalizationOptions::default() };
    let of = |x: &[f32]| output(|b| b.layer_normalization(&constant(b, &[16], x), &options()));
    let normalized = of(&small)?;
    let wide: Vec<f64> = small.iter().map(|x| f64::from(*x)).collect();
    let mean = wide.iter().sum::<f64>() / 16.0;
    let variance = wide.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 16.0;
    for (index, x) in wide.iter().enumerate() {
        assert!(normalized.holds(index, f64::from(f32::rounded((x - mean) / (variance + f64::from(1e-5f32)).sqrt()))));
        assert!(!normalized.holds(index, (x - mean) / variance.sqrt()), "epsilon left out");
    }

    let far: Vec<f32> = small.iter().map(|x| x + 1000.0).collect();
    let normalized = of(&far)?;
    let sum = far.iter().copied().reduce(Hardware::add).expect("some");
    let squares = far.iter().fold(0.0, |sum: f32, x| x.fused(*x, sum));
    let mean = sum / 16.0;
    let variance = squares / 16.0 - mean * mean;
    let outside = (0..16).filter(|index| !normalized.holds(*index, (far[*index] - mean) / (variance + 1e-5).sqrt()));
    assert!(outside.count() > 8, "a variance in one pass");
    Ok(())
}

/// The bounds of a graph of one operator, whose inputs are multiplied by a number.
fn scaled(factor: f32, build: fn(&MLGraphBuilder, f32) -> Result<MLOperand>) -> Result<Vec<f64>> {
    let y = output(|b| build(b, factor))?;
    Ok((0..y.numbers.len()).map(|index| y.radius(index)).collect())
}

#[test]
fn a_power_of_two_scales_the_bound_exactly() -> Result<()> {
    fn numbers(factor: f32, count: usize) -> Vec<f32> {
        Chance(23).numbers::<f32>(count).into_iter().map(|x| x * factor).collect()
    }
    let graphs: [fn(&MLGraphBuilder, f32) -> Result<MLOperand>; 4] = [
        |b, factor| b.reduce_sum(&constant(b, &[20], &numbers(factor, 20)), &MLReduceOptions::default()),
        |b, factor| {
            b.matmul(&constant(b, &[4, 5], &numbers(factor, 20)), &constant(b, &[5, 2], &numbers(1.0, 10)), &o())
        },
        |b, factor| b.reduce_l2(&constant(b, &[20], &numbers(factor, 20)), &MLReduceOptions::default()),
        |b, factor| {
            let (x, y) = (constant(b, &[20], &numbers(factor, 20)), constant(b, &[20], &numbers(1.0, 20)));
            let quotient = b.div(&x, &y, &o())?;
            b.add(&quotient, &x, &o())
        },
    ];
    for graph in graphs {
        let bounds = scaled(1.0, graph)?;
        assert!(bounds.iter().all(|bound| *bound > 0.0));
        for exponent in [-20, 3, 30] {
            let factor = f32::powi(2.0, exponent);
            let expected: Vec<f64> = bounds.iter().map(|bound| bound * f64::from(factor)).collect();
            assert_eq!(scaled(factor, graph)?, expected);
        }
    }
    Ok(())
}

#[test]
fn what_gemm_scales_may_leave_the_range_of_the_type() -> Result<()> {
    let gemm = |factor: f32| {
        output(|b| {
            let (a, large) = (constant(b, &[1, 1], &[-1f32]), constant(b, &[1, 1], &[-f32::MAX]));
            let options = MLGemmOptions { alpha: factor.into(), c: Some(large.clone()), ..MLGemmOptions::default() };
            b.gemm(&a, &large, &options)
        })
    };
    // 1.2 times the greatest number, less the greatest number: the interpreter has a fifth of it.
    let y = gemm(1.2)?;
    assert!(y.holds(0, f64::INFINITY));
    let y = gemm(0.5)?;
    assert!(!y.holds(0, f64::INFINITY));
    Ok(())
}

#[test]
fn a_small_end_of_a_wide_range_is_not_lost_between_elements() -> Result<()> {
    let y = output(|b| {
        // The sum is -1, or anything up to 1e26: what is above 0 of it, less 0.75, begins at -0.75.
        let terms = constant(b, &[1, 1, 1, 3], &[1e33f32, -1e33, -1.0]);
        let options = MLReduceOptions { axes: Some(vec![3]), keep_dimensions: true, ..Default::default() };
        let wide = b.relu(&b.reduce_sum(&terms, &options)?, &o())?;
        let wide = b.sub(&wide, &constant(b, &[], &[0.75f32]), &o())?;
        b.resample2d(&wide, &MLResample2dOptions { mode: MLInterpolationMode::Linear, ..Default::default() })
    })?;
    assert_eq!(y.numbers, [-0.75]);
    assert!(y.holds(0, -0.75) && y.holds(0, 1e25), "{:?}", y.range(0));
    Ok(())
}
