//! The other side of the protocol: our own implementations as an adapter, for harnesses of others, for a device whose
//! driver may hang, and for the tests of this side.

use std::io::{BufRead, Write};

use half::f16;
use serde_json::{Value as Json, json};
use webnn_reference::number::Element;
use webnn_reference::steps::Reading;
use webnn_vectors::{
    Argument, Data, DataType, Descriptor, ExpectedOutput, Graph, Input, Kind, Names, Number, Operator, Step, Value,
    Vector,
};

use super::elements::Elements;
use super::messages::{
    Answer, Command, PROTOCOL, Ready, SentException, SentGraph, SentInput, SentOperator, SentResult, SentTensor,
    SentVector, Work,
};
use crate::execute::{CallResult, Executor, Observation, Tensor};
use crate::implementation::{Implementation, Start};

/// Answers the commands of a harness until it says stop, or its input ends.
///
/// # Errors
/// If the implementation does not start, a line is no command, or an answer can not be written.
pub(crate) fn serve(
    implementation: &Implementation,
    reading: Reading,
    commands: impl BufRead,
    mut answers: impl Write,
) -> Result<(), String> {
    let (executor, description) = implementation.start(&Start::new(reading))?;
    for line in commands.lines() {
        let line = line.map_err(|error| format!("standard input can not be read: {error}"))?;
        let command: Command = serde_json::from_str(&line).map_err(|error| format!("a line is no command: {error}"))?;
        let answer = match command {
            Command::Start { .. } => Answer::Ready(Box::new(Ready {
                protocol: PROTOCOL,
                name: description.name.clone(),
                version: description.version.clone(),
                language: Some("Rust".into()),
                homepage: None,
                issues: None,
                adapter: description.adapter.clone(),
                data_types: None,
                operators: None,
                scenarios: true,
                validation: true,
            })),
            Command::Run { seq, vector, .. } => answer(seq, *vector, &executor),
            Command::Stop { .. } => return Ok(()),
        };
        let text = serde_json::to_string(&answer).map_err(|error| error.to_string())?;
        let written = writeln!(answers, "{text}").and_then(|()| answers.flush());
        written.map_err(|error| format!("standard output can not be written: {error}"))?;
    }
    Ok(())
}

fn answer(seq: u64, sent: SentVector, executor: &Executor) -> Answer {
    let vector = match vector(sent) {
        Ok(vector) => vector,
        Err(problem) => return errored(seq, format!("the vector can not be read: {problem}")),
    };
    match executor.finish(executor.start(&vector)) {
        Observation::Outputs(outputs) => {
            let outputs = outputs.into_iter().map(|(name, tensor)| (name, sent_tensor(tensor))).collect();
            Answer::Result { seq, outputs }
        }
        Observation::Threw(exception) => Answer::Exception { seq, exception: sent_exception(&exception) },
        Observation::Skipped(reason) => Answer::Skipped { seq, reason, issue: None },
        Observation::Errored(problem) => errored(seq, problem),
        Observation::Calls(calls) => match calls.into_iter().map(sent_result).collect() {
            Ok(results) => Answer::Calls { seq, results },
            Err(problem) => errored(seq, problem),
        },
    }
}

fn errored(seq: u64, message: String) -> Answer {
    Answer::Errored { seq, message, details: None }
}

fn sent_tensor(tensor: Tensor) -> SentTensor {
    SentTensor {
        data_type: tensor.data_type.as_str().to_owned(),
        shape: tensor.shape,
        bytes: Some(Elements::Bytes(tensor.bytes)),
        data: None,
    }
}

fn sent_exception(exception: &webnn_reference::exception::Exception) -> SentException {
    SentException { name: exception.name.as_str().to_owned(), message: exception.to_string(), unsupported: None }
}

fn sent_result(result: CallResult) -> Result<SentResult, String> {
    Ok(match result {
        CallResult::Done => SentResult::Done(true),
        CallResult::Read(tensor) => SentResult::Tensor(sent_tensor(tensor)),
        CallResult::Value(value) => SentResult::Value(value),
        CallResult::Threw(exception) => SentResult::Exception(sent_exception(&exception)),
        CallResult::Invalid(problem) => return Err(problem),
    })
}

