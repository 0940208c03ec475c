//! `spec-diff diff`

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::error::CliError;
use super::place::{Here, specification_with_text};
use crate::bikeshed::{Document, Problem};
use crate::code::{Code, Sources};
use crate::diff::text::View;
use crate::diff::{Ours, Revisions, diff, markdown, text};
use crate::proposal;
use crate::trace::Trace;

/// Say what changed between two revisions of the specification: which algorithms, which of their steps, which tables and
/// declarations, which of our functions encode them and which vectors reach them, where our code has a second reading of the
/// text, and what the lint finds in one of them and not in the other.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The older revision of index.bs.
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The newer one; or else --proposal.
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,

    /// A proposal: show what it adds to OLD, and what it changes there.
    #[arg(long, value_name = "FILE", conflicts_with = "new")]
    proposal: Option<PathBuf>,

    /// How to write it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Show old and new steps in two columns.
    #[arg(long, short = 'y', conflicts_with = "format")]
    side_by_side: bool,

    /// The width of the two columns together.
    #[arg(long, default_value_t = 140, value_parser = clap::value_parser!(u16).range(60..), requires = "side_by_side")]
    width: u16,

    /// What vectors reach, as `webnn coverage --json FILE` writes it: names the vectors that reach a changed step.
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  spec-diff diff index-before.bs index.bs
  spec-diff diff --side-by-side index-before.bs index.bs | less -R
  spec-diff diff index.bs --proposal spec-diff/proposals/hollow-constants.bs
  spec-diff diff --format markdown --coverage coverage.json index-before.bs index.bs

Exit codes: 0 nothing changed, 1 something did, 2 the command could not run.";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Markdown,
    Json,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    let here = Here::find()?;
    let (old, old_text) = specification_with_text(&arguments.old)?;
    let (path, new, new_text) = newer(arguments, &old, &old_text)?;
    // Whoever has only the program, and not the repository, has no code to name.
    let sources = here.code(None).ok().map(|folder| Sources::read(&folder)).transpose()?;
    let code = sources.as_ref().map(Code::of).transpose()?;
    let lock = here.lock()?;
    let trace = arguments.coverage.as_deref().map(Trace::read).transpose()?;
    let revisions = Revisions {
        old_path: &arguments.old,
        old_text: &old_text,
        old: &old,
        new_path: path,
        new_text: &new_text,
        new: &new,
    };
    let found = diff(
        &revisions,
        Ours { code: code.as_ref(), sources: sources.as_ref(), trace: trace.as_ref(), lock: lock.as_ref() },
    );
    let view = View {
        old: arguments.old.display().to_string(),
        new: path.display().to_string(),
        side_by_side: arguments.side_by_side.then(|| usize::from(arguments.width)),
    };
    match arguments.format {
        Format::Text => text::write(&found, &view, out)?,
        Format::Markdown => markdown::write(&found, &view, out)?,
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &found).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(found.is_empty())
}

/// The newer document: a revision, or the older one with a proposal in it.
fn newer<'a>(
    arguments: &'a Arguments,
    old: &Document,
    old_text: &str,
) -> Result<(&'a Path, Document, String), CliError> {
    match (&arguments.new, &arguments.proposal) {
        (_, Some(path)) => {
            let proposal = Document::read(path)?;
            if proposal.algorithms.is_empty() && proposal.amendments.is_empty() && proposal.idl.is_empty() {
                return Err(CliError::NoProposal(path.clone()));
            }
            let error = |problem: Problem| CliError::Proposal { path: path.clone(), problem };
            Ok((path, proposal::applied(old, &proposal).map_err(error)?, old_text.to_owned()))
        }
        (Some(path), None) => {
            let (document, text) = specification_with_text(path)?;
            Ok((path, document, text))
        }
        (None, None) => Err(CliError::NothingToCompare(arguments.old.clone())),
    }
}
