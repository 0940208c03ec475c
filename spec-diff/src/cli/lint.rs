//! `spec-diff lint`

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;

use super::error::CliError;
use super::place::specification_with_text;
use crate::lint::{Finding, RULES, lint};

/// Read the prose as a program, and say what a compiler would: variables that nobody declares, calls with missing
/// arguments, loops that can not end, tables that contradict the steps.
///
/// It runs beside the editors' own lint, on the same source.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The specification's source, or a proposal's.
    #[arg(value_name = "FILE", required_unless_present = "rules")]
    file: Option<PathBuf>,

    /// Only what these rules find; may be given several times.
    #[arg(long = "rule", value_name = "ID")]
    wanted: Vec<String>,

    /// List the rules.
    #[arg(long)]
    rules: bool,

    /// How to write it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  spec-diff lint index.bs
  spec-diff lint index.bs --rule undeclared-variable --rule broken-link
  spec-diff lint --rules

Exit codes: 0 nothing was found, 1 something was, 2 the command could not run.";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    if let Some(unknown) = arguments.wanted.iter().find(|id| !RULES.iter().any(|rule| rule.id == **id)) {
        return Err(CliError::NoRule { id: unknown.clone() });
    }
    let Some(path) = arguments.file.as_ref().filter(|_| !arguments.rules) else {
        for rule in RULES {
            writeln!(out, "{:30} {}", rule.id, rule.about)?;
        }
        return Ok(true);
    };
    let (document, text) = specification_with_text(path)?;
    let mut findings = lint(&document, &text);
    findings.retain(|finding: &Finding| {
        arguments.wanted.is_empty() || arguments.wanted.iter().any(|id| id == finding.rule)
    });
    match arguments.format {
        Format::Text => findings.iter().try_for_each(|finding| writeln!(out, "{}", finding.text(path)))?,
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &findings).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(findings.is_empty())
}
