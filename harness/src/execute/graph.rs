//! Executes a graph vector: inputs and constants in the order of the file, operators, `build()`, `dispatch()`.

use std::collections::HashMap;

use webnn_reference::buffer::{ArrayBuffer, BufferSource, Bytes};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::graph::MLGraph;
use webnn_reference::idl;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::{self, OperatorRow};
use webnn_reference::promise::Promise;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_vectors::{Graph, Input, Operator};

use super::{Observation, Stopped, Tensor, cells, convert, ensure_supported, settled};

/// A graph that was dispatched and whose outputs are being read back.
pub(super) struct Started<'a> {
    reads: Vec<(&'a str, MLTensor, Promise<ArrayBuffer>)>,
}

/// A graph that was built, and its outputs.
type Built = (MLGraph, Vec<(String, MLOperand)>);

/// The calls on one builder, in order.
pub(crate) struct Calls {
    builder: MLGraphBuilder,
    operands: HashMap<String, MLOperand>,
}

impl Calls {
    pub(super) fn new(context: &MLContext) -> Result<Self, Stopped> {
        Ok(Self { builder: MLGraphBuilder::new(context)?, operands: HashMap::new() })
    }

    /// Makes an input or a constant.
    pub(super) fn input(&mut self, name: &str, input: &Input) -> Result<(), Stopped> {
        let operand = create_input(name, input, &self.builder)?;
        self.operands.insert(name.to_owned(), operand);
        Ok(())
    }

    /// Calls an operator's method, and returns what it gave.
    pub(super) fn operator(&self, operator: &Operator) -> Result<Vec<MLOperand>, Stopped> {
        call(operator, &self.builder, &self.operands)
    }

    /// Gives operands their names.
    pub(super) fn name(&mut self, names: &[String], operands: Vec<MLOperand>) {
        self.operands.extend(names.iter().cloned().zip(operands));
    }

    /// All that an operator gives is named. Loading a vector ensures that too, but for operators of a graph that is refused:
    /// there it can not know which of them gives nothing.
    fn ensure_named(operator: &Operator, operands: &[MLOperand]) -> Result<(), Stopped> {
        let (named, given, operator) = (operator.outputs.as_slice().len(), operands.len(), &operator.name);
        if named == given {
            Ok(())
        } else {
            let problem = format!("the vector is wrong: {operator} gives {given} outputs, and {named} are named");
            Err(Stopped::Invalid(problem))
        }
    }
}

/// Makes the calls up to `build()`: those that may throw in a negative vector.
pub(super) fn build(graph: &Graph, context: &MLContext) -> Result<Built, Stopped> {
    let mut calls = Calls::new(context)?;
    for (name, input) in &graph.inputs {
        calls.input(name, input)?;
    }
    for operator in &graph.operators {
        let outputs = calls.operator(operator)?;
        Calls::ensure_named(operator, &outputs)?;
        calls.name(operator.outputs.as_slice(), outputs);
    }
    let outputs: Vec<(String, MLOperand)> = graph
        .build_outputs()
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), calls.operands.get(name)?.clone())))
        .collect();
    let built = settled(context.global(), &calls.builder.build(&outputs))?;
    Ok((built, outputs))
}

pub(super) fn start<'a>(graph: &'a Graph, context: &MLContext) -> Result<Started<'a>, Stopped> {
    let (built, outputs) = build(graph, context)?;
    let mut inputs = Vec::new();
    for name in built.input_descriptors().keys() {
        let tensor = create_tensor(context, &built.input_descriptors()[name], false)?;
        let input = &graph.inputs[name];
        let bytes = bytes(input).map_err(Stopped::Invalid)?;
        context.write_tensor(&tensor, &BufferSource::typed_holding(tensor.data_type(), bytes))?;
        inputs.push((name.clone(), tensor));
    }
    let mut named_outputs = Vec::new();
    for (name, operand) in &outputs {
        named_outputs.push((name.clone(), create_tensor(context, &operand.descriptor(), true)?));
    }
    context.dispatch(&built, &inputs, &named_outputs)?;

    let mut reads = Vec::new();
    for (name, (_, tensor)) in graph.build_outputs().into_iter().zip(&named_outputs) {
        reads.push((name, tensor.clone(), context.read_tensor(tensor)));
    }
    context.global().pump_timelines();
    Ok(Started { reads })
}

fn create_tensor(context: &MLContext, descriptor: &MLOperandDescriptor, readable: bool) -> Result<MLTensor, Stopped> {
    let descriptor = MLTensorDescriptor { operand: descriptor.clone(), readable, writable: !readable };
    Ok(settled(context.global(), &context.create_tensor(&descriptor))?)
}

