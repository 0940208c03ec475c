//! A pipeline of models that do not fit into the memory of the device together: text to image, with weights of 7, 12 and
//! 0.2 GB (<https://github.com/webmachinelearning/webnn/issues/780>, case 1), scaled down.

use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::Way as Moved;
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::tensor::MLTensor;
use webnn_weights::SafeTensors;

use super::load::built_anew;
use super::model::{self, Model};
use super::session::Session;
use super::{Measured, Outcome, Unit, Way, Workload, column, way};

/// The stages, and their parts of the weights.
const STAGES: [(&str, f64); 3] = [("text", 7.0 / 19.2), ("image", 12.0 / 19.2), ("decoder", 0.2 / 19.2)];
/// The stage with the most weights.
const LARGEST: usize = 1;
/// How many images are made after the first.
const IMAGES: u32 = 3;

/// The pipeline.
pub(crate) static PIPELINE: Workload = Workload {
    name: "pipeline",
    about: "text to image in stages of 7, 12 and 0.2 parts of the weights; the times are those of a stage, after the first image",
    ways: &[
        way("resident", "all stages stay on the device").taking(1.0, 0.0),
        way("budget", "setMemoryBudget() for the largest stage, whatever else leaves").taking(STAGES[LARGEST].1, 0.0),
        way("offload", "graph.offload() to the memory of the host behind each stage").taking(STAGES[LARGEST].1, 1.0),
        way("source", "graph.offload({to: \"source\"}) behind each stage").taking(STAGES[LARGEST].1, 0.0),
        way("rebuild", "each stage read, built with constant(descriptor, buffer), and destroyed")
            .taking(STAGES[LARGEST].1, STAGES[LARGEST].1),
    ],
    columns: &[
        column("time", "time of a stage", Unit::Seconds),
        column("device", "device peak", Unit::Bytes),
        column("host", "host peak", Unit::Bytes),
        column("hostByLedger", "host by the ledger", Unit::Bytes),
        column("moved", "moved for a stage", Unit::Bytes),
    ],
    compared: Some("time"),
    agrees: true,
    tensors: |size| {
        let bytes = STAGES.map(|(_, share)| (size as f64 * share) as u64);
        let side = Model::of(bytes[2], 1).side();
        let models = [0, 1, 2].map(|stage| (STAGES[stage].0, Model::of_side(bytes[stage], side)));
        model::tensors_of(&models)
    },
    measure,
};

fn measure(session: &Session, way: &Way) -> Outcome<Measured> {
    let file = session.model()?;
    let running = session.begin()?;
    let stages = Stages::new(session, &file, way)?;
    let first = stages.image()?;
    let moved = moved(session);
    let since = std::time::Instant::now();
    for _ in 0..IMAGES {
        if stages.image()? != first {
            return Err("a later image is another than the first".into());
        }
    }
    let switches = f64::from(IMAGES) * STAGES.len() as f64;
    let time = since.elapsed().as_secs_f64() / switches;
    let moved = (self::moved(session) - moved) as f64 / switches;
    Ok(session.measured(&running, &first).with("time", time).with("moved", moved))
}

/// How many bytes went to the device and came from it.
fn moved(session: &Session) -> u64 {
    let ledger = session.ledger();
    ledger.moved_on(Moved::Upload) + ledger.moved_on(Moved::Download)
}

/// The pipeline, set up.
struct Stages<'a> {
    session: &'a Session,
    file: &'a SafeTensors,
    way: &'a Way,
    /// Those that are built once.
    graphs: Vec<MLGraph>,
    /// What goes into the first stage, comes out of it, and so on.
    tensors: Vec<MLTensor>,
}

impl<'a> Stages<'a> {
    fn new(session: &'a Session, file: &'a SafeTensors, way: &'a Way) -> Outcome<Self> {
        let rows = model::part(file, STAGES[0].0)?[0].descriptor.shape[0];
        let mut tensors = vec![session.noise(&model::row(rows))?];
        for _ in STAGES {
            tensors.push(session.tensor(&model::row(rows))?);
        }
        let mut stages = Self { session, file, way, graphs: Vec::new(), tensors };
        if way.name != "rebuild" {
            stages.load()?;
        }
        Ok(stages)
    }

    fn load(&mut self) -> Outcome<()> {
        let load = |stage: usize| self.session.chain_from_file(&model::part(self.file, STAGES[stage].0)?);
        let largest = load(LARGEST)?;
        if self.way.name == "budget" {
            // What the largest stage takes by itself.
            self.session.dispatch(&largest, &self.tensors[1], &self.tensors[2])?;
            self.session.wait()?;
            self.session.set_budget(self.session.ledger().budgeted_peak())?;
        }
        self.leave(&largest)?;
        let mut largest = Some(largest);
        let mut graphs = Vec::new();
        for stage in 0..STAGES.len() {
            let graph = if stage == LARGEST { largest.take() } else { None };
            graphs.push(graph.map_or_else(|| load(stage), Ok)?);
            self.leave(&graphs[stage])?;
        }
        self.graphs = graphs;
        Ok(())
    }

    /// Makes an image.
    fn image(&self) -> Outcome<Vec<u8>> {
        for (stage, (name, _)) in STAGES.iter().enumerate() {
            let (x, y) = (&self.tensors[stage], &self.tensors[stage + 1]);
            if let Some(graph) = self.graphs.get(stage) {
                self.session.dispatch(graph, x, y)?;
                self.leave(graph)?;
            } else {
                let graph = built_anew(self.session, self.file, name)?;
                self.session.dispatch(&graph, x, y)?;
                self.session.wait()?;
                graph.destroy();
                self.session.idle();
            }
        }
        self.session.read(&self.tensors[STAGES.len()])
    }

    /// Has a stage leave the device, if the application does that by itself.
    fn leave(&self, graph: &MLGraph) -> Outcome<()> {
        let to = match self.way.name {
            "offload" => MLOffloadTarget::Host,
            "source" => MLOffloadTarget::Source,
            _ => return Ok(()),
        };
        self.session.settle(&graph.offload(MLOffloadOptions { to }))
    }
}
