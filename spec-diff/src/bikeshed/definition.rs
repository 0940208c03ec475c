//! What a document defines.

use super::Kind;
use super::elements::{Marked, Nesting};
use super::error::BikeshedError;
use super::inline;
use super::markup::{Markup, Tag};

/// A `<dfn>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The defined term as the source has it, less the bars around variables.
    pub term: String,
    /// Other texts that link to it.
    pub aliases: Vec<String>,
    /// What it is defined for: interfaces, methods, or whatever namespace the author chose.
    pub defined_for: Vec<String>,
    /// What it defines, in Bikeshed's words: `method`, `argument`, `dict-member`, ...; `dfn` for a concept.
    pub kind: String,
    /// The line on which it stands.
    pub line: usize,
}

impl Definition {
    /// Whether a link with this text is to this term.
    pub fn is_called(&self, term: &str) -> bool {
        let names = || std::iter::once(&self.term).chain(&self.aliases);
        names().any(|name| inline::plain(name) == term)
            || (self.kind == "dfn" && names().any(|name| super::conjugation::is_same_term(&inline::plain(name), term)))
    }

    /// The kind of an algorithm that is defined so.
    pub(super) fn kind_of_algorithm(&self) -> Kind {
        match self.kind.as_str() {
            "method" => Kind::Method,
            "constructor" => Kind::Constructor,
            "attribute" => Kind::Attribute,
            _ => Kind::Concept,
        }
    }
}

/// All definitions, in the order of the text.
pub(super) fn find(text: &str, markup: &Markup, nesting: &Nesting) -> Vec<Definition> {
    nesting.definitions.iter().map(|marked| definition(text, markup, marked)).collect()
}

/// The definition of each algorithm: the first one in it that is not in a note and not in another algorithm.
pub(super) fn of_algorithms(
    definitions: &[Definition],
    markup: &Markup,
    nesting: &Nesting,
) -> Result<Vec<Definition>, BikeshedError> {
    let mut found: Vec<Option<&Definition>> = nesting.regions.iter().map(|_| None).collect();
    for (marked, definition) in nesting.definitions.iter().zip(definitions) {
        let owner = nesting.owner(markup.tags[marked.tag].span.start);
        if let Some(region) = owner.region.filter(|_| !owner.is_aside) {
            found[region].get_or_insert(definition);
        }
    }
    let named = found.into_iter().zip(&nesting.regions).map(|(definition, region)| {
        let tag = &markup.tags[region.tag];
        definition
            .cloned()
            .or_else(|| named_by_attribute(tag))
            .ok_or_else(|| BikeshedError::Nameless { element: tag.name.clone(), line: tag.line })
    });
    named.collect()
}

fn definition(text: &str, markup: &Markup, marked: &Marked) -> Definition {
    let tag = &markup.tags[marked.tag];
    let mut content = String::new();
    let mut at = tag.span.end;
    for inner in &markup.tags[marked.tag + 1..] {
        content.push_str(&text[at..inner.span.start]);
        at = inner.span.end;
        // A definition that never ends goes no further than the next one.
        if inner.name == "dfn" {
            break;
        }
    }
    let content = content.replace(['|', '\\'], "");
    let defined_for = tag.attribute("for").or_else(|| tag.attribute("data-dfn-for")).or(marked.dfn_for.as_deref());
    let aliases = ["lt", "data-lt", "local-lt"].into_iter().filter_map(|name| tag.attribute(name));
    Definition {
        term: content.split_whitespace().collect::<Vec<_>>().join(" "),
        aliases: aliases.flat_map(|names| names.split('|')).map(|name| name.trim().to_owned()).collect(),
        defined_for: defined_for.map_or_else(Vec::new, outside_parentheses),
        kind: kind(tag, marked),
        line: tag.line,
    }
}

/// The names between commas; the commas between the arguments of a method separate no names.
pub(super) fn outside_parentheses(list: &str) -> Vec<String> {
    let mut depth = 0usize;
    let is_comma = |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    list.split(is_comma).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn kind(tag: &Tag, marked: &Marked) -> String {
    const KINDS: [&str; 13] = [
        "argument",
        "attribute",
        "callback",
        "constructor",
        "const",
        "dict-member",
        "dictionary",
        "enum",
        "enum-value",
        "interface",
        "method",
        "namespace",
        "typedef",
    ];
    let stated = KINDS.into_iter().find(|kind| tag.attribute(kind).is_some());
    stated.or(tag.attribute("dfn-type")).or(marked.dfn_type.as_deref()).unwrap_or("dfn").to_owned()
}

/// An algorithm of something that is defined elsewhere has its name in an attribute.
fn named_by_attribute(tag: &Tag) -> Option<Definition> {
    let names = ["amends", "algorithm", "data-algorithm"];
    let term = names.into_iter().find_map(|name| tag.attribute(name))?.trim();
    let definition = || Definition {
        term: term.to_owned(),
        aliases: Vec::new(),
        defined_for: Vec::new(),
        kind: "dfn".to_owned(),
        line: tag.line,
    };
    (!term.is_empty()).then(definition)
}
