//! Judges what was observed against what a vector expects. The only place where anything is.
//!
//! The bound is the vector's own tolerance, as web-platform-tests defines it: so many units in the last place (ULP), or
//! an absolute difference (ATOL); without one, exact. It is never widened.

pub(crate) mod bound;
pub(crate) mod difference;
pub(crate) mod distance;
pub(crate) mod literal;
mod scenario;

use webnn_reference::exception::Exception;
use webnn_vectors::{Descriptor, ExpectedOutput, Kind, Throws, Tolerance, Vector};

use crate::execute::{CallResult, Observation, Tensor};
use distance::{Allowed, Comparison, Distance, compare};

/// How near the elements of tensors are to what is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearness {
    /// The largest distance there is.
    pub(crate) distance: Distance,
    /// Whether every one is equal to the last bit.
    pub(crate) bit_equal: bool,
}

impl Nearness {
    /// That of what has none, or one, and of more.
    fn of_both(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).reduce(|one, other| Self {
            distance: one.distance.max(other.distance),
            bit_equal: one.bit_equal && other.bit_equal,
        })
    }
}

/// How a vector went on an implementation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// As expected; and how near the numbers are, where there are any: a call that is refused has none.
    Passed { numbers: Option<Nearness> },
    /// Not as expected.
    Failed(Failure),
    /// The implementation has a bug: it panicked, crashed or hung.
    Errored(String),
    /// Not executed, for this reason.
    Skipped(String),
    /// Executed, but the specification leaves the answer open: how it differs from the vector, if it does.
    Open { reason: String, difference: Option<Box<Failure>> },
}

impl Outcome {
    /// Whether it is one that can be known beforehand and listed: it failed, or broke.
    pub(crate) fn is_bad(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Errored(_))
    }

    /// What it is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Passed { .. } => "passed",
            Self::Failed(_) => "failed",
            Self::Errored(_) => "errored",
            Self::Skipped(_) => "skipped",
            Self::Open { .. } => "open",
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Passed { numbers: None } => f.write_str("passed"),
            Self::Passed { numbers: Some(Nearness { bit_equal: true, .. }) } => {
                f.write_str("passed, equal to the last bit")
            }
            Self::Passed { numbers: Some(Nearness { distance, .. }) } => {
                write!(f, "passed, largest distance {distance}")
            }
            Self::Failed(failure) => write!(f, "failed: {failure}"),
            Self::Errored(problem) => write!(f, "errored: {problem}"),
            Self::Skipped(reason) => write!(f, "skipped: {reason}"),
            Self::Open { reason, difference: None } => write!(f, "as the vector has it, which is left open: {reason}"),
            Self::Open { reason, difference: Some(failure) } => write!(f, "{failure}; left open: {reason}"),
        }
    }
}

/// What was not as expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// An element of an output is too far off.
    Element { output: String, index: usize, expected: String, actual: String, distance: Distance, allowed: Allowed },
    /// An output has another type or shape.
    Descriptor { output: String, expected: String, actual: String },
    /// An exception was expected, or not expected, or expected elsewhere.
    Exception { expected: String, actual: String },
    /// A call of a scenario gave something else.
    Call { step: usize, call: String, failure: Box<Failure> },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Element { output, index, expected, actual, distance, allowed } => write!(
                f,
                "output {output:?} at index {index}: expected {expected}, got {actual}; \
                 distance {distance}, allowed {allowed}"
            ),
            Self::Descriptor { output, expected, actual } => {
                write!(f, "output {output:?}: expected {expected}, got {actual}")
            }
            Self::Exception { expected, actual } => write!(f, "expected {expected}, got {actual}"),
            Self::Call { step, call, failure } => write!(f, "call {step} ({call}): {failure}"),
        }
    }
}

