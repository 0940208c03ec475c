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
}

impl Kept {
    /// Reads what there is of a run; nothing if there is nothing to go on with, which is said.
    ///
    /// # Errors
    /// If the file is no result file, or of another run than this header is of.
    pub(super) fn read(path: &Path, header: &Header) -> Result<Self, Failure> {
        let anew = |why: &str| {
            anstream::eprintln!(
                "webnn: {} {why}: there is nothing to go on with, and the run begins anew",
                path.display()
            );
            Ok(Self::default())
        };
        if !path.exists() {
            return anew("is not there");
        }
        let Some(mut record) = Record::read_as_far_as_it_is(path)? else {
            return anew("ends before its first line does");
        };
        if let Some(what) = difference(&record.header, header) {
            let path = path.display();
            return Err(Failure::Data(format!("{path} is of another run: {what}; run without --resume to begin anew")));
        }
        let implementations = header.implementations.len();
        record.retain(|record, vector| (0..implementations).all(|one| record.brief(vector, one).is_some()));
        if record.count() == 0 {
            return anew("has no vector with a result of every implementation");
        }
        Ok(Self { record: Some(record) })
    }

    /// Whether a vector has all of its results.
    pub(super) fn has(&self, id: &str) -> bool {
        let has = |record: &Record| record.brief(record.number_of(id)?, 0).map(drop);
        self.record.as_ref().is_some_and(|record| has(record).is_some())
    }

    /// What is to be known of the run later; nothing if there is none to go on with.
    pub(super) fn before(&self) -> Option<Before> {
        let record = self.record.as_ref()?;
        Some(Before { seconds: record.seconds, descriptions: record.descriptions.clone() })
    }
}

/// A run that another goes on with.
pub(super) struct Before {
    /// How long it took.
    pub(super) seconds: f64,
    descriptions: BTreeMap<String, Description>,
}

impl Before {
    /// Makes sure that an implementation is what it was; `None` if it can not be started.
    ///
    /// # Errors
    /// If it is not.
    pub(super) fn ensure_is_same(&self, name: &str, description: Option<&Description>) -> Result<(), Failure> {
        let before = self.descriptions.get(name);
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
