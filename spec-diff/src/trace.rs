//! Which steps vectors reach, as `webnn coverage --json FILE` records it.
//!
//! ```json
//! {"places": [["MLGraphBuilder.relu(input, options)", "1"], ...],
//!  "vectors": [{"vector": "relu/relu float32", "reached": [0, 1, 2], "threw": []}, ...]}
//! ```
//!
//! Numbers are places in the list of places; a vector *threw* at a step if an exception came from there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Files beyond this size are no record of vectors; ours is a hundredth of it.
const MAX_BYTES: u64 = 256 << 20;

/// A record.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    vectors: Vec<Vector>,
    /// For each algorithm and step, the vectors that reach it, those that reach the fewest steps first.
    reached: BTreeMap<(String, String), Vec<usize>>,
    threw: BTreeMap<(String, String), Vec<usize>>,
}

#[derive(Clone, Debug)]
struct Vector {
    id: String,
    steps: usize,
}

#[derive(Deserialize)]
struct Recorded {
    places: Vec<(String, String)>,
    vectors: Vec<RecordedVector>,
}

#[derive(Deserialize)]
struct RecordedVector {
    vector: String,
    reached: BTreeSet<usize>,
    threw: BTreeSet<usize>,
}

/// A record that can not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}; `webnn coverage --json FILE` writes one", .path.display())]
pub struct TraceError {
    path: PathBuf,
    what: String,
}

impl Trace {
    /// Reads a record.
    ///
    /// # Errors
    /// If the file can not be read, or is no record.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let error = |what: String| TraceError { path: path.to_owned(), what };
        let file = File::open(path).map_err(|source: io::Error| error(source.to_string()))?;
        let recorded: Recorded = serde_json::from_reader(BufReader::new(file.take(MAX_BYTES)))
            .map_err(|source| error(format!("this is no record of the steps that vectors reach: {source}")))?;
        Self::of(&recorded).map_err(error)
    }

    fn of(recorded: &Recorded) -> Result<Self, String> {
        let mut trace = Self::default();
        let place =
            |number: &usize| recorded.places.get(*number).cloned().ok_or_else(|| format!("there is no place {number}"));
        for RecordedVector { vector, reached, threw } in &recorded.vectors {
            let number = trace.vectors.len();
            trace.vectors.push(Vector { id: vector.clone(), steps: reached.len() });
            for step in reached {
                trace.reached.entry(place(step)?).or_default().push(number);
            }
            for step in threw {
                trace.threw.entry(place(step)?).or_default().push(number);
            }
        }
        for vectors in trace.reached.values_mut().chain(trace.threw.values_mut()) {
            vectors.sort_by_key(|number| trace.vectors[*number].steps);
        }
        Ok(trace)
    }

    /// How many vectors it is of.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Whether it is of none.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// The vectors that reach a step, those that do least else first.
    pub fn reaching(&self, algorithm: &str, step: &str) -> Vec<&str> {
        self.ids(self.reached.get(&(algorithm.to_owned(), step.to_owned())))
    }

    /// The vectors in which a step throws, those that do least else first.
    pub fn throwing(&self, algorithm: &str, step: &str) -> Vec<&str> {
        self.ids(self.threw.get(&(algorithm.to_owned(), step.to_owned())))
    }

    fn ids(&self, numbers: Option<&Vec<usize>>) -> Vec<&str> {
        numbers.into_iter().flatten().map(|number| self.vectors[*number].id.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(text: &str) -> Result<Trace, String> {
        Trace::of(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn the_vector_that_does_least_comes_first() {
        let text = r#"{"places": [["f", "1"], ["f", "2"]], "vectors": [
            {"vector": "long", "reached": [0, 1], "threw": []}, {"vector": "short", "reached": [0], "threw": [0]}]}"#;
        let trace = trace(text).unwrap();
        assert_eq!(trace.reaching("f", "1"), ["short", "long"]);
        assert_eq!(trace.reaching("f", "2"), ["long"]);
        assert_eq!(trace.throwing("f", "1"), ["short"]);
        assert_eq!((trace.throwing("f", "2").len(), trace.reaching("g", "1").len(), trace.len()), (0, 0, 2));
    }

    #[test]
    fn a_place_that_is_not_there_is_refused() {
        let text = r#"{"places": [], "vectors": [{"vector": "x", "reached": [7], "threw": []}]}"#;
        assert_eq!(trace(text).unwrap_err(), "there is no place 7");
        let missing = Trace::read(Path::new("no/such.json")).unwrap_err().to_string();
        assert!(missing.starts_with("no/such.json: No such file") && missing.contains("webnn coverage --json"));
    }
}
