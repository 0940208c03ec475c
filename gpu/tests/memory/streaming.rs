//! Graphs that are computed although their constants do not fit.

use proptest::prelude::*;
use webnn_reference::ledger::{Kind, Way};
use webnn_reference::proposals::residency::MLOffloadTarget;

use crate::moving::{ledger, offload};
use crate::networks::{Copier, Layer, Line, large, line};
use crate::session::{Float16, Int64, Session, Uint8, Uint64, gpu};
use crate::sources::{blob, noise};

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// In whatever room: the bits are those of constants that are resident, and the peak is within the budget.
    #[test]
    fn streamed_is_resident_within_the_budget(line in line(), thousandths in prop::collection::vec(0..1100_u64, 3)) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let resident = line.build(gpu.clone());
        resident.supply();
        let wanted = resident.compute().unwrap();
        let all = ledger(&resident.session).budgeted();

        let least = line.build(gpu.clone());
        least.supply();
        let least = least.least_budget();
        prop_assert!(least <= all, "{least} {all}");
        for part in [0].into_iter().chain(thousandths) {
            let budget = least + (all - least) * part / 1000;
            let streamed = line.build(gpu.clone());
            offload(&streamed.session, &streamed.graph, MLOffloadTarget::Source).unwrap();
            let peak_before = ledger(&streamed.session).budgeted_peak();
            streamed.budget(Some(budget)).unwrap();
            streamed.supply();
            for _ in 0..2 {
                prop_assert_eq!(&streamed.compute().unwrap(), &wanted, "{} of {}..{}", budget, least, all);
            }
            let peak = ledger(&streamed.session).budgeted_peak();
            prop_assert!(peak <= budget.max(peak_before), "{peak} of {budget}");
        }
        // One byte less is too little, which costs the dispatch and nothing else.
        let tight = line.build(gpu);
        offload(&tight.session, &tight.graph, MLOffloadTarget::Source).unwrap();
        let tensors = ledger(&tight.session).budgeted();
        tight.budget(Some((least - 1).max(tensors))).unwrap();
        tight.supply();
        if least > tensors {
            let failure = tight.compute().unwrap_err();
            prop_assert!(failure.message.contains("exceed the memory budget"), "{failure}");
        }
        tight.budget(None).unwrap();
        prop_assert_eq!(&tight.compute().unwrap(), &wanted);
    }
}

/// Of a graph that is pinned, what is there stays, and only the rest is streamed.
#[test]
fn a_pinned_graph_streams_what_is_not_there() {
    let Some(gpu) = gpu() else { return };
    let wanted = {
        let built = large().build(gpu.clone());
        built.supply();
        built.compute().unwrap()
    };
    let built = large().build(gpu);
    built.graph.set_pinned(true).unwrap();
    // Room for two of the matrices, and for what comes before the third.
    let square = 700 * 700 * 4;
    built.budget(Some(ledger(&built.session).budgeted() + 2 * square + square / 2)).unwrap();
    built.supply();
    let there = ledger(&built.session).now(Kind::Constants);
    assert!(there > 2 * square && there < 3 * square, "{there}");
    let failure = built.compute().unwrap_err();
    let over = failure.message.split_once(" bytes by ").expect(&failure.message).1.split_once(',').unwrap().0;
    let enough = 2 * square + square / 2 + over.parse::<u64>().unwrap();
    built.budget(Some(ledger(&built.session).now(Kind::Tensors) + 2 * 700 * 4 + enough)).unwrap();
    let read = ledger(&built.session).moved_on(Way::Read);
    for times in 1..3 {
        assert_eq!(built.compute().unwrap(), wanted);
        let after = ledger(&built.session);
        assert_eq!(after.now(Kind::Constants), there);
        // Two matrices and the small weights behind them, each time.
        assert!(after.moved_on(Way::Read) - read < times * (2 * square + square / 2), "{after:?}");
    }
}

/// Contexts of several threads share the batch and the device.
#[test]
fn graphs_are_streamed_in_several_threads() {
    let Some(gpu) = gpu() else { return };
    let line = Line { width: 90, layers: [Layer::MatMul, Layer::Quantized, Layer::AddKnown, Layer::Softmax].repeat(3) };
    let resident = line.build(gpu.clone());
    resident.supply();
    let wanted = resident.compute().unwrap();
    std::thread::scope(|scope| {
        for part in 0..4 {
            let (gpu, line, wanted) = (gpu.clone(), &line, &wanted);
            scope.spawn(move || {
                let built = line.build(gpu);
                built.supply();
                let least = built.least_budget();
                built.budget(Some(least + part * 20_000)).unwrap();
                for _ in 0..5 {
                    assert_eq!(&built.compute().unwrap(), wanted);
                    offload(&built.session, &built.graph, MLOffloadTarget::Host).unwrap();
                }
            });
        }
    });
}

/// A graph of 64-bit and 16-bit weights, which lie in words that are shared and in pairs of words.
#[test]
fn weights_of_every_width_are_streamed() {
    let Some(gpu) = gpu() else { return };
    let types = Session::on(gpu.clone()).context.limits().data_types.clone();
    for data_type in [Float16, Uint8, Int64, Uint64].into_iter().filter(|data_type| types.contains(data_type)) {
        let bytes = noise(33 * data_type.element_size() as usize, 4);
        let copier = Copier::new(gpu.clone(), data_type, 33);
        copier.set(blob(&bytes)).unwrap();
        assert_eq!(copier.read(), bytes);
        offload(&copier.session, &copier.graph, MLOffloadTarget::Source).unwrap();
        let taken = ledger(&copier.session).budgeted();
        let whole = (bytes.len() as u64).next_multiple_of(4);
        let budget = |bytes| copier.session.global.settle(&copier.session.context.set_memory_budget(Some(bytes)));
        budget(taken + whole).unwrap();
        assert_eq!(copier.read(), bytes);
    }
}
