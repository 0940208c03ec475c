//! The functions that say what operators are made of: whether Web IDL would take their calls.

use crate::bikeshed::Decomposition;
use crate::idl::Method;

use super::Finding;
use super::prepared::Prepared;

pub(super) fn result(prepared: &Prepared<'_>) -> Vec<Finding> {
    let returns = |function: &&Decomposition| !body(function).contains("return");
    let finding = |function: &Decomposition| Finding {
        line: function.line,
        rule: "decomposition-without-result",
        subject: subject(function),
        what: "This function returns nothing.".to_owned(),
    };
    prepared.document.decompositions.iter().filter(returns).map(finding).collect()
}

fn subject(function: &Decomposition) -> String {
    format!("decomposition of {}", function.name)
}

/// The function itself, without those behind it.
fn body(function: &Decomposition) -> &str {
    let indentation = function.text.len() - function.text.trim_start().len();
    let end = format!("\n{}}}", " ".repeat(indentation));
    function.text.find(&end).map_or(&function.text, |end| &function.text[..end])
}

pub(super) fn calls(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(builder) = prepared.idl.interface("MLGraphBuilder") else { return findings };
    for function in &prepared.document.decompositions {
        for (at, _) in function.text.match_indices("builder.") {
            let Some(call) = Call::at(&function.text[at + "builder.".len()..]) else { continue };
            let methods: Vec<&Method> = builder.methods.iter().filter(|method| method.name == call.method).collect();
            let problems: Vec<String> = methods.iter().filter_map(|method| problem(prepared, method, &call)).collect();
            // One of several overloads is enough.
            if problems.len() < methods.len() {
                continue;
            }
            let what =
                problems.into_iter().next().unwrap_or_else(|| format!("A builder has no method {}.", call.method));
            let line = function.line + function.text[..at].matches('\n').count();
            findings.push(Finding { line, rule: "decomposition-call", subject: subject(function), what });
        }
    }
    findings
}

struct Call<'t> {
    method: &'t str,
    arguments: Vec<&'t str>,
}

impl<'t> Call<'t> {
    /// The call that begins here, with the name of the method.
    fn at(text: &'t str) -> Option<Self> {
        let (method, rest) = text.split_once('(')?;
        if !method.chars().all(char::is_alphanumeric) {
            return None;
        }
        let (mut depth, mut start, mut arguments) = (0usize, 0, Vec::new());
        for (at, letter) in rest.char_indices() {
            match letter {
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 0 => {
                    arguments.push(rest[start..at].trim());
                    arguments.retain(|argument| !argument.is_empty());
                    return Some(Self { method, arguments });
                }
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    arguments.push(rest[start..at].trim());
                    start = at + 1;
                }
                _ => {}
            }
        }
        None
    }
}

/// Why a method would not take a call.
fn problem(prepared: &Prepared<'_>, method: &Method, call: &Call<'_>) -> Option<String> {
    let needed = method.parameters.iter().filter(|parameter| parameter.keyword.as_deref() != Some("optional")).count();
    if call.arguments.len() < needed && !call.arguments.iter().any(|argument| argument.starts_with("...")) {
        return Some(format!(
            "{} needs {needed} arguments, and is given {}.",
            method.signature(),
            call.arguments.len()
        ));
    }
    let mut given = method.parameters.iter().zip(&call.arguments);
    let (parameter, argument) =
        given.find(|(parameter, argument)| parameter.type_ == "MLOperand" && is_no_operand(prepared, argument))?;
    Some(format!("{argument} is no MLOperand, which {} of {} is.", parameter.name, method.name))
}

/// A number, or a member of options that is one.
fn is_no_operand(prepared: &Prepared<'_>, argument: &str) -> bool {
    let is_number = |type_: &str| ["double", "float", "unsigned long", "MLNumber", "boolean"].contains(&type_);
    let member = argument.strip_prefix("options.").unwrap_or_default();
    let mut members = prepared.idl.dictionaries.iter().flat_map(|dictionary| &dictionary.members);
    argument.parse::<f64>().is_ok() || argument == "null" || members.any(|it| it.name == member && is_number(&it.type_))
}
