//! Reads the conformance tests of web-platform-tests as vectors: their files are evaluated, and what they would run is
//! written down, with the tolerances that their own code computes.

use std::time::Duration;

use crate::Error;
use crate::folder::Test;
use crate::host::Host;

/// How long a file may take: its graphs are built, and some are large.
const TIME: Duration = Duration::from_secs(300);

/// The tests of a conformance file, each as JSON in the form of our vectors. A test that is no data is left out.
///
/// # Errors
/// A file that can not be read, or a script that does not do what it has to.
pub fn tests(host: &Host, test: &Test) -> Result<Vec<String>, Error> {
    let json = host.collect(test, include_str!("../js/import.js"), TIME)?;
    serde_json::from_str(&json).map_err(|error| Error::Script(error.to_string()))
}

/// A file of vectors with these tests.
pub fn file(test: &Test, tests: &[String]) -> String {
    let source = serde_json::Value::String(format!("web-platform-tests, {}", test.file.display()));
    format!("{{\"source\": {source}, \"tests\": [\n{}\n]}}\n", tests.join(",\n"))
}
