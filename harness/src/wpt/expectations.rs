//! Which of web-platform-tests' tests are known not to pass, why, and where that is shown.
//!
//! One file for each kind of implementation, in `expectations/wpt`. A subtest that does not pass without being listed is
//! unexpected, and so is one that passes although it is listed.

use std::path::Path;

use serde::Deserialize;
use webnn_wpt::outcome::{FileStatus, Status, Subtest};

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
    /// What their messages say: with another one, a failure is not this one.
    #[serde(default)]
    message: Option<String>,
    /// Only where the Web IDL that the tests read does not have this declaration: of checkouts that are older than it.
    #[serde(default)]
    idl_lacks: Option<String>,
    /// Why.
    pub(crate) reason: String,
    /// Where that is shown or discussed.
    pub(crate) link: String,
}

impl Entry {
    /// Whether a subtest that did not pass says what is known of it.
    fn admits(&self, subtest: &Subtest) -> bool {
        let said = subtest.message.as_deref().unwrap_or_default();
        let message = self.message.as_deref().filter(|_| subtest.status != Status::Pass);
        message.is_none_or(|known| said.contains(known))
    }
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

    /// Those that apply where the tests read this Web IDL.
    pub(crate) fn with_idl(mut self, idl: &str) -> Self {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let idl = words(idl);
        self.entries.retain(|entry| entry.idl_lacks.as_ref().is_none_or(|lacks| !idl.contains(&words(lacks))));
        self
    }

    fn of_file(&self, file: &Path) -> impl Iterator<Item = &Entry> {
        let file = file.strip_prefix("webnn").unwrap_or(file).to_owned();
        self.entries.iter().filter(move |entry| Path::new(&entry.file) == file)
    }

    /// The entry for a subtest, unless it failed in another way than the entry says.
    pub(crate) fn of(&self, file: &Path, subtest: &Subtest) -> Option<&Entry> {
        self.of_file(file).find(|entry| entry.subtests.contains(&subtest.name) && entry.admits(subtest))
    }

    /// How a subtest should have gone.
    pub(crate) fn status(&self, file: &Path, subtest: &Subtest) -> Status {
        self.of(file, subtest).map_or(Status::Pass, |entry| entry.status)
    }

    /// How a file should go as a whole.
    pub(crate) fn file_status(&self, file: &Path) -> FileStatus {
        self.of_file(file).find_map(|entry| entry.file_status).unwrap_or(FileStatus::Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expectations(text: &str) -> Expectations {
        let entry = "[[expectation]]\nfile = \"a.any.js\"\nsubtests = [\"it\"]\nreason = \"why\"\nlink = \"where\"\n";
        toml::from_str(&format!("{entry}{text}")).expect("an expectation")
    }

    fn status(expectations: &Expectations, status: Status, message: &str) -> Status {
        let subtest = Subtest { name: "it".into(), status, message: Some(message.into()) };
        expectations.status(Path::new("webnn/a.any.js"), &subtest)
    }

    #[test]
    fn a_failure_that_says_something_else_is_not_the_known_one() {
        let known = expectations("message = \"expected 2 but got 1\"");
        assert_eq!(status(&known, Status::Fail, "wrong .length expected 2 but got 1"), Status::Fail);
        assert_eq!(status(&known, Status::Fail, "wrong .length expected 2 but got 0"), Status::Pass);
        // A pass is unexpected whatever it says.
        assert_eq!(status(&known, Status::Pass, ""), Status::Fail);
    }

    #[test]
    fn what_an_old_idl_lacks_is_expected_of_old_idl_only() {
        let known = expectations("idl_lacks = \"MLOperand constant(MLTensor tensor)\"");
        let with = |idl: &str| status(&known.clone().with_idl(idl), Status::Fail, "");
        assert_eq!(with("interface MLGraphBuilder {};"), Status::Fail);
        assert_eq!(with("interface MLGraphBuilder {\n  MLOperand\n  constant(MLTensor tensor);\n};"), Status::Pass);
    }
}
