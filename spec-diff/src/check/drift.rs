//! What changed in the specification since the code was last compared with it.

use std::path::Path;
use std::sync::Arc;

use super::finding::Finding;
use crate::align::{Change, align};
use crate::bikeshed::{Algorithm, Document};
use crate::code::{Code, Place};
use crate::facts::{self, Facts};
use crate::lock::{Hash, Lock, LockedAlgorithm, LockedStep};

/// What of a document is not what the lock has.
pub fn drift(lock: &Lock, document: &Document, path: &Path, code: &Code, code_facts: &Facts) -> Vec<Finding> {
    let drift = Drift { lock, file: path.into(), code, code_facts };
    let mut findings = Vec::new();
    for algorithm in &document.algorithms {
        match lock.algorithm(&algorithm.name()) {
            Some(locked) => findings.extend(drift.algorithm(algorithm, locked)),
            None => findings.push(drift.at(algorithm.line, &algorithm.name(), "this algorithm is new: encode it")),
        }
    }
    for locked in lock.algorithms.iter().filter(|locked| document.algorithm(&locked.name).is_none()) {
        let what = format!("{} has no such algorithm any more: remove {}", path.display(), drift.code_of(&locked.name));
        findings.push(drift.in_lock(locked.line, &locked.name, what));
    }
    findings.extend(drift.facts(document, path));
    findings.extend(drift.decompositions(document));
    findings
}

struct Drift<'a> {
    lock: &'a Lock,
    file: Arc<Path>,
    code: &'a Code,
    code_facts: &'a Facts,
}

impl Drift<'_> {
    fn at(&self, line: usize, subject: &str, what: impl Into<String>) -> Finding {
        let place = Place { file: Arc::clone(&self.file), line };
        Finding { place, subject: subject.to_owned(), what: what.into() }
    }

    fn in_lock(&self, line: usize, subject: &str, what: String) -> Finding {
        Finding { place: Place { file: Arc::clone(&self.lock.path), line }, subject: subject.to_owned(), what }
    }

    /// Where the code has an algorithm, in words.
    fn code_of(&self, name: &str) -> String {
        let frame = self.code.algorithms.get(name).and_then(|encoding| encoding.frames.first());
        frame.map_or_else(|| "nothing".to_owned(), ToString::to_string)
    }

    /// Where the code has a step that the lock has at this path.
    fn code_of_step(&self, name: &str, step: &LockedStep) -> String {
        let path = step.path.to_string();
        let steps = self.code.algorithms.get(name).map(|encoding| encoding.steps.as_slice()).unwrap_or_default();
        let place = steps.iter().find(|named| named.name == path).map(|named| named.place.to_string());
        place.unwrap_or_else(|| self.code_of(name))
    }

    fn algorithm(&self, algorithm: &Algorithm, locked: &LockedAlgorithm) -> Vec<Finding> {
        let name = algorithm.name();
        let mut findings = Vec::new();
        if Hash::of_preamble(algorithm) != locked.preamble {
            let what = format!("what comes before its steps changed: compare {}", self.code_of(&name));
            findings.push(self.at(algorithm.line, &name, what));
        }
        let old: Vec<Hash> = locked.steps.iter().map(|step| step.hash).collect();
        let new: Vec<Hash> = algorithm.steps.iter().map(Hash::of_step).collect();
        let depths = (
            locked.steps.iter().map(|step| step.path.depth()).collect::<Vec<_>>(),
            algorithm.steps.iter().map(|step| step.path.depth()).collect::<Vec<_>>(),
        );
        let is_same = |a: usize, b: usize| old[a] == new[b] && depths.0[a] == depths.1[b];
        for change in align(old.len(), new.len(), is_same, |_, _| true) {
            let finding = match change {
                Change::Same(..) => continue,
                Change::Changed(was, is) => {
                    let (was, is) = (&locked.steps[was], &algorithm.steps[is]);
                    let what = format!("step {} changed: compare {}", is.path, self.code_of_step(&name, was));
                    self.at(is.line, &name, what)
                }
                Change::Added(is) => {
                    let is = &algorithm.steps[is];
                    self.at(is.line, &name, format!("step {} is new: encode it in {}", is.path, self.code_of(&name)))
                }
                Change::Removed(was) => {
                    let was = &locked.steps[was];
                    let what = format!("step {} is gone: remove {}", was.path, self.code_of_step(&name, was));
                    self.at(algorithm.line, &name, what)
                }
            };
            findings.push(finding);
        }
        findings
    }

    fn facts(&self, document: &Document, path: &Path) -> Vec<Finding> {
        let facts = facts::of_document(document, path);
        let mut findings = Vec::new();
        for (subject, fact) in &facts {
            let kind = subject.kind.as_str();
            let what = match (self.lock.facts.get(subject), self.code_facts.get(subject)) {
                (Some((hash, _)), _) if *hash == Hash::of([fact.text.as_str()]) => continue,
                (_, Some(code)) if code.text == fact.text => {
                    format!("this {kind} is `{}` now, as it is at {} already", fact.text, code.place)
                }
                (_, Some(code)) => {
                    format!(
                        "this {kind} is `{}` now, and `{}` at {}: change it there",
                        fact.text, code.text, code.place
                    )
                }
                (_, None) => format!("this {kind} is new, `{}`: declare it", fact.text),
            };
            findings.push(Finding { place: fact.place.clone(), subject: subject.name.clone(), what });
        }
        for (subject, (_, line)) in self.lock.facts.iter().filter(|(subject, _)| !facts.contains_key(subject)) {
            let code = self.code_facts.get(subject).map_or("nothing".to_owned(), |fact| fact.place.to_string());
            let what = format!("{} has no such {} any more: remove {code}", path.display(), subject.kind.as_str());
            findings.push(self.in_lock(*line, &subject.name, what));
        }
        findings
    }

    fn decompositions(&self, document: &Document) -> Vec<Finding> {
        let mut findings = Vec::new();
        for function in &document.decompositions {
            let hash = Hash::of([function.text.as_str()]);
            match self.lock.decompositions.get(&function.name) {
                Some((locked, _)) if *locked == hash => {}
                Some(_) => {
                    let what = "its decomposition changed: compare NUMERICS.md and what the operator computes";
                    findings.push(self.at(function.line, &function.name, what));
                }
                None => findings.push(self.at(function.line, &function.name, "its decomposition is new: compare it")),
            }
        }
        let gone = |name: &&String| !document.decompositions.iter().any(|function| function.name == **name);
        for (name, (_, line)) in self.lock.decompositions.iter().filter(|(name, _)| gone(name)) {
            findings.push(self.in_lock(*line, name, "its decomposition is gone".to_owned()));
        }
        findings
    }
}
