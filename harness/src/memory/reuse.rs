//! Shared memory of intermediate tensors: what the plan says, and what is then allocated
//! (<https://github.com/webonnx/wonnx/issues/47>).

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use webnn_gpu::Gpu;
use webnn_gpu::lower::{Bounds, Economy};
use webnn_gpu::sketch::Sketch;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::exception::Result;
use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::Kind;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::ops::transpose::MLTransposeOptions;
use webnn_reference::supply::ConstantData;

use super::model::{self, Noise, NoiseBlob};
use super::session::Session;
use super::{Measured, Outcome, Unit, Way, Workload, column, no_tensors, way};
use crate::implementation::Implementation;
use crate::networks::{Layers, Network, Size};

/// From so many bytes on, networks are computed in full size.
const FULL: u64 = 1 << 30;

/// Graphs and networks.
pub(crate) static REUSE: Workload = Workload {
    name: "reuse",
    about: "memory of intermediate tensors, which wgpu plans beforehand; small networks have the structure of those that they are \
            called after, which are measured from --size 1GiB on",
    ways: &[
        way("chain", "32 operators, one after another"),
        way("diamond", "two branches that join, one of them 16 operators long"),
        way("mobilenet", "MobileNetV2, 224x224"),
        way("resnet", "ResNet-50, 224x224"),
        way("bert", "BERT base, 128 tokens"),
    ],
    columns: &[
        column("naive", "unplanned", Unit::Bytes),
        column("planned", "planned", Unit::Bytes),
        column("least", "lower bound", Unit::Bytes),
        column("ledger", "by the ledger", Unit::Bytes),
        column("apart", "by the ledger, unplanned", Unit::Bytes),
    ],
    compared: None,
    agrees: false,
    tensors: no_tensors,
    measure,
};

fn measure(session: &Session, way: &Way) -> Outcome<Measured> {
    let is_network = !matches!(way.name, "chain" | "diamond");
    let graph = Subject { name: way.name, size: if session.size < FULL { Size::Small } else { Size::Full } };
    let measured = match &session.implementation {
        Implementation::Wgpu(name) => planned(session, &graph, &Gpu::new(name.as_deref())?, is_network)?,
        // What is planned, and the least that a plan can take, is of graphs that are fused, and says nothing of others.
        Implementation::Reference | Implementation::Outside { .. } => {
            let (ledger, result) = graph.compute(session)?;
            Measured::of(&result).with("ledger", ledger as f64)
        }
    };
    let is_small = is_network && graph.size == Size::Small;
    Ok(Measured { remark: is_small.then(|| "small".to_owned()), ..measured })
}

/// What the plan of the GPU says of a graph, and what is then allocated with it and without.
fn planned(session: &Session, graph: &Subject, gpu: &Gpu, is_network: bool) -> Outcome<Measured> {
    let sketch = Sketch::new(bounds_of(gpu), Economy::ALL);
    graph.build(&session.on(Rc::new(sketch.clone()))?)?;
    let figures = sketch.take().pop().ok_or("nothing was drawn")?.layout.figures;
    if !is_network && figures.planned != figures.lower_bound {
        return Err(format!("{} bytes are planned, but {} are enough", figures.planned, figures.lower_bound).into());
    }
    let apart = gpu.clone().with_economy(Economy { reuse: false, ..Economy::ALL });
    let (ledger, result) = graph.compute(&session.on(Rc::new(gpu.clone()))?)?;
    let (apart, without) = graph.compute(&session.on(Rc::new(apart))?)?;
    if result != without {
        return Err("in shared memory it computes something else".into());
    }
    Ok(Measured::of(&result)
        .with("naive", figures.naive as f64)
        .with("planned", figures.planned as f64)
        .with("least", figures.lower_bound as f64)
        .with("ledger", ledger as f64)
        .with("apart", apart as f64))
}

fn bounds_of(gpu: &Gpu) -> Bounds {
    let limits = gpu.device().limits();
    Bounds {
        binding_bytes: limits.max_storage_buffer_binding_size,
        bindings: limits.max_storage_buffers_per_shader_stage as usize,
        buffer_bytes: limits.max_buffer_size,
        alignment: limits.min_storage_buffer_offset_alignment.into(),
    }
}

/// A graph to look at.
struct Subject {
    name: &'static str,
    size: Size,
}

impl Subject {
    /// Builds it, and says which its hollow constants are.
    fn build(&self, session: &Session) -> Outcome<(MLGraph, Vec<MLOperand>)> {
        let builder = session.builder()?;
        let layers = Layers::of(&builder);
        let output = match self.name {
            "chain" => chain(&builder)?,
            "diamond" => diamond(&builder)?,
            "mobilenet" => Network::MobileNet.build(&layers, self.size)?,
            "resnet" => Network::ResNet.build(&layers, self.size)?,
            _ => Network::Bert.build(&layers, self.size)?,
        };
        let weights = layers.weights();
        Ok((session.build(&builder, output)?, weights))
    }

    /// Computes it once: the peak of its intermediate tensors, and the result.
    fn compute(&self, session: &Session) -> Outcome<(u64, Vec<u8>)> {
        let (graph, weights) = self.build(session)?;
        // A noise for each number of products in a sum, so that sums neither grow nor vanish from layer to layer.
        let mut noises: BTreeMap<u32, Arc<Noise>> = BTreeMap::new();
        let mut start = 0;
        for weight in &weights {
            let rows = products(&weight.shape());
            let noise = noises.entry(rows).or_insert_with(|| Arc::new(Noise::for_rows(rows)));
            let length = weight.descriptor().byte_length();
            session.supply(&graph, weight, &ConstantData::Blob(NoiseBlob::new(noise, start, length)), None)?;
            start += length;
        }
        let result = session.once(&graph)?;
        let (numbers, _) = result.as_chunks::<4>();
        if !numbers.iter().all(|number| f32::from_le_bytes(*number).is_finite()) {
            return Err("it computes numbers that are not finite, which say nothing".into());
        }
        Ok((session.ledger().peak(Kind::Intermediates), result))
    }
}

/// How many products of a weight are summed up: a matrix's rows, or what a filter of a convolution covers.
fn products(shape: &[u32]) -> u32 {
    match shape {
        [rows, _] => *rows,
        [_, filter @ ..] if !filter.is_empty() => filter.iter().product(),
        _ => 64,
    }
}

/// The side of the tensors of the graphs that are no networks.
const SIDE: u32 = 128;

/// Moves elements, so that it is no part of another kernel.
fn turned(builder: &MLGraphBuilder, x: &MLOperand) -> Result<MLOperand> {
    let sum = builder.add(x, &builder.transpose(x, &MLTransposeOptions::default())?, &MLOperatorOptions::default())?;
    builder.softmax(&sum, 1, &MLOperatorOptions::default())
}

fn chain(builder: &MLGraphBuilder) -> Result<MLOperand> {
    let x = builder.input("x", &model::float32(&[SIDE, SIDE]))?;
    (0..16).try_fold(x, |x, _| turned(builder, &x))
}

fn diamond(builder: &MLGraphBuilder) -> Result<MLOperand> {
    let x = builder.input("x", &model::float32(&[SIDE, SIDE]))?;
    let fork = turned(builder, &x)?;
    let long = (0..8).try_fold(fork.clone(), |x, _| turned(builder, &x))?;
    let joined = builder.matmul(&fork, &long, &MLOperatorOptions::default())?;
    turned(builder, &joined)
}
