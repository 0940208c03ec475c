//! What changed between two revisions, as an editor sees it: by algorithm and step, not by line.
//!
//! A step that only has another number because one was put in before it has not changed. An algorithm that has another
//! name but mostly the same steps was renamed. Beside the algorithms, the tables of tensor limits, the Web IDL and the
//! decompositions are compared, and what else changed is at least counted, with its lines.

mod columns;
mod elsewhere;
mod findings;
pub mod markdown;
pub mod text;
pub mod words;

use std::path::Path;

use serde::Serialize;

use crate::align::{Change, align};
use crate::bikeshed::{Algorithm, Document, Step};
use crate::code::{Code, Sources};
use crate::facts;
use crate::lock::{Hash, Lock};
use crate::snippet::Snippets;
use crate::trace::Trace;
pub use elsewhere::Stretch;
pub use findings::FindingChange;

/// How much of its words a step has in common with what it became, at least.
const ALIKE: f32 = 0.4;
/// How many of its steps an algorithm has in common with what it was called before, at least.
const RENAMED: f64 = 0.5;

/// Two revisions.
#[derive(Clone, Copy, Debug)]
pub struct Revisions<'a> {
    /// The file of the older one.
    pub old_path: &'a Path,
    /// Its text.
    pub old_text: &'a str,
    /// What it says.
    pub old: &'a Document,
    /// The file of the newer one.
    pub new_path: &'a Path,
    /// Its text.
    pub new_text: &'a str,
    /// What it says.
    pub new: &'a Document,
}

/// What we have of an algorithm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ours<'a> {
    /// The code, if it is at hand.
    pub code: Option<&'a Code>,
    /// Its source.
    pub sources: Option<&'a Sources>,
    /// What vectors reach, if that is at hand.
    pub trace: Option<&'a Trace>,
    /// What the code was last compared with, if that is at hand: it says which of the revisions the code encodes.
    pub lock: Option<&'a Lock>,
}

/// Everything that changed.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// The algorithms, in the order of the newer revision; those that are gone last.
    pub algorithms: Vec<AlgorithmChange>,
    /// Rows of tables, and declarations of Web IDL.
    pub facts: Vec<FactChange>,
    /// Decompositions.
    pub decompositions: Vec<DecompositionChange>,
    /// What the lint finds in one of the revisions and not in the other.
    pub lint: Vec<FindingChange>,
    /// Changes in anything else.
    pub elsewhere: Vec<Stretch>,
}

/// A part of one of the revisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// The path of a step; empty for anything else.
    pub step: String,
    /// The line on which it begins.
    pub line: usize,
    /// What it says.
    pub text: String,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has another name.
    Renamed,
    /// It says something else.
    Changed,
}

/// An algorithm that changed.
#[derive(Clone, Debug, Serialize)]
pub struct AlgorithmChange {
    /// Its name in the newer revision, or the last one that it had.
    pub name: String,
    /// What became of it.
    pub fate: Fate,
    /// The name that it had, if that is another one.
    pub old_name: Option<String>,
    /// The line in the older revision.
    pub old_line: Option<usize>,
    /// The line in the newer revision.
    pub new_line: Option<usize>,
    /// What comes before its steps, if that changed.
    pub preamble: Option<Pair>,
    /// The steps that changed.
    pub steps: Vec<StepChange>,
    /// Steps that only have another number.
    pub renumbered: Vec<(String, String)>,
    /// Where our code encodes it.
    pub code: Vec<String>,
    /// The errors of its text for which our code has two readings: headings of SPEC_ISSUES.md.
    pub readings: Vec<String>,
    /// The vectors that reach a step that changed.
    pub vectors: Vec<String>,
}

/// The same thing on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// As it was; none if it is new.
    pub old: Option<Side>,
    /// As it is; none if it is gone.
    pub new: Option<Side>,
}

