//! A context to be measured: what is done with it, what it costs, and what the result is.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Instant;

use webnn_reference::buffer::{ArrayBuffer, BufferSource};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::{Change, Ledger};
use webnn_reference::ml::{ML, MLContextOptions, PlatformProvider};
use webnn_reference::operand::MLOperand;
use webnn_reference::promise::Promise;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::steps::Reading;
use webnn_reference::supply::ConstantData;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_weights::SafeTensors;
use webnn_weights::safetensors::Tensor;

use super::model::{self, FILE, Noise};
use super::process::{self, Base};
use super::{Measured, Outcome};
use crate::implementation::{Description, Implementation};

/// Memory that the application holds, for the timeline.
pub(crate) const APPLICATION: &str = "application's buffer";
/// Copies that `constant(descriptor, buffer)` makes, for the timeline.
pub(crate) const COPIES: &str = "copies of constant()";

/// A context, and what is measured of it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) implementation: Implementation,
    pub(crate) description: Description,
    /// The bytes of the models, as the command line has them.
    pub(crate) size: u64,
    pub(crate) context: MLContext,
    folder: PathBuf,
    is_cold: bool,
    global: Global,
    /// What is held that the ledger does not know of.
    held: RefCell<Vec<(u64, String, i64)>>,
    budget: RefCell<Option<u64>>,
}

/// A time that is running, and the memory of the process.
#[derive(Debug)]
pub(crate) struct Running {
    since: Instant,
    /// The same by the ledger's clock.
    begun: u64,
    base: Option<Base>,
}

impl Session {
    /// Sets a context up.
    ///
    /// # Errors
    /// If there is no such implementation on this machine.
    pub(crate) fn new(implementation: &Implementation, folder: PathBuf, size: u64, is_cold: bool) -> Outcome<Self> {
        let (provider, description) = implementation.provider()?;
        let (global, context) = context_on(provider)?;
        let implementation = implementation.clone();
        let (held, budget) = (RefCell::default(), RefCell::default());
        Ok(Self { implementation, description, size, context, folder, is_cold, global, held, budget })
    }

    /// The same on another platform, with a ledger of its own.
    pub(crate) fn on(&self, provider: Rc<dyn PlatformProvider>) -> Outcome<Self> {
        let (global, context) = context_on(provider)?;
        let (implementation, description) = (self.implementation.clone(), self.description.clone());
        let (folder, size, is_cold) = (self.folder.clone(), self.size, self.is_cold);
        let (held, budget) = (RefCell::default(), RefCell::default());
        Ok(Self { implementation, description, size, context, folder, is_cold, global, held, budget })
    }

    /// Whether the device's memory is that of this process.
    pub(crate) fn computes_in_this_process(&self) -> bool {
        computes_in_its_process(&self.description)
    }

    /// The file of the model, with its pages forgotten if that was asked for.
    pub(crate) fn model(&self) -> Outcome<SafeTensors> {
        let path = self.folder.join(FILE);
        if self.is_cold {
            process::forget_pages(&path)
                .map_err(|error| format!("the pages of the model are not forgotten: {error}"))?;
        }
        Ok(SafeTensors::open(path)?)
    }

    /// Begins to measure. What libraries set up for the first graph is there before, since it belongs to no model.
    pub(crate) fn begin(&self) -> Outcome<Running> {
        let builder = self.builder()?;
        let matrix = builder.hollow_constant(&model::float32(&[16, 16]))?;
        let output = model::chain(&builder, std::slice::from_ref(&matrix))?;
        let graph = self.build(&builder, output)?;
        self.supply(&graph, &matrix, &BufferSource::of_buffer(ArrayBuffer::new(vec![0; 16 * 16 * 4])).into(), None)?;
        self.once(&graph)?;
        graph.destroy();
        self.idle();
        Ok(Running { base: Base::take(), begun: clock(), since: Instant::now() })
    }

    /// A builder.
    pub(crate) fn builder(&self) -> Outcome<MLGraphBuilder> {
        Ok(MLGraphBuilder::new(&self.context)?)
    }

    /// Builds a graph of one output, `y`.
    pub(crate) fn build(&self, builder: &MLGraphBuilder, output: MLOperand) -> Outcome<MLGraph> {
        self.settle(&builder.build(&[("y".to_owned(), output)]))
    }

    /// Builds the chain of a part of a model, without its weights.
    pub(crate) fn hollow_chain(&self, part: &[Tensor]) -> Outcome<(MLGraph, Vec<MLOperand>)> {
        let builder = self.builder()?;
        let constants: Result<Vec<_>, _> =
            part.iter().map(|tensor| builder.hollow_constant(&tensor.descriptor)).collect();
        let constants = constants?;
        Ok((self.build(&builder, model::chain(&builder, &constants)?)?, constants))
    }

    /// Builds the chain of a part of a model, and supplies its weights from the file.
    pub(crate) fn chain_from_file(&self, part: &[Tensor]) -> Outcome<MLGraph> {
        let (graph, constants) = self.hollow_chain(part)?;
        for (constant, tensor) in constants.iter().zip(part) {
            self.supply(&graph, constant, &ConstantData::Blob(Rc::new(tensor.blob.clone())), None)?;
        }
        Ok(graph)
    }

