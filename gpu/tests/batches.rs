//! The order of commands, and what becomes of reads.

mod adapter;

use std::sync::Arc;

use adapter::{device, kernel, words};
use webnn_gpu::batch::Batch;
use webnn_gpu::device::Device;
use webnn_gpu::error::Error;
use webnn_gpu::pipeline::Bound;
use webnn_gpu::wgsl::{Binding, Form, Kernel, Lane, Module};

/// `output = a + 1` over one element.
fn increment() -> Module {
    kernel(&[Lane::U32], Lane::U32, "a(i) + 1u").module(1, Form::Dynamic, Binding::Separate)
}

fn number(device: &Device, value: u32) -> wgpu::Buffer {
    device.buffer_with("number", &value.to_le_bytes()).unwrap()
}

fn read(batch: &Arc<Batch>, buffer: &wgpu::Buffer) -> u32 {
    words(&batch.read(buffer, 0, 4).wait().unwrap())[0]
}

#[test]
fn a_thousand_dependent_dispatches_are_one_submission() {
    let Some(device) = device() else { return };
    let batch = Batch::new(Arc::clone(&device));
    let (x, y) = (number(&device, 0), number(&device, 0));
    let module = increment();
    for _ in 0..500 {
        batch.run(&module, &[(&x).into(), (&y).into()]).unwrap();
        batch.run(&module, &[(&y).into(), (&x).into()]).unwrap();
    }
    assert_eq!(read(&batch, &x), 1000);
}

#[test]
fn reads_see_their_own_moment() {
    let Some(device) = device() else { return };
    let batch = Batch::new(Arc::clone(&device));
    let (x, y) = (number(&device, 10), number(&device, 0));
    let mut reads = Vec::new();
    for _ in 0..3 {
        batch.run(&increment(), &[(&x).into(), (&y).into()]).unwrap();
        reads.push(batch.read(&y, 0, 4));
        batch.copy((&y).into(), (&x).into(), 4).unwrap();
    }
    // Asked for in another order than recorded.
    let values = reads.into_iter().rev().map(|read| words::<u32>(&read.wait().unwrap())[0]);
    assert_eq!(values.collect::<Vec<_>>(), [13, 12, 11]);
}

/// wgpu performs writes ahead of the next submission, whatever was recorded before them.
#[test]
fn an_upload_comes_after_what_was_recorded_before_it() {
    let Some(device) = device() else { return };
    let batch = Batch::new(Arc::clone(&device));
    let (x, y, z) = (number(&device, 1), number(&device, 0), number(&device, 0));
    batch.run(&increment(), &[(&x).into(), (&y).into()]).unwrap();
    batch.upload(&x, 0, &100_u32.to_le_bytes()).unwrap();
    batch.run(&increment(), &[(&x).into(), (&z).into()]).unwrap();
    let (first, second) = (batch.read(&y, 0, 4), batch.read(&z, 0, 4));
    assert_eq!(words::<u32>(&second.wait().unwrap()), [101]);
    assert_eq!(words::<u32>(&first.wait().unwrap()), [2]);
}

#[test]
fn uploads_and_reads_may_end_inside_a_word() {
    let Some(device) = device() else { return };
    let batch = Batch::new(Arc::clone(&device));
    for length in [1, 2, 3, 5, 7, 1023] {
        let bytes = (0..length).map(|n| n as u8).collect::<Vec<_>>();
        let buffer = device.buffer("bytes", length).unwrap();
        batch.upload(&buffer, 0, &bytes).unwrap();
        assert_eq!(batch.read(&buffer, 0, length).wait().unwrap(), bytes);
        let created = device.buffer_with("bytes", &bytes).unwrap();
        assert_eq!(batch.read(&created, 0, length).wait().unwrap(), bytes);
    }
}

#[test]
fn reads_that_nobody_waits_for_are_harmless() {
    let Some(device) = device() else { return };
    let batch = Batch::new(Arc::clone(&device));
    let x = number(&device, 7);
    for round in 0..20 {
        let dropped = batch.read(&x, 0, 4);
        let kept = batch.read(&x, 0, 4);
        if round % 2 == 0 {
            batch.flush().unwrap();
        }
        drop(dropped);
        assert_eq!(words::<u32>(&kept.wait().unwrap()), [7]);
    }
}

/// An error belongs to the flush that met it and to every read in it; then the batch goes on.
#[test]
fn a_bad_command_fails_its_flush_only() {
    let Some(device) = device() else { return };
    let batch = Batch::new(Arc::clone(&device));
    let x = number(&device, 7);
    let good = batch.read(&x, 0, 4);
    let beyond = batch.read(&x, 0, 4096);
    let why = |result: Result<Vec<u8>, Error>| match result {
        Err(Error::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(why(good.wait()), why(beyond.wait()));
    assert_eq!(read(&batch, &x), 7);
    let same = batch.copy((&x).into(), (&x).into(), 4);
    assert!(matches!(same, Err(Error::Refused(_))));
}

/// With every binding read-write, inputs and output share one buffer.
#[test]
fn an_arena_holds_inputs_and_output() {
    let Some(device) = device() else { return };
    let batch = Batch::new(Arc::clone(&device));
    let step = u64::from(device.limits().min_storage_buffer_offset_alignment);
    let arena = device.buffer("arena", 3 * step).unwrap();
    batch.upload(&arena, 0, bytemuck::bytes_of(&2.5_f32)).unwrap();
    batch.upload(&arena, step, bytemuck::bytes_of(&4.0_f32)).unwrap();
    let product: Kernel = kernel(&[Lane::F32, Lane::F32], Lane::F32, "a(i) * b(i)");
    let module = product.module(1, Form::Dynamic, Binding::Arena);
    let range = |k: u64| Bound { buffer: &arena, offset: k * step, bytes: Some(4) };
    batch.run(&module, &[range(0), range(1), range(2)]).unwrap();
    assert_eq!(words::<f32>(&batch.read(&arena, 2 * step, 4).wait().unwrap()), [10.0]);
    // Bound for reading only, the same is refused.
    let module = product.module(1, Form::Dynamic, Binding::Separate);
    batch.run(&module, &[range(0), range(1), range(2)]).unwrap();
    assert!(matches!(batch.flush(), Err(Error::Refused(_))));
}

#[test]
fn threads_share_a_device() {
    let Some(device) = device() else { return };
    std::thread::scope(|scope| {
        for start in 0..4 {
            let device = &device;
            scope.spawn(move || {
                let batch = Batch::new(Arc::clone(device));
                let (x, y) = (number(device, start), number(device, 0));
                for _ in 0..10 {
                    batch.run(&increment(), &[(&x).into(), (&y).into()]).unwrap();
                    batch.copy((&y).into(), (&x).into(), 4).unwrap();
                }
                assert_eq!(read(&batch, &x), start + 10);
            });
        }
    });
}
