//! `webnn merge`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{AS_EXPECTED, Failure};
use crate::record::Record;
use crate::results;
use crate::shown::plural;

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
    let mut parts = arguments.parts.iter().map(|path| Ok((path, Record::read(path)?)));
    let (_, mut whole) = parts.next().unwrap_or_else(|| Err(Failure::Usage("no file is named".into())))?;
    let mut named = vec![whole.header.part.take()];
    for part in parts {
        let (path, mut part) = part?;
        named.push(part.header.part.take());
        add(&mut whole, part).map_err(|why| Failure::Data(format!("{}: {why}", path.display())))?;
    }
    ensure_all_are_there(&named).map_err(Failure::Data)?;
    results::write(&arguments.output, &whole)?;
    let (vectors, results) = (plural(whole.header.vectors, "vector"), plural(whole.results.len(), "result"));
    anstream::println!("{vectors}, {results}; in {}", arguments.output.display());
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

fn add(whole: &mut Record, part: Record) -> Result<(), String> {
    if part.header.implementations != whole.header.implementations {
        let (there, here) = (part.header.implementations.join(", "), whole.header.implementations.join(", "));
        return Err(format!("it was run on {there}, and the others on {here}"));
    }
    if whole.header.reading != part.header.reading {
        return Err(format!(
            "it is of the {} reading, and the others of the {}",
            part.header.reading, whole.header.reading
        ));
    }
    if whole.header.more != part.header.more {
        return Err("it is of other vectors, or of another state of them, than the others".into());
    }
    if whole.header.version != part.header.version {
        return Err(format!(
            "it was written by version {}, and the others by {}",
            part.header.version, whole.header.version
        ));
    }
    for (name, description) in part.descriptions {
        let known = whole.descriptions.entry(name.clone()).or_insert_with(|| description.clone());
        if *known != description {
            return Err(format!("{name} is another there: {description}, and here {known}"));
        }
    }
    whole.not_started.extend(part.not_started);
    for (key, result) in part.results {
        if let Some(twice) = whole.results.insert(key, result) {
            return Err(format!("{} on {} is in two of the files", twice.vector, twice.implementation));
        }
    }
    whole.flakes.extend(part.flakes);
    whole.differences.extend(part.differences);
    whole.header.started = whole.header.started.min(part.header.started);
    whole.vectors.extend(part.vectors);
    whole.header.vectors = whole.vectors.len();
    whole.seconds = whole.seconds.max(part.seconds);
    Ok(())
}
