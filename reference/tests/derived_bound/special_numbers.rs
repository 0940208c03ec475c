//! NaN, infinities, and what comes near them.

use webnn_reference::derived_bound::Allowance;
use webnn_reference::exception::Result;
use webnn_reference::ops::layernormalization::MLLayerNormalizationOptions;
use webnn_reference::ops::pool2d::MLPool2dOptions;
use webnn_reference::ops::reduce::MLReduceOptions;

use crate::bounded::{constant, o, output, outputs};

#[test]
fn nan_and_infinities_are_matched_by_kind_and_sign() -> Result<()> {
    let numbers = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.0];
    let y = output(|b| b.reciprocal(&b.exp(&constant(b, &[4], &numbers), &o())?, &o()))?;
    assert_eq!((y.radius(0), y.radius(1)), (0.0, 0.0));
    assert!(y.holds(0, 0.0) && y.holds(1, f64::INFINITY) && !y.holds(1, f64::MAX) && !y.holds(1, f64::NAN));
    assert!(y.holds(2, f64::NAN) && !y.holds(2, 1.0) && !y.holds(3, f64::NAN) && !y.holds(3, f64::INFINITY));
    Ok(())
}

#[test]
fn what_may_be_zero_makes_nan_by_zero() -> Result<()> {
    let y = output(|b| {
        // The logarithm of 1 may be a little off 0, on either side.
        let (x, zero) = (constant(b, &[2], &[1f32, 2.0]), constant(b, &[], &[0f32]));
        b.div(&b.log(&x, &o())?, &zero, &o())
    })?;
    assert!(y.holds(0, f64::NAN) && y.holds(0, f64::INFINITY) && y.holds(0, f64::NEG_INFINITY));
    assert!(y.holds(1, f64::INFINITY) && !y.holds(1, f64::NAN) && !y.holds(1, f64::NEG_INFINITY));
    Ok(())
}

#[test]
fn near_the_greatest_number_there_may_be_an_infinity() -> Result<()> {
    let y = output(|b| {
        let (x, y) =
            (constant(b, &[2], &[f32::MAX, f32::MAX / 2.0]), constant(b, &[2], &[f32::MAX / 2f32.powi(24), 0.0]));
        b.add(&x, &y, &o())
    })?;
    assert!(y.holds(0, f64::INFINITY) && y.holds(0, f32::MAX) && !y.holds(0, f64::NEG_INFINITY));
    assert!(!y.holds(1, f64::INFINITY));
    Ok(())
}

#[test]
fn what_may_be_nan_may_be_so_further_on() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        // 1/3 * 3 - 1 may be a little below 0, of which there is no root.
        let third = b.div(&constant(b, &[1, 1], &[1f32]), &constant(b, &[1], &[3f32]), &o())?;
        let rest = b.sub(&b.mul(&third, &constant(b, &[1], &[3f32]), &o())?, &constant(b, &[1], &[1f32]), &o())?;
        let root = b.sqrt(&rest, &o())?;
        let product = b.matmul(&root, &constant(b, &[1, 1], &[2f32]), &o())?;
        let sum = b.reduce_sum(&root, &MLReduceOptions::default())?;
        let softmax = b.softmax(&b.concat(&[root.clone(), constant(b, &[1, 1], &[2f32])], 1, &o())?, 1, &o())?;
        Ok(vec![root, product, sum, softmax])
    })?;
    for output in outputs {
        assert!(output.holds(0, f64::NAN) && output.holds(0, output.numbers[0]) && output.range(0).doubt);
    }
    Ok(())
}

#[test]
fn a_softmax_may_have_what_is_far_below_its_greatest() -> Result<()> {
    // The sum is rounded to a multiple of 64, either that of the first number or the next: they share 1, or one has nearly all.
    let y = output(|b| {
        let sums = b.cumulative_sum(&constant(b, &[2], &[701_089_344f32, 1.0]), 0, &Default::default())?;
        b.softmax(&sums, 0, &o())
    })?;
    assert_eq!(y.numbers, [0.5, 0.5]);
    for (first, second) in [(0.5, 0.5), ((-64f64).exp(), 1.0)] {
        assert!(y.holds(0, first) && y.holds(1, second), "{first} {second}");
    }
    // Without a sum nothing is that uncertain.
    let y = output(|b| b.softmax(&constant(b, &[3], &[0f32, -64.0, -64.0]), 0, &o()))?;
    assert!(y.radius(0) < 2e-6 && y.radius(1) < 1e-30 && y.holds(1, (-64f64).exp()));
    Ok(())
}

#[test]
fn a_power_of_what_may_be_zero_is_an_infinity_of_either_sign() -> Result<()> {
    // In float16 gelu(-3) may be 0, and so may its product with the slope, or -0.
    let y = output(|b| {
        let x = constant(b, &[], &[half::f16::from_f32(-3.0)]);
        b.pow(&b.prelu(&b.gelu(&x, &o())?, &x, &o())?, &x, &o())
    })?;
    assert_eq!(y.numbers, [f64::INFINITY]);
    assert!(y.holds(0, f64::INFINITY) && y.range(0).doubt);
    Ok(())
}

