//! The command line.

mod check;
mod coverage;
mod diff;
mod error;
mod html;
mod lint;
mod place;
mod show;
mod upgrade;
#[path = "cli/where.rs"]
mod where_;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::render;
use error::CliError;

/// Ties the prose of the WebNN specification to the code that encodes it.
///
/// The specification is a list of algorithms in numbered steps, written for people. The crate `webnn-reference` is the
/// same algorithms as Rust functions, which name each step where they encode it: `step!("16.5")`. This tool reads both
/// as text and says where they part.
///
/// Exit codes: 0 nothing was found, 1 something was, 2 the command could not run.
#[derive(Debug, Parser)]
#[command(name = "spec-diff", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Check(check::Arguments),
    Coverage(coverage::Arguments),
    Diff(diff::Arguments),
    Html(html::Arguments),
    Lint(lint::Arguments),
    Show(show::Arguments),
    Upgrade(upgrade::Arguments),
    Where(where_::Arguments),
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = anstream::stdout().lock();
    let result = match &cli.verb {
        Verb::Check(arguments) => check::run(arguments, &mut out),
        Verb::Coverage(arguments) => coverage::run(arguments, &mut out),
        Verb::Diff(arguments) => diff::run(arguments, &mut out),
        Verb::Html(arguments) => html::run(arguments, &mut out),
        Verb::Lint(arguments) => lint::run(arguments, &mut out),
        Verb::Show(arguments) => show::run(arguments, &mut out),
        Verb::Upgrade(arguments) => upgrade::run(arguments, &mut out),
        Verb::Where(arguments) => where_::run(arguments, &mut out),
    };
    match result.and_then(|nothing_found| Ok(out.flush().map(|()| nothing_found)?)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        // Whoever reads has seen enough, as `head` does. What was not written may have been what was asked for, so this is no
        // success: it is what a shell gives of a program that a closed pipe ends.
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(141),
        Err(error) => {
            let style = render::ERROR;
            // There is nobody left to tell if this fails.
            let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {error}");
            ExitCode::from(2)
        }
    }
}
