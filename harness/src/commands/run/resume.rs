//! What is kept of a run that did not end, for one that goes on with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;

use crate::failure::Failure;
use crate::implementation::Description;
use crate::record::{Header, Record};

/// The results of the vectors that have one of every implementation. Of the others nothing is kept: implementations are compared
/// with each other while they run.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) record: Option<Record>,
    vectors: BTreeSet<String>,
}

impl Kept {
    /// Reads what there is of a run; nothing if it has not begun.
    ///
    /// # Errors
    /// If the file is of another run than this header is of.
    pub(super) fn read(path: &Path, header: &Header) -> Result<Self, Failure> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let mut record = Record::read_as_far_as_it_is(path)?;
        if let Some(what) = difference(&record.header, header) {
            let path = path.display();
            return Err(Failure::Data(format!("{path} is of another run: {what}; run without --resume to begin anew")));
        }
        let mut results: BTreeMap<&str, usize> = BTreeMap::new();
        for (vector, _) in record.results.keys() {
            *results.entry(vector).or_default() += 1;
        }
        let is_whole = |count: &usize| *count == header.implementations.len();
        let vectors: BTreeSet<String> =
            results.into_iter().filter(|(_, count)| is_whole(count)).map(|(vector, _)| vector.to_owned()).collect();
        if vectors.is_empty() {
            return Ok(Self::default());
        }
        record.results.retain(|(vector, _), _| vectors.contains(vector));
        record.differences.retain(|difference| vectors.contains(&difference.vector));
        Ok(Self { record: Some(record), vectors })
    }

    /// Whether a vector has all of its results.
    pub(super) fn has(&self, vector: &str) -> bool {
        self.vectors.contains(vector)
    }

    /// Makes sure that an implementation is what it was; `None` if it can not be started.
    ///
    /// # Errors
    /// If it is not.
    pub(super) fn ensure_is_same(&self, name: &str, description: Option<&Description>) -> Result<(), Failure> {
        let Some(record) = &self.record else {
            return Ok(());
        };
        let before = record.descriptions.get(name);
        if before == description {
            return Ok(());
        }
        let told = |description: Option<&Description>| {
            description.map_or_else(|| "did not start".to_owned(), Description::to_string)
        };
        let (before, now) = (told(before), told(description));
        Err(Failure::Data(format!(
            "{name} is not what it was in the run that this goes on with: {before}, and now {now}; run without --resume to \
             begin anew"
        )))
    }
}

/// In what the headers of two runs differ, but for the time.
fn difference(before: &Header, now: &Header) -> Option<String> {
    let members = |header: &Header| match serde_json::to_value(header) {
        Ok(Json::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    let (before, now) = (members(before), members(now));
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).filter(|name| *name != "started").collect();
    let told = |value: Option<&Json>| value.map_or_else(|| "none".to_owned(), Json::to_string);
    names.into_iter().find(|name| before.get(*name) != now.get(*name)).map(|name| match name.as_str() {
        "fingerprint" => "the vectors, or the files that they are in, have changed".to_owned(),
        name => format!("its `{name}` is {}, and now {}", told(before.get(name)), told(now.get(name))),
    })
}
