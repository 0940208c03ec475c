//! Which of web-platform-tests' tests are known not to pass, why, and where that is shown.
//!
//! One file for each kind of implementation, in `expectations/wpt`. A subtest that does not pass without being listed is
//! unexpected, and so is one that passes although it is listed.

use std::path::Path;

use serde::Deserialize;
use webnn_wpt::outcome::{FileStatus, Status};

use crate::failure::Failure;

/// The expectations of one kind of implementation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectations {
    #[serde(default, rename = "expectation")]
    entries: Vec<Entry>,
}

/// Subtests of one file, in whichever variants and scopes, that do not pass for one reason.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The file, as `conformance_tests/abs.https.any.js`.
    file: String,
    /// The names of the subtests.
    #[serde(default)]
    subtests: Vec<String>,
    /// How they go.
    #[serde(default = "fails")]
    status: Status,
    /// How the file goes as a whole, where that is not well.
    #[serde(default)]
    file_status: Option<FileStatus>,
    /// Why.
    pub(crate) reason: String,
    /// Where that is shown or discussed.
    pub(crate) link: String,
}

fn fails() -> Status {
    Status::Fail
}

const REFERENCE: &str = include_str!("../../expectations/wpt/reference.toml");
const WGPU: &str = include_str!("../../expectations/wpt/wgpu.toml");

impl Expectations {
    /// Those of a kind of implementation: from `folder`, or those that the program carries.
    ///
    /// # Errors
    /// A file that can not be read, or that is no file of expectations.
    pub(crate) fn load(kind: &str, folder: Option<&Path>) -> Result<Self, Failure> {
        let (name, text) = match folder {
            Some(folder) => {
                let path = folder.join(format!("{kind}.toml"));
                let name = path.display().to_string();
                let text = std::fs::read_to_string(&path).map_err(|error| Failure::Data(format!("{name}: {error}")))?;
                (name, text)
            }
            None => {
                let carried = if kind == "reference" { REFERENCE } else { WGPU };
                (format!("the expectations of {kind} for web-platform-tests"), carried.to_owned())
            }
        };
        let expectations: Self = toml::from_str(&text).map_err(|error| Failure::Data(format!("{name}: {error}")))?;
        for entry in &expectations.entries {
            if entry.reason.trim().is_empty() || entry.link.trim().is_empty() {
                return Err(Failure::Data(format!("{name}: an expectation of {} has no reason or link", entry.file)));
            }
            if entry.subtests.is_empty() && entry.file_status.is_none() {
                return Err(Failure::Data(format!("{name}: an expectation of {} names no subtests", entry.file)));
            }
        }
        Ok(expectations)
    }

    fn of_file(&self, file: &Path) -> impl Iterator<Item = &Entry> {
        let file = file.strip_prefix("webnn").unwrap_or(file).to_owned();
        self.entries.iter().filter(move |entry| Path::new(&entry.file) == file)
    }

    /// The entry for a subtest.
    pub(crate) fn of(&self, file: &Path, subtest: &str) -> Option<&Entry> {
        self.of_file(file).find(|entry| entry.subtests.iter().any(|name| name == subtest))
    }

    /// How a subtest should go.
    pub(crate) fn status(&self, file: &Path, subtest: &str) -> Status {
        self.of(file, subtest).map_or(Status::Pass, |entry| entry.status)
    }

    /// How a file should go as a whole.
    pub(crate) fn file_status(&self, file: &Path) -> FileStatus {
        self.of_file(file).find_map(|entry| entry.file_status).unwrap_or(FileStatus::Ok)
    }
}
