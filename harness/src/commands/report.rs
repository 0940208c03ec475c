//! `webnn report`

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::failure::{AS_EXPECTED, Failure};
use crate::output;
use crate::record::Record;
use crate::report::{badge, html, junit, markdown, wptreport};

/// The arguments of `webnn report`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The result file of a run that has ended.
    #[arg(default_value = "results/latest.jsonl")]
    results: PathBuf,

    /// The form of the report.
    #[arg(long, short = 'F', value_enum, default_value = "html")]
    format: Format,

    /// Of this implementation, where the report is of one (wptreport, badge); the only one of the run by default.
    #[arg(long, short, value_name = "NAME")]
    implementation: Option<String>,

    /// Where it goes; standard output by default.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One page that works offline: implementations by operators and vectors.
    Html,
    /// For the summary of a CI job or a comment.
    Markdown,
    /// JUnit XML, which most CI systems show.
    Junit,
    /// wptreport.json of web-platform-tests, of one implementation.
    Wptreport,
    /// The JSON of a badge of shields.io, of one implementation.
    Badge,
}

/// Writes a report.
///
/// # Errors
/// If the result file is none, or of a run that did not end, or the report can not be written.
pub(crate) fn report(arguments: &Arguments) -> Result<u8, Failure> {
    let record = Record::read(&arguments.results)?;
    let of = match arguments.format {
        Format::Wptreport | Format::Badge => arguments.of(&record)?,
        Format::Html | Format::Markdown | Format::Junit if arguments.implementation.is_some() => {
            let why = "this report is of all implementations of a run; -i chooses for wptreport and badge";
            return Err(Failure::Usage(why.into()));
        }
        Format::Html | Format::Markdown | Format::Junit => 0,
    };
    let pieces = |out: &mut dyn Write| match arguments.format {
        Format::Html => html::write(&record, out),
        Format::Markdown => out.write_all(markdown::text(&record)?.as_bytes()).map_err(output::failed),
        Format::Junit => junit::write(&record, out),
        Format::Wptreport => wptreport::write(&record, of, out),
        Format::Badge => badge::write(&record, of, out),
    };
    match &arguments.output {
        None => output::print_pieces(pieces)?,
        Some(path) => output::write_pieces(path, pieces)?,
    }
    Ok(AS_EXPECTED)
}

impl Arguments {
    /// The implementation that the report is of.
    fn of(&self, record: &Record) -> Result<usize, Failure> {
        let all = record.implementations();
        match (&self.implementation, all) {
            (Some(name), _) => all
                .iter()
                .position(|one| one == name)
                .ok_or_else(|| Failure::Usage(format!("{name} is not in this run, only {}", all.join(", ")))),
            (None, [_]) => Ok(0),
            (None, _) => Err(Failure::Usage(format!(
                "this report is of one implementation: choose with -i among {}",
                all.join(", ")
            ))),
        }
    }
}
