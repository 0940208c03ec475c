//! From what an adapter answers to what was observed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::exception::{Exception, ExceptionName};
use webnn_vectors::{DataType, Descriptor, Kind, Vector};

use super::messages::{Answer, SentException, SentResult, SentTensor};
use crate::execute::{CallResult, Observation, Tensor};

/// What an answer says was observed; or why it is no answer to a vector.
pub(super) fn observation(vector: &Vector, answer: Answer) -> Result<Observation, String> {
    Ok(match answer {
        Answer::Ready(_) => return Err("answered \"ready\" to a vector".into()),
        Answer::Result { outputs: sent, .. } => {
            // In the order of the vector; what it does not ask for comes last.
            let asked = vector.graph().map(webnn_vectors::Graph::build_outputs).unwrap_or_default();
            let place = |name: &str| asked.iter().position(|asked| *asked == name).unwrap_or(asked.len());
            let mut outputs = Vec::new();
            for (name, sent) in sent {
                let tensor = tensor(&sent).map_err(|problem| format!("output {name:?}: {problem}"))?;
                outputs.push((name, tensor));
            }
            outputs.sort_by_key(|(name, _)| place(name));
            Observation::Outputs(outputs)
        }
        Answer::Exception { exception: SentException { unsupported: Some(reason), .. }, .. }
            if expects_result(vector) =>
        {
            Observation::Skipped(reason)
        }
        Answer::Exception { exception: sent, .. } => match exception(&sent) {
            Some(exception) => Observation::Threw(exception),
            None => Observation::Errored(unknown(&sent)),
        },
        Answer::Skipped { reason, issue, .. } => Observation::Skipped(match issue {
            Some(issue) => format!("{reason} ({issue})"),
            None => reason,
        }),
        Answer::Errored { message, details, .. } => Observation::Errored(match details {
            Some(details) => format!("{message}\n{details}"),
            None => message,
        }),
        Answer::Calls { results, .. } if let Some(reason) = unsupported_call(vector, &results) => {
            Observation::Skipped(reason)
        }
        Answer::Calls { results, .. } => {
            let results: Result<Vec<CallResult>, String> = results.into_iter().map(call_result).collect();
            Observation::Calls(results?)
        }
    })
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
        SentResult::Exception(sent) if step.throws.is_none() => sent.unsupported.clone(),
        _ => None,
    })
}

fn call_result(result: SentResult) -> Result<CallResult, String> {
    Ok(match result {
        SentResult::Done(_) => CallResult::Done,
        SentResult::Tensor(sent) => CallResult::Read(tensor(&sent)?),
        SentResult::Value(value) => CallResult::Value(value),
        SentResult::Exception(sent) => CallResult::Threw(exception(&sent).ok_or_else(|| unknown(&sent))?),
    })
}

/// An exception, unless WebNN has none of this name.
fn exception(sent: &SentException) -> Option<Exception> {
    let name = ExceptionName::ALL.into_iter().find(|name| name.as_str() == sent.name)?;
    Some(Exception { name, message: sent.message.clone(), algorithm: "", step: "", label: String::new() })
}

fn unknown(sent: &SentException) -> String {
    format!("threw {}, which WebNN never does: {}", sent.name, sent.message)
}

fn tensor(sent: &SentTensor) -> Result<Tensor, String> {
    let data_type = MLOperandDataType::from_name(&sent.data_type);
    let data_type = data_type.ok_or_else(|| format!("{:?} is no data type of the specification", sent.data_type))?;
    let elements = sent.shape.iter().try_fold(1u64, |count, size| count.checked_mul((*size).into()));
    let expected = elements.and_then(|count| count.checked_mul(data_type.element_size()));
    let expected = expected.ok_or_else(|| format!("a tensor of shape {:?} is too large", sent.shape))?;
    let bytes = match (&sent.bytes, &sent.data) {
        (Some(text), None) => STANDARD.decode(text).map_err(|error| format!("its bytes are no base64: {error}"))?,
        (None, Some(data)) => {
            let data_type: DataType =
                serde_json::from_value(sent.data_type.clone().into()).map_err(|error| error.to_string())?;
            let descriptor = Descriptor { data_type, shape: sent.shape.clone() };
            descriptor.bytes_of(data).map_err(|error| error.to_string())?
        }
        (None, None) => return Err("it has neither bytes nor data".into()),
        (Some(_), Some(_)) => return Err("it has both bytes and data".into()),
    };
    if bytes.len() as u64 != expected {
        let (length, shape) = (bytes.len(), &sent.shape);
        return Err(format!("{length} bytes, but {data_type}{shape:?} has {expected}"));
    }
    Ok(Tensor { data_type, shape: sent.shape.clone(), bytes })
}
