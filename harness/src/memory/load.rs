//! Loading a model from a file, up to the first result (<https://github.com/webmachinelearning/webnn/issues/901>).
//!
//! The specification's way has the data of all constants in buffers before `build()`. What an application then holds is its
//! own file in a buffer; what `constant(descriptor, buffer)` holds is the copy of the bytes that its steps take, until the
//! platform has them; what the platform holds besides the device's memory is its own affair. In this object model a buffer has no views
//! of its parts, so the copy is made where the view would be, and `constant()` makes no other.

use std::fs;
use std::rc::Rc;

use webnn_reference::buffer::BufferSource;
use webnn_reference::graph::MLGraph;
use webnn_reference::supply::{Blob, ConstantData, ReadableStream};
use webnn_weights::safetensors::Tensor;
use webnn_weights::{File, Reader, SafeTensors};

use super::model::{self, Model};
use super::session::{APPLICATION, COPIES, Session};
use super::{Column, Measured, Outcome, Unit, Way, Workload, column, way};

const COLUMNS: [Column; 7] = [
    column("time", "to the first result", Unit::Seconds),
    column("host", "host peak", Unit::Bytes),
    column("ofModel", "of the model", Unit::Factor),
    column("hostByLedger", "staging", Unit::Bytes),
    column("device", "device peak", Unit::Bytes),
    column("uploaded", "uploaded", Unit::Bytes),
    column("read", "read", Unit::Bytes),
];

const WAYS: [Way; 6] = [
    way("constant", "the file in a buffer, constant(descriptor, buffer) for each tensor, build()").taking(1.0, 2.0),
    way("constant-frugal", "the same, but each tensor read into a buffer of its own and let go of").taking(1.0, 1.0),
    way("buffer", "hollow constants, each set from a buffer of its own").taking(1.0, 0.0),
    way("blob", "hollow constants, each set from its range of the file").taking(1.0, 0.0),
    way("stream", "hollow constants, each set from a stream of the file").taking(1.0, 0.0),
    way("parts", "hollow constants, each set from four ranges of the file").taking(1.0, 0.0),
];

/// A model of matrices.
pub(crate) static MATRICES: Workload = Workload {
    name: "load",
    about: "a model of 16 matrices (above 1 GiB: of as many as it takes, 64 MiB each), loaded from a file, up to the first result",
    ways: &WAYS,
    columns: &COLUMNS,
    compared: Some("time"),
    agrees: true,
    tensors: |size| model::tensors_of(&[("model", Model::of(size, 16))]),
    measure,
};

/// A model of one tensor.
pub(crate) static TENSOR: Workload = Workload {
    name: "tensor",
    about: "a model of one tensor, a quarter as large, loaded from a file, up to the first result",
    ways: &WAYS,
    columns: &COLUMNS,
    compared: Some("time"),
    agrees: true,
    tensors: |size| {
        // Twice as wide as it is high, and within what every device with memory for it binds.
        let bytes = (size / 4).min(1 << 30);
        let rows = ((bytes / 8).isqrt() as u32).max(16);
        vec![("model.0".to_owned(), model::float32(&[rows, 2 * rows]))]
    },
    measure,
};

fn measure(session: &Session, way: &Way) -> Outcome<Measured> {
    let file = session.model()?;
    let running = session.begin()?;
    let tensors = model::part(&file, "model")?;
    let length: u64 = tensors.iter().map(|tensor| tensor.blob.size()).sum();
    let (graph, held) = match way.name {
        "constant" => from_constants(session, &tensors, true)?,
        "constant-frugal" => from_constants(session, &tensors, false)?,
        _ => (from_hollow_constants(session, way, &tensors)?, Vec::new()),
    };
    let result = session.once(&graph)?;
    let time = running.seconds();
    // Script has no say in when a buffer is collected: it is there until nothing refers to it.
    session.hold(APPLICATION, -(held.len() as i64));
    drop(held);
    let measured = session.measured(&running, &result).with("time", time);
    let of_model = measured.figures.get("host").map(|host| host / length as f64);
    let ledger = session.ledger();
    let moved = |way| ledger.moved_on(way) as f64;
    Ok(measured
        .with_some("ofModel", of_model)
        .with("uploaded", moved(webnn_reference::ledger::Way::Upload))
        .with("read", moved(webnn_reference::ledger::Way::Read)))
}

