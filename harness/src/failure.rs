//! Why the program ends without having done what it was asked for, and its exit codes.

use thiserror::Error;

/// Everything was as expected.
pub(crate) const AS_EXPECTED: u8 = 0;
/// There were unexpected results.
pub(crate) const UNEXPECTED: u8 = 1;

/// It was interrupted: 128 and the number of the signal, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why the program ends.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The command line asks for something that there is not.
    #[error("{0}")]
    Usage(String),
    /// A file can not be read, or is not what it should be.
    #[error("{0}")]
    Data(String),
    /// No vector ran.
    #[error("{0}")]
    NothingToRun(String),
    /// An implementation that was asked for did not start.
    #[error("{0}")]
    NotStarted(String),
    /// Results can not be written.
    #[error("{0}")]
    Output(String),
    /// Somebody pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    /// The exit code, after `sysexits.h` where that has one.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Data(_) => 65,
            Self::NothingToRun(_) => 66,
            Self::Output(_) => 74,
            Self::NotStarted(_) => 78,
            Self::Interrupted => INTERRUPTED,
        }
    }
}
