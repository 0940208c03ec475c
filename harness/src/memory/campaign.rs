//! A campaign: every way of the workloads that were asked for, so many times, each in a process of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::Serialize;

use super::session::Session;
use super::table::written;
use super::{Measured, Outcome, Unit, WORKLOADS, Way, Workload, model, process, workload};
use crate::failure::Failure;
use crate::implementation::Implementation;
use crate::interrupt;
use crate::outside::group::Group;
use crate::temporary::Temporary;

/// What is measured, and how.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) implementation: Implementation,
    /// The bytes of each model.
    pub(crate) size: u64,
    /// How often each way is gone.
    pub(crate) repeat: u32,
    /// Whether the pages of the model's file are forgotten before each run.
    pub(crate) is_cold: bool,
    /// Where the files of models are made.
    pub(crate) scratch: PathBuf,
    /// Whether the device's memory is that of the process.
    pub(crate) is_one_memory: bool,
}

/// A workload, or one way of it, as the command line names it: `load` or `load/blob`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) workload: &'static Workload,
    pub(crate) way: Option<&'static Way>,
}

impl std::str::FromStr for Task {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let (first, second) = name.split_once('/').map_or((name, None), |(first, second)| (first, Some(second)));
        let known = |names: Vec<&str>| names.join(", ");
        let workload = workload(first)
            .ok_or_else(|| format!("the workloads are {}", known(WORKLOADS.map(|one| one.name).to_vec())))?;
        let find = |name| {
            let ways = workload.ways;
            let found = ways.iter().find(|way| way.name == name);
            found.ok_or_else(|| format!("the ways of {first} are {}", known(ways.iter().map(|way| way.name).collect())))
        };
        Ok(Self { workload, way: second.map(find).transpose()? })
    }
}

/// A workload, and those of its ways that are measured.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) workload: &'static Workload,
    ways: Vec<&'static Way>,
}

impl Plan {
    /// What the tasks ask for, each way once; everything, if there is no task.
    pub(crate) fn of(tasks: &[Task]) -> Vec<Self> {
        let is_asked_for = |workload: &Workload, way: &Way| {
            let mut asks = tasks.iter().filter(|task| task.workload.name == workload.name);
            tasks.is_empty() || asks.any(|task| task.way.is_none_or(|chosen| chosen.name == way.name))
        };
        let plan = |workload: &'static Workload| {
            let ways = workload.ways.iter().filter(|way| is_asked_for(workload, way)).collect();
            Self { workload, ways }
        };
        WORKLOADS.into_iter().map(plan).filter(|plan| !plan.ways.is_empty()).collect()
    }

    /// The bytes of the file that it needs.
    fn bytes(&self, settings: &Settings) -> u64 {
        (self.workload.tensors)(settings.size).iter().map(|(_, tensor)| tensor.byte_length()).sum()
    }
}

/// Ensures that the files of models can be made.
///
/// # Errors
/// What there is, and what to do.
pub(crate) fn ensure_room(plans: &[Plan], settings: &Settings) -> Result<(), Failure> {
    let Settings { scratch, size, .. } = settings;
    if !scratch.is_dir() {
        let scratch = scratch.display();
        return Err(Failure::Output(format!("{scratch} is no folder: make it, or choose another --scratch")));
    }
    // The files of one workload are gone before those of the next are made.
    let needed = plans.iter().map(|plan| plan.bytes(settings)).max().unwrap_or(0);
    match process::free_on_the_disk_of(scratch) {
        Some(free) if free < needed => Err(Failure::Output(format!(
            "models of {} need {} in {}, where {} are free; choose a smaller --size, or a --scratch on another disk",
            bytes(*size),
            bytes(needed),
            scratch.display(),
            bytes(free)
        ))),
        _ => Ok(()),
    }
}

