//! Weights from files, as an application meets the faults that files have: cut short, replaced, deleted while they are
//! needed; a memory budget that is one byte too small; and a measurement that is killed, or has no room for its results.

#![allow(clippy::print_stderr, reason = "a skipped test says why")]

mod program;

use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use program::Folder;
use webnn_gpu::Gpu;
use webnn_gpu::error::Error;
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::cpu::Cpu;
use webnn_reference::data_type::MLOperandDataType::Float32;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, MLContextOptions, PlatformProvider};
use webnn_reference::operand::MLOperand;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::steps::Reading;
use webnn_reference::supply::ConstantData;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_weights::{SafeTensors, safetensors};

/// The side of a matrix.
const SIDE: u32 = 64;
/// Its bytes.
const MATRIX: u64 = 4 * (SIDE as u64) * (SIDE as u64);
/// How many there are.
const MATRICES: usize = 4;

/// A model in a file.
struct Model(PathBuf);

impl Model {
    fn new() -> Self {
        static MODELS: AtomicUsize = AtomicUsize::new(0);
        let number = MODELS.fetch_add(1, Ordering::Relaxed);
        let name = format!("weights-{}-{number}.safetensors", std::process::id());
        let model = Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name));
        model.write();
        model
    }

    fn write(&self) {
        let matrices: Vec<_> = (0..MATRICES).map(|number| (number.to_string(), matrix())).collect();
        safetensors::write(&self.0, &matrices, |index, offset, piece| {
            for (number, bytes) in (offset / 4..).zip(piece.chunks_exact_mut(4)) {
                let value = ((number as usize * 37 + index * 11) % 61) as f32 / 256.0 - 0.11;
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        })
        .unwrap();
    }

    fn open(&self) -> SafeTensors {
        SafeTensors::open(&self.0).unwrap()
    }

    fn cut(&self) {
        let file = fs::OpenOptions::new().write(true).open(&self.0).unwrap();
        file.set_len(fs::metadata(&self.0).unwrap().len() - MATRIX).unwrap();
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

fn matrix() -> MLOperandDescriptor {
    MLOperandDescriptor::create(Float32, &[SIDE, SIDE])
}

/// What somebody does to a file that is open.
type Fault = fn(&Model);

/// A context with a row that goes in and one that comes out.
struct Session {
    global: Global,
    context: MLContext,
    x: MLTensor,
    y: MLTensor,
}

impl Session {
    fn on(provider: Rc<dyn PlatformProvider>) -> Self {
        let global = Global::new(Reading::Corrected);
        let context = global.settle(&ML::new(&global, provider).create_context(MLContextOptions::default())).unwrap();
        let operand = MLOperandDescriptor::create(Float32, &[1, SIDE]);
        let descriptor = MLTensorDescriptor { operand, readable: true, writable: true };
        let [x, y] = [(); 2].map(|()| global.settle(&context.create_tensor(&descriptor)).unwrap());
        let row: Vec<u8> = (0..SIDE).flat_map(|n| (n as f32 / 64.0 - 0.3).to_le_bytes()).collect();
        context.write_tensor(&x, &BufferSource::typed(Float32, row)).unwrap();
        Self { global, context, x, y }
    }

    /// A chain of products with the matrices, which have no data.
    fn hollow(&self) -> (MLGraph, Vec<MLOperand>) {
        let builder = MLGraphBuilder::new(&self.context).unwrap();
        let mut row = builder.input("x", &self.x.descriptor().operand).unwrap();
        let mut constants = Vec::new();
        for _ in 0..MATRICES {
            let constant = builder.hollow_constant(&matrix()).unwrap();
            row = builder
                .tanh(&builder.matmul(&row, &constant, &Default::default()).unwrap(), &Default::default())
                .unwrap();
            constants.push(constant);
        }
        (self.global.settle(&builder.build(&[("y".to_owned(), row)])).unwrap(), constants)
    }

    fn supply(&self, graph: &MLGraph, constant: &MLOperand, file: &SafeTensors, number: usize) -> Result<(), String> {
        let data = ConstantData::Blob(Rc::new(file.tensor(&number.to_string()).unwrap().blob));
        let set = graph.set_constant_data(constant, &data, MLConstantDataOptions::default());
        self.global.settle(&set).map_err(|error| error.to_string())
    }

    fn loaded(&self, file: &SafeTensors) -> MLGraph {
        let (graph, constants) = self.hollow();
        for (number, constant) in constants.iter().enumerate() {
            self.supply(&graph, constant, file, number).unwrap();
        }
        graph
    }

    fn compute(&self, graph: &MLGraph) -> Result<Vec<u8>, String> {
        let (inputs, outputs) = ([("x".to_owned(), self.x.clone())], [("y".to_owned(), self.y.clone())]);
        self.context.dispatch(graph, &inputs, &outputs).map_err(|error| error.to_string())?;
        let read = self.global.settle(&self.context.read_tensor(&self.y));
        read.map(|buffer| buffer.to_vec()).map_err(|error| error.to_string())
    }

    fn set_budget(&self, bytes: u64) -> Result<(), String> {
        self.global.settle(&self.context.set_memory_budget(Some(bytes))).map_err(|error| error.to_string())
    }

    fn leave(&self, graph: &MLGraph) {
        let to = MLOffloadTarget::Source;
        self.global.settle(&graph.offload(MLOffloadOptions { to })).unwrap();
    }
}

/// On the interpreter, and on the GPU if there is one.
fn on_each(test: impl Fn(&Session)) {
    test(&Session::on(Rc::new(Cpu)));
    match Gpu::new(None) {
        Ok(gpu) => test(&Session::on(Rc::new(gpu))),
        Err(error @ Error::NoAdapter { .. }) => eprintln!("skipped on wgpu: {error}"),
        Err(error) => panic!("{error}"),
    }
}

/// What an application sees of a file that is not what it was: where it is, and what became of it.
fn names(failure: &str, model: &Model, what: &str) {
    assert!(failure.contains(&model.0.display().to_string()) && failure.contains(what), "{failure}");
}

#[test]
fn a_file_that_is_cut_short_leaves_its_constant_unset() {
    on_each(|session| {
        let model = Model::new();
        let file = model.open();
        let (graph, constants) = session.hollow();
        session.supply(&graph, &constants[0], &file, 0).unwrap();
        model.cut();
        names(&session.supply(&graph, &constants[1], &file, 1).unwrap_err(), &model, "was cut to");
        let unset = session.compute(&graph).unwrap_err();
        assert!(unset.contains("has no data"), "{unset}");
        // Once the file is whole again, and opened again, the constant can be set.
        model.write();
        let file = model.open();
        for (number, constant) in constants.iter().enumerate().skip(1) {
            session.supply(&graph, constant, &file, number).unwrap();
        }
        assert_eq!(session.compute(&graph), session.compute(&session.loaded(&file)));
    });
}

#[test]
fn weights_that_can_not_be_read_again_fail_the_dispatch_and_no_more() {
    let faults: [(&str, Fault); 3] = [
        ("was cut to", Model::cut),
        ("was replaced", |model| model.write()),
        ("is gone", |model| fs::remove_file(&model.0).unwrap()),
    ];
    for (what, fault) in faults {
        on_each(|session| {
            let model = Model::new();
            let graph = session.loaded(&model.open());
            let expected = session.compute(&graph).unwrap();
            session.leave(&graph);
            fault(&model);
            names(&session.compute(&graph).unwrap_err(), &model, what);
            names(&session.compute(&graph).unwrap_err(), &model, what);
            assert!(!session.context.is_lost());
            model.write();
            assert_eq!(session.compute(&session.loaded(&model.open())), Ok(expected));
        });
    }
}

#[test]
fn a_budget_that_is_one_byte_too_small_streams_and_one_below_that_refuses() {
    on_each(|session| {
        let model = Model::new();
        let graph = session.loaded(&model.open());
        let expected = session.compute(&graph).unwrap();
        let peak = |session: &Session| session.context.ledger().budgeted_peak();
        let needed = peak(session);
        session.set_budget(needed).unwrap();
        assert_eq!(session.compute(&graph), Ok(expected.clone()));
        session.leave(&graph);
        session.set_budget(needed - 1).unwrap();
        assert_eq!(session.compute(&graph), Ok(expected.clone()));
        let now = session.context.ledger().budgeted();
        assert!(now < needed, "{now} bytes are taken, and {needed} are too many");
        // The tensors alone, without room for one matrix.
        session.leave(&graph);
        let tensors = session.context.ledger().budgeted();
        session.set_budget(tensors + MATRIX - 1).unwrap();
        let refused = session.compute(&graph).unwrap_err();
        assert!(refused.contains("exceed the memory budget") && refused.contains("set a larger budget"), "{refused}");
        // What is taken can not be forbidden.
        let refused = session.set_budget(tensors - 1).unwrap_err();
        assert!(refused.contains("exceed the memory budget"), "{refused}");
        session.set_budget(needed).unwrap();
        assert_eq!(session.compute(&graph), Ok(expected));
    });
}

/// What a child does, which is this program once more: the model that it loads, told by its environment.
#[cfg(unix)]
const LOADS: &str = "WEBNN_TEST_OF_WEIGHTS_THAT_MOVE";

/// Not a test by itself: moves weights about until it is killed. A budget for one of two graphs has one leave at each dispatch.
#[cfg(unix)]
#[test]
#[allow(clippy::print_stdout, reason = "tells its parent where it is")]
fn a_child() {
    let Some(path) = std::env::var_os(LOADS) else { return };
    let model = std::mem::ManuallyDrop::new(Model(path.into()));
    on_one(|session| {
        let file = model.open();
        let first = session.loaded(&file);
        let expected = session.compute(&first);
        session.set_budget(session.context.ledger().budgeted_peak()).unwrap();
        let second = session.loaded(&file);
        for round in 0.. {
            println!("round {round}");
            for graph in [&second, &first] {
                assert_eq!(session.compute(graph), expected);
            }
            session.global.settle(&first.offload(MLOffloadOptions::default())).unwrap();
            session.global.settle(&first.reload()).unwrap();
            let third = session.loaded(&file);
            session.leave(&third);
            third.destroy();
        }
    });
}

/// On the GPU, or on the interpreter if there is none.
#[cfg(unix)]
fn on_one(test: impl Fn(&Session)) {
    match Gpu::new(None) {
        Ok(gpu) => test(&Session::on(Rc::new(gpu))),
        Err(_) => test(&Session::on(Rc::new(Cpu))),
    }
}

/// In the middle of uploads, evictions and moves to the host: weights are only read.
#[cfg(unix)]
#[test]
fn a_process_that_is_killed_while_weights_move_leaves_the_model_as_it_was() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    let model = Model::new();
    let before = fs::read(&model.0).unwrap();
    let computed = || {
        let result = std::cell::RefCell::default();
        on_one(|session| drop(result.replace(session.compute(&session.loaded(&model.open())).unwrap())));
        result.into_inner()
    };
    let expected: Vec<u8> = computed();
    let mut killed_in = Vec::new();
    for attempt in 0..8 {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "a_child", "--nocapture"]).env(LOADS, &model.0);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let round = lines.find(|line| line.ends_with(&format!("round {attempt}")));
        // A time that lands elsewhere in the round each time, on any machine.
        std::thread::sleep(std::time::Duration::from_micros(700 * attempt));
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "it moved weights until it was killed");
        killed_in.extend(round);
    }
    assert_eq!(killed_in.len(), 8, "{killed_in:?}");
    assert_eq!(fs::read(&model.0).unwrap(), before);
    assert_eq!(computed(), expected);
}

