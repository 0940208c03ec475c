//! Descriptors: checked, shared, and what they are not.

use crate::bikeshed::Kind;
use crate::bikeshed::inline::Inline;

use super::Finding;
use super::prepared::{Prepared, Sentence};
use super::variables::declared;

pub(super) fn unchecked(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in prepared.algorithms.iter().filter(|prose| prose.algorithm.kind == Kind::Method) {
        let is_descriptor = |type_: Option<&str>| matches!(type_, Some("MLOperandDescriptor" | "MLTensorDescriptor"));
        for parameter in prose.parameters.iter().filter(|parameter| is_descriptor(parameter.type_.as_deref())) {
            let checks = |sentence: &Sentence<'_>| {
                sentence.links_to("check dimensions") && sentence.variables().any(|name| name == parameter.name)
            };
            if !prose.steps.is_empty() && !prose.steps.iter().any(checks) {
                let what = format!("The dimensions of |{}|, which script gives, are never checked.", parameter.name);
                findings.push(prose.finding_at_its_beginning("dimensions-unchecked", what));
            }
        }
    }
    findings
}

pub(super) fn shared(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Whether the operation that copies an operand gives the copy the very descriptor of the operand.
    let copies = prepared.algorithms.iter().find(|prose| prose.name == "copy an MLOperand");
    let shares = |sentence: &Sentence<'_>| {
        let descriptors = sentence.links().filter(|link| link.term == "[[descriptor]]").count();
        sentence.plain().starts_with("Set ") && descriptors == 2
    };
    if !copies.is_some_and(|prose| prose.steps.iter().any(shares)) {
        return findings;
    }
    for prose in &prepared.algorithms {
        let copied = prose.steps.iter().filter(|sentence| sentence.links_to("copy an MLOperand"));
        let copied: Vec<&str> = copied.flat_map(|sentence| declared(sentence)).collect();
        for sentence in prose.steps.iter().filter(|sentence| sentence.plain().starts_with("Set ")) {
            let [_, Inline::Variable(variable), Inline::Text(_), Inline::Link(link), ..] = sentence.parts.as_slice()
            else {
                continue;
            };
            if copied.contains(&variable.as_str()) && matches!(link.term.as_str(), "shape" | "dataType") {
                let what = format!(
                    "|{variable}| is a copy that shares its descriptor with the operand, so that this changes both."
                );
                findings.push(prose.finding("shared-descriptor-written", sentence, what));
            }
        }
    }
    findings
}

pub(super) fn rank_of_list(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        // Variables that a step declares to be a shape, or a list.
        let is_list = |sentence: &&Sentence<'_>| {
            let text = sentence.plain();
            let text = text.trim_end_matches('.');
            text.starts_with("Let ") && (text.ends_with("'s shape") || text.contains(" be a new list"))
        };
        let lists: Vec<&str> = prose.steps.iter().filter(is_list).flat_map(|sentence| declared(sentence)).collect();
        for sentence in &prose.steps {
            for parts in sentence.parts.windows(3) {
                let [Inline::Variable(variable), Inline::Text(of), Inline::Link(link)] = parts else { continue };
                let is_of_operand = link.defined_for.as_deref() == Some("MLOperand");
                if of == "'s " && is_of_operand && lists.contains(&variable.as_str()) {
                    let what = format!("|{variable}| is a list, which has no {}; it has a size.", link.term);
                    findings.push(prose.finding("rank-of-a-list", sentence, what));
                }
            }
        }
    }
    findings
}
