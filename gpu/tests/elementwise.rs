//! Element-wise operators on the device, against values worked out by hand.

mod session;

use half::f16;
use session::{
    Float16, Float32, Int8, Int32, Int64, Session, Uint8, Uint32, Uint64, assert_same, data, f32s, none, of_bytes,
    session, small,
};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::number::MLNumber;
use webnn_reference::ops::clamp::MLClampOptions;

/// The data types that the device has.
fn types(session: &Session) -> Vec<MLOperandDataType> {
    let all = MLOperandDataType::ALL.into_iter();
    all.filter(|each| session.has_int64() || !matches!(each, Int64 | Uint64)).collect()
}

#[test]
fn arithmetic_of_every_data_type_also_where_a_word_ends() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let operands = [small(each, &[3], &[7, 2, 9]), small(each, &[3], &[3, 5, 4])];
        let result = |wanted: &[i8]| small(each, &[3], wanted).bytes;
        assert_eq!(session.run(&operands, |b, x| b.add(&x[0], &x[1], &none())), result(&[10, 7, 13]), "{each}");
        assert_eq!(session.run(&operands, |b, x| b.mul(&x[0], &x[1], &none())), result(&[21, 10, 36]), "{each}");
        assert_eq!(session.run(&operands, |b, x| b.max(&x[0], &x[1], &none())), result(&[7, 5, 9]), "{each}");
        assert_eq!(session.run(&operands, |b, x| b.min(&x[0], &x[1], &none())), result(&[3, 2, 4]), "{each}");
        let operands = [small(each, &[3], &[8, 6, 3]), small(each, &[3], &[2, 3, 3])];
        assert_eq!(session.run(&operands, |b, x| b.div(&x[0], &x[1], &none())), result(&[4, 2, 1]), "{each}");
        assert_eq!(session.run(&operands, |b, x| b.sub(&x[0], &x[1], &none())), result(&[6, 3, 0]), "{each}");
        let operands = [small(each, &[3], &[4, 5, 2]), small(each, &[3], &[3, 2, 6])];
        assert_eq!(session.run(&operands, |b, x| b.pow(&x[0], &x[1], &none())), result(&[64, 25, 64]), "{each}");
    }
}

#[test]
fn comparisons_of_every_data_type() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let operands = [small(each, &[3], &[1, 5, 5]), small(each, &[3], &[2, 5, 4])];
        assert_eq!(session.run(&operands, |b, x| b.equal(&x[0], &x[1], &none())), [0, 1, 0], "{each}");
        assert_eq!(session.run(&operands, |b, x| b.not_equal(&x[0], &x[1], &none())), [1, 0, 1], "{each}");
        assert_eq!(session.run(&operands, |b, x| b.greater(&x[0], &x[1], &none())), [0, 0, 1], "{each}");
        assert_eq!(session.run(&operands, |b, x| b.greater_or_equal(&x[0], &x[1], &none())), [0, 1, 1], "{each}");
        assert_eq!(session.run(&operands, |b, x| b.lesser(&x[0], &x[1], &none())), [1, 0, 0], "{each}");
        assert_eq!(session.run(&operands, |b, x| b.lesser_or_equal(&x[0], &x[1], &none())), [1, 1, 0], "{each}");
    }
}

#[test]
fn beside_nan_only_not_equal_is_true() {
    let Some(session) = session() else { return };
    let operands = [f32s(&[3], &[f32::NAN, f32::NAN, 1.0]), f32s(&[3], &[f32::NAN, 1.0, f32::NAN])];
    assert_eq!(session.run(&operands, |b, x| b.equal(&x[0], &x[1], &none())), [0; 3]);
    assert_eq!(session.run(&operands, |b, x| b.greater_or_equal(&x[0], &x[1], &none())), [0; 3]);
    assert_eq!(session.run(&operands, |b, x| b.lesser(&x[0], &x[1], &none())), [0; 3]);
    assert_eq!(session.run(&operands, |b, x| b.not_equal(&x[0], &x[1], &none())), [1; 3]);
    assert_same(&session.run_f32(&operands, |b, x| b.max(&x[0], &x[1], &none())), &[f32::NAN; 3]);
    assert_same(&session.run_f32(&operands, |b, x| b.min(&x[0], &x[1], &none())), &[f32::NAN; 3]);
}

#[test]
fn truth_values() {
    let Some(session) = session() else { return };
    let operands = [data(Uint8, &[4], vec![0, 0, 2, 255]), data(Uint8, &[4], vec![0, 3, 0, 1])];
    assert_eq!(session.run(&operands[..1], |b, x| b.logical_not(&x[0], &none())), [1, 1, 0, 0]);
    assert_eq!(session.run(&operands, |b, x| b.logical_and(&x[0], &x[1], &none())), [0, 0, 0, 1]);
    assert_eq!(session.run(&operands, |b, x| b.logical_or(&x[0], &x[1], &none())), [0, 1, 1, 1]);
    assert_eq!(session.run(&operands, |b, x| b.logical_xor(&x[0], &x[1], &none())), [0, 1, 1, 0]);
    let special = [f32s(&[4], &[1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY])];
    assert_eq!(session.run(&special, |b, x| b.is_nan(&x[0], &none())), [0, 1, 0, 0]);
    assert_eq!(session.run(&special, |b, x| b.is_infinite(&x[0], &none())), [0, 0, 1, 1]);
}