#[test]
fn so_is_a_power_of_what_may_be_zero_from_below() -> Result<()> {
    // In float16 the product is -0, and may be the number next to it, or 0 in an implementation that adds it to 0.
    let y = output(|b| {
        let (small, minus_one) = (half::f16::from_f32(1.0 / 8192.0), half::f16::from_f32(-1.0));
        let (x, slope) = (constant(b, &[], &[-small]), constant(b, &[], &[small]));
        let product = b.prelu(&x, &slope, &o())?;
        b.pow(&b.add(&product, &product, &o())?, &constant(b, &[], &[minus_one]), &o())
    })?;
    assert_eq!(y.numbers, [f64::NEG_INFINITY]);
    assert!(y.holds(0, f64::INFINITY) && y.range(0).doubt);
    Ok(())
}

#[test]
fn arithmetic_gives_a_zero_of_either_sign() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        let zeros = constant(b, &[1, 1, 1, 2], &[-0f32, 0.0]);
        let greatest = b.max_pool2d(&zeros, &MLPool2dOptions::default())?;
        let product = b.mul(&zeros, &constant(b, &[], &[2f32]), &o())?;
        let [of_greatest, of_product] = [&greatest, &product].map(|x| b.reciprocal(x, &o()));
        let of_root = b.reciprocal(&b.sqrt(&product, &o())?, &o())?;
        Ok(vec![of_greatest?, of_product?, of_root, b.pow(&product, &constant(b, &[], &[-1f32]), &o())?])
    })?;
    for output in outputs {
        assert!(output.holds(0, f64::INFINITY) && output.holds(0, f64::NEG_INFINITY), "{:?}", output.range(0));
    }
    Ok(())
}

#[test]
fn what_is_moved_or_never_below_zero_gives_a_zero_of_its_own_sign() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        let zeros = constant(b, &[2], &[-0f32, 0.0]);
        let chosen = b.where_(&constant(b, &[2], &[1u8, 1]), &zeros, &zeros, &o())?;
        let exponential = b.exp(&constant(b, &[2], &[f32::NEG_INFINITY, -1e9]), &o())?;
        Ok(vec![
            b.reciprocal(&chosen, &o())?,
            b.reciprocal(&b.reverse(&zeros, &Default::default())?, &o())?,
            b.reciprocal(&exponential, &o())?,
        ])
    })?;
    let [chosen, reversed, exponential] = &outputs[..] else { panic!("three outputs") };
    assert!(!chosen.holds(0, f64::INFINITY) && !chosen.holds(1, f64::NEG_INFINITY));
    assert!(!reversed.holds(0, f64::NEG_INFINITY) && !reversed.holds(1, f64::INFINITY));
    assert!(exponential.holds(0, f64::INFINITY) && !exponential.holds(0, f64::NEG_INFINITY));
    Ok(())
}

#[test]
fn an_infinite_scale_shows_what_rounding_makes_of_a_deviation() -> Result<()> {
    // A seventh of 7 may be a little off 1. Three halves are not, and the last element lies above the mean for sure.
    let y = |numbers: &[f32]| {
        output(|b| {
            let mut scales = vec![0f32; numbers.len()];
            *scales.last_mut().expect("an element") = f32::INFINITY;
            let length = u32::try_from(numbers.len()).expect("few");
            let options =
                MLLayerNormalizationOptions { scale: Some(constant(b, &[length], &scales)), ..Default::default() };
            b.layer_normalization(&constant(b, &[1, length], numbers), &options)
        })
    };
    let rounded = y(&[1.0; 7])?;
    assert!(rounded.numbers[6].is_nan() && rounded.holds(6, f64::NAN) && rounded.holds(6, f64::INFINITY));
    let above = y(&[1.0, 2.0])?;
    assert!(above.holds(1, f64::INFINITY) && !above.holds(1, f64::NAN) && !above.holds(1, f64::NEG_INFINITY));
    Ok(())
}

#[test]
fn a_power_of_what_may_be_negative_infinity_need_not_be_nan() -> Result<()> {
    // The sum is -65515, which is -65504 or -Infinity in float16, depending on the direction of the rounding.
    let y = output(|b| {
        let [a, c, exponent] = [-65504.0, -11.0, 3.5].map(|number| constant(b, &[], &[half::f16::from_f64(number)]));
        b.pow(&b.add(&a, &c, &o())?, &exponent, &o())
    })?;
    assert!(y.numbers[0].is_nan() && y.holds(0, f64::NAN) && y.holds(0, f64::INFINITY));
    Ok(())
}

#[test]
fn a_power_of_negative_zero_has_the_sign_of_what_may_be_an_odd_exponent() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        let [negative, positive] = [-0f32, 0.0].map(|zero| constant(b, &[], &[zero]));
        // Three thirds may be a little off 1.
        let third = b.div(&constant(b, &[], &[-1f32]), &constant(b, &[], &[3f32]), &o())?;
        let exponent = b.mul(&third, &constant(b, &[], &[3f32]), &o())?;
        let odd = constant(b, &[], &[-3f32]);
        Ok(vec![b.pow(&negative, &exponent, &o())?, b.pow(&positive, &exponent, &o())?, b.pow(&negative, &odd, &o())?])
    })?;
    let [about_odd, positive, odd] = &outputs[..] else { panic!("three outputs") };
    assert!(about_odd.holds(0, f64::INFINITY) && about_odd.holds(0, f64::NEG_INFINITY));
    assert!(positive.holds(0, f64::INFINITY) && !positive.holds(0, f64::NEG_INFINITY));
    assert!(odd.holds(0, f64::NEG_INFINITY) && !odd.holds(0, f64::INFINITY));
    Ok(())
}
