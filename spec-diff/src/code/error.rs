//! What can be wrong with a folder of source files.

use std::io;
use std::path::{Path, PathBuf};

/// Source that can not be read.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The operating system does not give a file or folder.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is nothing to read.
    #[error("{}: there is no Rust file here", .path.display())]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not Rust.
    #[error("{}:{line}: this is not Rust source: {reason}", .path.display())]
    NotRust {
        /// The file.
        path: PathBuf,
        /// Where reading it failed.
        line: usize,
        /// What is there.
        reason: String,
    },
}

/// Source that is not Rust, before anybody knows which file it is from.
#[derive(Debug)]
pub(super) struct NotRust {
    pub(super) line: usize,
    pub(super) reason: String,
}

impl NotRust {
    pub(super) fn at(self, path: &Path) -> CodeError {
        CodeError::NotRust { path: path.to_owned(), line: self.line, reason: self.reason }
    }
}
