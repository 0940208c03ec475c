//! Operators that move elements to and from where indices and sizes say, for every data type.

mod session;

use session::{Data, Int8, Int32, Int64, Session, Uint8, Uint32, assert_same, data, f32s, none, session, small};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::exception::Result;
use webnn_reference::number::MLNumber;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::gather::MLGatherOptions;
use webnn_reference::ops::pad::{MLPadOptions, MLPaddingMode};
use webnn_reference::ops::reverse::MLReverseOptions;
use webnn_reference::ops::scatterelements::MLScatterOptions;
use webnn_reference::ops::split::{MLSplitOptions, Splits};
use webnn_reference::ops::triangular::MLTriangularOptions;

/// Runs for all types with small integers as elements, the first input being the type's.
fn check(
    session: &Session,
    inputs: &[(&[u32], &[i8])],
    wanted: &[i8],
    build: impl Fn(&MLGraphBuilder, &[MLOperand]) -> Result<MLOperand>,
) {
    for each in session.context.limits().data_types.clone() {
        let inputs = inputs.iter().map(|(shape, numbers)| small(each, shape, numbers)).collect::<Vec<_>>();
        let got = session.run(&inputs, &build);
        assert_eq!(got, small(each, &[], wanted).bytes, "{each}");
    }
}

/// Runs for all types of elements and indices. Indices that are negative are left out of unsigned ones.
fn check_indexed(
    session: &Session,
    [elements, updates]: [(&[u32], &[i8]); 2],
    (shape, indices): (&[u32], &[i8]),
    wanted: &[i8],
    build: impl Fn(&MLGraphBuilder, &[MLOperand]) -> Result<MLOperand>,
) {
    let types = session.context.limits().data_types.clone();
    let of_indices = [Int32, Uint32, Int64].into_iter().filter(|each| types.contains(each));
    for of_indices in of_indices.filter(|each| *each != Uint32 || indices.iter().all(|index| *index >= 0)) {
        for each in types.clone() {
            let inputs = [
                small(each, elements.0, elements.1),
                small(of_indices, shape, indices),
                small(each, updates.0, updates.1),
            ];
            let used = if updates.1.is_empty() { &inputs[..2] } else { &inputs };
            let got = session.run(used, &build);
            assert_eq!(got, small(each, &[], wanted).bytes, "{each} by {of_indices}");
        }
    }
}

const NO_UPDATES: (&[u32], &[i8]) = (&[], &[]);

fn along(axis: u32) -> MLGatherOptions {
    MLGatherOptions { axis, ..MLGatherOptions::default() }
}

#[test]
fn gathers() {
    let Some(session) = session() else { return };
    let x: (&[u32], &[i8]) = (&[3, 2], &[0, 1, 2, 3, 4, 5]);
    let rows = |b: &MLGraphBuilder, x: &[MLOperand]| b.gather(&x[0], &x[1], &along(0));
    check_indexed(&session, [x, NO_UPDATES], (&[2], &[2, 0]), &[4, 5, 0, 1], rows);
    // From the end, and beyond both ends.
    check_indexed(&session, [x, NO_UPDATES], (&[4], &[-1, 7, -3, -9]), &[4, 5, 4, 5, 0, 1, 0, 1], rows);
    check_indexed(&session, [x, NO_UPDATES], (&[], &[1]), &[2, 3], rows);
    let columns = |b: &MLGraphBuilder, x: &[MLOperand]| b.gather(&x[0], &x[1], &along(1));
    check_indexed(&session, [x, NO_UPDATES], (&[1, 3], &[1, 0, 1]), &[1, 0, 1, 3, 2, 3, 5, 4, 5], columns);
}

#[test]
fn indices_beyond_32_bits() {
    let Some(session) = session().filter(Session::has_int64) else { return };
    let indices = [1_i64 << 32, -1 << 32, i64::MIN, i64::MAX, -3, -4, (1 << 32) - 1, -(1 << 32) + 1];
    let indices = data(Int64, &[8], indices.iter().flat_map(|index| index.to_le_bytes()).collect());
    let x = data(Uint8, &[3], vec![10, 11, 12]);
    let got = session.run(&[x, indices], |b, x| b.gather(&x[0], &x[1], &along(0)));
    assert_eq!(got, [12, 10, 10, 12, 10, 10, 12, 10]);
    let indices = data(Uint32, &[3], vec![255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 128]);
    let x = data(Uint8, &[3], vec![10, 11, 12]);
    assert_eq!(session.run(&[x, indices], |b, x| b.gather(&x[0], &x[1], &along(0))), [12, 11, 12]);
}

