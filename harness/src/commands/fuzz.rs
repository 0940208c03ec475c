//! `webnn fuzz`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::steps::Reading;

use crate::execute::Executor;
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::fuzz::campaign::{BUILDER, Campaign, Candidate, Finding, Progress, observing};
use crate::fuzz::file;
use crate::fuzz::generator::Generator;
use crate::fuzz::subject::{Support, Traits};
use crate::implementation::{Implementation, Start};
use crate::listing::tried::{FuzzFinding, SkippedGraphs};
use crate::listing::{Format, Listing};
use crate::outside::messages::Ready;
use crate::shown::{self, inert, plural};

/// How many reasons for which graphs were skipped are shown.
const REASONS: usize = 10;

/// The arguments of `webnn fuzz`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Which graphs: the same seed gives the same graphs, on every platform.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The number of the first graph.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// How many graphs.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    graphs: u64,

    /// Use no other operators than these, such as `add,conv2d`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    operators: Vec<String>,

    /// Use no other data types than these, such as `float32,int32`. Operators and data types that an implementation says
    /// not to support are left out by themselves.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    data_types: Vec<String>,

    /// The most operators that a graph has.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=1000))]
    max_operators: u16,

    /// Compare this implementation with the interpreter, named as for `webnn run`. May be given several times. What the
    /// specification leaves open is compared too.
    #[arg(long = "implementation", short, value_name = "NAME", default_value = "wgpu")]
    implementations: Vec<Implementation>,

    /// The folder for the graphs on which an implementation differs, as vectors.
    #[arg(long, short, value_name = "FOLDER", default_value = "results/fuzz")]
    output: PathBuf,

    /// Begin no more graphs after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::run::seconds)]
    time: Option<f64>,

    /// How long a graph may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = super::run::seconds)]
    timeout: f64,

    /// End after so many differences.
    #[arg(long, value_name = "N", default_value_t = 20)]
    differences: usize,

    /// Show how often each operator was drawn, with which data types and options.
    #[arg(long)]
    statistics: bool,

    #[command(flatten)]
    format: Format,
}

/// Draws graphs and compares implementations on them.
///
/// # Errors
/// If an implementation does not start, or a vector can not be written.
pub(crate) fn fuzz(arguments: &Arguments) -> Result<u8, Failure> {
    let begun = Instant::now();
    let timeout = Duration::from_secs_f64(arguments.timeout.min(1e9));
    let candidates = arguments.implementations.iter().map(|implementation| candidate(implementation, timeout));
    let mut campaign = Campaign::start(generator(arguments)?, candidates.collect(), timeout)?;
    if !arguments.format.is_json() {
        anstream::print!("{}", drawn(arguments, &campaign.generator));
    }

    let restriction = restriction(&campaign.generator);
    let bar = progress_bar(arguments.graphs);
    let mut findings: Vec<Finding> = Vec::new();
    let end = arguments.first.saturating_add(arguments.graphs);
    let mut next = arguments.first;
    let is_time_over = || arguments.time.is_some_and(|time| begun.elapsed().as_secs_f64() > time);
    while next < end && findings.len() < arguments.differences && !campaign.is_given_up() && !is_time_over() {
        let mut written = Ok(());
        next = campaign.batch(next, end, &mut |progress| match progress {
            Progress::Done(graphs) => bar.inc(graphs),
            Progress::Found(finding) => {
                if written.is_ok() {
                    written = write(&arguments.output, &finding);
                }
                if !arguments.format.is_json() {
                    bar.suspend(|| anstream::println!("{}", inert(&text(arguments, &restriction, &finding))));
                }
                findings.push(*finding);
            }
        });
        written?;
    }
    bar.finish_and_clear();

    let (took, graphs) = (begun.elapsed().as_secs_f64(), next - arguments.first);
    if arguments.format.is_json() {
        listing(arguments, &campaign, &findings, graphs, took).print()?;
    } else {
        show(arguments, &campaign, &findings, graphs, took);
    }
    if campaign.is_given_up() {
        return Err(Failure::NotStarted("ended early: an implementation hung too often".into()));
    }
    if campaign.compared == 0 {
        return Err(Failure::NothingToRun("nothing was compared: every graph was skipped".into()));
    }
    Ok(if findings.is_empty() { AS_EXPECTED } else { UNEXPECTED })
}

