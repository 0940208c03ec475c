//! Whether a failure is what the specification's text asks for as it is written: an implementation that follows a wrong text to
//! the letter is to be told apart from one that is wrong.

use webnn_vectors::{ExpectedOutput, Kind, Step, Tolerance, Vector};

use super::distance::{Allowed, distances};
use super::{Failure, Outcome, judge};
use crate::execute::{CallResult, Observation, Tensor};

/// What is said of a failure that the text asks for as it is written.
pub(crate) fn told(issue: &str) -> String {
    format!("the text as written does this too: SPEC_ISSUES.md, {issue}")
}

/// Whether an implementation fails a vector as the text as written does, of which `written` says what is observed: by the same
/// exception, by the absence of one, or by the same values within the vector's tolerance.
pub(crate) fn fails_alike(vector: &Vector, seen: &Observation, written: impl FnOnce() -> Observation) -> bool {
    let Some(of_seen) = failure(vector, seen) else {
        return false;
    };
    let written = &written();
    let Some(of_written) = failure(vector, written) else {
        return false;
    };
    match (seen, written, &vector.kind) {
        (Observation::Threw(seen), Observation::Threw(written), _) => seen.name == written.name,
        (Observation::Outputs(_), Observation::Outputs(_), Kind::Negative { .. }) => true,
        (Observation::Outputs(seen), Observation::Outputs(written), Kind::Graph { graph, .. }) => {
            let tolerance = |expected: &ExpectedOutput| vector.tolerance_of(expected);
            graph.expected_outputs.iter().all(|(name, expected)| are_alike(name, tolerance(expected), seen, written))
        }
        (Observation::Calls(seen), Observation::Calls(written), Kind::Scenario { steps }) => {
            match (&of_seen, &of_written) {
                (Failure::Call { step, .. }, Failure::Call { step: other, .. }) if step == other => {
                    steps.get(*step).is_some_and(|call| give_alike(call, seen.get(*step), written.get(*step)))
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn failure(vector: &Vector, observation: &Observation) -> Option<Failure> {
    match judge(vector, observation, false) {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Open { difference, .. } => difference.map(|failure| *failure),
        Outcome::Passed { .. } | Outcome::Errored(_) | Outcome::Skipped(_) => None,
    }
}

fn are_alike(name: &str, tolerance: Tolerance, seen: &[(String, Tensor)], written: &[(String, Tensor)]) -> bool {
    let of = |outputs: &'_ [(String, Tensor)]| outputs.iter().position(|(output, _)| output == name);
    match (of(seen), of(written)) {
        (Some(place), Some(other)) => is_alike(tolerance, &seen[place].1, &written[other].1),
        _ => false,
    }
}

fn is_alike(tolerance: Tolerance, seen: &Tensor, written: &Tensor) -> bool {
    let allowed = Allowed::from(tolerance);
    let is_of_one_type = (seen.data_type, &seen.shape) == (written.data_type, &written.shape);
    is_of_one_type && distances(seen, written, allowed).into_iter().all(|distance| allowed.allows(distance))
}

/// Whether a call that did not go as expected went the same way twice.
fn give_alike(step: &Step, seen: Option<&CallResult>, written: Option<&CallResult>) -> bool {
    match (seen, written) {
        (Some(CallResult::Threw(seen)), Some(CallResult::Threw(written))) => seen.name == written.name,
        (Some(CallResult::Threw(_)), _) | (_, Some(CallResult::Threw(_))) => false,
        // What is returned where an exception was expected is beside the point.
        (Some(_), Some(_)) if step.throws.is_some() => true,
        (Some(CallResult::Read(seen)), Some(CallResult::Read(written))) => {
            let tolerance = step.returns.as_ref().and_then(|returns| returns.tolerance);
            is_alike(tolerance.unwrap_or(Tolerance::EXACT), seen, written)
        }
        (Some(CallResult::Value(seen)), Some(CallResult::Value(written))) => seen == written,
        _ => false,
    }
}
