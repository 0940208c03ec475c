//! A difference, for a comment on a pull request.

use std::io::{self, Write};

use super::text::{View, runs, vectors};
use super::words::WordFate;
use super::{AlgorithmChange, Diff, Fate, Pair};
use crate::render::plural;

/// Writes a difference as Markdown.
///
/// # Errors
/// Those of writing.
pub fn write(diff: &Diff, view: &View, out: &mut impl Write) -> io::Result<()> {
    if diff.is_empty() {
        return writeln!(out, "Nothing changed.");
    }
    for change in &diff.algorithms {
        algorithm(change, view, out)?;
    }
    let rows = diff.facts.iter().filter(|change| change.kind == "row");
    table("Tables of tensor limits", rows, out)?;
    table("Web IDL", diff.facts.iter().filter(|change| change.kind != "row"), out)?;
    for change in &diff.decompositions {
        writeln!(out, "### Decomposition of `{}` {}\n\n```diff", change.name, word(change.fate))?;
        let text = |side: &Option<super::Side>| side.as_ref().map(|side| side.text.clone() + "\n").unwrap_or_default();
        let (old, new) = (text(&change.sides.old), text(&change.sides.new));
        write!(out, "{}", similar::TextDiff::from_lines(&old, &new).unified_diff())?;
        writeln!(out, "```\n")?;
    }
    if !diff.lint.is_empty() {
        writeln!(out, "### Lint\n")?;
        for change in &diff.lint {
            let finding = &change.finding;
            let what = escaped(&format!("{}: {}", finding.subject, finding.what));
            writeln!(out, "- {}, line {}: {what} (`{}`)", word(change.fate), finding.line, finding.rule)?;
        }
        writeln!(out)?;
    }
    if !diff.elsewhere.is_empty() {
        writeln!(out, "### Other text\n")?;
        for stretch in &diff.elsewhere {
            let (line, count) = (stretch.new_line, plural(stretch.new_count, "line"));
            writeln!(
                out,
                "- line {line}, {count} (was {}): {}",
                plural(stretch.old_count, "line"),
                escaped(&stretch.section)
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn algorithm(change: &AlgorithmChange, view: &View, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "### `{}` {}\n", change.name, word(change.fate))?;
    if let Some(old_name) = &change.old_name {
        writeln!(out, "It was `{old_name}`.\n")?;
    }
    if let Some(line) = change.new_line.or(change.old_line) {
        let file = if change.new_line.is_some() { &view.new } else { &view.old };
        write!(out, "`{file}:{line}`")?;
        for place in &change.code {
            write!(out, ", encoded at `{place}`")?;
        }
        for id in &change.readings {
            write!(out, ", in two readings: `{id}`")?;
        }
        writeln!(out, "\n")?;
    }
    if let Some((named, rest)) = vectors(&change.vectors) {
        writeln!(out, "Reached by {}{rest}.\n", escaped(&named))?;
    }
    if let Some(preamble) = &change.preamble {
        writeln!(out, "- before its steps: {}", marked(preamble))?;
    }
    for step in &change.steps {
        let numbers = match (&step.sides.old, &step.sides.new) {
            (Some(old), Some(new)) if old.step != new.step => format!("{}, was {}", new.step, old.step),
            (old, new) => new.as_ref().or(old.as_ref()).map(|side| side.step.clone()).unwrap_or_default(),
        };
        let code = step.code.as_ref().map_or_else(String::new, |code| format!(" (`{code}`)"));
        let note = if step.is_note { ", its notes only" } else { "" };
        writeln!(out, "- **{numbers}** {}{note}{code}: {}", word(step.fate), marked(&step.sides))?;
    }
    let renumbered: Vec<String> = runs(&change.renumbered).iter().map(|(was, is)| format!("{is}: was {was}")).collect();
    if !renumbered.is_empty() {
        writeln!(out, "- {}", renumbered.join(", "))?;
    }
    writeln!(out)
}

fn table<'d>(
    title: &str,
    changes: impl Iterator<Item = &'d super::FactChange>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut changes = changes.peekable();
    if changes.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "### {title}\n\n| what | | change |\n|---|---|---|")?;
    for change in changes {
        writeln!(out, "| `{}` | {} | {} |", change.name, word(change.fate), marked(&change.sides))?;
    }
    writeln!(out)
}

/// The words of both sides, with what changed between tags that Markdown lets through.
fn marked(pair: &Pair) -> String {
    let text = |side: &Option<super::Side>| side.as_ref().map(|side| side.text.clone()).unwrap_or_default();
    let run = |run: super::words::Run| {
        let text = escaped(&run.text);
        match run.fate {
            WordFate::Kept => text,
            WordFate::Added => format!("<ins>{text}</ins>"),
            WordFate::Removed => format!("<del>{text}</del>"),
        }
    };
    super::words::runs(&text(&pair.old), &text(&pair.new)).into_iter().map(run).collect()
}

/// The text without what Markdown or HTML would take for more.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Added => "added",
        Fate::Removed => "removed",
        Fate::Renamed => "renamed",
        Fate::Changed => "changed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_markdown_would_take_for_more_is_escaped() {
        assert_eq!(escaped("a|b <x> [=y=] `z`"), "a\\|b &lt;x&gt; \\[=y=\\] \\`z\\`");
    }
}
