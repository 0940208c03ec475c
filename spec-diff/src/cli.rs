//! The command line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::bikeshed::ReadError;
use crate::check::{Role, Source, check};
use crate::code::{Code, CodeError};
use crate::render::{self, View};
use crate::repository::Repository;

/// Ties the prose of the WebNN specification to the code that encodes it.
///
/// The specification is a list of algorithms in numbered steps, written for people. The crate `webnn-reference` is the
/// same algorithms as Rust functions, which name each step where they encode it: `step!("16.5")`. This tool reads both
/// as text and says where they part.
#[derive(Debug, Parser)]
#[command(name = "spec-diff", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Check(Check),
}

/// Check that code and prose have the same algorithms, with the same steps in the same order.
///
/// Without options it checks this repository's proposals (spec-diff/proposals/*.bs) against its code (reference/src):
/// every algorithm of a proposal has to be encoded. With --spec it also checks the algorithms of the specification;
/// those that no code encodes yet are counted, but are no error.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Check {
    /// The specification's source in Bikeshed's form: `index.bs` of <https://github.com/webmachinelearning/webnn>.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// The folder with the Rust source [default: reference/src of the repository around the current folder].
    #[arg(long, value_name = "DIR")]
    code: Option<PathBuf>,

    /// A proposal in the same form, instead of those of the repository; may be given several times.
    #[arg(long = "proposal", value_name = "FILE")]
    proposals: Vec<PathBuf>,

    /// Also list the algorithms of the specification that no code encodes yet.
    #[arg(short, long)]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  spec-diff check
  spec-diff check --spec ../webnn/index.bs --verbose
  spec-diff check --code src --proposal my-idea.bs

Exit codes: 0 no differences, 1 differences were found, 2 the check could not run.";

/// Why a check could not run.
#[derive(Debug, thiserror::Error)]
enum CliError {
    #[error(transparent)]
    Document(#[from] ReadError),
    #[error(transparent)]
    Code(#[from] CodeError),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("no reference/src beside a spec-diff around {}: run this in the repository, or say --code", .0.display())]
    NoRepository(PathBuf),
    #[error("nothing to check the code against: no *.bs in {}, and neither --spec nor --proposal", .0.display())]
    NothingToCheck(PathBuf),
    #[error("{}: no algorithm is marked in it; is it the Bikeshed source (index.bs)?", .0.display())]
    NoAlgorithms(PathBuf),
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let Verb::Check(arguments) = cli.verb;
    match arguments.run(&mut anstream::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        // Whoever reads has seen enough, as `head` does.
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let style = render::ERROR;
            // There is nobody left to tell if this fails.
            let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {error}");
            ExitCode::from(2)
        }
    }
}

impl Check {
    /// Checks, writes what was found, and returns whether that is nothing.
    fn run(&self, out: &mut impl Write) -> Result<bool, CliError> {
        let here = std::env::current_dir()?;
        let repository = Repository::around(&here);
        let folder = match (&self.code, &repository) {
            (Some(folder), _) => folder.clone(),
            (None, Some(repository)) => repository.code(),
            (None, None) => return Err(CliError::NoRepository(here)),
        };
        let mut sources = Vec::new();
        for (role, path) in self.documents(&here, repository.as_ref())? {
            let source = Source::read(&short(&path, &here), role)?;
            if role == Role::Specification && source.document.algorithms.is_empty() {
                return Err(CliError::NoAlgorithms(source.path));
            }
            sources.push(source);
        }
        let code = Code::read(&short(&folder, &here))?;
        let report = check(&code, &sources);
        let view = View { code: short(&folder, &here), verbose: self.verbose };
        render::report(&report, &view, out)?;
        out.flush()?;
        Ok(report.is_clean())
    }

    /// What the code is checked against.
    fn documents(&self, here: &Path, repository: Option<&Repository>) -> Result<Vec<(Role, PathBuf)>, CliError> {
        let mut proposals = self.proposals.clone();
        if let Some(repository) = repository.filter(|_| proposals.is_empty()) {
            proposals = repository.proposals()?;
        }
        if proposals.is_empty() && self.spec.is_none() {
            let folder = repository.map_or_else(|| here.to_owned(), Repository::proposal_folder);
            return Err(CliError::NothingToCheck(folder));
        }
        let spec = self.spec.iter().cloned().map(|path| (Role::Specification, path));
        Ok(spec.chain(proposals.into_iter().map(|path| (Role::Proposal, path))).collect())
    }
}

/// A path as it is shown: from the current folder, if it is in there.
fn short(path: &Path, here: &Path) -> PathBuf {
    match path.strip_prefix(here) {
        Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
        Ok(inside) => inside.to_owned(),
        Err(_) => path.to_owned(),
    }
}
