//! What an adapter says that it supports: the names that it gives, and what of a vector is beyond them.

use std::collections::BTreeSet;

use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::ops::OPERATORS;
use webnn_vectors::{Data, DataType, Graph, Input, Kind, Number, Operator, Value, Vector};

use super::messages::Ready;
use crate::execute::rehearsal::Rehearsal;
use crate::nearest::nearest;

/// Checks that the lists of `ready` have names of WebNN only: a misspelt one would leave its vectors out without a word.
///
/// # Errors
/// Those that are none, each with the name that is nearest.
pub(super) fn ensure_names_are_known(ready: &Ready) -> Result<(), String> {
    let data_types: Vec<&str> = MLOperandDataType::ALL.into_iter().map(MLOperandDataType::as_str).collect();
    let operators: Vec<&str> = OPERATORS.iter().map(|row| row.name).collect();
    let unknown_types = unknown(ready.data_types.as_deref(), &data_types, "data type");
    let unknown_operators = unknown(ready.operators.as_deref(), &operators, "operator");
    let mut problems = unknown_types.clone();
    if !unknown_types.is_empty() {
        problems.push(format!("the data types are {}", data_types.join(", ")));
    }
    problems.extend(unknown_operators.iter().cloned());
    if !unknown_operators.is_empty() {
        problems.push("`webnn list operators` shows all".into());
    }
    if problems.is_empty() { Ok(()) } else { Err(format!("in `ready`, {}", problems.join("; "))) }
}

fn unknown(given: Option<&[String]>, known: &[&str], what: &str) -> Vec<String> {
    // Vectors of older specifications have more data types, and an adapter may have them too.
    let is_known = |name: &str| known.contains(&name) || (what == "data type" && DataType::from_name(name).is_some());
    let unknown = given.unwrap_or_default().iter().filter(|name| !is_known(name));
    unknown
        .map(|name| match nearest(name, known) {
            Some(nearest) => format!("{name:?} is no {what} of WebNN (did you mean {nearest:?}?)"),
            None => format!("{name:?} is no {what} of WebNN"),
        })
        .collect()
}

/// What an adapter said that it does not support, of what a vector needs.
pub(super) fn missing(ready: &Ready, vector: &Vector) -> Option<String> {
    let graph = match &vector.kind {
        Kind::Negative { .. } if !ready.validation => {
            return Some("validation is WebNN's own, and the implementation behind the adapter has none".into());
        }
        Kind::Graph { graph, .. } | Kind::Negative { graph, .. } => graph,
        Kind::Scenario { .. } if ready.scenarios => return None,
        Kind::Scenario { .. } => return Some("the adapter does not run scenarios".into()),
    };
    let of_inputs: BTreeSet<&'static str> =
        graph.inputs.values().map(|input| input.descriptor.data_type.name()).collect();
    if let Some(name) = of_inputs.iter().find(|name| MLOperandDataType::from_name(name).is_none()) {
        return Some(format!("{name} is not a data type of the specification"));
    }
    if let Some(supported) = &ready.operators
        && let Some(operator) = graph.operators.iter().find(|operator| !supported.contains(&operator.name))
    {
        return Some(format!("{} is not supported", operator.name));
    }
    let supported = ready.data_types.as_ref()?;
    let missing = |names: BTreeSet<&'static str>| {
        names.into_iter().find(|name| !supported.iter().any(|supported| supported == name))
    };
    // What is given comes first: it is what a reader sees.
    let asked = || graph.operators.iter().flat_map(|operator| asked_for(operator, graph)).collect();
    // Operators make no other types than the specification has.
    let has_all = MLOperandDataType::ALL.into_iter().all(|own| supported.iter().any(|name| name == own.as_str()));
    let made = || if has_all { BTreeSet::new() } else { made(graph) };
    let missing = missing(of_inputs).or_else(|| missing(asked())).or_else(|| missing(made()));
    missing.map(|name| format!("{name} is not supported"))
}

/// The data types of what the operators of a graph make: up to the call that is refused, if one is.
fn made(graph: &Graph) -> BTreeSet<&'static str> {
    let mut made = BTreeSet::new();
    let mut rehearsal = Rehearsal::new();
    let is_made = graph.inputs.iter().try_for_each(|(name, input)| {
        // What it has is of no interest.
        let data = Data::Fill(Number::Integer(0));
        rehearsal.input(name, &Input { descriptor: input.descriptor.clone(), constant: false, data })
    });
    if is_made.is_err() {
        return made;
    }
    for operator in &graph.operators {
        let Ok(outputs) = rehearsal.operator(operator) else {
            break;
        };
        made.extend(outputs.iter().map(|output| output.data_type.name()));
        rehearsal.name_outputs(operator.outputs.as_slice());
    }
    made
}

/// The data types among the arguments and options of a call.
fn asked_for(operator: &Operator, graph: &Graph) -> Vec<&'static str> {
    let outputs = || graph.operators.iter().flat_map(|operator| operator.outputs.as_slice());
    let is_operand = |text: &str| graph.inputs.contains_key(text) || outputs().any(|name| name == text);
    let options = operator.argument("options").and_then(Value::as_object).into_iter().flatten();
    let options = options.filter(|(name, _)| name.as_str() != "label").map(|(_, value)| value);
    let values = operator.arguments.iter().map(|argument| &argument.value).chain(options);
    let texts = values.filter_map(Value::as_str).filter(|text| !is_operand(text));
    texts.filter_map(DataType::from_name).map(DataType::name).collect()
}
