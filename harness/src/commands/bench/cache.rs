//! `webnn bench cache`

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use webnn_gpu::cache::Folder;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::exception::Exception;
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::operand::MLOperand;
use webnn_reference::proposals::graph_cache::{Entry, GraphStore, MemoryStore};
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;

use crate::failure::{AS_EXPECTED, Failure};
use crate::implementation::Implementation;
use crate::listing::measured::{CachedNetwork, Times};
use crate::listing::{Format, Listing};
use crate::networks::{Layers, Network, Size};
use crate::temporary::Temporary;

/// The arguments of `webnn bench cache`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Measure this implementation, `reference` or `wgpu`; both by default. May be given several times.
    #[arg(long = "implementation", short, value_name = "NAME")]
    implementations: Vec<Implementation>,

    /// How many times everything is done; the medians are shown.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,

    /// Keep the graphs of wgpu in this folder, which stays, instead of one that is removed.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    #[command(flatten)]
    format: Format,
}

const EXPLANATION: &str = "
cold: on a device that has compiled nothing yet; warm: on one that has compiled these kernels before
describe: the calls of the builder; build: build(), until its promise is fulfilled; load: loadGraph() likewise
ratio: describe and build, divided by load
entry: what is kept; weights: the data of hollow constants, which is left out, and is part of no time
Drivers may keep compiled kernels of their own on disk; Mesa's do not with MESA_SHADER_CACHE_DISABLE=true.";

/// Measures building against loading.
///
/// # Errors
/// If an implementation does not start or fails, or the folder can not be used.
pub(crate) fn bench(arguments: &Arguments) -> Result<u8, Failure> {
    let by_default = [Implementation::Reference, Implementation::Wgpu(None)];
    let chosen = if arguments.implementations.is_empty() { &by_default[..] } else { &arguments.implementations };
    let mut networks = Vec::new();
    for implementation in chosen {
        let kept = Kept::of(implementation, arguments)?;
        for network in Network::ALL {
            let mut measured = Measured::default();
            for _ in 0..arguments.repeat {
                measured.measure(network, implementation, &kept.store)?;
            }
            networks.push(measured.listed(network, implementation));
        }
    }
    if arguments.format.is_json() {
        Listing::CacheBenchmark { runs: arguments.repeat, networks }.print()?;
    } else {
        anstream::println!("{}", table(&networks));
        anstream::println!("{EXPLANATION}");
    }
    Ok(AS_EXPECTED)
}

fn table(networks: &[CachedNetwork]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "milliseconds",
        "",
        "describe",
        "build",
        "load",
        "ratio",
        "build",
        "load",
        "ratio",
        "save",
        "entry",
        "weights",
    ]);
    table.add_row(["", "", "", "cold", "cold", "", "warm", "warm", "", "", "bytes", "bytes"]);
    table.add_rows(networks.iter().map(row));
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

fn row(network: &CachedNetwork) -> [String; 12] {
    let median = |times: Times| times.median * 1e3;
    let describe = median(network.describe);
    let [build_cold, load_cold, build_warm, load_warm, save] =
        [network.build_cold, network.load_cold, network.build_warm, network.load_warm, network.save].map(median);
    let ratio = |build: f64, load: f64| format!("{:.1}", (describe + build) / load);
    [
        network.implementation.clone(),
        network.network.to_owned(),
        format!("{describe:.2}"),
        format!("{build_cold:.2}"),
        format!("{load_cold:.2}"),
        ratio(build_cold, load_cold),
        format!("{build_warm:.2}"),
        format!("{load_warm:.2}"),
        ratio(build_warm, load_warm),
        format!("{save:.2}"),
        network.entry_bytes.map_or("-".to_owned(), |bytes| bytes.to_string()),
        network.weight_bytes.to_string(),
    ]
}

/// Where graphs are kept, and the folder that is to be removed.
struct Kept {
    store: Rc<dyn GraphStore>,
    _folder: Option<Temporary>,
}

