//! Contexts on a device: constants of every kind, outputs that are used again, many graphs in one submission, and
//! what becomes of a context whose device is lost.

mod session;

use session::{Float32, Int32, Session, Uint8, assert_same, data, f32s, gpu, none, of_bytes, session, small};
use webnn_gpu::Gpu;
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::ExceptionName;
use webnn_reference::number::MLNumber;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;

fn vector(size: u32) -> MLOperandDescriptor {
    MLOperandDescriptor::create(Float32, &[size])
}

fn source(numbers: &[f32]) -> BufferSource {
    BufferSource::typed(Float32, f32s(&[], numbers).bytes)
}

#[test]
fn constants_of_bytes_scalars_and_tensors() {
    let Some(session) = session() else { return };
    let tensor = session.context.create_constant_tensor(&vector(2), &source(&[10.0, 20.0]));
    let tensor = session.global.settle(&tensor).unwrap();
    let builder = session.builder();
    let x = builder.input("x0", &vector(2)).unwrap();
    let of_bytes = builder.constant(&vector(2), &source(&[1.0, 2.0])).unwrap();
    let of_tensor = builder.constant_tensor(&tensor).unwrap();
    let scalar = builder.constant_scalar(Float32, 0.5.into()).unwrap();
    let sum = builder.add(&builder.add(&x, &of_bytes, &none()).unwrap(), &of_tensor, &none()).unwrap();
    let y = builder.mul(&sum, &scalar, &none()).unwrap();
    let graph = session.build(&builder, &[("y", &y)]);
    // The graph keeps what it needs.
    tensor.destroy();
    let output = session.empty(Float32, &[2]);
    session.dispatch(&graph, &[session.tensor(&f32s(&[2], &[100.0, 200.0]))], &output);
    assert_same(&session::of_bytes(&session.read(&output), f32::from_le_bytes), &[55.5, 111.0]);
}

#[test]
fn scalars_of_every_data_type() {
    let Some(session) = session() else { return };
    for each in session.context.limits().data_types.clone() {
        let numbers = session.run(&[small(each, &[3], &[1, 2, 3])], |b, x| {
            let scalar = b.constant_scalar(each, MLNumber::Double(4.0))?;
            b.add(&x[0], &scalar, &none())
        });
        assert_eq!(numbers, small(each, &[3], &[5, 6, 7]).bytes, "{each}");
    }
}

#[test]
fn hollow_constants_are_filled_after_building() {
    let Some(session) = session() else { return };
    let builder = session.builder();
    let x = builder.input("x0", &vector(3)).unwrap();
    let weights = builder.hollow_constant(&vector(3)).unwrap();
    let bias = builder.hollow_constant(&vector(1)).unwrap();
    let product = builder.mul(&x, &weights, &none()).unwrap();
    let y = builder.add(&product, &bias, &none()).unwrap();
    let graph = session.build(&builder, &[("y", &y)]);
    session
        .global
        .settle(&graph.set_constant_data(&weights, &source(&[1.0, 2.0, 3.0]).into(), MLConstantDataOptions::default()))
        .unwrap();
    session
        .global
        .settle(&graph.set_constant_data(&bias, &source(&[0.5]).into(), MLConstantDataOptions::default()))
        .unwrap();
    let output = session.empty(Float32, &[3]);
    for factor in [1.0, 10.0] {
        session.dispatch(&graph, &[session.tensor(&f32s(&[3], &[factor; 3]))], &output);
        let wanted = [1.0, 2.0, 3.0].map(|weight| factor * weight + 0.5);
        assert_same(&of_bytes(&session.read(&output), f32::from_le_bytes), &wanted);
    }
}

#[test]
fn an_operand_may_be_two_outputs_and_an_input_of_others() {
    let Some(session) = session() else { return };
    let builder = session.builder();
    let x = builder.input("x", &MLOperandDescriptor::create(Uint8, &[3])).unwrap();
    let middle = builder.add(&x, &x, &none()).unwrap();
    let end = builder.mul(&middle, &middle, &none()).unwrap();
    let outputs = [("first", &middle), ("end", &end), ("second", &middle)];
    let graph = session.build(&builder, &outputs);
    let tensors = outputs.map(|(name, _)| (name.to_owned(), session.empty(Uint8, &[3])));
    let input = session.tensor(&data(Uint8, &[3], vec![1, 2, 3]));
    session.context.dispatch(&graph, &[("x".to_owned(), input)], &tensors).unwrap();
    let [first, end, second] = tensors.map(|(_, tensor)| session.read(&tensor));
    assert_eq!((first, end, second), (vec![2, 4, 6], vec![4, 16, 36], vec![2, 4, 6]));
}

