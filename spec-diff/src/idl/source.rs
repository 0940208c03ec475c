//! The source of a block of Web IDL: where its declarations are, and how they are spelled.

use super::{Field, Method};
use crate::bikeshed::IdlBlock;

/// Words in front of a type that are no part of it.
const KEYWORDS: [&str; 4] = ["required", "optional", "readonly attribute", "attribute"];

/// A block, with its comments blanked.
pub(super) struct Source<'a> {
    block: &'a IdlBlock,
    text: String,
    /// The same, but without what the parser does not know: attributes of types inside other types. Everything stands
    /// where it stands in `text`.
    parsed: String,
}

/// One declaration of a body, without its semicolon.
pub(super) struct Declaration<'s> {
    text: &'s str,
    source: &'s Source<'s>,
}

impl<'a> Source<'a> {
    pub(super) fn new(block: &'a IdlBlock) -> Self {
        let text = without_comments(&block.text);
        Self { block, parsed: without_inner_attributes(&text), text }
    }

    /// What the parser is given.
    pub(super) fn parsed(&self) -> &str {
        &self.parsed
    }

    /// How deep brackets are nested.
    pub(super) fn depth(&self) -> usize {
        let (mut depth, mut deepest) = (0usize, 0);
        for letter in self.text.chars() {
            match letter {
                '<' | '(' | '{' | '[' => depth += 1,
                '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        deepest
    }

    /// The line, in the document, of a part of this text.
    pub(super) fn line_of(&self, part: &str) -> usize {
        let before = &self.text[..self.offset(part)];
        self.block.line + before.bytes().filter(|byte| *byte == b'\n').count()
    }

    pub(super) fn name(&self, identifier: &str) -> (String, usize) {
        (identifier.to_owned(), self.line_of(identifier))
    }

    /// The fields of these names, in the body behind an identifier.
    pub(super) fn fields<'n>(&self, identifier: &str, names: impl Iterator<Item = &'n str>) -> Vec<Field> {
        let declarations = self.declarations(identifier);
        declarations.iter().zip(names).filter_map(|(declaration, _)| self.field(declaration.text)).collect()
    }

    /// The definition of a type with this name.
    pub(super) fn typedef(&self, identifier: &str) -> Field {
        let before = &self.text[..self.offset(identifier)];
        let start = before.rfind("typedef").map_or(0, |at| at + "typedef".len());
        let (name, line) = self.name(identifier);
        Field { name, line, type_: joined(&before[start..]), keyword: None, default: None }
    }

    /// The declarations in the braces behind an identifier.
    pub(super) fn declarations<'s>(&'s self, identifier: &str) -> Vec<Declaration<'s>>
    where
        'a: 's,
    {
        let after = &self.text[self.offset(identifier)..];
        let body = after.split_once('{').map_or("", |(_, body)| body);
        let mut declarations = Vec::new();
        let mut rest = body;
        while let Some(end) = top_level(rest, |letter| letter == ';' || letter == '}') {
            if rest[end..].starts_with('}') {
                break;
            }
            declarations.push(Declaration { text: &rest[..end], source: self });
            rest = &rest[end + 1..];
        }
        declarations
    }

    /// A type, a name and a default.
    fn field(&self, declaration: &str) -> Option<Field> {
        let (declared, default) = match top_level(declaration, |letter| letter == '=') {
            Some(at) => (&declaration[..at], Some(declaration[at + 1..].trim().to_owned())),
            None => (declaration, None),
        };
        let declared = declared.trim();
        let start = declared.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_').map_or(0, |at| at + 1);
        let (type_, name) = (joined(&declared[..start]), &declared[start..]);
        let keyword =
            KEYWORDS.into_iter().find(|keyword| without_attributes(&type_).starts_with(&format!("{keyword} ")));
        let type_ = keyword.map_or_else(|| type_.clone(), |keyword| type_.replacen(&format!("{keyword} "), "", 1));
        let keyword = keyword.map(|keyword| keyword.trim_end_matches(" attribute").to_owned());
        (!name.is_empty()).then(|| Field { name: name.to_owned(), line: self.line_of(name), type_, keyword, default })
    }

    /// Where a part of one of the two texts stands in both.
    fn offset(&self, part: &str) -> usize {
        let address = part.as_ptr().addr();
        let within = |text: &str| address.checked_sub(text.as_ptr().addr()).filter(|offset| *offset <= text.len());
        within(&self.parsed).or_else(|| within(&self.text)).unwrap_or(0)
    }
}

impl Declaration<'_> {
    /// What it declares, if that has parameters.
    pub(super) fn method(&self) -> Option<Method> {
        let end = self.text.trim_end().strip_suffix(')')?;
        let open = top_level(self.text, |letter| letter == '(')?;
        // The parentheses of a union type are in front of the name.
        let open = if end[..open].trim().is_empty() { self.text.rfind('(')? } else { open };
        let head = self.source.field(&self.text[..open]).filter(|field| !field.name.is_empty())?;
        let mut parameters = Vec::new();
        let mut rest = &end[open + 1..];
        while !rest.trim().is_empty() {
            let comma = top_level(rest, |letter| letter == ',').unwrap_or(rest.len());
            parameters.extend(self.source.field(&rest[..comma]));
            rest = rest.get(comma + 1..).unwrap_or_default();
        }
        Some(Method { name: head.name, line: head.line, result: head.type_, parameters })
    }

    /// What it declares, if that is an attribute.
    pub(super) fn attribute(&self) -> Option<Field> {
        self.source.field(self.text).filter(|_| self.text.contains("attribute "))
    }
}

/// Where, outside of brackets and quotes, there is such a letter first.
fn top_level(text: &str, is_it: impl Fn(char) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    let mut is_quoted = false;
    for (at, letter) in text.char_indices() {
        if letter == '"' {
            is_quoted = !is_quoted;
        } else if is_quoted {
            continue;
        } else if depth == 0 && is_it(letter) {
            return Some(at);
        }
        match letter {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn without_attributes(text: &str) -> &str {
    let attributes = text.starts_with('[').then(|| text.find(']')).flatten();
    attributes.map_or(text, |end| text[end + 1..].trim_start())
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with blanks for the attributes of types that are items of a sequence, members of a union, or parameters.
fn without_inner_attributes(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    for (index, part) in text.split_inclusive(['<', '(']).enumerate() {
        let attributes = part.trim_start().strip_prefix('[').filter(|_| index > 0).and_then(|rest| rest.find(']'));
        match attributes {
            Some(length) => {
                let end = part.len() - part.trim_start().len() + length + 2;
                blanked.extend(part[..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
                blanked.push_str(&part[end..]);
            }
            None => blanked.push_str(part),
        }
    }
    blanked
}

/// The text with blanks for comments, so that everything else stays where it is.
fn without_comments(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            let quoted = (letter == '"').then(|| rest[1..].find('"').map(|end| end + 2)).flatten();
            let length = quoted.unwrap_or(letter.len_utf8());
            blanked.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        };
        blanked.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    blanked
}
