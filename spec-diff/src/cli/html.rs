//! `spec-diff html`

use std::fs::{File, create_dir_all};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::CliError;
use super::place::{Here, specification};
use crate::check::{Role, Source};
use crate::code::{Code, Sources};
use crate::coverage::Reasons;
use crate::html::Page;
use crate::results::Results;
use crate::snippet::Snippets;
use crate::trace::Trace;

/// Write one page with every algorithm: its prose beside its code, coloured by what vectors reach.
///
/// The page needs no network. It has the prose of your file in it: mind its licence before you publish it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The specification's source, which has the prose.
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,

    /// What vectors reach, as `webnn coverage --json FILE` writes it.
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,

    /// What implementations made of vectors, as `webnn run` writes it to results/latest.jsonl.
    #[arg(long, value_name = "FILE", requires = "coverage")]
    results: Option<PathBuf>,

    /// Where to write the page.
    #[arg(long, short, value_name = "FILE", default_value = "spec-diff.html")]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  spec-diff html --spec index.bs
  spec-diff html --spec index.bs --coverage coverage.json --results results/latest.jsonl -o steps.html";

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    let here = Here::find()?;
    let sources = Sources::read(&here.code(None)?)?;
    let (code, snippets) = (Code::of(&sources)?, Snippets::of(&sources));
    let document = specification(&arguments.spec)?;
    let mut documents = vec![Source { path: arguments.spec.clone(), role: Role::Specification, document }];
    documents.extend(here.proposals(&[])?);
    let trace = arguments.coverage.as_deref().map(Trace::read).transpose()?;
    let results = arguments.results.as_deref().map(Results::read).transpose()?;
    let reasons = Reasons::read(&here.short(&here.repository()?.unreached()))?;
    let page = Page {
        documents: &documents,
        code: &code,
        snippets: &snippets,
        trace: trace.as_ref(),
        reasons: &reasons,
        results: results.as_ref(),
    };
    let written = write(&page, &arguments.output);
    written.map_err(|source| CliError::Write { path: arguments.output.clone(), source })?;
    writeln!(out, "{}", arguments.output.display())?;
    Ok(true)
}

fn write(page: &Page<'_>, path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        create_dir_all(folder)?;
    }
    let mut file = BufWriter::new(File::create(path)?);
    page.write(&mut file)?;
    file.flush()
}
