//! A badge, in the form of <https://shields.io/badges/endpoint-badge>.

use std::io::Write;

use serde_json::json;

use super::scope::Restriction;
use crate::failure::Failure;
use crate::output::write_json;
use crate::record::Record;
use crate::score::Score;

/// Writes the badge of an implementation: how many of the vectors that it was judged by it passed, how many were left out, and
/// of what the run is, where that is not everything. Only all of everything is as green as can be.
///
/// # Errors
/// If it can not be written.
pub(crate) fn write(record: &Record, implementation: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let score = Score::of_all(record)[implementation];
    let restrictions: Vec<String> = Restriction::all(record).into_iter().map(|one| one.brief).collect();
    let is_all = score.passed == score.judged() && score.skipped == 0 && restrictions.is_empty();
    let colour = match (score.unexpected, is_all) {
        _ if score.judged() == 0 => "lightgrey",
        (0, true) => "brightgreen",
        (0, false) => "green",
        (_, _) => "red",
    };
    let badge = json!({
        "schemaVersion": 1,
        "label": format!("WebNN, {}", record.implementations()[implementation]),
        "message": message(&score, &restrictions),
        "color": colour,
    });
    write_json(out, &badge)
}

fn message(score: &Score, restrictions: &[String]) -> String {
    let passed = match score.judged() {
        0 => "nothing was judged".to_owned(),
        judged => format!("{} of {judged}", score.passed),
    };
    let left_out = [(score.skipped, "skipped"), (score.open, "left open")];
    let left_out = left_out.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    let of = if restrictions.is_empty() { String::new() } else { format!(" ({})", restrictions.join(", ")) };
    passed + &left_out.collect::<String>() + &of
}
