//! What can be wrong with a document.

use std::io;
use std::path::PathBuf;
use std::str::Utf8Error;

/// A document that can not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub source: BikeshedError,
}

/// Something in a document that could be read in part only, or by guessing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// What is wrong with a document.
#[derive(Debug, thiserror::Error)]
pub enum BikeshedError {
    /// The operating system does not give it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is too large to be what it should be.
    #[error("this is larger than {megabytes} MiB, so it is no specification")]
    TooLarge {
        /// The limit.
        megabytes: u64,
    },
    /// It is not UTF-8, or has null bytes.
    #[error("this is not text (there is a strange byte at {offset})")]
    NotText {
        /// Where.
        offset: usize,
    },
    /// The end of the file comes before the end of an element that matters, or of a comment.
    #[error("line {line}: {what} is never closed")]
    Unclosed {
        /// What was opened.
        what: String,
        /// Where.
        line: usize,
    },
    /// An algorithm without a definition.
    #[error("line {line}: <{element} algorithm> has no name: there is no <dfn> in it")]
    Nameless {
        /// The element of the algorithm.
        element: String,
        /// Where it begins.
        line: usize,
    },
    /// Steps inside steps inside steps ...
    #[error("line {line}: this step is nested more than {limit} deep")]
    TooDeep {
        /// Where.
        line: usize,
        /// How deep steps may be nested.
        limit: usize,
    },
}

impl BikeshedError {
    pub(super) fn not_text(error: Utf8Error) -> Self {
        Self::NotText { offset: error.valid_up_to() }
    }
}