/// What was drawn and found, for people.
fn show(arguments: &Arguments, campaign: &Campaign, findings: &[Finding], graphs: u64, took: f64) {
    if arguments.statistics {
        anstream::print!("{}", campaign.statistics.table());
    }
    anstream::print!("{}", inert(&summary(findings)));
    anstream::println!("{}", campaign.statistics.line());
    anstream::println!(
        "{} comparisons, of whole graphs and of single operators; {} undecided, inside a bound that spans a jump",
        campaign.compared,
        campaign.undecided
    );
    anstream::print!("{}", skipped(&campaign.skipped));
    anstream::println!("{} in {took:.1} s, {:.0} a second", plural(graphs, "graph"), graphs as f64 / took);
}

/// The same, for programs.
fn listing(
    arguments: &Arguments,
    campaign: &Campaign,
    findings: &[Finding],
    graphs: u64,
    seconds: f64,
) -> Listing<'static> {
    let finding = |finding: &Finding| FuzzFinding {
        graph: finding.number,
        implementation: finding.implementation.clone(),
        difference: finding.difference.to_string(),
        vector: finding.vector.name.clone(),
        file: file_of(&arguments.output, finding).display().to_string(),
        operators: kinds(finding).into_iter().map(str::to_owned).collect(),
        operators_before: finding.operators,
        tried: finding.tried,
    };
    Listing::RandomGraphs {
        seed: arguments.seed,
        first: arguments.first,
        graphs,
        compared: campaign.compared,
        undecided: campaign.undecided,
        skipped: campaign.skipped.values().sum(),
        skipped_for: campaign.skipped.iter().map(skipped_graphs).collect(),
        given_up: campaign.is_given_up(),
        seconds,
        findings: findings.iter().map(finding).collect(),
        operators: campaign.statistics.listed(),
    }
}

fn skipped_graphs(((implementation, reason), graphs): (&(String, String), &usize)) -> SkippedGraphs {
    SkippedGraphs { implementation: implementation.clone(), reason: reason.clone(), graphs: *graphs }
}

/// What graphs are drawn of, as far as the command line says.
fn generator(arguments: &Arguments) -> Result<Generator, Failure> {
    let unknown = |name| Failure::Usage(format!("{name} is no operator; `webnn list operators` shows all"));
    let generator = Generator::new(arguments.seed, &arguments.operators, usize::from(arguments.max_operators));
    let generator = generator.map_err(unknown)?;
    let names = MLOperandDataType::ALL.map(MLOperandDataType::as_str);
    if let Some(unknown) = arguments.data_types.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(Failure::Usage(format!("{unknown} is no data type; there are {}", names.join(", "))));
    }
    let data_types = (!arguments.data_types.is_empty()).then(|| arguments.data_types.clone());
    Ok(generator.within(&Support { operators: None, data_types }))
}

/// What an implementation outside says that it supports.
fn support(executor: &Executor) -> Support {
    match executor {
        Executor::Outside(outside) => {
            let outside = outside.borrow();
            let Ready { operators, data_types, .. } = outside.ready().clone();
            Support { operators, data_types }
        }
        Executor::Model(_) => Support::default(),
    }
}

/// Which operators and data types graphs are drawn of, if not of all that the command line allows.
fn drawn(arguments: &Arguments, generator: &Generator) -> String {
    let (operators, data_types) = (generator.operators(), generator.data_types());
    let are_as_named =
        |names: &Option<Vec<&str>>, named: &[String]| names.as_ref().is_none_or(|names| names.len() == named.len());
    if are_as_named(&operators, &arguments.operators) && are_as_named(&data_types, &arguments.data_types) {
        return String::new();
    }
    let operators = match operators {
        Some(operators) if operators.len() > 8 => format!("{} operators", operators.len()),
        Some(operators) => operators.join(", "),
        None => "all operators".into(),
    };
    let data_types = data_types.map_or("all data types".into(), |data_types| data_types.join(", "));
    format!("drawn of what can be used everywhere: {operators}, of {data_types}\n")
}

/// The options that draw of the same operators and data types on any implementation.
fn restriction(generator: &Generator) -> String {
    let option = |name: &str, values: Option<Vec<&str>>| {
        values.map(|values| format!(" --{name} {}", values.join(","))).unwrap_or_default()
    };
    option("operators", generator.operators()) + &option("data-types", generator.data_types())
}

