//! `spec-diff coverage`

use std::io::{self, Write};
use std::path::PathBuf;

use super::error::CliError;
use super::place::Here;
use crate::coverage::{Coverage, Reasons, StepCoverage};
use crate::lock::Lock;
use crate::render::plural;
use crate::trace::Trace;

/// Say which steps no vector reaches, and which throwing steps never threw.
///
/// A step may be left out if spec-diff/unreached.toml says why. Anything else that is not reached is an error, and so is a
/// reason for a step that is.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// What vectors reach, as `webnn coverage --json FILE` writes it.
    #[arg(value_name = "FILE")]
    record: PathBuf,

    /// Write a table of all throwing steps, with the vectors that throw there, as Markdown.
    #[arg(long)]
    table: bool,

    /// Also list what is left out for a reason.
    #[arg(short, long)]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  webnn coverage --json coverage.json && spec-diff coverage coverage.json
  spec-diff coverage --table coverage.json > throwing-steps.md

Exit codes: 0 every step is reached or has a reason, 1 some have none, 2 the command could not run.";

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    let here = Here::find()?;
    let repository = here.repository()?;
    let lock = Lock::read(&here.short(&repository.lock()))?;
    let reasons = Reasons::read(&here.short(&repository.unreached()))?;
    let coverage = Coverage::of(&lock, &Trace::read(&arguments.record)?, &reasons);
    if arguments.table {
        table(&coverage, out)?;
        return Ok(coverage.is_complete());
    }
    for algorithm in &coverage.algorithms {
        let (reached, throwing) = (tally(&algorithm.steps), threw(&algorithm.steps));
        let missing = algorithm.steps.iter().filter(|step| !step.is_covered());
        let missing: Vec<&StepCoverage> = missing.filter(|step| arguments.verbose || step.reason.is_none()).collect();
        if !missing.is_empty() {
            writeln!(out, "{}: {reached} steps reached, {throwing} throw", algorithm.name)?;
        }
        for step in missing {
            let what = if step.reaching.is_empty() { "never reached" } else { "never threw" };
            let reason = step.reason.as_deref().unwrap_or("nothing says why not");
            writeln!(out, "  step {}: {what}: {reason}", step.path)?;
        }
    }
    coverage.stale.iter().try_for_each(|stale| writeln!(out, "spec-diff/unreached.toml: {stale}"))?;
    let steps: Vec<StepCoverage> = coverage.steps().map(|(_, step)| step.clone()).collect();
    let reasons = steps.iter().filter(|step| !step.is_covered() && step.reason.is_some()).count();
    writeln!(
        out,
        "{} of {} steps reached, {} that name an exception threw it; {} left out for a reason",
        steps.iter().filter(|step| !step.reaching.is_empty()).count(),
        steps.len(),
        threw(&steps),
        plural(reasons, "step"),
    )?;
    Ok(coverage.is_complete())
}

fn tally(steps: &[StepCoverage]) -> String {
    format!("{} of {}", steps.iter().filter(|step| !step.reaching.is_empty()).count(), steps.len())
}

fn threw(steps: &[StepCoverage]) -> String {
    let throwing = steps.iter().filter(|step| step.is_throwing());
    format!("{} of {}", throwing.clone().filter(|step| !step.throwing.is_empty()).count(), throwing.count())
}

/// All throwing steps, and where they throw.
fn table(coverage: &Coverage, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "| algorithm | step | exception | vectors | the one that does least else, or why there is none |")?;
    writeln!(out, "|---|---|---|---:|---|")?;
    for (algorithm, step) in coverage.steps().filter(|(_, step)| step.is_throwing()) {
        let StepCoverage { path, exceptions, throwing, reason, .. } = step;
        let what = throwing.first().or(reason.as_ref()).map_or("**nothing says why**", String::as_str);
        let what = what.replace('|', "\\|");
        writeln!(out, "| {} | {path} | {} | {} | {what} |", algorithm.name, exceptions.join(", "), throwing.len())?;
    }
    Ok(())
}
