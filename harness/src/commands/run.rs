//! `webnn run`

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use webnn_reference::steps::Reading;
use webnn_vectors::{Vector, VectorFile};

use crate::expectations::{Expectations, is_expected, under_the_literal_text};
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::Implementation;
use crate::judge::Outcome;
use crate::outside::transcript::Transcript;
use crate::record::{About, Record};
use crate::results::{Origin, Results};
use crate::run::{Progress, Run, Settings, Verdict};
use crate::selection::{Selection, subject};
use crate::summary::Summary;

/// The arguments of `webnn run`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Run on this implementation: `reference`, `wgpu`, `wgpu:NAME` for an adapter, or `cmd:PROGRAM ARGUMENTS` for a program
    /// that speaks the protocol of harness/PROTOCOL.md (`NAME=cmd:...` gives it a name). May be given several times.
    /// Without any: on `reference`, and on `wgpu` if there is an adapter.
    #[arg(long = "implementation", short, value_name = "NAME")]
    implementations: Vec<Implementation>,

    /// Where the results go, as JSON lines.
    #[arg(long, short, value_name = "FILE", default_value = "results/latest.jsonl")]
    output: PathBuf,

    /// The folder of the known failures, one file for each implementation, instead of those that the program carries.
    #[arg(long, value_name = "FOLDER")]
    expectations: Option<PathBuf>,

    /// How long a vector may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    timeout: f64,

    /// How many threads may work at once; as many as there are processors by default.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Run a part of the vectors only: `2/8` is the second of eight. `webnn merge` makes a whole of the parts.
    #[arg(long, value_name = "K/N")]
    partition: Option<Partition>,

    /// Run only what was not as expected in the result file of a run before: by default, the file that this run writes.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    failed_only: Option<PathBuf>,

    /// Run everything so many times. A vector whose outcome, or whose distance, is not the same every time is a flake, and
    /// unexpected.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,

    /// End at the first unexpected result.
    #[arg(long, short = 'x')]
    fail_fast: bool,

    /// Which reading of the specification is executed where its text is wrong: as meant, or as written.
    #[arg(long, value_name = "READING", default_value = "corrected", value_parser = ["corrected", "literal"])]
    text: String,

    /// Keep the exact conversation with `cmd:` implementations in this file, as JSON lines (see `webnn replay`).
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Judge by the derived bound too: how far an honest implementation may be from the reference on these very inputs.
    #[arg(long)]
    bounds: bool,

    /// Give the device up at the vectors at these places of the run: what then becomes of the others is tested so.
    #[arg(long, value_name = "PLACES", value_delimiter = ',', hide = true)]
    lose_device_at: Vec<usize>,

    /// How many unexpected results to show in full.
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
}

/// A part of the vectors: each `of`th, from `part` on.
#[derive(Clone, Copy, Debug)]
struct Partition {
    part: usize,
    of: usize,
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if 1 <= part && part <= of => Ok(Self { part, of }),
            _ => Err("a part is K/N, such as 2/8, with K from 1 to N".into()),
        }
    }
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds above 0".into()),
    }
}

impl Arguments {
    fn settings(&self) -> Result<Settings, Failure> {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let transcript = self.trace.as_deref().map_or(Ok(Transcript::default()), Transcript::create)?;
        Ok(Settings {
            timeout: Duration::from_secs_f64(self.timeout.min(1e9)),
            jobs: self.jobs.map_or(processors, usize::from),
            reading: if self.text == "literal" { Reading::Literal } else { Reading::Corrected },
            transcript,
            bounds: self.bounds,
            lose_device_at: self.lose_device_at.clone(),
        })
    }

    /// The vectors of the part that was asked for, of those that were not as expected if only these were.
    fn chosen(&self, files: Vec<VectorFile>) -> Result<Vec<Vector>, Failure> {
        let mut vectors: Vec<Vector> = files.into_iter().flat_map(|file| file.vectors).collect();
        if let Some(path) = &self.failed_only {
            let path = if path.as_os_str().is_empty() { &self.output } else { path };
            let record = Record::read(path)?;
            let failed: BTreeSet<&str> = record.unexpected().map(|result| result.vector.as_str()).collect();
            vectors.retain(|vector| failed.contains(vector.id.as_str()));
            if vectors.is_empty() {
                let path = path.display();
                return Err(Failure::NothingToRun(format!("every selected vector was as expected in {path}")));
            }
        }
        if let Some(Partition { part, of }) = self.partition {
            let mut place = 0..;
            vectors.retain(|_| place.next().is_some_and(|place| place % of == part - 1));
            if vectors.is_empty() {
                return Err(Failure::NothingToRun(format!("there are fewer vectors than parts: {part}/{of} is empty")));
            }
        }
        Ok(vectors)
    }

