//! For the tests of the operators: graphs of constants, built and dispatched.

use std::rc::Rc;

use crate::buffer::BufferSource;
use crate::builder::MLGraphBuilder;
use crate::cpu::Cpu;
use crate::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use crate::exception::Result;
use crate::ml::{ML, MLContextOptions};
use crate::number::Element;
use crate::operand::MLOperand;
use crate::steps::Reading;
use crate::timeline::Global;
use crate::value::{Stored, Value, array};

/// A builder of a context that executes the text under this reading.
pub(crate) fn builder(reading: Reading) -> MLGraphBuilder {
    let global = Global::new(reading);
    let ml = ML::new(&global, Rc::new(Cpu));
    let context = global.settle(&ml.create_context(MLContextOptions::default())).expect("a platform");
    MLGraphBuilder::new(&context).expect("a new context")
}

/// A constant, of the type of its elements.
pub(crate) fn constant<T: Element>(builder: &MLGraphBuilder, shape: &[u32], elements: &[T]) -> MLOperand {
    let mut bytes = Vec::new();
    T::write(elements, &mut bytes);
    let descriptor = MLOperandDescriptor::create(T::DATA_TYPE, shape);
    builder.constant(&descriptor, &BufferSource::typed(T::DATA_TYPE, bytes)).expect("as many elements as the shape has")
}

/// A constant of which only the descriptor matters.
pub(crate) fn zeros<T: Element>(builder: &MLGraphBuilder, shape: &[u32]) -> MLOperand {
    let count = shape.iter().copied().map(crate::number::size).product();
    constant(builder, shape, &vec![T::default(); count])
}

/// What the output of a graph is computed to.
pub(crate) fn computed(build: impl FnOnce(&MLGraphBuilder) -> Result<MLOperand>) -> Result<Value> {
    let builder = builder(Reading::Corrected);
    let output = build(&builder)?;
    let (context, global) = (builder.context().clone(), builder.context().global().clone());
    let graph = global.settle(&builder.build(&[("output".into(), output.clone())]))?;
    let descriptor = MLTensorDescriptor { operand: output.descriptor(), readable: true, writable: false };
    let tensor = global.settle(&context.create_tensor(&descriptor))?;
    context.dispatch(&graph, &[], &[("output".into(), tensor.clone())])?;
    let bytes = global.settle(&context.read_tensor(&tensor))?.to_vec();
    Ok(Value::from_bytes(&descriptor.operand, &bytes).expect("memory"))
}

/// The value of this shape and these elements.
pub(crate) fn value<T: Stored>(shape: &[u32], elements: &[T]) -> Value {
    array(shape, elements.iter().copied()).expect("memory").into()
}