#[test]
fn gathers_elements() {
    let Some(session) = session() else { return };
    let x: (&[u32], &[i8]) = (&[2, 3], &[0, 1, 2, 3, 4, 5]);
    let columns = |b: &MLGraphBuilder, x: &[MLOperand]| b.gather_elements(&x[0], &x[1], &along(1));
    check_indexed(&session, [x, NO_UPDATES], (&[2, 2], &[2, 0, 1, 1]), &[2, 0, 4, 4], columns);
    let rows = |b: &MLGraphBuilder, x: &[MLOperand]| b.gather_elements(&x[0], &x[1], &along(0));
    check_indexed(&session, [x, NO_UPDATES], (&[1, 3], &[-1, 0, 5]), &[3, 1, 5], rows);
}

#[test]
fn gathers_slices() {
    let Some(session) = session() else { return };
    let x: (&[u32], &[i8]) = (&[2, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]);
    let slices = |b: &MLGraphBuilder, x: &[MLOperand]| b.gather_nd(&x[0], &x[1], &none());
    check_indexed(&session, [x, NO_UPDATES], (&[2, 2], &[0, 1, 1, 0]), &[2, 3, 4, 5], slices);
    check_indexed(&session, [x, NO_UPDATES], (&[1, 1], &[-1]), &[4, 5, 6, 7], slices);
    check_indexed(&session, [x, NO_UPDATES], (&[3], &[1, 9, 0]), &[6], slices);
}

#[test]
fn the_last_update_stays() {
    let Some(session) = session() else { return };
    let elements = |axis| {
        let options = MLScatterOptions { axis, ..MLScatterOptions::default() };
        move |b: &MLGraphBuilder, x: &[MLOperand]| b.scatter_elements(&x[0], &x[1], &x[2], &options)
    };
    let x: (&[u32], &[i8]) = (&[2, 3], &[0, 1, 2, 3, 4, 5]);
    let updates: (&[u32], &[i8]) = (&[2, 2], &[10, 11, 12, 13]);
    check_indexed(&session, [x, updates], (&[2, 2], &[2, 2, 0, 1]), &[0, 1, 11, 12, 13, 5], elements(1));
    let updates: (&[u32], &[i8]) = (&[1, 3], &[10, 11, 12]);
    check_indexed(&session, [x, updates], (&[1, 3], &[-1, 0, 5]), &[0, 11, 2, 10, 4, 12], elements(0));
    let slices = |b: &MLGraphBuilder, x: &[MLOperand]| b.scatter_nd(&x[0], &x[1], &x[2], &none());
    let x: (&[u32], &[i8]) = (&[3, 2], &[0, 1, 2, 3, 4, 5]);
    let updates: (&[u32], &[i8]) = (&[3, 2], &[10, 11, 12, 13, 14, 15]);
    check_indexed(&session, [x, updates], (&[3, 1], &[1, 2, 1]), &[0, 1, 14, 15, 12, 13], slices);
    let updates: (&[u32], &[i8]) = (&[2], &[10, 11]);
    check_indexed(&session, [x, updates], (&[2, 2], &[-3, 1, 2, -2]), &[0, 10, 2, 3, 11, 5], slices);
}

