//! The tests of `wpt-tests/js`, which are in web-platform-tests' form, on the reference.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use webnn_reference::cpu::Cpu;
use webnn_reference::steps::Reading;
use webnn_wpt::folder::{Resources, Test, tests};
use webnn_wpt::host::{Host, Limits, THREAD_STACK};
use webnn_wpt::outcome::{FileResult, FileStatus, Status};

const OWN_TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../js");

/// Runs the tests whose names contain `name`, in a thread with the stack that they need.
fn run(name: &'static str, limits: Limits) -> Vec<(Test, FileResult)> {
    run_of(OWN_TESTS.into(), name, limits)
}

/// The same for the tests of any folder that is laid out so.
fn run_of(root: PathBuf, name: &'static str, limits: Limits) -> Vec<(Test, FileResult)> {
    let work = move || {
        let root = root.as_path();
        let host = || Host::new(Rc::new(Cpu), Reading::Corrected, Resources::new(root, vec![]), limits);
        let (plain, with_proposals) = (host(), host().with_proposals());
        let all = tests(root, "webnn").expect("the folder of our tests");
        let chosen = all.into_iter().filter(|test| test.name.contains(name));
        let host = |test: &Test| if test.name.contains("/proposals/") { &with_proposals } else { &plain };
        chosen.map(|test| (test.clone(), host(&test).run(&test))).collect::<Vec<_>>()
    };
    let thread = std::thread::Builder::new().stack_size(THREAD_STACK).spawn(work).expect("a thread");
    thread.join().expect("results")
}

/// The result of the one test whose name contains `name`.
fn result(name: &'static str, limits: Limits) -> FileResult {
    let mut results = run(name, limits);
    assert_eq!(results.len(), 1, "{name}");
    results.remove(0).1
}

fn limits(timeout_multiplier: f64) -> Limits {
    Limits { timeout_multiplier, memory: 256 << 20 }
}

/// Time enough on a machine that is busy.
fn patient() -> Limits {
    limits(20.0)
}

fn statuses(result: &FileResult) -> Vec<(&str, Status)> {
    result.subtests.iter().map(|subtest| (subtest.name.as_str(), subtest.status)).collect()
}

#[test]
fn every_test_passes_in_every_scope_and_variant() {
    for (name, count) in [("/interfaces.", 4), ("/conversions.", 2), ("/execution.", 4), ("/proposals/", 6)] {
        let results = run(name, patient());
        assert_eq!(results.len(), count, "{name}");
        for (test, result) in results {
            assert_eq!(result.status, FileStatus::Ok, "{}: {:?}", test.name, result.message);
            assert!(!result.subtests.is_empty(), "{}", test.name);
            for subtest in result.subtests {
                assert_eq!(subtest.status, Status::Pass, "{}: {}: {:?}", test.name, subtest.name, subtest.message);
            }
        }
    }
}

#[test]
fn a_test_that_loops_ends_with_its_time() {
    let begun = Instant::now();
    let result = result("/loops.https.any.html", limits(0.1));
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(result.status, FileStatus::Timeout);
    assert_eq!(
        statuses(&result),
        [("before", Status::Pass), ("loops for ever", Status::Timeout), ("after", Status::Notrun)]
    );
}

/// What the exceptions of Web IDL say is not the business of a test that browsers run too.
#[test]
fn data_of_no_kind_is_refused_with_the_kinds_that_there_are() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kinds");
    fs::create_dir_all(root.join("resources")).unwrap();
    fs::create_dir_all(root.join("webnn/proposals")).unwrap();
    for file in fs::read_dir(Path::new(OWN_TESTS).join("resources")).unwrap().map(Result::unwrap) {
        fs::copy(file.path(), root.join("resources").join(file.file_name())).unwrap();
    }
    let script = "// META: global=dedicatedworker
        const float32 = {dataType: 'float32', shape: [1], writable: true};
        promise_test(async () => {
          const context = await navigator.ml.createContext();
          const builder = new MLGraphBuilder(context);
          const constant = builder.constant(float32);
          const graph = await builder.build({y: builder.relu(constant)});
          await graph.setConstantData(constant, 'abc');
        }, 'a constant');
        promise_test(async () => {
          const context = await navigator.ml.createContext();
          context.writeTensor(await context.createTensor(float32), 'abc');
        }, 'a tensor');";
    fs::write(root.join("webnn/proposals/kinds.https.any.js"), script).unwrap();
    let (_, result) = run_of(root, "/kinds.", patient()).remove(0);
    let messages: Vec<&str> =
        result.subtests.iter().map(|subtest| subtest.message.as_deref().unwrap_or_default()).collect();
    let [of_constant, of_tensor] = messages.as_slice() else { panic!("{result:?}") };
    assert!(of_constant.ends_with(" has to be a buffer, a view of one, a Blob or a ReadableStream"), "{of_constant}");
    assert!(of_tensor.ends_with(" has to be a buffer or a view of one"), "{of_tensor}");
}

#[test]
fn a_test_that_waits_for_what_never_comes_is_not_waited_for() {
    let begun = Instant::now();
    let result = result("/waits.https.any.html", patient());
    assert!(begun.elapsed() < Duration::from_secs(100), "its time is 200 seconds");
    assert_eq!(result.status, FileStatus::Timeout);
    assert_eq!(statuses(&result), [("waits for ever", Status::Timeout)]);
}

#[test]
fn a_test_that_allocates_without_end_fails_alone() {
    let result = result("/allocates.https.any.html", patient());
    assert_eq!(statuses(&result), [("allocates without end", Status::Fail), ("goes on", Status::Pass)]);
}

#[test]
fn a_test_that_throws_while_it_is_loaded_is_an_error_and_keeps_its_results() {
    let result = result("/throws.https.any.html", patient());
    assert_eq!(result.status, FileStatus::Error);
    assert!(result.message.as_deref().unwrap_or_default().contains("on purpose"), "{:?}", result.message);
    assert_eq!(statuses(&result), [("before", Status::Pass)]);
}

#[test]
fn a_promise_that_nobody_looks_at_is_an_error() {
    let result = result("/rejects.https.any.html", patient());
    assert_eq!(result.status, FileStatus::Error);
    assert!(result.message.as_deref().unwrap_or_default().contains("unhandled"), "{:?}", result.message);
}

#[test]
fn what_happens_once_a_test_is_complete_changes_nothing() {
    let result = result("/rejects-late.https.any.html", patient());
    assert_eq!(result.status, FileStatus::Ok);
    assert_eq!(statuses(&result), [("is done by then", Status::Pass)]);
}

#[test]
fn deep_recursion_is_an_exception_of_script() {
    let result = result("/recurses.https.any.html", patient());
    assert_eq!(statuses(&result), [("recursion ends in an exception", Status::Pass)]);
}

#[test]
fn what_needs_a_document_is_skipped_and_says_so() {
    let result = result("/document.https.window.html", patient());
    assert_eq!(result.status, FileStatus::Skip);
    assert_eq!(result.message.as_deref(), Some("needs a document"));
}
