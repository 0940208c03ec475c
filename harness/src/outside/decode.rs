//! From what an adapter answers to what was observed.

use std::collections::{BTreeMap, BTreeSet};

use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::exception::{Exception, ExceptionName};
use webnn_vectors::{DataType, Descriptor, Graph, Kind, Vector};

use super::messages::{Answer, SentException, SentResult, SentTensor};
use super::problem::{Problem, Trouble};
use crate::execute::{CallResult, Observation, Tensor};

/// How many characters of a message are kept.
const LONGEST_MESSAGE: usize = 10_000;

/// What an answer says was observed; or why it is no answer to a vector.
pub(super) fn observation(vector: &Vector, answer: Answer) -> Result<Observation, Problem> {
    Ok(match answer {
        Answer::Ready(_) => return Err(Problem::new(Trouble::Turn, "answered \"ready\" to a vector")),
        Answer::Result { outputs, .. } => Observation::Outputs(tensors(vector.graph(), outputs)?),
        Answer::Exception { exception: SentException { unsupported: Some(reason), .. }, .. }
            if expects_result(vector) && !reason.trim().is_empty() =>
        {
            Observation::Skipped(reason)
        }
        Answer::Exception { exception: sent, .. } => Observation::Threw(exception(&sent)?),
        Answer::Skipped { reason, .. } if reason.trim().is_empty() => {
            let why = "answered \"skipped\" without a `reason`: say what is not supported";
            return Err(Problem::new(Trouble::Plain, why));
        }
        Answer::Skipped { reason, issue, .. } => Observation::Skipped(shortened(match issue {
            Some(issue) => format!("{reason} ({issue})"),
            None => reason,
        })),
        Answer::Errored { message, details, .. } => Observation::Errored(shortened(match details {
            Some(details) => format!("{message}\n{details}"),
            None => message,
        })),
        Answer::Calls { results, .. } if let Some(reason) = unsupported_call(vector, &results) => {
            Observation::Skipped(reason)
        }
        Answer::Calls { results, .. } => {
            let results: Result<Vec<CallResult>, Problem> = results.into_iter().map(call_result).collect();
            Observation::Calls(results?)
        }
    })
}

/// A message, of which no more is kept than somebody reads.
fn shortened(message: String) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}\u{2026} ({} bytes in all)", &message[..end], message.len()),
        None => message,
    }
}

/// The outputs, in the order of the vector.
fn tensors(graph: Option<&Graph>, sent: BTreeMap<String, SentTensor>) -> Result<Vec<(String, Tensor)>, Problem> {
    let asked = graph.map(Graph::build_outputs).unwrap_or_default();
    let names = |names: BTreeSet<&str>| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let (expected, given): (BTreeSet<&str>, BTreeSet<&str>) =
        (asked.iter().copied().collect(), sent.keys().map(String::as_str).collect());
    if graph.is_some() && expected != given {
        let given = if given.is_empty() { "none".to_owned() } else { names(given) };
        let why = format!("the outputs are {}, and it answered with {given}", names(expected));
        return Err(Problem::new(Trouble::Outputs, why));
    }
    let mut outputs = Vec::new();
    for (name, sent) in sent {
        let tensor = tensor(sent).map_err(|why| Problem::new(Trouble::Content, format!("output {name:?}: {why}")))?;
        outputs.push((name, tensor));
    }
    outputs.sort_by_key(|(name, _)| asked.iter().position(|asked| asked == name));
    Ok(outputs)
}

fn expects_result(vector: &Vector) -> bool {
    matches!(vector.kind, Kind::Graph { .. })
}

/// Why the implementation does not support a call that has to succeed, if that is why it did not.
fn unsupported_call(vector: &Vector, results: &[SentResult]) -> Option<String> {
    let Kind::Scenario { steps } = &vector.kind else {
        return None;
    };
    steps.iter().zip(results).find_map(|(step, result)| match result {
        SentResult::Exception(sent) if step.throws.is_none() => {
            sent.unsupported.clone().filter(|reason| !reason.trim().is_empty())
        }
        _ => None,
    })
}

fn call_result(result: SentResult) -> Result<CallResult, Problem> {
    Ok(match result {
        SentResult::Done(_) => CallResult::Done,
        SentResult::Tensor(sent) => CallResult::Read(tensor(sent).map_err(|why| Problem::new(Trouble::Content, why))?),
        SentResult::Value(value) => CallResult::Value(value),
        SentResult::Exception(sent) => CallResult::Threw(exception(&sent)?),
    })
}

/// An exception, unless WebNN has none of this name.
fn exception(sent: &SentException) -> Result<Exception, Problem> {
    let name = ExceptionName::ALL.into_iter().find(|name| name.as_str() == sent.name);
    let name = name.ok_or_else(|| {
        let why = format!("threw {}, which WebNN never does: {}", sent.name, sent.message);
        Problem::new(Trouble::Exception, why)
    })?;
    Ok(Exception { name, message: shortened(sent.message.clone()), algorithm: "", step: "", label: String::new() })
}

/// The tensor that was sent.
///
/// # Errors
/// Why it is none.
pub(crate) fn tensor(sent: SentTensor) -> Result<Tensor, String> {
    let data_type = MLOperandDataType::from_name(&sent.data_type);
    let names = MLOperandDataType::ALL.map(MLOperandDataType::as_str);
    let unknown =
        || format!("{:?} is no data type of the specification, which has {}", sent.data_type, names.join(", "));
    let data_type = data_type.ok_or_else(unknown)?;
    let elements = sent.shape.iter().try_fold(1u64, |count, size| count.checked_mul((*size).into()));
    let expected = elements.and_then(|count| count.checked_mul(data_type.element_size()));
    let expected = expected.ok_or_else(|| format!("a tensor of shape {:?} is too large", sent.shape))?;
    let bytes = match (sent.bytes, sent.data) {
        (Some(elements), None) => elements.into_bytes()?,
        (None, Some(data)) => {
            let data_type: DataType =
                serde_json::from_value(sent.data_type.clone().into()).map_err(|error| error.to_string())?;
            let descriptor = Descriptor { data_type, shape: sent.shape.clone() };
            descriptor.bytes_of(&data).map_err(|error| error.to_string())?
        }
        (None, None) => return Err("it has neither `bytes` nor `data`".into()),
        (Some(_), Some(_)) => return Err("it has both `bytes` and `data`".into()),
    };
    if bytes.len() as u64 != expected {
        let (length, shape) = (bytes.len(), &sent.shape);
        return Err(format!("{length} bytes, but {data_type}{shape:?} has {expected}"));
    }
    Ok(Tensor { data_type, shape: sent.shape, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_between_characters_and_says_so() {
        assert_eq!(shortened("it broke".into()), "it broke");
        let cut = shortened("\u{e9}".repeat(20_000));
        assert!(cut.ends_with("\u{e9}\u{2026} (40000 bytes in all)") && cut.chars().count() < 10_100, "{}", cut.len());
    }
}
