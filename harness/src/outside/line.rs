//! From a line that an adapter wrote to its answer; or, in plain words, what is wrong with the line.

use serde_json::{Error, Map, Value as Json};

use super::messages::Answered;

/// How much of a line that is no answer is shown.
const SHOWN: usize = 200;

/// What an answer can be.
const KINDS: [&str; 6] = ["ready", "result", "exception", "skipped", "errored", "calls"];

/// The answer that a line is.
///
/// # Errors
/// Why it is none, and what to do.
pub(super) fn answered(line: &str) -> Result<Answered, String> {
    let line = line.trim_end();
    serde_json::from_str(line).map_err(|error| {
        let mistake = match serde_json::from_str(line) {
            Err(error) => no_json(line, &error),
            Ok(Json::Object(members)) => no_answer(&members, &error),
            Ok(_) => "no object: an answer is {\"answer\": ...}, and nothing around it".to_owned(),
        };
        format!("wrote a line that is no answer ({mistake}): {}", shown(line))
    })
}

/// A line, shortened and without anything that a terminal would obey.
pub(super) fn shown(line: &str) -> String {
    let mut beginning: String = line.trim_end().chars().take(SHOWN).collect();
    if beginning.len() < line.trim_end().len() {
        beginning.push('\u{2026}');
    }
    format!("{beginning:?}")
}

/// What a line is that is no JSON.
fn no_json(line: &str, error: &Error) -> String {
    if line.is_empty() {
        return "it is empty: write a line break at the end of each answer only".into();
    }
    if line.starts_with('\u{feff}') {
        return "a byte order mark: write UTF-8 without one".into();
    }
    if !line.starts_with(['{', '[']) {
        return "no JSON: what is no answer is printed to standard error".into();
    }
    if line.starts_with("{'") {
        return "no JSON, which has double quotes: write it with a JSON library, such as Python's json.dumps".into();
    }
    if error.is_eof() {
        return "its JSON does not end with it: write an answer on one line, without line breaks".into();
    }
    if is_special(line, error.column()) {
        return "JSON has no NaN and no infinities: write the strings \"NaN\", \"Infinity\" and \"-Infinity\" in `data`, or \
                use `bytes`"
            .into();
    }
    if error.to_string().starts_with("trailing characters") {
        return "more behind its JSON: end each answer with a line break".into();
    }
    format!("no JSON: {error}")
}

/// Whether a number that JSON has no name for stands where it was expected to.
fn is_special(line: &str, column: usize) -> bool {
    // An error stands at the first byte that is wrong, which is the second of `nan`: `null` begins alike.
    let near = (column.saturating_sub(2)..=column).filter_map(|place| line.get(place..place + 3));
    let mut near = near.map(str::to_ascii_lowercase);
    near.any(|text| text == "nan" || text == "inf")
}

/// What a line of JSON is that is no answer.
fn no_answer(members: &Map<String, Json>, error: &Error) -> String {
    let kinds = || format!("there are {}", KINDS.join(", "));
    let kind = match members.get("answer") {
        Some(Json::String(kind)) if KINDS.contains(&kind.as_str()) => kind,
        Some(other) => return format!("`answer` is {other}, which is none: {}", kinds()),
        None if members.contains_key("command") => return "it is a command: answer it".into(),
        None => return format!("`answer` is missing: {}", kinds()),
    };
    match members.get("seq") {
        None if kind != "ready" => "`seq` is missing: repeat that of the command".into(),
        Some(seq) if kind != "ready" && !seq.is_u64() => format!("`seq` is {seq}: repeat the number of the command"),
        _ => format!("a {kind:?} with a mistake, see `webnn schema protocol`: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_line_is_said_with_what_to_do() {
        let cases = [
            ("loading...", "printed to standard error"),
            ("info: loading", "printed to standard error"),
            ("", "it is empty"),
            ("{", "on one line"),
            ("{\"answer\": \"result\", \"seq\": 3,", "on one line"),
            ("{'answer': 'ready'}", "double quotes"),
            ("\u{feff}{}", "byte order mark"),
            ("[{\"answer\": \"stop\"}]", "no object"),
            ("{\"answer\": \"result\", \"seq\": 1, \"outputs\": {\"y\": {\"data\": [1.5, NaN]}}}", "\"NaN\""),
            ("{\"answer\": \"result\", \"seq\": 1, \"outputs\": {\"y\": {\"data\": [-Infinity]}}}", "\"NaN\""),
            ("{\"answer\": \"result\", \"seq\": 1, \"outputs\": {\"y\": {\"data\": [nan]}}}", "\"NaN\""),
            ("{\"answer\": \"result\", \"seq\": 1, \"outputs\": {\"y\": {\"data\": [-inf, 1]}}}", "\"NaN\""),
            ("{\"answer\": \"errored\", \"seq\": 1, \"message\": nonsense}", "no JSON: expected"),
            ("{\"answer\": \"skipped\", \"seq\": 1, \"reason\": \"a\"} {}", "more behind its JSON"),
            ("{\"answer\": \"Result\", \"seq\": 1}", "`answer` is \"Result\", which is none: there are ready, result"),
            ("{\"command\": \"stop\"}", "it is a command"),
            ("{}", "`answer` is missing"),
            ("{\"answer\": \"skipped\", \"reason\": \"a\"}", "`seq` is missing"),
            ("{\"answer\": \"skipped\", \"seq\": \"3\", \"reason\": \"a\"}", "`seq` is \"3\""),
            ("{\"answer\": \"skipped\", \"seq\": 3}", "missing field `reason`"),
            ("{\"answer\": \"ready\", \"protocol\": 1, \"name\": \"a\"}", "missing field `version`"),
        ];
        for (line, expected) in cases {
            let mistake = answered(line).expect_err(line);
            assert!(mistake.starts_with("wrote a line that is no answer (") && mistake.contains(expected), "{mistake}");
        }
        assert!(answered("{\"answer\": \"skipped\", \"seq\": 3, \"reason\": \"a\"}\r\n").is_ok());
    }
}