/// More than one invocation looks through.
#[test]
fn the_last_of_many_updates_stays() {
    let Some(session) = session() else { return };
    let count = 200_001_i32;
    let of_numbers = |numbers: Vec<i32>| {
        data(Int32, &[numbers.len() as u32], numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    };
    let x = of_numbers(vec![-1, -2, -3, -4]);
    let inputs = [x, of_numbers((0..count).map(|n| n % 3).collect()), of_numbers((0..count).collect())];
    let got = session.run(&inputs, |b, x| b.scatter_elements(&x[0], &x[1], &x[2], &MLScatterOptions::default()));
    assert_eq!(got, of_numbers(vec![count - 3, count - 2, count - 1, -4]).bytes);
}

#[test]
fn pads() {
    let Some(session) = session() else { return };
    let padded = |mode, value: f64| {
        let options = MLPadOptions { mode, value: MLNumber::Double(value), ..MLPadOptions::default() };
        move |b: &MLGraphBuilder, x: &[MLOperand]| b.pad(&x[0], &[1, 2], &[0, 1], &options)
    };
    let x: (&[u32], &[i8]) = (&[2, 3], &[1, 2, 3, 4, 5, 6]);
    let constant = [9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 9, 4, 5, 6, 9];
    check(&session, &[x], &constant, padded(MLPaddingMode::Constant, 9.0));
    let edge = [1, 1, 1, 2, 3, 3, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 6, 6];
    check(&session, &[x], &edge, padded(MLPaddingMode::Edge, 9.0));
    let mirrored = [6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5];
    check(&session, &[x], &mirrored, padded(MLPaddingMode::Reflection, 9.0));
    let nan = session.run_f32(&[f32s(&[2], &[1.0, 2.0])], |b, x| {
        let value = MLNumber::Double(f64::NAN);
        b.pad(&x[0], &[1], &[0], &MLPadOptions { value, ..MLPadOptions::default() })
    });
    assert_same(&nan, &[f32::NAN, 1.0, 2.0]);
}

#[test]
fn reverses_tiles_and_cuts() {
    let Some(session) = session() else { return };
    let x: (&[u32], &[i8]) = (&[2, 3], &[1, 2, 3, 4, 5, 6]);
    let reversed = |axes: Option<Vec<u32>>| {
        let options = MLReverseOptions { axes, ..MLReverseOptions::default() };
        move |b: &MLGraphBuilder, x: &[MLOperand]| b.reverse(&x[0], &options)
    };
    check(&session, &[x], &[6, 5, 4, 3, 2, 1], reversed(None));
    check(&session, &[x], &[4, 5, 6, 1, 2, 3], reversed(Some(vec![0])));
    check(&session, &[x], &[1, 2, 3, 4, 5, 6], reversed(Some(vec![])));
    let tiled = [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6];
    check(&session, &[x], &tiled, |b, x| b.tile(&x[0], &[2, 2], &none()));
    let part = |place: usize| {
        let options = MLSplitOptions { axis: 1, ..MLSplitOptions::default() };
        move |b: &MLGraphBuilder, x: &[MLOperand]| {
            Ok(b.split(&x[0], &Splits::Sizes(vec![2, 1]), &options)?.swap_remove(place))
        }
    };
    check(&session, &[x], &[1, 2, 4, 5], part(0));
    check(&session, &[x], &[3, 6], part(1));
}

#[test]
fn tiles_eight_dimensions() {
    let Some(session) = session() else { return };
    let x = data(Int8, &[2; 8], (0..=255).collect());
    let tiled = session.run(std::slice::from_ref(&x), |b, x| b.tile(&x[0], &[1, 2, 1, 2, 1, 2, 1, 2], &none()));
    // Bits 6, 4, 2 and 0 of the output's index repeat.
    let wanted = (0..4096_u32).map(|i| {
        let digit = |place: u32| (i >> place) & 1;
        // From the last axis on: repeated (2 bits, the lower of which counts), plain (1 bit), and so on.
        let kept = [0, 2, 3, 5, 6, 8, 9, 11].into_iter().enumerate();
        kept.map(|(bit, place)| digit(place) << bit).sum::<u32>() as u8
    });
    assert_eq!(tiled, wanted.collect::<Vec<_>>());
}

#[test]
fn triangles() {
    let Some(session) = session() else { return };
    let x: (&[u32], &[i8]) = (&[2, 2, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let part = |upper, diagonal| {
        let options = MLTriangularOptions { upper, diagonal, ..MLTriangularOptions::default() };
        move |b: &MLGraphBuilder, x: &[MLOperand]| b.triangular(&x[0], &options)
    };
    check(&session, &[x], &[1, 2, 3, 0, 5, 6, 7, 8, 9, 0, 11, 12], part(true, 0));
    check(&session, &[x], &[1, 2, 0, 4, 5, 6, 7, 8, 0, 10, 11, 12], part(false, 1));
    check(&session, &[x], &[0; 12], part(true, i32::MAX));
    check(&session, &[x], x.1, part(true, i32::MIN));
    let nan: Data = f32s(&[1, 2], &[1.0, f32::NAN]);
    assert_same(&session.run_f32(&[nan], |b, x| part(false, 0)(b, x)), &[1.0, 0.0]);
}