impl Kept {
    fn of(implementation: &Implementation, arguments: &Arguments) -> Result<Self, Failure> {
        if *implementation == Implementation::Reference {
            return Ok(Self { store: Rc::new(MemoryStore::default()), _folder: None });
        }
        let unusable = |path: &Path, error: &dyn std::fmt::Display| {
            Failure::Output(format!("no graphs can be kept in {}: {error}", path.display()))
        };
        let (path, folder) = match &arguments.folder {
            Some(path) => (path.clone(), None),
            None => {
                let parent = std::env::temp_dir();
                let folder =
                    Temporary::create(&parent, "webnn-bench-cache-").map_err(|error| unusable(&parent, &error))?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let store = Folder::new(&path, u64::MAX).map_err(|error| unusable(&path, &error))?;
        Ok(Self { store: Rc::new(store), _folder: folder })
    }
}

/// How long everything took, each time.
#[derive(Default)]
struct Measured {
    describe: Vec<Duration>,
    build_cold: Vec<Duration>,
    build_warm: Vec<Duration>,
    save: Vec<Duration>,
    load_cold: Vec<Duration>,
    load_warm: Vec<Duration>,
    bytes: Option<usize>,
    weights: u64,
}

/// A context on a device that has compiled nothing.
struct Start {
    global: Global,
    context: MLContext,
}

impl Start {
    fn new(implementation: &Implementation, store: &Rc<dyn GraphStore>) -> Result<Self, Failure> {
        let (provider, _) = implementation
            .provider()
            .map_err(|reason| Failure::NotStarted(format!("{implementation} did not start: {reason}")))?;
        let global = Global::new(Reading::Corrected);
        global.keep_graphs_in(Some(Rc::clone(store)));
        let ml = ML::new(&global, provider);
        let context =
            global.settle(&ml.create_context(MLContextOptions::default())).map_err(|exception| failed(&exception))?;
        Ok(Self { global, context })
    }

    /// Builds a network, and says how long describing and building it took.
    fn build(&self, network: Network) -> Result<(MLGraph, Vec<MLOperand>, Duration, Duration), Exception> {
        let begun = Instant::now();
        let builder = MLGraphBuilder::new(&self.context)?;
        let layers = Layers::of(&builder);
        let output = network.build(&layers, Size::Full)?;
        let described = begun.elapsed();
        let graph = self.global.settle(&builder.build(&[("y".to_owned(), output)]))?;
        Ok((graph, layers.weights(), described, begun.elapsed().saturating_sub(described)))
    }

    fn load(&self, network: Network) -> Result<(MLGraph, Duration), Exception> {
        let begun = Instant::now();
        let graph = self.global.settle(&self.context.load_graph(network.name()))?;
        Ok((graph, begun.elapsed()))
    }
}

fn failed(exception: &Exception) -> Failure {
    Failure::NotStarted(exception.to_string())
}

impl Measured {
    fn measure(
        &mut self,
        network: Network,
        implementation: &Implementation,
        store: &Rc<dyn GraphStore>,
    ) -> Result<(), Failure> {
        let start = Start::new(implementation, store)?;
        let (graph, weights, described, cold) = start.build(network).map_err(|exception| failed(&exception))?;
        let (_, _, _, warm) = start.build(network).map_err(|exception| failed(&exception))?;
        self.weights = weights.iter().map(|weight| weight.descriptor().byte_length()).sum();
        let name = |(number, weight): (usize, &MLOperand)| (number.to_string(), weight.clone());
        let named = weights.iter().enumerate().map(name).collect::<Vec<_>>();
        let begun = Instant::now();
        let saved = start.context.save_graph(network.name(), &graph, &named);
        start.global.settle(&saved).map_err(|exception| failed(&exception))?;
        self.save.push(begun.elapsed());
        self.describe.push(described);
        self.build_cold.push(cold);
        self.build_warm.push(warm);

        let device = start.context.underlying_platform().device_name();
        let entry = store.read(&device, network.name()).map_err(|error| Failure::Output(error.to_string()))?;
        if let Some(Entry::Bytes(bytes)) = entry {
            self.bytes = Some(bytes.len());
        }
        let start = Start::new(implementation, store)?;
        let (_graph, cold) = start.load(network).map_err(|exception| failed(&exception))?;
        let (_graph, warm) = start.load(network).map_err(|exception| failed(&exception))?;
        self.load_cold.push(cold);
        self.load_warm.push(warm);
        Ok(())
    }

    fn listed(self, network: Network, implementation: &Implementation) -> CachedNetwork {
        CachedNetwork {
            implementation: implementation.to_string(),
            network: network.name(),
            describe: Times::of(self.describe),
            build_cold: Times::of(self.build_cold),
            load_cold: Times::of(self.load_cold),
            build_warm: Times::of(self.build_warm),
            load_warm: Times::of(self.load_warm),
            save: Times::of(self.save),
            entry_bytes: self.bytes,
            weight_bytes: self.weights,
        }
    }
}
