//! What a scenario has to satisfy beyond its form: calls that exist, on objects that exist.

use std::collections::HashSet;

use crate::check::{Found, IsOperator, check_tolerance, tensor};
use crate::data::Data;
use crate::error::Problem;
use crate::pointer::pointer;
use crate::scenario::{BufferSource, FREE_CALLS, OBJECT_CALLS, Step};
use crate::value::Value;

/// The parameters whose string is the name of an object of the scenario.
const OBJECT_PARAMETERS: [&str; 9] =
    ["context", "graph", "tensor", "promise", "constant", "buffer", "inputData", "outputData", "gpuDevice"];

/// Checks the steps in order.
pub(crate) fn steps(steps: &[Step], is_operator: Option<IsOperator<'_>>) -> Result<(), Found> {
    if steps.is_empty() {
        return Err((pointer(["scenario"]), Problem::Step("the scenario has no steps; add one".to_owned())));
    }
    let mut known = HashSet::new();
    for (index, step) in steps.iter().enumerate() {
        let at_step = |(place, problem): Found| (format!("/scenario/{index}{place}"), problem);
        call(step, is_operator).map_err(at_step)?;
        objects(step, &known).map_err(at_step)?;
        arguments(step).map_err(at_step)?;
        result(step).map_err(at_step)?;
        for name in step.binding.iter().flat_map(crate::graph::Names::as_slice) {
            if !known.insert(name.as_str()) {
                return Err(at_step((pointer(["let"]), Problem::DuplicateName(name.clone()))));
            }
        }
    }
    Ok(())
}

fn call(step: &Step, is_operator: Option<IsOperator<'_>>) -> Result<(), Found> {
    let call = step.call.as_str();
    let free = FREE_CALLS.contains(&call);
    if is_operator.is_some_and(|is_operator| !free && !OBJECT_CALLS.contains(&call) && !is_operator(call)) {
        return Err((pointer(["call"]), Problem::UnknownCall(step.call.clone())));
    }
    match (&step.on, free) {
        (Some(_), true) => Err((pointer(["on"]), Problem::Step(format!("`{call}` is called on nothing; drop `on`")))),
        (None, false) => {
            Err((String::new(), Problem::Step(format!("`{call}` needs `on`: the object it is called on"))))
        }
        _ => Ok(()),
    }
}

fn objects(step: &Step, known: &HashSet<&str>) -> Result<(), Found> {
    let check = |name: &str, place: &dyn Fn() -> String| {
        if known.contains(name) { Ok(()) } else { Err((place(), Problem::UnknownObject(name.to_owned()))) }
    };
    if let Some(on) = &step.on {
        check(on, &|| pointer(["on"]))?;
    }
    for parameter in OBJECT_PARAMETERS {
        if let Some(Value::String(name)) = step.arguments.get(parameter) {
            check(name, &|| pointer(["arguments", parameter]))?;
        }
    }
    if !["dispatch", "build", "saveGraph"].contains(&step.call.as_str()) {
        return Ok(());
    }
    // Their dictionaries take objects by name.
    for parameter in ["inputs", "outputs", "constants"] {
        for (key, value) in step.arguments.get(parameter).and_then(Value::as_object).into_iter().flatten() {
            if let Value::String(name) = value {
                check(name, &|| pointer(["arguments", parameter, key]))?;
            }
        }
    }
    Ok(())
}

/// The arguments of every call but the operators', whose parameters are the specification's.
const PARAMETERS: &[(&str, &[&str])] = &[
    ("createContext", &["accelerated", "gpuDevice", "powerPreference"]),
    ("MLGraphBuilder", &["context"]),
    ("buffer", &["data", "dataType", "length", "view"]),
    ("blob", &["bytes"]),
    ("stream", &["bytes", "chunk", "failsAt"]),
    ("await", &["promise"]),
    ("requestDevice", &[]),
    ("createTensor", &["descriptor"]),
    ("createConstantTensor", &["descriptor", "inputData", "tensor"]),
    ("readTensor", &["outputData", "tensor"]),
    ("writeTensor", &["inputData", "tensor"]),
    ("dispatch", &["graph", "inputs", "outputs"]),
    ("destroy", &[]),
    ("lose", &["message"]),
    ("pump", &["steps"]),
    ("opSupportLimits", &[]),
    ("lost", &[]),
    ("input", &["descriptor", "name"]),
    ("constant", &["buffer", "dataType", "descriptor", "tensor", "value"]),
    ("build", &["outputs"]),
    ("setConstantData", &["byteOffset", "constant", "data"]),
    ("offload", &["to"]),
    ("reload", &[]),
    ("setPinned", &["pinned"]),
    ("pinned", &[]),
    ("setMemoryBudget", &["bytes"]),
    ("ledger", &["figure"]),
    ("vanish", &[]),
    ("truncate", &["bytes"]),
    ("reappear", &[]),
    ("fill", &["data"]),
    ("detach", &[]),
    ("createExportableTensor", &["descriptor", "gpuDevice", "usage"]),
    ("exportToGPU", &["tensor"]),
    ("writeBuffer", &["buffer", "bufferOffset", "data"]),
    ("readBuffer", &["buffer", "descriptor"]),
    ("listGraphs", &[]),
    ("loadGraph", &["key"]),
    ("saveGraph", &["constants", "graph", "key"]),
    ("deleteGraph", &["key"]),
    ("spoilGraph", &["how", "key"]),
    ("storage", &["state"]),
    ("inputs", &[]),
    ("outputs", &[]),
    ("constants", &["name"]),
];

/// Arguments have names of the call's, data and buffer sources can be read.
fn arguments(step: &Step) -> Result<(), Found> {
    let parameters = PARAMETERS.iter().find(|(call, _)| *call == step.call);
    if let Some((call, parameters)) = parameters
        && let Some(unknown) = step.arguments.keys().find(|name| !parameters.contains(&name.as_str()))
    {
        let known = if parameters.is_empty() { "it has none".to_owned() } else { format!("it has {parameters:?}") };
        let problem = format!("`{call}` has no argument `{unknown}`; {known}");
        return Err((pointer(["arguments", unknown]), Problem::Step(problem)));
    }
    if step.call == "buffer" {
        return BufferSource::from_members(&step.arguments)
            .map(drop)
            .map_err(|message| (pointer(["arguments"]), Problem::Step(message)));
    }
    for (name, value) in &step.arguments {
        let read = match value {
            Value::Object(members) if members.contains_key("view") => BufferSource::from_members(members).map(drop),
            data if step.call == "fill" && name == "data" => Data::from_value(data).map(drop),
            _ => Ok(()),
        };
        read.map_err(|message| (pointer(["arguments", name]), Problem::Step(message)))?;
    }
    Ok(())
}

/// `throws`, `returns` and `pending` fit together.
fn result(step: &Step) -> Result<(), Found> {
    let Some(returns) = &step.returns else {
        return Ok(());
    };
    let wrong = |message: &str| Err((pointer(["returns"]), Problem::Step(message.to_owned())));
    if step.throws.is_some() {
        return wrong("a call that throws returns nothing; drop `throws` or `returns`");
    }
    if step.pending {
        return wrong("a pending call has no result yet; put `returns` on the step that awaits it");
    }
    check_tolerance(returns.tolerance.as_ref(), || pointer(["returns", "tolerance"]))?;
    match (&returns.descriptor, &returns.data, &returns.value) {
        (Some(descriptor), Some(data), None) => tensor(descriptor, data, false, |member| pointer(["returns", member])),
        (None, None, Some(_)) => Ok(()),
        _ => wrong("`returns` is either a `descriptor` with `data`, or a `value`"),
    }
}
