//! What came of a test, in the words of web-platform-tests.

use serde::{Deserialize, Serialize};

/// How a file went as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FileStatus {
    /// It came to its end.
    Ok,
    /// It threw outside a subtest, or something else went wrong with it.
    Error,
    /// It did not come to its end in time.
    Timeout,
    /// It asked for more than there is, or brought the implementation down.
    Crash,
    /// It says that it can not run here.
    PreconditionFailed,
    /// It was not run.
    Skip,
}

/// How a subtest went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Everything that it asserts is so.
    Pass,
    /// Something is not.
    Fail,
    /// It did not come to its end in time.
    Timeout,
    /// It did not begin.
    Notrun,
    /// It says that it can not run here.
    PreconditionFailed,
}

/// What came of a subtest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subtest {
    /// Its name.
    pub name: String,
    /// How it went.
    pub status: Status,
    /// What it says about that.
    pub message: Option<String>,
}

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileResult {
    /// How it went as a whole.
    pub status: FileStatus,
    /// What it says about that.
    pub message: Option<String>,
    /// Its subtests, in the order in which it named them.
    pub subtests: Vec<Subtest>,
    /// What it wrote to the console.
    #[serde(skip)]
    pub log: Vec<String>,
}

impl FileResult {
    /// A test of which there is nothing but how it ended.
    pub fn of(status: FileStatus, message: impl Into<String>) -> Self {
        Self { status, message: Some(message.into()), subtests: vec![], log: vec![] }
    }
}