#[test]
fn operands_are_broadcast_to_each_other_and_scalars_to_all() {
    let Some(session) = session() else { return };
    let column_and_row = [f32s(&[2, 1], &[10.0, 20.0]), f32s(&[1, 3], &[1.0, 2.0, 3.0])];
    let sums = session.run_f32(&column_and_row, |b, x| b.add(&x[0], &x[1], &none()));
    assert_same(&sums, &[11.0, 12.0, 13.0, 21.0, 22.0, 23.0]);
    let scalars = [f32s(&[], &[4.0]), f32s(&[], &[0.5])];
    assert_same(&session.run_f32(&scalars, |b, x| b.mul(&x[0], &x[1], &none())), &[2.0]);
    let scalar_and_tensor = [data(Uint8, &[], vec![200]), data(Uint8, &[5], vec![1, 2, 3, 100, 255])];
    let sums = session.run(&scalar_and_tensor, |b, x| b.add(&x[0], &x[1], &none()));
    assert_eq!(sums, [201, 202, 203, 44, 199]);
}

#[test]
fn integers_wrap_and_division_by_zero_is_zero() {
    let Some(session) = session() else { return };
    let ints = |numbers: &[i32]| data(Int32, &[3], numbers.iter().flat_map(|n| n.to_le_bytes()).collect());
    let operands = [ints(&[i32::MIN, 7, -7]), ints(&[-1, 0, 2])];
    let quotients = session.run(&operands, |b, x| b.div(&x[0], &x[1], &none()));
    assert_eq!(of_bytes(&quotients, i32::from_le_bytes), [i32::MIN, 0, -3]);
    let powers = session.run(&[ints(&[-1, 2, 0]), ints(&[-3, -1, 0])], |b, x| b.pow(&x[0], &x[1], &none()));
    assert_eq!(of_bytes(&powers, i32::from_le_bytes), [-1, 0, 1]);
    let negated = session.run(&[ints(&[i32::MIN, 7, 0])], |b, x| b.neg(&x[0], &none()));
    assert_eq!(of_bytes(&negated, i32::from_le_bytes), [i32::MIN, -7, 0]);
    let bytes = session.run(&[small(Int8, &[3], &[-128, -5, 5])], |b, x| b.abs(&x[0], &none()));
    assert_eq!(bytes, [128, 5, 5]);
    if session.has_int64() {
        let long = |numbers: &[i64]| data(Int64, &[2], numbers.iter().flat_map(|n| n.to_le_bytes()).collect());
        let operands = [long(&[i64::MIN, i64::MAX]), long(&[-1, 3])];
        let quotients = session.run(&operands, |b, x| b.div(&x[0], &x[1], &none()));
        assert_eq!(of_bytes(&quotients, i64::from_le_bytes), [i64::MIN, i64::MAX / 3]);
        let signs = session.run(&[long(&[i64::MIN, 1 << 40])], |b, x| b.sign(&x[0], &none()));
        assert_eq!(of_bytes(&signs, i64::from_le_bytes), [-1, 1]);
    }
}

#[test]
fn floats_of_one_operand() {
    let Some(session) = session() else { return };
    let x = [f32s(&[5], &[-2.5, -0.0, 0.5, 4.0, f32::NAN])];
    let nan = f32::NAN;
    assert_same(&session.run_f32(&x, |b, x| b.abs(&x[0], &none())), &[2.5, 0.0, 0.5, 4.0, nan]);
    assert_same(&session.run_f32(&x, |b, x| b.ceil(&x[0], &none())), &[-2.0, 0.0, 1.0, 4.0, nan]);
    assert_same(&session.run_f32(&x, |b, x| b.floor(&x[0], &none())), &[-3.0, 0.0, 0.0, 4.0, nan]);
    assert_same(&session.run_f32(&x, |b, x| b.round_even(&x[0], &none())), &[-2.0, 0.0, 0.0, 4.0, nan]);
    assert_same(&session.run_f32(&x, |b, x| b.sign(&x[0], &none())), &[-1.0, 0.0, 1.0, 1.0, 0.0]);
    assert_same(&session.run_f32(&x, |b, x| b.sqrt(&x[0], &none())), &[nan, 0.0, 0.5f32.sqrt(), 2.0, nan]);
    assert_same(&session.run_f32(&x, |b, x| b.reciprocal(&x[0], &none())), &[-0.4, f32::NEG_INFINITY, 2.0, 0.25, nan]);
    assert_same(&session.run_f32(&x, |b, x| b.relu(&x[0], &none())), &[0.0, 0.0, 0.5, 4.0, nan]);
    let zero = [f32s(&[1], &[0.0])];
    assert_same(&session.run_f32(&zero, |b, x| b.exp(&x[0], &none())), &[1.0]);
    assert_same(&session.run_f32(&zero, |b, x| b.cos(&x[0], &none())), &[1.0]);
    assert_same(&session.run_f32(&zero, |b, x| b.log(&x[0], &none())), &[f32::NEG_INFINITY]);
    assert_same(&session.run_f32(&zero, |b, x| b.sigmoid(&x[0], &none())), &[0.5]);
    // To six figures, from tables.
    let one = [f32s(&[1], &[1.0])];
    let near = |got: &[f32], wanted: f32| assert!((got[0] - wanted).abs() < 1e-6, "{got:?} is not {wanted}");
    near(&session.run_f32(&one, |b, x| b.erf(&x[0], &none())), 0.842_701);
    near(&session.run_f32(&one, |b, x| b.sin(&x[0], &none())), 0.841_471);
    near(&session.run_f32(&one, |b, x| b.tan(&x[0], &none())), 1.557_408);
}

