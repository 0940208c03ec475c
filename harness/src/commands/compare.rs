//! `webnn compare`

mod slower;

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::listing::{Change, Changed, Listing, Slowed};
use crate::markdown;
use crate::output;
use crate::record::{Brief, Record, VectorNumber, Went};
use crate::report::scope::Restriction;
use crate::shown::{inert, name, plural};

/// The arguments of `webnn compare`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The result file of the run before.
    base: PathBuf,

    /// The result file of the run after.
    new: PathBuf,

    /// Compare this implementation of the run before with that one of the run after, such as `wgpu=wgpu:llvmpipe`. May be given
    /// several times.
    #[arg(long = "as", value_name = "BASE=NEW")]
    renamed: Vec<String>,

    /// The form of the comparison.
    #[arg(long, short = 'F', value_enum, default_value = "text")]
    format: Format,

    /// Call an operator slower if most of its vectors took more than this many times as long, beyond what the other operators
    /// took longer on that implementation, and at least 20 ms longer. Of a vector alone, or of two, it is not said: what is
    /// started or compiled first takes long in any run.
    #[arg(long, value_name = "TIMES", default_value_t = 2.0)]
    slower: f32,
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
    let (mut base, new) = (Record::read(&arguments.base)?, Record::read(&arguments.new)?);
    rename(&mut base, &new, &arguments.renamed)?;
    ensure_something_is_compared(&base, &new)?;
    for (record, path) in [(&base, &arguments.base), (&new, &arguments.new)] {
        if let Some(sentence) = Restriction::sentence(record) {
            anstream::eprintln!("webnn: {}: {}", path.display(), inert(&sentence));
        }
    }
    let changes = Changes::between(&base, &new, arguments.slower);
    match arguments.format {
        Format::Text => output::print_pieces(|out| write_text(&changes, out))?,
        Format::Markdown => output::print_pieces(|out| write_markdown(&changes, out))?,
        Format::Json => Listing::Comparison { changes: &changes, slower: &changes.slower }.print()?,
    }
    if let Some(remark) = in_one_only(&base, &new) {
        anstream::eprintln!("webnn: {}", inert(&remark));
    }
    let is_bad = changes.all.iter().any(|found| {
        let is_new_and_failed = found.after.is_some_and(|brief| found.change == Change::New && !is_good(&brief));
        // What is gone may have failed as well as not.
        matches!(found.change, Change::Broken | Change::Gone) || is_new_and_failed
    });
    Ok(if is_bad { UNEXPECTED } else { AS_EXPECTED })
}

/// Calls implementations of the run before as they are called in the run after.
fn rename(base: &mut Record, new: &Record, renamed: &[String]) -> Result<(), Failure> {
    for pair in renamed {
        let there_is_no = |name: &str, all: &[String]| {
            Failure::Usage(format!("--as {pair}: there is no implementation {name}, only {}", all.join(", ")))
        };
        let (from, to) = pair
            .split_once('=')
            .ok_or_else(|| Failure::Usage(format!("--as {pair}: it is BASE=NEW, such as `wgpu=wgpu:llvmpipe`")))?;
        if !new.implementations().iter().any(|name| name == to) {
            return Err(there_is_no(to, new.implementations()));
        }
        if base.implementations().iter().any(|name| name == to) {
            return Err(Failure::Usage(format!("--as {pair}: the run before has an implementation {to} too")));
        }
        if !base.rename(from, to) {
            return Err(there_is_no(from, base.implementations()));
        }
    }
    Ok(())
}

/// Runs of other implementations have nothing that could be fixed or broken.
fn ensure_something_is_compared(base: &Record, new: &Record) -> Result<(), Failure> {
    let (before, after) = (base.implementations(), new.implementations());
    if before.iter().any(|name| after.contains(name)) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "the runs have no implementation in common: {} before, and {} after; `--as BASE=NEW` compares one with another",
        before.join(", "),
        after.join(", ")
    )))
}

