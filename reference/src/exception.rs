//! The exceptions that the specification throws or rejects with.
//!
//! An [`Exception`] is a verdict of the specification. A bug of this crate is a panic; the two never share a type.

use std::fmt;

/// The names of the six kinds of exception that the specification uses, and of two that only proposals use.
///
/// `TypeError` is an ECMAScript error, the others are the names of a `DOMException`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExceptionName {
    /// An argument, or the state of an argument, is not acceptable.
    TypeError,
    /// The object is in a state in which the call makes no sense.
    InvalidStateError,
    /// The document is not allowed to use WebNN.
    SecurityError,
    /// The kind of context that was asked for can not be had.
    NotSupportedError,
    /// A graph could not be converted for the underlying platform.
    OperationError,
    /// The underlying platform failed without a reason that the specification names.
    UnknownError,
    /// Nothing is kept under a key (proposal of a graph cache).
    NotFoundError,
    /// There is no space to keep it (proposal of a graph cache).
    QuotaExceededError,
}

impl ExceptionName {
    /// All names, in the order of the enum.
    pub const ALL: [Self; 8] = [
        Self::TypeError,
        Self::InvalidStateError,
        Self::SecurityError,
        Self::NotSupportedError,
        Self::OperationError,
        Self::UnknownError,
        Self::NotFoundError,
        Self::QuotaExceededError,
    ];

    /// The name as script sees it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TypeError => "TypeError",
            Self::InvalidStateError => "InvalidStateError",
            Self::SecurityError => "SecurityError",
            Self::NotSupportedError => "NotSupportedError",
            Self::OperationError => "OperationError",
            Self::UnknownError => "UnknownError",
            Self::NotFoundError => "NotFoundError",
            Self::QuotaExceededError => "QuotaExceededError",
        }
    }
}

impl fmt::Display for ExceptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An exception, with the place in the specification where it was thrown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// What kind of exception it is.
    pub name: ExceptionName,
    /// What was wrong, in a sentence for the developer who made the call.
    pub message: String,
    /// The algorithm whose step threw, in the spelling of `algorithm!`; empty for an exception of another implementation.
    pub algorithm: &'static str,
    /// The path of that step, such as `"16.5"`; empty where a call was rejected before its first step.
    pub step: &'static str,
    /// The label of the operator that was being created, or nothing.
    pub label: String,
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if !self.algorithm.is_empty() {
            write!(f, " at {}", self.algorithm)?;
        }
        if !self.step.is_empty() {
            write!(f, " step {}", self.step)?;
        }
        write!(f, ": {}", self.message)?;
        if !self.label.is_empty() {
            write!(f, " [{}]", sanitized(&self.label))?;
        }
        Ok(())
    }
}

impl std::error::Error for Exception {}

/// The result of an algorithm that can throw.
pub type Result<T> = std::result::Result<T, Exception>;

/// A label with its control characters escaped, those that reorder text included.
///
/// The specification's advisement in <https://www.w3.org/TR/webnn/#api-mloperand> asks for this.
fn sanitized(label: &str) -> String {
    let reorders = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    label
        .chars()
        .flat_map(|c| if c.is_control() || reorders(c) { c.escape_unicode().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_it_was_thrown_and_for_which_operator() {
        let exception = Exception {
            name: ExceptionName::TypeError,
            message: "axis 7 is not below the input's rank 2".into(),
            algorithm: "MLGraphBuilder.softmax(input, axis, options)",
            step: "4",
            label: "head\u{202e}1".into(),
        };
        assert_eq!(
            exception.to_string(),
            "TypeError at MLGraphBuilder.softmax(input, axis, options) step 4: \
             axis 7 is not below the input's rank 2 [head\\u{202e}1]"
        );
    }
}
