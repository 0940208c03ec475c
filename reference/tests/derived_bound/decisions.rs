//! What depends on a comparison, a rounding or an index: a range that lies across a jump is in doubt.

use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::derived_bound::Allowance;
use webnn_reference::exception::Result;
use webnn_reference::ops::argminmax::MLArgMinMaxOptions;

use crate::bounded::{constant, o, output, outputs};

#[test]
fn what_lies_across_a_jump_is_in_doubt() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        // 0.1 + 0.2 is computed, and 0.3 is not.
        let of = |numbers: &[f32]| constant(b, &[1], numbers);
        let sum = b.add(&of(&[0.1]), &of(&[0.2]), &o())?;
        let near = of(&[0.1f32 + 0.2f32]);
        let is_equal = b.equal(&sum, &near, &o())?;
        let is_less = b.lesser(&sum, &of(&[0.5]), &o())?;
        let chosen = b.where_(&is_equal, &of(&[1.0]), &of(&[5.0]), &o())?;
        let ratio = b.div(&of(&[6.0]), &of(&[3.0]), &o())?;
        let third = b.div(&of(&[1.0]), &of(&[3.0]), &o())?;
        let floor = b.floor(&b.mul(&third, &of(&[3.0]), &o())?, &o())?;
        let both = b.concat(&[sum, near], 0, &o())?;
        let index = b.arg_max(&both, 0, &MLArgMinMaxOptions::default())?;
        let gathered = b.gather(&of(&[7.0]), &index, &Default::default())?;
        Ok(vec![is_equal, is_less, chosen, ratio, floor, index, gathered])
    })?;
    let [is_equal, is_less, chosen, ratio, floor, index, gathered] = &outputs[..] else { panic!("seven outputs") };
    assert!(is_equal.range(0).doubt && is_equal.holds(0, 0.0) && is_equal.holds(0, 1.0));
    assert!(!is_less.range(0).doubt && is_less.radius(0) == 0.0);
    assert!(chosen.range(0).doubt && chosen.holds(0, 1.0) && chosen.holds(0, 5.0) && !chosen.holds(0, 6.0));
    assert!(!ratio.range(0).doubt);
    assert!(floor.range(0).doubt && floor.holds(0, 0.0) && floor.holds(0, 1.0) && !floor.holds(0, 2.0));
    assert!(index.range(0).doubt && index.holds(0, 0.0) && index.holds(0, 1.0));
    assert!(gathered.range(0).doubt && gathered.holds(0, 7.0));
    Ok(())
}

#[test]
fn a_quotient_between_two_integers_is_quantized_to_either() -> Result<()> {
    let quantized = output(|b| {
        let (x, scale) = (constant(b, &[3], &[0.75f32, 0.8, 0.3]), constant(b, &[1], &[0.3f32]));
        b.quantize_linear(&x, &scale, &constant(b, &[1], &[10u8]), &o())
    })?;
    // 0.75 / 0.3 is 2.5, but for the rounding of 0.3.
    assert!(quantized.holds(0, 12.0) && quantized.holds(0, 13.0) && !quantized.holds(0, 11.0));
    assert!(quantized.radius(1) == 0.0 && quantized.radius(2) == 0.0);
    assert!(!quantized.range(0).doubt);
    Ok(())
}

