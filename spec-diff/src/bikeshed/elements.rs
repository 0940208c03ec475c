//! Which part of a document belongs to which algorithm.

use std::collections::HashMap;

use super::error::BikeshedError;
use super::markup::{Markup, Tag};

/// Elements that have no content and no closing tag.
const VOID: [&str; 10] = ["br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"];

/// Elements that end a paragraph by beginning.
const BLOCK: [&str; 18] = [
    "blockquote",
    "details",
    "div",
    "dl",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
    "xmp",
];

/// Classes of elements whose lists are no steps.
const ASIDE: [&str; 5] = ["advisement", "example", "informative", "issue", "note"];

/// The elements of algorithms, and who owns which part of the text.
#[derive(Default)]
pub(super) struct Nesting {
    /// The algorithms, in the order in which they begin.
    pub(super) regions: Vec<Region>,
    /// The `<dfn>`s, in order.
    pub(super) definitions: Vec<Marked>,
    /// Consecutive parts, in order; each ends where the next begins.
    parts: Vec<Part>,
}

/// The element of an algorithm.
pub(super) struct Region {
    /// Its opening tag, among all tags.
    pub(super) tag: usize,
    /// Where its closing tag begins.
    pub(super) end: usize,
}

/// A `<dfn>`, with what the elements around it say of all definitions in them.
pub(super) struct Marked {
    /// Its opening tag, among all tags.
    pub(super) tag: usize,
    /// The `dfn-for` of an element around it.
    pub(super) dfn_for: Option<String>,
    /// The `dfn-type` of an element around it.
    pub(super) dfn_type: Option<String>,
}

/// A part of the text with one owner.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    owner: Owner,
}

/// Whose text it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    /// The algorithm, among all regions.
    pub(super) region: Option<usize>,
    /// Whether it stands in a note, an example and the like.
    pub(super) is_aside: bool,
}

impl Nesting {
    /// Who owns what is at this offset.
    pub(super) fn owner(&self, offset: usize) -> Owner {
        let after = self.parts.partition_point(|part| part.start <= offset);
        self.parts[..after].last().map_or_else(Owner::default, |part| part.owner)
    }

    /// Where, after this offset, the next part begins.
    pub(super) fn next_part(&self, offset: usize) -> Option<usize> {
        let after = self.parts.partition_point(|part| part.start <= offset);
        self.parts.get(after).map(|part| part.start)
    }

    fn begin(&mut self, start: usize, owner: Owner) {
        if self.parts.last().map(|part| part.owner).unwrap_or_default() != owner {
            self.parts.push(Part { start, owner });
        }
    }
}

struct Open<'t> {
    tag: usize,
    name: &'t str,
    owner: Owner,
    dfn_for: Option<&'t str>,
    dfn_type: Option<&'t str>,
}

/// Nests the elements, as forgiving as HTML is about end tags, but not about those of algorithms.
pub(super) fn nest(text: &str, markup: &Markup) -> Result<Nesting, BikeshedError> {
    let mut nesting = Nesting::default();
    let mut open: Vec<Open<'_>> = Vec::new();
    // How many elements of a name are open: a closing tag that closes nothing is found without a search.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (index, tag) in markup.tags.iter().enumerate() {
        if tag.is_closing {
            if counts.get(tag.name.as_str()).is_some_and(|count| *count > 0) {
                while let Some(element) = open.pop() {
                    let is_it = element.name == tag.name;
                    // Only paragraphs end with the element around them; anything else is a lost end tag.
                    if !is_it && element.name != "p" {
                        ensure_no_algorithm(&markup.tags[element.tag])?;
                    }
                    close(&mut nesting, &mut counts, markup, &element, tag.span.start);
                    if is_it {
                        break;
                    }
                }
                nesting.begin(tag.span.end, owner_of(&open));
            }
            continue;
        }
        let ends_paragraph = BLOCK.contains(&tag.name.as_str());
        if let Some(paragraph) = open.pop_if(|element| ends_paragraph && element.name == "p") {
            close(&mut nesting, &mut counts, markup, &paragraph, tag.span.start);
            nesting.begin(tag.span.start, owner_of(&open));
        }
        if VOID.contains(&tag.name.as_str()) {
            continue;
        }
        let dfn_for = tag.attribute("dfn-for").or_else(|| open.last().and_then(|element| element.dfn_for));
        let dfn_type = tag.attribute("dfn-type").or_else(|| open.last().and_then(|element| element.dfn_type));
        if tag.name == "dfn" {
            let own = |value: Option<&str>| value.map(str::to_owned);
            nesting.definitions.push(Marked { tag: index, dfn_for: own(dfn_for), dfn_type: own(dfn_type) });
        }
        let mut owner = owner_of(&open);
        if tag.is_algorithm() {
            owner = Owner { region: Some(nesting.regions.len()), is_aside: false };
            nesting.regions.push(Region { tag: index, end: text.len() });
            // The tag itself is nobody's text.
            nesting.begin(tag.span.start, Owner::default());
        } else if is_aside(tag) {
            owner.is_aside = true;
        }
        nesting.begin(tag.span.end, owner);
        *counts.entry(&tag.name).or_default() += 1;
        open.push(Open { tag: index, name: &tag.name, owner, dfn_for, dfn_type });
    }
    for element in open.iter().rev() {
        ensure_no_algorithm(&markup.tags[element.tag])?;
    }
    Ok(nesting)
}

fn ensure_no_algorithm(unclosed: &Tag) -> Result<(), BikeshedError> {
    if unclosed.is_algorithm() {
        return Err(BikeshedError::Unclosed { what: format!("<{} algorithm>", unclosed.name), line: unclosed.line });
    }
    Ok(())
}

fn owner_of(open: &[Open<'_>]) -> Owner {
    open.last().map_or_else(Owner::default, |element| element.owner)
}

fn is_aside(tag: &Tag) -> bool {
    let classes = tag.attribute("class").unwrap_or_default();
    classes.split_ascii_whitespace().any(|class| ASIDE.contains(&class))
}

fn close<'t>(
    nesting: &mut Nesting,
    counts: &mut HashMap<&'t str, usize>,
    markup: &Markup,
    element: &Open<'t>,
    end: usize,
) {
    if let Some(count) = counts.get_mut(element.name) {
        *count -= 1;
    }
    let tag = &markup.tags[element.tag];
    if let Some(region) = element.owner.region.filter(|_| tag.is_algorithm()) {
        nesting.regions[region].end = end;
        nesting.begin(end, Owner::default());
    }
}
