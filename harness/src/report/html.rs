//! A report as one HTML file that works offline.

use crate::record::Record;
use crate::results::{footer, lines};

/// The page, in which the data takes the place of [`PLACE`].
const PAGE: &str = include_str!("../../report/report.html");

/// Where the data goes.
const PLACE: &str = "<!-- run -->";

/// The page of a run.
///
/// # Errors
/// If the data can not be written.
pub(crate) fn page(record: &Record) -> Result<String, String> {
    let mut lines = lines(record).map_err(|error| error.to_string())?;
    lines.push(footer(record).map_err(|error| error.to_string())?);
    let text = serde_json::to_string(&lines).map_err(|error| error.to_string())?;
    // Nothing in a script element may look like its end, or like the beginning of a comment.
    let inert = text.replace('<', "\\u003c");
    Ok(PAGE.replacen(PLACE, &format!("<script type=\"application/json\" id=\"run\">{inert}</script>"), 1))
}
