//! Judges the calls of a scenario.

use webnn_vectors::{Returns, Step, Value};

use super::{Failure, Judged, Nearness, expected, tensor_outcome, throws_outcome};
use crate::execute::CallResult;

/// Judges what each call gave, in order.
pub(super) fn outcome(steps: &[Step], calls: &[CallResult], is_ours: bool) -> Judged {
    let mut numbers = None;
    for (index, step) in steps.iter().enumerate() {
        let one = match calls.get(index) {
            Some(result) => call_outcome(step, result, is_ours),
            None => Err(Failure::Exception { expected: "the call to be made".into(), actual: "it was not".into() }),
        };
        match one {
            Ok(of_it) => numbers = Nearness::of_both(numbers, of_it),
            Err(failure) => {
                return Err(Failure::Call { step: index, call: call_text(step), failure: Box::new(failure) });
            }
        }
    }
    Ok(numbers)
}

/// A call as a person would write it.
fn call_text(step: &Step) -> String {
    match &step.on {
        Some(on) => format!("{on}.{}()", step.call),
        None => format!("{}()", step.call),
    }
}

fn call_outcome(step: &Step, result: &CallResult, is_ours: bool) -> Judged {
    match (&step.throws, result) {
        (_, CallResult::Invalid(problem)) => {
            Err(Failure::Exception { expected: "a call that can be made".into(), actual: problem.clone() })
        }
        (Some(throws), CallResult::Threw(exception)) => throws_outcome(throws, exception, is_ours),
        (Some(throws), CallResult::Done | CallResult::Read(_) | CallResult::Value(_)) => {
            Err(Failure::Exception { expected: expected(throws), actual: "no exception".into() })
        }
        (None, CallResult::Threw(exception)) => {
            Err(Failure::Exception { expected: "no exception".into(), actual: exception.to_string() })
        }
        (None, CallResult::Done | CallResult::Read(_) | CallResult::Value(_)) => match &step.returns {
            Some(returns) => returns_outcome(returns, result),
            None => Ok(None),
        },
    }
}

fn returns_outcome(returns: &Returns, result: &CallResult) -> Judged {
    match (returns, result) {
        (Returns { descriptor: Some(descriptor), data: Some(data), tolerance, .. }, CallResult::Read(tensor)) => {
            let tolerance = tolerance.unwrap_or(webnn_vectors::Tolerance::EXACT);
            tensor_outcome("result", descriptor, data, tolerance, tensor)
        }
        (Returns { value: Some(expected), .. }, CallResult::Value(actual)) if covers(expected, actual) => Ok(None),
        (Returns { value: Some(expected), .. }, CallResult::Value(actual)) => {
            Err(Failure::Exception { expected: text(expected), actual: text(actual) })
        }
        (_, other) => Err(Failure::Exception {
            expected: "a result of the kind that the vector names".into(),
            actual: format!("{other:?}"),
        }),
    }
}

fn text(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}

/// Whether a value is as expected, where an object may have members that are not named.
fn covers(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().all(|(name, member)| actual.get(name).is_some_and(|found| covers(member, found)))
        }
        (Value::List(expected), Value::List(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(a, b)| covers(a, b))
        }
        (expected, actual) => expected == actual,
    }
}
