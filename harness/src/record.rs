//! What a result file says, read back: for reports, comparisons, and runs of what failed.
//!
//! A file may be larger than the memory. It is read once as a whole, which checks every line of it and keeps in short how each
//! vector went and where in the file that stands: what else the lines say is read again where it is needed.

mod lines;
mod reading;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use webnn_vectors::{DataType, NameIndex, Vector};

use crate::failure::Failure;
use crate::implementation::Description;
use crate::judge::bound::{Element, Standing};
use crate::results::Provenance;
use lines::Lines;
use reading::Extent;

/// A run that has ended, as its file has it, or as the files of its parts have it.
#[derive(Default)]
pub(crate) struct Record {
    /// The first line, without its tag.
    pub(crate) header: Header,
    /// What implementations said of themselves, by name.
    pub(crate) descriptions: BTreeMap<String, Description>,
    /// Why implementations did not start, by name.
    pub(crate) not_started: BTreeMap<String, String>,
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
    /// Why it ended before its vectors did, where that was asked for.
    pub(crate) ended_early: Option<String>,
    /// Which parts of a run the files are, as their headers say it.
    pub(crate) parts: Vec<Option<String>>,
    files: Vec<Lines>,
    /// The ids of the vectors; a vector's number is that of its id.
    ids: NameIndex,
    /// What the vectors are about, by their numbers, where that is said.
    abouts: Vec<Option<u32>>,
    /// What there is for them to be about.
    known_abouts: IndexSet<About>,
    /// The results: of the first vector on all implementations, of the second, and so on.
    results: Vec<Option<Brief>>,
    /// The numbers of the vectors, in the order of their ids.
    order: Vec<usize>,
    /// Where implementations part, in the order of vectors.
    differences: Vec<Place>,
    /// What did not go the same way every time.
    flakes: Vec<Place>,
}

/// A vector of a record, by its number.
pub(crate) type VectorNumber = usize;

/// A result, in short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    /// Where its line begins.
    offset: u64,
    /// How long it took: exact enough to be compared.
    pub(crate) seconds: f32,
    /// In which of the files.
    file: u16,
    pub(crate) outcome: Went,
    /// Whether it is as expected.
    pub(crate) expected: bool,
    /// Whether the numbers of what passed are equal to the last bit, where it has any.
    pub(crate) bit_equal: Option<bool>,
}

/// A line about a vector.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    file: u16,
    vector: VectorNumber,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("header", &self.header).field("files", &self.files).finish_non_exhaustive()
    }
}

/// The header of a result file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header {
    /// The version of the form of the lines.
    pub(crate) format: u32,
    /// The program that wrote it.
    pub(crate) program: String,
    /// The version of that.
    pub(crate) version: String,
    /// When it began, in seconds since 1970.
    pub(crate) started: u64,
    /// How many vectors there are.
    pub(crate) vectors: usize,
    /// The implementations, in the order of the command line.
    pub(crate) implementations: Vec<String>,
    /// The reading of the specification: `corrected` or `literal`.
    pub(crate) reading: String,
    /// Which part of a run this is, such as 2/8; none if it is all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<String>,
    /// What was run, of which version: whatever else the line says.
    #[serde(flatten)]
    #[schemars(with = "Provenance")]
    pub(crate) more: Map<String, Json>,
}

/// What a vector is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct About {
    /// Its operator, or else its file.
    pub(crate) subject: String,
    /// The data type of its first input, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_type: Option<String>,
}

impl About {
    /// The data type of a vector's first input, where it has one.
    pub(crate) fn data_type_of(vector: &Vector) -> Option<DataType> {
        let first = vector.graph().and_then(|graph| graph.inputs.values().next());
        first.map(|input| input.descriptor.data_type)
    }
}

/// How a vector went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Went {
    Passed,
    Failed,
    Errored,
    Skipped,
    Open,
}

impl Went {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Errored => "errored",
            Self::Skipped => "skipped",
            Self::Open => "open",
        }
    }
}

/// One result.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultLine {
    pub(crate) vector: String,
    pub(crate) implementation: String,
    /// Whether it is as expected.
    pub(crate) expected: bool,
    pub(crate) seconds: f64,
    pub(crate) outcome: Went,
    /// What depends on the outcome: message, reason, distance, and so on.
    #[serde(flatten)]
    pub(crate) more: Map<String, Json>,
}

impl ResultLine {
    /// What is said of it, in a sentence; nothing of what passed.
    pub(crate) fn message(&self) -> &str {
        let text = |name: &str| self.more.get(name).and_then(Json::as_str);
        text("message").or_else(|| text("reason")).unwrap_or_default()
    }

