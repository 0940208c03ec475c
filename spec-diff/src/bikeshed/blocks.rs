//! Blocks of code in a document: Web IDL, and decompositions in JavaScript.

use std::ops::Range;

use super::lines::Lines;
use super::markup::{Markup, Tag};

/// A block of Web IDL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdlBlock {
    /// The line on which its text begins.
    pub line: usize,
    /// Its text.
    pub text: String,
}

/// A function that says what an operator is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decomposition {
    /// Its name, which is that of the operator's method.
    pub name: String,
    /// The line on which it begins.
    pub line: usize,
    /// Its text, and that of the functions behind it in its block.
    pub text: String,
}

/// The blocks of Web IDL, in order.
pub(super) fn idl(text: &str, lines: &Lines, markup: &Markup) -> Vec<IdlBlock> {
    let is_idl = |tag: &Tag| match tag.name.as_str() {
        "script" => tag.attribute("type") == Some("idl"),
        "pre" | "xmp" => has_class(tag, "idl") && !has_class(tag, "extract"),
        _ => false,
    };
    let block = |content: Range<usize>| {
        let line = lines.number_at(content.start);
        let text = text[content].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        IdlBlock { line, text }
    };
    contents(markup, is_idl).map(block).collect()
}

/// The functions that are named after a method and take a builder first, in order.
pub(super) fn decompositions(
    text: &str,
    lines: &Lines,
    markup: &Markup,
    is_method: impl Fn(&str) -> bool,
) -> Vec<Decomposition> {
    let mut found: Vec<Decomposition> = Vec::new();
    for content in contents(markup, |tag| tag.name == "pre" && tag.attribute("highlight") == Some("js")) {
        let first = found.len();
        let mut start = content.start;
        for line in text[content].split_inclusive('\n') {
            if let Some(name) = decomposed(&text[start..]).filter(|name| is_method(name)) {
                found.push(Decomposition { name, line: lines.number_at(start), text: String::new() });
            }
            if let Some(last) = found[first..].last_mut() {
                last.text.push_str(line);
            }
            start += line.len();
        }
    }
    found
}

/// The name of the function that begins here, if its first parameter is a builder.
fn decomposed(text: &str) -> Option<String> {
    let (name, parameters) = text.trim_start_matches(' ').strip_prefix("function ")?.split_once('(')?;
    let is_builder = parameters.trim_start().starts_with("builder");
    (is_builder && name.chars().all(char::is_alphanumeric)).then(|| name.to_owned())
}

/// The contents of the opaque elements that are wanted.
fn contents(markup: &Markup, is_wanted: impl Fn(&Tag) -> bool) -> impl Iterator<Item = Range<usize>> {
    let wanted = markup.tags.iter().filter(move |tag| !tag.is_closing && is_wanted(tag));
    wanted.filter_map(|tag| markup.opaque.iter().find(|range| range.start == tag.span.end).cloned())
}

fn has_class(tag: &Tag, class: &str) -> bool {
    tag.attribute("class").unwrap_or_default().split_ascii_whitespace().any(|other| other == class)
}
