//! Runs web-platform-tests' WebNN tests, JavaScript and all, on the executable specification: no browser needed.
//!
//! Script runs in QuickJS. `js/webidl.js` makes the interfaces of the specification from the descriptions in [`idl`],
//! and `js/globals.js` the rest of the global scope; both stand on the few flat calls of `native`, which are calls of the
//! reference. [`host`] runs a test's scripts and its event loop, within limits of time and memory; [`folder`] says which
//! tests a checkout of web-platform-tests has. What was observed comes back as a [`Result`](outcome::FileResult) under
//! the names that wpt.fyi uses.

pub mod decompose;
pub mod emit;
pub mod folder;
pub mod host;
pub mod idl;
pub mod import;
mod literal;
mod native;
pub mod outcome;

use std::path::PathBuf;

use thiserror::Error;

/// What keeps tests from being run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// A file or folder can not be read.
    #[error("{}: {reason}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A script does not do what it has to.
    #[error("{0}")]
    Script(String),
    /// The engine does not start.
    #[error("the JavaScript engine does not start: {0}")]
    Engine(String),
}