#[test]
fn whole_numbers_beyond_53_bits_are_not_taken_for_their_neighbours() -> Result<()> {
    // Three thirds may be a little below 1, so that not all is exact, but 2^62 is; 2^62 + 1 has no binary64 of its own.
    let large = 1i64 << 62;
    for data_type in [MLOperandDataType::Int64, MLOperandDataType::Uint64] {
        let outputs = outputs(Allowance::default(), |b| {
            let (x, y) = (constant(b, &[2], &[1f32, 2f32.powi(62)]), constant(b, &[2], &[3f32, 1.0]));
            let whole = b.cast(&b.mul(&b.div(&x, &y, &o())?, &y, &o())?, data_type, &o())?;
            let number = |number: i64| b.cast(&constant(b, &[], &[number]), data_type, &o());
            let next = b.add(&whole, &number(1)?, &o())?;
            let neighbour = number(large)?;
            Ok(vec![b.greater(&next, &neighbour, &o())?, b.equal(&next, &neighbour, &o())?])
        })?;
        let [is_greater, is_equal] = &outputs[..] else { panic!("two outputs") };
        assert_eq!((&is_greater.numbers[..], &is_equal.numbers[..]), (&[0.0, 1.0][..], &[0.0, 0.0][..]));
        assert!(is_greater.holds(1, 1.0) && is_greater.range(1).doubt && is_equal.holds(1, 0.0), "{data_type}");
        assert!(!is_greater.holds(0, 1.0) && !is_equal.holds(0, 1.0), "what is far from it");
    }
    Ok(())
}

#[test]
fn whole_numbers_that_wrap_by_one_are_in_doubt() -> Result<()> {
    // Three thirds may be a little below 1, so that not all is exact. Binary64 can not tell 2^63 - 1 from 2^63, which wraps.
    let least = i64::MIN as f64;
    let outputs = outputs(Allowance::default(), |b| {
        let x = constant(b, &[3], &[1f32, -2f32.powi(63), 2f32.powi(70)]);
        let y = constant(b, &[3], &[3f32, 1.0, 1.0]);
        let whole = b.cast(&b.mul(&b.div(&x, &y, &o())?, &y, &o())?, MLOperandDataType::Int64, &o())?;
        let next = b.add(&whole, &constant(b, &[], &[1i64]), &o())?;
        Ok(vec![whole.clone(), b.abs(&whole, &o())?, b.neg(&whole, &o())?, next])
    })?;
    let [whole, abs, neg, next] = &outputs[..] else { panic!("four outputs") };
    assert!(whole.holds(1, least) && whole.holds(2, -least) && !whole.range(1).doubt && !whole.range(2).doubt);
    for (name, wraps, index) in [("abs", abs, 1), ("neg", neg, 1), ("add", next, 2)] {
        assert_eq!(wraps.numbers[index], least, "{name}");
        assert!(wraps.holds(index, least) && wraps.range(index).doubt, "{name}");
    }
    assert!(!abs.range(0).doubt && !next.range(1).doubt, "what does not wrap");
    Ok(())
}

#[test]
fn whole_numbers_beyond_53_bits_keep_what_binary64_rounds_away() -> Result<()> {
    // Which of the two is subtracted from is in no doubt, but that it is one of them costs the last bits of the range.
    let outputs = outputs(Allowance::default(), |b| {
        let (a, c) = (18_446_744_073_709_289_472u64, 8_198_651_581_680_428_374u64);
        let third = b.div(&constant(b, &[], &[1f32]), &constant(b, &[], &[3f32]), &o())?;
        let whole = b.cast(&third, MLOperandDataType::Uint64, &o())?;
        let a = b.add(&constant(b, &[], &[a]), &whole, &o())?;
        Ok(vec![b.sub(&a, &constant(b, &[], &[c]), &o())?])
    })?;
    let difference = 10_248_092_492_028_861_098u64 as f64;
    assert_eq!(outputs[0].numbers, [difference]);
    assert!(outputs[0].holds(0, difference) && outputs[0].radius(0) < 1e5 && !outputs[0].range(0).doubt);
    Ok(())
}

#[test]
fn what_is_no_number_is_quantized_to_a_zero_point_that_is_in_doubt() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        // The logarithm of 1 may be a little off 0.
        let about_zero = b.log(&constant(b, &[1], &[1f32]), &o())?;
        let zero_point = b.equal(&about_zero, &constant(b, &[1], &[0f32]), &o())?;
        Ok(vec![b.quantize_linear(&about_zero, &constant(b, &[1], &[f32::NAN]), &zero_point, &o())?])
    })?;
    assert_eq!(outputs[0].numbers, [1.0]);
    assert!(outputs[0].holds(0, 0.0) && outputs[0].holds(0, 1.0) && outputs[0].range(0).doubt);
    Ok(())
}
