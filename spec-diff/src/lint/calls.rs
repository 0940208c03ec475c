//! Calls of abstract operations: their arguments, their results, their failures.

use crate::bikeshed::Kind;
use crate::bikeshed::inline::Inline;

use super::Finding;
use super::prepared::{Prepared, Prose, Sentence};

/// What ends a list of arguments.
const ENDS: [&str; 16] = [
    ". ",
    "; ",
    ": ",
    " returns",
    " return",
    " is ",
    " are ",
    " does",
    ", then",
    " in ",
    " if ",
    " returned",
    " to ",
    " as ",
    " for ",
    " run",
];

pub(super) fn argument_count(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in &prose.steps {
            for (place, part) in sentence.parts.iter().enumerate() {
                let Inline::Link(link) = part else { continue };
                let Some(target) = prepared.target(link) else { continue };
                let Some(mut arguments) = arguments(&sentence.parts[place + 1..]) else { continue };
                // "... with |global| to [=resolve=] |promise|": what comes behind "to" are the steps.
                let takes_steps = target.parameters.last().is_some_and(|parameter| parameter.name == "steps");
                arguments.count += usize::from(takes_steps && arguments.is_followed_by_steps);
                let most = target.parameters.len();
                let least = target.parameters.iter().filter(|parameter| !parameter.is_optional).count();
                if arguments.count < least || (arguments.count > most && !arguments.is_any) {
                    let names: Vec<_> = target.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
                    let given = crate::render::plural(arguments.count, "argument");
                    let what =
                        format!("\"{}\" is given {given}, and takes {}: {}.", link.text(), most, names.join(", "));
                    findings.push(prose.finding("argument-count", sentence, what));
                }
            }
        }
    }
    findings
}

struct Arguments {
    count: usize,
    /// Whether one of them stands for each of several.
    is_any: bool,
    /// Whether what follows says what to do.
    is_followed_by_steps: bool,
}

/// The arguments behind a link, if they are given in the usual form.
fn arguments(parts: &[Inline]) -> Option<Arguments> {
    // Everything but text becomes one letter, so that only what separates arguments is looked at.
    let mut text = String::new();
    for part in parts {
        match part {
            Inline::Text(words) => text.push_str(words),
            Inline::Variable(_) | Inline::Link(_) | Inline::Code(_) => text.push('x'),
        }
    }
    let rest = text.strip_prefix(" given ").or_else(|| text.strip_prefix(" with "))?;
    let end = ENDS.into_iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
    let list = without_parentheses(rest[..end].trim_end_matches(['.', ':', ';']));
    let is_any = list.contains("any of ") || list.contains("each of ");
    let mut count = 0;
    let mut depth = 0usize;
    let mut is_open = false;
    for letter in list.replace(", and ", ",").replace(" and ", ",").chars() {
        match letter {
            '«' | '[' | '(' | '{' => depth += 1,
            '»' | ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == ',' && depth == 0 {
            is_open = false;
        } else if !letter.is_whitespace() && !is_open {
            is_open = true;
            count += 1;
        }
    }
    let is_followed_by_steps = [" to ", " run"].iter().any(|word| rest[end..].starts_with(word));
    Some(Arguments { count, is_any, is_followed_by_steps })
}

/// Without asides such as "(if it exists)".
fn without_parentheses(text: &str) -> String {
    let mut depth = 0usize;
    let mut outside = String::new();
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            letter if depth == 0 => outside.push(letter),
            _ => {}
        }
    }
    outside
}

pub(super) fn failure_ignored(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in &prose.steps {
            let targets = sentence.links().filter_map(|link| prepared.target(link).map(|target| (link, target)));
            for (link, _) in targets.filter(|(_, target)| fails(target)) {
                if !asks_for_failure(prose, sentence) {
                    let what = format!("\"{}\" can return failure, and no step says what happens then.", link.text());
                    findings.push(prose.finding("failure-ignored", sentence, what));
                }
            }
        }
    }
    findings
}

fn fails(prose: &Prose<'_>) -> bool {
    prose.steps.iter().any(|sentence| sentence.plain().contains("return failure"))
}

/// Whether a step, one inside it, or the next one speaks of failing.
fn asks_for_failure(prose: &Prose<'_>, sentence: &Sentence<'_>) -> bool {
    let speaks = |sentence: &Sentence<'_>| {
        let plain = sentence.plain();
        plain.contains("fail") || plain.contains("throws")
    };
    speaks(sentence) || prose.inside(sentence).any(speaks) || prose.next(sentence).is_some_and(speaks)
}

pub(super) fn failure_to_nobody(prepared: &Prepared<'_>) -> Vec<Finding> {
    let methods = prepared.algorithms.iter().filter(|prose| prose.algorithm.kind != Kind::Concept);
    let failing = methods.flat_map(|prose| prose.steps.iter().map(move |sentence| (prose, sentence)));
    let failing = failing.filter(|(_, sentence)| sentence.plain().contains("return failure"));
    let finding = |(prose, sentence): (&Prose<'_>, &Sentence<'_>)| {
        let what = "A method has nobody to return failure to. Throw an exception.".to_owned();
        prose.finding("failure-to-nobody", sentence, what)
    };
    failing.map(finding).collect()
}

pub(super) fn result_dropped(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in &prose.steps {
            let Some(Inline::Link(link)) = sentence.parts.first() else { continue };
            let returns = |target: &&Prose<'_>| {
                let last = target.steps.iter().rev().find(|sentence| sentence.step.path.depth() == 1);
                last.is_some_and(|sentence| sentence.plain().starts_with("Return "))
            };
            if prepared.target(link).filter(returns).is_some() {
                let what = format!("\"{}\" returns something, and nobody takes it.", link.text());
                findings.push(prose.finding("result-dropped", sentence, what));
            }
        }
    }
    findings
}

pub(super) fn this_without_object(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let operations = prepared.algorithms.iter().filter(|prose| prose.algorithm.kind == Kind::Concept);
    for prose in operations {
        // "with |graph| as this" gives another algorithm one.
        let is_passed = |sentence: &Sentence<'_>| sentence.plain().contains(" as this");
        let uses: Vec<_> =
            prose.steps.iter().filter(|sentence| sentence.links_to("this") && !is_passed(sentence)).collect();
        if let Some(first) = uses.first() {
            let more = if uses.len() > 1 { format!(", and {} more", uses.len() - 1) } else { String::new() };
            let what = format!("An abstract operation has no this{more}. Give it the object.");
            findings.push(prose.finding("this-without-object", first, what));
        }
    }
    findings
}
