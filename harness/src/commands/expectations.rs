//! `webnn expectations`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use crate::expectations::Expectations;
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::output;
use crate::record::{Record, Went};
use crate::selection::Selection;
use crate::shown::{name, plural};

/// The arguments of `webnn expectations`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Bring the files of known failures up to date with a run: what passed is taken off, and what failed is added under an
    /// entry whose reason and link are left for you to write; a run refuses a file in which they are missing. A run takes the
    /// files with `--expectations FOLDER`; without, it takes those that the program carries.
    Update(Update),
    /// Find expectations that name no vector: one that was renamed, or misspelt, would be expected for nothing.
    Check(Check),
}

#[derive(Args, Debug)]
struct Check {
    #[command(flatten)]
    selection: Selection,

    /// The folder of the files, one for each implementation, instead of those that the program carries.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct Update {
    /// The result file of a run that has ended.
    #[arg(default_value = "results/latest.jsonl")]
    results: PathBuf,

    /// The folder of the files, one for each implementation.
    #[arg(long, value_name = "FOLDER", default_value = "harness/expectations")]
    folder: PathBuf,
}

/// Carries out a verb on expectations.
///
/// # Errors
/// If the result file is none, or a file of expectations can not be read or written.
pub(crate) fn expectations(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.verb {
        Verb::Update(update) => updated(update),
        Verb::Check(check) => checked(check),
    }
}

fn checked(arguments: &Check) -> Result<u8, Failure> {
    let roster = arguments.selection.roster()?;
    let vectors: BTreeSet<&str> = roster.ids().collect();
    let folder = arguments.folder.as_deref();
    // Without a path, the vectors are those that the program carries.
    let are_carried = arguments.selection.paths.is_empty();
    let (mut all, mut wrong, mut elsewhere) = (0, 0, 0);
    for kind in Expectations::kinds(folder)? {
        let expectations = Expectations::load(&kind, folder)?;
        let mut seen = BTreeSet::new();
        for (id, is_elsewhere) in expectations.listed() {
            if is_elsewhere && are_carried {
                elsewhere += 1;
                continue;
            }
            all += 1;
            let problem = match (vectors.contains(id), seen.insert(id)) {
                (false, _) => "there is no such vector",
                (true, false) => "it is listed twice",
                (true, true) => continue,
            };
            wrong += 1;
            anstream::println!("{kind}: {}: {problem}", name(id));
        }
    }
    anstream::println!("{}, {wrong} to look at; {}", plural(all, "expectation"), plural(vectors.len(), "vector"));
    if elsewhere > 0 {
        anstream::println!(
            "{elsewhere} more are of vectors that the program does not carry; name their folder, and that of its own, to look at \
             them"
        );
    }
    Ok(if wrong > 0 { UNEXPECTED } else { AS_EXPECTED })
}

fn updated(arguments: &Update) -> Result<u8, Failure> {
    let record = Record::read(&arguments.results)?;
    let mut has_written = false;
    for (number, implementation) in record.implementations().iter().enumerate() {
        // `wgpu:NAME` has the expectations of `wgpu`.
        let kind = implementation.split(':').next().unwrap_or(implementation);
        let path = arguments.folder.join(format!("{kind}.toml"));
        let unexpected: Vec<(&str, Went)> = record
            .briefs()
            .filter(|(_, of, brief)| *of == number && !brief.expected)
            .map(|(vector, _, brief)| (record.id(vector), brief.outcome))
            .collect();
        if unexpected.is_empty() {
            anstream::println!("{}: nothing to change", name(implementation));
            continue;
        }
        let (text, removed, added) = with_changes(&path, &unexpected)?;
        output::write(&path, &text)?;
        has_written = true;
        anstream::println!(
            "{}: {removed} taken off and {added} added in {}{}",
            name(implementation),
            path.display(),
            if added > 0 { "; write their reason and link" } else { "" }
        );
    }
    if has_written {
        let folder = arguments.folder.display();
        anstream::println!(
            "a run takes them with `--expectations {folder}`, for all of its implementations; without, it takes those that the \
             program carries"
        );
    }
    Ok(AS_EXPECTED)
}

/// The file with what passed taken off and what failed added; how many there were of each.
fn with_changes(path: &Path, unexpected: &[(&str, Went)]) -> Result<(String, usize, usize), Failure> {
    let wrong = |why: String| Failure::Data(format!("{}: {why}", path.display()));
    let text = if path.exists() {
        std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?
    } else {
        String::new()
    };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| wrong(error.to_string()))?;
    let entries = document.entry("expectation").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let entries =
        entries.as_array_of_tables_mut().ok_or_else(|| wrong("`expectation` is no array of tables".into()))?;

    let changed: BTreeSet<&str> = unexpected.iter().map(|(vector, _)| *vector).collect();
    let removed = take_off(entries, &changed);
    let mut added = 0;
    for (went, outcome) in [(Went::Failed, "failed"), (Went::Errored, "errored")] {
        let of_it: Vec<&str> =
            unexpected.iter().filter(|(_, outcome)| *outcome == went).map(|(vector, _)| *vector).collect();
        if !of_it.is_empty() {
            added += of_it.len();
            entries.push(entry(&of_it, outcome));
        }
    }
    Ok((document.to_string(), removed, added))
}

/// The members of an entry that list vectors.
const LISTS: [&str; 2] = ["vectors", "elsewhere"];

/// Takes vectors off all entries, and entries off that have none left.
fn take_off(entries: &mut ArrayOfTables, vectors: &BTreeSet<&str>) -> usize {
    let mut removed = 0;
    for entry in entries.iter_mut() {
        for member in LISTS {
            if let Some(listed) = entry.get_mut(member).and_then(Item::as_array_mut) {
                let before = listed.len();
                listed.retain(|vector| !vector.as_str().is_some_and(|vector| vectors.contains(vector)));
                removed += before - listed.len();
            }
        }
    }
    entries.retain(|entry| {
        let mut lists = LISTS.iter().filter_map(|member| entry.get(member)?.as_array()).peekable();
        lists.peek().is_none() || lists.any(|listed| !listed.is_empty())
    });
    removed
}

fn entry(vectors: &[&str], outcome: &str) -> Table {
    let mut listed = Array::new();
    for vector in vectors {
        listed.push_formatted(toml_edit::Value::from(*vector).decorated("\n    ", ""));
    }
    listed.set_trailing_comma(true);
    listed.set_trailing("\n");
    let mut table = Table::new();
    table.insert("vectors", value(listed));
    table.insert("outcome", value(outcome));
    table.insert("reason", value(""));
    table.insert("link", value(""));
    table
}
