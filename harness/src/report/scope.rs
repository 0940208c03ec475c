//! What a run is of, where that is not everything: a report of a part is not to be taken for one of the whole.

use serde_json::Value as Json;

use crate::record::Record;

/// What makes a run less than the whole.
#[derive(Clone, Debug)]
pub(crate) struct Restriction {
    /// In a word or two.
    pub(crate) brief: String,
    /// In a part of a sentence.
    pub(crate) text: String,
}

impl Restriction {
    fn new(brief: &str, text: String) -> Self {
        Self { brief: brief.to_owned(), text }
    }

    /// All that there are of a run.
    pub(crate) fn all(record: &Record) -> Vec<Self> {
        let header = &record.header;
        let mut all = Vec::new();
        if let Some(part) = &header.part {
            all.push(Self::new(&format!("part {part}"), format!("it is part {part} of a run")));
        }
        if let Some(file) = header.more.get("failedOnly").and_then(Json::as_str) {
            all.push(Self::new("what failed", format!("it has only what was not as expected in {file}")));
        }
        let filters = texts(header.more.get("filters"));
        if !filters.is_empty() {
            let filters: Vec<String> = filters.iter().map(|filter| format!("{filter:?}")).collect();
            let filters = filters.join(" or ");
            all.push(Self::new("filtered", format!("it has only vectors whose id contains {filters}")));
        }
        let operators = texts(header.more.get("operators"));
        if !operators.is_empty() {
            let operators = operators.join(", ");
            all.push(Self::new("some operators", format!("it has only graphs of these operators: {operators}")));
        }
        if let Some(why) = &record.ended_early {
            let (there, of) = (record.count(), header.vectors * header.implementations.len());
            all.push(Self::new("ended early", format!("it ended {why}, with {there} of {of} results")));
        }
        all
    }

    /// What all of them say together; `None` of a whole run.
    pub(crate) fn sentence(record: &Record) -> Option<String> {
        let texts: Vec<String> = Self::all(record).into_iter().map(|one| one.text).collect();
        (!texts.is_empty()).then(|| format!("This is not everything: {}.", texts.join("; ")))
    }
}

fn texts(list: Option<&Json>) -> Vec<&str> {
    list.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
}