/// Judges one vector.
///
/// `is_ours` is for implementations whose exceptions say at which step of the specification they were thrown.
pub(crate) fn judge(vector: &Vector, observation: &Observation, is_ours: bool) -> Outcome {
    let outcome = match observation {
        Observation::Skipped(reason) => return Outcome::Skipped(reason.clone()),
        Observation::Errored(problem) => return Outcome::Errored(problem.clone()),
        Observation::Outputs(outputs) => outputs_outcome(vector, outputs),
        Observation::Threw(exception) => exception_outcome(vector, exception, is_ours),
        Observation::Calls(calls) if let Some(CallResult::Invalid(problem)) = calls.last() => {
            return Outcome::Errored(format!("the vector is wrong: call {}: {problem}", calls.len() - 1));
        }
        Observation::Calls(calls) => match &vector.kind {
            Kind::Scenario { steps } => scenario::outcome(steps, calls, is_ours),
            Kind::Graph { .. } | Kind::Negative { .. } => Err(Failure::Exception {
                expected: "the outputs of a graph".into(),
                actual: "the calls of a scenario".into(),
            }),
        },
    };
    match (&vector.implementation_defined, outcome) {
        (Some(reason), outcome) if !is_ours => {
            Outcome::Open { reason: reason.clone(), difference: outcome.err().map(Box::new) }
        }
        (_, Ok(numbers)) => Outcome::Passed { numbers },
        (_, Err(failure)) => Outcome::Failed(failure),
    }
}

/// How near the numbers are, where there are any; or what was not as expected.
type Judged = Result<Option<Nearness>, Failure>;

fn outputs_outcome(vector: &Vector, outputs: &[(String, Tensor)]) -> Judged {
    let graph = match &vector.kind {
        Kind::Graph { graph, .. } => graph,
        Kind::Negative { throws, .. } => {
            return Err(Failure::Exception { expected: expected(throws), actual: "no exception".into() });
        }
        Kind::Scenario { .. } => {
            return Err(Failure::Exception { expected: "the calls of a scenario".into(), actual: "outputs".into() });
        }
    };
    let mut numbers = None;
    for (name, expected) in &graph.expected_outputs {
        let actual = outputs.iter().find(|(output, _)| output == name).map(|(_, tensor)| tensor);
        let of_it = output_outcome(name, expected, vector.tolerance_of(expected), actual)?;
        numbers = Nearness::of_both(numbers, of_it);
    }
    Ok(numbers)
}

fn output_outcome(name: &str, expected: &ExpectedOutput, tolerance: Tolerance, actual: Option<&Tensor>) -> Judged {
    let Some(actual) = actual else {
        return Err(Failure::Descriptor {
            output: name.into(),
            expected: describe(&expected.descriptor),
            actual: "no such output".into(),
        });
    };
    tensor_outcome(name, &expected.descriptor, &expected.data, tolerance, actual)
}

/// Judges a tensor that was read back.
pub(crate) fn tensor_outcome(
    name: &str,
    descriptor: &Descriptor,
    data: &webnn_vectors::Data,
    tolerance: Tolerance,
    actual: &Tensor,
) -> Judged {
    if descriptor.data_type.name() != actual.data_type.as_str() || descriptor.shape != actual.shape {
        return Err(Failure::Descriptor {
            output: name.into(),
            expected: describe(descriptor),
            actual: format!("{}{:?}", actual.data_type, actual.shape),
        });
    }
    let allowed = Allowed::from(tolerance);
    let Comparison { worst, bit_equal, first_outside } = compare(actual, data, allowed);
    match first_outside {
        None => Ok(Some(Nearness { distance: worst, bit_equal })),
        Some(outside) => Err(Failure::Element {
            output: name.into(),
            index: outside.index,
            expected: outside.expected,
            actual: outside.actual,
            distance: outside.distance,
            allowed,
        }),
    }
}

fn describe(descriptor: &Descriptor) -> String {
    format!("{}{:?}", descriptor.data_type.name(), descriptor.shape)
}

fn exception_outcome(vector: &Vector, exception: &Exception, is_ours: bool) -> Judged {
    match &vector.kind {
        Kind::Negative { throws, .. } => throws_outcome(throws, exception, is_ours),
        Kind::Graph { .. } | Kind::Scenario { .. } => {
            Err(Failure::Exception { expected: "no exception".into(), actual: exception.to_string() })
        }
    }
}

/// Judges an exception against the one expected: its name, and for our own implementations the step.
pub(crate) fn throws_outcome(throws: &Throws, exception: &Exception, is_ours: bool) -> Judged {
    let same_name = throws.name.name() == exception.name.as_str();
    let same_step = match &throws.at {
        Some(at) if is_ours => at.algorithm == exception.algorithm && at.step == exception.step,
        _ => true,
    };
    if same_name && same_step {
        return Ok(None);
    }
    Err(Failure::Exception { expected: expected(throws), actual: exception.to_string() })
}

/// The exception that a vector expects, in words.
pub(crate) fn expected(throws: &Throws) -> String {
    match &throws.at {
        Some(at) => format!("{} at {} step {}", throws.name.name(), at.algorithm, at.step),
        None => throws.name.name().to_owned(),
    }
}
