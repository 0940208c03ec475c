//! A report in the form of web-platform-tests (`wptreport.json`), which wpt.fyi and its tools read: a test for each file of
//! vectors, a subtest for each vector.

use std::collections::BTreeMap;
use std::io::Write;

use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::scope::Restriction;
use crate::failure::Failure;
use crate::output::write_json;
use crate::record::{Brief, Record, ResultLine, Went};

/// Writes the report of one implementation.
///
/// # Errors
/// If it can not be written, or the record not be read again.
pub(crate) fn write(record: &Record, implementation: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let name = &record.implementations()[implementation];
    let description = record.descriptions.get(name);
    let version = description.map(|description| description.version.clone()).unwrap_or_default();
    let started = record.header.started.saturating_mul(1000);
    let report = Report {
        run_info: json!({
            "product": name,
            "browser_version": version,
            "os": std::env::consts::OS,
            "processor": std::env::consts::ARCH,
            "not_everything": Restriction::sentence(record),
            "revision": record.header.more.get("commit").cloned().unwrap_or_default(),
        }),
        time_start: started,
        time_end: started as f64 + record.seconds * 1000.0,
        results: tests(record, implementation),
    };
    write_json(out, &report)
}

#[derive(Serialize)]
struct Report<'a> {
    run_info: Json,
    time_start: u64,
    time_end: f64,
    results: Vec<Test<'a>>,
}

/// The results of a file.
#[derive(Serialize)]
struct Test<'a> {
    test: String,
    status: &'static str,
    message: Option<&'static str>,
    duration: f64,
    subtests: Subtests<'a>,
}

/// Results that are read while they are written.
struct Subtests<'a> {
    record: &'a Record,
    results: Vec<&'a Brief>,
}

/// The results of an implementation, file by file.
fn tests(record: &Record, implementation: usize) -> Vec<Test<'_>> {
    let mut files: BTreeMap<&str, Vec<&Brief>> = BTreeMap::new();
    for (vector, of, brief) in record.briefs() {
        if of == implementation {
            let file = record.id(vector).split_once('/').map_or("", |(file, _)| file);
            files.entry(file).or_default().push(brief);
        }
    }
    let tests = files.into_iter().map(|(file, results)| Test {
        test: format!("/webnn/vectors/{file}.json"),
        status: "OK",
        message: None,
        duration: (results.iter().map(|brief| f64::from(brief.seconds)).sum::<f64>() * 1000.0).round(),
        subtests: Subtests { record, results },
    });
    tests.collect()
}

impl Serialize for Subtests<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut subtests = serializer.serialize_seq(Some(self.results.len()))?;
        for brief in &self.results {
            let result = self.record.result(brief).map_err(S::Error::custom)?;
            subtests.serialize_element(&subtest(&result))?;
        }
        subtests.end()
    }
}

/// What is not as expected says so, in the way of wptrunner: by the status that was expected.
fn subtest(result: &ResultLine) -> Json {
    let status = match result.outcome {
        Went::Passed | Went::Open => "PASS",
        Went::Failed => "FAIL",
        // A subtest has no status ERROR.
        Went::Errored => "FAIL",
        Went::Skipped => "PRECONDITION_FAILED",
    };
    let name = result.vector.split_once('/').map_or(result.vector.as_str(), |(_, name)| name);
    let message = Some(result.message()).filter(|message| !message.is_empty());
    let mut subtest = json!({ "name": name, "status": status, "message": message });
    if !result.expected {
        subtest["expected"] = json!(if status == "PASS" { "FAIL" } else { "PASS" });
    }
    subtest
}
