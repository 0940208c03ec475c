//! Two texts side by side.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::text::printable;
use super::words::{Run, WordFate};

const ADDED: Style = AnsiColor::Green.on_default().bold();
const REMOVED: Style = AnsiColor::Red.on_default().bold();
const PLAIN: Style = Style::new();
const INDENT: usize = 4;
const GAP: &str = " │ ";

/// A line of a column: pieces with their style, and how many letters they are.
#[derive(Default)]
struct Line {
    pieces: Vec<(Style, String)>,
    length: usize,
}

/// Writes the old text on the left and the new one on the right, in this width.
pub(super) fn write(words: &[Run], width: usize, out: &mut impl Write) -> io::Result<()> {
    let column = width.saturating_sub(INDENT + GAP.len()).max(40) / 2;
    let left = wrapped(words, WordFate::Removed, REMOVED, column);
    let right = wrapped(words, WordFate::Added, ADDED, column);
    for row in 0..left.len().max(right.len()) {
        write!(out, "{:INDENT$}", "")?;
        let length = cell(left.get(row), out)?;
        write!(out, "{:1$}{GAP}", "", column.saturating_sub(length))?;
        cell(right.get(row), out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn cell(line: Option<&Line>, out: &mut impl Write) -> io::Result<usize> {
    let Some(line) = line else { return Ok(0) };
    for (style, text) in &line.pieces {
        write!(out, "{style}{text}{style:#}")?;
    }
    Ok(line.length)
}

/// The text of one side, broken into lines of a column.
fn wrapped(words: &[Run], side: WordFate, style: Style, column: usize) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    for run in words.iter().filter(|run| run.fate == WordFate::Kept || run.fate == side) {
        let style = if run.fate == side { style } else { PLAIN };
        for word in printable(&run.text).split_inclusive(' ') {
            let length = word.chars().count();
            if lines
                .last()
                .is_some_and(|line| line.length > 0 && line.length + word.trim_end().chars().count() > column)
            {
                lines.push(Line::default());
            }
            // What is longer than a column is broken anywhere.
            let letters: Vec<char> = word.chars().collect();
            for part in letters.chunks(column) {
                if length > column && lines.last().is_some_and(|line| line.length > 0) {
                    lines.push(Line::default());
                }
                if let Some(line) = lines.last_mut() {
                    line.pieces.push((style, part.iter().collect()));
                    line.length += part.len();
                }
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_broken_into_their_columns() {
        let words =
            super::super::words::runs("one two three four five six seven", "one two three four nine six seven eight");
        let mut out = Vec::new();
        write(&words, 47, &mut out).unwrap();
        let text = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
        let expected =
            "    one two three four   │ one two three four \n    five six seven       │ nine six seven eight\n";
        assert_eq!(text, expected);
        let mut out = Vec::new();
        write(&super::super::words::runs("", &"x".repeat(50)), 47, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap().lines().count(), 3);
    }
}
