//! How steps are laid out.

use super::Finding;
use super::prepared::{Prepared, Sentence};

pub(super) fn indentation(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        let is_odd = |sentence: &Sentence<'_>| {
            let outer = outer(&prose.steps, sentence)?;
            // The cases of a switch have deeper ones, each as its author liked.
            let is_in_switch = outer.text.contains("<dl");
            (sentence.step.column < outer.step.column + 4 && !is_in_switch).then_some(outer)
        };
        for sentence in &prose.steps {
            // What is inside a step that stands oddly does so too.
            let Some(outer) = is_odd(sentence).filter(|outer| is_odd(outer).is_none()) else { continue };
            let (columns, path) = (sentence.step.column - outer.step.column, &outer.step.path);
            let what = format!("It is indented by {columns} more than step {path}, so that it is a part of that.");
            findings.push(prose.finding("odd-indentation", sentence, what));
        }
    }
    findings
}

/// The step that a step is a part of.
fn outer<'s, 'a>(steps: &'s [Sentence<'a>], inner: &Sentence<'_>) -> Option<&'s Sentence<'a>> {
    steps.iter().rev().find(|other| {
        inner.step.path.is_inside(&other.step.path) && other.step.path.depth() + 1 == inner.step.path.depth()
    })
}

pub(super) fn empty_group(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in &prose.steps {
            let ends_with_colon = sentence.step.text.trim_end().trim_end_matches('*').ends_with(':');
            let is_empty = prose.inside(sentence).next().is_none() && sentence.step.attached.is_empty();
            if ends_with_colon && is_empty {
                let what = "It ends with a colon, and nothing follows that is a part of it.".to_owned();
                findings.push(prose.finding("group-without-steps", sentence, what));
            }
        }
    }
    findings
}

pub(super) fn lower_case(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        let begins_small =
            |sentence: &&Sentence<'_>| sentence.step.text.starts_with(|first: char| first.is_lowercase());
        for sentence in prose.steps.iter().filter(begins_small) {
            let what = "It begins with a small letter.".to_owned();
            findings.push(prose.finding("step-case", sentence, what));
        }
    }
    findings
}
