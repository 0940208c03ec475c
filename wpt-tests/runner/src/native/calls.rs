//! The methods and attributes of the interfaces, as calls of the reference.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value as Json, json};
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::Exception;
use webnn_reference::graph::MLGraph;
use webnn_reference::idl::Value as IdlValue;
use webnn_reference::limits::{MLOpSupportLimits, MLTensorLimits};
use webnn_reference::ml::{ML, MLContextOptions, MLPowerPreference};
use webnn_reference::number::MLNumber;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::supply::ConstantData;
use webnn_reference::tensor::MLTensor;

use crate::idl;

use super::argument::Argument;
use super::source::Bytes;
use super::{Called, Native, Object, Pending, Returned};

impl Native {
    /// Calls a method, or reads an attribute, of the object that the handle stands for.
    pub(super) fn call(&self, interface: &str, operation: &str, handle: Option<u32>, arguments: &[Argument]) -> Called {
        let arguments = Arguments { native: self, values: arguments };
        let Some(handle) = handle else {
            return Ok(Returned::Object(Object::Builder(MLGraphBuilder::new(&arguments.context(0)?)?)));
        };
        match self.object(handle)? {
            Object::Ml(ml) => create_context(&ml, &arguments),
            Object::Context(context) if operation == "opSupportLimits" => {
                let mut known = self.support_limits.borrow_mut();
                let limits =
                    known.entry(handle).or_insert_with(|| support_limits(&context.op_support_limits()).to_string());
                Ok(Returned::Plain(limits.clone()))
            }
            Object::Context(context) => of_context(&context, operation, &arguments),
            Object::Builder(builder) => of_builder(&builder, operation, &arguments),
            Object::Operand(operand) => match operation {
                "dataType" => Ok(Returned::Text(operand.data_type().as_str())),
                "shape" => Ok(Returned::Numbers(operand.shape())),
                _ => Err(unknown(interface, operation)),
            },
            Object::Tensor(tensor) => of_tensor(&tensor, operation),
            Object::Graph(graph) => of_graph(&graph, operation, &arguments),
        }
    }
}

fn unknown(interface: &str, operation: &str) -> super::Failure {
    format!("{interface} has no operation {operation}").into()
}

fn create_context(ml: &ML, arguments: &Arguments<'_>) -> Called {
    let mut options = MLContextOptions::default();
    for (name, value) in arguments.members(0)? {
        match (name.as_str(), value) {
            ("powerPreference", Argument::Text(text)) => {
                let known = MLPowerPreference::ALL.into_iter().find(|preference| preference.as_str() == text);
                options.power_preference = known.unwrap_or_default();
            }
            ("accelerated", Argument::Boolean(accelerated)) => options.accelerated = *accelerated,
            _ => {}
        }
    }
    Ok(Returned::Promise(Pending::Context(ml.create_context(options))))
}

fn of_context(context: &MLContext, operation: &str, arguments: &Arguments<'_>) -> Called {
    match operation {
        "accelerated" => Ok(Returned::Boolean(context.accelerated())),
        "lost" => Ok(match context.lost() {
            Some(promise) => Returned::Promise(Pending::Lost(promise)),
            None => Returned::Undefined,
        }),
        "createTensor" => {
            let descriptor = arguments.tensor_descriptor(0)?;
            Ok(Returned::Promise(Pending::Tensor(context.create_tensor(&descriptor))))
        }
        "createConstantTensor" => {
            let descriptor = arguments.descriptor(0)?;
            let created = context.create_constant_tensor(&descriptor, &arguments.buffer(1, descriptor.data_type)?);
            Ok(Returned::Promise(Pending::Tensor(created)))
        }
        "readTensor" => {
            let tensor = arguments.tensor(0)?;
            Ok(Returned::Promise(match arguments.values.get(1) {
                Some(Argument::Buffer(output)) => {
                    let output = output.of(tensor.data_type());
                    Pending::Written(context.read_tensor_into(&tensor, &output), output)
                }
                _ => Pending::Buffer(context.read_tensor(&tensor)),
            }))
        }
        "writeTensor" => {
            let tensor = arguments.tensor(0)?;
            nothing(context.write_tensor(&tensor, &arguments.buffer(1, tensor.data_type())?))
        }
        "dispatch" => {
            let (inputs, outputs) = (arguments.tensors(1)?, arguments.tensors(2)?);
            nothing(context.dispatch(&arguments.graph(0)?, &inputs, &outputs))
        }
        "destroy" => {
            context.destroy();
            Ok(Returned::Undefined)
        }
        _ => of_context_by_proposals(context, operation, arguments),
    }
}