    /// Why it is known not to be a pass, where that is listed.
    pub(crate) fn known(&self) -> Option<&str> {
        self.more.get("known").and_then(Json::as_str)
    }

    /// Whether the numbers of what passed are equal to the last bit, where it has any.
    pub(crate) fn bit_equal(&self) -> Option<bool> {
        self.more.get("bitEqual").and_then(Json::as_bool)
    }

    /// The error of the specification's text that asks for this failure as it is written, by its name in SPEC_ISSUES.md.
    pub(crate) fn as_written(&self) -> Option<&str> {
        self.more.get("asWritten").and_then(Json::as_str)
    }

    /// Whether what the specification leaves open went otherwise than the vector has it.
    pub(crate) fn is_otherwise(&self) -> bool {
        self.outcome == Went::Open && self.more.get("difference").is_some_and(|difference| !difference.is_null())
    }

    /// The element of which the derived bound says the worst, if that is not that it is inside.
    pub(crate) fn element(&self) -> Option<Element> {
        let bound = self.more.get("bound")?;
        let text = |name: &str| bound.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Element {
            output: text("output")?,
            index: usize::try_from(bound.get("index")?.as_u64()?).ok()?,
            reference: text("reference")?,
            actual: text("actual")?,
            bound: bound.get("bound").and_then(Json::as_f64).unwrap_or(f64::INFINITY),
        })
    }

    /// How it stands with both judges, where the derived bound was asked.
    pub(crate) fn standing(&self) -> Option<Standing> {
        serde_json::from_value(self.more.get("bound")?.get("standing")?.clone()).ok()
    }
}

/// Where two implementations part.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Difference {
    pub(crate) vector: String,
    pub(crate) implementations: [String; 2],
    pub(crate) output: String,
    pub(crate) worst: Option<String>,
    pub(crate) index: Option<usize>,
}

/// A result that is not the same every time.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Flake {
    pub(crate) vector: String,
    pub(crate) implementation: String,
    pub(crate) message: String,
}

