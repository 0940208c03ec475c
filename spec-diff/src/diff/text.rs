//! A difference, for a terminal.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::words::WordFate;
use super::{AlgorithmChange, Diff, Fate, Pair, StepChange, columns};
use crate::render::plural;

const NAME: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED_WORD: Style = AnsiColor::Green.on_default().bold().underline();
const REMOVED_WORD: Style = AnsiColor::Red.on_default().bold().strikethrough();

/// How many vectors are named; the rest is counted.
const NAMED_VECTORS: usize = 5;

/// How a difference is shown.
#[derive(Clone, Debug)]
pub struct View {
    /// How the older file is called.
    pub old: String,
    /// How the newer file is called.
    pub new: String,
    /// The width of two columns, if steps are shown side by side.
    pub side_by_side: Option<usize>,
}

/// Writes a difference.
///
/// # Errors
/// Those of writing.
pub fn write(diff: &Diff, view: &View, out: &mut impl Write) -> io::Result<()> {
    for change in &diff.algorithms {
        algorithm(change, view, out)?;
    }
    for change in &diff.facts {
        writeln!(out, "{NAME}{} {}{NAME:#} {}", change.kind, change.name, fate(change.fate))?;
        sides(&change.sides, view, out)?;
    }
    if !diff.facts.is_empty() {
        writeln!(out)?;
    }
    for change in &diff.decompositions {
        writeln!(out, "{NAME}decomposition of {}{NAME:#} {}", change.name, fate(change.fate))?;
        code(&change.sides, view, out)?;
        writeln!(out)?;
    }
    if !diff.lint.is_empty() {
        writeln!(out, "{NAME}lint{NAME:#}")?;
        for change in &diff.lint {
            let file = if change.fate == Fate::Added { &view.new } else { &view.old };
            writeln!(out, "  {} {}", fate(change.fate), change.finding.text(Path::new(file)))?;
        }
        writeln!(out)?;
    }
    if !diff.elsewhere.is_empty() {
        writeln!(out, "{NAME}other text{NAME:#}")?;
        for stretch in &diff.elsewhere {
            let (gone, new) = (stretch.old_count, stretch.new_count);
            let section = if stretch.section.is_empty() { "before the first section" } else { &stretch.section };
            write!(out, "  {}:{}: {}", view.new, stretch.new_line, plural(new, "line"))?;
            writeln!(
                out,
                ", was {}:{}: {}  {FAINT}{section}{FAINT:#}",
                view.old,
                stretch.old_line,
                plural(gone, "line")
            )?;
        }
        writeln!(out)?;
    }
    summary(diff, out)
}

/// What changed, counted.
fn summary(diff: &Diff, out: &mut impl Write) -> io::Result<()> {
    let count = |wanted: Fate| diff.algorithms.iter().filter(|change| change.fate == wanted).count();
    let fates =
        [(Fate::Added, "added"), (Fate::Removed, "removed"), (Fate::Renamed, "renamed"), (Fate::Changed, "changed")];
    let counted: Vec<String> = fates.into_iter().map(|(fate, word)| format!("{} {word}", count(fate))).collect();
    let steps: usize = diff.algorithms.iter().map(|change| change.steps.len()).sum();
    let of = |kind: &str| diff.facts.iter().filter(|change| change.kind == kind).count();
    writeln!(
        out,
        "algorithms: {}, with {} that changed; rows of tables: {}; declarations: {}; decompositions: {}; other text: {}",
        counted.join(", "),
        plural(steps, "step"),
        of("row"),
        diff.facts.len() - of("row"),
        diff.decompositions.len(),
        plural(diff.elsewhere.len(), "place"),
    )
}

