//! `webnn wpt` and `webnn emit`, run on our own tests in web-platform-tests' form.

mod program;

use std::collections::{BTreeMap, BTreeSet};

use program::{Folder, agrees_with};
use serde_json::Value;

const OWN_TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../wpt-tests/js");

/// The report of a run on the reference, by the names of its tests.
fn report(folder: &Folder) -> Vec<Value> {
    let report: Value = serde_json::from_str(&folder.read("report-reference.json")).unwrap();
    assert_eq!(report["run_info"]["product"], "webnn-reference");
    assert!(report["time_start"].as_u64() <= report["time_end"].as_u64());
    report["results"].as_array().unwrap().clone()
}

fn result<'a>(results: &'a [Value], name: &str) -> &'a Value {
    results.iter().find(|result| result["test"] == name).unwrap_or_else(|| panic!("no result of {name}"))
}

#[test]
fn tests_that_misbehave_cost_themselves_only() {
    let folder = Folder::with("empty", "");
    let (time, memory) = ("--timeout-multiplier=0.3", "--memory=128");
    let filter = ["/misbehaving/", "/execution.https.any.html"];
    let ran = folder.webnn(&["wpt", "run", OWN_TESTS, filter[0], filter[1], "-o", "report.json", time, memory]);
    assert_eq!(ran.code, 1, "{ran}");
    ran.shows("loops for ever: TIMEOUT");
    ran.shows("skipped, 1 test: needs a document");
    let results = report(&folder);
    let status = |name: &str| result(&results, &format!("/webnn/misbehaving/{name}"))["status"].clone();
    assert_eq!(status("loops.https.any.html"), "TIMEOUT");
    assert_eq!(status("loops.https.any.worker.html"), "TIMEOUT");
    assert_eq!(status("waits.https.any.html"), "TIMEOUT");
    assert_eq!(status("throws.https.any.html"), "ERROR");
    assert_eq!(status("rejects.https.any.html"), "ERROR");
    assert_eq!(status("rejects-late.https.any.html"), "OK");
    assert_eq!(status("allocates.https.any.html"), "OK");
    // In a native call, which script's time limit does not end: the thread is given up.
    assert_eq!(status("computes.https.any.html"), "CRASH");
    assert_eq!(status("document.https.window.html"), "SKIP");
    for variant in ["?first", "?second&a=b%20c"] {
        let result = result(&results, &format!("/webnn/execution.https.any.html{variant}"));
        assert_eq!(result["status"], "OK");
        for subtest in result["subtests"].as_array().unwrap() {
            assert_eq!(subtest["status"], "PASS", "{subtest}");
        }
    }
}

