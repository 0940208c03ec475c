//! The code of a step.

use std::collections::HashMap;
use std::path::Path;

use crate::code::{Encoding, Place, Sources};

/// Source files, to take pieces from.
pub(crate) struct Snippets<'s> {
    files: HashMap<&'s Path, Vec<&'s str>>,
}

impl<'s> Snippets<'s> {
    pub(crate) fn of(sources: &'s Sources) -> Self {
        let files = sources.files.iter().map(|(path, text)| (path.as_path(), text.lines().collect()));
        Self { files: files.collect() }
    }

    /// The lines from the frame of an algorithm to the end of its last step.
    pub(crate) fn of_algorithm(&self, encoding: &Encoding) -> Vec<String> {
        let (Some(frame), Some(last)) = (encoding.frames.first(), encoding.steps.last()) else { return Vec::new() };
        let Some(lines) = self.files.get(&*frame.file).filter(|_| frame.file == last.place.file) else {
            return Vec::new();
        };
        let end = (last.place.line - 1 + self.of_step(&last.place).len()).min(lines.len());
        lines.get(frame.line - 1..end).unwrap_or_default().iter().map(|line| (*line).to_owned()).collect()
    }

    /// As [`Snippets::of_step`], without the line that only names the step.
    pub(crate) fn below_name(&self, place: &Place) -> Vec<String> {
        let mut snippet = self.of_step(place);
        if snippet.first().is_some_and(|line| line.starts_with("step!(") && line.ends_with("\");")) {
            snippet.remove(0);
        }
        snippet
    }

    /// The lines from the one that names a step to the next one that names another, or to the end of the block.
    pub(crate) fn of_step(&self, place: &Place) -> Vec<String> {
        let Some(lines) = self.files.get(&*place.file) else { return Vec::new() };
        let Some(first) = place.line.checked_sub(1).filter(|first| *first < lines.len()) else { return Vec::new() };
        let depth = |line: &str| line.len() - line.trim_start().len();
        let indentation = depth(lines[first]);
        let ends = |line: &&&str| {
            let names =
                line.trim_start().starts_with("step!(") || line.contains("algorithm!(") || line.contains("{ step!(");
            names || (!line.trim().is_empty() && depth(line) < indentation)
        };
        let length = lines[first + 1..].iter().position(|line| ends(&line)).unwrap_or(lines.len() - first - 1);
        let snippet = &lines[first..=first + length];
        let end = snippet.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
        snippet[..end].iter().map(|line| line.get(indentation..).unwrap_or(line.trim_start()).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_ends_with_the_next_step_or_the_block() {
        let text = "fn f() {\n    step!(\"1\");\n    if x {\n        y\n    }\n\n    step!(\"2\");\n    z\n}\n";
        let sources = Sources { folder: "src".into(), files: vec![("src/f.rs".into(), text.to_owned())] };
        let snippets = Snippets::of(&sources);
        let at = |line| snippets.of_step(&Place { file: Path::new("src/f.rs").into(), line });
        assert_eq!(at(2), ["step!(\"1\");", "if x {", "    y", "}"]);
        assert_eq!(at(7), ["step!(\"2\");", "z"]);
        assert_eq!(at(99), [""; 0]);
        assert_eq!(snippets.below_name(&Place { file: Path::new("src/f.rs").into(), line: 7 }), ["z"]);
    }
}
