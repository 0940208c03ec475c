//! `wptreport.json`: the results in the form that wpt.fyi takes.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use webnn_wpt::folder::Test;
use webnn_wpt::outcome::{FileResult, FileStatus, Status};

use super::expectations::Expectations;
use crate::failure::Failure;
use crate::implementation::Description;

/// A report.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    run_info: RunInfo,
    time_start: u64,
    time_end: u64,
    results: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct RunInfo {
    product: String,
    browser_version: String,
    os: &'static str,
    processor: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<String>,
}

#[derive(Debug, Serialize)]
struct Entry {
    test: String,
    status: FileStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<FileStatus>,
    message: Option<String>,
    duration: u64,
    subtests: Vec<SubtestEntry>,
}

#[derive(Debug, Serialize)]
struct SubtestEntry {
    name: String,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Status>,
    message: Option<String>,
}

/// Milliseconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, milliseconds)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl Report {
    /// A report of a run that begins now.
    pub(crate) fn begin(implementation: &str) -> Self {
        let run_info = RunInfo {
            product: format!("webnn-{implementation}"),
            browser_version: env!("CARGO_PKG_VERSION").to_owned(),
            os: std::env::consts::OS,
            processor: std::env::consts::ARCH,
            adapter: None,
        };
        Self { run_info, time_start: now(), time_end: 0, results: vec![] }
    }

    pub(crate) fn described(&mut self, description: Description) {
        self.run_info.adapter = description.adapter;
    }

    /// Adds a result. `expected` stands only where the result is another.
    pub(crate) fn add(&mut self, test: &Test, result: &FileResult, took: Duration, expectations: &Expectations) {
        let differs = |expected: FileStatus| (expected != result.status).then_some(expected);
        let subtests = result.subtests.iter().map(|subtest| {
            let expected = expectations.status(&test.file, subtest);
            SubtestEntry {
                name: subtest.name.clone(),
                status: subtest.status,
                expected: (expected != subtest.status).then_some(expected),
                message: subtest.message.clone(),
            }
        });
        self.results.push(Entry {
            test: test.name.clone(),
            status: result.status,
            expected: differs(expectations.file_status(&test.file)),
            message: result.message.clone(),
            duration: milliseconds(took),
            subtests: subtests.collect(),
        });
    }

    /// Writes the report.
    ///
    /// # Errors
    /// A file that can not be written.
    pub(crate) fn write(mut self, path: &Path) -> Result<(), Failure> {
        self.time_end = now();
        self.results.sort_by(|a, b| a.test.cmp(&b.test));
        let failed = |error: String| Failure::Output(format!("{}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
        }
        let json = serde_json::to_vec_pretty(&self).map_err(|error| failed(error.to_string()))?;
        std::fs::write(path, json).map_err(|error| failed(error.to_string()))
    }
}
