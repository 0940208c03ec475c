//! Variables: declared, used, declared again.

use std::collections::BTreeSet;

use crate::bikeshed::inline::Inline;

use super::Finding;
use super::prepared::{Prepared, Prose, Sentence};

/// What a declaration begins with. What follows declares every variable up to "be", or the ones that are looped over.
const BEGINNINGS: [&str; 4] = ["let ", "for each ", "dequeue ", "while there exists "];

pub(super) fn undeclared(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        let mut known: BTreeSet<String> = prose.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        known.extend(bars(&prose.preamble));
        for sentence in &prose.steps {
            let declared = declarations(sentence);
            for (place, part) in sentence.parts.iter().enumerate() {
                let Inline::Variable(variable) = part else { continue };
                let is_declared = declared.iter().any(|(declaration, name)| *declaration <= place && name == variable);
                if known.insert(variable.clone()) && !is_declared {
                    let similar =
                        known.iter().filter(|other| *other != variable).find(|other| is_similar(other, variable));
                    let hint = similar.map_or_else(String::new, |other| format!(" Is it |{other}|?"));
                    let what = format!("|{variable}| is not declared.{hint}");
                    findings.push(prose.finding("undeclared-variable", sentence, what));
                }
            }
        }
    }
    findings
}

pub(super) fn unused(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for (place, sentence) in prose.steps.iter().enumerate() {
            for variable in declared(sentence) {
                let is_in_note =
                    |sentence: &Sentence<'_>| sentence.step.attached.iter().any(|line| has(&line.text, variable));
                let is_pair = sentence.plain().contains('→');
                let is_repeated = sentence.variables().filter(|name| *name == variable).count() > 1;
                if is_pair || is_repeated || prose.steps.iter().any(is_in_note) {
                    continue;
                }
                let later =
                    prose.steps[place + 1..].iter().filter(|later| later.variables().any(|name| name == variable));
                let later: Vec<_> = later.collect();
                let what = if later.is_empty() {
                    format!("|{variable}| is never used.")
                } else if later.iter().all(|later| only_writes(later, variable)) {
                    format!("|{variable}| is set, and never read.")
                } else {
                    continue;
                };
                findings.push(prose.finding("unused-variable", sentence, what));
            }
        }
    }
    findings
}

/// Whether all that a step does with a variable is to set it, or to append to it.
fn only_writes(sentence: &Sentence<'_>, variable: &str) -> bool {
    sentence.parts.iter().enumerate().all(|(place, part)| {
        if !matches!(part, Inline::Variable(name) if name == variable) {
            return true;
        }
        let before = place.checked_sub(1).map(|before| &sentence.parts[before]);
        let Some(Inline::Text(before)) = before else { return false };
        let after = sentence.parts.get(place + 1);
        let is_set = before.to_lowercase().ends_with("set ")
            && matches!(after, Some(Inline::Text(to)) if to.starts_with(" to "));
        let is_appended_to = before.ends_with(" to ") && (sentence.links_to("append") || sentence.links_to("prepend"));
        is_set || is_appended_to
    })
}

/// A bound that is not given, and is set to the wrong infinity: then nothing is within the bounds.
pub(super) fn bound_sign(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in prose.steps.iter().filter(|sentence| sentence.plain().starts_with("Let ")) {
            let (plain, declared) = (sentence.plain(), declared(sentence));
            let is_negative = plain.contains("-Infinity");
            let is_positive = plain.replace("-Infinity", "").contains("Infinity");
            let begins = |word: &str| declared.iter().any(|name| name.to_lowercase().starts_with(word));
            let wrong =
                (begins("min") && is_positive && !is_negative) || (begins("max") && is_negative && !is_positive);
            if let Some(variable) = declared.first().filter(|_| wrong) {
                let sign = if is_negative { "-Infinity" } else { "Infinity" };
                let what = format!("|{variable}| is {sign} if it is not given, so that no value is within the bounds.");
                findings.push(prose.finding("bound-sign", sentence, what));
            }
        }
    }
    findings
}

pub(super) fn redeclared(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for (place, sentence) in prose.steps.iter().enumerate() {
            if !sentence.plain().starts_with("Let ") {
                continue;
            }
            for variable in declared(sentence) {
                let is_first = |earlier: &&Sentence<'_>| {
                    earlier.plain().starts_with("Let ")
                        && declared(earlier).contains(&variable)
                        && is_in_scope(earlier, sentence)
                        && !prose.is_other_case(earlier, sentence)
                };
                if let Some(first) = prose.steps[..place].iter().find(is_first) {
                    let what = format!(
                        "|{variable}| is declared again; step {} declares it. Say \"set\" to change it.",
                        first.step.path
                    );
                    findings.push(prose.finding("redeclared-variable", sentence, what));
                } else if prose.parameters.iter().any(|parameter| parameter.name == variable) {
                    let what = format!("|{variable}| is a parameter. Say \"set\" to change it.");
                    findings.push(prose.finding("redeclared-variable", sentence, what));
                }
            }
        }
    }
    findings
}

