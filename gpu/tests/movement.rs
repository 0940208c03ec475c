//! Operators that move elements: every bit survives, wherever words begin and end.

mod session;

use session::{Data, Float16, Float32, Int8, Int32, Session, Uint8, data, f32s, none, of_bytes, session};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::ops::slice::MLSliceOptions;
use webnn_reference::ops::transpose::MLTransposeOptions;

/// 0, 1, 2, ... as the bytes of elements, so that an element's number shows in its last byte, behind others that are
/// odd as floats.
fn counted(data_type: MLOperandDataType, shape: &[u32]) -> Data {
    let count = shape.iter().product::<u32>() as u8;
    let size = data_type.element_size() as usize;
    let bytes = (0..count).flat_map(|n| {
        // NaN with a payload, for both float types.
        let mut element = vec![0xfd; size];
        element[0] = n;
        element
    });
    data(data_type, shape, bytes.collect())
}

fn types(session: &Session) -> impl Iterator<Item = MLOperandDataType> {
    let present = session.context.limits().data_types.clone();
    present.into_iter()
}

/// The elements' numbers, if all other bits are as they were.
fn numbers(data_type: MLOperandDataType, bytes: &[u8]) -> Vec<u8> {
    let elements = bytes.chunks_exact(data_type.element_size() as usize);
    elements
        .inspect(|element| assert!(element[1..].iter().all(|byte| *byte == 0xfd)))
        .map(|element| element[0])
        .collect()
}

#[test]
fn copies() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let x = [counted(each, &[3])];
        assert_eq!(session.run(&x, |b, x| b.identity(&x[0], &none())), x[0].bytes, "{each}");
        assert_eq!(session.run(&x, |b, x| b.reshape(&x[0], &[1, 3, 1], &none())), x[0].bytes, "{each}");
        let scalar = [counted(each, &[])];
        assert_eq!(session.run(&scalar, |b, x| b.identity(&x[0], &none())), scalar[0].bytes, "{each}");
    }
}

#[test]
fn transposes() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let x = [counted(each, &[2, 3])];
        let reversed = session.run(&x, |b, x| b.transpose(&x[0], &MLTransposeOptions::default()));
        assert_eq!(numbers(each, &reversed), [0, 3, 1, 4, 2, 5], "{each}");
    }
    let permutation = MLTransposeOptions { permutation: Some(vec![1, 2, 0]), ..MLTransposeOptions::default() };
    let x = [counted(Uint8, &[2, 3, 1])];
    assert_eq!(numbers(Uint8, &session.run(&x, |b, x| b.transpose(&x[0], &permutation))), [0, 3, 1, 4, 2, 5]);
}

#[test]
fn slices_with_strides() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let x = [counted(each, &[3, 5])];
        let plain = session.run(&x, |b, x| b.slice(&x[0], &[1, 2], &[2, 3], &MLSliceOptions::default()));
        assert_eq!(numbers(each, &plain), [7, 8, 9, 12, 13, 14], "{each}");
        let options = MLSliceOptions { strides: Some(vec![2, 3]), ..MLSliceOptions::default() };
        let strided = session.run(&x, |b, x| b.slice(&x[0], &[0, 1], &[3, 4], &options));
        assert_eq!(numbers(each, &strided), [1, 4, 11, 14], "{each}");
    }
}

#[test]
fn expands() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let x = [counted(each, &[2, 1])];
        let expanded = session.run(&x, |b, x| b.expand(&x[0], &[2, 2, 3], &none()));
        assert_eq!(numbers(each, &expanded), [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1], "{each}");
        let scalar = session.run(&[counted(each, &[])], |b, x| b.expand(&x[0], &[5], &none()));
        assert_eq!(numbers(each, &scalar), [0; 5], "{each}");
    }
}

#[test]
fn concatenates_along_any_axis() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let x = [counted(each, &[2, 1]), counted(each, &[2, 3]), counted(each, &[2, 1])];
        let joined = session.run(&x, |b, x| b.concat(x, 1, &none()));
        assert_eq!(numbers(each, &joined), [0, 0, 1, 2, 0, 1, 3, 4, 5, 1], "{each}");
        let x = [counted(each, &[1, 3]), counted(each, &[2, 3])];
        let joined = session.run(&x, |b, x| b.concat(x, 0, &none()));
        assert_eq!(numbers(each, &joined), [0, 1, 2, 0, 1, 2, 3, 4, 5], "{each}");
    }
}

#[test]
fn concatenates_more_inputs_than_a_kernel_binds() {
    let Some(session) = session() else { return };
    for count in [1, 2, 5, 14, 31, 100] {
        let inputs = (0..count).map(|n| data(Int8, &[2, 1], vec![n, n + 100])).collect::<Vec<_>>();
        let joined = session.run(&inputs, |b, x| b.concat(x, 1, &none()));
        let wanted = (0..count).chain((0..count).map(|n| n + 100)).collect::<Vec<_>>();
        assert_eq!(joined, wanted, "{count}");
    }
    // As many as there may be, of one element each.
    let builder = session.builder();
    let input = f32s(&[1], &[2.5]);
    let descriptor = webnn_reference::descriptor::MLOperandDescriptor::create(Float32, &[1]);
    let operand = builder.input("x0", &descriptor).unwrap();
    let joined = builder.concat(&vec![operand; 8192], 0, &none()).unwrap();
    let graph = session.build(&builder, &[("y", &joined)]);
    let output = session.empty(Float32, &[8192]);
    session.dispatch(&graph, &[session.tensor(&input)], &output);
    assert!(of_bytes(&session.read(&output), f32::from_le_bytes).iter().all(|x| *x == 2.5));
}

#[test]
fn selects() {
    let Some(session) = session() else { return };
    for each in types(&session) {
        let x = [data(Uint8, &[3], vec![0, 1, 200]), counted(each, &[2, 3]), counted(each, &[])];
        let selected = session.run(&x, |b, x| b.where_(&x[0], &x[1], &x[2], &none()));
        assert_eq!(numbers(each, &selected), [0, 1, 2, 0, 4, 5], "{each}");
    }
}

#[test]
fn eight_dimensions() {
    let Some(session) = session() else { return };
    let x = [counted(Float16, &[1, 2, 1, 2, 1, 2, 1, 2])];
    let reversed = session.run(&x, |b, x| b.transpose(&x[0], &MLTransposeOptions::default()));
    assert_eq!(numbers(Float16, &reversed), [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]);
}

/// Beyond the largest binding of a software adapter, 128 MiB.
#[test]
fn a_tensor_of_several_bindings() {
    let Some(session) = session() else { return };
    let count = 35_000_001;
    let numbers = (0..count).collect::<Vec<i32>>();
    let x = data(Int32, &[numbers.len() as u32], numbers.iter().flat_map(|n| n.to_le_bytes()).collect());
    let negated = session.run(&[x], |b, x| b.neg(&x[0], &none()));
    let negated = of_bytes(&negated, i32::from_le_bytes);
    assert!(negated.iter().zip(&numbers).all(|(got, n)| *got == -n));
}
