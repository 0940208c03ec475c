//! Networks larger than a vector: what makes them cheaper changes no bit of what they compute, and saves what it should.

#![allow(clippy::print_stderr, reason = "a skipped test says why, and a plan how good it is")]

use std::rc::Rc;

use webnn_gpu::Gpu;
use webnn_gpu::error::Error;
use webnn_gpu::lower::Economy;
use webnn_gpu::sketch::{DEFAULTS, Drawing, Sketch};
use webnn_harness::networks::{Layers, Network, Size};
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::cpu::Cpu;
use webnn_reference::data_type::MLOperandDataType::Float32;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::ml::{ML, MLContextOptions, PlatformProvider};
use webnn_reference::operand::MLOperand;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::steps::Reading;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;

const REUSE: Economy = Economy { reuse: true, ..Economy::NONE };

/// Numbers around 0 that differ, and are small enough for sums of them to stay so.
fn numbers(count: usize, seed: usize) -> Vec<u8> {
    let number = |n: usize| ((n * 37 + seed * 11) % 61) as f32 / 64.0 - 0.46;
    (0..count).flat_map(|n| number(n).to_le_bytes()).collect()
}

/// What becomes of a graph before it is dispatched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Built,
    /// It is saved, and loaded in another context.
    Kept,
}

/// The bytes that a network's output has, dispatched twice with different inputs.
fn compute(network: Network, provider: impl PlatformProvider + 'static, way: Way) -> Vec<Vec<u8>> {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(provider));
    let mut context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
    let builder = MLGraphBuilder::new(&context).unwrap();
    let layers = Layers::of(&builder);
    let output = network.build(&layers, Size::Small).unwrap();
    let mut graph = global.settle(&builder.build(&[("y".to_owned(), output.clone())])).unwrap();
    let mut weights = layers.weights();
    if way == Way::Kept {
        let name = |(number, weight): (usize, &MLOperand)| (format!("{number:05}"), weight.clone());
        let named = weights.iter().enumerate().map(name).collect::<Vec<_>>();
        global.settle(&context.save_graph(network.name(), &graph, &named)).unwrap();
        context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
        graph = global.settle(&context.load_graph(network.name())).unwrap();
        weights = graph.constants().into_iter().map(|(_, weight)| weight).collect();
    }
    for (seed, weight) in weights.iter().enumerate() {
        let bytes = numbers(weight.descriptor().element_count() as usize, seed);
        global
            .settle(&graph.set_constant_data(
                weight,
                &BufferSource::typed(Float32, bytes).into(),
                MLConstantDataOptions::default(),
            ))
            .unwrap();
    }
    let tensor = |operand: &MLOperandDescriptor| -> MLTensor {
        let descriptor = MLTensorDescriptor { operand: operand.clone(), readable: true, writable: true };
        global.settle(&context.create_tensor(&descriptor)).unwrap()
    };
    let input = &graph.input_descriptors()["x"];
    let (x, y) = (tensor(input), tensor(&output.descriptor()));
    let computed = [1, 2].map(|seed| {
        let bytes = numbers(input.element_count() as usize, seed);
        context.write_tensor(&x, &BufferSource::typed(Float32, bytes)).unwrap();
        context.dispatch(&graph, &[("x".to_owned(), x.clone())], &[("y".to_owned(), y.clone())]).unwrap();
        global.settle(&context.read_tensor(&y)).unwrap().to_vec()
    });
    computed.to_vec()
}

fn draw(network: Network, size: Size, economy: Economy) -> Drawing {
    let sketch = Sketch::new(DEFAULTS, economy);
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(sketch.clone()));
    let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
    let builder = MLGraphBuilder::new(&context).unwrap();
    let output = network.build(&Layers::of(&builder), size).unwrap();
    global.settle(&builder.build(&[("y".to_owned(), output)])).unwrap();
    sketch.take().remove(0)
}

#[test]
fn networks_compute_the_same_bits_in_shared_memory() {
    let gpu = match Gpu::new(None) {
        Ok(gpu) => gpu,
        Err(error @ Error::NoAdapter { .. }) => {
            eprintln!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    for network in Network::ALL {
        let plain = compute(network, gpu.clone().with_economy(Economy::NONE), Way::Built);
        assert_ne!(plain[0], plain[1], "{network:?}: the input does not show in the output");
        let is_finite = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).is_finite();
        assert!(plain.iter().flat_map(|bytes| bytes.chunks(4)).all(is_finite), "{network:?}");
        for economy in [REUSE, Economy { reuse: false, ..Economy::ALL }, Economy::ALL] {
            // So that equal bits say something about shared memory.
            let figures = draw(network, Size::Small, economy).layout.figures;
            assert_eq!(economy.reuse, 2 * figures.planned < figures.naive, "{network:?} {economy:?}: {figures:?}");
            assert_eq!(
                compute(network, gpu.clone().with_economy(economy), Way::Built),
                plain,
                "{network:?} {economy:?}"
            );
        }
    }
}

#[test]
fn networks_compute_the_same_bits_when_they_were_kept() {
    for network in Network::ALL {
        assert_eq!(compute(network, Cpu, Way::Kept), compute(network, Cpu, Way::Built), "{network:?}");
    }
    let gpu = match Gpu::new(None) {
        Ok(gpu) => gpu,
        Err(error @ Error::NoAdapter { .. }) => {
            eprintln!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    for network in Network::ALL {
        let [built, kept] = [Way::Built, Way::Kept].map(|way| compute(network, gpu.clone(), way));
        assert_eq!(kept, built, "{network:?}");
    }
}

#[test]
fn networks_of_full_size_come_close_to_the_lower_bound() {
    for network in Network::ALL {
        for economy in [REUSE, Economy::ALL] {
            let Drawing { program, layout } = draw(network, Size::Full, economy);
            let figures = layout.figures;
            let name = network.name();
            eprintln!("{name}, {economy:?}: {} dispatches, {figures:?}", program.steps.len());
            assert!(figures.planned as f64 <= 1.02 * figures.lower_bound as f64, "{name}: {figures:?}");
            assert!(3 * figures.planned < figures.naive, "{name}: {figures:?}");
        }
        let [plain, thrifty] = [Economy::NONE, Economy::ALL].map(|economy| draw(network, Size::Full, economy));
        assert!(3 * thrifty.program.steps.len() < 2 * plain.program.steps.len(), "{network:?}");
    }
}
