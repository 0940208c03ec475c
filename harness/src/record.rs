//! What a result file says, read back: for reports, comparisons, and runs of what failed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use webnn_vectors::{DataType, Vector};

use crate::failure::Failure;
use crate::implementation::Description;
use crate::judge::bound::Standing;

/// A run that has ended, as its file has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// The first line, without its tag.
    pub(crate) header: Header,
    /// What implementations said of themselves, by name.
    pub(crate) descriptions: BTreeMap<String, Description>,
    /// Why implementations did not start, by name.
    pub(crate) not_started: BTreeMap<String, String>,
    /// What the vectors are about, by id.
    pub(crate) vectors: BTreeMap<String, About>,
    /// The results, by vector and implementation.
    pub(crate) results: BTreeMap<(String, String), ResultLine>,
    /// Where implementations part, in the order of vectors and implementations.
    pub(crate) differences: Vec<Difference>,
    /// What did not go the same way every time.
    pub(crate) flakes: Vec<Flake>,
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
}

/// The header of a result file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header {
    /// The version of the form of the lines.
    pub(crate) format: u32,
    /// The program that wrote it, and its version.
    pub(crate) program: String,
    pub(crate) version: String,
    /// When it began, in seconds since 1970.
    pub(crate) started: u64,
    /// How many vectors there are.
    pub(crate) vectors: usize,
    /// The implementations, in the order of the command line.
    pub(crate) implementations: Vec<String>,
    /// The reading of the specification.
    pub(crate) reading: String,
    /// Which part of a run this is, such as 2/8; none if it is all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<String>,
    /// What was run, of which version: whatever else the line says.
    #[serde(flatten)]
    pub(crate) more: Map<String, Json>,
}

/// What a vector is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct About {
    /// Its operator, or else its file.
    pub(crate) subject: String,
    /// The data type of its first input, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_type: Option<String>,
}

impl About {
    /// The data type of a vector's first input, where it has one.
    pub(crate) fn data_type_of(vector: &Vector) -> Option<DataType> {
        let first = vector.graph().and_then(|graph| graph.inputs.values().next());
        first.map(|input| input.descriptor.data_type)
    }
}

/// How a vector went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Went {
    Passed,
    Failed,
    Errored,
    Skipped,
    Open,
}

impl Went {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Errored => "errored",
            Self::Skipped => "skipped",
            Self::Open => "open",
        }
    }
}

/// One result.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultLine {
    pub(crate) vector: String,
    pub(crate) implementation: String,
    /// Whether it is as expected.
    pub(crate) expected: bool,
    pub(crate) seconds: f64,
    pub(crate) outcome: Went,
    /// What depends on the outcome: message, reason, distance, and so on.
    #[serde(flatten)]
    pub(crate) more: Map<String, Json>,
}

impl ResultLine {
    /// What is said of it, in a sentence; nothing of what passed.
    pub(crate) fn message(&self) -> &str {
        let text = |name: &str| self.more.get(name).and_then(Json::as_str);
        text("message").or_else(|| text("reason")).unwrap_or_default()
    }

    /// Why it is known not to be a pass, where that is listed.
    pub(crate) fn known(&self) -> Option<&str> {
        self.more.get("known").and_then(Json::as_str)
    }

    /// Whether every output was equal to the last bit.
    pub(crate) fn is_bit_equal(&self) -> bool {
        self.more.get("bitEqual").and_then(Json::as_bool).unwrap_or_default()
    }

    /// How it stands with both judges, where the derived bound was asked.
    pub(crate) fn standing(&self) -> Option<Standing> {
        serde_json::from_value(self.more.get("bound")?.get("standing")?.clone()).ok()
    }

    /// Whether it is worth a look: it was not as expected.
    pub(crate) fn is_unexpected(&self) -> bool {
        !self.expected
    }
}

/// Where two implementations part.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Difference {
    pub(crate) vector: String,
    pub(crate) implementations: [String; 2],
    pub(crate) output: String,
    pub(crate) worst: Option<String>,
    pub(crate) index: Option<usize>,
}

/// A result that is not the same every time.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Flake {
    pub(crate) vector: String,
    pub(crate) implementation: String,
    pub(crate) message: String,
}

/// The last line.
#[derive(Clone, Debug, Deserialize)]
struct Footer {
    results: usize,
    seconds: f64,
    /// Whether somebody ended the run before its vectors did.
    #[serde(default)]
    interrupted: bool,
}

/// What to do with a run that did not end.
const GO_ON: &str = "the command of the run with --resume goes on with it";

/// Any line. The results' members vary, which is why each kind is read by itself.
#[derive(Debug, Deserialize)]
struct Tag {
    line: String,
}

#[derive(Debug, Deserialize)]
struct StartedLine {
    implementation: String,
    #[serde(flatten)]
    description: Description,
}

