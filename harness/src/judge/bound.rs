//! Judges a tensor by the derived bound: each element against the range in which honest implementations are.

use std::fmt;

use super::distance::pairs;
use crate::execute::Tensor;
use crate::execute::bounds::BoundedTensor;

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
