//! What the tests of the platform share: a context on the shared device, graphs in a line, and numbers as bytes.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

use std::rc::Rc;
use std::sync::OnceLock;

use half::f16;
use webnn_gpu::Gpu;
use webnn_gpu::error::Error;
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::Result;
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::steps::Reading;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;

pub(crate) use webnn_reference::data_type::MLOperandDataType::{
    Float16, Float32, Int8, Int32, Int64, Uint8, Uint32, Uint64,
};

/// The test process's device, or `None` after printing why there is none.
pub(crate) fn gpu() -> Option<Gpu> {
    static SHARED: OnceLock<std::result::Result<Gpu, Error>> = OnceLock::new();
    match SHARED.get_or_init(|| Gpu::new(None)) {
        Ok(gpu) => Some(gpu.clone()),
        Err(error @ Error::NoAdapter { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A context.
pub(crate) struct Session {
    pub(crate) global: Global,
    pub(crate) context: MLContext,
}

/// A tensor's type, shape and bytes.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) data_type: MLOperandDataType,
    pub(crate) shape: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
}

/// Options of an operator that has none but a label.
pub(crate) fn none() -> MLOperatorOptions {
    MLOperatorOptions::default()
}

/// A context on the shared device, unless there is no adapter.
pub(crate) fn session() -> Option<Session> {
    Some(Session::on(gpu()?))
}

impl Session {
    pub(crate) fn on(gpu: Gpu) -> Self {
        let global = Global::new(Reading::Corrected);
        let ml = ML::new(&global, Rc::new(gpu));
        let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
        Self { global, context }
    }

    pub(crate) fn has_int64(&self) -> bool {
        self.context.limits().data_types.contains(&Int64)
    }

    pub(crate) fn builder(&self) -> MLGraphBuilder {
        MLGraphBuilder::new(&self.context).unwrap()
    }

    pub(crate) fn build(&self, builder: &MLGraphBuilder, outputs: &[(&str, &MLOperand)]) -> MLGraph {
        let outputs = outputs.iter().map(|(name, operand)| ((*name).to_owned(), (*operand).clone()));
        self.global.settle(&builder.build(&outputs.collect::<Vec<_>>())).unwrap()
    }

    /// A tensor that holds these data.
    pub(crate) fn tensor(&self, data: &Data) -> MLTensor {
        let tensor = self.empty(data.data_type, &data.shape);
        self.write(&tensor, data);
        tensor
    }

    pub(crate) fn empty(&self, data_type: MLOperandDataType, shape: &[u32]) -> MLTensor {
        let operand = MLOperandDescriptor::create(data_type, shape);
        let descriptor = MLTensorDescriptor { operand, readable: true, writable: true };
        self.global.settle(&self.context.create_tensor(&descriptor)).unwrap()
    }

    pub(crate) fn write(&self, tensor: &MLTensor, data: &Data) {
        let source = BufferSource::typed(data.data_type, data.bytes.clone());
        self.context.write_tensor(tensor, &source).unwrap();
    }

    pub(crate) fn read(&self, tensor: &MLTensor) -> Vec<u8> {
        self.global.settle(&self.context.read_tensor(tensor)).unwrap().to_vec()
    }

    /// Dispatches a graph with inputs `x0`, `x1`, ... and one output `y`.
    pub(crate) fn dispatch(&self, graph: &MLGraph, inputs: &[MLTensor], output: &MLTensor) {
        let named = inputs.iter().enumerate().map(|(n, tensor)| (format!("x{n}"), tensor.clone()));
        let named = named.collect::<Vec<_>>();
        self.context.dispatch(graph, &named, &[("y".to_owned(), output.clone())]).unwrap();
    }

    /// The bytes of what `build` makes of these inputs.
    pub(crate) fn run(
        &self,
        inputs: &[Data],
        build: impl FnOnce(&MLGraphBuilder, &[MLOperand]) -> Result<MLOperand>,
    ) -> Vec<u8> {
        let builder = self.builder();
        let operands = inputs.iter().enumerate().map(|(n, data)| {
            builder.input(&format!("x{n}"), &MLOperandDescriptor::create(data.data_type, &data.shape)).unwrap()
        });
        let operands = operands.collect::<Vec<_>>();
        let output = build(&builder, &operands).unwrap();
        let descriptor = output.descriptor();
        let graph = self.build(&builder, &[("y", &output)]);
        let tensors = inputs.iter().map(|data| self.tensor(data)).collect::<Vec<_>>();
        let result = self.empty(descriptor.data_type, &descriptor.shape);
        self.dispatch(&graph, &tensors, &result);
        self.read(&result)
    }

    /// The same for float32 all over.
    pub(crate) fn run_f32(
        &self,
        inputs: &[Data],
        build: impl FnOnce(&MLGraphBuilder, &[MLOperand]) -> Result<MLOperand>,
    ) -> Vec<f32> {
        of_bytes(&self.run(inputs, build), f32::from_le_bytes)
    }
}

/// Numbers of one type from their bytes.
pub(crate) fn of_bytes<T, const N: usize>(bytes: &[u8], read: fn([u8; N]) -> T) -> Vec<T> {
    bytes.chunks_exact(N).map(|chunk| read(chunk.try_into().unwrap())).collect()
}

pub(crate) fn f32s(shape: &[u32], numbers: &[f32]) -> Data {
    data(Float32, shape, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

pub(crate) fn data(data_type: MLOperandDataType, shape: &[u32], bytes: Vec<u8>) -> Data {
    Data { data_type, shape: shape.to_vec(), bytes }
}

/// Integers that every type has, small ones, as a tensor of any type.
pub(crate) fn small(data_type: MLOperandDataType, shape: &[u32], numbers: &[i8]) -> Data {
    let bytes = numbers.iter().flat_map(|number| bytes_of(data_type, *number)).collect();
    data(data_type, shape, bytes)
}

fn bytes_of(data_type: MLOperandDataType, number: i8) -> Vec<u8> {
    match data_type {
        Float32 => f32::from(number).to_le_bytes().to_vec(),
        Float16 => f16::from_f32(f32::from(number)).to_le_bytes().to_vec(),
        Int32 | Uint32 => i32::from(number).to_le_bytes().to_vec(),
        Int64 | Uint64 => i64::from(number).to_le_bytes().to_vec(),
        Int8 | Uint8 => number.to_le_bytes().to_vec(),
    }
}

/// Asserts equality of floats, NaN being equal to itself.
#[track_caller]
pub(crate) fn assert_same(got: &[f32], wanted: &[f32]) {
    let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
    assert!(got.len() == wanted.len() && got.iter().zip(wanted).all(same), "got {got:?}, wanted {wanted:?}");
}
