//! `webnn merge`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{AS_EXPECTED, Failure};
use crate::record::Record;
use crate::report::scope::Restriction;
use crate::results;
use crate::shown::{inert, plural};

/// The arguments of `webnn merge`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The result files of the parts of a run (`webnn run --partition`).
    #[arg(required = true)]
    parts: Vec<PathBuf>,

    /// Where the whole goes, as JSON lines.
    #[arg(long, short, value_name = "FILE", default_value = "results/merged.jsonl")]
    output: PathBuf,
}

/// Merges the parts of a run into a result file of the whole.
///
/// # Errors
/// If a file is of no run that has ended, or the files are not parts of one run.
pub(crate) fn merge(arguments: &Arguments) -> Result<u8, Failure> {
    ensure_is_no_part(&arguments.output, &arguments.parts)?;
    let whole = Record::read_parts(arguments.parts.iter().map(PathBuf::as_path))?;
    ensure_all_are_there(&whole.parts).map_err(Failure::Data)?;
    results::write(&arguments.output, &whole)?;
    let (vectors, results) = (plural(whole.header.vectors, "vector"), plural(whole.count(), "result"));
    anstream::println!("{vectors}, {results}; in {}", arguments.output.display());
    if let Some(sentence) = Restriction::sentence(&whole) {
        anstream::eprintln!("webnn: {}", inert(&sentence));
    }
    Ok(AS_EXPECTED)
}

/// The parts are kept, so that they can be merged again.
fn ensure_is_no_part(output: &Path, parts: &[PathBuf]) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    match parts.iter().find(|part| real(part).is_some() && real(part) == real(output)) {
        Some(part) => Err(Failure::Usage(format!("{} is one of the parts; name another file with -o", part.display()))),
        None => Ok(()),
    }
}

/// Parts that say of how many they are have to be all of them.
fn ensure_all_are_there(parts: &[Option<String>]) -> Result<(), String> {
    let Some(of) = parts.iter().flatten().next().and_then(|part| part.split_once('/')).map(|(_, of)| of) else {
        return Ok(());
    };
    let all = 1..=of.parse::<usize>().unwrap_or(0);
    let missing: Vec<String> = all
        .map(|part| format!("{part}/{of}"))
        .filter(|part| !parts.iter().flatten().any(|there| there == part))
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("this is no whole: {} is missing", missing.join(", "))) }
}
