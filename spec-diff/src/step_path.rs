//! The place of a step in its algorithm.

use std::fmt;
use std::str::FromStr;

/// The path of a step, such as `16.5`: the fifth sub-step of step 16.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepPath(Vec<u32>);

/// A text that is no path of a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no path of a step: numbers from 1, with dots between them, such as \"16.5\"")]
pub struct StepPathError(String);

impl StepPath {
    /// The path made of these numbers, outermost first.
    pub(crate) fn new(numbers: impl IntoIterator<Item = u32>) -> Self {
        Self(numbers.into_iter().collect())
    }

    /// The list that the step is in, and its number there.
    pub(crate) fn split(&self) -> (&[u32], u32) {
        self.0.split_last().map_or((&[], 0), |(last, list)| (list, *last))
    }

    /// The path of the step in front of it in the same list; its last number is 0 in front of the first.
    pub(crate) fn before(&self) -> Self {
        let (list, number) = self.split();
        Self::new(list.iter().copied().chain([number.saturating_sub(1)]))
    }

    /// The numbers, outermost first.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.0
    }

    /// How deep the step is nested; 1 for a top-level step.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether `self` is a step somewhere inside `outer`.
    pub fn is_inside(&self, outer: &Self) -> bool {
        self.depth() > outer.depth() && self.0.starts_with(&outer.0)
    }

    /// Whether `self` is the step right after `other`, at the same level of the same list.
    pub fn follows(&self, other: &Self) -> bool {
        match (self.0.split_last(), other.0.split_last()) {
            (Some((last, list)), Some((last_of_other, list_of_other))) => {
                list == list_of_other && last.checked_sub(1) == Some(*last_of_other)
            }
            _ => false,
        }
    }
}

impl fmt::Display for StepPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            write!(f, "{number}")?;
        }
        Ok(())
    }
}

impl FromStr for StepPath {
    type Err = StepPathError;

    fn from_str(text: &str) -> Result<Self, StepPathError> {
        let number = |part: &str| {
            // `parse` would take a sign, and a leading zero would give one step two spellings.
            let is_plain = part.bytes().all(|byte| byte.is_ascii_digit()) && !part.starts_with('0');
            if is_plain { part.parse().ok() } else { None }
        };
        let numbers: Option<Vec<u32>> = text.split('.').map(number).collect();
        numbers.map(Self).ok_or_else(|| StepPathError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> StepPath {
        text.parse().unwrap()
    }

    #[test]
    fn paths_are_read_as_they_are_written() {
        for text in ["1", "16.5", "8.1.3.10"] {
            assert_eq!(path(text).to_string(), text);
        }
        for text in ["", ".", "1.", ".1", "0", "01", "+1", "1 ", "a", "1.-1", "99999999999"] {
            assert!(text.parse::<StepPath>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn paths_are_ordered_as_steps_are() {
        assert!(path("2") < path("2.1") && path("2.9") < path("2.10") && path("2.10") < path("10"));
        assert!(path("2.1").is_inside(&path("2")) && !path("21").is_inside(&path("2")));
        assert!(!path("2").is_inside(&path("2")));
        assert!(path("2.10").follows(&path("2.9")));
        assert!(
            !path("2.1").follows(&path("1")) && !path("3.1").follows(&path("2.1")) && !path("1").follows(&path("1"))
        );
    }
}
