//! `webnn run`

mod recorder;
mod resume;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use webnn_reference::steps::Reading;

use crate::expectations::Expectations;
use crate::failure::Failure;
use crate::implementation::Implementation;
use crate::interrupt;
use crate::outside::transcript::Transcript;
use crate::record::{Header, Record};
use crate::results::{Origin, header};
use crate::roster::Roster;
use crate::run::{Run, Settings};
use crate::selection::Selection;
use recorder::Recorder;
use resume::Kept;

/// The arguments of `webnn run`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Run on this implementation: `reference`, `wgpu`, `wgpu:NAME` for an adapter, `cmd:PROGRAM ARGUMENTS` for a program that
    /// speaks the protocol of harness/PROTOCOL.md, or `browser:PATH FLAGS` for the WebNN of a browser (`NAME=cmd:...` and
    /// `NAME=browser:...` give them names). May be given several times. Without any: on `reference`, and on `wgpu` if there
    /// is an adapter.
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
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    failed_only: Option<Option<PathBuf>>,

    /// Go on with the run of the result file that this one writes to, which was interrupted or ended before its time: what has
    /// results of every implementation there is not run again. It has to be the same run, of the same vectors.
    #[arg(long, conflicts_with_all = ["failed_only", "repeat"])]
    resume: bool,

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

    /// Judge by the derived bound too, and end with exit code 1 also where a result is within the tolerance of its vector but
    /// outside the bound: that is a fault which the tolerance hides.
    #[arg(long)]
    fail_on_bounds: bool,

    /// Give the device up at the vectors at these places of the run: what then becomes of the others is tested so.
    #[arg(long, value_name = "PLACES", value_delimiter = ',', hide = true)]
    lose_device_at: Vec<usize>,

    /// How many unexpected results to show in full; of those with one message the first is shown.
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
            bounds: self.is_judged_by_bounds(),
            lose_device_at: self.lose_device_at.clone(),
        })
    }

    /// The vectors of the part that was asked for, of those that were not as expected if only these were; and the header of a
    /// run of them.
    fn chosen(&self, implementations: &[Implementation]) -> Result<(Roster, Header), Failure> {
        let mut roster = self.selection.roster()?;
        let origin = Origin {
            paths: self.selection.named(),
            // That of the whole, for all parts of it.
            fingerprint: roster.fingerprint(),
            part: self.partition.map(|Partition { part, of }| format!("{part}/{of}")),
            bounds: self.is_judged_by_bounds(),
            filters: self.selection.filter.clone(),
            operators: self.selection.operators.clone(),
            failed_only: self.failed_only.as_ref().map(|path| self.failed_in(path.as_deref()).display().to_string()),
        };
        if let Some(path) = &self.failed_only {
            let path = self.failed_in(path.as_deref());
            let record = Record::read(path)?;
            roster.retain(|id| record.number_of(id).is_some_and(|vector| record.is_unexpected(vector)));
            if roster.is_empty() {
                let path = path.display();
                return Err(Failure::NothingToRun(format!("every selected vector was as expected in {path}")));
            }
        }
        if let Some(Partition { part, of }) = self.partition {
            let mut place = 0..;
            roster.retain(|_| place.next().is_some_and(|place| place % of == part - 1));
            if roster.is_empty() {
                return Err(Failure::NothingToRun(format!("there are fewer vectors than parts: {part}/{of} is empty")));
            }
        }
        let names = implementations.iter().map(ToString::to_string).collect();
        let header = header(&roster, names, &self.text, origin);
        Ok((roster, header))
    }

    fn is_judged_by_bounds(&self) -> bool {
        self.bounds || self.fail_on_bounds
    }

    /// The result file of which only what failed is run: the one that is written, unless another is named.
    fn failed_in<'a>(&'a self, named: Option<&'a Path>) -> &'a Path {
        named.unwrap_or(&self.output)
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

    /// The known failures of each implementation.
    fn expectations(&self, implementations: &[Implementation]) -> Result<Vec<Expectations>, Failure> {
        let folder = self.expectations.as_deref();
        implementations.iter().map(|implementation| Expectations::load(implementation.kind(), folder)).collect()
    }

    /// The arguments with which one vector is looked at as it was run.
    fn again(&self, implementations: &[Implementation]) -> String {
        let mut words = self.selection.named();
        for implementation in implementations.iter().filter(|_| !self.implementations.is_empty()) {
            words.extend(["-i".to_owned(), implementation.as_argument()]);
        }
        words.iter().map(|word| format!(" {}", shell_words::quote(word))).collect()
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
    ensure_names_differ(implementations)?;
    let expectations = arguments.expectations(implementations)?;
    let (mut roster, header) = arguments.chosen(implementations)?;
    let kept = if arguments.resume { Kept::read(&arguments.output, &header)? } else { Kept::default() };
    let mut recorder = Recorder::new(arguments, implementations, expectations, &roster, header, &kept)?;
    roster.retain(|id| !kept.has(id));
    drop(kept);
    let (roster, settings) = (Arc::new(roster), arguments.settings()?);

    let _in_order = interrupt::InOrder::begin();
    let mut ended = Ok(());
    // The first run, and those that are to go as it went.
    for _ in 0..arguments.repeat {
        recorder.begin(&roster);
        if ended.is_ok() && !roster.is_empty() {
            let run = Run::new(&roster, implementations, settings.clone());
            ended = run.run(|progress| recorder.note(progress, &roster));
        }
    }
    recorder.finish(ended, are_asked_for)
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