/// What the proposals of residency and of a graph cache add to contexts.
fn of_context_by_proposals(context: &MLContext, operation: &str, arguments: &Arguments<'_>) -> Called {
    let done = |promise| Ok(Returned::Promise(Pending::Done(promise)));
    match operation {
        "setMemoryBudget" => {
            let bytes = match arguments.get(0)? {
                Argument::Undefined => None,
                value => Some(number_of_bytes(value)?),
            };
            done(context.set_memory_budget(bytes))
        }
        "listGraphs" => Ok(Returned::Promise(Pending::Texts(context.list_graphs()))),
        "loadGraph" => Ok(Returned::Promise(Pending::Graph(context.load_graph(arguments.text(0)?)))),
        "saveGraph" => {
            let constants = arguments.operands(2)?;
            done(context.save_graph(arguments.text(0)?, &arguments.graph(1)?, &constants))
        }
        "deleteGraph" => done(context.delete_graph(arguments.text(0)?)),
        _ => Err(unknown("MLContext", operation)),
    }
}

/// All but `destroy()` is of proposals.
fn of_graph(graph: &MLGraph, operation: &str, arguments: &Arguments<'_>) -> Called {
    let done = |promise| Ok(Returned::Promise(Pending::Done(promise)));
    match operation {
        "destroy" => {
            graph.destroy();
            Ok(Returned::Undefined)
        }
        "setConstantData" => {
            let constant = arguments.native.operand(arguments.get(0)?)?;
            let options = arguments.constant_data_options(2)?;
            let data = arguments.constant_data(1, &constant, options)?;
            done(graph.set_constant_data(&constant, &data, options))
        }
        "offload" => done(graph.offload(arguments.offload_options(0)?)),
        "reload" => done(graph.reload()),
        "pinned" => Ok(Returned::Boolean(graph.pinned())),
        "pinned=" => nothing(graph.set_pinned(matches!(arguments.get(0)?, Argument::Boolean(true)))),
        "inputs" => Ok(Returned::Plain(descriptors(graph.inputs()).to_string())),
        "outputs" => Ok(Returned::Plain(descriptors(graph.outputs()).to_string())),
        "constants" => {
            let constants = graph.constants().into_iter();
            Ok(Returned::Named(constants.map(|(name, operand)| (name, Object::Operand(operand))).collect()))
        }
        _ => Err(unknown("MLGraph", operation)),
    }
}

/// Descriptors with their names, each a pair.
fn descriptors(named: &BTreeMap<String, MLOperandDescriptor>) -> Json {
    let pairs = named.iter().map(|(name, MLOperandDescriptor { data_type, shape })| {
        json!([name, { "dataType": data_type.as_str(), "shape": shape }])
    });
    pairs.collect()
}

fn of_tensor(tensor: &MLTensor, operation: &str) -> Called {
    Ok(match operation {
        "dataType" => Returned::Text(tensor.data_type().as_str()),
        "shape" => Returned::Numbers(tensor.shape().to_vec()),
        "readable" => Returned::Boolean(tensor.readable()),
        "writable" => Returned::Boolean(tensor.writable()),
        "constant" => Returned::Boolean(tensor.constant()),
        "destroy" => {
            tensor.destroy();
            Returned::Undefined
        }
        _ => return Err(unknown("MLTensor", operation)),
    })
}

fn of_builder(builder: &MLGraphBuilder, operation: &str, arguments: &Arguments<'_>) -> Called {
    let operand = |operand: MLOperand| Returned::Object(Object::Operand(operand));
    match operation {
        "input" => Ok(operand(builder.input(arguments.text(0)?, &arguments.descriptor(1)?)?)),
        "constant" => Ok(operand(match (arguments.get(0)?, arguments.values.get(1)) {
            (Argument::Handle(_), _) => builder.constant_tensor(&arguments.tensor(0)?)?,
            (Argument::Text(_), Some(Argument::Number(value))) => {
                builder.constant_scalar(arguments.data_type(0)?, *value)?
            }
            (_, None) => builder.hollow_constant(&arguments.descriptor(0)?)?,
            _ => {
                let descriptor = arguments.descriptor(0)?;
                builder.constant(&descriptor, &arguments.buffer(1, descriptor.data_type)?)?
            }
        })),
        "build" => Ok(Returned::Promise(Pending::Graph(builder.build(&arguments.operands(0)?)))),
        name => {
            let row = ops::operator(name).ok_or_else(|| unknown("MLGraphBuilder", name))?;
            let values: Called<Vec<IdlValue>> =
                arguments.values.iter().map(|value| arguments.native.idl_value(value)).collect();
            let outputs = row.call(builder, &values?)?.into_iter().map(Object::Operand);
            Ok(if idl::returns_a_sequence(name) {
                Returned::Objects(outputs.collect())
            } else {
                Returned::Objects(outputs.collect()).single()?
            })
        }
    }
}

