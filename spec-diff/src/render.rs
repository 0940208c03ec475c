//! What a check found, for people.
//!
//! A line for each finding, that begins with a place which a terminal can open; nothing at all if nothing is wrong.
//! Styles are always written; the stream that is written to drops them where nobody would see them.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::check::{Finding, Report, Summary};

/// What is wrong.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
const NAME: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Writes a report; how much of each document is encoded too, if that is wanted.
///
/// # Errors
/// Those of writing.
pub fn report(report: &Report, is_verbose: bool, out: &mut impl Write) -> io::Result<()> {
    for Finding { place, subject, what } in &report.findings {
        writeln!(out, "{place}: {NAME}{subject}{NAME:#}: {what}")?;
    }
    if is_verbose {
        report.summaries.iter().try_for_each(|summary| summarise(summary, out))?;
    }
    Ok(())
}

fn summarise(summary: &Summary, out: &mut impl Write) -> io::Result<()> {
    let Summary { path, algorithms, encoded, steps, encoded_steps, open, .. } = summary;
    let (algorithms, steps) = (plural(*algorithms, "algorithm"), plural(*steps, "step"));
    writeln!(out, "{}: {encoded} of {algorithms} encoded, with {encoded_steps} of {steps}", path.display())?;
    for (name, place) in open {
        writeln!(out, "  to come: {name}  {FAINT}{place}{FAINT:#}")?;
    }
    Ok(())
}

/// A number of things.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
