//! Reads result files into a record, line by line.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;

use super::lines::Lines;
use super::{About, Brief, Difference, Flake, Header, Place, Record, VectorNumber, Went};
use crate::failure::Failure;
use crate::implementation::Description;

/// How much of a run a file has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it.
    Whole,
    /// What there is.
    AsFarAsItIs,
}

/// The last line.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Footer {
    results: usize,
    seconds: f64,
    /// Whether somebody ended the run before its vectors did.
    #[serde(default)]
    interrupted: bool,
    /// Why it ended before that, where that was asked for.
    #[serde(default)]
    ended_early: Option<String>,
}

/// What to do with a run that did not end.
const GO_ON: &str = "the command of the run with --resume goes on with it";

/// How every result file begins.
const BEGINNING: &str = r#"{"line":"header","#;

/// Any line. The results' members vary, which is why each kind is read by itself.
#[derive(Debug, Deserialize)]
struct Tag<'a> {
    #[serde(borrow)]
    line: Cow<'a, str>,
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

/// What every result says. Its other members may be anything, and are read where they are needed.
#[derive(Debug, Deserialize)]
struct ShortResult<'a> {
    #[serde(borrow)]
    vector: Cow<'a, str>,
    #[serde(borrow)]
    implementation: Cow<'a, str>,
    expected: bool,
    seconds: f64,
    outcome: Went,
    #[serde(default, rename = "bitEqual")]
    bit_equal: Option<bool>,
}

/// Reads a result file into a record; whether it has its header.
///
/// # Errors
/// If it can not be read, is no result file, has less than it has to have, or is of another run than the files before.
pub(super) fn add(record: &mut Record, path: &Path, extent: Extent) -> Result<bool, Failure> {
    let wrong = |why: String| Failure::Data(format!("{}: {why}", path.display()));
    let lines = Lines::open(path).map_err(|error| wrong(error.to_string()))?;
    let file = u16::try_from(record.files.len()).map_err(|_| wrong("there are too many files before it".into()))?;
    let mut reader = Reader { record, file, at: 0, has_header: false, is_cut_off: false, footer: None, results: 0 };
    reader.lines(&lines).map_err(wrong)?;
    if extent == Extent::Whole {
        reader.ensure_whole().map_err(wrong)?;
    }
    let (has_header, footer) = (reader.has_header, reader.footer);
    if let Some(footer) = footer {
        record.seconds = record.seconds.max(footer.seconds);
        record.ended_early = footer.ended_early.or(record.ended_early.take());
    }
    record.files.push(lines);
    Ok(has_header)
}

/// A file that is read.
struct Reader<'a> {
    record: &'a mut Record,
    /// Its number.
    file: u16,
    /// Where the line begins.
    at: u64,
    has_header: bool,
    is_cut_off: bool,
    footer: Option<Footer>,
    results: usize,
}