impl Returned {
    /// The one object of a list.
    fn single(self) -> Called {
        match self {
            Self::Objects(mut objects) if objects.len() == 1 => Ok(Self::Object(objects.remove(0))),
            _ => Err("an operator that returns one operand returned several".to_owned().into()),
        }
    }
}

fn nothing(result: Result<(), Exception>) -> Called {
    Ok(result.map(|()| Returned::Undefined)?)
}

impl Native {
    fn operand(&self, value: &Argument) -> Called<MLOperand> {
        match value {
            Argument::Handle(handle) => match self.object(*handle)? {
                Object::Operand(operand) => Ok(operand),
                _ => Err("not an MLOperand".to_owned().into()),
            },
            _ => Err("not a handle".to_owned().into()),
        }
    }

    fn tensor(&self, value: &Argument) -> Called<MLTensor> {
        match value {
            Argument::Handle(handle) => match self.object(*handle)? {
                Object::Tensor(tensor) => Ok(tensor),
                _ => Err("not an MLTensor".to_owned().into()),
            },
            _ => Err("not a handle".to_owned().into()),
        }
    }

    /// An argument of an operator's method.
    fn idl_value(&self, value: &Argument) -> Called<IdlValue> {
        Ok(match value {
            Argument::Undefined => IdlValue::Undefined,
            Argument::Boolean(boolean) => IdlValue::Boolean(*boolean),
            Argument::Number(number) => IdlValue::Number(*number),
            Argument::Text(text) => IdlValue::String(text.clone()),
            Argument::Handle(_) => IdlValue::Operand(self.operand(value)?),
            Argument::Sequence(items) => {
                IdlValue::Sequence(items.iter().map(|item| self.idl_value(item)).collect::<Called<_>>()?)
            }
            Argument::Members(members) => IdlValue::Dictionary(
                members
                    .iter()
                    .map(|(name, member)| Ok((name.clone(), self.idl_value(member)?)))
                    .collect::<Called<_>>()?,
            ),
            Argument::Buffer(_) | Argument::Blob(_) | Argument::Stream(_) => {
                return Err("no operator takes data".to_owned().into());
            }
        })
    }
}

/// The arguments of a call, by position.
struct Arguments<'a> {
    native: &'a Native,
    values: &'a [Argument],
}

