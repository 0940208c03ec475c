//! What no vector reaches has a reason, and each reason is about a step that there is.

use std::path::Path;

use spec_diff::coverage::{Coverage, Reasons};
use spec_diff::lock::Lock;
use spec_diff::trace::Trace;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn lock() -> Lock {
    Lock::read(&here().join("steps.lock")).unwrap()
}

fn reasons() -> Reasons {
    Reasons::read(&here().join("unreached.toml")).unwrap()
}

#[test]
fn reasons_are_about_steps_and_name_tests_that_there_are() {
    let coverage = Coverage::of(&lock(), &Trace::default(), &reasons());
    assert_eq!(coverage.stale, [""; 0]);
    assert!(!coverage.is_complete(), "without vectors nothing is reached");
    assert_eq!(coverage.steps().filter(|(_, step)| step.is_throwing()).count(), 416);
    for test in reasons().tests() {
        assert!(here().join("..").join(test).exists(), "{}", test.display());
    }
}

#[test]
fn a_step_that_is_reached_needs_no_reason() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coverage.json");
    let record = r#"{"places": [["MLContext.readTensor(tensor)", "8.2"]], "vectors": [{"vector": "x", "reached": [0], "threw": [0]}]}"#;
    std::fs::write(&path, record).unwrap();
    let coverage = Coverage::of(&lock(), &Trace::read(&path).unwrap(), &reasons());
    assert_eq!(coverage.stale, ["MLContext.readTensor(tensor) step 8.2 is reached, and needs no reason"]);
    let is_it = |algorithm: &str, path: &str| algorithm == "MLContext.readTensor(tensor)" && path == "8.2";
    let step = coverage.steps().find(|(algorithm, step)| is_it(&algorithm.name, &step.path)).unwrap().1;
    assert_eq!(step.reaching, ["x"]);
}

#[test]
fn a_list_of_another_form_is_refused() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unreached.toml");
    std::fs::write(&path, "[[step]]\nalgorithms = [\"x\"]\n").unwrap();
    let error = Reasons::read(&path).unwrap_err().to_string();
    assert!(error.contains("unreached.toml") && error.contains("steps"), "{error}");
    assert!(Reasons::read(Path::new("no/such.toml")).unwrap_err().to_string().contains("No such file"));
}
