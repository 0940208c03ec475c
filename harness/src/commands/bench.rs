//! `webnn bench`

mod cache;
mod memory;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use webnn_reference::steps::Reading;

use crate::failure::{AS_EXPECTED, Failure};
use crate::implementation::Implementation;
use crate::listing::measured::{TimedImplementation, Times};
use crate::listing::{Format, Listing};
use crate::outside::transcript::Transcript;
use crate::roster::Roster;
use crate::run::{Progress, Run, Settings};
use crate::selection::Selection;
use crate::shown::plural;

/// The arguments of `webnn bench`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    subject: Option<Subject>,

    #[command(flatten)]
    selection: Selection,

    /// Measure this implementation; `reference` by default. May be given several times: one after the other.
    #[arg(long = "implementation", short, value_name = "NAME")]
    implementations: Vec<Implementation>,

    /// How many times everything is run.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,

    /// How many threads may work at once; as many as there are processors by default.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    #[command(flatten)]
    format: Format,
}

/// What else can be measured.
#[derive(Debug, Subcommand)]
enum Subject {
    /// Measure how long well-known networks take to be built, saved and loaded (the proposal of a graph cache).
    Cache(cache::Arguments),
    /// Measure what models cost in memory, and in the time to move them.
    Memory(memory::Arguments),
    /// Measure one row in this process: what `webnn bench memory` starts.
    #[command(hide = true)]
    MemoryOf(memory::OneOf),
}

/// Measures how long loading and running vectors takes, or what else was asked for.
///
/// # Errors
/// If what is measured can not be had, or an implementation does not start.
pub(crate) fn bench(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.subject {
        None => vectors(arguments),
        Some(Subject::Cache(arguments)) => cache::bench(arguments),
        Some(Subject::Memory(arguments)) => memory::memory(arguments),
        Some(Subject::MemoryOf(arguments)) => memory::one(arguments),
    }
}

fn vectors(arguments: &Arguments) -> Result<u8, Failure> {
    let by_default = [Implementation::Reference];
    let chosen = if arguments.implementations.is_empty() { &by_default[..] } else { &arguments.implementations };
    let mut loading = Vec::new();
    let mut vectors = Roster::default();
    for _ in 0..arguments.repeat {
        let begun = Instant::now();
        vectors = arguments.selection.roster()?;
        loading.push(begun.elapsed());
    }
    let (vectors, loading) = (Arc::new(vectors), Times::of(loading));
    let is_json = arguments.format.is_json();
    if !is_json {
        anstream::println!("{}, {}", plural(vectors.len(), "vector"), plural(arguments.repeat, "run"));
        anstream::println!("{:<24} {}", "loading", in_milliseconds(loading));
    }
    let mut implementations = Vec::new();
    for implementation in chosen {
        let mut running = Vec::new();
        for _ in 0..arguments.repeat {
            running.push(measure(&vectors, implementation, arguments.jobs)?);
        }
        let (implementation, running) = (implementation.to_string(), Times::of(running));
        if !is_json {
            anstream::println!("{implementation:<24} {}", in_milliseconds(running));
        }
        implementations.push(TimedImplementation { implementation, running });
    }
    if is_json {
        let (vectors, runs) = (vectors.len(), arguments.repeat);
        Listing::Benchmark { vectors, runs, loading, implementations }.print()?;
    }
    Ok(AS_EXPECTED)
}

/// The time from starting the implementation to judging the last vector.
fn measure(vectors: &Arc<Roster>, implementation: &Implementation, jobs: Option<u16>) -> Result<Duration, Failure> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let settings = Settings {
        timeout: Duration::from_secs(600),
        jobs: jobs.map_or(processors, usize::from),
        reading: Reading::Corrected,
        transcript: Transcript::default(),
        bounds: false,
        lose_device_at: Vec::new(),
    };
    let begun = Instant::now();
    Run::new(vectors, std::slice::from_ref(implementation), settings).run(|progress| match progress {
        Progress::NotStarted(_, reason) => {
            Err(Failure::NotStarted(format!("{implementation} did not start: {reason}")))
        }
        Progress::Started(..) | Progress::Judged(_) | Progress::Compared(_) | Progress::Waiting(..) => Ok(()),
    })?;
    Ok(begun.elapsed())
}

fn in_milliseconds(times: Times) -> String {
    let [median, least, most] = [times.median, times.least, times.most].map(|seconds| seconds * 1e3);
    format!("median {median:9.2} ms   (from {least:.2} to {most:.2})")
}
