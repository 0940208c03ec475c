//! Graphs that leave the device and return.

use webnn_reference::ledger::Kind;
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::supply::ConstantData;

use crate::moving::{ledger, offload, reload, set};
use crate::networks::large;
use crate::session::gpu;
use crate::sources::TestBlob;

#[test]
fn a_graph_leaves_and_returns_with_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    let built = large().build(gpu);
    built.supply();
    let wanted = built.compute().unwrap();
    let session = &built.session;
    let before = ledger(session);
    let constants = before.now(Kind::Constants);
    for target in [MLOffloadTarget::Host, MLOffloadTarget::Source, MLOffloadTarget::Host] {
        offload(session, &built.graph, target).unwrap();
        let left = ledger(session);
        assert_eq!([Kind::Constants, Kind::Intermediates].map(|kind| left.now(kind)), [0, 0]);
        // Those from build() have no source.
        let on_host = if target == MLOffloadTarget::Host { constants } else { 2 * 700 * 4 };
        assert_eq!(left.now(Kind::Offloaded), on_host);
        // Twice is once.
        offload(session, &built.graph, target).unwrap();
        reload(session, &built.graph).unwrap();
        let returned = ledger(session);
        assert_eq!([Kind::Constants, Kind::Offloaded].map(|kind| returned.now(kind)), [constants, 0]);
        assert_eq!(built.compute().unwrap(), wanted);
    }
    // What was dispatched before still computes with its constants; what comes after brings them back.
    session.dispatch(&built.graph, std::slice::from_ref(&built.input), &built.output);
    let read = session.context.read_tensor(&built.output);
    let left = built.graph.offload(MLOffloadOptions { to: MLOffloadTarget::Source });
    session.global.settle(&left).unwrap();
    assert_eq!(session.global.settle(&read).unwrap().to_vec(), wanted);
    assert_eq!(ledger(session).now(Kind::Constants), 0);
    assert_eq!(built.compute().unwrap(), wanted);
    // From host memory to nowhere.
    offload(session, &built.graph, MLOffloadTarget::Host).unwrap();
    offload(session, &built.graph, MLOffloadTarget::Source).unwrap();
    assert_eq!(ledger(session).now(Kind::Offloaded), 2 * 700 * 4);
    assert_eq!(built.compute().unwrap(), wanted);
    built.graph.destroy();
    let gone = ledger(session);
    let kinds = [Kind::Constants, Kind::Intermediates, Kind::Offloaded, Kind::Parameters];
    assert_eq!(kinds.map(|kind| gone.now(kind)), [0; 4]);
}

#[test]
fn a_source_that_can_not_be_read_any_more_fails_the_dispatch_alone() {
    let Some(gpu) = gpu() else { return };
    let built = large().build(gpu);
    let blobs = built.weights.iter().map(|(_, bytes)| TestBlob::new(bytes)).collect::<Vec<_>>();
    for ((weight, _), blob) in built.weights.iter().zip(&blobs) {
        set(&built.session, &built.graph, weight, &ConstantData::Blob(blob.clone())).unwrap();
    }
    let wanted = built.compute().unwrap();
    let least = built.least_budget();
    let all =
        ledger(&built.session).budgeted() + built.weights.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
    for (budget, broken) in [(least, 0), (least, 3), (all, 7), (2 * all, 9)] {
        built.budget(Some(budget)).unwrap();
        offload(&built.session, &built.graph, MLOffloadTarget::Source).unwrap();
        blobs[broken].cut(2);
        let failure = built.compute().unwrap_err();
        assert!(failure.message.contains("the file was cut"), "{failure}");
        assert!(!built.session.context.is_lost());
        blobs[broken].cut(u64::MAX);
        assert_eq!(built.compute().unwrap(), wanted);
    }
}

/// What is released counts until the device is done with it, and then no longer.
#[test]
fn the_ledger_ends_where_it_began() {
    let Some(gpu) = gpu() else { return };
    let built = large().build(gpu);
    let session = &built.session;
    built.supply();
    built.compute().unwrap();
    session.dispatch(&built.graph, std::slice::from_ref(&built.input), &built.output);
    built.graph.destroy();
    built.input.destroy();
    built.output.destroy();
    let end = ledger(session);
    assert_eq!(end.budgeted(), 0);
    assert_eq!([Kind::Parameters, Kind::Offloaded].map(|kind| end.now(kind)), [0, 0]);
}
