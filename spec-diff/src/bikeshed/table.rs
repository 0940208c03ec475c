//! The tables of tensor limits.

use super::error::Problem;
use super::inline::{self, Inline};
use super::markup::Markup;

/// How the anchor of such a table begins; older revisions called them constraints.
const ANCHORS: [&str; 2] = ["tensor-limits-", "constraints-"];

/// A table of tensor limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its anchor.
    pub id: String,
    /// The line on which it begins.
    pub line: usize,
    /// What its links without a target of their own are defined for: methods.
    pub link_for: Vec<String>,
    /// The cells of its head.
    pub head: Vec<Cell>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The line on which it begins.
    pub line: usize,
    /// Its cells.
    pub cells: Vec<Cell>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The line on which it begins.
    pub line: usize,
    /// What it says, as the source has it.
    pub text: String,
}

impl Row {
    /// The operand that the row is about: the text of its first cell, without emphasis, "'s items" and conditions;
    /// and `output0` for `outputs[0]`, as it is called in the IDL.
    pub fn operand(&self) -> String {
        let text = self.cells.first().map_or("", |cell| cell.text.as_str());
        let text = inline::plain(text);
        let text = text.split(" if ").next().unwrap_or_default();
        let name = text.trim_matches('*').trim_end_matches("'s items");
        let place = name.strip_prefix("outputs[").and_then(|rest| rest.strip_suffix(']'));
        place.map_or_else(|| name.to_owned(), |place| format!("output{place}"))
    }
}

impl Cell {
    /// What it says, as a reader sees it.
    pub fn plain(&self) -> String {
        inline::plain(&self.text)
    }

    /// The values in it that are in quotes, such as data types.
    pub fn values(&self) -> Vec<String> {
        let value = |part| match part {
            Inline::Link(link) => {
                link.term.strip_prefix('"').and_then(|term| term.strip_suffix('"')).map(str::to_owned)
            }
            Inline::Text(_) | Inline::Variable(_) | Inline::Code(_) => None,
        };
        inline::parts(&self.text).into_iter().filter_map(value).collect()
    }
}

/// Reads all tables of tensor limits, and says of rows what a browser would have to guess.
pub(super) fn read(text: &str, markup: &Markup, problems: &mut Vec<Problem>) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut tags = markup.tags.iter().enumerate();
    while let Some((index, tag)) = tags.next() {
        let id = tag.attribute("id").unwrap_or_default();
        if tag.is_closing || tag.name != "table" || !ANCHORS.iter().any(|anchor| id.starts_with(anchor)) {
            continue;
        }
        let link_for = tag.attribute("link-for").unwrap_or_default();
        let mut table = Table {
            id: id.to_owned(),
            line: tag.line,
            link_for: super::definition::outside_parentheses(link_for),
            head: Vec::new(),
            rows: Vec::new(),
        };
        let mut is_row_open = false;
        for (at, inner) in tags.by_ref() {
            let next = markup.tags.get(at + 1).map_or(text.len(), |next| next.span.start);
            match (inner.name.as_str(), inner.is_closing) {
                ("table", true) => break,
                ("tr", false) => {
                    if is_row_open {
                        let line = table.rows.last().map_or(table.line, |row| row.line);
                        problems.push(Problem { line, what: format!("this row of {id} has no </tr>") });
                    }
                    is_row_open = true;
                    table.rows.push(Row { line: inner.line, cells: Vec::new() });
                }
                ("tr", true) => is_row_open = false,
                ("td" | "th", false) => {
                    let text = cell_text(text, markup, at).unwrap_or_else(|| text[inner.span.end..next].to_owned());
                    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    if let Some(row) = table.rows.last_mut() {
                        row.cells.push(Cell { line: inner.line, text });
                    }
                }
                _ => {}
            }
        }
        if !table.rows.is_empty() {
            table.head = table.rows.remove(0).cells;
        }
        if table.rows.is_empty() {
            problems.push(Problem { line: markup.tags[index].line, what: format!("the table {id} has no rows") });
        }
        tables.push(table);
    }
    tables
}

/// The text from a cell's tag to the next tag that ends it.
fn cell_text(text: &str, markup: &Markup, at: usize) -> Option<String> {
    let start = markup.tags.get(at)?.span.end;
    let ends = |name: &str| matches!(name, "td" | "th" | "tr" | "table" | "tbody" | "thead");
    let end = markup.tags[at + 1..].iter().find(|tag| ends(&tag.name))?.span.start;
    text.get(start..end).map(str::to_owned)
}
