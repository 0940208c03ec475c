//! The result file: JSON lines. A header, a line for each result as it comes, and a footer; a file without its footer is
//! of a run that did not end.

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::failure::Failure;
use crate::implementation::Description;
use crate::judge::bound::{BoundVerdict, Element, Standing};
use crate::judge::{Failure as NotAsExpected, Outcome};
use crate::record::{About, Record};
use crate::run::{Parting, Verdict};

/// The version of the form of the lines.
pub(crate) const FORMAT: u32 = 1;

/// A line of the file.
#[derive(Debug, Serialize)]
#[serde(tag = "line", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Line<'a> {
    Header {
        format: u32,
        program: &'static str,
        version: &'static str,
        started: u64,
        vectors: usize,
        implementations: Vec<String>,
        reading: &'static str,
        /// The files and folders of the vectors; none for those that the program carries.
        paths: Vec<String>,
        /// Where their expected values come from.
        sources: Vec<String>,
        /// Which part of a run this is, such as 2/8.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// The commit of this program, where it is known.
        commit: Option<&'static str>,
        /// The commit of the specification that the reference encodes.
        specification: &'static str,
        os: &'static str,
        processor: &'static str,
    },
    Started {
        implementation: &'a str,
        #[serde(flatten)]
        description: &'a Description,
    },
    NotStarted {
        implementation: &'a str,
        reason: &'a str,
    },
    /// What a vector is about.
    Vector {
        vector: &'a str,
        #[serde(flatten)]
        about: &'a About,
    },
    Result {
        vector: &'a str,
        implementation: &'a str,
        expected: bool,
        seconds: f64,
        #[serde(flatten)]
        outcome: OutcomeLine<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        bound: Option<BoundLine<'a>>,
    },
    Difference {
        vector: &'a str,
        implementations: [&'a str; 2],
        output: &'a str,
        worst: Option<String>,
        index: Option<usize>,
    },
    /// A result that is not the same every time.
    Flake {
        vector: &'a str,
        implementation: &'a str,
        message: &'a str,
    },
    Footer {
        results: usize,
        unexpected: usize,
        seconds: f64,
    },
}

/// Where the vectors of a run come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The files and folders that were named.
    pub(crate) paths: Vec<String>,
    /// Where the expected values come from.
    pub(crate) sources: Vec<String>,
    /// Which part of them is run, if not all.
    pub(crate) part: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum OutcomeLine<'a> {
    Passed {
        distance: String,
        bit_equal: bool,
    },
    Failed {
        message: String,
        #[serde(flatten)]
        failure: FailureLine<'a>,
    },
    Errored {
        message: &'a str,
    },
    Skipped {
        reason: &'a str,
    },
    Open {
        reason: &'a str,
        difference: Option<String>,
    },
}

/// What the derived bound says: `inside`, `outside` or `undecided`; how the vector stands with both judges; what the bound
/// says of the numbers that the vector expects; and unless the verdict is `inside`, of which element it is: its value, what
/// the reference has, and how far an honest implementation may be from that.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BoundLine<'a> {
    verdict: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<Standing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of_expected: Option<String>,
    #[serde(flatten)]
    element: Option<&'a Element>,
}

impl<'a> BoundLine<'a> {
    fn new(outcome: &Outcome, bound: &'a BoundVerdict) -> Self {
        Self {
            verdict: bound.verdict.to_string(),
            standing: Standing::of(outcome, bound),
            of_expected: bound.expected.map(|verdict| verdict.to_string()),
            element: bound.element.as_ref(),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum FailureLine<'a> {
    Element {
        output: &'a str,
        index: usize,
        expected_value: &'a str,
        actual_value: &'a str,
        distance: String,
        allowed: String,
    },
    Other {},
}

impl<'a> From<&'a Outcome> for OutcomeLine<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Passed { distance, bit_equal } => {
                Self::Passed { distance: distance.to_string(), bit_equal: *bit_equal }
            }
            Outcome::Failed(failure) => Self::Failed { message: failure.to_string(), failure: failure.into() },
            Outcome::Errored(message) => Self::Errored { message },
            Outcome::Skipped(reason) => Self::Skipped { reason },
            Outcome::Open { reason, difference } => {
                Self::Open { reason, difference: difference.as_ref().map(ToString::to_string) }
            }
        }
    }
}

