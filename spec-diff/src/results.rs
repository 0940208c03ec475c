//! What implementations made of vectors, as `webnn run` writes it: JSON lines with a header, results and a footer.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Files beyond this size are no results.
const MAX_BYTES: u64 = 1 << 30;

/// The outcomes of vectors, for each implementation.
#[derive(Clone, Debug, Default)]
pub struct Results {
    implementations: BTreeMap<String, BTreeMap<String, Outcome>>,
}

/// What became of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// As expected.
    Passed,
    /// Otherwise.
    Failed,
    /// The implementation broke.
    Errored,
    /// It was not run.
    Skipped,
    /// Nobody says what is expected.
    Open,
}

/// How many vectors that reach a step passed, and how many did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// As expected.
    pub passed: usize,
    /// Failed, or errored.
    pub failed: usize,
}

#[derive(Deserialize)]
#[serde(tag = "line", rename_all = "camelCase")]
enum Line {
    Result {
        vector: String,
        implementation: String,
        outcome: Outcome,
    },
    Footer {},
    #[serde(other)]
    Other,
}

/// Results that can not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}; `webnn run` writes results", .path.display())]
pub struct ResultsError {
    path: PathBuf,
    what: String,
}

impl Results {
    /// Reads the results of a run that ended.
    ///
    /// # Errors
    /// If the file can not be read, has other lines, or has no footer.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let error = |what: String| ResultsError { path: path.to_owned(), what };
        let file = File::open(path).map_err(|source| error(source.to_string()))?;
        Self::of(BufReader::new(file.take(MAX_BYTES))).map_err(error)
    }

    fn of(lines: impl BufRead) -> Result<Self, String> {
        let mut results = Self::default();
        let mut is_complete = false;
        for (index, line) in lines.lines().enumerate() {
            let line = line.map_err(|source| source.to_string())?;
            let line =
                serde_json::from_str(&line).map_err(|source| format!("line {} is no result: {source}", index + 1))?;
            match line {
                Line::Result { vector, implementation, outcome } => {
                    results.implementations.entry(implementation).or_default().insert(vector, outcome);
                }
                Line::Footer {} => is_complete = true,
                Line::Other => {}
            }
        }
        if is_complete { Ok(results) } else { Err("there is no footer: the run did not end".to_owned()) }
    }

    /// The implementations that ran.
    pub fn implementations(&self) -> impl Iterator<Item = &str> {
        self.implementations.keys().map(String::as_str)
    }

    /// What an implementation made of some vectors.
    pub fn verdict(&self, implementation: &str, vectors: &[&str]) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(outcomes) = self.implementations.get(implementation) else { return verdict };
        for outcome in vectors.iter().filter_map(|vector| outcomes.get(*vector)) {
            match outcome {
                Outcome::Passed => verdict.passed += 1,
                Outcome::Failed | Outcome::Errored => verdict.failed += 1,
                Outcome::Skipped | Outcome::Open => {}
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"line":"header","format":1}"#;
    const RESULT: &str = r#"{"line":"result","vector":"a","implementation":"wgpu","expected":true,"outcome":"failed"}"#;

    #[test]
    fn a_run_that_ended_has_verdicts() {
        let passed = RESULT.replace("failed", "passed").replace("\"a\"", "\"b\"");
        let text = [HEADER, RESULT, &passed, r#"{"line":"footer","results":2}"#].join("\n");
        let results = Results::of(text.as_bytes()).unwrap();
        assert_eq!(results.implementations().collect::<Vec<_>>(), ["wgpu"]);
        assert_eq!(results.verdict("wgpu", &["a", "b", "c"]), Verdict { passed: 1, failed: 1 });
        assert_eq!(results.verdict("other", &["a"]), Verdict::default());
    }

    #[test]
    fn a_run_that_did_not_end_is_refused() {
        assert!(Results::of([HEADER, RESULT].join("\n").as_bytes()).unwrap_err().contains("did not end"));
        assert!(Results::of("nonsense".as_bytes()).unwrap_err().starts_with("line 1 is no result"));
    }
}
