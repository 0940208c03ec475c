//! The kernels of every graph of every vector pass naga's validator. No adapter is needed.
//!
//! Every call of every vector is made on a platform that lowers what it is to build, and computes nothing. A graph is
//! lowered for adapters of several kinds: with 64-bit integers and without, and with few bindings and many; with what makes
//! it cheaper, such as fused kernels, and without. Equal texts are validated once.

#![allow(clippy::print_stderr, reason = "what was validated is worth a line")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use webnn_gpu::lower::{Bounds, Economy, lower};
use webnn_gpu::plan::Layout;
use webnn_gpu::sketch::DEFAULTS;
use webnn_gpu::wgsl::{MAX_RANK, Module};
use webnn_harness::trials::{execute_on, vectors, vectors_of};
use webnn_reference::buffer::Bytes;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::ml::{ContextType, MLPowerPreference, PlatformProvider};
use webnn_reference::operand::OperandId;
use webnn_reference::ops::MLInputOperandLayout;
use webnn_reference::platform::{
    Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, Residence, TensorData,
};
use webnn_reference::supply::Part;
use webnn_vectors::Vector;

/// What an adapter can bind: lavapipe and hardware, SwiftShader, and the least that WebGPU asks for.
const BOUNDS: [Bounds; 3] = [bounds(32), bounds(10), bounds(8)];

const fn bounds(bindings: usize) -> Bounds {
    Bounds { binding_bytes: 128 << 20, bindings, ..DEFAULTS }
}

/// The modules that were seen, by their text.
type Modules = BTreeMap<String, Module>;

/// A kind of adapter, and what is lowered for it.
#[derive(Clone)]
struct Adapter {
    data_types: Vec<MLOperandDataType>,
    modules: Rc<RefCell<Modules>>,
    graphs: Rc<RefCell<usize>>,
}

impl Adapter {
    fn new(has_int64: bool) -> Self {
        let wide = [MLOperandDataType::Int64, MLOperandDataType::Uint64];
        let all = MLOperandDataType::ALL.into_iter();
        let data_types = all.filter(|data_type| has_int64 || !wide.contains(data_type)).collect();
        Self { data_types, modules: Rc::default(), graphs: Rc::default() }
    }
}

impl PlatformProvider for Adapter {
    fn platform(&self, _: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        Some(Box::new(self.clone()))
    }
}

impl Platform for Adapter {
    fn limits(&self) -> PlatformLimits {
        PlatformLimits {
            data_types: self.data_types.clone(),
            max_rank: MAX_RANK,
            max_tensor_byte_length: (1 << 31) - 1,
            preferred_input_layout: MLInputOperandLayout::Nchw,
            unsupported_operators: &[],
        }
    }
    fn create_tensor(&mut self, descriptor: &MLOperandDescriptor) -> Result<TensorData, PlatformError> {
        // Read back as so many zeros.
        Ok(TensorData(descriptor.byte_length()))
    }
    fn write_tensor(&mut self, _: TensorData, _: Bytes) -> Result<(), PlatformError> {
        Ok(())
    }
    fn read_tensor(&mut self, tensor: TensorData) -> Result<Box<dyn PendingBytes>, PlatformError> {
        Ok(Box::new(vec![0; usize::try_from(tensor.0).unwrap()]))
    }
    fn release_tensor(&mut self, _: TensorData) {}
    fn convert(&mut self, computation: Computation) -> Result<GraphImplementation, PlatformError> {
        for (bounds, economy) in BOUNDS.iter().flat_map(|bounds| [(*bounds, Economy::ALL), (*bounds, Economy::NONE)]) {
            let mut program = lower(&computation, bounds, economy).unwrap_or_else(|error| panic!("{error}"));
            Layout::of(&mut program, bounds.space(), economy);
            let mut modules = self.modules.borrow_mut();
            for step in program.steps {
                modules.entry(step.module.text.clone()).or_insert(step.module);
            }
        }
        *self.graphs.borrow_mut() += 1;
        Ok(GraphImplementation(0))
    }
    fn set_constant(
        &mut self,
        _: GraphImplementation,
        _: OperandId,
        _: Part,
        _: Residence,
    ) -> Result<(), PlatformError> {
        Ok(())
    }
    fn dispatch(
        &mut self,
        _: GraphImplementation,
        _: &[(String, TensorData)],
        _: &[(String, TensorData)],
    ) -> Result<(), PlatformError> {
        Ok(())
    }
    fn release_graph(&mut self, _: GraphImplementation) {}
}

/// The modules of all graphs of the vectors, on an adapter with 64-bit integers or without.
fn modules(vectors: &[Vector], has_int64: bool) -> Modules {
    let adapter = Adapter::new(has_int64);
    let provider: Rc<dyn PlatformProvider> = Rc::new(adapter.clone());
    for vector in vectors {
        execute_on(&provider, vector).unwrap_or_else(|problem| panic!("{problem}"));
    }
    let graphs = adapter.graphs.borrow();
    assert!(*graphs > vectors.len() / 3, "{graphs} graphs of {} vectors", vectors.len());
    adapter.modules.take()
}

/// 64-bit integers are the one optional feature; halves packed in words are core WGSL.
fn validate(module: &Module, has_int64: bool) {
    let parsed = naga::front::wgsl::parse_str(&module.text)
        .unwrap_or_else(|error| panic!("{}: {}\n{}", module.name, error.emit_to_string(&module.text), module.text));
    let int64 = if has_int64 { Capabilities::SHADER_INT64 } else { Capabilities::empty() };
    let mut validator = Validator::new(ValidationFlags::all(), int64 | Capabilities::SHADER_FLOAT16_IN_FLOAT32);
    if let Err(error) = validator.validate(&parsed) {
        panic!("{}: {}\n{}", module.name, error.emit_to_string(&module.text), module.text);
    }
}

fn validate_all(vectors: &[Vector]) {
    let without = modules(vectors, false);
    let mut with = modules(vectors, true);
    with.retain(|text, _| !without.contains_key(text));
    without.values().for_each(|module| validate(module, false));
    with.values().for_each(|module| validate(module, true));
    eprintln!("{} texts, and {} with 64-bit integers, of {} vectors", without.len(), with.len(), vectors.len());
    assert!(without.len() > 100 && with.len() > 20);
}

#[test]
fn every_kernel_of_the_vectors_is_valid() {
    validate_all(&vectors().unwrap());
}

#[test]
fn every_kernel_of_web_platform_tests_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/wpt/vectors");
    if !folder.is_dir() {
        eprintln!("skipped: the vectors of web-platform-tests are not beside the repository");
        return;
    }
    validate_all(&vectors_of(&[folder]).unwrap());
}
