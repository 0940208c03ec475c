//! A badge, in the form of <https://shields.io/badges/endpoint-badge>.

use serde_json::{Value as Json, json};

use super::Score;
use crate::record::Record;

/// The badge of an implementation: how many of the vectors that it was judged by it passed.
pub(crate) fn badge(record: &Record, implementation: &str) -> Json {
    let score = Score::of(record, implementation);
    let colour = match (score.unexpected, score.passed == score.judged()) {
        _ if score.judged() == 0 => "lightgrey",
        (0, true) => "brightgreen",
        (0, false) => "green",
        (_, _) => "red",
    };
    json!({
        "schemaVersion": 1,
        "label": format!("WebNN, {implementation}"),
        "message": match score.judged() {
            0 => "nothing was judged".to_owned(),
            judged => format!("{} of {judged}", score.passed),
        },
        "color": colour,
    })
}
