//! Changes outside of algorithms, tables, Web IDL and decompositions.

use std::ops::Range;

use serde::Serialize;
use similar::{DiffOp, TextDiff};

use super::Revisions;
use crate::bikeshed::Document;

/// Lines that follow one another and changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stretch {
    /// The first line in the older revision, or where lines were put in.
    pub old_line: usize,
    /// How many lines it had there.
    pub old_count: usize,
    /// The first line in the newer revision, or where lines were taken out.
    pub new_line: usize,
    /// How many lines it has here.
    pub new_count: usize,
    /// The heading of the section that it is in, in the newer revision.
    pub section: String,
}

/// The stretches that neither side shows as something else.
pub(super) fn changes(revisions: &Revisions<'_>) -> Vec<Stretch> {
    let old = shown(revisions.old, revisions.old_text);
    let new = shown(revisions.new, revisions.new_text);
    let old_lines: Vec<&str> = revisions.old_text.lines().collect();
    let lines: Vec<&str> = revisions.new_text.lines().collect();
    let diff = TextDiff::from_lines(revisions.old_text, revisions.new_text);
    let mut stretches = Vec::new();
    for operation in diff.ops() {
        let (old_range, new_range) = match *operation {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { old_index, old_len, new_index } => (old_index..old_index + old_len, new_index..new_index),
            DiffOp::Insert { old_index, new_index, new_len } => (old_index..old_index, new_index..new_index + new_len),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                (old_index..old_index + old_len, new_index..new_index + new_len)
            }
        };
        let hidden = |range: &Range<usize>, shown: &[bool], lines: &[&str]| {
            let is_blank = |line: usize| lines.get(line).is_none_or(|line| line.trim().is_empty());
            range.clone().filter(|line| !shown.get(*line).copied().unwrap_or_default() && !is_blank(*line)).count()
        };
        let old_count = hidden(&old_range, &old, &old_lines);
        let new_count = hidden(&new_range, &new, &lines);
        if old_count + new_count > 0 {
            let first = |range: &Range<usize>, shown: &[bool]| {
                range.clone().find(|line| !shown.get(*line).copied().unwrap_or_default()).unwrap_or(range.start) + 1
            };
            stretches.push(Stretch {
                old_line: first(&old_range, &old),
                old_count,
                new_line: first(&new_range, &new),
                new_count,
                section: section(&lines, new_range.start),
            });
        }
    }
    stretches
}

/// For each line, whether it is part of something that is compared by itself.
fn shown(document: &Document, text: &str) -> Vec<bool> {
    let mut shown = vec![false; text.lines().count()];
    let mut show = |first: usize, last: usize| {
        let last = last.min(shown.len());
        shown[(first - 1).min(last)..last].fill(true);
    };
    for algorithm in &document.algorithms {
        show(algorithm.line, algorithm.end_line);
    }
    for table in &document.tables {
        let last = table.rows.iter().flat_map(|row| row.cells.last()).map(|cell| cell.line).max();
        show(table.line, last.unwrap_or(table.line) + 2);
    }
    for block in &document.idl {
        show(block.line, block.line + block.text.lines().count());
    }
    for function in &document.decompositions {
        show(function.line, function.line + function.text.lines().count());
    }
    shown
}

/// The text of the last heading up to a line.
fn section(lines: &[&str], line: usize) -> String {
    let before = &lines[..(line + 1).min(lines.len())];
    let heading = before.iter().rev().find(|line| line.starts_with('#') && line.contains("{#"));
    let text = heading.map_or("", |line| line.split("{#").next().unwrap_or_default());
    crate::bikeshed::inline::plain(text.trim_matches(['#', ' ']))
}