fn create_input(name: &str, input: &Input, builder: &MLGraphBuilder) -> Result<MLOperand, Stopped> {
    let Some(descriptor) = convert::descriptor(&input.descriptor) else {
        let data_type = input.descriptor.data_type.name();
        return Err(Stopped::Skipped(format!("{data_type} is not a data type of the specification")));
    };
    ensure_supported(builder.context(), descriptor.data_type)?;
    if !input.constant {
        return Ok(builder.input(name, &descriptor)?);
    }
    // A constant too large to be made is refused before its data is looked at.
    let bytes = bytes(input).unwrap_or_default();
    Ok(builder.constant(&descriptor, &BufferSource::typed_holding(descriptor.data_type, bytes))?)
}

/// The bytes of an input or a constant; or why there are none.
fn bytes(input: &Input) -> Result<Bytes, String> {
    let (pattern, times) = input.descriptor.pattern_of(&input.data).map_err(|error| error.to_string())?;
    Bytes::repeated(pattern, times).ok_or_else(|| "more bytes than an address can count".to_owned())
}

fn call(
    operator: &Operator,
    builder: &MLGraphBuilder,
    operands: &HashMap<String, MLOperand>,
) -> Result<Vec<MLOperand>, Stopped> {
    let Some(row) = ops::operator(&operator.name) else {
        return Err(Stopped::Skipped(format!("the operator {} is not implemented yet", operator.name)));
    };
    if builder.context().limits().unsupported_operators.contains(&row.name) {
        return Err(Stopped::Skipped(format!("{} is not supported (see opSupportLimits)", row.name)));
    }
    let operand = |name: &str| operands.get(name).cloned();
    let values = positioned(row, operator, &operand);
    ensure_operands_exist(row, &values)?;
    let outputs = row.call(builder, &values)?;
    // Such as that of cast, which no input has to have.
    outputs.iter().try_for_each(|output| ensure_supported(builder.context(), output.data_type()))?;
    cells::note(row, &values, &outputs);
    Ok(outputs)
}

/// A name that stands where only an operand can is a mistake of the vector, and not a wrong argument on purpose.
fn ensure_operands_exist(row: &OperatorRow, values: &[idl::Value]) -> Result<(), Stopped> {
    let takes_operands = |name: &str| row.limits.rows.iter().any(|operand| operand.operand == name);
    let positional = row.parameters.iter().copied().zip(values);
    let members = values.iter().filter_map(|value| match value {
        idl::Value::Dictionary(members) => Some(members.iter().map(|(name, value)| (name.as_str(), value))),
        _ => None,
    });
    for (name, value) in positional.chain(members.flatten()) {
        let items = match value {
            idl::Value::Sequence(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        let text = items.iter().find_map(|item| match item {
            idl::Value::String(text) => Some(text),
            _ => None,
        });
        if let Some(text) = text
            && takes_operands(name)
        {
            let operator = row.name;
            let problem =
                format!("the vector is wrong: {operator} is given {text:?} as {name}, and no operand has that name");
            return Err(Stopped::Invalid(problem));
        }
    }
    Ok(())
}

/// The arguments by position. `options` goes to its own place, so that optional parameters before it may be left out;
/// the names of the others are for the reader.
fn positioned(row: &OperatorRow, operator: &Operator, operand: &impl Fn(&str) -> Option<MLOperand>) -> Vec<idl::Value> {
    let mut values = vec![idl::Value::Undefined; row.parameters.len()];
    let options = row.parameters.len() - 1;
    let (of_options, positional): (Vec<_>, Vec<_>) =
        operator.arguments.iter().partition(|argument| argument.name == "options");
    for (value, argument) in values.iter_mut().zip(positional) {
        *value = convert::argument(&argument.value, operand);
    }
    if let Some(argument) = of_options.first() {
        values[options] = convert::argument(&argument.value, operand);
    }
    values
}

impl Started<'_> {
    /// The tensors that are being read back, in the order of the outputs.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &MLTensor> {
        self.reads.iter().map(|(_, tensor, _)| tensor)
    }

    pub(super) fn finish(self, global: &Global) -> Observation {
        let mut outputs = Vec::new();
        for (name, tensor, promise) in self.reads {
            match settled(global, &promise) {
                Ok(buffer) => {
                    let tensor = Tensor {
                        data_type: tensor.data_type(),
                        shape: tensor.shape().to_vec(),
                        bytes: buffer.detach(),
                    };
                    outputs.push((name.to_owned(), tensor));
                }
                Err(exception) => return Observation::Threw(exception),
            }
        }
        Observation::Outputs(outputs)
    }
}
