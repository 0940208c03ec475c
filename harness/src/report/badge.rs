//! A badge, in the form of <https://shields.io/badges/endpoint-badge>.

use std::io::Write;

use serde_json::json;

use super::Score;
use crate::failure::Failure;
use crate::output::write_json;
use crate::record::Record;

/// Writes the badge of an implementation: how many of the vectors that it was judged by it passed.
///
/// # Errors
/// If it can not be written.
pub(crate) fn write(record: &Record, implementation: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let score = Score::of_all(record)[implementation];
    let colour = match (score.unexpected, score.passed == score.judged()) {
        _ if score.judged() == 0 => "lightgrey",
        (0, true) => "brightgreen",
        (0, false) => "green",
        (_, _) => "red",
    };
    let badge = json!({
        "schemaVersion": 1,
        "label": format!("WebNN, {}", record.implementations()[implementation]),
        "message": match score.judged() {
            0 => "nothing was judged".to_owned(),
            judged => format!("{} of {judged}", score.passed),
        },
        "color": colour,
    });
    write_json(out, &badge)
}
