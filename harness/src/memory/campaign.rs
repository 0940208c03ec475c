//! A campaign: every way of the workloads that were asked for, so many times, each in a process of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use serde::Serialize;

use super::session::Session;
use super::{Measured, Outcome, Way, Workload, process, workload};
use crate::failure::Failure;
use crate::implementation::Implementation;

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
            .ok_or_else(|| format!("the workloads are {}", known(super::WORKLOADS.map(|one| one.name).to_vec())))?;
        let find = |name| {
            let ways = workload.ways;
            let found = ways.iter().find(|way| way.name == name);
            found.ok_or_else(|| format!("the ways of {first} are {}", known(ways.iter().map(|way| way.name).collect())))
        };
        Ok(Self { workload, way: second.map(find).transpose()? })
    }
}

impl Task {
    fn ways(self) -> Vec<&'static Way> {
        self.workload.ways.iter().filter(|way| self.way.is_none_or(|chosen| chosen.name == way.name)).collect()
    }
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
pub(crate) fn measure(task: Task, settings: &Settings) -> Result<Results, Failure> {
    let folder = Folder::new(&settings.scratch)?;
    let made = (task.workload.prepare)(&folder.0, settings.size);
    made.map_err(|error| {
        Failure::Output(format!("the model is not there: {error}; choose another --scratch or --size"))
    })?;
    let ways = task.ways();
    let mut runs: Vec<Vec<Result<Measured, String>>> = ways.iter().map(|_| Vec::new()).collect();
    // Round after round, so that what slows the machine down for a while slows all ways down.
    for _ in 0..settings.repeat {
        for (way, runs) in ways.iter().zip(&mut runs) {
            if runs.last().is_none_or(Result::is_ok) {
                runs.push(in_a_process(task.workload, way, settings, &folder.0)?);
            }
        }
    }
    let contradiction = if task.workload.agrees { contradiction(&ways, &runs) } else { None };
    let rows = ways.into_iter().zip(runs).map(|(way, runs)| row(way, runs)).collect();
    Ok(Results { workload: task.workload, rows, contradiction })
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
    let output = command.stdin(Stdio::null()).output().map_err(not_started)?;
    if !output.status.success() {
        return Ok(Err(why(output.status, &output.stderr)));
    }
    let measured = serde_json::from_slice(&output.stdout);
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

/// A folder for the files of models, which goes with this value.
struct Folder(PathBuf);

/// What such folders are called, before the number of the process.
const PREFIX: &str = "webnn-bench-memory-";

impl Folder {
    fn new(scratch: &Path) -> Result<Self, Failure> {
        let unusable = |error: std::io::Error| {
            Failure::Output(format!("{} can not hold the models: {error}; choose another --scratch", scratch.display()))
        };
        remove_what_was_left(scratch);
        let folder = scratch.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(unusable)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can not be removed is left for the next run.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Removes the folders of processes that were killed before they could.
fn remove_what_was_left(scratch: &Path) {
    for entry in fs::read_dir(scratch).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|number| number.parse().ok());
        if process.and_then(process::runs) == Some(false) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_workloads_or_ways_of_them() {
        let task: Task = "load/blob".parse().unwrap();
        assert_eq!((task.workload.name, task.way.map(|way| way.name)), ("load", Some("blob")));
        assert_eq!("pipeline".parse::<Task>().unwrap().ways().len(), 5);
        let unknown = "load/magic".parse::<Task>().unwrap_err();
        assert!(unknown.contains("constant-frugal") && unknown.contains("of load"), "{unknown}");
        assert!("magic".parse::<Task>().unwrap_err().contains("experts"));
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
