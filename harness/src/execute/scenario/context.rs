//! The calls on a context.

use std::rc::Rc;

use webnn_reference::context::MLContext;
use webnn_reference::limits::{MLOpSupportLimits, MLTensorLimits};
use webnn_reference::proposals::graph_cache::GraphStore;
use webnn_reference::proposals::interop::MLExportableTensorOptions;
use webnn_reference::webgpu::GPUBufferUsage;
use webnn_vectors::{Number, Value};

use super::arguments::Arguments;
use super::{Called, Object, Pending, done, object};
use crate::execute::storage::{Spoilt, State};
use crate::execute::{convert, memory};

pub(super) fn call(context: &MLContext, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "createTensor" => {
            let descriptor = convert::tensor_descriptor_argument(arguments.value("descriptor"))?;
            Ok(Object::Promise(Pending::Tensor(context.create_tensor(&descriptor))))
        }
        "createExportableTensor" => {
            let descriptor = convert::tensor_descriptor_argument(arguments.value("descriptor"))?;
            let mut options = MLExportableTensorOptions::default();
            if let Some(usage) = arguments.value("usage") {
                let usage = usage.as_u64().and_then(|usage| u32::try_from(usage).ok());
                options.usage = GPUBufferUsage(usage.ok_or("`usage` has to be in the range of an unsigned long")?);
            }
            let promise = context.create_exportable_tensor(&descriptor, arguments.device()?, options);
            Ok(Object::Promise(Pending::Tensor(promise)))
        }
        "exportToGPU" => Ok(Object::Exported(context.export_to_gpu(arguments.tensor("tensor")?)?)),
        "createConstantTensor" if arguments.value("tensor").is_some() => {
            let promise = context.create_constant_tensor_from(arguments.tensor("tensor")?);
            Ok(Object::Promise(Pending::Tensor(promise)))
        }
        "createConstantTensor" => {
            let descriptor = arguments.descriptor()?;
            let data = arguments.buffer("inputData")?;
            Ok(Object::Promise(Pending::Tensor(context.create_constant_tensor(&descriptor, &data))))
        }
        "readTensor" => {
            let tensor = arguments.tensor("tensor")?;
            Ok(Object::Promise(match arguments.value("outputData") {
                None => Pending::Read(tensor.clone(), context.read_tensor(tensor)),
                Some(_) => Pending::Undefined(context.read_tensor_into(tensor, &arguments.buffer("outputData")?)),
            }))
        }
        "writeTensor" => done(context.write_tensor(arguments.tensor("tensor")?, &arguments.buffer("inputData")?)),
        "dispatch" => done(context.dispatch(
            arguments.graph("graph")?,
            &arguments.tensors("inputs")?,
            &arguments.tensors("outputs")?,
        )),
        "destroy" => {
            context.destroy();
            done(Ok(()))
        }
        "lose" => {
            context.lose(arguments.name("message").unwrap_or("lost by the scenario"));
            done(Ok(()))
        }
        "pump" => {
            match arguments.value("steps").map(|steps| (steps, steps.as_u64())) {
                Some((_, Some(steps))) => drop(context.pump(usize::try_from(steps).unwrap_or(usize::MAX))),
                Some(_) => return Err("`steps` is a number of steps, 0 or more".to_owned().into()),
                None => context.global().run_until_idle(),
            }
            done(Ok(()))
        }
        "setMemoryBudget" => {
            let bytes = match arguments.value("bytes") {
                Some(Value::Null) => None,
                _ => Some(arguments.bytes_number("bytes")?.ok_or("`bytes` has to be a number of bytes, or null")?),
            };
            Ok(Object::Promise(Pending::Undefined(context.set_memory_budget(bytes))))
        }
        "ledger" => {
            let figure = memory::figure(context, arguments.name("figure")?)?;
            Ok(Object::Value(Value::Number(Number::Integer(i128::from(figure)))))
        }
        "lost" => match context.lost() {
            Some(promise) => Ok(Object::Promise(Pending::Lost(promise))),
            None => Ok(Object::Value(Value::Null)),
        },
        "opSupportLimits" => Ok(Object::Value(support_limits(&context.op_support_limits()))),
        "listGraphs" => Ok(Object::Promise(Pending::Keys(context.list_graphs()))),
        "loadGraph" => Ok(Object::Promise(Pending::Graph(context.load_graph(arguments.name("key")?)))),
        "saveGraph" => {
            let constants = match arguments.value("constants") {
                None => vec![],
                Some(_) => arguments.operands("constants")?,
            };
            let promise = context.save_graph(arguments.name("key")?, arguments.graph("graph")?, &constants);
            Ok(Object::Promise(Pending::Undefined(promise)))
        }
        "deleteGraph" => Ok(Object::Promise(Pending::Undefined(context.delete_graph(arguments.name("key")?)))),
        "spoilGraph" => {
            let how = Spoilt::from_name(arguments.name("how")?)?;
            arguments.scenario.store.spoil(arguments.name("key")?, how)?;
            done(Ok(()))
        }
        "storage" => {
            let state = State::from_name(arguments.name("state")?)?;
            arguments.scenario.store.set(state);
            let store = Rc::clone(&arguments.scenario.store);
            context.global().keep_graphs_in((state != State::Denied).then_some(store as Rc<dyn GraphStore>));
            done(Ok(()))
        }
        other => Err(format!("a context has no method `{other}`").into()),
    }
}

fn support_limits(limits: &MLOpSupportLimits) -> Value {
    let mut members = vec![
        ("preferredInputLayout".to_owned(), Value::String(limits.preferred_input_layout.as_str().into())),
        ("maxTensorByteLength".to_owned(), Value::Number(Number::Integer(i128::from(limits.max_tensor_byte_length)))),
        ("input".to_owned(), tensor_limits(&limits.input)),
        ("constant".to_owned(), tensor_limits(&limits.constant)),
        ("output".to_owned(), tensor_limits(&limits.output)),
    ];
    for (name, operands) in &limits.operators {
        let operands = operands.iter().map(|(operand, limits)| ((*operand).to_owned(), tensor_limits(limits)));
        members.push(((*name).to_owned(), Value::Object(operands.collect())));
    }
    Value::Object(members.into_iter().collect())
}

fn tensor_limits(limits: &MLTensorLimits) -> Value {
    let rank = |rank: usize| Value::Number(Number::Integer(i128::try_from(rank).unwrap_or(i128::MAX)));
    object([
        ("dataTypes", Value::List(limits.data_types.iter().map(|name| Value::String(name.as_str().into())).collect())),
        ("rankRange", object([("min", rank(limits.rank_range.0)), ("max", rank(limits.rank_range.1))])),
    ])
}
