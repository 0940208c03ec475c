//! `webnn plan`

use std::rc::Rc;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use webnn_gpu::lower::Economy;
use webnn_gpu::sketch::{DEFAULTS, Drawing, Sketch};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::exception::Result;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;
use webnn_vectors::Kind;

use crate::execute::Executor;
use crate::failure::{AS_EXPECTED, Failure};
use crate::listing::{Format, Listing, PlannedGraph};
use crate::networks::{Layers, Network, Size};
use crate::selection::Selection;
use crate::shown;

/// The arguments of `webnn plan`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    #[command(flatten)]
    format: Format,
}

impl Arguments {
    fn selects(&self) -> bool {
        let Selection { paths, filter, operators } = &self.selection;
        !(paths.is_empty() && filter.is_empty() && operators.is_empty())
    }
}

/// Says what graphs take on a GPU: those of vectors, or well-known networks if no vectors are selected.
///
/// # Errors
/// If the vectors can not be loaded, or none of them is a graph.
pub(crate) fn plan(arguments: &Arguments) -> std::result::Result<u8, Failure> {
    let rows = if arguments.selects() { of_vectors(&arguments.selection)? } else { of_networks() };
    if rows.is_empty() {
        return Err(Failure::NothingToRun("none of these vectors is a graph".into()));
    }
    if arguments.format.is_json() {
        Listing::Plan { graphs: rows }.print()?;
        return Ok(AS_EXPECTED);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["graph", "dispatches", "", "bytes", "", "", "", "of the least", "of unplanned"]);
    table.add_row(["", "plain", "left", "plain", "unplanned", "planned", "least", "", ""]);
    table.add_rows(rows.iter().map(cells));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    anstream::println!("{}", table.trim_fmt());
    anstream::println!("{EXPLANATION}");
    Ok(AS_EXPECTED)
}

fn of_vectors(selection: &Selection) -> std::result::Result<Vec<PlannedGraph>, Failure> {
    let mut rows = Vec::new();
    for vector in selection.load()?.iter().flat_map(|file| &file.vectors) {
        if matches!(vector.kind, Kind::Graph { .. }) {
            let build = |sketch| {
                let executor = Executor::model(Rc::new(sketch), Reading::Corrected);
                // It ends after `build()`, since a sketch has no tensors.
                executor.finish(executor.start(vector));
            };
            rows.extend(row(&vector.id, build));
        }
    }
    Ok(rows)
}

fn of_networks() -> Vec<PlannedGraph> {
    let rows = Network::ALL.into_iter().filter_map(|network| {
        // A network that the builder refuses has no row; a test says why.
        row(network.name(), |sketch| draw(network, sketch).unwrap_or_default())
    });
    rows.collect()
}

const EXPLANATION: &str = "
plain: each operator computed by itself, each tensor in memory of its own
left: without views, and with chains of element-wise operators as one kernel
unplanned, planned: what is left of the intermediate tensors, in memory of their own and in shared memory
least: the largest sum of intermediate tensors needed at once; no plan can go below";

fn draw(network: Network, sketch: Sketch) -> Result<()> {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(sketch));
    let context = global.settle(&ml.create_context(MLContextOptions::default()))?;
    let builder = MLGraphBuilder::new(&context)?;
    let output = network.build(&Layers::of(&builder), Size::Full)?;
    global.settle(&builder.build(&[("y".to_owned(), output)])).map(drop)
}

/// What comes of a graph without and with what makes it cheaper, if it can be built.
fn row(name: &str, build: impl Fn(Sketch)) -> Option<PlannedGraph> {
    let draw = |economy| {
        let sketch = Sketch::new(DEFAULTS, economy);
        build(sketch.clone());
        sketch.take().pop()
    };
    let (plain, thrifty): (Drawing, Drawing) = (draw(Economy::NONE)?, draw(Economy::ALL)?);
    let figures = thrifty.layout.figures;
    Some(PlannedGraph {
        graph: name.to_owned(),
        plain_dispatches: plain.program.steps.len(),
        dispatches: thrifty.program.steps.len(),
        plain_bytes: plain.layout.figures.naive,
        unplanned_bytes: figures.naive,
        planned_bytes: figures.planned,
        least_bytes: figures.lower_bound,
    })
}

/// A row of the table.
fn cells(graph: &PlannedGraph) -> [String; 9] {
    let ratio = |part: u64, whole: u64| {
        if whole == 0 { "-".to_owned() } else { format!("{:.3}", part as f64 / whole as f64) }
    };
    [
        shown::name(&graph.graph).into_owned(),
        graph.plain_dispatches.to_string(),
        graph.dispatches.to_string(),
        graph.plain_bytes.to_string(),
        graph.unplanned_bytes.to_string(),
        graph.planned_bytes.to_string(),
        graph.least_bytes.to_string(),
        ratio(graph.planned_bytes, graph.least_bytes),
        ratio(graph.planned_bytes, graph.unplanned_bytes),
    ]
}
