//! A report as JUnit XML, which most CI systems show: a suite for each implementation, a case for each vector.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::record::{Record, ResultLine, Went};

/// The report.
///
/// # Errors
/// If it can not be written as XML.
pub(crate) fn xml(record: &Record) -> Result<String, String> {
    let mut report = Report::new("webnn");
    for implementation in record.implementations() {
        let mut suite = TestSuite::new(implementation.as_str());
        let of_it = record.results.values().filter(|result| &result.implementation == implementation);
        suite.add_test_cases(of_it.map(case));
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|error| error.to_string())
}

/// A known failure is no failure of the job: it is skipped, with its message. An unexpected pass is one.
fn case(result: &ResultLine) -> TestCase {
    let mut status = match (result.outcome, result.expected) {
        (Went::Passed | Went::Open, true) => TestCaseStatus::success(),
        (Went::Skipped | Went::Failed | Went::Errored, true) => TestCaseStatus::skipped(),
        (Went::Errored, false) => TestCaseStatus::non_success(NonSuccessKind::Error),
        (Went::Passed | Went::Failed | Went::Skipped | Went::Open, false) => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
    };
    match (result.outcome, result.message()) {
        (Went::Passed, _) if !result.expected => {
            status.set_message("passed, although it is expected to fail");
        }
        (_, "") => {}
        (_, message) => {
            status.set_message(message);
        }
    }
    let (file, name) = result.vector.split_once('/').unwrap_or(("", result.vector.as_str()));
    let mut case = TestCase::new(name, status);
    case.set_classname(file);
    case.set_time(Duration::try_from_secs_f64(result.seconds).unwrap_or_default());
    case
}
