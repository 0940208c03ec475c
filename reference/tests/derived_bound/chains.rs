//! Operators after each other: decompositions of an operator, and whole graphs.

use half::f16;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::exception::Result;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::layernormalization::MLLayerNormalizationOptions;
use webnn_reference::ops::reduce::MLReduceOptions;

use crate::bounded::{constant, o, output};
use crate::hardware::{Chance, Hardware};

/// A way to compute an operator from others, as the specification's decompositions do.
type Way = fn(&MLGraphBuilder, &MLOperand) -> Result<MLOperand>;

/// A scalar of the type of an operand.
fn scalar(b: &MLGraphBuilder, like: &MLOperand, number: f64) -> Result<MLOperand> {
    b.constant_scalar(like.data_type(), number.into())
}

/// The number of an operator is inside the bound if it was made of others, each of them rounded to the type.
fn decompositions_are_inside<T: Hardware>(pairs: &[(&str, Way, Way)]) -> Result<()> {
    let mut chance = Chance(31);
    for (name, operator, decomposed) in pairs {
        for _ in 0..20 {
            let x: Vec<T> = chance.numbers(24);
            let bounded = output(|b| operator(b, &constant(b, &[4, 6], &x)))?;
            let other = output(|b| decomposed(b, &constant(b, &[4, 6], &x)))?;
            for (index, number) in other.numbers.iter().enumerate() {
                let (own, range) = (bounded.numbers[index], bounded.range(index));
                assert!(range.contains(own), "{name} {}: {own} is not in its own {range:?}", T::DATA_TYPE);
                assert!(range.contains(*number), "{name} {}: {number}, and not {own}, of {range:?}", T::DATA_TYPE);
            }
        }
    }
    Ok(())
}

/// The mean along the last axis, kept.
fn mean(b: &MLGraphBuilder, x: &MLOperand) -> Result<MLOperand> {
    b.reduce_mean(x, &along())
}

fn along() -> MLReduceOptions {
    MLReduceOptions { axes: Some(vec![1]), keep_dimensions: true, ..MLReduceOptions::default() }
}

