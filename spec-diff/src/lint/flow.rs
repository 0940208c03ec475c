//! The way through an algorithm.

use std::collections::BTreeSet;

use crate::bikeshed::inline::Inline;

use super::Finding;
use super::prepared::{Prepared, Prose, Sentence};

pub(super) fn unreachable(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in prose.steps.iter().filter(|sentence| ends(sentence)) {
            // The cases of a switch stand in one list.
            if let Some(next) =
                prose.next(sentence).filter(|_| !sentence.text.contains("</dl>") && !sentence.text.contains(" : "))
            {
                let what = format!("Step {} always ends the steps before this one.", sentence.step.path);
                findings.push(prose.finding("unreachable-step", next, what));
            }
        }
    }
    findings
}

/// Whether a step ends its algorithm, whatever happened before.
fn ends(sentence: &Sentence<'_>) -> bool {
    let plain = sentence.plain();
    ["Return", "Throw", "Abort these steps"].iter().any(|word| plain.starts_with(word)) && !plain.contains(" if ")
}

pub(super) fn repeated(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for (place, sentence) in prose.steps.iter().enumerate() {
            let is_check = sentence.plain().starts_with("If ") && sentence.refuses() && sentence.step.path.depth() == 1;
            let is_same = |other: &&Sentence<'_>| other.step.path.depth() == 1 && other.step.text == sentence.step.text;
            if let Some(first) = prose.steps[..place].iter().find(is_same).filter(|_| is_check) {
                let what = format!("Step {} has checked the same.", first.step.path);
                findings.push(prose.finding("repeated-check", sentence, what));
            }
        }
    }
    findings
}

pub(super) fn set_in_one_branch(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in prose.steps.iter().filter(|sentence| sentence.plain().starts_with("If ")) {
            let Some(otherwise) = prose.next(sentence).filter(|next| next.plain() == "Otherwise:") else { continue };
            let (this, other) = (slots_set(prose, sentence), slots_set(prose, otherwise));
            if this.is_empty() || other.is_empty() {
                continue;
            }
            for (slots, others, branch) in [(&this, &other, otherwise), (&other, &this, sentence)] {
                for (variable, slot) in slots.difference(others) {
                    let is_set_outside = |other: &Sentence<'_>| {
                        slot_set(other).is_some_and(|set| set == (variable.clone(), slot.clone()))
                    };
                    let mut outside =
                        prose.steps.iter().filter(|step| step.step.path.depth() <= sentence.step.path.depth());
                    if !outside.any(is_set_outside) {
                        let what = format!("|{variable}|.{slot} is set in the other case only.");
                        findings.push(prose.finding("set-in-one-branch", branch, what));
                    }
                }
            }
        }
    }
    findings
}

fn slots_set(prose: &Prose<'_>, branch: &Sentence<'_>) -> BTreeSet<(String, String)> {
    prose.inside(branch).filter_map(slot_set).collect()
}

/// The slot that a step sets, on its own or under a condition.
fn slot_set(sentence: &Sentence<'_>) -> Option<(String, String)> {
    sentence.parts.windows(4).find_map(|parts| match parts {
        [Inline::Text(set), Inline::Variable(name), Inline::Text(dot), Inline::Link(link)]
            if set.to_lowercase().ends_with("set ") && dot == "." && link.term.starts_with("[[") =>
        {
            Some((name.clone(), link.term.clone()))
        }
        _ => None,
    })
}

/// The least number of cases of which two may be expected to be different.
const CASES: usize = 4;

pub(super) fn cases_alike(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in prose.steps.iter().filter(|sentence| sentence.text.contains("<dl")) {
            let cases = cases(sentence);
            let mut pairs = Vec::new();
            for (place, (label, body)) in cases.iter().enumerate() {
                pairs.extend(cases[..place].iter().filter(|(_, other)| other == body).map(|(other, _)| (other, label)));
            }
            // If several are alike, they are meant to be.
            if let [(first, second)] = pairs.as_slice()
                && cases.len() >= CASES
            {
                let what = format!("The cases {first} and {second} do the same, and no others do.");
                findings.push(prose.finding("cases-alike", sentence, what));
            }
        }
    }
    findings
}

/// The cases of a switch, with what to do in them.
fn cases(sentence: &Sentence<'_>) -> Vec<(String, String)> {
    let mut cases: Vec<(String, String)> = Vec::new();
    for line in sentence.step.attached.iter().filter(|line| !line.is_remark) {
        if let Some(label) = line.text.strip_prefix(": ") {
            cases.push((crate::bikeshed::inline::plain(label), String::new()));
        } else if let Some((_, body)) = cases.last_mut() {
            body.push_str(line.text.trim_start_matches(':').trim());
        }
    }
    cases.retain(|(_, body)| !body.is_empty());
    cases
}

pub(super) fn throws_and_rejects(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        let throws = prose.steps.iter().find(|sentence| sentence.links_to("throw"));
        let rejects =
            prose.steps.iter().find(|sentence| sentence.links_to("reject") || sentence.links_to("a new promise"));
        if let (Some(throws), Some(rejects)) = (throws, rejects) {
            let what = format!("It throws here, and uses a promise in step {}.", rejects.step.path);
            findings.push(prose.finding("throws-and-rejects", throws, what));
        }
    }
    findings
}

pub(super) fn otherwise_without_if(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for (place, sentence) in prose.steps.iter().enumerate().filter(|(_, it)| it.plain().starts_with("Otherwise")) {
            let before = prose.steps[..place].iter().rev().find(|other| sentence.step.path.follows(&other.step.path));
            let is_condition = |before: &Sentence<'_>| {
                let plain = before.plain().to_lowercase();
                plain.starts_with("if ")
                    || plain.starts_with("otherwise")
                    || plain.starts_with("while ")
                    || plain.contains(" if ")
            };
            if !before.is_some_and(is_condition) {
                let what = "It follows no step that has a condition.".to_owned();
                findings.push(prose.finding("otherwise-without-if", sentence, what));
            }
        }
    }
    findings
}
