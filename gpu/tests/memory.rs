//! The memory of graphs: constants that are supplied after building, in any way; graphs that leave the device and return;
//! constants that are streamed; the ledger of all that, and what goes wrong with it.

mod session;

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use session::{Data, Float16, Float32, Int8, Int64, Session, Uint8, Uint64, data, f32s, gpu, none};
use webnn_gpu::Gpu;
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::{Exception, ExceptionName};
use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::{Kind, Ledger, Way};
use webnn_reference::operand::MLOperand;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::supply::{Blob, ByteReader, ConstantData, ReadableStream, Unreadable};
use webnn_reference::tensor::MLTensor;

/// A blob that can be spoiled: from some byte on it can not be read, or reading it does something else first.
struct TestBlob {
    bytes: Vec<u8>,
    readable: AtomicU64,
    before: Box<dyn Fn(u64) + Sync>,
}

impl std::fmt::Debug for TestBlob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a blob of {} bytes", self.bytes.len())
    }
}

impl TestBlob {
    fn new(bytes: &[u8]) -> Rc<Self> {
        Self::with(bytes, |_| {})
    }

    fn with(bytes: &[u8], before: impl Fn(u64) + Sync + 'static) -> Rc<Self> {
        Rc::new(Self { bytes: bytes.to_vec(), readable: AtomicU64::new(u64::MAX), before: Box::new(before) })
    }

    fn cut(&self, readable: u64) {
        self.readable.store(readable, Ordering::Relaxed);
    }
}

impl Blob for TestBlob {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Unreadable> {
        (self.before)(offset);
        let start = offset as usize;
        if offset + into.len() as u64 > self.readable.load(Ordering::Relaxed) {
            return Err("the file was cut".to_owned());
        }
        into.copy_from_slice(&self.bytes[start..start + into.len()]);
        Ok(())
    }
}

/// A stream that gives a few bytes at a time.
#[derive(Debug)]
struct Trickle {
    bytes: Vec<u8>,
    at: usize,
}

