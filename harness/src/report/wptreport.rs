//! A report in the form of web-platform-tests (`wptreport.json`), which wpt.fyi and its tools read: a test for each file of
//! vectors, a subtest for each vector.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::record::{Record, ResultLine, Went};

/// The report of one implementation.
pub(crate) fn report(record: &Record, implementation: &str) -> Json {
    let mut files: BTreeMap<&str, Vec<&ResultLine>> = BTreeMap::new();
    for result in record.results.values().filter(|result| result.implementation == implementation) {
        let file = result.vector.split_once('/').map_or("", |(file, _)| file);
        files.entry(file).or_default().push(result);
    }
    let description = record.descriptions.get(implementation);
    let version = description.map(|description| description.version.clone()).unwrap_or_default();
    let started = record.header.started.saturating_mul(1000);
    json!({
        "run_info": {
            "product": implementation,
            "browser_version": version,
            "os": std::env::consts::OS,
            "processor": std::env::consts::ARCH,
            "revision": record.header.more.get("commit").cloned().unwrap_or_default(),
        },
        "time_start": started,
        "time_end": started as f64 + record.seconds * 1000.0,
        "results": files.iter().map(|(file, results)| test(file, results)).collect::<Vec<_>>(),
    })
}

fn test(file: &str, results: &[&ResultLine]) -> Json {
    json!({
        "test": format!("/webnn/vectors/{file}.json"),
        "status": "OK",
        "message": null,
        "duration": (results.iter().map(|result| result.seconds).sum::<f64>() * 1000.0).round(),
        "subtests": results.iter().map(|result| subtest(result)).collect::<Vec<_>>(),
    })
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
    if result.is_unexpected() {
        subtest["expected"] = json!(if status == "PASS" { "FAIL" } else { "PASS" });
    }
    subtest
}
