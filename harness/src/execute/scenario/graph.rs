//! The calls on a graph.

use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::graph::MLGraph;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_vectors::{Number, Value};

use super::arguments::Arguments;
use super::{Called, Object, Pending, done, object};
use crate::execute::memory;

pub(super) fn call(graph: &MLGraph, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "setConstantData" => {
            let options = MLConstantDataOptions { byte_offset: arguments.bytes_number("byteOffset")? };
            let promise = graph.set_constant_data(arguments.operand("constant")?, &arguments.constant_data()?, options);
            Ok(Object::Promise(Pending::Undefined(promise)))
        }
        "offload" => {
            let options = memory::offload_options(arguments.value("to").and_then(Value::as_str))?;
            Ok(Object::Promise(Pending::Undefined(graph.offload(options))))
        }
        "reload" => Ok(Object::Promise(Pending::Undefined(graph.reload()))),
        "pinned" => Ok(Object::Value(Value::Boolean(graph.pinned()))),
        "setPinned" => {
            memory::set_pinned(graph, arguments.value("pinned").and_then(Value::as_bool))?;
            done(Ok(()))
        }
        "destroy" => {
            graph.destroy();
            done(Ok(()))
        }
        "inputs" => Ok(Object::Value(descriptors(graph.inputs().clone()))),
        "outputs" => Ok(Object::Value(descriptors(graph.outputs().clone()))),
        "constants" => match arguments.value("name") {
            None => {
                let constants = graph.constants().into_iter();
                Ok(Object::Value(descriptors(constants.map(|(name, operand)| (name, operand.descriptor())))))
            }
            Some(_) => {
                let name = arguments.name("name")?;
                let found = graph.constants().into_iter().find(|(known, _)| known == name);
                let (_, operand) = found.ok_or_else(|| format!("the graph has no constant `{name}`"))?;
                Ok(Object::Operand(operand))
            }
        },
        other => Err(format!("a graph has no method `{other}`").into()),
    }
}

/// Descriptors by name, as script sees them.
fn descriptors(named: impl IntoIterator<Item = (String, MLOperandDescriptor)>) -> Value {
    let integer = |dimension: u32| Value::Number(Number::Integer(i128::from(dimension)));
    let members = named.into_iter().map(|(name, descriptor)| {
        let shape = Value::List(descriptor.shape.into_iter().map(integer).collect());
        let data_type = Value::String(descriptor.data_type.as_str().into());
        (name, object([("dataType", data_type), ("shape", shape)]))
    });
    Value::Object(members.collect())
}
