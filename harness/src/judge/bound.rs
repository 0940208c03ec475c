//! Judges a tensor by the derived bound: each element against the range in which honest implementations are.
//!
//! The vector's tolerance decides whether it passes. What the derived bound says is reported beside that: a vector that
//! passes and is outside its bound hides a fault, and one that fails inside its bound is ill-conditioned.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use webnn_reference::data_type::MLOperandDataType;
use webnn_vectors::{Kind, Vector};

use super::Outcome;
use super::distance::{pairs, texts};
use crate::execute::bounds::{BoundedOutputs, BoundedTensor};
use crate::execute::{Observation, Tensor};

/// What the derived bound says of an element, or of all that were judged together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Inside: no fault can be shown.
    Inside,
    /// Inside, but only because a jump is: it can not be said which side is right.
    Undecided,
    /// Outside: wrong, in whatever order the sums are made.
    Outside,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inside => "inside",
            Self::Undecided => "undecided",
            Self::Outside => "outside",
        })
    }
}

/// The verdict on each element, in row-major order; `None` if the tensor has another type or shape.
pub(crate) fn verdicts(bounded: &BoundedTensor, actual: &Tensor) -> Option<Vec<Verdict>> {
    if (bounded.tensor.data_type, &bounded.tensor.shape) != (actual.data_type, &actual.shape) {
        return None;
    }
    let elements = pairs(actual, &bounded.tensor).into_iter().enumerate();
    Some(elements.map(|(index, (is_equal, actual))| verdict(bounded, index, is_equal, actual)).collect())
}

fn verdict(bounded: &BoundedTensor, index: usize, is_equal: bool, actual: f64) -> Verdict {
    match bounded.ranges.get(index) {
        None if is_equal => Verdict::Inside,
        None => Verdict::Outside,
        Some(range) if !range.contains(actual) => Verdict::Outside,
        Some(range) if range.doubt && !is_equal => Verdict::Undecided,
        Some(_) => Verdict::Inside,
    }
}

/// What the derived bound says of a vector on an implementation: the worst that it says of an element, and of which.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoundVerdict {
    pub(crate) verdict: Verdict,
    /// The first of the elements of which the worst is said, unless that is that they are inside.
    pub(crate) element: Option<Element>,
    /// What it says of the numbers that the vector expects.
    pub(crate) expected: Option<Verdict>,
}

/// An element that is outside its bound, or of which nothing can be said.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Element {
    /// The output.
    pub(crate) output: String,
    /// Its place there.
    pub(crate) index: usize,
    /// What the interpreter returns.
    pub(crate) reference: String,
    /// What the implementation returns.
    pub(crate) actual: String,
    /// How far an honest implementation may be from what the interpreter returns; `null` without a limit.
    #[schemars(with = "Option<f64>")]
    pub(crate) bound: f64,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { output, index, reference, actual, bound } = self;
        write!(f, "{output}[{index}] is {actual}; the reference has {reference}, bound {}", radius_text(*bound))
    }
}

/// Judges all outputs of a vector by the derived bound; `None` where there are none, or they are of other types or shapes:
/// those are for the other judge.
pub(crate) fn bound_verdict(
    vector: &Vector,
    bounded: &BoundedOutputs,
    observation: &Observation,
) -> Option<BoundVerdict> {
    let Observation::Outputs(outputs) = observation else {
        return None;
    };
    let expected = expected_verdict(vector, bounded);
    let mut worst = BoundVerdict { verdict: Verdict::Inside, element: None, expected };
    for (name, bounded) in bounded {
        let (_, actual) = outputs.iter().find(|(output, _)| output == name)?;
        // What the reference gives is inside, and most outputs are that.
        if *actual == bounded.tensor {
            continue;
        }
        for (index, verdict) in verdicts(bounded, actual)?.into_iter().enumerate() {
            if verdict > worst.verdict {
                worst.verdict = verdict;
                worst.element = Some(element(name, index, bounded, actual));
            }
        }
    }
    Some(worst)
}

/// What the bound says of the numbers that the vector expects; `None` if they are of other types or shapes.
fn expected_verdict(vector: &Vector, bounded: &BoundedOutputs) -> Option<Verdict> {
    let Kind::Graph { graph, .. } = &vector.kind else {
        return None;
    };
    let mut worst = Verdict::Inside;
    for (name, output) in &graph.expected_outputs {
        let (_, bounded) = bounded.iter().find(|(output, _)| output == name)?;
        let data_type = MLOperandDataType::from_name(output.descriptor.data_type.name())?;
        let bytes = output.descriptor.bytes_of(&output.data).ok()?;
        let expected = Tensor { data_type, shape: output.descriptor.shape.clone(), bytes };
        worst = verdicts(bounded, &expected)?.into_iter().fold(worst, Verdict::max);
    }
    Some(worst)
}

fn element(output: &str, index: usize, bounded: &BoundedTensor, actual: &Tensor) -> Element {
    Element {
        output: output.to_owned(),
        index,
        reference: texts(&bounded.tensor).swap_remove(index),
        actual: texts(actual).swap_remove(index),
        bound: radii(bounded)[index],
    }
}

