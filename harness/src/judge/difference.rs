//! Where an implementation gives something else for a graph than the interpreter and its bound allow.

use webnn_reference::derived_bound::Ranges;
use webnn_vectors::{Data, MetricType, Tolerance};

use super::bound::{Verdict, verdicts};
use super::distance::texts;
use crate::execute::bounds::BoundedTensor;
use crate::execute::{Observation, Tensor};

/// How an implementation differs from the interpreter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Difference {
    /// An element is outside its bound.
    Element { output: String, index: usize, expected: String, actual: String, bound: String },
    /// An output has another type or shape, or is missing.
    Descriptor { output: String, expected: String, actual: String },
    /// It throws where the interpreter does not.
    Threw(String),
    /// It panics, crashes or hangs.
    Errored(String),
    /// The interpreter itself gives nothing.
    Interpreter(String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Element { output, index, expected, actual, bound } => {
                write!(f, "output {output:?} at index {index}: expected {expected} ({bound}), got {actual}")
            }
            Self::Descriptor { output, expected, actual } => {
                write!(f, "output {output:?}: expected {expected}, got {actual}")
            }
            Self::Threw(exception) => write!(f, "threw {exception}"),
            Self::Errored(problem) => write!(f, "errored: {problem}"),
            Self::Interpreter(problem) => write!(f, "the interpreter gives nothing: {problem}"),
        }
    }
}

/// What comes of comparing a graph's outputs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Comparison {
    /// Every element is inside its bound.
    Inside,
    /// So is every element, but some only because their bound spans a jump.
    Undecided,
    /// This is different.
    Differs(Difference),
}

/// Compares what was observed with what the interpreter gives.
pub(crate) fn compare(expected: &[(String, BoundedTensor)], observation: &Observation) -> Comparison {
    let outputs = match observation {
        Observation::Outputs(outputs) => outputs,
        Observation::Threw(exception) => return Comparison::Differs(Difference::Threw(exception.to_string())),
        Observation::Errored(problem) => return Comparison::Differs(Difference::Errored(problem.clone())),
        // What an implementation does not support is no difference.
        Observation::Skipped(_) => return Comparison::Inside,
        Observation::Calls(_) => {
            return Comparison::Differs(Difference::Errored("it made the calls of a scenario".into()));
        }
    };
    let mut worst = Verdict::Inside;
    for (name, bounded) in expected {
        let actual = outputs.iter().find(|(output, _)| output == name).map(|(_, tensor)| tensor);
        match of_output(name, bounded, actual) {
            Ok(verdict) => worst = worst.max(verdict),
            Err(difference) => return Comparison::Differs(difference),
        }
    }
    if worst == Verdict::Undecided { Comparison::Undecided } else { Comparison::Inside }
}

fn describe(tensor: &Tensor) -> String {
    format!("{}{:?}", tensor.data_type, tensor.shape)
}

/// The worst verdict on an element of an output, or the first that is outside.
fn of_output(name: &str, expected: &BoundedTensor, actual: Option<&Tensor>) -> Result<Verdict, Difference> {
    let judged = actual.and_then(|actual| Some((actual, verdicts(expected, actual)?)));
    let Some((actual, verdicts)) = judged else {
        return Err(Difference::Descriptor {
            output: name.to_owned(),
            expected: describe(&expected.tensor),
            actual: actual.map_or("no such output".into(), describe),
        });
    };
    let Some(index) = verdicts.iter().position(|verdict| *verdict == Verdict::Outside) else {
        return Ok(verdicts.into_iter().max().unwrap_or(Verdict::Inside));
    };
    let bound = match expected.ranges.get(index) {
        None => "exactly".to_owned(),
        Some(range) if range.nan => format!("from {} to {}, or NaN", range.least, range.greatest),
        Some(range) => format!("from {} to {}", range.least, range.greatest),
    };
    let text = |tensor| texts(tensor).swap_remove(index);
    let (expected, actual) = (text(&expected.tensor), text(actual));
    Err(Difference::Element { output: name.to_owned(), index, expected, actual, bound })
}

/// The largest distance that the ranges of an output allow, as the tolerance of a vector; none where there is no largest.
pub(crate) fn tolerance(data: &Data, ranges: &Ranges) -> Option<Tolerance> {
    let Ranges::Each(ranges) = ranges else {
        return None;
    };
    let elements = data.elements(ranges.len() as u64);
    let largest =
        ranges.iter().zip(elements).map(|(range, element)| range.radius(element.to_f64())).fold(0.0, f64::max);
    largest.is_finite().then_some(Tolerance { metric_type: MetricType::Atol, value: Some(largest) })
}