impl<'a> From<&'a NotAsExpected> for FailureLine<'a> {
    fn from(failure: &'a NotAsExpected) -> Self {
        match failure {
            NotAsExpected::Element { output, index, expected, actual, distance, allowed } => Self::Element {
                output,
                index: *index,
                expected_value: expected,
                actual_value: actual,
                distance: distance.to_string(),
                allowed: allowed.to_string(),
            },
            NotAsExpected::Descriptor { .. } | NotAsExpected::Exception { .. } | NotAsExpected::Call { .. } => {
                Self::Other {}
            }
        }
    }
}

/// The result file of a run that goes on.
pub(crate) struct Results {
    path: PathBuf,
    file: BufWriter<File>,
    implementations: Vec<String>,
    results: usize,
}

impl Results {
    /// Creates the file, and the folder that it is in, and writes the header.
    ///
    /// # Errors
    /// If that can not be done.
    pub(crate) fn create(
        path: &Path,
        implementations: Vec<String>,
        vectors: usize,
        reading: &'static str,
        origin: Origin,
    ) -> Result<Self, Failure> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        }
        let file = opened(path)?;
        let mut results = Self { path: path.to_owned(), file: BufWriter::new(file), implementations, results: 0 };
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        results.write(&Line::Header {
            format: FORMAT,
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            started,
            vectors,
            implementations: results.implementations.clone(),
            reading,
            paths: origin.paths,
            sources: origin.sources,
            part: origin.part,
            commit: option_env!("WEBNN_COMMIT"),
            specification: webnn_reference::SPECIFICATION,
            os: std::env::consts::OS,
            processor: std::env::consts::ARCH,
        })?;
        Ok(results)
    }

    fn write(&mut self, line: &Line<'_>) -> Result<(), Failure> {
        let text = serde_json::to_string(line).map_err(|error| Failure::Output(error.to_string()))?;
        writeln!(self.file, "{text}").map_err(|error| unwritable(&self.path, &error))
    }

    fn name(&self, implementation: usize) -> String {
        self.implementations.get(implementation).cloned().unwrap_or_default()
    }

    pub(crate) fn vector(&mut self, vector: &str, about: &About) -> Result<(), Failure> {
        self.write(&Line::Vector { vector, about })
    }

    pub(crate) fn started(&mut self, implementation: usize, description: &Description) -> Result<(), Failure> {
        let name = self.name(implementation);
        self.write(&Line::Started { implementation: &name, description })
    }

    pub(crate) fn not_started(&mut self, implementation: usize, reason: &str) -> Result<(), Failure> {
        let name = self.name(implementation);
        self.write(&Line::NotStarted { implementation: &name, reason })
    }

    pub(crate) fn result(&mut self, vector: &str, verdict: &Verdict, expected: bool) -> Result<(), Failure> {
        self.results += 1;
        let implementation = self.name(verdict.implementation);
        self.write(&Line::Result {
            vector,
            implementation: &implementation,
            expected,
            seconds: verdict.took.as_secs_f64(),
            outcome: OutcomeLine::from(&verdict.outcome),
            bound: verdict.bound.as_ref().map(|bound| BoundLine::new(&verdict.outcome, bound)),
        })
    }

    pub(crate) fn difference(&mut self, vector: &str, parting: &Parting) -> Result<(), Failure> {
        let names = [self.name(parting.implementations.0), self.name(parting.implementations.1)];
        self.write(&Line::Difference {
            vector,
            implementations: [&names[0], &names[1]],
            output: &parting.output,
            worst: parting.worst.map(|(distance, _)| distance.to_string()),
            index: parting.worst.map(|(_, index)| index),
        })
    }

    pub(crate) fn flake(&mut self, vector: &str, implementation: usize, message: &str) -> Result<(), Failure> {
        let implementation = self.name(implementation);
        self.write(&Line::Flake { vector, implementation: &implementation, message })
    }

    /// Ends without a footer: the run is not complete, and is never to be taken for one that is.
    ///
    /// # Errors
    /// If the file can not be written.
    pub(crate) fn abandon(mut self) -> Result<PathBuf, Failure> {
        self.file.flush().map_err(|error| unwritable(&self.path, &error))?;
        Ok(self.path)
    }

    /// Writes the footer: the run has ended.
    ///
    /// # Errors
    /// If the file can not be written.
    pub(crate) fn finish(mut self, unexpected: usize, seconds: f64) -> Result<PathBuf, Failure> {
        self.write(&Line::Footer { results: self.results, unexpected, seconds })?;
        self.file.flush().map_err(|error| unwritable(&self.path, &error))?;
        Ok(self.path)
    }
}