#[test]
fn writes_dispatches_and_reads_keep_their_order() {
    let Some(session) = session() else { return };
    let builder = session.builder();
    let x = builder.input("x0", &vector(1)).unwrap();
    let one = builder.constant_scalar(Float32, 1.0.into()).unwrap();
    let y = builder.add(&x, &one, &none()).unwrap();
    let graph = session.build(&builder, &[("y", &y)]);
    let (a, b) = (session.tensor(&f32s(&[1], &[1.0])), session.empty(Float32, &[1]));
    let mut reads = Vec::new();
    for round in 0..5 {
        session.dispatch(&graph, std::slice::from_ref(&a), &b);
        reads.push(session.context.read_tensor(&b));
        session.dispatch(&graph, std::slice::from_ref(&b), &a);
        reads.push(session.context.read_tensor(&a));
        // Overwrites what was computed, after it was read.
        session.write(&a, &f32s(&[1], &[10.0 * (round + 1) as f32]));
    }
    let bytes = reads.iter().map(|promise| session.global.settle(promise).unwrap().to_vec());
    let got = bytes.flat_map(|bytes| of_bytes(&bytes, f32::from_le_bytes)).collect::<Vec<_>>();
    assert_same(&got, &[2.0, 3.0, 11.0, 12.0, 21.0, 22.0, 31.0, 32.0, 41.0, 42.0]);
}

#[test]
fn a_new_tensor_is_zero() {
    let Some(session) = session() else { return };
    assert_eq!(session.read(&session.empty(Uint8, &[5])), [0; 5]);
    let tensor = session.empty(Int32, &[]);
    assert_eq!(session.read(&tensor), [0; 4]);
}

#[test]
fn many_graphs_of_many_contexts_before_the_first_read() {
    let Some(gpu) = gpu() else { return };
    let sessions = (0..10).map(|_| Session::on(gpu.clone())).collect::<Vec<_>>();
    let mut reads = Vec::new();
    for n in 0..200_u16 {
        let session = &sessions[usize::from(n) % sessions.len()];
        let builder = session.builder();
        let x = builder.input("x0", &vector(3)).unwrap();
        let y = builder.mul(&x, &builder.constant_scalar(Float32, f64::from(n).into()).unwrap(), &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        let output = session.empty(Float32, &[3]);
        session.dispatch(&graph, &[session.tensor(&f32s(&[3], &[1.0, 2.0, 3.0]))], &output);
        reads.push((session, f32::from(n), session.context.read_tensor(&output)));
        // Nothing that was recorded needs them alive.
        output.destroy();
        graph.destroy();
    }
    // A destroyed tensor's read is rejected; those before `destroy` keep what they copied.
    for (session, _, promise) in &reads {
        assert!(session.global.settle(promise).is_err());
    }
    let mut reads = Vec::new();
    for n in 0..200_u16 {
        let session = &sessions[usize::from(n) % sessions.len()];
        let builder = session.builder();
        let x = builder.input("x0", &vector(3)).unwrap();
        let y = builder.mul(&x, &builder.constant_scalar(Float32, f64::from(n).into()).unwrap(), &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        let output = session.empty(Float32, &[3]);
        session.dispatch(&graph, &[session.tensor(&f32s(&[3], &[1.0, 2.0, 3.0]))], &output);
        reads.push((session, f32::from(n), session.context.read_tensor(&output)));
    }
    for (session, n, promise) in &reads {
        let bytes = session.global.settle(promise).unwrap().to_vec();
        assert_same(&of_bytes(&bytes, f32::from_le_bytes), &[*n, 2.0 * n, 3.0 * n]);
    }
}

#[test]
fn a_lost_device_is_a_lost_context() {
    if gpu().is_none() {
        return;
    }
    // A device of its own, since it is going to be destroyed.
    let own = Gpu::new(None).unwrap();
    let session = Session::on(own.clone());
    let builder = session.builder();
    let x = builder.input("x0", &vector(1)).unwrap();
    let y = builder.neg(&x, &none()).unwrap();
    let graph = session.build(&builder, &[("y", &y)]);
    let (input, output) = (session.tensor(&f32s(&[1], &[1.0])), session.empty(Float32, &[1]));
    session.dispatch(&graph, std::slice::from_ref(&input), &output);
    let pending = session.context.read_tensor(&output);
    // The read is recorded; the device goes before anybody waits for it.
    session.global.pump_timelines();
    own.device().destroy();
    let failure = session.global.settle(&pending).unwrap_err();
    assert_eq!(failure.name, ExceptionName::UnknownError);
    session.global.run_until_idle();
    assert!(session.context.is_lost());
    let reason = session.context.lost().unwrap().outcome().unwrap().unwrap().message;
    assert!(reason.contains("destroyed"), "{reason}");
    assert_eq!(MLGraphBuilder::new(&session.context).unwrap_err().name, ExceptionName::InvalidStateError);
}

#[test]
fn a_device_lost_between_calls_loses_the_context_at_the_next() {
    if gpu().is_none() {
        return;
    }
    let own = Gpu::new(None).unwrap();
    let session = Session::on(own.clone());
    let builder = session.builder();
    let x = builder.input("x0", &vector(1)).unwrap();
    let y = builder.neg(&x, &none()).unwrap();
    own.device().destroy();
    let built = session.global.settle(&builder.build(&[("y".to_owned(), y)]));
    assert_eq!(built.unwrap_err().name, ExceptionName::OperationError);
    session.global.run_until_idle();
    assert!(session.context.is_lost());
}

#[test]
fn a_device_describes_itself() {
    let Some(gpu) = gpu() else { return };
    assert!(webnn_gpu::adapters().contains(&gpu.adapter_description()));
    assert!(webnn_gpu::NO_ADAPTER.contains("mesa-vulkan-drivers"));
    assert!(Gpu::new(Some("an adapter that nobody has")).is_err());
}