#[test]
fn a_report_follows_the_rules_of_wpt_fyi() {
    let folder = Folder::with("empty", "");
    let filter = ["/misbehaving/throws", "/misbehaving/recurses", "/interfaces."];
    let ran = folder.webnn(&["wpt", "run", OWN_TESTS, filter[0], filter[1], filter[2], "-o", "report.json"]);
    assert_eq!(ran.code, 1, "{ran}");
    let results = report(&folder);
    let names: BTreeSet<&str> = results.iter().map(|result| result["test"].as_str().unwrap()).collect();
    assert_eq!(names.len(), results.len(), "each test stands once");
    for result in &results {
        assert!(result["test"].as_str().unwrap().starts_with('/'), "{result}");
        let is_expected = result["status"] == "OK";
        assert_eq!(result.get("expected").is_none(), is_expected, "only what differs has an expectation: {result}");
        let names: BTreeSet<_> = result["subtests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|subtest| &subtest["name"])
            .map(Value::to_string)
            .collect();
        assert_eq!(names.len(), result["subtests"].as_array().unwrap().len());
    }
}

#[test]
fn known_failures_are_expected_and_passes_of_them_are_not() {
    let known = "[[expectation]]\nfile = \"misbehaving/waits.https.any.js\"\nfile_status = \"TIMEOUT\"\n\
                 subtests = [\"waits for ever\"]\nstatus = \"TIMEOUT\"\nreason = \"on purpose\"\nlink = \"the test\"\n";
    let folder = Folder::with("known/reference.toml", known);
    let run =
        |name: &str| folder.webnn(&["wpt", "run", OWN_TESTS, name, "--expectations", "known", "-o", "report.json"]);
    let ran = run("/waits.https.any.html");
    assert_eq!(ran.code, 0, "{ran}");
    ran.shows("known: on purpose (the test)\n  misbehaving/waits.https.any.js: waits for ever");

    folder.write(
        "known/reference.toml",
        &known.replace("waits.", "recurses.").replace("waits for ever", "recursion ends in an exception"),
    );
    let ran = run("/recurses.https.any.html");
    assert_eq!(ran.code, 1, "{ran}");
    ran.shows("recursion ends in an exception: PASS: although it is listed as known not to");

    folder.write("known/reference.toml", &known.replace("on purpose", " "));
    let ran = run("/waits.https.any.html");
    assert_eq!(ran.code, 65, "{ran}");
    ran.complains("has no reason or link");
}

#[test]
fn what_is_wrong_with_the_command_is_said() {
    let folder = Folder::with("empty", "");
    let ran = folder.webnn(&["wpt", "run", "."]);
    assert_eq!(ran.code, 65, "{ran}");
    ran.complains("is no checkout of web-platform-tests");
    let ran = folder.webnn(&["wpt", "run", OWN_TESTS, "no such test"]);
    assert_eq!(ran.code, 66, "{ran}");
    ran.complains("no test is selected");
    let ran = folder.webnn(&["wpt", "run", OWN_TESTS, "/interfaces.", "--list"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 4), "{ran}");
    let ran = folder.webnn(&["emit", "residency/a budget of a context that is lost"]);
    assert_eq!(ran.code, 2, "{ran}");
    ran.complains("it has calls that no page can make: lose");
}

#[test]
fn a_vector_is_emitted_as_a_file() {
    let folder = Folder::with("empty", "");
    let ran = folder.webnn(&["emit", "softmax float32 1D axis 0", "--as", "wpt", "-o", "softmax.https.any.js"]);
    assert_eq!(ran.code, 0, "{ran}");
    agrees_with(&folder.read("softmax.https.any.js"), "softmax.https.any.js");
}

/// A vector whose test fails before it calls WebNN: web-platform-tests' own code makes a BigUint64Array of numbers.
const FAILS_IN_SCRIPT_ONLY: &str = "clamp/clamp uint64 1D tensor";

/// Set `WPT_CHECKOUT` to a checkout of web-platform-tests: a conformance test comes to the same as the vector made of it.
#[test]
fn conformance_tests_and_the_vectors_made_of_them_agree() {
    let Ok(checkout) = std::env::var("WPT_CHECKOUT") else { return };
    let checkout = checkout.as_str();
    let folder = Folder::with("empty", "");
    let ran = folder.webnn(&["wpt", "import", checkout, "imported"]);
    assert_eq!(ran.code, 0, "{ran}");
    let ran = folder.webnn(&["run", "imported", "-i", "reference", "-o", "imported.jsonl"]);
    assert_eq!(ran.code, 0, "what vectors come to is expected: {ran}");
    let lines = folder.read("imported.jsonl");
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let vectors: BTreeMap<String, bool> = lines
        .filter(|line| line["line"] == "result")
        .map(|line| (line["vector"].as_str().unwrap().to_owned(), line["outcome"] == "passed"))
        .collect();

    let time = "--timeout-multiplier=20";
    let ran = folder.webnn(&["wpt", "run", checkout, "/conformance_tests/", "-o", "report.json", time]);
    assert_eq!(ran.code, 0, "what tests come to is expected: {ran}");
    let mut compared = BTreeSet::new();
    for result in report(&folder) {
        let name = result["test"].as_str().unwrap();
        let file = name.rsplit('/').next().unwrap().split('.').next().unwrap();
        for subtest in result["subtests"].as_array().unwrap() {
            let vector = format!("{file}/{}", subtest["name"].as_str().unwrap());
            if let Some(passed) = vectors.get(&vector) {
                let agree = (subtest["status"] == "PASS") == *passed;
                assert_eq!(agree, vector != FAILS_IN_SCRIPT_ONLY, "{name}: {vector}");
                compared.insert(vector);
            }
        }
    }
    let all: BTreeSet<String> = vectors.into_keys().collect();
    assert!(!all.is_empty());
    assert_eq!(compared, all, "each vector has its test");
}