/// The measurement, made small, on the interpreter.
fn small<'a>(repeat: &'a str, others: &[&'a str]) -> Vec<&'a str> {
    let always = ["bench", "memory", "-i", "reference", "--size", "1MiB", "--output", "out", "--scratch", "."];
    [&always[..], &["--repeat", repeat], others].concat()
}

fn measure(folder: &Folder, others: &[&str]) -> program::Ran {
    folder.webnn(&small("1", others))
}

#[test]
fn every_workload_is_measured_and_nothing_is_left_behind() {
    let folder = Folder::with("out/empty", "");
    let run = measure(&folder, &["--format", "json"]);
    assert_eq!(run.code, 0, "{run}");
    let record: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let workloads = record["workloads"].as_array().expect("workloads");
    assert_eq!(workloads.len(), 7);
    for row in workloads.iter().flat_map(|workload| workload["rows"].as_array().expect("rows")) {
        assert!(row["failure"].is_null() && !row["figures"].as_object().expect("figures").is_empty(), "{row}");
    }
    let load = |way: usize, key: &str| workloads[0]["rows"][way]["figures"][key]["median"].as_f64().expect("a figure");
    assert_eq!(load(0, "device"), load(3, "device"));
    assert!(folder.read("out/load.svg").starts_with("<svg "));
    assert!(folder.read("out/memory.md").contains("`webnn bench memory load/blob -i reference --size 1MiB`"));
    assert_eq!(folder.names("."), ["out"]);
}

#[test]
fn a_way_that_there_is_not_and_a_model_that_there_is_not() {
    let folder = Folder::with("out/empty", "");
    let run = measure(&folder, &["load/blob", "load/magic"]);
    assert_eq!(run.code, 2, "{run}");
    run.complains("the ways of load are constant, constant-frugal, buffer, blob, stream, parts");
    let nowhere = folder.webnn(&["bench", "memory-of", "load/blob", "-i", "reference", "--scratch", "nowhere"]);
    assert_eq!(nowhere.code, 65, "{nowhere}");
    nowhere.complains("model.safetensors");
}

#[test]
fn what_there_is_no_room_for_is_refused_at_once() {
    let folder = Folder::with("out/empty", "");
    let nowhere = folder.webnn(&["bench", "memory", "load/blob", "-i", "reference", "--scratch", "nowhere/at/all"]);
    assert_eq!(nowhere.code, 74, "{nowhere}");
    nowhere.complains("nowhere/at/all is no folder: make it, or choose another --scratch");
    if cfg!(target_os = "linux") {
        // A file system in memory is smaller than that, wherever the tests run.
        let huge = folder.webnn(&["bench", "memory", "-i", "reference", "--size", "1TiB", "--scratch", "/dev/shm"]);
        assert_eq!(huge.code, 74, "{huge}");
        huge.complains("models of 1.00 TiB need 1.00 TiB in /dev/shm, where ");
        huge.complains("choose a smaller --size, or a --scratch on another disk");
    }
    assert_eq!(folder.names("."), ["out"]);
}

#[test]
fn on_a_device_a_file_passes_through_a_ring_that_is_small_beside_it() {
    if let Err(error @ Error::NoAdapter { .. }) = Gpu::new(None) {
        eprintln!("skipped: {error}");
        return;
    }
    let folder = Folder::with("out/empty", "");
    let arguments =
        ["bench", "memory", "load/constant", "load/blob", "load/stream", "load/blob", "load/parts", "--scratch", "."];
    let run = folder.webnn(&[&arguments[..], &["--size", "16MiB", "--repeat", "1", "--format", "json"]].concat());
    assert_eq!(run.code, 0, "{run}");
    let record: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let rows = record["workloads"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4);
    for row in rows {
        let figure = |key: &str| row["figures"][key]["median"].as_f64().expect("a figure");
        assert_eq!(row["result"], rows[0]["result"]);
        assert!(figure("device") >= 16e6 && figure("uploaded") >= 16e6, "{row}");
        // Twice the largest tensor, of which there are 16.
        assert!(figure("hostByLedger") <= 2.0 * 1024.0 * 1024.0, "{row}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_half_a_result() {
    let folder = Folder::with("out/empty", "");
    folder.link("/dev/full", "out/memory.json.part");
    let run = measure(&folder, &["reuse/chain"]);
    assert_eq!(run.code, 74, "{run}");
    run.complains("out/memory.json can not be written: No space left");
    assert_eq!(folder.names("out"), ["empty"]);
    // Nor half a model.
    let run = folder.webnn(&["bench", "memory", "load/blob", "-i", "reference", "--scratch", "/dev/full"]);
    assert_eq!(run.code, 74, "{run}");
    run.complains("choose another --scratch");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_measurement_leaves_is_removed_by_the_next() {
    let folder = Folder::with("out/empty", "");
    let mut killed = folder.start(&small("100", &["load"]));
    let name = format!("webnn-bench-memory-{}", killed.id());
    let begun = std::time::Instant::now();
    while !folder.names(".").contains(&name) {
        assert!(begun.elapsed().as_secs() < 60, "the measurement does not begin");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(folder.names(".").contains(&name));
    assert_eq!(folder.names("out"), ["empty"]);
    let run = measure(&folder, &["load/blob"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(folder.names("."), ["out"]);
}