    fn implementations(&self) -> Vec<Implementation> {
        let mut chosen: Vec<Implementation> = Vec::new();
        for implementation in &self.implementations {
            if !chosen.contains(implementation) {
                chosen.push(implementation.clone());
            }
        }
        if chosen.is_empty() { vec![Implementation::Reference, Implementation::Wgpu(None)] } else { chosen }
    }
}

/// Runs vectors.
///
/// # Errors
/// If nothing ran, or what was asked for could not be done.
pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    run_on(arguments, &arguments.implementations(), !arguments.implementations.is_empty())
}

/// Runs vectors on a further implementation, and on those that were asked for.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_with(arguments: &Arguments, further: Implementation) -> Result<u8, Failure> {
    let asked = if arguments.implementations.is_empty() { vec![] } else { arguments.implementations() };
    run_on(arguments, &[asked, vec![further]].concat(), true)
}

fn run_on(arguments: &Arguments, implementations: &[Implementation], are_asked_for: bool) -> Result<u8, Failure> {
    let begun = Instant::now();
    ensure_names_differ(implementations)?;
    let mut expectations = BTreeMap::new();
    for implementation in implementations {
        let kind = implementation.kind();
        expectations.insert(kind, Expectations::load(kind, arguments.expectations.as_deref())?);
    }
    let files = arguments.selection.load()?;
    let sources: BTreeSet<String> = files.iter().map(|file| file.source.clone()).collect();
    let part = arguments.partition.map(|Partition { part, of }| format!("{part}/{of}"));
    let origin = Origin { paths: arguments.selection.named(), sources: sources.into_iter().collect(), part };
    let vectors: Arc<Vec<Vector>> = Arc::new(arguments.chosen(files)?);
    let subjects: Vec<String> = vectors.iter().map(subject).collect();

    let names: Vec<String> = implementations.iter().map(ToString::to_string).collect();
    let mut summary = Summary::new(names.clone());
    subjects.iter().for_each(|subject| summary.vector(subject));
    let mut results = Results::create(&arguments.output, names, vectors.len(), reading_name(arguments), origin)?;
    for vector in vectors.iter() {
        results.vector(&vector.id, &About::of(vector))?;
    }
    let bar = progress_bar(vectors.len() * implementations.len());

    let settings = arguments.settings()?;
    let literal = settings.reading == Reading::Literal;
    let mut outcomes = Outcomes::new();
    let ended = Run::new(&vectors, implementations, settings.clone()).run(|progress| {
        match progress {
            Progress::Started(implementation, description) => {
                results.started(implementation, &description)?;
                summary.started(implementation, description);
            }
            Progress::NotStarted(implementation, reason) => {
                results.not_started(implementation, &reason)?;
                summary.not_started(implementation, reason);
            }
            Progress::Judged(verdict) => {
                let id = &vectors[verdict.vector].id;
                let kind = implementations[verdict.implementation].kind();
                let of_the_text = under_the_literal_text(&vectors[verdict.vector]).filter(|_| literal);
                let known = expectations[kind].of(&vectors[verdict.vector], summary.facts(verdict.implementation));
                let entry = of_the_text.as_ref().or(known);
                let expected = is_expected(&verdict.outcome, entry);
                results.result(id, &verdict, expected)?;
                let reason = entry.map(|entry| format!("{} ({})", entry.reason, entry.link));
                summary.verdict(&subjects[verdict.vector], id, &verdict, expected, reason.as_deref());
                if arguments.repeat > 1 {
                    outcomes.insert((verdict.implementation, verdict.vector), verdict.outcome);
                }
                bar.inc(1);
            }
            Progress::Compared(parting) => {
                let vector = &vectors[parting.vector].id;
                results.difference(vector, &parting)?;
                summary.parting(&subjects[parting.vector], vector, &parting);
            }
        }
        if arguments.fail_fast && summary.unexpected() > 0 { Err(Stop::AtFailure) } else { Ok(()) }
    });

    if ended.is_ok() {
        for again in 2..=arguments.repeat {
            bar.reset();
            bar.set_message(format!("run {again} of {}", arguments.repeat));
            for (implementation, vector, what) in flakes(&vectors, implementations, &settings, &outcomes, &bar)? {
                results.flake(&vectors[vector].id, implementation, &what)?;
                summary.flake(&vectors[vector].id, implementation, &what);
            }
        }
    }
    bar.finish_and_clear();
    let took = begun.elapsed().as_secs_f64();
    let is_cut_short = matches!(ended, Err(Stop::AtFailure));
    let path = match ended {
        Ok(()) => results.finish(summary.unexpected(), took)?,
        Err(Stop::AtFailure) => results.abandon()?,
        Err(Stop::For(failure)) => return Err(failure),
    };
    anstream::println!("{}", summary.table());
    anstream::print!("{}", summary.remarks(arguments.show, &again(arguments, implementations)));
    if is_cut_short {
        anstream::println!("\nended at the first unexpected result (--fail-fast): this is not the whole");
    }
    anstream::println!("\n{} vectors in {took:.2} s; results in {}", vectors.len(), path.display());
    exit_code(are_asked_for, &summary)
}

