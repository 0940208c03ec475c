//! A report, as people read it.
//!
//! One paragraph for each algorithm: its name, where both sides have it, and a line for each difference that begins
//! with what is wrong and has a place on each side that a terminal can open. Styles are always written; the stream that
//! is written to drops them where nobody would see them.

use std::io::{self, Write};
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

use crate::check::{Finding, Group, Report, Role, Summary};
use crate::code::{Oddity, OddityKind, Place};
use crate::step_path::StepPath;

/// What is wrong.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
const NAME: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const FAINT: Style = Style::new().dimmed();

/// How many characters of a step are shown.
const EXCERPT: usize = 80;

/// What to show.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The folder with the code.
    pub code: PathBuf,
    /// Whether to list what is not encoded yet.
    pub verbose: bool,
}

/// Writes a report.
///
/// # Errors
/// Those of writing.
pub fn report(report: &Report, view: &View, out: &mut impl Write) -> io::Result<()> {
    for group in &report.groups {
        algorithm(group, view, out)?;
        writeln!(out)?;
    }
    if !report.oddities.is_empty() {
        writeln!(out, "{NAME}outside of any algorithm{NAME:#}")?;
        for oddity in &report.oddities {
            odd(oddity, out)?;
        }
        writeln!(out)?;
    }
    for summary in &report.summaries {
        summarise(summary, view, out)?;
    }
    let count = report.count();
    if count == 0 {
        return writeln!(
            out,
            "{GOOD}no differences{GOOD:#} ({} in {})",
            plural(report.files, "file"),
            view.code.display()
        );
    }
    let groups = report.groups.len() + usize::from(!report.oddities.is_empty());
    let places = if groups == count { String::new() } else { format!(" in {}", plural(groups, "algorithm")) };
    writeln!(out, "{ERROR}{}{ERROR:#}{places}", plural(count, "difference"))
}

fn algorithm(group: &Group, view: &View, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{NAME}{}{NAME:#}", group.name)?;
    let prose = group.prose.as_ref().map_or_else(|| "no document has it".to_owned(), Place::to_string);
    let code = group.code.as_ref().map_or_else(|| format!("nothing in {}", view.code.display()), Place::to_string);
    writeln!(out, "  {FAINT}prose{FAINT:#} {prose}   {FAINT}code{FAINT:#} {code}")?;
    for finding in &group.findings {
        let (what, details) = describe(finding);
        writeln!(out, "  {ERROR}{what}{ERROR:#} {details}")?;
        if let Finding::Missing { text, count: 1, .. } = finding {
            writeln!(out, "    {FAINT}{}{FAINT:#}", excerpt(text))?;
        }
    }
    Ok(())
}

/// What is wrong, and where.
fn describe(finding: &Finding) -> (String, String) {
    match finding {
        Finding::NotEncoded { steps } => {
            ("not encoded".into(), format!("an algorithm of a proposal, with {}", plural(*steps, "step")))
        }
        Finding::NotInProse { documents, similar: None } => {
            let documents: Vec<_> = documents.iter().map(|path| path.display().to_string()).collect();
            ("unknown algorithm".into(), format!("looked for in {}", documents.join(", ")))
        }
        Finding::NotInProse { similar: Some((name, place)), .. } => {
            ("unknown algorithm".into(), format!("did you mean {name}, {place}?"))
        }
        Finding::DefinedTwice { first } => ("defined twice".into(), format!("first at {first}")),
        Finding::Missing { first, last, count, prose, after: (after, place), .. } => {
            let steps = match count {
                1 => format!("missing {first}"),
                2 => format!("missing {first} and {last}"),
                _ => format!("missing {first} to {last}"),
            };
            let number = if *count > 2 { format!(" ({count} steps)") } else { String::new() };
            let after = after.as_ref().map_or_else(|| "at the beginning".to_owned(), |step| format!("after {step}"));
            (steps, format!("prose {prose}{number}, to encode {after}, {place}"))
        }
        Finding::Unknown { step, code, prose_end } => {
            (format!("unknown {step}"), format!("code {code}, and the prose ends at {prose_end}"))
        }
        Finding::Repeated { step, first, again, prose } => {
            (format!("repeated {step}"), format!("code {again} and before that {first}, prose {prose}"))
        }
        Finding::OutOfOrder { step, code, code_after, prose, prose_after } => {
            let place = |after: &Option<StepPath>| {
                after.as_ref().map_or_else(|| "at the beginning".to_owned(), |step| format!("after {step}"))
            };
            (
                format!("out of order {step}"),
                format!("code {code} {}, prose {prose} {}", place(code_after), place(prose_after)),
            )
        }
    }
}

fn odd(oddity: &Oddity, out: &mut impl Write) -> io::Result<()> {
    let (what, details) = match &oddity.kind {
        OddityKind::StepWithoutFrame(step) => (format!("step {step} in no frame"), "open one with algorithm!(..)"),
        OddityKind::NotLiteral(name) => (format!("unreadable {name}!"), "its name has to be a plain string literal"),
    };
    writeln!(out, "  {ERROR}{what}{ERROR:#} code {}: {details}", oddity.place)
}

fn summarise(summary: &Summary, view: &View, out: &mut impl Write) -> io::Result<()> {
    let Summary { algorithms, encoded, steps, encoded_steps, open, .. } = summary;
    write!(
        out,
        "{}: {encoded} of {} encoded, with {encoded_steps} of {}",
        summary.path.display(),
        plural(*algorithms, "algorithm"),
        plural(*steps, "step")
    )?;
    if summary.role == Role::Proposal || open.is_empty() {
        return writeln!(out);
    }
    if !view.verbose {
        return writeln!(out, "; {} to come (--verbose lists them)", open.len());
    }
    writeln!(out, "; {} to come:", open.len())?;
    for (name, place) in open {
        writeln!(out, "  {name}  {FAINT}{place}{FAINT:#}")?;
    }
    Ok(())
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The beginning of a text, on one line and without what a terminal would obey.
fn excerpt(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut letters = text.chars();
    let excerpt: String = letters.by_ref().take(EXCERPT).map(plain).collect();
    if letters.next().is_some() { excerpt + "…" } else { excerpt }
}