/// How many graphs implementations did not run, and why.
fn skipped(skipped: &BTreeMap<(String, String), usize>) -> String {
    let mut by_name: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for ((name, reason), count) in skipped {
        by_name.entry(name).or_default().push((*count, reason));
    }
    let mut text = String::new();
    for (name, mut reasons) in by_name {
        reasons.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let all: usize = reasons.iter().map(|(count, _)| count).sum();
        _ = writeln!(text, "{all} graphs were skipped by {name}, and not compared:");
        for (count, reason) in reasons.iter().take(REASONS) {
            _ = writeln!(text, "  {count}: {}", inert(reason));
        }
        if let Some(more) = reasons.len().checked_sub(REASONS).filter(|more| *more > 0) {
            _ = writeln!(text, "  and for {more} more reasons");
        }
    }
    text
}

fn candidate(implementation: &Implementation, timeout: Duration) -> Candidate {
    let (name, patience) = (implementation.to_string(), implementation.patience(timeout));
    let implementation = implementation.clone();
    let start = move || {
        let start = Start { timeout, ..Start::new(Reading::Corrected) };
        let (executor, description) = implementation.start(&start)?;
        let support = support(&executor);
        Ok((executor, Traits { facts: description.facts, support }))
    };
    Candidate { name, start: observing(start), patience }
}

fn progress_bar(graphs: u64) -> ProgressBar {
    let bar = ProgressBar::new(graphs);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} graphs, {elapsed}, about {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The file of a finding, named after the graph and the implementation.
fn file_of(folder: &Path, finding: &Finding) -> PathBuf {
    let name = format!("{} {}", finding.vector.name, finding.implementation);
    let letters = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    folder.join(letters.collect::<String>()).with_extension("json")
}

fn write(folder: &Path, finding: &Finding) -> Result<(), Failure> {
    let path = file_of(folder, finding);
    let written = file::text(&finding.vector).and_then(|text| {
        std::fs::create_dir_all(folder)?;
        std::fs::write(&path, text)
    });
    written.map_err(|error| Failure::Output(format!("{} can not be written: {error}", path.display())))
}

/// A finding, for people.
fn text(arguments: &Arguments, restriction: &str, finding: &Finding) -> String {
    let Finding { number, implementation, operators, vector, difference, tried } = finding;
    let file = file_of(&arguments.output, finding);
    let mut text = format!("{}: {implementation} differs on {}\n", vector.name, kinds(finding).join(", "));
    _ = writeln!(text, "    {difference}");
    let left = vector.graph().map_or(0, |graph| graph.operators.len());
    _ = writeln!(
        text,
        "    shrunk from {} to {left} by trying {}",
        plural(*operators, "operator"),
        plural(*tried, "graph")
    );
    // The interpreter and its builder are what everything is compared with in any case.
    let is_other = implementation != "reference" && implementation != BUILDER;
    let named = arguments.implementations.iter().find(|named| named.to_string() == *implementation);
    let argument = named.map_or_else(|| implementation.clone(), Implementation::as_argument);
    let other = if is_other { format!(" -i {}", shell_words::quote(&argument)) } else { String::new() };
    _ = writeln!(text, "    webnn explain {} {} -i reference{other}", shown::argument(&vector.name), file.display());
    let mut options = format!("--seed {} --first {number} --graphs 1{restriction}", arguments.seed);
    if arguments.max_operators != 30 {
        _ = write!(options, " --max-operators {}", arguments.max_operators);
    }
    _ = write!(text, "    webnn fuzz {options}{}", if is_other { &other } else { " -i reference" });
    text
}

/// The operators of the shrunk graph.
fn kinds(finding: &Finding) -> Vec<&str> {
    let operators = finding.vector.graph().map(|graph| graph.operators.as_slice()).unwrap_or_default();
    operators.iter().map(|operator| operator.name.as_str()).collect()
}

/// How many findings there are of each kind.
fn summary(findings: &[Finding]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry(format!("{} on {}", finding.implementation, kinds(finding).join(", "))).or_default() += 1;
    }
    let mut text = String::new();
    for (kind, count) in counts {
        _ = writeln!(text, "{count} x {kind}");
    }
    text
}
