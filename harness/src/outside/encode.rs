//! From a vector to what an adapter is sent of it: everything but what is expected.

use serde_json::{Map, Value as Json, json};
use webnn_reference::ops;
use webnn_vectors::{Graph, Input, Kind, Number, Operator, Step, Value, Vector};

use super::elements::Elements;
use super::messages::{SentGraph, SentInput, SentOperator, SentVector, Work};

/// What is sent of a vector.
///
/// # Errors
/// If the data of an input can not be laid out.
pub(super) fn vector(vector: &Vector) -> Result<SentVector, String> {
    let work = match &vector.kind {
        Kind::Graph { graph: of_vector, .. } | Kind::Negative { graph: of_vector, .. } => {
            Work::Graph(graph(of_vector)?)
        }
        Kind::Scenario { steps } => Work::Scenario(steps.iter().map(step).collect::<Result<_, _>>()?),
    };
    Ok(SentVector { id: vector.id.clone(), work })
}

fn graph(graph: &Graph) -> Result<SentGraph, String> {
    let mut inputs = indexmap::IndexMap::new();
    for (name, input) in &graph.inputs {
        inputs.insert(name.clone(), sent_input(input)?);
    }
    let mut operands: Vec<&str> = graph.inputs.keys().map(String::as_str).collect();
    let mut operators = Vec::new();
    for operator in &graph.operators {
        operators.push(sent_operator(operator, &operands));
        operands.extend(operator.outputs.as_slice().iter().map(String::as_str));
    }
    let outputs = graph.build_outputs().into_iter().map(str::to_owned).collect();
    Ok(SentGraph { inputs, operators, outputs })
}

fn sent_input(input: &Input) -> Result<SentInput, String> {
    let descriptor = &input.descriptor;
    // A constant too large to be made is refused before its data is looked at; there is none to send.
    let laid_out = descriptor.pattern_of(&input.data);
    let (pattern, times) =
        if input.constant { laid_out.unwrap_or_default() } else { laid_out.map_err(|e| e.to_string())? };
    Ok(SentInput {
        data_type: descriptor.data_type.name().to_owned(),
        shape: descriptor.shape.clone(),
        constant: input.constant,
        bytes: Elements::Bytes(pattern),
        times: times.max(1) as u64,
    })
}

/// The arguments by the names of the parameters that they are given for: a vector's own names are for the reader.
fn sent_operator(operator: &Operator, operands: &[&str]) -> SentOperator {
    let parameters = ops::operator(&operator.name).map_or(&[][..], |row| row.parameters);
    let mut of_parameters = parameters.iter().filter(|parameter| **parameter != "options");
    let mut arguments = Map::new();
    for argument in &operator.arguments {
        let own = argument.name.as_str();
        let name = if own == "options" { own } else { of_parameters.next().copied().unwrap_or(own) };
        arguments.insert(name.to_owned(), sent_value(name, &argument.value, operands));
    }
    let outputs = operator.outputs.as_slice().to_vec();
    SentOperator { name: operator.name.clone(), arguments, outputs }
}

/// A value; a string that names an operand is that operand, but for a label, which is itself.
fn sent_value(name: &str, value: &Value, operands: &[&str]) -> Json {
    match value {
        Value::String(text) if name != "label" && operands.contains(&text.as_str()) => json!({ "$operand": text }),
        Value::String(text) => match Number::from_text(text) {
            Some(_) if name == "label" => json!(text),
            Some(Number::Float(float)) => json!(Value::Number(Number::Float(float))),
            Some(Number::Integer(integer)) => json!({ "$bigint": integer.to_string() }),
            None => json!(text),
        },
        Value::List(items) => items.iter().map(|item| sent_value(name, item, operands)).collect(),
        Value::Object(members) => {
            let sent = members.iter().map(|(name, member)| (name.clone(), sent_value(name, member, operands)));
            Json::Object(sent.collect())
        }
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::BigInt(_) => json!(value),
    }
}

/// A call, without what it has to give.
fn step(step: &Step) -> Result<Json, String> {
    let asked = Step { throws: None, returns: None, note: None, ..step.clone() };
    let mut json = serde_json::to_value(&asked).map_err(|error| error.to_string())?;
    if step.throws.is_some()
        && let Some(members) = json.as_object_mut()
    {
        members.insert("throws".into(), Json::Bool(true));
    }
    Ok(json)
}
