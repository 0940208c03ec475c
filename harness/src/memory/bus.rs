//! The bus: how fast a tensor goes to the device and comes back, on each of the paths that there are.

use std::time::Instant;

use webnn_reference::buffer::{ArrayBuffer, BufferSource};
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::graph::MLGraph;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::proposals::residency::MLOffloadOptions;
use webnn_reference::supply::ConstantData;

use super::model::{self, Noise};
use super::session::Session;
use super::{Measured, Outcome, Unit, Way, Workload, column, no_tensors, way};

/// How often each path is taken; the first time is not counted.
const TIMES: usize = 6;

/// One tensor, to and fro.
pub(crate) static BUS: Workload = Workload {
    name: "bus",
    about: "one tensor, as large as the model but at most 1 GiB and what the device binds, to the device and back; medians of five",
    ways: &[
        way("constant", "setConstantData() of a hollow constant, from a buffer"),
        way("write", "writeTensor()"),
        way("read", "readTensor()"),
        way("offload", "graph.offload() to the memory of the host"),
        way("reload", "graph.reload() from there"),
    ],
    columns: &[
        column("speed", "speed", Unit::Speed),
        column("time", "time", Unit::Seconds),
        column("bytes", "tensor", Unit::Bytes),
        column("hostByLedger", "host by the ledger", Unit::Bytes),
    ],
    compared: None,
    agrees: true,
    tensors: no_tensors,
    measure,
};

fn measure(session: &Session, way: &Way) -> Outcome<Measured> {
    let limit = session.context.limits().max_tensor_byte_length;
    let bytes = session.size.min(1 << 30).min(limit) / 4096 * 4096;
    let descriptor = model::float32(&[u32::try_from(bytes / 4096)?, 1024]);
    let running = session.begin()?;
    let data = Noise::beginning(1, bytes);
    let trip = Trip { session, descriptor, data: BufferSource::of_buffer(ArrayBuffer::new(data)) };
    let mut times = Vec::new();
    let mut result = Vec::new();
    for time in 1..=TIMES {
        let (seconds, arrived) = trip.go(way, time == TIMES)?;
        times.push(seconds);
        result = arrived;
    }
    if result != trip.data.buffer().to_vec() {
        return Err("what came back is not what went there".into());
    }
    let mut counted = times.split_off(1);
    counted.sort_by(f64::total_cmp);
    let time = counted[counted.len() / 2];
    Ok(session
        .measured(&running, &result)
        .with("time", time)
        .with("bytes", bytes as f64)
        .with("speed", bytes as f64 / time))
}

/// A tensor and its bytes.
struct Trip<'a> {
    session: &'a Session,
    descriptor: MLOperandDescriptor,
    data: BufferSource,
}

impl Trip<'_> {
    /// Goes once: how many seconds that took, and, if somebody wants to know, what is where it went.
    fn go(&self, way: &Way, looks: bool) -> Outcome<(f64, Vec<u8>)> {
        match way.name {
            "write" | "read" => self.tensor(way),
            _ => self.constant(way, looks),
        }
    }

    fn tensor(&self, way: &Way) -> Outcome<(f64, Vec<u8>)> {
        let tensor = self.session.tensor(&self.descriptor)?;
        self.session.wait()?;
        let since = Instant::now();
        self.session.context.write_tensor(&tensor, &self.data)?;
        self.session.wait()?;
        let written = since.elapsed().as_secs_f64();
        let since = Instant::now();
        let arrived = self.session.settle(&self.session.context.read_tensor(&tensor))?;
        let read = since.elapsed().as_secs_f64();
        tensor.destroy();
        self.session.idle();
        Ok((if way.name == "write" { written } else { read }, arrived.to_vec()))
    }

    fn constant(&self, way: &Way, looks: bool) -> Outcome<(f64, Vec<u8>)> {
        let (graph, constant) = self.graph()?;
        self.session.wait()?;
        let since = Instant::now();
        self.session.supply(&graph, &constant, &ConstantData::Buffer(self.data.clone()), None)?;
        self.session.wait()?;
        let mut seconds = since.elapsed().as_secs_f64();
        if way.name != "constant" {
            let since = Instant::now();
            self.session.settle(&graph.offload(MLOffloadOptions::default()))?;
            self.session.wait()?;
            seconds = since.elapsed().as_secs_f64();
        }
        if way.name == "reload" {
            let since = Instant::now();
            self.session.settle(&graph.reload())?;
            self.session.wait()?;
            seconds = since.elapsed().as_secs_f64();
        }
        let arrived = if looks { self.session.once(&graph)? } else { Vec::new() };
        graph.destroy();
        self.session.idle();
        Ok((seconds, arrived))
    }

    /// A graph of one constant, whose output has the constant's numbers where its input is 1.
    fn graph(&self) -> Outcome<(MLGraph, MLOperand)> {
        let builder = self.session.builder()?;
        let constant = builder.hollow_constant(&self.descriptor)?;
        let x = builder.input("x", &model::row(1))?;
        let one = builder.equal(&x, &x, &MLOperatorOptions::default())?;
        let one = builder.cast(&one, self.descriptor.data_type, &MLOperatorOptions::default())?;
        let output = builder.mul(&constant, &one, &MLOperatorOptions::default())?;
        Ok((self.session.build(&builder, output)?, constant))
    }
}