    /// Supplies a constant, or a part of it.
    pub(crate) fn supply(
        &self,
        graph: &MLGraph,
        constant: &MLOperand,
        data: &ConstantData,
        byte_offset: Option<u64>,
    ) -> Outcome<()> {
        self.settle(&graph.set_constant_data(constant, data, MLConstantDataOptions { byte_offset }))
    }

    /// A tensor that can be written to and read.
    pub(crate) fn tensor(&self, operand: &MLOperandDescriptor) -> Outcome<MLTensor> {
        let descriptor = MLTensorDescriptor { operand: operand.clone(), readable: true, writable: true };
        self.settle(&self.context.create_tensor(&descriptor))
    }

    /// A tensor of numbers, the same ones every time.
    pub(crate) fn noise(&self, operand: &MLOperandDescriptor) -> Outcome<MLTensor> {
        let tensor = self.tensor(operand)?;
        // For a row of one, so that the numbers are around 1.
        let bytes = Noise::beginning(1, operand.byte_length());
        self.context.write_tensor(&tensor, &BufferSource::typed(operand.data_type, bytes))?;
        Ok(tensor)
    }

    /// Dispatches a graph of one input and one output.
    pub(crate) fn dispatch(&self, graph: &MLGraph, x: &MLTensor, y: &MLTensor) -> Outcome<()> {
        Ok(self.context.dispatch(graph, &[("x".to_owned(), x.clone())], &[("y".to_owned(), y.clone())])?)
    }

    /// Dispatches a graph with an input of numbers, and reads its output.
    pub(crate) fn once(&self, graph: &MLGraph) -> Outcome<Vec<u8>> {
        let x = self.noise(&graph.input_descriptors()["x"])?;
        let y = self.tensor(&graph.output_descriptors()["y"])?;
        self.dispatch(graph, &x, &y)?;
        let read = self.read(&y);
        x.destroy();
        y.destroy();
        read
    }

    /// Waits for a tensor's bytes, and so for all that was issued before.
    pub(crate) fn read(&self, tensor: &MLTensor) -> Outcome<Vec<u8>> {
        Ok(self.settle(&self.context.read_tensor(tensor))?.to_vec())
    }

    /// Waits for all that was issued.
    pub(crate) fn wait(&self) -> Outcome<()> {
        let tensor = self.tensor(&model::row(1))?;
        self.read(&tensor)?;
        tensor.destroy();
        self.idle();
        Ok(())
    }

    /// Has the platform given everything that is queued.
    pub(crate) fn idle(&self) {
        self.global.run_until_idle();
    }

    /// What a promise gives.
    pub(crate) fn settle<T: Clone>(&self, promise: &Promise<T>) -> Outcome<T> {
        Ok(self.global.settle(promise)?)
    }

    /// Sets the context's memory budget.
    pub(crate) fn set_budget(&self, bytes: u64) -> Outcome<()> {
        self.settle(&self.context.set_memory_budget(Some(bytes)))?;
        self.budget.replace(Some(bytes));
        Ok(())
    }

    /// What the context's platform holds, and what it moved.
    pub(crate) fn ledger(&self) -> Ledger {
        self.context.ledger()
    }

    /// Notes that so many bytes more or less are held of something.
    pub(crate) fn hold(&self, what: &str, bytes: i64) {
        self.held.borrow_mut().push((clock(), what.to_owned(), bytes));
    }

    /// What was measured by the end, besides what the workload adds.
    pub(crate) fn measured(&self, running: &Running, result: &[u8]) -> Measured {
        let process = running.base.and_then(Base::peak);
        let ledger = self.ledger();
        let of_the_device = if self.computes_in_this_process() { ledger.budgeted_peak() } else { 0 };
        let mut measured = Measured::of(result)
            .with("device", ledger.budgeted_peak() as f64)
            .with("hostByLedger", ledger.host_peak() as f64)
            .with_some("process", process.map(|bytes| bytes as f64))
            .with_some("host", process.map(|bytes| bytes.saturating_sub(of_the_device) as f64));
        measured.events = self.events(&ledger, running.begun);
        measured.budget = *self.budget.borrow();
        measured
    }

    /// What happened in memory, with what was there already as having happened when the work began.
    fn events(&self, ledger: &Ledger, begun: u64) -> Vec<(u64, String, i64)> {
        let mut events = self.held.borrow().clone();
        events.extend(ledger.events().iter().filter_map(|event| match event.change {
            Change::Allocated(kind, bytes) => Some((event.at, kind.as_str().to_owned(), bytes.cast_signed())),
            Change::Released(kind, bytes) => Some((event.at, kind.as_str().to_owned(), -bytes.cast_signed())),
            Change::Moved(..) => None,
        }));
        events.sort_by_key(|(at, ..)| *at);
        events.iter_mut().for_each(|(at, ..)| *at = (*at).max(begun));
        events
    }
}

impl Running {
    /// How long it has been running, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }
}

/// Whether the memory of an implementation's device is that of its process.
pub(crate) fn computes_in_its_process(description: &Description) -> bool {
    description.adapter.as_ref().is_none_or(|adapter| adapter.ends_with("software"))
}

/// A context that records what happens in memory.
fn context_on(provider: Rc<dyn PlatformProvider>) -> Outcome<(Global, MLContext)> {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, provider);
    let context = global.settle(&ml.create_context(MLContextOptions::default()))?;
    context.record_memory(clock);
    Ok((global, context))
}

/// Nanoseconds since somebody asked first.
fn clock() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos().try_into().unwrap_or(u64::MAX)
}