/// Why a way can not be gone on this machine, as far as that is known beforehand: what a device of its own has is not.
fn lack(way: &Way, model: u64, settings: &Settings) -> Option<String> {
    let device = if settings.is_one_memory { way.least.device } else { 0.0 };
    let needed = (model as f64 * (device + way.least.host)) as u64;
    let free = process::free_memory().filter(|free| *free < needed)?;
    let whose = if settings.is_one_memory { "memory" } else { "the host's memory" };
    Some(format!(
        "it takes {} of {whose} at least, and {} are free; choose a smaller --size",
        bytes(needed),
        bytes(free)
    ))
}

/// What a way takes at least, for who reads why it failed.
fn what_it_takes(way: &Way, model: u64) -> String {
    let [device, host] = [way.least.device, way.least.host].map(|part| (model as f64 * part) as u64);
    if device + host == 0 {
        return String::new();
    }
    format!(" (it takes {} of the device's memory at least, and {} of the host's)", bytes(device), bytes(host))
}

fn bytes(count: u64) -> String {
    written(count as f64, Unit::Bytes)
}

/// A workload that was measured.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) workload: &'static Workload,
    pub(crate) rows: Vec<Row>,
    /// What is wrong with the results taken together.
    pub(crate) contradiction: Option<String>,
}

/// A way that was gone some times, or why not.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) way: &'static Way,
    pub(crate) figures: BTreeMap<String, Spread>,
    /// What happened in the last run.
    pub(crate) last: Measured,
    pub(crate) failure: Option<String>,
}

/// The median of a figure, and how far it spreads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    fn of(mut figures: Vec<f64>) -> Option<Self> {
        figures.sort_by(f64::total_cmp);
        let (least, most) = (*figures.first()?, *figures.last()?);
        let (low, high) = (figures[(figures.len() - 1) / 2], figures[figures.len() / 2]);
        Some(Self { median: f64::midpoint(low, high), least, most })
    }
}

impl Results {
    /// Whether all that was asked for was measured, with the same result on every way.
    pub(crate) fn are_good(&self) -> bool {
        self.contradiction.is_none() && self.rows.iter().all(|row| row.failure.is_none())
    }

    /// The figure of a row, and that of the first way, if it was gone.
    pub(crate) fn compared(&self, row: &Row) -> Option<f64> {
        let key = self.workload.compared?;
        let first = self.rows.first().filter(|first| first.way.name == self.workload.ways[0].name)?;
        Some(row.figures.get(key)?.median / first.figures.get(key)?.median)
    }
}

/// Measures a workload.
///
/// # Errors
/// If the files of its model can not be made, or the program can not be started again.
pub(crate) fn measure(plan: &Plan, settings: &Settings) -> Result<Results, Failure> {
    let (workload, ways) = (plan.workload, &plan.ways);
    let folder = folder(&settings.scratch)?;
    let tensors = (workload.tensors)(settings.size);
    if !tensors.is_empty() {
        model::write_tensors(folder.path(), &tensors).map_err(|error| {
            Failure::Output(format!("the model is not there: {error}; choose another --scratch or --size"))
        })?;
    }
    let size = plan.bytes(settings);
    let mut runs: Vec<Vec<Result<Measured, String>>> = ways.iter().map(|_| Vec::new()).collect();
    // Round after round, so that what slows the machine down for a while slows all ways down.
    for _ in 0..settings.repeat {
        for (way, runs) in ways.iter().zip(&mut runs) {
            if runs.last().is_none_or(Result::is_ok) {
                runs.push(match lack(way, size, settings) {
                    Some(lack) => Err(lack),
                    None => in_a_process(workload, way, settings, folder.path())?
                        .map_err(|reason| format!("{reason}{}", what_it_takes(way, size))),
                });
            }
        }
    }
    let contradiction = if workload.agrees { contradiction(ways, &runs) } else { None };
    let rows = ways.iter().zip(runs).map(|(way, runs)| row(way, runs)).collect();
    Ok(Results { workload, rows, contradiction })
}