/// Which implementations are in one of the runs only, so that all of their results are gone, or new.
fn in_one_only(base: &Record, new: &Record) -> Option<String> {
    let without = |record: &Record, other: &Record| {
        let names = record.implementations().iter().filter(|name| !other.implementations().contains(name));
        names.cloned().collect::<Vec<_>>().join(", ")
    };
    match (without(base, new), without(new, base)) {
        (before, after) if before.is_empty() && after.is_empty() => None,
        (before, after) if after.is_empty() => Some(format!("only the run before is on {before}")),
        (before, after) if before.is_empty() => Some(format!("only the run after is on {after}")),
        (before, after) => Some(format!(
            "only the run before is on {before}, and only the one after on {after}; `--as BASE=NEW` compares one with another"
        )),
    }
}

/// What changed between two runs. What is said of each is read when it is told.
pub(crate) struct Changes<'a> {
    base: &'a Record,
    new: &'a Record,
    /// The worst first, then in the order of vectors and implementations.
    all: Vec<Found<'a>>,
    /// By implementations and operators.
    slower: Vec<Slowed>,
}

/// A result that changed.
#[derive(Clone, Copy, Debug)]
struct Found<'a> {
    change: Change,
    vector: &'a str,
    implementation: &'a str,
    before: Option<Brief>,
    after: Option<Brief>,
}

impl fmt::Debug for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.all.fmt(f)
    }
}

impl Serialize for Changes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut changes = serializer.serialize_seq(Some(self.all.len()))?;
        for changed in self.told() {
            changes.serialize_element(&changed.map_err(S::Error::custom)?)?;
        }
        changes.end()
    }
}

impl<'a> Changes<'a> {
    fn between(base: &'a Record, new: &'a Record, times: f32) -> Self {
        let names: BTreeSet<&str> =
            base.implementations().iter().chain(new.implementations()).map(String::as_str).collect();
        let place = |record: &Record, name: &str| record.implementations().iter().position(|one| one == name);
        let names = names.into_iter().map(|name| Compared { name, before: place(base, name), after: place(new, name) });
        let names: Vec<Compared<'_>> = names.collect();
        let mut all = Vec::new();
        for (vector, before, after) in both(base, new) {
            for Compared { name, before: place_before, after: place_after } in &names {
                let before = before.zip(*place_before).and_then(|(vector, place)| base.brief(vector, place));
                let after = after.zip(*place_after).and_then(|(vector, place)| new.brief(vector, place));
                if let Some(change) = change(before, after) {
                    let (before, after) = (before.copied(), after.copied());
                    all.push(Found { change, vector, implementation: name, before, after });
                }
            }
        }
        all.sort_by_key(|found| found.change);
        let slower = names.iter().flat_map(|compared| slower::slowed(base, new, compared, times)).collect();
        Self { base, new, all, slower }
    }

    /// The changes, in words.
    fn told(&self) -> impl Iterator<Item = Result<Changed, Failure>> {
        let told = |record: &Record, brief: Option<Brief>| {
            let Some(brief) = brief else {
                return Ok(None);
            };
            let result = record.result(&brief)?;
            Ok(Some(match result.message() {
                "" => result.outcome.as_str().to_owned(),
                message => format!("{}: {}", result.outcome.as_str(), message.lines().next().unwrap_or_default()),
            }))
        };
        self.all.iter().map(move |Found { change, vector, implementation, before, after }| {
            Ok(Changed {
                change: *change,
                vector: (*vector).to_owned(),
                implementation: (*implementation).to_owned(),
                before: told(self.base, *before)?,
                after: told(self.new, *after)?,
            })
        })
    }

    fn counts(&self) -> String {
        let count = |change: Change| self.all.iter().filter(|found| found.change == change).count();
        let counts = Change::ALL.map(|change| format!("{} {}", count(change), change.as_str()));
        format!("{}, {} slower", counts.join(", "), self.slower.len())
    }
}