/// Whether what an earlier step declares is known at a later one: the list of the earlier one is still open there.
fn is_in_scope(earlier: &Sentence<'_>, later: &Sentence<'_>) -> bool {
    let (a, b) = (earlier.step.path.to_string(), later.step.path.to_string());
    match a.rsplit_once('.') {
        Some((list, _)) => b.starts_with(&format!("{list}.")),
        None => true,
    }
}

/// The variables that a step declares.
pub(super) fn declared<'s>(sentence: &'s Sentence<'_>) -> Vec<&'s str> {
    declarations(sentence).into_iter().map(|(_, name)| name).collect()
}

/// The variables that a step declares, with the part of it that does.
fn declarations<'s>(sentence: &'s Sentence<'_>) -> Vec<(usize, &'s str)> {
    let mut declared = Vec::new();
    let mut is_open = false;
    let mut before = String::new();
    for (place, part) in sentence.parts.iter().enumerate() {
        match part {
            Inline::Text(text) => {
                let lower = text.to_lowercase();
                before.push_str(&lower);
                if is_open && [" be ", " of ", " in ", ". ", " from ", " where "].iter().any(|end| lower.contains(end))
                {
                    is_open = false;
                }
                // The last word that opens a declaration counts, if nothing ends it behind itself.
                is_open |= opens(&before);
            }
            Inline::Link(link) => {
                before.push_str(&link.text().to_lowercase());
                is_open |= opens(&format!("{before} "));
            }
            Inline::Code(_) => {}
            Inline::Variable(name) => {
                // "Let |a| be ... and |b| be ..." declares both.
                let is_let = sentence.parts[..place]
                    .iter()
                    .any(|part| matches!(part, Inline::Text(text) if text.to_lowercase().contains("let ")));
                let is_next =
                    matches!(sentence.parts.get(place + 1), Some(Inline::Text(text)) if text.starts_with(" be "));
                if is_open || (is_let && is_next) {
                    declared.push((place, name.as_str()));
                }
                before.clear();
                before.push('\u{1}');
            }
        }
    }
    declared
}

/// Whether a declaration is open at the end of these words, which begin behind a variable or with the step.
fn opens(words: &str) -> bool {
    let last =
        BEGINNINGS.into_iter().filter_map(|beginning| words.rfind(beginning).map(|at| at + beginning.len())).max();
    let rest = last.map(|at| &words[at..]);
    let is_still = |rest: &str| ![" be ", ". ", " of "].iter().any(|end| rest.contains(end));
    rest.is_some_and(is_still) || words.trim_end().ends_with(" given") && words.contains("let")
}

/// The variables of a text.
fn bars(text: &str) -> Vec<String> {
    let variable = |part| match part {
        Inline::Variable(name) => Some(name),
        Inline::Text(_) | Inline::Link(_) | Inline::Code(_) => None,
    };
    crate::bikeshed::inline::parts(text).into_iter().filter_map(variable).collect()
}

fn has(text: &str, variable: &str) -> bool {
    bars(text).iter().any(|name| name == variable)
}

/// Whether two names differ by a letter or two, so that one may be meant for the other.
fn is_similar(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) || format!("{a}s") == b || format!("{b}s") == a {
        return true;
    }
    let ratio = similar::TextDiff::from_chars(a, b).ratio();
    a.len().min(b.len()) > 3 && ratio > 0.85
}

/// The type of a variable, as far as the algorithm says: of a parameter, or of what a step declares it to be.
pub(super) fn type_of<'p>(prose: &'p Prose<'_>, variable: &str) -> Option<&'p str> {
    let parameter = prose.parameters.iter().find(|parameter| parameter.name == variable);
    if let Some(type_) = parameter.and_then(|parameter| parameter.type_.as_deref()) {
        return Some(type_);
    }
    let declaration = prose.steps.iter().find(|sentence| declared(sentence).contains(&variable))?;
    let made = |term: &str| declaration.links_to(term);
    if made("create an MLOperand") || made("copy an MLOperand") {
        Some("MLOperand")
    } else if made("create an MLOperandDescriptor") {
        Some("MLOperandDescriptor")
    } else if made("create an MLTensor") || made("create a constant MLTensor") {
        Some("MLTensor")
    } else {
        None
    }
}
