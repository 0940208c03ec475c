//! `spec-diff where`

use std::io::Write;
use std::path::PathBuf;

use super::error::CliError;
use super::place::Here;
use crate::code::Code;
use crate::names;

/// Say where an algorithm or one of its steps is encoded, and where the specification has it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The algorithm, by its name or a part of it, and the step: "conv2d 16.4".
    #[arg(value_name = "ALGORITHM [STEP]", required = true, num_args = 1..)]
    what: Vec<String>,

    /// The specification's source, to say where that has it. Where a proposal has it is said without.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  spec-diff where conv2d
  spec-diff where 'conv2d 16.4'
  spec-diff where create a pooling operation 10 --spec index.bs";

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    let here = Here::find()?;
    let code = Code::read(&here.code(None)?)?;
    let documents = here.prose(arguments.spec.as_deref())?;
    let (name, step) = name_and_step(&arguments.what.join(" "));
    let all = || code.algorithms.keys().map(String::as_str);
    let found = names::find(&name, all());
    if found.is_empty() {
        return Err(CliError::NoAlgorithm { hint: names::hint(&name, all()), name });
    }
    let mut is_known = false;
    for name in &found {
        let encoding = &code.algorithms[*name];
        let prose = documents.iter().find_map(|(path, document)| Some((path, document.algorithm(name)?)));
        let place = match &step {
            None => encoding.frames.first().map(ToString::to_string),
            Some(step) => encoding.steps.iter().find(|named| named.name == *step).map(|named| named.place.to_string()),
        };
        let Some(place) = place else { continue };
        is_known = true;
        let step = step.as_ref().map_or_else(String::new, |step| format!(" step {step}"));
        write!(out, "{place}: {name}{step}")?;
        if let Some((path, algorithm)) = prose {
            let line = algorithm.steps.iter().find(|prose| step.ends_with(&format!(" {}", prose.path)));
            write!(out, "  {}:{}", path.display(), line.map_or(algorithm.line, |step| step.line))?;
        }
        writeln!(out)?;
    }
    match (is_known, step) {
        (false, Some(step)) => Err(CliError::NoStep { algorithm: found.join(", "), step }),
        _ => Ok(true),
    }
}

/// The last word is a step, if it is the path of one.
pub(super) fn name_and_step(text: &str) -> (String, Option<String>) {
    match text.trim().rsplit_once(' ') {
        Some((name, step)) if step.parse::<crate::StepPath>().is_ok() => {
            (name.trim_end_matches(" step").to_owned(), Some(step.to_owned()))
        }
        _ => (text.trim().to_owned(), None),
    }
}
