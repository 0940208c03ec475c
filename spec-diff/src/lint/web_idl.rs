//! The Web IDL: integers with a range, methods with steps, options that are read.

use std::collections::BTreeSet;

use crate::idl::Field;

use super::Finding;
use super::prepared::{Prepared, Sentence};

pub(super) fn markup(prepared: &Prepared<'_>) -> Vec<Finding> {
    let finding = |problem: &crate::bikeshed::Problem| Finding {
        line: problem.line,
        rule: "idl-markup",
        subject: "Web IDL".to_owned(),
        what: format!("{}.", problem.what),
    };
    prepared.idl.problems.iter().map(finding).collect()
}

pub(super) fn without_range(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let methods =
        prepared.idl.interfaces.iter().flat_map(|interface| interface.methods.iter().map(move |it| (interface, it)));
    let mut dictionaries = BTreeSet::new();
    for (interface, method) in methods {
        for parameter in &method.parameters {
            dictionaries.insert(parameter.type_.clone());
            findings.extend(lacks_range(parameter, &format!("{}.{}", interface.name, method.signature())));
        }
    }
    for dictionary in prepared.idl.dictionaries.iter().filter(|dictionary| dictionaries.contains(&dictionary.name)) {
        findings.extend(dictionary.members.iter().filter_map(|member| lacks_range(member, &dictionary.name)));
    }
    findings
}

fn lacks_range(field: &Field, owner: &str) -> Option<Finding> {
    let integers = field.type_.matches("long").count() - field.type_.matches("long long").count();
    if integers <= field.type_.matches("[EnforceRange]").count() + field.type_.matches("[Clamp]").count() {
        return None;
    }
    let what =
        format!("{} is an integer without [EnforceRange], so that Web IDL takes any number modulo 2^32.", field.name);
    Some(Finding { line: field.line, rule: "integer-without-range", subject: owner.to_owned(), what })
}

pub(super) fn without_steps(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for interface in &prepared.idl.interfaces {
        for method in interface.methods.iter().filter(|method| method.name != "constructor") {
            let name = format!("{}.{}", interface.name, method.signature());
            if prepared.document.algorithm(&name).is_none() {
                let what = "No algorithm defines this method.".to_owned();
                findings.push(Finding { line: method.line, rule: "method-without-steps", subject: name, what });
            }
        }
    }
    findings
}

pub(super) fn option_unread(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in prepared.builder_methods() {
        let Some(options) = prose.parameters.iter().find(|parameter| parameter.name == "options") else { continue };
        // Whoever is given the options as a whole may read all of them.
        let is_passed = |sentence: &Sentence<'_>| {
            let takes_options = |link| {
                let target = prepared.target(link);
                target.is_some_and(|target| target.parameters.iter().any(|parameter| parameter.name == "options"))
            };
            let calls = sentence.links_to("operator") || sentence.links().any(takes_options);
            calls && sentence.variables().any(|name| name == options.name)
        };
        if prose.steps.iter().any(is_passed) {
            continue;
        }
        let Some(dictionary) = options.type_.as_deref().and_then(|type_| prepared.idl.dictionary(type_)) else {
            continue;
        };
        for member in &dictionary.members {
            if !prose.steps.iter().any(|sentence| sentence.names_member(&options.name, &member.name)) {
                let what = format!("No step reads {}.{}, and nothing is given the options.", options.name, member.name);
                findings.push(prose.finding_at_its_beginning("option-unread", what));
            }
        }
    }
    findings
}