#[test]
fn decompositions_into_other_operators_are_inside() -> Result<()> {
    let pairs: [(&str, Way, Way); 14] = [
        (
            "sigmoid",
            |b, x| b.sigmoid(x, &o()),
            |b, x| {
                let one = scalar(b, x, 1.0)?;
                b.div(&one, &b.add(&one, &b.exp(&b.neg(x, &o())?, &o())?, &o())?, &o())
            },
        ),
        (
            "tanh",
            |b, x| b.tanh(x, &o()),
            |b, x| {
                let (one, two) = (scalar(b, x, 1.0)?, scalar(b, x, 2.0)?);
                let exp = b.exp(&b.mul(&two, x, &o())?, &o())?;
                b.div(&b.sub(&exp, &one, &o())?, &b.add(&exp, &one, &o())?, &o())
            },
        ),
        (
            "gelu",
            |b, x| b.gelu(x, &o()),
            |b, x| {
                let (one, half) = (scalar(b, x, 1.0)?, scalar(b, x, 0.5)?);
                let erf = b.erf(&b.div(x, &scalar(b, x, std::f64::consts::SQRT_2)?, &o())?, &o())?;
                b.mul(&b.mul(x, &half, &o())?, &b.add(&erf, &one, &o())?, &o())
            },
        ),
        (
            "elu",
            |b, x| b.elu(x, &Default::default()),
            |b, x| {
                let (one, zero) = (scalar(b, x, 1.0)?, scalar(b, x, 0.0)?);
                let below = b.sub(&b.exp(&b.min(&zero, x, &o())?, &o())?, &one, &o())?;
                b.add(&b.max(&zero, x, &o())?, &below, &o())
            },
        ),
        (
            "hardSwish",
            |b, x| b.hard_swish(x, &o()),
            |b, x| {
                let (three, six, zero) = (scalar(b, x, 3.0)?, scalar(b, x, 6.0)?, scalar(b, x, 0.0)?);
                let gate = b.max(&zero, &b.min(&six, &b.add(x, &three, &o())?, &o())?, &o())?;
                b.div(&b.mul(x, &gate, &o())?, &six, &o())
            },
        ),
        (
            "softplus",
            |b, x| b.softplus(x, &o()),
            |b, x| b.log(&b.add(&scalar(b, x, 1.0)?, &b.exp(x, &o())?, &o())?, &o()),
        ),
        (
            "softsign",
            |b, x| b.softsign(x, &o()),
            |b, x| b.div(x, &b.add(&scalar(b, x, 1.0)?, &b.abs(x, &o())?, &o())?, &o()),
        ),
        (
            "softmax",
            |b, x| b.softmax(x, 1, &o()),
            |b, x| {
                let exp = b.exp(&b.sub(x, &b.reduce_max(x, &along())?, &o())?, &o())?;
                b.div(&exp, &b.reduce_sum(&exp, &along())?, &o())
            },
        ),
        (
            "reduceLogSumExp",
            |b, x| b.reduce_log_sum_exp(x, &along()),
            |b, x| b.log(&b.reduce_sum(&b.exp(x, &o())?, &along())?, &o()),
        ),
        (
            "reduceL2",
            |b, x| b.reduce_l2(x, &along()),
            |b, x| b.sqrt(&b.reduce_sum(&b.mul(x, x, &o())?, &along())?, &o()),
        ),
        ("reduceL1", |b, x| b.reduce_l1(x, &along()), |b, x| b.reduce_sum(&b.abs(x, &o())?, &along())),
        (
            "linear",
            |b, x| {
                b.linear(
                    x,
                    &webnn_reference::ops::linear::MLLinearOptions { alpha: 0.3, beta: 0.7, ..Default::default() },
                )
            },
            |b, x| b.add(&b.mul(x, &scalar(b, x, 0.3)?, &o())?, &scalar(b, x, 0.7)?, &o()),
        ),
        (
            "layerNormalization",
            |b, x| b.layer_normalization(x, &MLLayerNormalizationOptions { axes: Some(vec![1]), ..Default::default() }),
            |b, x| {
                let deviation = b.sub(x, &mean(b, x)?, &o())?;
                let variance = mean(b, &b.mul(&deviation, &deviation, &o())?)?;
                b.div(&deviation, &b.sqrt(&b.add(&variance, &scalar(b, x, 1e-5)?, &o())?, &o())?, &o())
            },
        ),
        ("tan", |b, x| b.tan(x, &o()), |b, x| b.div(&b.sin(x, &o())?, &b.cos(x, &o())?, &o())),
    ];
    decompositions_are_inside::<f32>(&pairs)?;
    decompositions_are_inside::<f16>(&pairs)
}

#[test]
fn whole_graphs_are_inside_wherever_each_operator_rounds() -> Result<()> {
    // Each operator's result is rounded to either neighbour by chance, as another honest implementation may have it.
    let mut chance = Chance(37);
    for _ in 0..200 {
        let x: Vec<f32> = chance.numbers(1);
        let bounded = output(|b| {
            let x = constant(b, &[1], &x);
            let y = b.exp(&b.div(&x, &scalar(b, &x, 3.0)?, &o())?, &o())?;
            let y = b.log(&b.add(&y, &b.mul(&x, &x, &o())?, &o())?, &o())?;
            let y = b.gelu(&b.sub(&y, &scalar(b, &x, 0.7)?, &o())?, &o())?;
            b.sqrt(&b.abs(&b.sin(&y, &o())?, &o())?, &o())
        })?;
        let x = f64::from(x[0]);
        for _ in 0..50 {
            let third = chance.neighbour(x / 3.0);
            let exp = chance.neighbour(third.exp());
            let square = chance.neighbour(x * x);
            let sum = chance.neighbour(exp + square);
            let log = chance.neighbour(sum.ln());
            let shifted = chance.neighbour(log - f64::from(0.7f32));
            let gelu = chance.neighbour(0.5 * shifted * (1.0 + erf(shifted * std::f64::consts::FRAC_1_SQRT_2)));
            let sin = chance.neighbour(gelu.sin());
            let y = chance.neighbour(sin.abs().sqrt());
            assert!(bounded.holds(0, y), "{y}, and not {}, of {:?} from {x}", bounded.numbers[0], bounded.range(0));
        }
    }
    Ok(())
}

/// The error function by its power series, which is enough below 4.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..80 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}
