//! What an algorithm is called.

use super::Kind;
use super::elements::Nesting;
use super::error::BikeshedError;
use super::markup::{Markup, Tag};

/// What the `<dfn>` of an algorithm says.
pub(super) struct Definition {
    pub(super) defined_for: Option<String>,
    pub(super) term: String,
    pub(super) kind: Kind,
}

/// The definition of each algorithm: the first one in it that is not in a note and not in another algorithm.
pub(super) fn find(text: &str, markup: &Markup, nesting: &Nesting) -> Result<Vec<Definition>, BikeshedError> {
    let mut found: Vec<Option<Definition>> = nesting.regions.iter().map(|_| None).collect();
    for (index, tag) in markup.tags.iter().enumerate() {
        if tag.is_closing || tag.name != "dfn" {
            continue;
        }
        let owner = nesting.owner(tag.span.start);
        let Some(region) = owner.region.filter(|region| !owner.is_aside && found[*region].is_none()) else {
            continue;
        };
        let around = nesting.regions[region].dfn_for.as_deref();
        found[region] = Some(definition(text, tag, &markup.tags[index + 1..], around));
    }
    let named = found.into_iter().zip(&nesting.regions).map(|(definition, region)| {
        let tag = &markup.tags[region.tag];
        definition
            .or_else(|| named_by_attribute(tag))
            .ok_or_else(|| BikeshedError::Nameless { element: tag.name.clone(), line: tag.line })
    });
    named.collect()
}

fn definition(text: &str, tag: &Tag, after: &[Tag], around: Option<&str>) -> Definition {
    let mut content = String::new();
    let mut at = tag.span.end;
    for inner in after {
        content.push_str(&text[at..inner.span.start]);
        at = inner.span.end;
        // A definition that never ends goes no further than the next one.
        if inner.name == "dfn" {
            break;
        }
    }
    let content = content.replace('|', "");
    let term = content.split_whitespace().collect::<Vec<_>>().join(" ");
    let defined_for = tag.attribute("for").or_else(|| tag.attribute("data-dfn-for")).or(around);
    let first = defined_for.and_then(|names| names.split(',').next()).map(str::trim);
    Definition { defined_for: first.filter(|name| !name.is_empty()).map(str::to_owned), term, kind: kind(tag) }
}

fn kind(tag: &Tag) -> Kind {
    let has = |name: &str| tag.attribute(name).is_some() || tag.attribute("dfn-type") == Some(name);
    if has("method") {
        Kind::Method
    } else if has("constructor") {
        Kind::Constructor
    } else if has("attribute") {
        Kind::Attribute
    } else {
        Kind::Concept
    }
}

/// An algorithm of something that is defined elsewhere has its name in the attribute itself.
fn named_by_attribute(tag: &Tag) -> Option<Definition> {
    let name = tag.attribute("algorithm").or_else(|| tag.attribute("data-algorithm"))?.trim();
    (!name.is_empty()).then(|| Definition { defined_for: None, term: name.to_owned(), kind: Kind::Concept })
}
