//! `webnn wpt`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use webnn_reference::cpu::Cpu;
use webnn_reference::steps::Reading;
use webnn_wpt::folder::{self, Resources, Test};
use webnn_wpt::host::{Host, Limits};
use webnn_wpt::import;

use super::decompositions::{self, on_a_deep_stack};
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::Implementation;
use crate::shown::{inert, plural};
use crate::wpt::expectations::Expectations;
use crate::wpt::report::Report;
use crate::wpt::summary::Summary;
use crate::wpt::{self, Settings};

/// The arguments of `webnn wpt`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run the tests of a checkout of web-platform-tests, as they are.
    Run(RunArguments),
    /// Write the conformance tests of a checkout of web-platform-tests as vectors, with the tolerances of their own code.
    Import(ImportArguments),
}

#[derive(Args, Debug)]
struct ImportArguments {
    /// The checkout: the folder that has `resources/testharness.js` and the folder `webnn`.
    path: PathBuf,

    /// The folder that the vectors go to, a file for each file of tests.
    output: PathBuf,

    /// Take only files whose path contains one of these.
    filter: Vec<String>,
}

#[derive(Args, Debug)]
struct RunArguments {
    /// The checkout: the folder that has `resources/testharness.js` and the folder `webnn`.
    path: PathBuf,

    /// Run only tests whose name contains one of these, such as `conformance_tests/abs` or `?cpu`.
    filter: Vec<String>,

    /// Run on this implementation: `reference`, `wgpu`, or `wgpu:NAME` for an adapter. May be given several times; on
    /// `reference` without any.
    #[arg(long = "implementation", short, value_name = "NAME")]
    implementations: Vec<Implementation>,

    /// List the tests and run none.
    #[arg(long)]
    list: bool,

    /// The specification's source (index.bs): its IDL then stands where the checkout has an older one.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// Give script what the proposals add to the interfaces (docs/proposals.md), but for WebGPU's part.
    #[arg(long)]
    proposals: bool,

    /// Where the report goes, in the form of wpt.fyi: one file for each implementation, whose name is added.
    #[arg(long, short, value_name = "FILE", default_value = "results/wptreport.json")]
    output: PathBuf,

    /// The folder of the known failures, one file for each implementation, instead of those that the program carries.
    #[arg(long, value_name = "FOLDER")]
    expectations: Option<PathBuf>,

    /// How many threads may work at once; as many as there are processors by default.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Multiply the time that tests have, 10 seconds or 60, with this.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = factor)]
    timeout_multiplier: f64,

    /// How much memory the script of a test may use, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u16).range(16..))]
    memory: u16,

    /// Which reading of the specification is executed where its text is wrong: as meant, or as written.
    #[arg(long, value_name = "READING", default_value = "corrected", value_parser = ["corrected", "literal"])]
    text: String,

    /// How many unexpected results to show.
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
}

/// Where tests find the Web IDL of WebNN.
const IDL: &str = "/interfaces/webnn.idl";

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor > 0.0 && factor <= 1e6 => Ok(factor),
        _ => Err("a number above 0".into()),
    }
}

/// Carries out `webnn wpt`.
///
/// # Errors
/// If nothing ran, or what was asked for could not be done.
pub(crate) fn wpt(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.verb {
        Verb::Run(arguments) => run(arguments),
        Verb::Import(arguments) => on_a_deep_stack(|| import(arguments))?,
    }
}

/// Writes the conformance tests of a checkout as vectors.
fn import(arguments: &ImportArguments) -> Result<u8, Failure> {
    let mut files = tests(&arguments.path, &[])?;
    // One variant and scope of each file: they have the same data.
    files.retain(|test| test.file.starts_with("webnn/conformance_tests") && test.needs.is_none());
    files.dedup_by(|a, b| a.file == b.file);
    let name = |test: &Test| test.file.display().to_string();
    files.retain(|test| arguments.filter.is_empty() || arguments.filter.iter().any(|text| name(test).contains(text)));
    let resources = Resources::new(&arguments.path, vec![]);
    let host = Host::new(Rc::new(Cpu), Reading::Corrected, resources, Limits::default());
    let failed = |path: &Path, error: std::io::Error| Failure::Output(format!("{}: {error}", path.display()));
    std::fs::create_dir_all(&arguments.output).map_err(|error| failed(&arguments.output, error))?;
    let mut count = 0;
    for test in &files {
        let vectors = import::tests(&host, test).map_err(|error| Failure::Data(error.to_string()))?;
        if vectors.is_empty() {
            anstream::println!("{}: no test of it is data", inert(&name(test)));
            continue;
        }
        let stem = test.file.file_name().unwrap_or_default().to_string_lossy();
        let path = arguments.output.join(format!("{}.json", stem.split('.').next().unwrap_or_default()));
        std::fs::write(&path, import::file(test, &vectors)).map_err(|error| failed(&path, error))?;
        count += vectors.len();
    }
    if count == 0 {
        return Err(Failure::NothingToRun("no file has tests that are data".into()));
    }
    anstream::println!("{} in {}", plural(count, "vector"), arguments.output.display());
    Ok(AS_EXPECTED)
}