/// The arguments with which one vector is looked at as it was run.
fn again(arguments: &Arguments, implementations: &[Implementation]) -> String {
    let mut words = arguments.selection.named();
    for implementation in implementations.iter().filter(|_| !arguments.implementations.is_empty()) {
        words.extend(["-i".to_owned(), implementation.as_argument()]);
    }
    words.iter().map(|word| format!(" {}", shell_words::quote(word))).collect()
}

/// Results are told apart by the names of their implementations.
fn ensure_names_differ(implementations: &[Implementation]) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    match implementations.iter().map(ToString::to_string).find(|name| !names.insert(name.clone())) {
        Some(twice) => Err(Failure::Usage(format!(
            "two implementations are called {twice:?}: give one another name, as in `-i other=cmd:...`"
        ))),
        None => Ok(()),
    }
}

/// The outcomes of a first run, by implementation and vector.
type Outcomes = BTreeMap<(usize, usize), Outcome>;

/// Runs everything again, and returns what does not go as it went the first time.
fn flakes(
    vectors: &Arc<Vec<Vector>>,
    implementations: &[Implementation],
    settings: &Settings,
    first: &Outcomes,
    bar: &ProgressBar,
) -> Result<Vec<(usize, usize, String)>, Failure> {
    let mut flakes = Vec::new();
    Run::new(vectors, implementations, settings.clone()).run(|progress| {
        if let Progress::Judged(Verdict { implementation, vector, outcome, .. }) = progress {
            bar.inc(1);
            if let Some(before) = first.get(&(implementation, vector)).filter(|before| **before != outcome) {
                flakes.push((implementation, vector, format!("{before}, and another time {outcome}")));
            }
        }
        Ok::<(), Failure>(())
    })?;
    Ok(flakes)
}

fn reading_name(arguments: &Arguments) -> &'static str {
    if arguments.text == "literal" { "literal" } else { "corrected" }
}

/// Why a run ends before its vectors do.
enum Stop {
    /// `--fail-fast`.
    AtFailure,
    /// Something else failed.
    For(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::For(failure)
    }
}

/// An implementation that was asked for by name has to start; the ones that are tried by default need not.
fn exit_code(are_asked_for: bool, summary: &Summary) -> Result<u8, Failure> {
    if summary.unexpected() > 0 {
        return Ok(UNEXPECTED);
    }
    match summary.first_not_started() {
        Some((name, reason)) if are_asked_for || name == "reference" => {
            Err(Failure::NotStarted(format!("{name} did not start: {reason}")))
        }
        _ if summary.ran() => Ok(AS_EXPECTED),
        _ => Err(Failure::NothingToRun("every vector was skipped; the reasons stand above".into())),
    }
}

fn progress_bar(results: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(results).unwrap_or(u64::MAX));
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} results, {elapsed}, about {eta} left {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
