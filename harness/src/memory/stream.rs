//! A model that is larger than what it may take of the device: its weights are streamed for each token
//! (<https://github.com/webmachinelearning/webnn/issues/780>, case 3).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use webnn_reference::buffer::BufferSource;
use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::Way as Moved;
use webnn_reference::supply::{Blob, ConstantData};
use webnn_weights::File;
use webnn_weights::safetensors::Tensor;

use super::model::{self, Model};
use super::session::Session;
use super::{Measured, Outcome, Unit, Way, Workload, column, way};

/// How many tokens are made after the first.
const TOKENS: u32 = 4;
/// So many bytes are read at once where only reading is measured.
const PIECE: u64 = 4 << 20;

/// A model that is streamed, and what limits it.
pub(crate) static STREAM: Workload = Workload {
    name: "stream",
    about: "a model with a budget of a quarter of it, its weights read from the file for every token; and what limits that",
    ways: &[
        way("resident", "without a budget: the limit of the device's computing").taking(1.0, 0.0),
        way("streamed", "setMemoryBudget() for a quarter of the weights").taking(0.25, 0.0),
        way("read", "only the file read, by as many threads as there are processors: the disk's limit"),
        way("upload", "only the weights uploaded, from memory: the bus's limit").taking(1.0, 0.0),
    ],
    columns: &[
        column("time", "time of a token", Unit::Seconds),
        column("rate", "tokens in a second", Unit::Factor),
        column("speed", "weights in a second", Unit::Speed),
        column("device", "device peak", Unit::Bytes),
        column("host", "host peak", Unit::Bytes),
        column("hostByLedger", "staging", Unit::Bytes),
        column("read", "read for a token", Unit::Bytes),
    ],
    compared: Some("time"),
    agrees: true,
    tensors: |size| model::tensors_of(&[("model", Model::of(size, 16))]),
    measure,
};

fn measure(session: &Session, way: &Way) -> Outcome<Measured> {
    let file = session.model()?;
    let tensors = model::part(&file, "model")?;
    let bytes: u64 = tensors.iter().map(|tensor| tensor.blob.size()).sum();
    let running = session.begin()?;
    let before = |session: &Session| session.ledger().moved_on(Moved::Read);
    let (seconds, read, result) = match way.name {
        "read" => {
            let since = Instant::now();
            read_all(&tensors)?;
            (since.elapsed().as_secs_f64(), bytes as f64, None)
        }
        "upload" => (upload_all(session, &tensors)?, 0.0, None),
        _ => {
            if way.name == "streamed" {
                session.set_budget(session.ledger().budgeted() + bytes / 4)?;
            }
            let graph = session.chain_from_file(&tensors)?;
            // The first token compiles the kernels.
            let first = session.once(&graph)?;
            let (since, read) = (Instant::now(), before(session));
            tokens(session, &graph, &first)?;
            let seconds = since.elapsed().as_secs_f64() / f64::from(TOKENS);
            (seconds, (before(session) - read) as f64 / f64::from(TOKENS), Some(first))
        }
    };
    let mut measured = session.measured(&running, result.as_deref().unwrap_or_default());
    if result.is_none() {
        // They compute nothing.
        measured.result = None;
    }
    Ok(measured
        .with("time", seconds)
        .with("rate", 1.0 / seconds)
        .with("speed", bytes as f64 / seconds)
        .with("read", read))
}

/// Makes tokens, which all have to be the first, since all have the same input.
fn tokens(session: &Session, graph: &MLGraph, first: &[u8]) -> Outcome<()> {
    let x = session.noise(&graph.input_descriptors()["x"])?;
    let y = session.tensor(&graph.output_descriptors()["y"])?;
    for _ in 0..TOKENS {
        session.dispatch(graph, &x, &y)?;
        if session.read(&y)? != first {
            return Err("a later token is another than the first".into());
        }
    }
    Ok(())
}

/// Reads all tensors, a piece at a time, in several threads.
fn read_all(tensors: &[Tensor]) -> Outcome<()> {
    let pieces: Vec<(&File, u64, u64)> = tensors
        .iter()
        .flat_map(|tensor| {
            let size = tensor.blob.size();
            (0..size).step_by(PIECE as usize).map(move |at| (&tensor.blob, at, PIECE.min(size - at)))
        })
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(16);
    let next = AtomicUsize::new(0);
    let read = || -> Result<(), String> {
        let mut buffer = vec![0; PIECE as usize];
        while let Some((blob, at, length)) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            blob.read(*at, &mut buffer[..*length as usize])?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..threads).map(|_| scope.spawn(read)).collect();
        readers.into_iter().try_for_each(|reader| reader.join().unwrap_or_else(|_| Err("a reader panicked".to_owned())))
    })?;
    Ok(())
}

/// Uploads so much as the tensors have, the same bytes for each, and says how many seconds that took.
fn upload_all(session: &Session, tensors: &[Tensor]) -> Outcome<f64> {
    let (graph, constants) = session.hollow_chain(tensors)?;
    let bytes = super::load::bytes_of(&tensors[0].blob)?;
    let data: ConstantData = BufferSource::typed(tensors[0].descriptor.data_type, bytes).into();
    session.wait()?;
    let since = Instant::now();
    for constant in &constants {
        session.supply(&graph, constant, &data, None)?;
    }
    session.wait()?;
    Ok(since.elapsed().as_secs_f64())
}