/// A step that changed.
#[derive(Clone, Debug, Serialize)]
pub struct StepChange {
    /// What became of it.
    pub fate: Fate,
    /// What it says.
    #[serde(flatten)]
    pub sides: Pair,
    /// Whether only notes changed.
    pub is_note: bool,
    /// Its words, and what became of them.
    pub words: Vec<words::Run>,
    /// Where our code names it.
    pub code: Option<String>,
}

/// A fact that changed.
#[derive(Clone, Debug, Serialize)]
pub struct FactChange {
    /// Which kind of fact.
    pub kind: &'static str,
    /// What it is about.
    pub name: String,
    /// What became of it.
    pub fate: Fate,
    /// What it says.
    #[serde(flatten)]
    pub sides: Pair,
}

/// A decomposition that changed.
#[derive(Clone, Debug, Serialize)]
pub struct DecompositionChange {
    /// The operator.
    pub name: String,
    /// What became of it.
    pub fate: Fate,
    /// What it says.
    #[serde(flatten)]
    pub sides: Pair,
}

/// Compares two revisions.
pub fn diff(revisions: &Revisions<'_>, ours: Ours<'_>) -> Diff {
    let algorithms = algorithms(revisions.old, revisions.new, ours);
    Diff {
        algorithms,
        facts: facts(revisions),
        decompositions: decompositions(revisions),
        lint: findings::changes(revisions),
        elsewhere: elsewhere::changes(revisions),
    }
}

impl Diff {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.algorithms.is_empty()
            && self.facts.is_empty()
            && self.decompositions.is_empty()
            && self.elsewhere.is_empty()
    }
}

fn algorithms(old: &Document, new: &Document, ours: Ours<'_>) -> Vec<AlgorithmChange> {
    let mut gone: Vec<&Algorithm> = old.algorithms.iter().filter(|it| new.algorithm(&it.name()).is_none()).collect();
    let mut changes = Vec::new();
    for algorithm in &new.algorithms {
        let before = old.algorithm(&algorithm.name()).or_else(|| {
            let place = gone.iter().position(|before| is_renamed(before, algorithm))?;
            Some(gone.remove(place))
        });
        changes.extend(match before {
            Some(before) => changed(before, algorithm, ours),
            None => Some(whole(algorithm, Fate::Added, ours)),
        });
    }
    changes.extend(gone.into_iter().map(|algorithm| whole(algorithm, Fate::Removed, ours)));
    changes
}

/// Whether an algorithm that is gone and one that is new are the same one.
fn is_renamed(old: &Algorithm, new: &Algorithm) -> bool {
    let stem = |algorithm: &Algorithm| algorithm.term.split('(').next().unwrap_or_default().to_owned();
    if old.kind == new.kind && old.defined_for == new.defined_for && stem(old) == stem(new) {
        return true;
    }
    let hashes = |algorithm: &Algorithm| algorithm.steps.iter().map(Hash::of_step).collect::<Vec<_>>();
    let (was, is) = (hashes(old), hashes(new));
    let common = was.iter().filter(|hash| is.contains(hash)).count();
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    !was.is_empty() && count(common) > count(was.len().max(is.len())) * RENAMED
}

/// An algorithm that is new or gone.
fn whole(algorithm: &Algorithm, fate: Fate, ours: Ours<'_>) -> AlgorithmChange {
    let name = algorithm.name();
    let line = Some(algorithm.line);
    let step = |step: &Step| {
        let side = Some(side(step));
        let (old, new) = if fate == Fate::Added { (None, side) } else { (side, None) };
        StepChange {
            fate,
            words: words_of(old.as_ref(), new.as_ref()),
            sides: Pair { old, new },
            is_note: false,
            code: None,
        }
    };
    AlgorithmChange {
        fate,
        old_name: None,
        old_line: line.filter(|_| fate == Fate::Removed),
        new_line: line.filter(|_| fate == Fate::Added),
        preamble: None,
        steps: algorithm.steps.iter().map(step).collect(),
        renumbered: Vec::new(),
        code: ours.frames(&name),
        readings: ours.readings(&name),
        vectors: ours.vectors(&name, algorithm.steps.iter().map(|step| step.path.to_string())),
        name,
    }
}

