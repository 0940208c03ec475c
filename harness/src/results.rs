//! The result file: JSON lines. A header, a line for each result as it comes, and a footer; a file without its footer is
//! of a run that did not end.

mod line;

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::failure::Failure;
use crate::implementation::Description;
use crate::output;
use crate::record::{Header, Record};
use crate::roster::Roster;
use crate::run::{Parting, Verdict};
use line::{BoundLine, Line, OutcomeLine};
pub(crate) use line::{Provenance, schema};

/// The version of the form of the lines.
pub(crate) const FORMAT: u32 = 1;

/// What is run, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The files and folders that were named; none for those that the program carries.
    pub(crate) paths: Vec<String>,
    /// Tells which vectors were chosen, of which state of the files.
    pub(crate) fingerprint: String,
    /// Which part of them is run, such as 2/8, if not all.
    pub(crate) part: Option<String>,
    /// Whether it is judged by the derived bound too.
    pub(crate) bounds: bool,
    /// The texts of which the id of a vector has to contain one.
    pub(crate) filters: Vec<String>,
    /// The operators that a graph may have.
    pub(crate) operators: Vec<String>,
    /// The result file of which only what was not as expected is run again.
    pub(crate) failed_only: Option<String>,
}

/// The header of a run that begins now.
pub(crate) fn header(roster: &Roster, implementations: Vec<String>, reading: &str, origin: Origin) -> Header {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    let provenance = Provenance {
        paths: origin.paths,
        sources: roster.origins.iter().cloned().collect(),
        fingerprint: origin.fingerprint,
        bounds: origin.bounds,
        filters: origin.filters,
        operators: origin.operators,
        failed_only: origin.failed_only,
        commit: option_env!("WEBNN_COMMIT"),
        specification: webnn_reference::SPECIFICATION,
        os: std::env::consts::OS,
        processor: std::env::consts::ARCH,
    };
    let more = match serde_json::to_value(provenance) {
        Ok(Json::Object(members)) => members,
        // It is plain data.
        Ok(_) | Err(_) => Map::new(),
    };
    Header {
        format: FORMAT,
        program: env!("CARGO_PKG_NAME").into(),
        version: env!("CARGO_PKG_VERSION").into(),
        started,
        vectors: roster.len(),
        implementations,
        reading: reading.into(),
        part: origin.part,
        more,
    }
}

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its last vector.
    Whole,
    /// At a result, as it was asked to.
    AtFailure,
    /// By somebody who did not want to wait.
    Interrupted,
}

impl End {
    /// Why it ended before its last vector, if that was asked for.
    fn was_early(self) -> Option<&'static str> {
        (self == Self::AtFailure).then_some("at the first unexpected result (--fail-fast)")
    }
}

/// The result file of a run that goes on.
pub(crate) struct Results {
    path: PathBuf,
    file: BufWriter<File>,
    header: Header,
    /// Whether there was no such file before.
    is_new: bool,
    /// Whether anything is written: what was there before is kept until an implementation runs.
    has_begun: bool,
    /// What was said before that.
    not_started: Vec<(usize, String)>,
    results: usize,
}

impl Results {
    /// Makes sure that the file, and the folder that it is in, can be written to.
    ///
    /// # Errors
    /// If that is not so, or another run writes there.
    pub(crate) fn create(path: &Path, header: Header) -> Result<Self, Failure> {
        output::create_folder_of(path)?;
        let is_new = !path.exists();
        let file = BufWriter::new(opened(path)?);
        let not_started = Vec::new();
        Ok(Self { path: path.to_owned(), file, header, is_new, has_begun: false, not_started, results: 0 })
    }