/// An implementation of two runs.
struct Compared<'a> {
    name: &'a str,
    /// Its place in the run before.
    before: Option<usize>,
    /// Its place in the run after.
    after: Option<usize>,
}

/// The vectors of two runs in the order of their ids, with their numbers in each.
fn both<'a>(
    base: &'a Record,
    new: &'a Record,
) -> impl Iterator<Item = (&'a str, Option<VectorNumber>, Option<VectorNumber>)> {
    let (mut before, mut after) = (base.vectors().peekable(), new.vectors().peekable());
    std::iter::from_fn(move || {
        let ids = [before.peek().map(|vector| base.id(*vector)), after.peek().map(|vector| new.id(*vector))];
        let id = ids.into_iter().flatten().min()?;
        Some((id, before.next_if(|vector| base.id(*vector) == id), after.next_if(|vector| new.id(*vector) == id)))
    })
}

fn is_good(brief: &Brief) -> bool {
    brief.outcome == Went::Passed
}

fn change(before: Option<&Brief>, after: Option<&Brief>) -> Option<Change> {
    let (before, after) = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => return Some(Change::New),
        (Some(_), None) => return Some(Change::Gone),
        (Some(before), Some(after)) => (before, after),
    };
    match (is_good(before), is_good(after)) {
        (true, false) => Some(Change::Broken),
        (false, true) => Some(Change::Fixed),
        (false, false) if before.outcome != after.outcome => Some(Change::Other),
        _ => None,
    }
}

impl Slowed {
    /// How many of the vectors are slower.
    fn how_many(&self) -> String {
        format!("{} of {}", self.slower, plural(self.vectors, "vector"))
    }

    /// How long the vectors took before, and how long they take now.
    fn times(&self) -> [String; 2] {
        [self.before, self.after].map(|seconds| format!("{:.1} ms", seconds * 1e3))
    }
}

fn write_text(changes: &Changes<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut write = |text: &str| out.write_all(inert(text).as_bytes()).map_err(output::failed);
    for changed in changes.told() {
        let Changed { change, vector, implementation, before, after } = changed?;
        write(&format!("{:<7} {} ({})\n", change.as_str(), name(&vector), name(&implementation)))?;
        for (when, what) in [("before", before), ("after", after)] {
            if let Some(what) = what {
                write(&format!("        {when}: {what}\n"))?;
            }
        }
    }
    for slowed in &changes.slower {
        let (subject, [before, after]) = (slowed.subject.as_deref().unwrap_or("everything"), slowed.times());
        let (subject, implementation, count) = (name(subject), name(&slowed.implementation), slowed.how_many());
        write(&format!("slower  {subject} ({implementation}): {count}\n"))?;
        write(&format!("        before: {before}, the median of all\n        after: {after}\n"))?;
    }
    write(&format!("{}\n", changes.counts()))
}

fn write_markdown(changes: &Changes<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut write = |text: &str| out.write_all(text.as_bytes()).map_err(output::failed);
    write(&format!("## WebNN conformance, compared\n\n{}\n", changes.counts()))?;
    if !(changes.all.is_empty() && changes.slower.is_empty()) {
        write("\n| | vector | implementation | before | after |\n|---|---|---|---|---|\n")?;
    }
    for changed in changes.told() {
        let Changed { change, vector, implementation, before, after } = changed?;
        let [before, after] = [before, after].map(|what| markdown::text(&what.unwrap_or_default()));
        let (vector, implementation) = (markdown::code(&vector), markdown::text(&implementation));
        write(&format!("| {} | {vector} | {implementation} | {before} | {after} |\n", change.as_str()))?;
    }
    for slowed in &changes.slower {
        let subject = slowed.subject.as_deref().map_or_else(|| "everything".to_owned(), markdown::code);
        let (implementation, count) = (markdown::text(&slowed.implementation), slowed.how_many());
        let [before, after] = slowed.times();
        write(&format!("| slower | {subject}, {count} | {implementation} | {before} | {after} |\n"))?;
    }
    Ok(())
}