/// The vector that was sent, without anything that is expected of it.
fn vector(sent: SentVector) -> Result<Vector, String> {
    let kind = match sent.work {
        Work::Graph(sent) => Kind::Graph { graph: graph(sent)?, tolerance: None },
        Work::Scenario(steps) => Kind::Scenario { steps: steps.into_iter().map(step).collect::<Result<_, _>>()? },
    };
    Ok(Vector {
        name: sent.id.clone(),
        id: sent.id,
        index: 0,
        source: None,
        note: None,
        implementation_defined: None,
        literal: None,
        required: None,
        kind,
    })
}

fn graph(sent: SentGraph) -> Result<Graph, String> {
    let inputs = sent.inputs.into_iter().map(|(name, sent)| Ok((name, input(sent)?)));
    let operators = sent.operators.into_iter().map(operator);
    // Only the names of outputs are looked at.
    let descriptor = Descriptor { data_type: DataType::Float32, shape: vec![] };
    let output = ExpectedOutput { descriptor, tolerance: None, data: Data::Fill(Number::Integer(0)) };
    Ok(Graph {
        inputs: inputs.collect::<Result<_, String>>()?,
        operators: operators.collect::<Result<_, _>>()?,
        expected_outputs: sent.outputs.into_iter().map(|name| (name, output.clone())).collect(),
    })
}

fn input(sent: SentInput) -> Result<Input, String> {
    let data_type: DataType =
        serde_json::from_value(sent.data_type.into()).map_err(|error| format!("dataType: {error}"))?;
    let bytes = sent.bytes.into_bytes()?;
    let pattern = numbers(data_type, &bytes)?;
    let data = match sent.times {
        1 => Data::List(pattern),
        times => Data::Repeat { pattern, times },
    };
    let descriptor = Descriptor { data_type, shape: sent.shape };
    Ok(Input { descriptor, constant: sent.constant, data })
}

/// The elements as numbers, exactly.
fn numbers(data_type: DataType, bytes: &[u8]) -> Result<Vec<Number>, String> {
    fn floats<T: Element + Into<f64>>(bytes: &[u8]) -> Vec<Number> {
        T::read(bytes).map(|element| Number::Float(element.into())).collect()
    }
    fn integers<T: Element + Into<i128>>(bytes: &[u8]) -> Vec<Number> {
        T::read(bytes).map(|element| Number::Integer(element.into())).collect()
    }
    Ok(match data_type {
        DataType::Float32 => floats::<f32>(bytes),
        DataType::Float16 => floats::<f16>(bytes),
        DataType::Int32 => integers::<i32>(bytes),
        DataType::Uint32 => integers::<u32>(bytes),
        DataType::Int64 => integers::<i64>(bytes),
        DataType::Uint64 => integers::<u64>(bytes),
        DataType::Int8 => integers::<i8>(bytes),
        DataType::Uint8 => integers::<u8>(bytes),
        DataType::Int4 | DataType::Uint4 => return Err("the specification has no 4-bit integers".into()),
    })
}

fn operator(sent: SentOperator) -> Result<Operator, String> {
    let argument = |(name, sent): (String, Json)| Ok(Argument { name, value: value(sent)? });
    Ok(Operator {
        name: sent.name,
        arguments: sent.arguments.into_iter().map(argument).collect::<Result<_, String>>()?,
        outputs: Names::Several(sent.outputs),
    })
}

/// A value of a call; an operand is its name.
fn value(sent: Json) -> Result<Value, String> {
    match sent {
        Json::Object(members) if members.len() == 1 && members.contains_key("$operand") => {
            let name = members.get("$operand").and_then(Json::as_str).ok_or("$operand takes a name")?;
            Ok(Value::String(name.to_owned()))
        }
        Json::Object(members) if members.keys().any(|name| name.starts_with('$')) => {
            serde_json::from_value(Json::Object(members)).map_err(|error| error.to_string())
        }
        Json::Object(members) => {
            let members = members.into_iter().map(|(name, member)| Ok((name, value(member)?)));
            Ok(Value::Object(members.collect::<Result<_, String>>()?))
        }
        Json::Array(items) => Ok(Value::List(items.into_iter().map(value).collect::<Result<_, _>>()?)),
        other => serde_json::from_value(other).map_err(|error| error.to_string()),
    }
}

/// A call. Of an exception only that there has to be one was sent.
fn step(mut sent: Json) -> Result<Step, String> {
    if let Some(throws) = sent.get_mut("throws") {
        *throws = json!({ "name": "TypeError" });
    }
    serde_json::from_value(sent).map_err(|error| error.to_string())
}
