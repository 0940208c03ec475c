//! Loops.

use crate::bikeshed::inline::Inline;

use super::Finding;
use super::prepared::{Prepared, Prose, Sentence};

/// Words with which a step gives a variable another value.
const CHANGES: [&str; 6] = ["set ", "increment ", "decrement ", "add ", "multiply ", "dequeue "];

pub(super) fn without_progress(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for (outer, _) in loops(prose) {
            let body: Vec<_> = prose.inside(outer).collect();
            for (place, sentence) in body.iter().enumerate().filter(|(_, sentence)| sentence.links_to("continue")) {
                for variable in condition(sentence) {
                    // It decides whether to go on with the next turn, and only changes where this turn does not come to.
                    let changes = |sentence: &&&Sentence<'_>| changes(sentence, variable);
                    let (before, after) =
                        (body[..place].iter().any(|it| changes(&it)), body[place..].iter().any(|it| changes(&it)));
                    if after && !before && !variables_of(outer).contains(&variable) {
                        let what = format!(
                            "|{variable}| decides about the next turn, and only changes behind this step: once it is skipped, it always is."
                        );
                        findings.push(prose.finding("loop-without-progress", sentence, what));
                    }
                }
            }
            if outer.plain().starts_with("While ") && !body.is_empty() {
                let variables = variables_of(outer);
                let moves = |sentence: &&Sentence<'_>| {
                    variables.iter().any(|name| sentence.variables().any(|it| it == *name))
                        && (CHANGES.iter().any(|word| sentence.plain().to_lowercase().starts_with(word))
                            || appends(sentence))
                };
                if !body.iter().any(moves) {
                    let what = "Nothing in this loop changes what it waits for.".to_owned();
                    findings.push(prose.finding("loop-without-progress", outer, what));
                }
            }
        }
    }
    findings
}

/// Steps that repeat what is inside them, with what they loop over.
fn loops<'p, 'a>(prose: &'p Prose<'a>) -> impl Iterator<Item = (&'p Sentence<'a>, String)> {
    prose.steps.iter().filter_map(|sentence| {
        let plain = sentence.plain();
        let is_loop = ["For each ", "While ", "for each ", "while "].iter().any(|word| plain.starts_with(word));
        is_loop.then_some((sentence, plain))
    })
}

fn variables_of<'s>(sentence: &'s Sentence<'_>) -> Vec<&'s str> {
    sentence.variables().collect()
}

/// The variables that a step asks about.
fn condition<'s>(sentence: &'s Sentence<'_>) -> Vec<&'s str> {
    if sentence.plain().starts_with("If ") { variables_of(sentence).into_iter().take(1).collect() } else { Vec::new() }
}

fn changes(sentence: &Sentence<'_>, variable: &str) -> bool {
    let plain = sentence.plain().to_lowercase();
    let first = sentence.variables().next();
    first == Some(variable) && CHANGES.iter().any(|word| plain.starts_with(word))
}

fn appends(sentence: &Sentence<'_>) -> bool {
    ["append", "remove", "enqueue", "dequeue", "prepend"].iter().any(|term| sentence.links_to(term))
}

pub(super) fn changed_while_iterating(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for (outer, plain) in loops(prose) {
            let Some(collection) = looped_over(outer).filter(|_| !plain.contains("clone")) else { continue };
            for sentence in prose.inside(outer) {
                let changes = ["append", "remove", "prepend", "insert"].iter().any(|term| sentence.links_to(term));
                if changes && tail(sentence).is_some_and(|changed| changed == collection) {
                    let what = format!("It changes what step {} loops over. Loop over a clone.", outer.step.path);
                    findings.push(prose.finding("changed-while-iterating", sentence, what));
                }
            }
        }
    }
    findings
}

/// What a loop goes through: everything behind "of" or "in".
fn looped_over(sentence: &Sentence<'_>) -> Option<Vec<Inline>> {
    let is_of = |part: &Inline| matches!(part, Inline::Text(text) if [" of ", " in "].contains(&text.as_str()));
    let at = sentence.parts.iter().position(is_of)?;
    Some(without_end(&sentence.parts[at + 1..]))
}

/// What a step adds to or removes from.
fn tail(sentence: &Sentence<'_>) -> Option<Vec<Inline>> {
    let is_to = |part: &Inline| matches!(part, Inline::Text(text) if [" to ", " from "].contains(&text.as_str()));
    let at = sentence.parts.iter().position(is_to)?;
    Some(without_end(&sentence.parts[at + 1..]))
}

fn without_end(parts: &[Inline]) -> Vec<Inline> {
    let is_end = |part: &&Inline| matches!(part, Inline::Text(text) if text.trim_matches(['.', ':', ' ']).is_empty());
    let length = parts.len() - usize::from(parts.last().as_ref().is_some_and(is_end));
    parts[..length].to_vec()
}
