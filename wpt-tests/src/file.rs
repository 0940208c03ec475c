//! A file of vectors: from bytes to checked vectors.

use std::collections::HashMap;
use std::hash::Hasher;

use fnv::FnvHasher;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::check::{self, Known};
use crate::error::{Invalid, LoadError, Problem};
use crate::members::{self, Object};
use crate::pointer;
use crate::vector::{Vector, VectorForm};

/// A file of vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorFile {
    /// The file as it was named, for messages.
    pub path: String,
    /// The file's name without `.json`, with the folders between it and the folder that was loaded.
    pub stem: String,
    /// Where the expected values come from.
    pub source: String,
    /// The section of the specification, in files of our own.
    pub section: Option<String>,
    /// The vectors, in the file's order.
    pub vectors: Vec<Vector>,
    /// Tells whether the file is what it was: a hash of its bytes, the same on every machine.
    pub fingerprint: u64,
}

impl VectorFile {
    /// Where this vector's expected values come from.
    #[must_use]
    pub fn source_of<'a>(&'a self, vector: &'a Vector) -> &'a str {
        vector.source.as_deref().unwrap_or(&self.source)
    }
}

/// A file of conformance vectors for WebNN.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "VectorFile")]
struct FileForm {
    /// For editors.
    #[serde(rename = "$schema", default)]
    #[schemars(with = "String")]
    _schema: Option<IgnoredAny>,
    /// Where the expected values come from.
    source: String,
    /// The section of the specification.
    #[serde(default, deserialize_with = "members::present")]
    #[schemars(with = "String", skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    /// The vectors.
    #[serde(deserialize_with = "members::objects")]
    #[schemars(with = "Vec<VectorForm>", length(min = 1))]
    tests: Vec<VectorForm>,
}

/// The JSON Schema of a file of vectors.
#[must_use]
pub fn schema() -> Schema {
    schemars::schema_for!(FileForm)
}

/// Reads and checks the text of a file.
pub(crate) fn read(path: &str, stem: &str, json: &[u8], known: Known<'_>) -> Result<VectorFile, LoadError> {
    let form = parse(path, json)?;
    let invalid = |vector: Option<&str>, pointer: String, problem| {
        let vector = vector.map(str::to_owned);
        LoadError::Invalid(Box::new(Invalid { file: path.to_owned(), vector, pointer, problem }))
    };
    if form.tests.is_empty() {
        return Err(invalid(None, pointer::pointer(["tests"]), Problem::NoTests));
    }
    let mut vectors = Vec::with_capacity(form.tests.len());
    for (index, test) in form.tests.into_iter().enumerate() {
        let name = test.name.clone();
        let mut vector =
            test.into_vector().map_err(|problem| invalid(name.as_deref(), format!("/tests/{index}"), problem))?;
        check::vector(&vector, known)
            .map_err(|(place, problem)| invalid(name.as_deref(), format!("/tests/{index}{place}"), problem))?;
        vector.index = index;
        vector.id = format!("{stem}/{}", vector.name);
        vectors.push(vector);
    }
    if let Some((index, first)) = duplicate(&vectors) {
        let place = format!("/tests/{index}/name");
        return Err(invalid(Some(&vectors[index].name), place, Problem::DuplicateVector { first }));
    }
    let mut hasher = FnvHasher::default();
    hasher.write(json);
    Ok(VectorFile {
        path: path.to_owned(),
        stem: stem.to_owned(),
        source: form.source,
        section: form.section,
        vectors,
        fingerprint: hasher.finish(),
    })
}

/// The first vector whose name an earlier one has, and that earlier one.
fn duplicate(vectors: &[Vector]) -> Option<(usize, usize)> {
    let mut seen = HashMap::new();
    vectors.iter().enumerate().find_map(|(index, vector)| Some((index, seen.insert(vector.name.as_str(), index)?)))
}

fn parse(path: &str, json: &[u8]) -> Result<FileForm, LoadError> {
    if let Some(message) = no_text(json) {
        return Err(LoadError::NotText { file: path.to_owned(), message });
    }
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    match serde_path_to_error::deserialize(&mut deserializer) {
        Ok(Object(form)) => deserializer.end().map(|()| form).map_err(|error| syntax(path, &error)),
        Err(error) if error.inner().is_data() => Err(malformed(path, json, &error)),
        Err(error) => Err(syntax(path, error.inner())),
    }
}

/// Why bytes are no text that could be JSON.
fn no_text(json: &[u8]) -> Option<String> {
    if json.starts_with(b"\xEF\xBB\xBF") {
        return Some("it begins with a byte order mark; save it as UTF-8 without one".to_owned());
    }
    match std::str::from_utf8(json) {
        Ok(text) if text.trim().is_empty() => Some("it is empty".to_owned()),
        Ok(_) => None,
        Err(error) => Some(format!("it is not UTF-8, from byte {} on", error.valid_up_to())),
    }
}

fn syntax(path: &str, error: &serde_json::Error) -> LoadError {
    LoadError::Syntax { file: path.to_owned(), line: error.line(), column: error.column(), message: message(error) }
}

fn malformed(path: &str, json: &[u8], error: &serde_path_to_error::Error<serde_json::Error>) -> LoadError {
    let (line, column) = (error.inner().line(), error.inner().column());
    let problem = Problem::Form { message: message(error.inner()), line, column };
    let pointer = pointer::of_path(error.path());
    let vector = name_at(json, &pointer);
    LoadError::Invalid(Box::new(Invalid { file: path.to_owned(), vector, pointer, problem }))
}

/// What the parser says, without the place, which is told apart.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    // The parser's words, as JSON has them.
    text.replace("invalid type: sequence", "invalid type: list")
        .replace("invalid type: map", "invalid type: object")
        .replace("expected a sequence", "expected a list")
        .replace("expected a map", "expected an object")
}

/// The name of the vector that a pointer leads into: the parser may not have reached it yet.
fn name_at(json: &[u8], pointer: &str) -> Option<String> {
    let index = pointer.strip_prefix("/tests/")?.split('/').next()?;
    let file: serde_json::Value = serde_json::from_slice(json).ok()?;
    file.pointer(&format!("/tests/{index}/name"))?.as_str().map(str::to_owned)
}