/// Writes a run that has ended, in the order of its vectors and implementations.
///
/// # Errors
/// If the file can not be written.
pub(crate) fn write(path: &Path, record: &Record) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    let mut file = BufWriter::new(opened(path)?);
    for line in lines(record).map_err(|error| Failure::Output(error.to_string()))? {
        writeln!(file, "{line}").map_err(|error| unwritable(path, &error))?;
    }
    file.flush().map_err(|error| unwritable(path, &error))
}

/// The lines of a run that has ended, in the order of its vectors and implementations.
///
/// # Errors
/// None that is to be expected.
pub(crate) fn lines(record: &Record) -> serde_json::Result<Vec<Json>> {
    let mut lines = vec![tagged("header", &record.header)?];
    for (name, description) in &record.descriptions {
        let mut line = tagged("started", description)?;
        line["implementation"] = name.as_str().into();
        lines.push(line);
    }
    for (name, reason) in &record.not_started {
        lines.push(tagged("notStarted", &json!({ "implementation": name, "reason": reason }))?);
    }
    for (vector, about) in &record.vectors {
        let mut line = tagged("vector", about)?;
        line["vector"] = vector.as_str().into();
        lines.push(line);
    }
    for result in record.results.values() {
        lines.push(tagged("result", result)?);
    }
    for difference in &record.differences {
        lines.push(tagged("difference", difference)?);
    }
    for flake in &record.flakes {
        lines.push(tagged("flake", flake)?);
    }
    let (results, unexpected) = (record.results.len(), record.unexpected().count());
    let footer = json!({ "results": results, "unexpected": unexpected, "seconds": record.seconds });
    lines.push(tagged("footer", &footer)?);
    Ok(lines)
}

/// A line, by its kind and its members.
fn tagged(line: &str, members: &impl Serialize) -> serde_json::Result<Json> {
    let mut tagged = json!({ "line": line });
    if let (Some(all), Json::Object(members)) = (tagged.as_object_mut(), serde_json::to_value(members)?) {
        all.extend(members);
    }
    Ok(tagged)
}

/// Opens the file for this run alone.
fn opened(path: &Path) -> Result<File, Failure> {
    let open = File::options().create(true).truncate(false).write(true).open(path);
    let file = open.map_err(|error| unwritable(path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let path = path.display();
            return Err(Failure::Output(format!("another run is writing to {path}; name another file with --output")));
        }
        // A place that has no locks, such as a device.
        Err(TryLockError::Error(_)) => {}
    }
    // What was there before is another run's; a device has nothing to cut off.
    drop(file.set_len(0));
    Ok(file)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Output(format!("{} can not be written: {error}", path.display()))
}