/// The tests of a checkout whose name contains one of some texts.
fn tests(path: &Path, filter: &[String]) -> Result<Vec<Test>, Failure> {
    if !path.join("resources/testharness.js").exists() {
        let path = path.display();
        return Err(Failure::Data(format!(
            "{path} is no checkout of web-platform-tests: it has no resources/testharness.js"
        )));
    }
    let mut tests = folder::tests(path, "webnn").map_err(|error| Failure::Data(error.to_string()))?;
    tests.retain(|test| filter.is_empty() || filter.iter().any(|text| test.name.contains(text)));
    if tests.is_empty() {
        return Err(Failure::NothingToRun(
            "no test is selected; `webnn wpt run PATH --list` shows what there is".into(),
        ));
    }
    Ok(tests)
}

impl RunArguments {
    fn settings(&self) -> Result<Settings, Failure> {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut replaced = Vec::new();
        if let Some(path) = &self.spec {
            replaced.push((IDL.to_owned(), decompositions::read(path)?.web_idl()));
        }
        Ok(Settings {
            root: self.path.clone(),
            replaced,
            reading: if self.is_literal() { Reading::Literal } else { Reading::Corrected },
            jobs: self.jobs.map_or(processors, usize::from),
            limits: Limits { memory: usize::from(self.memory) << 20, timeout_multiplier: self.timeout_multiplier },
            has_proposals: self.proposals,
        })
    }

    fn is_literal(&self) -> bool {
        self.text == "literal"
    }

    /// Where the report of an implementation goes.
    fn report_path(&self, implementation: &Implementation) -> PathBuf {
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy();
        let name = implementation.to_string().replace(|c: char| !c.is_alphanumeric(), "-");
        self.output.with_file_name(format!("{stem}-{name}.json"))
    }
}

fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let tests = tests(&arguments.path, &arguments.filter)?;
    if arguments.list {
        for test in &tests {
            match test.needs {
                Some(needs) => anstream::println!("{} (needs {needs})", inert(&test.name)),
                None => anstream::println!("{}", inert(&test.name)),
            }
        }
        return Ok(AS_EXPECTED);
    }
    let settings = arguments.settings()?;
    let by_default = [Implementation::Reference];
    let chosen = if arguments.implementations.is_empty() { &by_default[..] } else { &arguments.implementations };
    let tests = Arc::new(tests);
    let mut unexpected = 0;
    let mut ran = false;
    for implementation in chosen {
        let summary = run_on(implementation, &tests, &settings, arguments)?;
        unexpected += if arguments.is_literal() { 0 } else { summary.unexpected() };
        ran |= summary.ran();
    }
    match (unexpected, ran) {
        (0, true) => Ok(AS_EXPECTED),
        (0, false) => Err(Failure::NothingToRun("every test was skipped; the reasons stand above".into())),
        _ => Ok(UNEXPECTED),
    }
}

fn run_on(
    implementation: &Implementation,
    tests: &Arc<Vec<Test>>,
    settings: &Settings,
    arguments: &RunArguments,
) -> Result<Summary, Failure> {
    let begun = Instant::now();
    let expectations = Expectations::load(implementation.kind(), arguments.expectations.as_deref())?;
    let expectations = expectations.with_idl(&settings.text_at(IDL));
    let mut summary = Summary::default();
    let mut report = Report::begin(&implementation.to_string());
    let bar = progress_bar(tests.len());
    let ran = wpt::run(tests, implementation, settings, |index, result, took| {
        summary.add(&tests[index], &result, &expectations);
        report.add(&tests[index], &result, took, &expectations);
        bar.inc(1);
        Ok::<(), String>(())
    });
    bar.finish_and_clear();
    let description = ran.map_err(|reason| Failure::NotStarted(format!("{implementation} did not start: {reason}")))?;
    if let Some(description) = description {
        report.described(description);
    }
    let path = arguments.report_path(implementation);
    report.write(&path)?;
    anstream::println!("{}", inert(&summary.table(&implementation.to_string())));
    if arguments.is_literal() {
        anstream::print!("{}", inert(&literal_remarks(&summary)));
    } else {
        anstream::print!("{}", inert(&summary.remarks(arguments.show)));
    }
    let took = begun.elapsed().as_secs_f64();
    anstream::println!("\n{} in {took:.2} s; report in {}", plural(tests.len(), "test"), path.display());
    Ok(summary)
}

/// What goes differently under the text as it is written.
fn literal_remarks(summary: &Summary) -> String {
    let lines = summary.lines().iter().map(|line| format!("  {line}\n")).collect::<String>();
    format!("\nunder the specification's text as it is written, these go differently:\n{lines}")
}

fn progress_bar(tests: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(tests).unwrap_or(u64::MAX));
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} tests, {elapsed}, about {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