impl Record {
    /// Reads a result file.
    ///
    /// # Errors
    /// If it can not be read, is no result file, or is of a run that did not end.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let mut record = Self::default();
        reading::add(&mut record, path, Extent::Whole)?;
        Ok(record.in_order())
    }

    /// Reads the result files of the parts of a run.
    ///
    /// # Errors
    /// If one can not be read, is no result file, or is of a run that did not end; or if they are not parts of one run.
    pub(crate) fn read_parts<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, Failure> {
        let mut record = Self::default();
        for path in paths {
            reading::add(&mut record, path, Extent::Whole)?;
        }
        record.header.vectors = record.abouts.iter().flatten().count();
        record.header.part = None;
        Ok(record.in_order())
    }

    /// Reads what there is of a run, whether it has ended or not; nothing if that is not even its header.
    ///
    /// # Errors
    /// If the file can not be read, or is no result file.
    pub(crate) fn read_as_far_as_it_is(path: &Path) -> Result<Option<Self>, Failure> {
        let mut record = Self::default();
        let has_begun = reading::add(&mut record, path, Extent::AsFarAsItIs)?;
        Ok(has_begun.then(|| record.in_order()))
    }

    fn in_order(mut self) -> Self {
        let ids = &self.ids;
        self.order = (0..ids.len()).collect();
        self.order.sort_unstable_by(|a, b| ids.get(*a).cmp(ids.get(*b)));
        self.differences.sort_by(|a, b| ids.get(a.vector).cmp(ids.get(b.vector)));
        self
    }

    /// The implementations, in the order of the command line.
    pub(crate) fn implementations(&self) -> &[String] {
        &self.header.implementations
    }

    /// Calls an implementation otherwise, if there is one of that name.
    pub(crate) fn rename(&mut self, from: &str, to: &str) -> bool {
        let name = self.header.implementations.iter_mut().find(|name| *name == from);
        name.map(|name| to.clone_into(name)).is_some()
    }

    /// The vectors, in the order of their ids.
    pub(crate) fn vectors(&self) -> impl Iterator<Item = VectorNumber> {
        self.order.iter().copied()
    }

    /// The number of a vector, if there is anything about it.
    pub(crate) fn number_of(&self, id: &str) -> Option<VectorNumber> {
        self.ids.number_of(id)
    }

    /// The id of a vector.
    pub(crate) fn id(&self, vector: VectorNumber) -> &str {
        self.ids.get(vector)
    }

    /// What a vector is about, where that is said.
    pub(crate) fn about(&self, vector: VectorNumber) -> Option<&About> {
        let about = (*self.abouts.get(vector)?)?;
        self.known_abouts.get_index(usize::try_from(about).ok()?)
    }

    /// What a vector is about: its operator, or else its file.
    pub(crate) fn subject(&self, vector: VectorNumber) -> &str {
        self.about(vector).map_or("", |about| about.subject.as_str())
    }

    /// How a vector went on an implementation, in short.
    pub(crate) fn brief(&self, vector: VectorNumber, implementation: usize) -> Option<&Brief> {
        let implementations = self.header.implementations.len();
        let place = vector.checked_mul(implementations)?.checked_add(implementation)?;
        self.results.get(place).filter(|_| implementation < implementations)?.as_ref()
    }

    /// How the vectors went, in short: in the order of their ids, and of the names of implementations.
    pub(crate) fn briefs(&self) -> impl Iterator<Item = (VectorNumber, usize, &Brief)> {
        let names = self.implementations();
        let mut by_name: Vec<usize> = (0..names.len()).collect();
        by_name.sort_by_key(|implementation| &names[*implementation]);
        self.vectors().flat_map(move |vector| {
            let of_it = by_name.clone().into_iter();
            of_it.filter_map(move |implementation| Some((vector, implementation, self.brief(vector, implementation)?)))
        })
    }

    /// How many results there are.
    pub(crate) fn count(&self) -> usize {
        self.results.iter().flatten().count()
    }

    /// How many of them are not as expected.
    pub(crate) fn unexpected(&self) -> usize {
        self.results.iter().flatten().filter(|brief| !brief.expected).count()
    }

    /// Whether a vector was not as expected on any implementation.
    pub(crate) fn is_unexpected(&self, vector: VectorNumber) -> bool {
        let mut all = (0..self.header.implementations.len()).filter_map(|one| self.brief(vector, one));
        all.any(|brief| !brief.expected)
    }

    /// Forgets the results of vectors, and in what they differ.
    pub(crate) fn retain(&mut self, keeps: impl Fn(&Self, VectorNumber) -> bool) {
        let forgotten: Vec<bool> = (0..self.ids.len()).map(|vector| !keeps(self, vector)).collect();
        let implementations = self.header.implementations.len().max(1);
        for (results, _) in self.results.chunks_mut(implementations).zip(&forgotten).filter(|(_, is_it)| **is_it) {
            results.fill(None);
        }
        self.differences.retain(|place| !forgotten[place.vector]);
    }

    /// What the line of a result says.
    ///
    /// # Errors
    /// If it can not be read again.
    pub(crate) fn result(&self, brief: &Brief) -> Result<ResultLine, Failure> {
        let mut line: ResultLine = self.parsed(brief.file, brief.offset)?;
        line.more.shift_remove("line");
        Ok(line)
    }

    /// What the results are of which `takes` holds, in the order of [`briefs`](Self::briefs).
    ///
    /// # Errors
    /// If they can not be read again.
    pub(crate) fn results<'a>(
        &'a self,
        takes: impl Fn(usize, &Brief) -> bool + 'a,
    ) -> impl Iterator<Item = Result<(VectorNumber, usize, ResultLine), Failure>> + 'a {
        let taken = self.briefs().filter(move |(_, implementation, brief)| takes(*implementation, brief));
        taken.map(|(vector, implementation, brief)| Ok((vector, implementation, self.result(brief)?)))
    }

    /// Where implementations part, in the order of vectors and implementations.
    ///
    /// # Errors
    /// If that can not be read again.
    pub(crate) fn differences(&self) -> impl Iterator<Item = Result<(VectorNumber, Difference), Failure>> {
        let of_vectors = self.differences.chunk_by(|a, b| a.vector == b.vector);
        of_vectors.flat_map(|places| {
            let read = places.iter().map(|place| self.parsed::<Difference>(place.file, place.offset));
            let all: Vec<Result<Difference, Failure>> = match read.collect::<Result<Vec<_>, _>>() {
                Ok(mut all) => {
                    all.sort_by(|a, b| a.implementations.cmp(&b.implementations));
                    all.into_iter().map(Ok).collect()
                }
                Err(failure) => vec![Err(failure)],
            };
            let vector = places.first().map_or(0, |place| place.vector);
            all.into_iter().map(move |difference| Ok((vector, difference?)))
        })
    }

    /// What did not go the same way every time.
    ///
    /// # Errors
    /// If that can not be read again.
    pub(crate) fn flakes(&self) -> impl ExactSizeIterator<Item = Result<Flake, Failure>> {
        self.flakes.iter().map(|place| self.parsed(place.file, place.offset))
    }

    fn parsed<T: DeserializeOwned>(&self, file: u16, offset: u64) -> Result<T, Failure> {
        let lines = &self.files[usize::from(file)];
        let text = lines.at(offset)?;
        serde_json::from_str(&text).map_err(|_| lines.have_changed())
    }
}
