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

/// A block of JavaScript that declares functions which take a builder first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The line on which its text begins.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The names of those functions.
    pub functions: Vec<String>,
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
    let block =
        |content: Range<usize>| IdlBlock { line: lines.number_at(content.start), text: unescaped(&text[content]) };
    contents(markup, is_idl).map(block).collect()
}

/// The blocks of JavaScript with functions that take a builder first, in order: decompositions, and what they use.
pub(super) fn scripts(text: &str, lines: &Lines, markup: &Markup) -> Vec<Script> {
    let block = |content: Range<usize>| {
        let line = lines.number_at(content.start);
        let starts = text[content.clone()].split_inclusive('\n').scan(content.start, |next, line| {
            let start = *next;
            *next += line.len();
            Some(start)
        });
        let functions = starts.filter_map(|start| decomposed(&text[start..])).collect();
        Script { line, text: unescaped(&text[content]), functions }
    };
    contents(markup, is_javascript).map(block).filter(|script| !script.functions.is_empty()).collect()
}

fn is_javascript(tag: &Tag) -> bool {
    tag.name == "pre" && tag.attribute("highlight") == Some("js")
}

/// Code as it is meant, without the escapes of markup.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The functions that are named after a method and take a builder first, in order.
pub(super) fn decompositions(
    text: &str,
    lines: &Lines,
    markup: &Markup,
    is_method: impl Fn(&str) -> bool,
) -> Vec<Decomposition> {
    let mut found: Vec<Decomposition> = Vec::new();
    for content in contents(markup, is_javascript) {
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

#[cfg(test)]
mod tests {
    use crate::bikeshed::Document;

    // In the form of the specification's source, and about nothing that it has.
    const SOURCE: &str = "<script type=idl>\ndictionary Basic { sequence&lt;long&gt; axes; };</script>\ntext\n\
        <pre highlight=\"js\">\n  function twice(builder, input) { return 1 &lt; 2 &amp;&amp; input; }\n\
        \x20 function half(number) {}\n  function thrice(\n      builder, input) {}\n</pre>\n\
        <script type=\"idl\">dictionary Shaped : Basic {};</script>\n\
        <pre highlight=\"js\">const x = 1;</pre>\n";

    #[test]
    fn a_script_has_a_function_of_a_builder() {
        let document = Document::parse(SOURCE).unwrap();
        let [script] = &document.scripts[..] else { panic!("{:?}", document.scripts) };
        assert_eq!(script.functions, ["twice", "thrice"]);
        assert!(script.text.contains("return 1 < 2 && input;") && script.text.contains("function half(number) {}"));
        assert_eq!(script.line, 4);
        // None of them is named after a method.
        assert_eq!(document.decompositions, []);
    }

    #[test]
    fn web_idl_is_the_text_of_all_blocks() {
        let idl = Document::parse(SOURCE).unwrap().web_idl();
        assert_eq!(idl, "\ndictionary Basic { sequence<long> axes; };\ndictionary Shaped : Basic {};");
    }
}
