//! `webnn compare`

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::listing::{Change, Changed, Listing};
use crate::record::{Record, ResultLine, Went};
use crate::shown::inert;

/// The arguments of `webnn compare`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The result file of the run before.
    base: PathBuf,

    /// The result file of the run after.
    new: PathBuf,

    /// The form of the comparison.
    #[arg(long, short = 'F', value_enum, default_value = "text")]
    format: Format,

    /// Call a vector slower if it took more than this many times as long, beyond what all vectors of the implementation took
    /// longer, and at least 50 ms longer: less is what a start or another program costs.
    #[arg(long, value_name = "TIMES", default_value_t = 2.0)]
    slower: f64,
}

/// The forms of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// For a comment on a pull request.
    Markdown,
    /// For programs.
    Json,
}

/// Compares two runs.
///
/// # Errors
/// If a file is no result file, or of a run that did not end.
pub(crate) fn compare(arguments: &Arguments) -> Result<u8, Failure> {
    let (base, new) = (Record::read(&arguments.base)?, Record::read(&arguments.new)?);
    let changes = changes(&base, &new, arguments.slower);
    match arguments.format {
        Format::Text => anstream::print!("{}", inert(&text(&changes))),
        Format::Markdown => anstream::print!("{}", markdown(&changes)),
        Format::Json => Listing::Comparison { changes: &changes }.print()?,
    }
    let is_bad = changes.iter().any(|changed| {
        let is_new_and_failed = changed.change == Change::New && changed.after.as_deref() != Some("passed");
        // What is gone may have failed as well as not.
        matches!(changed.change, Change::Broken | Change::Gone) || is_new_and_failed
    });
    Ok(if is_bad { UNEXPECTED } else { AS_EXPECTED })
}

/// A difference of times that is worth a word, in seconds.
const WORTH_A_WORD: f64 = 0.05;

fn changes(base: &Record, new: &Record, slower: f64) -> Vec<Changed> {
    let keys: BTreeSet<_> = base.results.keys().chain(new.results.keys()).collect();
    let paces: BTreeMap<&str, f64> =
        new.implementations().iter().map(|name| (name.as_str(), pace(base, new, name))).collect();
    let mut changes = Vec::new();
    for key in keys {
        let (before, after) = (base.results.get(key), new.results.get(key));
        let pace = paces.get(key.1.as_str()).copied().unwrap_or(1.0);
        let Some(change) = change(before, after, slower, pace) else {
            continue;
        };
        let told = |result: Option<&ResultLine>| {
            result.map(|result| match (change, result.message()) {
                (Change::Slower, _) => format!("{:.1} ms", result.seconds * 1e3),
                (_, "") => result.outcome.as_str().to_owned(),
                (_, message) => format!("{}: {}", result.outcome.as_str(), message.lines().next().unwrap_or_default()),
            })
        };
        let (vector, implementation) = key.clone();
        changes.push(Changed { change, vector, implementation, before: told(before), after: told(after) });
    }
    changes.sort_by_key(|changed| changed.change);
    changes
}

/// How many times as long an implementation takes for most vectors: the machine may have been busy. Never less than once.
fn pace(base: &Record, new: &Record, implementation: &str) -> f64 {
    let of_it = new.results.iter().filter(|((_, name), _)| name == implementation);
    let ratios = of_it.filter_map(|(key, after)| {
        let before = base.results.get(key).filter(|before| before.seconds > 0.0)?;
        Some(after.seconds / before.seconds)
    });
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).map_or(1.0, |median| median.max(1.0))
}

fn change(before: Option<&ResultLine>, after: Option<&ResultLine>, slower: f64, pace: f64) -> Option<Change> {
    let (before, after) = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => return Some(Change::New),
        (Some(_), None) => return Some(Change::Gone),
        (Some(before), Some(after)) => (before, after),
    };
    let is_good = |result: &ResultLine| matches!(result.outcome, Went::Passed);
    let at_that_pace = before.seconds * pace;
    match (is_good(before), is_good(after)) {
        (true, false) => Some(Change::Broken),
        (false, true) => Some(Change::Fixed),
        (false, false) if before.outcome != after.outcome => Some(Change::Other),
        _ if after.seconds > at_that_pace * slower && after.seconds - at_that_pace > WORTH_A_WORD => {
            Some(Change::Slower)
        }
        _ => None,
    }
}

fn counts(changes: &[Changed]) -> String {
    let count = |change: Change| changes.iter().filter(|changed| changed.change == change).count();
    let counts = Change::ALL.map(|change| format!("{} {}", count(change), change.as_str()));
    counts.join(", ")
}

fn text(changes: &[Changed]) -> String {
    let mut text = String::new();
    for Changed { change, vector, implementation, before, after } in changes {
        _ = writeln!(text, "{:<7} {vector} ({implementation})", change.as_str());
        for (when, what) in [("before", before), ("after", after)] {
            if let Some(what) = what {
                _ = writeln!(text, "        {when}: {what}");
            }
        }
    }
    _ = writeln!(text, "{}", counts(changes));
    text
}

fn markdown(changes: &[Changed]) -> String {
    let mut text = format!("## WebNN conformance, compared\n\n{}\n", counts(changes));
    if !changes.is_empty() {
        _ = writeln!(text, "\n| | vector | implementation | before | after |\n|---|---|---|---|---|");
    }
    let cell = |what: &Option<String>| what.as_deref().unwrap_or_default().replace('|', "\\|");
    for changed in changes {
        let Changed { change, vector, implementation, before, after } = changed;
        let (before, after) = (cell(before), cell(after));
        _ = writeln!(text, "| {} | `{vector}` | {implementation} | {before} | {after} |", change.as_str());
    }
    text
}