impl<'a> Arguments<'a> {
    fn get(&self, position: usize) -> Called<&'a Argument> {
        self.values.get(position).ok_or_else(|| format!("there is no argument {position}").into())
    }

    fn text(&self, position: usize) -> Called<&'a str> {
        match self.get(position)? {
            Argument::Text(text) => Ok(text),
            _ => Err("not a string".to_owned().into()),
        }
    }

    /// The buffer source for data of this type.
    fn buffer(&self, position: usize, data_type: MLOperandDataType) -> Called<BufferSource> {
        match self.get(position)? {
            Argument::Buffer(source) => Ok(source.of(data_type)),
            _ => Err("not a buffer source".to_owned().into()),
        }
    }

    fn members(&self, position: usize) -> Called<&'a [(String, Argument)]> {
        match self.get(position)? {
            Argument::Members(members) => Ok(members),
            Argument::Undefined => Ok(&[]),
            _ => Err("not a dictionary or record".to_owned().into()),
        }
    }

    fn context(&self, position: usize) -> Called<MLContext> {
        match self.get(position)? {
            Argument::Handle(handle) => match self.native.object(*handle)? {
                Object::Context(context) => Ok(context),
                _ => Err("not an MLContext".to_owned().into()),
            },
            _ => Err("not a handle".to_owned().into()),
        }
    }

    fn graph(&self, position: usize) -> Called<MLGraph> {
        match self.get(position)? {
            Argument::Handle(handle) => match self.native.object(*handle)? {
                Object::Graph(graph) => Ok(graph),
                _ => Err("not an MLGraph".to_owned().into()),
            },
            _ => Err("not a handle".to_owned().into()),
        }
    }

    fn tensor(&self, position: usize) -> Called<MLTensor> {
        self.native.tensor(self.get(position)?)
    }

    fn tensors(&self, position: usize) -> Called<Vec<(String, MLTensor)>> {
        let members = self.members(position)?.iter();
        members.map(|(name, value)| Ok((name.clone(), self.native.tensor(value)?))).collect()
    }

    fn operands(&self, position: usize) -> Called<Vec<(String, MLOperand)>> {
        let members = self.members(position)?.iter();
        members.map(|(name, value)| Ok((name.clone(), self.native.operand(value)?))).collect()
    }

    /// The data of a constant, or of a part of it.
    fn constant_data(
        &self,
        position: usize,
        constant: &MLOperand,
        options: MLConstantDataOptions,
    ) -> Called<ConstantData> {
        let descriptor = constant.descriptor();
        Ok(match self.get(position)? {
            Argument::Blob(bytes) => ConstantData::Blob(Rc::new(Bytes(bytes.clone()))),
            Argument::Stream(stream) => {
                let room = descriptor.byte_length().saturating_sub(options.byte_offset.unwrap_or(0));
                ConstantData::Stream(self.native.streams.open(*stream, room))
            }
            _ => ConstantData::Buffer(self.buffer(position, descriptor.data_type)?),
        })
    }

    fn constant_data_options(&self, position: usize) -> Called<MLConstantDataOptions> {
        let mut options = MLConstantDataOptions::default();
        for (name, value) in self.members(position)? {
            if name == "byteOffset" {
                options.byte_offset = Some(number_of_bytes(value)?);
            }
        }
        Ok(options)
    }

    fn offload_options(&self, position: usize) -> Called<MLOffloadOptions> {
        let mut options = MLOffloadOptions::default();
        for member in self.members(position)? {
            if let ("to", Argument::Text(target)) = (member.0.as_str(), &member.1) {
                options.to = MLOffloadTarget::from_name(target).ok_or_else(|| "not a target".to_owned())?;
            }
        }
        Ok(options)
    }

    fn data_type(&self, position: usize) -> Called<MLOperandDataType> {
        Ok(MLOperandDataType::from_name(self.text(position)?).ok_or_else(|| "not a data type".to_owned())?)
    }

    fn descriptor(&self, position: usize) -> Called<MLOperandDescriptor> {
        Ok(self.tensor_descriptor(position)?.operand)
    }

    fn tensor_descriptor(&self, position: usize) -> Called<MLTensorDescriptor> {
        let (mut data_type, mut shape, mut readable, mut writable) = (None, vec![], false, false);
        for (name, value) in self.members(position)? {
            match (name.as_str(), value) {
                ("dataType", Argument::Text(text)) => data_type = MLOperandDataType::from_name(text),
                ("shape", Argument::Sequence(dimensions)) => shape = dimensions.iter().filter_map(dimension).collect(),
                ("readable", Argument::Boolean(boolean)) => readable = *boolean,
                ("writable", Argument::Boolean(boolean)) => writable = *boolean,
                _ => {}
            }
        }
        let data_type = data_type.ok_or_else(|| "a descriptor without a data type".to_owned())?;
        Ok(MLTensorDescriptor { operand: MLOperandDescriptor { data_type, shape }, readable, writable })
    }
}

/// A dimension, which Web IDL has made an integer in range.
fn dimension(value: &Argument) -> Option<u32> {
    match value {
        Argument::Number(MLNumber::Double(number)) => webnn_reference::number::exact_u32(*number),
        _ => None,
    }
}

/// A number of bytes, which Web IDL has made an integer that a number has exactly.
fn number_of_bytes(value: &Argument) -> Called<u64> {
    match value {
        Argument::Number(MLNumber::Double(number)) => Ok(*number as u64),
        _ => Err("not a number of bytes".to_owned().into()),
    }
}

fn support_limits(limits: &MLOpSupportLimits) -> Json {
    let mut members = Map::new();
    members.insert("preferredInputLayout".into(), limits.preferred_input_layout.as_str().into());
    members.insert("maxTensorByteLength".into(), limits.max_tensor_byte_length.into());
    members.insert("input".into(), tensor_limits(&limits.input));
    members.insert("constant".into(), tensor_limits(&limits.constant));
    members.insert("output".into(), tensor_limits(&limits.output));
    for (name, operands) in &limits.operators {
        let operands = operands.iter().map(|(operand, limits)| ((*operand).to_owned(), tensor_limits(limits)));
        members.insert((*name).to_owned(), Json::Object(operands.collect()));
    }
    Json::Object(members)
}

fn tensor_limits(limits: &MLTensorLimits) -> Json {
    let data_types: Vec<&str> = limits.data_types.iter().map(|data_type| data_type.as_str()).collect();
    let (min, max) = limits.rank_range;
    json!({ "dataTypes": data_types, "rankRange": { "min": min, "max": max } })
}
