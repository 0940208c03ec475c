//! The steps of the algorithms.

use super::elements::Nesting;
use super::error::BikeshedError;
use super::lines::Lines;
use super::markup::Markup;
use super::{Flow, Line, Step};
use crate::step_path::StepPath;

/// Steps nested deeper than this are no steps. The specification's deepest are at 4.
const MAX_DEPTH: usize = 32;

/// The text of an algorithm.
#[derive(Default)]
pub(super) struct Body {
    pub(super) preamble: Vec<Line>,
    pub(super) steps: Vec<Step>,
    levels: Levels,
    /// Whether the next line, if it is a plain one, goes on with the text of the last step.
    is_open: bool,
    /// Whether the next line, if it is a plain one, goes on with a note.
    is_in_remark: bool,
}

/// Reads the text of every algorithm.
pub(super) fn read(text: &str, lines: &Lines, markup: &Markup, nesting: &Nesting) -> Result<Vec<Body>, BikeshedError> {
    let mut bodies: Vec<Body> = nesting.regions.iter().map(|_| Body::default()).collect();
    for (index, range) in lines.ranges().enumerate() {
        let number = index + 1;
        // Several algorithms may have a part of one line.
        let mut start = range.start;
        while start < range.end {
            let end = nesting.next_part(start).map_or(range.end, |next| next.min(range.end));
            let piece = &text[start..end];
            let owner = nesting.owner(start);
            if let Some(body) = owner.region.map(|region| &mut bodies[region]) {
                let at = start + (piece.len() - piece.trim_start().len());
                // Only a whole line begins with Markdown.
                let is_plain = start == range.start && !owner.is_aside && !markup.is_opaque(at);
                body.add(number, piece, is_plain, owner.is_aside)?;
            }
            start = end;
        }
    }
    for body in &mut bodies {
        body.steps.iter_mut().for_each(|step| step.flow = Flow::of(&step.text));
    }
    Ok(bodies)
}

impl Body {
    fn add(&mut self, number: usize, piece: &str, is_plain: bool, is_aside: bool) -> Result<(), BikeshedError> {
        let trimmed = piece.trim();
        if trimmed.is_empty() {
            self.is_open = false;
            self.is_in_remark = false;
            return Ok(());
        }
        if let Some(text) = item(trimmed).filter(|_| is_plain) {
            let column = indentation(piece);
            let path = self.levels.next(column);
            if path.depth() > MAX_DEPTH {
                return Err(BikeshedError::TooDeep { line: number, limit: MAX_DEPTH });
            }
            let (text, attached) = (text.to_owned(), Vec::new());
            self.steps.push(Step { path, line: number, text, attached, flow: Flow::Plain, column });
            self.is_open = true;
            self.is_in_remark = false;
            return Ok(());
        }
        self.is_in_remark = begins_remark(trimmed) || (self.is_in_remark && !begins_block(trimmed));
        let line = Line { number, text: trimmed.to_owned(), is_remark: is_aside || self.is_in_remark };
        match self.steps.last_mut() {
            None => self.preamble.push(line),
            // The rest of a line, behind a tag, also goes on.
            Some(step) if self.is_open && !begins_block(trimmed) => {
                step.text.push(' ');
                step.text.push_str(trimmed);
            }
            Some(step) => {
                self.is_open = false;
                step.attached.push(line);
            }
        }
        Ok(())
    }
}

/// The text of an item of a numbered list, if that is what the line is.
fn item(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let text = rest.strip_prefix('.').filter(|_| rest.len() < line.len())?;
    (text.is_empty() || text.starts_with([' ', '\t'])).then(|| text.trim_start())
}

/// Whether a line is the first of something else than the paragraph before it.
fn begins_block(line: &str) -> bool {
    line.starts_with(['<', ':', '*', '-']) || begins_remark(line)
}

/// Whether a line is the first of a note, an issue or the like.
fn begins_remark(line: &str) -> bool {
    let word = line.split([':', '(']).next().unwrap_or_default();
    let is_remark = ["note", "issue", "advisement", "assertion"].iter().any(|remark| word.eq_ignore_ascii_case(remark));
    is_remark && word.len() < line.len()
}

fn indentation(line: &str) -> usize {
    let columns = line.chars().take_while(|letter| letter.is_whitespace());
    columns.fold(0, |column, letter| if letter == '\t' { column / 4 * 4 + 4 } else { column + 1 })
}

/// The lists that are open at a step, outermost first.
#[derive(Default)]
struct Levels(Vec<Level>);

struct Level {
    indentation: usize,
    count: u32,
}

impl Levels {
    /// The path of the next step, from its indentation.
    fn next(&mut self, indentation: usize) -> StepPath {
        let mut inner = None;
        while let Some(level) = self.0.pop_if(|level| level.indentation > indentation) {
            inner = Some(level);
        }
        if self.0.last().is_none_or(|level| level.indentation < indentation) {
            // Between two levels that are open, it is one more item of the inner list, less indented than the others.
            let count = inner.map_or(0, |level| level.count);
            self.0.push(Level { indentation, count });
        }
        if let Some(level) = self.0.last_mut() {
            level.count = level.count.saturating_add(1);
        }
        StepPath::new(self.0.iter().map(|level| level.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_a_stack() {
        let mut levels = Levels::default();
        let paths: Vec<_> = [4, 4, 8, 16, 8, 7, 12, 4, 2, 6].map(|column| levels.next(column).to_string()).into();
        assert_eq!(paths, ["1", "2", "2.1", "2.1.1", "2.2", "2.3", "2.3.1", "3", "4", "4.1"]);
    }

    #[test]
    fn only_numbers_with_a_full_stop_begin_items() {
        assert_eq!(item("1. Do."), Some("Do."));
        assert_eq!(item("12.\tDo."), Some("Do."));
        for line in ["1.5 is a number", ". Do", "1 Do", "Do 1. Do", "a. Do"] {
            assert_eq!(item(line), None, "{line}");
        }
    }

    #[test]
    fn tabs_go_to_the_next_stop() {
        assert_eq!((indentation("\t1."), indentation("  \t1."), indentation("\t 1.")), (4, 4, 5));
    }
}