fn changed(old: &Algorithm, new: &Algorithm, ours: Ours<'_>) -> Option<AlgorithmChange> {
    let (old_name, name) = (old.name(), new.name());
    let (was, is) = (preamble(old), preamble(new));
    let preamble = (was.text != is.text).then_some(Pair { old: Some(was), new: Some(is) });
    // The numbers of our steps are those of the revision that we encode.
    let is_new_encoded = ours.encodes(new);
    let encoded_name = if is_new_encoded { &name } else { &old_name };
    let encoded = |was: Option<&Step>, is: Option<&Step>| {
        let step = if is_new_encoded { is } else { was };
        step.map(|step| step.path.to_string())
    };
    let mut touched = Vec::new();
    let mut steps = Vec::new();
    let mut renumbered = Vec::new();
    for change in aligned(old, new) {
        let (fate, was, is) = match change {
            Change::Same(was, is) => {
                let (was, is) = (old.steps[was].path.to_string(), new.steps[is].path.to_string());
                renumbered.extend((was != is).then_some((was, is)));
                continue;
            }
            Change::Changed(was, is) => (Fate::Changed, Some(&old.steps[was]), Some(&new.steps[is])),
            Change::Added(is) => (Fate::Added, None, Some(&new.steps[is])),
            Change::Removed(was) => (Fate::Removed, Some(&old.steps[was]), None),
        };
        let is_note = was.zip(is).is_some_and(|(was, is)| Hash::of_step(was) == Hash::of_step(is));
        let path = encoded(was, is);
        let code = path.as_ref().and_then(|path| ours.step(encoded_name, path));
        touched.extend(path.filter(|_| !is_note));
        let (old, new) = (was.map(side), is.map(side));
        let words = words_of(old.as_ref(), new.as_ref());
        steps.push(StepChange { fate, words, sides: Pair { old, new }, is_note, code });
    }
    if preamble.is_none() && steps.is_empty() && old_name == name {
        return None;
    }
    Some(AlgorithmChange {
        fate: if old_name == name { Fate::Changed } else { Fate::Renamed },
        code: ours.frames(encoded_name),
        readings: ours.readings(encoded_name),
        vectors: ours.vectors(encoded_name, touched.into_iter()),
        old_name: (old_name != name).then_some(old_name),
        old_line: Some(old.line),
        new_line: Some(new.line),
        preamble,
        steps,
        renumbered,
        name,
    })
}

/// The steps of two revisions of an algorithm, side by side.
pub fn aligned(old: &Algorithm, new: &Algorithm) -> Vec<Change> {
    let (was, is): (Vec<Side>, Vec<Side>) =
        (old.steps.iter().map(side).collect(), new.steps.iter().map(side).collect());
    let depth = |algorithm: &Algorithm, place: usize| algorithm.steps[place].path.depth();
    let is_same = |a: usize, b: usize| was[a].text == is[b].text && depth(old, a) == depth(new, b);
    let is_alike = |a: usize, b: usize| words::likeness(&was[a].text, &is[b].text) >= ALIKE;
    align(was.len(), is.len(), is_same, is_alike)
}

fn words_of(old: Option<&Side>, new: Option<&Side>) -> Vec<words::Run> {
    let text = |side: Option<&Side>| side.map(|side| side.text.clone()).unwrap_or_default();
    words::runs(&text(old), &text(new))
}

fn preamble(algorithm: &Algorithm) -> Side {
    let text: Vec<_> = algorithm.preamble.iter().map(|line| line.text.as_str()).collect();
    Side { step: String::new(), line: algorithm.line, text: joined(&text.join(" ")) }
}

