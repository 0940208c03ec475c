//! A report as one HTML file that works offline.

use std::io::Write;

use serde_json::Value as Json;

use crate::failure::Failure;
use crate::output::{failed, inert_json};
use crate::record::Record;
use crate::results::{each_line, footer};

/// The page, in which the data takes the place of [`PLACE`].
const PAGE: &str = include_str!("../../report/report.html");

/// Where the data goes.
const PLACE: &str = "<!-- run -->";

/// Writes the page of a run.
///
/// # Errors
/// If it can not be written, or the record not be read again.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), Failure> {
    let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
    write!(out, "{before}<script type=\"application/json\" id=\"run\">[").map_err(failed)?;
    let mut separator = "";
    let mut write = |line: &Json| {
        // Nothing in a script element may look like its end, or like the beginning of a comment.
        let inert = inert_json(&line.to_string()).replace('<', "\\u003c");
        let written = write!(out, "{separator}{inert}").map_err(failed);
        separator = ",";
        written
    };
    each_line(record, &mut write)?;
    write(&footer(record)?)?;
    write!(out, "]</script>{after}").map_err(failed)
}