#[test]
fn clamps_keep_nan_and_every_bit_of_a_bound() {
    let Some(session) = session() else { return };
    let options = |min: MLNumber, max: MLNumber| MLClampOptions {
        min_value: Some(min),
        max_value: Some(max),
        ..MLClampOptions::default()
    };
    let floats = [f32s(&[4], &[-3.0, 0.5, 7.0, f32::NAN])];
    let clamped = session.run_f32(&floats, |b, x| b.clamp(&x[0], &options((-1.0).into(), 1.0.into())));
    assert_same(&clamped, &[-1.0, 0.5, 1.0, f32::NAN]);
    let unbound = session.run_f32(&floats, |b, x| b.clamp(&x[0], &options(f64::NAN.into(), 1.0.into())));
    assert_same(&unbound, &[-3.0, 0.5, 1.0, f32::NAN]);
    if session.has_int64() {
        let bound = (1_i64 << 60) + 1;
        let long = data(Int64, &[2], [i64::MAX, -5].iter().flat_map(|n| n.to_le_bytes()).collect());
        let clamped =
            session.run(&[long], |b, x| b.clamp(&x[0], &options(MLNumber::BigInt(-4), MLNumber::BigInt(bound.into()))));
        assert_eq!(of_bytes(&clamped, i64::from_le_bytes), [bound, -4]);
    }
}

#[test]
fn casts_between_all_pairs_keep_small_numbers() {
    let Some(session) = session() else { return };
    for from in types(&session) {
        for to in types(&session) {
            let numbers = [3, 0, 100];
            let cast = session.run(&[small(from, &[3], &numbers)], |b, x| b.cast(&x[0], to, &none()));
            assert_eq!(cast, small(to, &[3], &numbers).bytes, "{from} to {to}");
        }
    }
}

#[test]
fn casts_saturate_floats_and_keep_the_lowest_bits_of_integers() {
    let Some(session) = session() else { return };
    let floats = [f32s(&[5], &[300.5, -3.9, 1e30, f32::NEG_INFINITY, f32::NAN])];
    let cast = |to| session.run(&floats, |b, x| b.cast(&x[0], to, &none()));
    assert_eq!(cast(Uint8), [255, 0, 255, 0, 0]);
    assert_eq!(cast(Int8), [127, 253, 127, 128, 0]);
    assert_eq!(of_bytes(&cast(Int32), i32::from_le_bytes), [300, -3, i32::MAX, i32::MIN, 0]);
    assert_eq!(of_bytes(&cast(Uint32), u32::from_le_bytes), [300, 0, u32::MAX, 0, 0]);
    let halves = of_bytes(&cast(Float16), f16::from_le_bytes);
    assert_eq!(halves[..4], [f16::from_f32(300.5), f16::from_f32(-3.9), f16::INFINITY, f16::NEG_INFINITY]);
    assert!(halves[4].is_nan());
    let words = [data(Uint32, &[2], [0xffff_ff80_u32, 0x0102_0304].iter().flat_map(|n| n.to_le_bytes()).collect())];
    assert_eq!(session.run(&words, |b, x| b.cast(&x[0], Int8, &none())), [0x80, 0x04]);
    if session.has_int64() {
        assert_eq!(of_bytes(&cast(Int64), i64::from_le_bytes), [300, -3, i64::MAX, i64::MIN, 0]);
        let widened = session.run(&words, |b, x| b.cast(&x[0], Int64, &none()));
        assert_eq!(of_bytes(&widened, i64::from_le_bytes), [0xffff_ff80, 0x0102_0304]);
        let negative = [small(Int32, &[1], &[-2])];
        let widened = session.run(&negative, |b, x| b.cast(&x[0], Uint64, &none()));
        assert_eq!(of_bytes(&widened, u64::from_le_bytes), [u64::MAX - 1]);
        let long = [data(Uint64, &[1], 0xffff_ffff_8000_0001_u64.to_le_bytes().to_vec())];
        let narrowed = session.run(&long, |b, x| b.cast(&x[0], Int32, &none()));
        assert_eq!(of_bytes(&narrowed, i32::from_le_bytes), [i32::MIN + 1]);
        let rounded = session.run(&long, |b, x| b.cast(&x[0], Float32, &none()));
        assert_eq!(of_bytes(&rounded, f32::from_le_bytes), [18_446_744_071_562_067_969_f32]);
    }
}
