//! A device that is lost while memory is moved.

use std::sync::atomic::{AtomicU64, Ordering};

use webnn_gpu::Gpu;
use webnn_reference::proposals::residency::MLOffloadTarget;
use webnn_reference::supply::ConstantData;

use crate::moving::{ledger, offload, set};
use crate::networks::{Copier, large};
use crate::session::{Uint8, gpu};
use crate::sources::{TestBlob, noise};

/// The device goes while a blob is read, be it for the first part of the constant or when slots are in flight.
#[test]
fn a_device_lost_in_the_middle_of_an_upload_is_a_lost_context() {
    for at in [0, 1 << 18, 5 << 20] {
        let Some(_) = gpu() else { return };
        let gpu = Gpu::new(None).unwrap();
        let device = gpu.device().clone();
        let copier = Copier::new(gpu, Uint8, 8 << 20);
        let bytes = noise(8 << 20, 3);
        let losing = TestBlob::with(&bytes, move |offset| {
            if offset >= at {
                device.destroy();
            }
        });
        let failure = copier.set(ConstantData::Blob(losing)).unwrap_err();
        assert!(failure.message.contains("lost"), "{failure}");
        copier.session.global.run_until_idle();
        assert!(copier.session.context.is_lost());
        ledger(&copier.session);
    }
}

#[test]
fn a_device_lost_in_the_middle_of_a_move_or_a_stream_is_a_lost_context() {
    let Some(_) = gpu() else { return };
    for delay in [0, 200, 1000, 4000, 10_000] {
        let gpu = Gpu::new(None).unwrap();
        let device = gpu.device().clone();
        let built = large().build(gpu);
        built.supply();
        built.compute().unwrap();
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_micros(delay));
                device.destroy();
            });
            offload(&built.session, &built.graph, MLOffloadTarget::Host)?;
            built.compute().map(|_| ())
        });
        // Done before, or lost; never anything else, and never for ever.
        if let Err(failure) = outcome {
            assert!(built.session.context.is_lost(), "{failure}");
        }
    }
    let gpu = Gpu::new(None).unwrap();
    let device = gpu.device().clone();
    let built = large().build(gpu);
    for (n, (weight, bytes)) in built.weights.iter().enumerate() {
        let device = device.clone();
        // Not when it is supplied, but when it is streamed.
        let reads = AtomicU64::new(0);
        let losing = TestBlob::with(bytes, move |offset| {
            if n == 4 && offset == 0 && reads.fetch_add(1, Ordering::Relaxed) > 0 {
                device.destroy();
            }
        });
        set(&built.session, &built.graph, weight, &ConstantData::Blob(losing)).unwrap();
    }
    let least = built.least_budget();
    assert!(built.budget(Some(least)).is_ok());
    let failure = built.compute().unwrap_err();
    assert!(built.session.context.is_lost(), "{failure}");
}