#[derive(Debug, Deserialize)]
struct VectorLine {
    vector: String,
    #[serde(flatten)]
    about: About,
}

#[derive(Debug, Deserialize)]
struct NotStartedLine {
    implementation: String,
    reason: String,
}

impl Record {
    /// Reads a result file.
    ///
    /// # Errors
    /// If it can not be read, is no result file, or is of a run that did not end.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Data(format!("{}: {why}", path.display()));
        read_lines(path).and_then(Reader::finish).map_err(wrong)
    }

    /// Reads what there is of a run, whether it has ended or not.
    ///
    /// # Errors
    /// If the file can not be read, or is no result file.
    pub(crate) fn read_as_far_as_it_is(path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Data(format!("{}: {why}", path.display()));
        let reader = read_lines(path).map_err(wrong)?;
        if !reader.has_header {
            return Err(wrong("a result file begins with its header".into()));
        }
        let seconds = reader.footer.map_or(0.0, |footer| footer.seconds);
        Ok(Self { seconds, ..reader.record })
    }

    /// The implementations, in the order of the command line.
    pub(crate) fn implementations(&self) -> &[String] {
        &self.header.implementations
    }

    /// What the vector of a result is about.
    pub(crate) fn subject(&self, result: &ResultLine) -> &str {
        self.vectors.get(&result.vector).map_or("", |about| about.subject.as_str())
    }

    /// Those that are not as expected, in the order of vectors.
    pub(crate) fn unexpected(&self) -> impl Iterator<Item = &ResultLine> {
        self.results.values().filter(|result| result.is_unexpected())
    }
}

/// The lines of a result file. The last one is cut off where the program was ended, or the disk was full, while it wrote.
fn read_lines(path: &Path) -> Result<Reader, String> {
    let mut file = BufReader::new(File::open(path).map_err(|error| error.to_string())?);
    let mut reader = Reader::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(|error| error.to_string())? == 0 {
            break;
        }
        let is_whole = line.ends_with(b"\n");
        let read = std::str::from_utf8(&line).map_err(|_| "it is not UTF-8".to_owned());
        match read.and_then(|text| reader.line(text)) {
            Ok(()) => {}
            Err(_) if !is_whole && reader.has_header => reader.is_cut_off = true,
            Err(why) => return Err(format!("line {number}: {why}")),
        }
    }
    Ok(reader)
}

/// A record in the making.
#[derive(Default)]
struct Reader {
    record: Record,
    has_header: bool,
    is_cut_off: bool,
    footer: Option<Footer>,
}

impl Reader {
    fn line(&mut self, text: &str) -> Result<(), String> {
        fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
            serde_json::from_str(text).map_err(|error| error.to_string())
        }
        let Tag { line } = read(text).map_err(|error| format!("no line of a result file: {error}"))?;
        if self.footer.is_some() {
            return Err("there is something after the footer".into());
        }
        match (line.as_str(), self.has_header) {
            ("header", false) => {
                let mut header: Header = read(text)?;
                header.more.shift_remove("line");
                if header.format != crate::results::FORMAT {
                    let ours = crate::results::FORMAT;
                    return Err(format!("it is of format {}, and this program reads format {ours}", header.format));
                }
                self.has_header = true;
                self.record.header = header;
            }
            (_, false) => return Err("a result file begins with its header".into()),
            ("started", true) => {
                let line: StartedLine = read(text)?;
                self.record.descriptions.insert(line.implementation, line.description);
            }
            ("notStarted", true) => {
                let line: NotStartedLine = read(text)?;
                self.record.not_started.insert(line.implementation, line.reason);
            }
            ("vector", true) => {
                let VectorLine { vector, about } = read(text)?;
                self.record.vectors.insert(vector, about);
            }
            ("result", true) => {
                let mut line: ResultLine = read(text)?;
                line.more.shift_remove("line");
                self.record.results.insert((line.vector.clone(), line.implementation.clone()), line);
            }
            ("flake", true) => self.record.flakes.push(read(text)?),
            ("difference", true) => self.record.differences.push(read(text)?),
            ("footer", true) => self.footer = Some(read(text)?),
            (other, true) => return Err(format!("there is no line {other:?} in a result file")),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Record, String> {
        let footer = match self.footer {
            Some(footer) if footer.interrupted => return Err(format!("the run was interrupted; {GO_ON}")),
            Some(footer) => footer,
            None if self.is_cut_off => return Err(format!("it ends within a line: the run did not end; {GO_ON}")),
            None => return Err(format!("it has no footer: the run did not end; {GO_ON}")),
        };
        let there = self.record.results.len();
        if footer.results != there {
            return Err(format!("its footer counts {} results, and {there} are there", footer.results));
        }
        self.record.seconds = footer.seconds;
        self.record.differences.sort_by(|a, b| (&a.vector, &a.implementations).cmp(&(&b.vector, &b.implementations)));
        Ok(self.record)
    }
}