impl Reader<'_> {
    /// Reads all lines. The last one is cut off where the program was ended, or the disk was full, while it wrote.
    fn lines(&mut self, lines: &Lines) -> Result<(), String> {
        let mut line = Vec::new();
        for number in 1.. {
            self.at = lines.next(&mut line).map_err(|error| error.to_string())?;
            if line.is_empty() {
                break;
            }
            let is_whole = line.ends_with(b"\n");
            let read = std::str::from_utf8(&line).map_err(|_| "it is not UTF-8".to_owned());
            match read.and_then(|text| self.line(text)) {
                Ok(()) => {}
                Err(_) if !is_whole && (self.has_header || begins_as_a_header(&line)) => self.is_cut_off = true,
                Err(why) => return Err(format!("line {number}: {why}")),
            }
        }
        Ok(())
    }

    fn line(&mut self, text: &str) -> Result<(), String> {
        let Tag { line } = read(text).map_err(|error| format!("no line of a result file: {error}"))?;
        if self.footer.is_some() {
            return Err("there is something after the footer".into());
        }
        match (line.as_ref(), self.has_header) {
            ("header", false) => self.header(read(text)?)?,
            (_, false) => return Err("a result file begins with its header".into()),
            ("started", true) => self.started(read(text)?)?,
            ("notStarted", true) => {
                let NotStartedLine { implementation, reason } = read(text)?;
                self.record.not_started.insert(implementation, reason);
            }
            ("vector", true) => {
                let VectorLine { vector, about } = read(text)?;
                let (vector, about) = (self.vector(&vector), self.record.known_abouts.insert_full(about).0);
                let about = u32::try_from(about).map_err(|_| "vectors are about too much".to_owned())?;
                self.record.abouts[vector] = Some(about);
            }
            ("result", true) => self.result(&read(text)?)?,
            ("flake", true) => {
                let Flake { vector, .. } = read(text)?;
                let place = self.place(&vector);
                self.record.flakes.push(place);
            }
            ("difference", true) => {
                let Difference { vector, .. } = read(text)?;
                let place = self.place(&vector);
                self.record.differences.push(place);
            }
            ("footer", true) => self.footer = Some(read(text)?),
            (other, true) => return Err(format!("there is no line {other:?} in a result file")),
        }
        Ok(())
    }

    fn header(&mut self, mut header: Header) -> Result<(), String> {
        header.more.shift_remove("line");
        if header.format != crate::results::FORMAT {
            let ours = crate::results::FORMAT;
            return Err(format!("it is of format {}, and this program reads format {ours}", header.format));
        }
        self.has_header = true;
        self.record.parts.push(header.part.clone());
        if self.file == 0 {
            self.record.header = header;
            return Ok(());
        }
        let whole = &mut self.record.header;
        if header.implementations != whole.implementations {
            let (there, here) = (header.implementations.join(", "), whole.implementations.join(", "));
            return Err(format!("it was run on {there}, and the others on {here}"));
        }
        if header.reading != whole.reading {
            return Err(format!("it is of the {} reading, and the others of the {}", header.reading, whole.reading));
        }
        if header.more != whole.more {
            return Err("it is of other vectors, or of another state of them, than the others".into());
        }
        if header.version != whole.version {
            return Err(format!("it was written by version {}, and the others by {}", header.version, whole.version));
        }
        whole.started = whole.started.min(header.started);
        Ok(())
    }

    fn started(&mut self, StartedLine { implementation, description }: StartedLine) -> Result<(), String> {
        let known = self.record.descriptions.entry(implementation.clone()).or_insert_with(|| description.clone());
        // A run that goes on says again who it runs on.
        if *known == description {
            return Ok(());
        }
        Err(format!("{implementation} is another there: {description}, and here {known}"))
    }

    fn result(&mut self, result: &ShortResult<'_>) -> Result<(), String> {
        let ShortResult { vector, implementation, expected, seconds, outcome, bit_equal } = result;
        let implementations = self.record.implementations();
        let (Some(place), count) =
            (implementations.iter().position(|name| name == implementation), implementations.len())
        else {
            let all = implementations.join(", ");
            return Err(format!("a result is of {implementation:?}, and the run was on {all}"));
        };
        let place = self.vector(vector) * count + place;
        if self.record.results.len() <= place {
            self.record.results.resize(place + 1, None);
        }
        let brief = Brief {
            offset: self.at,
            seconds: *seconds as f32,
            file: self.file,
            outcome: *outcome,
            expected: *expected,
            bit_equal: *bit_equal,
        };
        match self.record.results[place].replace(brief) {
            None => {}
            Some(Brief { file, .. }) if file == self.file => {
                return Err(format!("{vector} on {implementation} is there twice"));
            }
            Some(_) => return Err(format!("{vector} on {implementation} is in two of the files")),
        }
        self.results += 1;
        Ok(())
    }

    /// The number of a vector.
    fn vector(&mut self, id: &str) -> VectorNumber {
        let (vector, is_new) = self.record.ids.add(id);
        if is_new {
            self.record.abouts.push(None);
        }
        vector
    }

    fn place(&mut self, vector: &str) -> Place {
        Place { offset: self.at, file: self.file, vector: self.vector(vector) }
    }

    fn ensure_whole(&self) -> Result<(), String> {
        let footer = match &self.footer {
            Some(footer) if footer.interrupted => return Err(format!("the run was interrupted; {GO_ON}")),
            Some(footer) => footer,
            None if self.is_cut_off => return Err(format!("it ends within a line: the run did not end; {GO_ON}")),
            None if !self.has_header => return Err(format!("it is empty: the run did not begin; {GO_ON}")),
            None => return Err(format!("it has no footer: the run did not end; {GO_ON}")),
        };
        if footer.results != self.results {
            return Err(format!("its footer counts {} results, and {} are there", footer.results, self.results));
        }
        Ok(())
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Whether a line that does not end may be a header that was not written to its end.
fn begins_as_a_header(line: &[u8]) -> bool {
    let length = line.len().min(BEGINNING.len());
    line[..length] == BEGINNING.as_bytes()[..length]
}