    /// Goes on with a run, of which this is kept.
    ///
    /// # Errors
    /// If the file can not be written, or another run writes there.
    pub(crate) fn resume(path: &Path, kept: &Record) -> Result<Self, Failure> {
        let _nobody_else = opened(path)?;
        // What was there is replaced as a whole: the disk may be full.
        let beside = output::beside(path);
        let mut file = BufWriter::new(opened(&beside)?);
        drop(file.get_ref().set_len(0));
        let unwritable = |error| output::unwritable(path, &error);
        each_line(kept, |line| writeln!(file, "{line}").map_err(unwritable))?;
        file.flush().and_then(|()| std::fs::rename(&beside, path)).map_err(unwritable)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header: kept.header.clone(),
            is_new: false,
            has_begun: true,
            not_started: Vec::new(),
            results: kept.count(),
        })
    }

    /// Replaces what was there before, now that there is something to write.
    fn begin(&mut self, roster: &Roster) -> Result<(), Failure> {
        self.has_begun = true;
        // A device has nothing to cut off.
        drop(self.file.get_ref().set_len(0));
        let header = self.header.clone();
        self.write(&Line::Header { header: &header })?;
        for (implementation, reason) in std::mem::take(&mut self.not_started) {
            self.not_started(implementation, &reason)?;
        }
        (0..roster.len()).try_for_each(|index| {
            let about = roster.about(index);
            self.write(&Line::Vector { vector: roster.id(index), about: &about })
        })
    }

    fn write(&mut self, line: &Line<'_>) -> Result<(), Failure> {
        let text = serde_json::to_string(line).map_err(|error| Failure::Output(error.to_string()))?;
        writeln!(self.file, "{text}").map_err(|error| output::unwritable(&self.path, &error))
    }

    fn name(&self, implementation: usize) -> String {
        self.header.implementations.get(implementation).cloned().unwrap_or_default()
    }

    /// Whether anything is written.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Notes that an implementation runs, of these vectors.
    pub(crate) fn started(
        &mut self,
        implementation: usize,
        description: &Description,
        roster: &Roster,
    ) -> Result<(), Failure> {
        if !self.has_begun {
            self.begin(roster)?;
        }
        let name = self.name(implementation);
        self.write(&Line::Started { implementation: &name, description })
    }

    pub(crate) fn not_started(&mut self, implementation: usize, reason: &str) -> Result<(), Failure> {
        if !self.has_begun {
            self.not_started.push((implementation, reason.to_owned()));
            return Ok(());
        }
        let name = self.name(implementation);
        self.write(&Line::NotStarted { implementation: &name, reason })
    }

    /// Notes a result, and why it is known not to be a pass, where that is listed.
    pub(crate) fn result(
        &mut self,
        vector: &str,
        verdict: &Verdict,
        expected: bool,
        known: Option<&str>,
    ) -> Result<(), Failure> {
        self.results += 1;
        let implementation = self.name(verdict.implementation);
        self.write(&Line::Result {
            vector,
            implementation: &implementation,
            expected,
            known,
            as_written: verdict.as_written.as_deref(),
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

    /// Ends without a footer: the run is not complete, and is never to be taken for one that is. Where nothing was written, the
    /// file is as it was.
    ///
    /// # Errors
    /// If the file can not be written.
    pub(crate) fn abandon(mut self) -> Result<PathBuf, Failure> {
        if self.has_begun {
            self.file.flush().map_err(|error| output::unwritable(&self.path, &error))?;
        } else if self.is_new {
            // It is empty, and nobody minds if it stays.
            drop(std::fs::remove_file(&self.path));
        }
        Ok(self.path)
    }

    /// Writes the footer: the run has ended.
    ///
    /// # Errors
    /// If the file can not be written.
    pub(crate) fn finish(mut self, unexpected: usize, seconds: f64, end: End) -> Result<PathBuf, Failure> {
        let (interrupted, ended_early) = (end == End::Interrupted, end.was_early());
        self.write(&Line::Footer { results: self.results, unexpected, seconds, interrupted, ended_early })?;
        self.file.flush().map_err(|error| output::unwritable(&self.path, &error))?;
        Ok(self.path)
    }
}

/// Writes a run that has ended, in the order of its vectors and implementations.
///
/// # Errors
/// If the file can not be written, or the record not be read again.
pub(crate) fn write(path: &Path, record: &Record) -> Result<(), Failure> {
    output::write_pieces(path, |out| {
        let mut write = |line: &Json| writeln!(out, "{line}").map_err(output::failed);
        each_line(record, &mut write)?;
        write(&footer(record)?)
    })
}

/// Gives the lines of a run, in the order of its vectors and implementations, without the footer.
///
/// # Errors
/// Those of `give`, and if the record can not be read again.
pub(crate) fn each_line(record: &Record, mut give: impl FnMut(&Json) -> Result<(), Failure>) -> Result<(), Failure> {
    give(&tagged("header", &record.header)?)?;
    for (name, description) in &record.descriptions {
        let mut line = tagged("started", description)?;
        line["implementation"] = name.as_str().into();
        give(&line)?;
    }
    for (name, reason) in &record.not_started {
        give(&tagged("notStarted", &json!({ "implementation": name, "reason": reason }))?)?;
    }
    for (vector, about) in record.vectors().filter_map(|vector| Some((vector, record.about(vector)?))) {
        let mut line = tagged("vector", about)?;
        line["vector"] = record.id(vector).into();
        give(&line)?;
    }
    for result in record.results(|_, _| true) {
        give(&tagged("result", &result?.2)?)?;
    }
    for difference in record.differences() {
        give(&tagged("difference", &difference?.1)?)?;
    }
    for flake in record.flakes() {
        give(&tagged("flake", &flake?)?)?;
    }
    Ok(())
}

/// The last line of a run that has ended.
///
/// # Errors
/// None that is to be expected.
pub(crate) fn footer(record: &Record) -> Result<Json, Failure> {
    let (results, unexpected) = (record.count(), record.unexpected());
    let mut line =
        tagged("footer", &json!({ "results": results, "unexpected": unexpected, "seconds": record.seconds }))?;
    if let Some(why) = &record.ended_early {
        line["endedEarly"] = why.as_str().into();
    }
    Ok(line)
}

/// A line, by its kind and its members.
fn tagged(line: &str, members: &impl Serialize) -> Result<Json, Failure> {
    let members = serde_json::to_value(members).map_err(|error| Failure::Output(error.to_string()))?;
    let mut tagged = json!({ "line": line });
    if let (Some(all), Json::Object(members)) = (tagged.as_object_mut(), members) {
        all.extend(members);
    }
    Ok(tagged)
}

/// Opens the file for this run alone, without changing it.
fn opened(path: &Path) -> Result<File, Failure> {
    let open = File::options().create(true).truncate(false).write(true).open(path);
    let file = open.map_err(|error| output::unwritable(path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let path = path.display();
            return Err(Failure::Output(format!("another run is writing to {path}; name another file with --output")));
        }
        // A place that has no locks, such as a device.
        Err(TryLockError::Error(_)) => {}
    }
    Ok(file)
}