/// As the specification has it. Gives back what the application still holds.
fn from_constants(session: &Session, tensors: &[Tensor], whole: bool) -> Outcome<(MLGraph, Vec<u8>)> {
    let builder = session.builder()?;
    let fetched = if whole { fetch(session, &tensors[0].blob)? } else { Vec::new() };
    let mut constants = Vec::new();
    let mut copied = 0;
    for Tensor { descriptor, blob } in tensors {
        let bytes = if whole { fetched[in_file(blob)?].to_vec() } else { bytes_of(blob)? };
        session.hold(COPIES, bytes.len() as i64);
        copied += bytes.len() as i64;
        constants.push(builder.constant(descriptor, &BufferSource::typed(descriptor.data_type, bytes))?);
    }
    let graph = session.build(&builder, model::chain(&builder, &constants)?)?;
    session.hold(COPIES, -copied);
    Ok((graph, fetched))
}

/// All of the file, as `await (await fetch(url)).arrayBuffer()` has it.
fn fetch(session: &Session, file: &File) -> Outcome<Vec<u8>> {
    let fetched = fs::read(file.path())?;
    session.hold(APPLICATION, fetched.len() as i64);
    Ok(fetched)
}

fn in_file(blob: &File) -> Outcome<std::ops::Range<usize>> {
    let range = blob.range();
    Ok(usize::try_from(range.start)?..usize::try_from(range.end)?)
}

/// As it is proposed.
fn from_hollow_constants(session: &Session, way: &Way, tensors: &[Tensor]) -> Outcome<MLGraph> {
    let (graph, constants) = session.hollow_chain(tensors)?;
    for (constant, Tensor { descriptor, blob }) in constants.iter().zip(tensors) {
        let set = |data: &ConstantData, offset| session.supply(&graph, constant, data, offset);
        match way.name {
            "buffer" => {
                let length = blob.size() as i64;
                session.hold(APPLICATION, length);
                set(&BufferSource::typed(descriptor.data_type, bytes_of(blob)?).into(), None)?;
                session.hold(APPLICATION, -length);
            }
            "blob" => set(&ConstantData::Blob(Rc::new(blob.clone())), None)?,
            "stream" => set(&ConstantData::Stream(stream(blob)?), None)?,
            _ => {
                let quarter = (blob.size() / 4).next_multiple_of(4).max(4);
                for offset in (0..blob.size()).step_by(quarter as usize) {
                    let part = blob.slice(offset, quarter.min(blob.size() - offset))?;
                    set(&ConstantData::Blob(Rc::new(part)), Some(offset))?;
                }
            }
        }
    }
    Ok(graph)
}

/// The bytes of a blob, in a buffer.
pub(super) fn bytes_of(blob: &File) -> Outcome<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(blob.size())?];
    blob.read(0, &mut bytes)?;
    Ok(bytes)
}

/// A range of a file as a stream, as a response's body would be.
fn stream(blob: &File) -> Outcome<ReadableStream> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = fs::File::open(blob.path())?;
    file.seek(SeekFrom::Start(blob.range().start))?;
    let name = blob.path().display().to_string();
    Ok(ReadableStream::new(Box::new(Reader::new(name, file.take(blob.size())))))
}

/// Builds a graph of a part of a model as applications do today, and leaves nothing of the file in memory.
pub(super) fn built_anew(session: &Session, file: &SafeTensors, part: &str) -> Outcome<MLGraph> {
    let (graph, held) = from_constants(session, &model::part(file, part)?, false)?;
    drop(held);
    Ok(graph)
}