fn algorithm(change: &AlgorithmChange, view: &View, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{NAME}{}{NAME:#} {}", change.name, fate(change.fate))?;
    if let Some(old_name) = &change.old_name {
        write!(out, ", was {NAME}{old_name}{NAME:#}")?;
    }
    let places = [(&view.old, change.old_line), (&view.new, change.new_line)];
    for (file, line) in places.into_iter().filter_map(|(file, line)| line.map(|line| (file, line))) {
        write!(out, "  {FAINT}{file}:{line}{FAINT:#}")?;
    }
    writeln!(out)?;
    if !change.code.is_empty() {
        writeln!(out, "  {FAINT}code{FAINT:#} {}", change.code.join(", "))?;
    }
    if !change.readings.is_empty() {
        writeln!(out, "  {FAINT}two readings{FAINT:#} {}", change.readings.join(", "))?;
    }
    if let Some((named, rest)) = vectors(&change.vectors) {
        writeln!(out, "  {FAINT}vectors{FAINT:#} {named}{rest}")?;
    }
    if let Some(preamble) = &change.preamble {
        writeln!(out, "  before its steps")?;
        sides(preamble, view, out)?;
    }
    for step in &change.steps {
        heading(step, out)?;
        sides(&step.sides, view, out)?;
    }
    for (was, is) in runs(&change.renumbered) {
        writeln!(out, "  {FAINT}{is}: was {was}{FAINT:#}")?;
    }
    writeln!(out)
}

fn heading(step: &StepChange, out: &mut impl Write) -> io::Result<()> {
    let number = |side: &Option<super::Side>| side.as_ref().map(|side| side.step.clone());
    let numbers = match (number(&step.sides.old), number(&step.sides.new)) {
        (Some(old), Some(new)) if old == new => new,
        (Some(old), Some(new)) => format!("{new}, was {old}"),
        (old, new) => old.or(new).unwrap_or_default(),
    };
    let note = if step.is_note { ", its notes only" } else { "" };
    write!(out, "  step {numbers} {}{note}", fate(step.fate))?;
    if let Some(code) = &step.code {
        write!(out, "  {FAINT}{code}{FAINT:#}")?;
    }
    writeln!(out)
}

fn sides(pair: &Pair, view: &View, out: &mut impl Write) -> io::Result<()> {
    let text = |side: &Option<super::Side>| side.as_ref().map(|side| side.text.clone()).unwrap_or_default();
    let (old, new) = (text(&pair.old), text(&pair.new));
    let words = super::words::runs(&old, &new);
    if let Some(width) = view.side_by_side {
        return columns::write(&words, width, out);
    }
    for (side, file, fate, sign, style, word) in [
        (&pair.old, &view.old, WordFate::Removed, '-', REMOVED, REMOVED_WORD),
        (&pair.new, &view.new, WordFate::Added, '+', ADDED, ADDED_WORD),
    ] {
        let Some(side) = side else { continue };
        write!(out, "    {style}{sign}{style:#} ")?;
        let is_whole = pair.old.is_none() || pair.new.is_none();
        for run in words.iter().filter(|run| run.fate == WordFate::Kept || run.fate == fate) {
            let style = if run.fate == WordFate::Kept || is_whole { style } else { word };
            write!(out, "{style}{}{style:#}", printable(&run.text))?;
        }
        writeln!(out, "  {FAINT}{file}:{}{FAINT:#}", side.line)?;
    }
    Ok(())
}

/// Code is compared line by line.
fn code(pair: &Pair, view: &View, out: &mut impl Write) -> io::Result<()> {
    let text = |side: &Option<super::Side>| side.as_ref().map(|side| side.text.clone() + "\n").unwrap_or_default();
    let (old, new) = (text(&pair.old), text(&pair.new));
    let diff = similar::TextDiff::from_lines(&old, &new);
    let line = pair.new.as_ref().or(pair.old.as_ref()).map_or(0, |side| side.line);
    let file = if pair.new.is_some() { &view.new } else { &view.old };
    writeln!(out, "  {FAINT}{file}:{line}{FAINT:#}")?;
    for change in diff.iter_all_changes() {
        let (sign, style) = match change.tag() {
            similar::ChangeTag::Equal => continue,
            similar::ChangeTag::Insert => ('+', ADDED),
            similar::ChangeTag::Delete => ('-', REMOVED),
        };
        writeln!(out, "    {style}{sign} {}{style:#}", printable(change.value().trim_end()))?;
    }
    Ok(())
}

/// What a terminal would not obey.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn fate(fate: Fate) -> String {
    let (style, word) = match fate {
        Fate::Added => (ADDED, "added"),
        Fate::Removed => (REMOVED, "removed"),
        Fate::Renamed => (Style::new(), "renamed"),
        Fate::Changed => (Style::new(), "changed"),
    };
    format!("{style}{word}{style:#}")
}

/// Some names, and how many more there are.
pub(super) fn vectors(vectors: &[String]) -> Option<(String, String)> {
    let named: Vec<_> = vectors.iter().take(NAMED_VECTORS).cloned().collect();
    let rest = vectors.len().saturating_sub(NAMED_VECTORS);
    let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    (!vectors.is_empty()).then(|| (named.join("; "), rest))
}

/// Numbers that changed alike, put together: what follows one another in one list. Sub-steps go with their step.
pub(super) fn runs(renumbered: &[(String, String)]) -> Vec<(String, String)> {
    let split = |path: &str| -> (String, Option<u32>) {
        let (list, number) = path.rsplit_once('.').unwrap_or(("", path));
        (list.to_owned(), number.parse().ok())
    };
    let goes_with_its_step = |(was, is): &&(String, String)| {
        let lists = (split(was).0, split(is).0);
        renumbered.iter().any(|(a, b)| *a == lists.0 && *b == lists.1)
    };
    let mut runs: Vec<[(String, String); 2]> = Vec::new();
    for pair in renumbered.iter().filter(|pair| !goes_with_its_step(pair)) {
        let follows = |last: &str, next: &str| {
            let ((a, m), (b, n)) = (split(last), split(next));
            a == b && m.and_then(|m| m.checked_add(1)) == n
        };
        match runs.last_mut().filter(|[_, last]| follows(&last.0, &pair.0) && follows(&last.1, &pair.1)) {
            Some(run) => run[1] = pair.clone(),
            None => runs.push([pair.clone(), pair.clone()]),
        }
    }
    let range = |first: &str, last: &str| {
        if first == last { format!("step {first}") } else { format!("steps {first} to {last}") }
    };
    runs.iter().map(|[first, last]| (range(&first.0, &last.0), range(&first.1, &last.1))).collect()
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn what_follows_one_another_is_one_line() {
        let pair = |(was, is): (&str, &str)| (was.to_owned(), is.to_owned());
        let renumbered = [("3", "4"), ("3.1", "4.1"), ("4", "5"), ("6", "7"), ("9.1", "9.2"), ("9.2", "9.3")].map(pair);
        let expected =
            [("steps 3 to 4", "steps 4 to 5"), ("step 6", "step 7"), ("steps 9.1 to 9.2", "steps 9.2 to 9.3")];
        assert_eq!(runs(&renumbered), expected.map(pair));
    }
}
