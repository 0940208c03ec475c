//! What every method of a builder has to do with its operands.

use super::Finding;
use super::prepared::{Prepared, Prose, Sentence};

/// An operand that a method is given: a parameter, or a member of its options.
struct Operand {
    variable: String,
    member: Option<String>,
}

impl Operand {
    fn name(&self) -> String {
        match &self.member {
            Some(member) => format!("|{}|.{member}", self.variable),
            None => format!("|{}|", self.variable),
        }
    }

    fn is_in(&self, sentence: &Sentence<'_>) -> bool {
        match &self.member {
            Some(member) => sentence.names_member(&self.variable, member),
            None => sentence.variables().any(|name| name == self.variable),
        }
    }
}

pub(super) fn can_not_build(prepared: &Prepared<'_>) -> Vec<Finding> {
    let checks = |prose: &Prose<'_>| prose.steps.iter().any(|sentence| sentence.links_to("can not build"));
    let unchecked =
        prepared.builder_methods().filter(|prose| !checks(prose) && !prepared.called(prose).into_iter().any(checks));
    let what = "It never asks whether this can not build, so that it goes on when the context is lost.";
    unchecked.map(|prose| prose.finding_at_its_beginning("can-not-build-unchecked", what.to_owned())).collect()
}

pub(super) fn unvalidated(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in own_methods(prepared) {
        for operand in operands(prepared, prose) {
            let validates = |sentence: &Sentence<'_>| sentence.links_to("validate operand") && operand.is_in(sentence);
            let is_list = |sentence: &Sentence<'_>| {
                // "For each |operand| of |inputs|: ... validating operand ... |operand|".
                operand.is_in(sentence) && prose.inside(sentence).any(|inner| inner.links_to("validate operand"))
            };
            if !prose.steps.iter().any(|sentence| validates(sentence) || is_list(sentence)) {
                let what = format!("{} is never validated to be an operand of this builder.", operand.name());
                findings.push(prose.finding_at_its_beginning("operand-unvalidated", what));
            }
        }
    }
    findings
}

pub(super) fn unconnected(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in own_methods(prepared) {
        let connects = |sentence: &&Sentence<'_>| {
            sentence.links().any(|link| {
                link.defined_for.as_deref() == Some("operator") && crate::bikeshed::is_same_term(&link.term, "input")
            })
        };
        if !prose.steps.iter().any(|sentence| connects(&sentence)) {
            continue;
        }
        for operand in operands(prepared, prose) {
            if !prose.steps.iter().filter(connects).any(|sentence| operand.is_in(sentence)) {
                let what = format!("{} is no input of the operator, so that build() does not find it.", operand.name());
                findings.push(prose.finding_at_its_beginning("operand-unconnected", what));
            }
        }
    }
    findings
}

pub(super) fn without_effect(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in own_methods(prepared) {
        for parameter in prose.parameters.iter().filter(|parameter| !is_operand(parameter.type_.as_deref())) {
            let is_in = |sentence: &Sentence<'_>| sentence.variables().any(|name| name == parameter.name);
            // A step that does nothing but throw, or not, passes nothing on.
            let is_check = |sentence: &Sentence<'_>| {
                let plain = sentence.plain().to_lowercase();
                (plain.starts_with("if ") || plain.starts_with("otherwise, if ")) && sentence.refuses()
            };
            let mut uses = prose.steps.iter().filter(|sentence| is_in(sentence)).peekable();
            if uses.peek().is_some() && uses.all(is_check) {
                let what = format!(
                    "|{}| is checked, and then nothing depends on it. Give it to the operator.",
                    parameter.name
                );
                findings.push(prose.finding_at_its_beginning("parameter-without-effect", what));
            }
        }
    }
    findings
}

pub(super) fn operation_name(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in own_methods(prepared) {
        let Some(method) = prose.algorithm.method() else { continue };
        for sentence in prose.steps.iter().filter(|sentence| sentence.links_to("operator")) {
            let named = sentence.text.split('"').nth(1).filter(|_| sentence.text.contains("\" operation"));
            if let Some(name) = named.filter(|name| *name != method) {
                let what = format!("The operation is called \"{name}\", and the method {method}.");
                findings.push(prose.finding("operation-name", sentence, what));
            }
        }
    }
    findings
}

/// The methods that do their own work: those that create an operator.
fn own_methods<'p, 'a>(prepared: &'p Prepared<'a>) -> impl Iterator<Item = &'p Prose<'a>> {
    prepared.builder_methods().filter(|prose| {
        prose.steps.iter().any(|sentence| sentence.plain().contains("operation") && sentence.links_to("operator"))
    })
}

/// The operands of a method.
fn operands(prepared: &Prepared<'_>, prose: &Prose<'_>) -> Vec<Operand> {
    let mut operands = Vec::new();
    for parameter in &prose.parameters {
        let Some(type_) = parameter.type_.as_deref() else { continue };
        if is_operand(Some(type_)) {
            operands.push(Operand { variable: parameter.name.clone(), member: None });
        }
        for member in prepared.idl.all_members(type_) {
            if is_operand(Some(&member.type_)) {
                operands.push(Operand { variable: parameter.name.clone(), member: Some(member.name.clone()) });
            }
        }
    }
    operands
}

fn is_operand(type_: Option<&str>) -> bool {
    matches!(type_, Some("MLOperand" | "sequence<MLOperand>"))
}
