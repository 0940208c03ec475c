//! `spec-diff check`

use std::io::Write;
use std::path::PathBuf;

use super::error::CliError;
use super::place::{Here, specification};
use crate::check::{Role, Source, check, check_facts, drift};
use crate::code::{Code, Sources};
use crate::repository::Repository;
use crate::{facts, render};

/// Check that code and prose say the same.
///
/// Without options it checks this repository's code (reference/src) against spec-diff/steps.lock, and against its
/// proposals (spec-diff/proposals/*.bs): every algorithm is encoded, with the same steps in the same order, and the tables
/// of tensor limits and the Web IDL are in code what they were when they were locked. With --spec it also says what
/// changed in the specification since. It says nothing if nothing is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The specification's source in Bikeshed's form: `index.bs` of <https://github.com/webmachinelearning/webnn>.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// The folder with the Rust source [default: reference/src of the repository around the current folder].
    #[arg(long, value_name = "DIR")]
    code: Option<PathBuf>,

    /// A proposal in the same form, instead of those of the repository; may be given several times.
    #[arg(long = "proposal", value_name = "FILE")]
    proposals: Vec<PathBuf>,

    /// Also say how much is encoded, and which algorithms are not.
    #[arg(short, long)]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  spec-diff check
  spec-diff check --spec ../webnn/index.bs
  spec-diff check --code src --proposal my-idea.bs

Exit codes: 0 nothing is wrong, 1 something is, 2 the check could not run.";

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    let here = Here::find()?;
    let folder = here.code(arguments.code.as_deref())?;
    let proposals = here.proposals(&arguments.proposals)?;
    // Other code was compared with something else.
    let lock = if arguments.code.is_none() { here.lock()? } else { None };
    if lock.is_none() && proposals.is_empty() && arguments.spec.is_none() {
        let folder = here.repository.as_ref().map_or_else(|| here.path().to_owned(), Repository::proposal_folder);
        return Err(CliError::NothingToCheck(folder));
    }
    let spec =
        arguments.spec.as_deref().map(|path| specification(path).map(|document| (path, document))).transpose()?;
    let sources = Sources::read(&folder)?;
    let code = Code::of(&sources)?;
    let mut documents: Vec<Source> = match (&lock, &spec) {
        (Some(lock), _) => vec![Source::from(lock)],
        (None, Some((path, document))) => {
            vec![Source { path: path.to_path_buf(), role: Role::Specification, document: document.clone() }]
        }
        (None, None) => Vec::new(),
    };
    documents.extend(proposals);
    let mut report = check(&code, &documents);
    if let Some(lock) = &lock {
        let facts = facts::of_code(&sources)?;
        report.findings.extend(check_facts(&facts, lock));
        if let Some((path, document)) = &spec {
            report.findings.extend(drift(lock, document, path, &code, &facts));
        }
    }
    render::report(&report, arguments.verbose, out)?;
    Ok(report.is_clean())
}