/// A step with all that stands between it and the next one.
fn side(step: &Step) -> Side {
    let attached = step.attached.iter().map(|line| line.text.as_str());
    let text: Vec<_> = std::iter::once(step.text.as_str()).chain(attached).collect();
    Side { step: step.path.to_string(), line: step.line, text: joined(&text.join(" ")) }
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Ours<'_> {
    fn frames(&self, algorithm: &str) -> Vec<String> {
        let encoding = self.code.and_then(|code| code.algorithms.get(algorithm));
        // Where a frame is opened again, for what runs later, is the same function.
        encoding.into_iter().flat_map(|encoding| encoding.frames.iter().take(1).map(ToString::to_string)).collect()
    }

    fn step(&self, algorithm: &str, step: &str) -> Option<String> {
        let encoding = self.code?.algorithms.get(algorithm)?;
        encoding.steps.iter().find(|named| named.name == step).map(|named| named.place.to_string())
    }

    fn readings(&self, algorithm: &str) -> Vec<String> {
        let encoding = self.code.and_then(|code| code.algorithms.get(algorithm));
        let lines = self.sources.zip(encoding).map(|(sources, encoding)| Snippets::of(sources).of_algorithm(encoding));
        let lines = lines.unwrap_or_default();
        let ids = lines.iter().flat_map(|line| line.split("literal!(\"").skip(1));
        ids.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    }

    /// The vectors that reach one of these steps: those in which one throws first, then those that do least else.
    fn vectors(&self, algorithm: &str, steps: impl Iterator<Item = String>) -> Vec<String> {
        let Some(trace) = self.trace else { return Vec::new() };
        let steps: Vec<String> = steps.collect();
        let throwing = steps.iter().flat_map(|step| trace.throwing(algorithm, step));
        let reaching = steps.iter().flat_map(|step| trace.reaching(algorithm, step));
        let mut vectors: Vec<String> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        vectors.extend(throwing.chain(reaching).filter(|vector| seen.insert(*vector)).map(str::to_owned));
        vectors
    }

    /// Whether the code was last compared with this very algorithm.
    fn encodes(&self, algorithm: &Algorithm) -> bool {
        let locked = self.lock.and_then(|lock| lock.algorithm(&algorithm.name()));
        locked.is_some_and(|locked| {
            let hashes = locked.steps.iter().map(|step| step.hash);
            hashes.eq(algorithm.steps.iter().map(Hash::of_step))
        })
    }
}

fn facts(revisions: &Revisions<'_>) -> Vec<FactChange> {
    let old = facts::of_document(revisions.old, revisions.old_path);
    let new = facts::of_document(revisions.new, revisions.new_path);
    let side = |fact: &facts::Fact| Side { step: String::new(), line: fact.place.line, text: fact.text.clone() };
    let subjects: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let change = |subject: &facts::Subject| {
        let (was, is) = (old.get(subject), new.get(subject));
        let fate = fate(was.map(|fact| &fact.text), is.map(|fact| &fact.text))?;
        let sides = Pair { old: was.map(side), new: is.map(side) };
        Some(FactChange { kind: subject.kind.as_str(), name: subject.name.clone(), fate, sides })
    };
    subjects.into_iter().filter_map(change).collect()
}

fn decompositions(revisions: &Revisions<'_>) -> Vec<DecompositionChange> {
    let functions = |document: &Document| {
        let function = |it: &crate::bikeshed::Decomposition| {
            (it.name.clone(), Side { step: String::new(), line: it.line, text: it.text.trim_end().to_owned() })
        };
        document.decompositions.iter().map(function).collect::<std::collections::BTreeMap<_, _>>()
    };
    let (mut old, mut new) = (functions(revisions.old), functions(revisions.new));
    let names: std::collections::BTreeSet<String> = old.keys().chain(new.keys()).cloned().collect();
    let change = |name: String| {
        let (was, is) = (old.remove(&name), new.remove(&name));
        let fate = fate(was.as_ref().map(|side| &side.text), is.as_ref().map(|side| &side.text))?;
        Some(DecompositionChange { name, fate, sides: Pair { old: was, new: is } })
    };
    names.into_iter().filter_map(change).collect()
}

fn fate(old: Option<&String>, new: Option<&String>) -> Option<Fate> {
    match (old, new) {
        (Some(_), None) => Some(Fate::Removed),
        (None, Some(_)) => Some(Fate::Added),
        (old, new) => (old != new).then_some(Fate::Changed),
    }
}
