//! Graphs whose weights are supplied after building.

use proptest::prelude::*;
use webnn_gpu::Gpu;
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::Exception;
use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::Kind;
use webnn_reference::operand::MLOperand;
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::supply::ConstantData;
use webnn_reference::tensor::MLTensor;

use crate::moving::{ledger, set, set_at};
use crate::session::{Data, Float32, Int8, Session, data, f32s, none};
use crate::sources::{blob, noise};

/// A graph that copies a hollow constant to its output.
pub(crate) struct Copier {
    pub(crate) session: Session,
    pub(crate) graph: MLGraph,
    pub(crate) constant: MLOperand,
    pub(crate) output: MLTensor,
}

impl Copier {
    pub(crate) fn new(gpu: Gpu, data_type: MLOperandDataType, count: u32) -> Self {
        let session = Session::on(gpu);
        let builder = session.builder();
        let constant = builder.hollow_constant(&MLOperandDescriptor::create(data_type, &[count])).unwrap();
        let y = builder.identity(&constant, &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        let output = session.empty(data_type, &[count]);
        Self { session, graph, constant, output }
    }

    pub(crate) fn set(&self, data: impl Into<ConstantData>) -> Result<(), Exception> {
        set(&self.session, &self.graph, &self.constant, &data.into())
    }

    pub(crate) fn set_at(&self, data: impl Into<ConstantData>, at: usize) -> Result<(), Exception> {
        set_at(&self.session, &self.graph, &self.constant, &data.into(), at)
    }

    pub(crate) fn read(&self) -> Vec<u8> {
        self.session.dispatch(&self.graph, &[], &self.output);
        self.session.read(&self.output)
    }
}

/// A network in a line, on vectors of float32, whose layers have weights of several types.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) width: u32,
    pub(crate) layers: Vec<Layer>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Layer {
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

pub(crate) fn layer() -> impl Strategy<Value = Layer> {
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

pub(crate) fn line() -> impl Strategy<Value = Line> {
    (1..70_u32, prop::collection::vec(layer(), 1..12)).prop_map(|(width, layers)| Line { width, layers })
}

/// Small numbers.
pub(crate) fn numbers(count: usize, seed: usize) -> Data {
    let number = |n: usize| ((n * 37 + seed * 11) % 61) as f32 / 64.0 - 0.46;
    f32s(&[count as u32], &(0..count).map(number).collect::<Vec<_>>())
}

/// A built line, its weights, and what it computes with.
pub(crate) struct Built {
    pub(crate) session: Session,
    pub(crate) graph: MLGraph,
    pub(crate) weights: Vec<(MLOperand, Vec<u8>)>,
    pub(crate) input: MLTensor,
    pub(crate) output: MLTensor,
}

impl Line {
    pub(crate) fn build(&self, gpu: Gpu) -> Built {
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

    pub(crate) fn layer(
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
    pub(crate) fn supply(&self) {
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

    pub(crate) fn compute(&self) -> Result<Vec<u8>, Exception> {
        // So that what was computed before is not taken for what is computed now.
        let zeros = vec![0; self.output.descriptor().byte_length() as usize];
        self.session.write(&self.output, &data(Float32, &[], zeros));
        self.session.dispatch(&self.graph, std::slice::from_ref(&self.input), &self.output);
        let bytes = self.session.global.settle(&self.session.context.read_tensor(&self.output))?;
        Ok(bytes.to_vec())
    }

    pub(crate) fn budget(&self, bytes: Option<u64>) -> Result<(), Exception> {
        self.session.global.settle(&self.session.context.set_memory_budget(bytes))
    }

    /// The least budget within which the graph can be computed, from what is said if there is none.
    pub(crate) fn least_budget(&self) -> u64 {
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

/// A line of several megabytes, so that segments and slots are several too.
pub(crate) fn large() -> Line {
    Line { width: 700, layers: [Layer::Add, Layer::MatMul, Layer::Quantized, Layer::MatMul, Layer::AddKnown].repeat(2) }
}
