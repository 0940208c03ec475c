//! `spec-diff show`

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};

use super::error::CliError;
use super::place::Here;
use crate::bikeshed::{Algorithm, inline};
use crate::code::{Code, Sources};
use crate::names;
use crate::snippet::Snippets;
use crate::trace::Trace;

const NAME: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const REACHED: Style = AnsiColor::Green.on_default();
const UNREACHED: Style = AnsiColor::Red.on_default();

/// Show an algorithm: its prose beside the code that encodes it, and the vectors that reach each step.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The algorithm, by its name or a part of it.
    #[arg(value_name = "ALGORITHM", required = true, num_args = 1..)]
    algorithm: Vec<String>,

    /// The specification's source, which has the prose. That of proposals is found without it.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// What vectors reach, as `webnn coverage --json FILE` writes it.
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,

    /// The width of both columns together.
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

const EXAMPLES: &str = "\
Examples:
  spec-diff show softmax --spec index.bs
  spec-diff show create a pooling operation --spec index.bs --coverage coverage.json
  spec-diff show 'MLGraph.offload(options)'";

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    let here = Here::find()?;
    let sources = Sources::read(&here.code(None)?)?;
    let (code, snippets) = (Code::of(&sources)?, Snippets::of(&sources));
    let documents = here.prose(arguments.spec.as_deref())?;
    let trace = arguments.coverage.as_deref().map(Trace::read).transpose()?;
    let name = arguments.algorithm.join(" ");
    // The first document counts that has an algorithm: a proposal may be given as the specification, too.
    let mut all: Vec<(String, &Path, &Algorithm)> = Vec::new();
    for (path, document) in &documents {
        for algorithm in &document.algorithms {
            if !all.iter().any(|(name, ..)| *name == algorithm.name()) {
                all.push((algorithm.name(), path, algorithm));
            }
        }
    }
    let found = names::find(&name, all.iter().map(|(name, ..)| name.as_str()));
    if found.is_empty() {
        let encoded = || code.algorithms.keys().map(String::as_str);
        return Err(match names::find(&name, encoded()).first() {
            Some(name) if arguments.spec.is_none() => CliError::NoProse { name: (*name).to_owned() },
            _ => {
                let known = all.iter().map(|(name, ..)| name.as_str()).chain(encoded());
                CliError::NoAlgorithm { hint: names::hint(&name, known), name }
            }
        });
    }
    let column = usize::from(arguments.width) / 2 - 2;
    for (name, path, algorithm) in all.iter().filter(|(name, ..)| found.contains(&name.as_str())) {
        let encoding = code.algorithms.get(name);
        let frame = encoding.and_then(|encoding| encoding.frames.first()).map(ToString::to_string);
        let frame = frame.unwrap_or_else(|| "nothing encodes it".to_owned());
        writeln!(out, "{NAME}{name}{NAME:#}  {FAINT}{}:{}  {frame}{FAINT:#}", path.display(), algorithm.line)?;
        if algorithm.steps.is_empty() {
            let lines: Vec<&str> = algorithm.preamble.iter().map(|line| line.text.as_str()).collect();
            wrapped(&inline::plain(&lines.join(" ")), column * 2)
                .iter()
                .try_for_each(|line| writeln!(out, "{line}"))?;
        }
        for step in &algorithm.steps {
            let step_path = step.path.to_string();
            let named = encoding.and_then(|encoding| encoding.steps.iter().find(|named| named.name == step_path));
            let text: Vec<&str> = step.instructions().collect();
            let prose = wrapped(&format!("{step_path}. {}", inline::plain(&text.join(" "))), column);
            let code = named.map(|named| snippets.of_step(&named.place)).unwrap_or_default();
            columns(&prose, &code, column, out)?;
            if let Some(trace) = &trace {
                let throwing = step.exceptions().next().is_some().then(|| trace.throwing(name, &step_path));
                vectors(&trace.reaching(name, &step_path), throwing.as_deref(), out)?;
            }
        }
        writeln!(out)?;
    }
    Ok(true)
}

fn vectors(reaching: &[&str], throwing: Option<&[&str]>, out: &mut impl Write) -> io::Result<()> {
    let (count, style) = (reaching.len(), if reaching.is_empty() { UNREACHED } else { REACHED });
    write!(out, "    {style}{}{style:#}", crate::render::plural(count, "vector"))?;
    if let Some(throwing) = throwing {
        let style = if throwing.is_empty() { UNREACHED } else { REACHED };
        write!(out, ", {style}{} throw{style:#}", throwing.len())?;
    }
    let first = throwing.and_then(<[&str]>::first).or(reaching.first());
    writeln!(out, "{FAINT}{}{FAINT:#}", first.map_or_else(String::new, |vector| format!("  {vector}")))
}

fn columns(left: &[String], right: &[String], width: usize, out: &mut impl Write) -> io::Result<()> {
    for row in 0..left.len().max(right.len()) {
        let (left, right) = (left.get(row).map_or("", String::as_str), right.get(row).map_or("", String::as_str));
        let gap = width.saturating_sub(left.chars().count());
        let right = shortened(right, width);
        writeln!(out, "{left}{:gap$} {FAINT}│{FAINT:#} {right}", "")?;
    }
    Ok(())
}

/// A line that is no longer than this, with an ellipsis where it was.
fn shortened(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['\u{2026}']).collect()
}

/// A text in lines of this width.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let word: String = word.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let length = lines.last().map_or(0, |line| line.chars().count());
        if length > 0 && length + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}
