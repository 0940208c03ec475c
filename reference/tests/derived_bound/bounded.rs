//! The outputs of graphs of constants, with the range of each element.

use std::rc::Rc;

use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::derived_bound::{Allowance, Bounding, Range, Ranges};
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::Result;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::number::{Element, Number};
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;
use webnn_reference::value::Value;

/// An output: what the interpreter computes, and the range of each element.
pub(crate) struct Output {
    pub(crate) numbers: Vec<f64>,
    pub(crate) ranges: Rc<Ranges>,
}

impl Output {
    pub(crate) fn range(&self, index: usize) -> Range {
        self.ranges.get(index).copied().unwrap_or_else(|| Range::point(self.numbers[index]))
    }

    pub(crate) fn holds(&self, index: usize, number: impl Into<f64>) -> bool {
        self.range(index).contains(number.into())
    }

    pub(crate) fn radius(&self, index: usize) -> f64 {
        self.range(index).radius(self.numbers[index])
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    fn of<T: Element>(elements: impl IntoIterator<Item = T>) -> Vec<f64> {
        elements.into_iter().map(|element| element.number().to_f64()).collect()
    }
    match value {
        Value::Float32(array) => of(array.iter().copied()),
        Value::Float16(array) => of(array.iter().copied()),
        Value::Int32(array) => of(array.iter().copied()),
        Value::Uint32(array) => of(array.iter().copied()),
        Value::Int64(array) => of(array.iter().copied()),
        Value::Uint64(array) => of(array.iter().copied()),
        Value::Int8(array) => of(array.iter().copied()),
        Value::Uint8(array) => of(array.iter().copied()),
    }
}

/// The outputs of a graph of constants.
pub(crate) fn outputs(
    allowance: Allowance,
    build: impl FnOnce(&MLGraphBuilder) -> Result<Vec<MLOperand>>,
) -> Result<Vec<Output>> {
    let provider = Rc::new(Bounding::new(allowance));
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::clone(&provider) as _);
    let context = global.settle(&ml.create_context(MLContextOptions::default()))?;
    let builder = MLGraphBuilder::new(&context)?;
    let operands = build(&builder)?;
    let name = |index: usize| format!("output{index}");
    let named: Vec<_> = operands.iter().enumerate().map(|(index, operand)| (name(index), operand.clone())).collect();
    let graph = global.settle(&builder.build(&named))?;
    let mut tensors = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let descriptor = MLTensorDescriptor { operand: operand.descriptor(), readable: true, writable: false };
        tensors.push((name(index), global.settle(&context.create_tensor(&descriptor))?));
    }
    context.dispatch(&graph, &[], &tensors)?;
    let mut outputs = Vec::new();
    for (operand, (_, tensor)) in operands.iter().zip(&tensors) {
        let bytes = global.settle(&context.read_tensor(tensor))?.to_vec();
        let value = Value::from_bytes(&operand.descriptor(), &bytes).expect("memory");
        outputs.push(Output { numbers: numbers(&value), ranges: provider.ranges(tensor) });
    }
    Ok(outputs)
}

pub(crate) fn output(build: impl FnOnce(&MLGraphBuilder) -> Result<MLOperand>) -> Result<Output> {
    Ok(outputs(Allowance::default(), |b| Ok(vec![build(b)?]))?.remove(0))
}

pub(crate) fn constant<T: Element>(b: &MLGraphBuilder, shape: &[u32], elements: &[T]) -> MLOperand {
    let mut bytes = Vec::new();
    T::write(elements, &mut bytes);
    let descriptor = MLOperandDescriptor::create(T::DATA_TYPE, shape);
    b.constant(&descriptor, &BufferSource::typed(T::DATA_TYPE, bytes)).expect("as many elements as the shape has")
}

pub(crate) fn o() -> MLOperatorOptions {
    MLOperatorOptions::default()
}