fn row(way: &'static Way, runs: Vec<Result<Measured, String>>) -> Row {
    let mut row = Row { way, figures: BTreeMap::new(), last: Measured::default(), failure: None };
    let mut figures: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in runs {
        match run {
            Err(reason) => row.failure = Some(reason),
            Ok(measured) => {
                for (key, figure) in &measured.figures {
                    figures.entry(key.clone()).or_default().push(*figure);
                }
                row.last = measured;
            }
        }
    }
    row.figures = figures.into_iter().filter_map(|(key, figures)| Some((key, Spread::of(figures)?))).collect();
    row
}

/// Two ways or runs that computed different things.
fn contradiction(ways: &[&'static Way], runs: &[Vec<Result<Measured, String>>]) -> Option<String> {
    let all = ways.iter().zip(runs).flat_map(|(way, runs)| runs.iter().flatten().map(move |run| (way, run)));
    let mut results = all.filter_map(|(way, run)| Some((way.name, run.result.as_ref()?)));
    let (first, expected) = results.next()?;
    let (other, result) = results.find(|(_, result)| *result != expected)?;
    Some(format!("{first} and {other} differ in what they compute: {expected} and {result}"))
}

/// Goes a way once, in a process of its own: a failure of the outer kind ends the campaign, one of the inner kind the row.
fn in_a_process(
    workload: &Workload,
    way: &Way,
    settings: &Settings,
    folder: &Path,
) -> Result<Result<Measured, String>, Failure> {
    let not_started = |error: std::io::Error| Failure::NotStarted(format!("the program can not start itself: {error}"));
    let mut command = Command::new(std::env::current_exe().map_err(not_started)?);
    command.args(["bench", "memory-of", &format!("{}/{}", workload.name, way.name)]);
    command.args(["--implementation", &settings.implementation.as_argument()]);
    command.args(["--size", &settings.size.to_string()]).arg("--scratch").arg(folder);
    if settings.is_cold {
        command.arg("--cold");
    }
    // Files, so that nobody has to read while the other writes.
    let [said, complained] = ["said", "complained"].map(|name| folder.join(name));
    let file = |path: &Path| fs::File::create(path).map_err(not_started);
    command.stdin(Stdio::null()).stdout(file(&said)?).stderr(file(&complained)?);
    // In a group of its own it is ended with this process, whoever interrupts that.
    let status = Group::start(&mut command, None).map_err(not_started)?.wait(Duration::MAX);
    if interrupt::is_asked_for() {
        return Err(Failure::Interrupted);
    }
    let status = status.ok_or_else(|| Failure::NotStarted("the measuring process can not be waited for".into()))?;
    let read = |path: &Path| fs::read(path).map_err(not_started);
    if !status.success() {
        return Ok(Err(why(status, &read(&complained)?)));
    }
    let measured = serde_json::from_slice(&read(&said)?);
    Ok(measured.map_err(|error| format!("the measuring process said something else than figures: {error}")))
}

/// Why a process ended as it did.
fn why(status: ExitStatus, stderr: &[u8]) -> String {
    let said = String::from_utf8_lossy(stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    match last {
        Some(line) if status.code().is_some() => line.trim_start_matches("webnn: ").to_owned(),
        _ => format!("the measuring process ended: {status}"),
    }
}

/// Goes a way of a workload in this process: what [`in_a_process`] starts.
///
/// # Errors
/// Why there are no figures.
pub(crate) fn measure_here(task: Task, settings: &Settings) -> Outcome<Measured> {
    let way = task.way.ok_or("a workload has several ways; name one, as in `load/blob`")?;
    let folder = settings.scratch.clone();
    let session = Session::new(&settings.implementation, folder, settings.size, settings.is_cold)?;
    (task.workload.measure)(&session, way)
}

/// A folder for the files of models.
fn folder(scratch: &Path) -> Result<Temporary, Failure> {
    Temporary::create(scratch, "webnn-bench-memory-").map_err(|error| {
        Failure::Output(format!("{} can not hold the models: {error}; choose another --scratch", scratch.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_workloads_or_ways_of_them() {
        let task: Task = "load/blob".parse().unwrap();
        assert_eq!((task.workload.name, task.way.map(|way| way.name)), ("load", Some("blob")));
        let unknown = "load/magic".parse::<Task>().unwrap_err();
        assert!(unknown.contains("constant-frugal") && unknown.contains("of load"), "{unknown}");
        assert!("magic".parse::<Task>().unwrap_err().contains("experts"));
    }

    #[test]
    fn each_way_is_measured_once() {
        let planned = |names: &[&str]| -> Vec<(&str, usize)> {
            let tasks: Vec<Task> = names.iter().map(|name| name.parse().unwrap()).collect();
            Plan::of(&tasks).iter().map(|plan| (plan.workload.name, plan.ways.len())).collect()
        };
        assert_eq!(planned(&["load/blob", "pipeline", "load", "load/blob"]), [("load", 6), ("pipeline", 5)]);
        assert_eq!(planned(&["stream/read", "load/parts", "load/blob", "load/parts"]), [("load", 2), ("stream", 1)]);
        assert_eq!(planned(&[]).len(), WORKLOADS.len());
    }

    #[test]
    fn what_does_not_fit_is_said_beforehand() {
        let settings = |is_one_memory| Settings {
            implementation: Implementation::Reference,
            size: 1 << 40,
            repeat: 1,
            is_cold: false,
            scratch: std::env::temp_dir(),
            is_one_memory,
        };
        let [constant, blob] = [0, 3].map(|way| &super::super::load::MATRICES.ways[way]);
        if process::free_memory().is_some() {
            let lack = |way, is_one_memory| lack(way, 1 << 50, &settings(is_one_memory));
            assert!(lack(constant, true).unwrap().starts_with("it takes 3072 TiB of memory at least, and "));
            assert!(lack(constant, false).unwrap().starts_with("it takes 2048 TiB of the host's memory at least"));
            assert!(lack(blob, true).is_some());
            assert_eq!(lack(blob, false), None);
        }
        assert_eq!(lack(constant, 1, &settings(true)), None);
    }

    #[test]
    fn ways_that_compute_something_else_are_named() {
        let ways = ["constant", "blob"].map(|name| super::super::load::MATRICES.ways.iter().find(|w| w.name == name));
        let ways = ways.map(Option::unwrap);
        let gave = |bytes: &[u8]| vec![Ok(Measured::of(bytes))];
        assert_eq!(contradiction(&ways, &[gave(b"1"), gave(b"1")]), None);
        assert!(contradiction(&ways, &[gave(b"1"), gave(b"2")]).unwrap().starts_with("constant and blob differ"));
        assert_eq!(contradiction(&ways, &[vec![Ok(Measured::default())], gave(b"2")]), None);
    }

    /// As where the system ends it for want of memory.
    #[cfg(unix)]
    #[test]
    fn a_process_that_is_killed_is_said_to_be() {
        let killed = Command::new("sh").args(["-c", "echo as usual >&2; kill -9 $$"]).output().unwrap();
        assert_eq!(why(killed.status, &killed.stderr), "the measuring process ended: signal: 9 (SIGKILL)");
        let failed = Command::new("sh").args(["-c", "echo 'webnn: no such file' >&2; exit 65"]).output().unwrap();
        assert_eq!(why(failed.status, &failed.stderr), "no such file");
    }

    #[test]
    fn a_spread_is_of_the_figures() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]).unwrap();
        assert_eq!((spread.least, spread.median, spread.most), (1.0, 2.0, 3.0));
        assert_eq!(Spread::of(vec![4.0, 1.0]).unwrap().median, 2.5);
        assert_eq!(Spread::of(vec![]), None);
    }
}