/// How far an honest implementation may be from an element, in words: it may also be infinitely far, or be NaN.
pub(crate) fn radius_text(radius: f64) -> String {
    match radius {
        0.0 => "0".into(),
        f64::INFINITY => "none".into(),
        radius => format!("{radius:.1e}"),
    }
}

/// How far an honest implementation may be from each element.
pub(crate) fn radii(bounded: &BoundedTensor) -> Vec<f64> {
    let numbers = pairs(&bounded.tensor, &bounded.tensor).into_iter().enumerate();
    numbers.map(|(index, (_, number))| bounded.ranges.get(index).map_or(0.0, |range| range.radius(number))).collect()
}

/// How a vector stands with both judges: the vector's tolerance and the derived bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Standing {
    /// Within the tolerance, inside the bound.
    Passed,
    /// Within the tolerance, outside the bound: a fault that the tolerance hides.
    HiddenFault,
    /// Beyond the tolerance, inside the bound: an honest implementation may fail it.
    IllConditioned,
    /// Beyond the tolerance, outside the bound.
    Fault,
    /// Beyond the tolerance, inside the bound, and the numbers that the vector expects are outside: it is wrong, or the
    /// reference is.
    Disputed,
    /// The bound spans a jump, and the implementation is not where the reference is.
    Undecided,
}

impl Standing {
    /// It in words, where it is more than a pass.
    pub(crate) fn words(self) -> Option<&'static str> {
        Some(match self {
            Self::Passed => return None,
            Self::HiddenFault => "within the tolerance but outside the bound",
            Self::Fault => "outside both",
            Self::IllConditioned => "beyond the tolerance but inside the bound (ill-conditioned)",
            Self::Disputed => "beyond the tolerance of numbers that are outside the bound",
            Self::Undecided => "undecided",
        })
    }

    /// How a vector with this outcome and this verdict stands; `None` if its outputs were not judged.
    pub(crate) fn of(outcome: &Outcome, bound: &BoundVerdict) -> Option<Self> {
        let is_within = match outcome {
            Outcome::Passed { .. } | Outcome::Open { difference: None, .. } => true,
            Outcome::Failed(_) | Outcome::Open { difference: Some(_), .. } => false,
            Outcome::Errored(_) | Outcome::Skipped(_) => return None,
        };
        Some(match (bound.verdict, is_within) {
            (Verdict::Undecided, _) => Self::Undecided,
            (Verdict::Inside, true) => Self::Passed,
            (Verdict::Outside, true) => Self::HiddenFault,
            (Verdict::Inside, false) if bound.expected? == Verdict::Outside => Self::Disputed,
            (Verdict::Inside, false) => Self::IllConditioned,
            (Verdict::Outside, false) => Self::Fault,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::bounds::outputs;
    use crate::judge::Failure;
    use webnn_reference::derived_bound::Allowance;
    use webnn_reference::steps::Reading;

    /// What the interpreter returns is honest; so is what a vector expects that passes.
    #[test]
    fn the_reference_and_what_vectors_expect_are_inside() {
        let mut judged = 0;
        for vector in crate::trials::vectors().expect("the vectors load") {
            let Kind::Graph { graph, .. } = &vector.kind else {
                continue;
            };
            for allowance in [Allowance::default(), Allowance { flushes_subnormals: true }] {
                let bounded = outputs(graph, Reading::Corrected, allowance).expect("a graph");
                for (name, bounded) in &bounded {
                    let verdicts = verdicts(bounded, &bounded.tensor).expect("of one type and shape");
                    assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Inside), "{}: {name}", vector.id);
                }
                let expected = expected_verdict(&vector, &bounded);
                assert_ne!(expected, Some(Verdict::Outside), "{}", vector.id);
                judged += 1;
            }
        }
        assert!(judged > 5000, "{judged}");
    }

    fn standing(within: bool, verdict: Verdict, expected: Verdict) -> Option<Standing> {
        let failure = Failure::Exception { expected: String::new(), actual: String::new() };
        let passed = Outcome::Passed { numbers: None };
        let outcome = if within { passed } else { Outcome::Failed(failure) };
        Standing::of(&outcome, &BoundVerdict { verdict, element: None, expected: Some(expected) })
    }

    #[test]
    fn a_vector_stands_by_both_judges() {
        use Verdict::{Inside, Outside, Undecided};
        assert_eq!(standing(true, Inside, Inside), Some(Standing::Passed));
        assert_eq!(standing(true, Outside, Inside), Some(Standing::HiddenFault));
        assert_eq!(standing(false, Inside, Inside), Some(Standing::IllConditioned));
        assert_eq!(standing(false, Inside, Outside), Some(Standing::Disputed));
        assert_eq!(standing(false, Outside, Inside), Some(Standing::Fault));
        assert_eq!(standing(true, Undecided, Inside), Some(Standing::Undecided));
    }
}