impl ByteReader for Trickle {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Unreadable> {
        let count = into.len().min(self.bytes.len() - self.at).min(1 + self.at % 70_001);
        into[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn stream(bytes: &[u8]) -> ConstantData {
    ConstantData::Stream(ReadableStream::new(Box::new(Trickle { bytes: bytes.to_vec(), at: 0 })))
}

fn blob(bytes: &[u8]) -> ConstantData {
    ConstantData::Blob(TestBlob::new(bytes))
}

/// Bytes that look random, and are always the same.
fn noise(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

fn set(session: &Session, graph: &MLGraph, constant: &MLOperand, data: &ConstantData) -> Result<(), Exception> {
    session.global.settle(&graph.set_constant_data(constant, data, MLConstantDataOptions::default()))
}

fn set_at(
    session: &Session,
    graph: &MLGraph,
    constant: &MLOperand,
    data: &ConstantData,
    at: usize,
) -> Result<(), Exception> {
    let options = MLConstantDataOptions { byte_offset: Some(at as u64) };
    session.global.settle(&graph.set_constant_data(constant, data, options))
}

fn offload(session: &Session, graph: &MLGraph, to: MLOffloadTarget) -> Result<(), Exception> {
    session.global.settle(&graph.offload(MLOffloadOptions { to }))
}

fn reload(session: &Session, graph: &MLGraph) -> Result<(), Exception> {
    session.global.settle(&graph.reload())
}

fn ledger(session: &Session) -> Ledger {
    session.global.run_until_idle();
    session.context.ledger()
}

/// A graph that copies a hollow constant to its output.
struct Copier {
    session: Session,
    graph: MLGraph,
    constant: MLOperand,
    output: MLTensor,
}

impl Copier {
    fn new(gpu: Gpu, data_type: MLOperandDataType, count: u32) -> Self {
        let session = Session::on(gpu);
        let builder = session.builder();
        let constant = builder.hollow_constant(&MLOperandDescriptor::create(data_type, &[count])).unwrap();
        let y = builder.identity(&constant, &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        let output = session.empty(data_type, &[count]);
        Self { session, graph, constant, output }
    }

    fn set(&self, data: impl Into<ConstantData>) -> Result<(), Exception> {
        set(&self.session, &self.graph, &self.constant, &data.into())
    }

    fn set_at(&self, data: impl Into<ConstantData>, at: usize) -> Result<(), Exception> {
        set_at(&self.session, &self.graph, &self.constant, &data.into(), at)
    }

    fn read(&self) -> Vec<u8> {
        self.session.dispatch(&self.graph, &[], &self.output);
        self.session.read(&self.output)
    }
}

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

/// A network in a line, on vectors of float32, whose layers have weights of several types.
#[derive(Clone, Debug)]
struct Line {
    width: u32,
    layers: Vec<Layer>,
}

#[derive(Clone, Copy, Debug)]
enum Layer {
    Add,
    MatMul,
    /// A weight of bytes, scaled by a second weight.
    Quantized,
    /// Takes the weight of a layer before, if there is one of this type.
    AddAgain(usize),
    /// A weight that has its data at build().
    AddKnown,
    Softmax,
}

fn layer() -> impl Strategy<Value = Layer> {
    prop_oneof![
        Just(Layer::Add),
        Just(Layer::MatMul),
        Just(Layer::MatMul),
        Just(Layer::Quantized),
        (0..8_usize).prop_map(Layer::AddAgain),
        Just(Layer::AddKnown),
        Just(Layer::Softmax),
    ]
}

fn line() -> impl Strategy<Value = Line> {
    (1..70_u32, prop::collection::vec(layer(), 1..12)).prop_map(|(width, layers)| Line { width, layers })
}

/// Small numbers.
fn numbers(count: usize, seed: usize) -> Data {
    let number = |n: usize| ((n * 37 + seed * 11) % 61) as f32 / 64.0 - 0.46;
    f32s(&[count as u32], &(0..count).map(number).collect::<Vec<_>>())
}

/// A built line, its weights, and what it computes with.
struct Built {
    session: Session,
    graph: MLGraph,
    weights: Vec<(MLOperand, Vec<u8>)>,
    input: MLTensor,
    output: MLTensor,
}

impl Line {
    fn build(&self, gpu: Gpu) -> Built {
        let session = Session::on(gpu);
        let builder = session.builder();
        let row = MLOperandDescriptor::create(Float32, &[1, self.width]);
        let mut weights = Vec::new();
        let mut y = builder.input("x0", &row).unwrap();
        for (seed, layer) in self.layers.iter().enumerate() {
            y = self.layer(&builder, &y, *layer, seed, &mut weights);
        }
        let y = builder.neg(&y, &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        let width = self.width as usize;
        let input = session.tensor(&data(Float32, &row.shape, numbers(width, 99).bytes));
        let output = session.empty(Float32, &row.shape);
        Built { session, graph, weights, input, output }
    }

    fn layer(
        &self,
        builder: &MLGraphBuilder,
        x: &MLOperand,
        layer: Layer,
        seed: usize,
        weights: &mut Vec<(MLOperand, Vec<u8>)>,
    ) -> MLOperand {
        let (width, none) = (self.width as usize, none());
        let hollow =
            |data_type, shape: &[u32]| builder.hollow_constant(&MLOperandDescriptor::create(data_type, shape)).unwrap();
        let known = || numbers(width, seed).bytes;
        match layer {
            Layer::Add => {
                let weight = hollow(Float32, &[self.width]);
                weights.push((weight.clone(), known()));
                builder.add(x, &weight, &none).unwrap()
            }
            Layer::MatMul => {
                let weight = hollow(Float32, &[self.width, self.width]);
                weights.push((weight.clone(), numbers(width * width, seed).bytes));
                builder.matmul(x, &weight, &none).unwrap()
            }
            Layer::Quantized => {
                let (weight, scale) = (hollow(Int8, &[self.width]), hollow(Float32, &[1]));
                weights.push((weight.clone(), noise(width, seed as u64)));
                weights.push((scale.clone(), numbers(1, seed).bytes));
                let weight = builder.cast(&weight, Float32, &none).unwrap();
                builder.add(x, &builder.mul(&weight, &scale, &none).unwrap(), &none).unwrap()
            }
            Layer::AddAgain(which) => {
                let rows =
                    weights.iter().map(|(weight, _)| weight).filter(|weight| weight.descriptor().shape == [self.width]);
                let mut rows = rows.filter(|weight| weight.descriptor().data_type == Float32);
                rows.nth(which).map_or_else(|| x.clone(), |weight| builder.add(x, weight, &none).unwrap())
            }
            Layer::AddKnown => {
                let descriptor = MLOperandDescriptor::create(Float32, &[self.width]);
                let weight = builder.constant(&descriptor, &BufferSource::typed(Float32, known())).unwrap();
                builder.add(x, &weight, &none).unwrap()
            }
            Layer::Softmax => builder.softmax(x, 1, &none).unwrap(),
        }
    }
}

impl Built {
    fn supply(&self) {
        for (n, (weight, bytes)) in self.weights.iter().enumerate() {
            let half = bytes.len() / 8 * 4;
            if n % 2 == 1 && half > 0 {
                set_at(&self.session, &self.graph, weight, &blob(&bytes[half..]), half).unwrap();
                set_at(&self.session, &self.graph, weight, &blob(&bytes[..half]), 0).unwrap();
            } else {
                set(&self.session, &self.graph, weight, &blob(bytes)).unwrap();
            }
        }
    }

    fn compute(&self) -> Result<Vec<u8>, Exception> {
        // So that what was computed before is not taken for what is computed now.
        let zeros = vec![0; self.output.descriptor().byte_length() as usize];
        self.session.write(&self.output, &data(Float32, &[], zeros));
        self.session.dispatch(&self.graph, std::slice::from_ref(&self.input), &self.output);
        let bytes = self.session.global.settle(&self.session.context.read_tensor(&self.output))?;
        Ok(bytes.to_vec())
    }

    fn budget(&self, bytes: Option<u64>) -> Result<(), Exception> {
        self.session.global.settle(&self.session.context.set_memory_budget(bytes))
    }

    /// The least budget within which the graph can be computed, from what is said if there is none.
    fn least_budget(&self) -> u64 {
        self.session.global.settle(&self.graph.offload(MLOffloadOptions { to: MLOffloadTarget::Source })).unwrap();
        let taken = ledger(&self.session).budgeted();
        // Those at build() are on the host, and tensors and nothing else are taken.
        assert_eq!(taken, ledger(&self.session).now(Kind::Tensors));
        self.budget(Some(taken)).unwrap();
        let Err(failure) = self.compute() else { return taken };
        let over = failure.message.split_once(" bytes by ").expect(&failure.message).1;
        taken + over.split_once(',').unwrap().0.parse::<u64>().unwrap()
    }
}

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

/// A line of several megabytes, so that segments and slots are several too.
fn large() -> Line {
    Line { width: 700, layers: [Layer::Add, Layer::MatMul, Layer::Quantized, Layer::MatMul, Layer::AddKnown].repeat(2) }
}

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
