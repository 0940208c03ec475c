//! Constants that are supplied: from anything, in any parts.

use webnn_reference::buffer::BufferSource;
use webnn_reference::exception::ExceptionName;
use webnn_reference::ledger::{Kind, Way};
use webnn_reference::proposals::residency::MLOffloadTarget;
use webnn_reference::supply::ConstantData;

use crate::moving::{ledger, offload, reload, set};
use crate::networks::{Copier, large};
use crate::session::{Float32, Session, Uint8, data, gpu};
use crate::sources::{TestBlob, blob, noise, stream};

/// How the tests supply bytes: whole, from anything.
const WAYS: [fn(&[u8]) -> ConstantData; 3] = [|bytes| BufferSource::typed(Uint8, bytes.to_vec()).into(), blob, stream];

#[test]
fn every_data_type_and_odd_sizes_arrive_bit_for_bit() {
    let Some(gpu) = gpu() else { return };
    let types = Session::on(gpu.clone()).context.limits().data_types.clone();
    for (n, data_type) in types.into_iter().enumerate() {
        let size = data_type.element_size() as usize;
        for (m, count) in [1, 2, 3, 5, 101, 300_007].into_iter().enumerate() {
            let bytes = noise(count * size, (10 * n + m) as u64);
            for (way, supplied) in WAYS.into_iter().enumerate() {
                let copier = Copier::new(gpu.clone(), data_type, count as u32);
                let supplied = match way {
                    0 => BufferSource::typed(data_type, bytes.clone()).into(),
                    _ => supplied(&bytes),
                };
                copier.set(supplied).unwrap();
                assert!(copier.read() == bytes, "{count} of {data_type}, way {way}");
            }
        }
    }
}

/// Parts of bytes, which may begin and end within words, in any order and from anything.
#[test]
fn parts_come_in_any_order_and_from_anywhere() {
    let Some(gpu) = gpu() else { return };
    for (seed, count) in (0..).zip([7, 10, 33, 1000, 100_001]) {
        let bytes = noise(count, seed);
        let dice = noise(200, seed + 100);
        let mut cuts = dice.iter().take(9).map(|die| usize::from(*die) * 997 % count).collect::<Vec<_>>();
        cuts.extend([0, count]);
        cuts.sort_unstable();
        cuts.dedup();
        let mut parts = cuts.windows(2).map(|cut| cut[0]..cut[1]).collect::<Vec<_>>();
        parts.sort_by_key(|part| dice[10 + part.start % 100]);
        let copier = Copier::new(gpu.clone(), Uint8, count as u32);
        for (n, part) in parts.iter().enumerate() {
            // A stream has all that is left, so it can be the last part of the constant only.
            let way = if part.end == count { n % 3 } else { n % 2 };
            copier.set_at(WAYS[way](&bytes[part.clone()]), part.start).unwrap();
        }
        assert!(copier.read() == bytes, "{parts:?}");
    }
}

#[test]
fn a_large_constant_goes_through_a_small_ring() {
    let Some(gpu) = gpu() else { return };
    let count = 41 << 20;
    let bytes = noise(count + 1, 1);
    let copier = Copier::new(gpu, Uint8, count as u32 + 1);
    copier.set(blob(&bytes)).unwrap();
    let ledger = ledger(&copier.session);
    // Half of it is 32 MiB as a power of two, and one more is needed.
    assert!(ledger.peak(Kind::Staging) <= 2 * (32 << 20), "{}", ledger.peak(Kind::Staging));
    assert_eq!(ledger.now(Kind::Constants), count as u64 + 4);
    assert_eq!([Way::Upload, Way::Read].map(|way| ledger.moved_on(way)), [count as u64 + 1; 2]);
    assert!(copier.read() == bytes);
    // To the host and back, in pieces.
    offload(&copier.session, &copier.graph, MLOffloadTarget::Host).unwrap();
    reload(&copier.session, &copier.graph).unwrap();
    assert!(copier.read() == bytes);
}

#[test]
fn a_read_that_fails_leaves_the_constant_unset() {
    let Some(gpu) = gpu() else { return };
    for readable in [0, 2, 4, 500_000, 999_999] {
        let bytes = noise(1_000_000, 5);
        let copier = Copier::new(gpu.clone(), Uint8, 1_000_000);
        let spoiled = TestBlob::new(&bytes);
        spoiled.cut(readable);
        let failure = copier.set(ConstantData::Blob(spoiled.clone())).unwrap_err();
        assert_eq!(failure.name, ExceptionName::UnknownError);
        assert!(failure.message.contains("the file was cut"), "{failure}");
        let failure = copier.session.context.dispatch(&copier.graph, &[], &[("y".into(), copier.output.clone())]);
        assert_eq!(failure.unwrap_err().name, ExceptionName::InvalidStateError);
        // A stream that ends early, and one that has too much.
        assert!(copier.set(stream(&bytes[1..])).unwrap_err().message.contains("1 bytes early"));
        assert!(copier.set(stream(&noise(1_000_001, 6))).unwrap_err().message.contains("more bytes"));
        // In parts, of which one fails first.
        copier.set_at(blob(&noise(3, 7)), 1).unwrap();
        assert!(copier.set_at(stream(&bytes[5..]), 4).is_err());
        copier.set_at(blob(&bytes[4..]), 4).unwrap();
        copier.set_at(blob(&bytes[..1]), 0).unwrap();
        let wanted = [&bytes[..1], &noise(3, 7), &bytes[4..]].concat();
        assert!(copier.read() == wanted);
    }
}

/// A part that was left at its source comes along later, and if it can not be read then, it is not taken for zeros.
#[test]
fn what_was_left_at_its_source_is_read_when_there_is_room() {
    let Some(gpu) = gpu() else { return };
    let bytes = noise(4096, 8);
    let copier = Copier::new(gpu, Uint8, 4096);
    let Copier { session, .. } = &copier;
    let budget = |bytes| session.global.settle(&session.context.set_memory_budget(bytes)).unwrap();
    // No more than the output, which is there.
    budget(Some(4096));
    let first = TestBlob::new(&bytes[..1000]);
    copier.set_at(ConstantData::Blob(first.clone()), 0).unwrap();
    assert_eq!(ledger(session).now(Kind::Constants), 0);
    budget(None);
    first.cut(10);
    assert!(copier.set_at(WAYS[0](&bytes[1000..]), 1000).is_err());
    assert_eq!(ledger(session).now(Kind::Constants), 0);
    first.cut(1000);
    copier.set_at(WAYS[0](&bytes[1000..]), 1000).unwrap();
    assert!(copier.read() == bytes);
}

/// Constants are set while what was dispatched before is recorded, and other contexts share the batch.
#[test]
fn constants_are_set_between_dispatches_of_other_graphs() {
    let Some(gpu) = gpu() else { return };
    let (first, second) = (large().build(gpu.clone()), large().build(gpu));
    first.supply();
    let wanted = first.compute().unwrap();
    let reads = second.weights.iter().map(|(weight, bytes)| {
        first.session.write(&first.output, &data(Float32, &[], vec![0; wanted.len()]));
        first.session.dispatch(&first.graph, std::slice::from_ref(&first.input), &first.output);
        let read = first.session.context.read_tensor(&first.output);
        first.session.global.pump_timelines();
        set(&second.session, &second.graph, weight, &blob(bytes)).unwrap();
        read
    });
    for read in reads.collect::<Vec<_>>() {
        assert_eq!(first.session.global.settle(&read).unwrap().to_vec(), wanted);
    }
    assert_eq!(second.compute().unwrap(), wanted);
}
