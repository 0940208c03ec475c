//! `webnn bench memory`

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::Implementation;
use crate::listing::Listing;
use crate::listing::measured::{MeasuredFigure, MeasuredWay, MeasuredWorkload};
use crate::memory::campaign::{Plan, Results, Settings, Spread, Task, ensure_room, measure, measure_here};
use crate::memory::computes_in_its_process;
use crate::memory::table::{Form, table};
use crate::memory::timeline::picture;
use crate::output;

/// The arguments of `webnn bench memory`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// What to measure: a workload (load, tensor, pipeline, experts, stream, reuse, bus), or one way of it, as `load/blob`;
    /// everything by default.
    #[arg(value_name = "WORKLOAD[/WAY]")]
    tasks: Vec<Task>,

    #[command(flatten)]
    how: How,

    /// How often each way is gone; the figures are medians.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: u32,

    /// The form in which the figures are printed.
    #[arg(long, short = 'F', value_enum, default_value = "table")]
    format: Format,

    /// A folder for `memory.json`, `memory.md`, and a picture of each workload's memory over time.
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// The arguments of one row, which is measured in a process of its own.
#[derive(Args, Debug)]
pub(crate) struct OneOf {
    /// The way, as `load/blob`.
    task: Task,

    #[command(flatten)]
    how: How,
}

#[derive(Args, Debug)]
struct How {
    /// Measure this implementation: `reference`, `wgpu` or `wgpu:NAME`.
    #[arg(long, short, value_name = "NAME", default_value = "wgpu")]
    implementation: Implementation,

    /// How large the models are, as 64MiB or 4GiB. A machine needs so much on the disk of --scratch; a way that needs more
    /// memory than there is is left out, and says so.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = bytes)]
    size: u64,

    /// Have the kernel forget the files of models before each run, so that they are read from the disk (Linux).
    #[arg(long)]
    cold: bool,

    /// The folder in which the files of models are made, and removed; the system's folder for temporary files by default.
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
}

/// The forms of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For the terminal, a workload at a time.
    Table,
    /// For a document: each row with its command.
    Markdown,
    /// For other programs.
    Json,
}

impl How {
    fn settings(&self, repeat: u32) -> Settings {
        Settings {
            implementation: self.implementation.clone(),
            size: self.size,
            repeat,
            is_cold: self.cold,
            scratch: self.scratch.clone().unwrap_or_else(std::env::temp_dir),
            is_one_memory: false,
        }
    }

    /// What the command of a row ends with.
    fn as_arguments(&self) -> String {
        let mut arguments = format!(" -i {} --size {}", self.implementation.as_argument(), in_units(self.size));
        if self.cold {
            arguments.push_str(" --cold");
        }
        arguments
    }
}

/// Measures what models cost in memory.
///
/// # Errors
/// If there is no room for the models or the results, or the implementation does not start.
pub(crate) fn memory(arguments: &Arguments) -> Result<u8, Failure> {
    let plans = Plan::of(&arguments.tasks);
    let mut settings = arguments.how.settings(arguments.repeat);
    ensure_room(&plans, &settings)?;
    let (_, description) = settings.implementation.provider().map_err(Failure::NotStarted)?;
    settings.is_one_memory = computes_in_its_process(&description);
    if let Some(folder) = &arguments.output {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    let adapter = description.adapter.as_ref().map_or_else(String::new, |adapter| format!(" on {adapter}"));
    let title = format!("{}{adapter}; models of {}", settings.implementation, in_units(settings.size));
    if arguments.format != Format::Json {
        anstream::println!("{title}\n");
    }
    let ending = arguments.how.as_arguments();
    let mut all = Vec::new();
    for plan in &plans {
        let results = measure(plan, &settings)?;
        match arguments.format {
            Format::Table => anstream::println!("{}", table(&results, Form::Text, &ending)),
            Format::Markdown => anstream::println!("{}", table(&results, Form::Markdown, &ending)),
            Format::Json => {}
        }
        all.push(results);
    }
    let record = Listing::MemoryBenchmark {
        version: env!("CARGO_PKG_VERSION"),
        implementation: description,
        processors: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        size: settings.size,
        repeat: settings.repeat,
        cold: settings.is_cold,
        workloads: all.iter().map(|results| listed(results, &ending)).collect(),
    };
    if arguments.format == Format::Json {
        record.print()?;
    }
    if let Some(folder) = &arguments.output {
        let markdown: String = all.iter().map(|results| table(results, Form::Markdown, &ending) + "\n").collect();
        record.write(&folder.join("memory.json"))?;
        output::write(&folder.join("memory.md"), &format!("{title}\n\n{markdown}"))?;
        write_pictures(folder, &title, &all)?;
    }
    Ok(if all.iter().all(Results::are_good) { AS_EXPECTED } else { UNEXPECTED })
}

/// A workload's results, with the commands that end in these arguments.
fn listed(results: &Results, arguments: &str) -> MeasuredWorkload {
    let workload = results.workload;
    let rows = results.rows.iter().map(|row| {
        let figure = |(key, spread): (&String, &Spread)| {
            let Spread { median, least, most } = *spread;
            (key.clone(), MeasuredFigure { median, least, most })
        };
        MeasuredWay {
            way: row.way.name,
            about: row.way.about,
            remark: row.last.remark.clone(),
            command: format!("webnn bench memory {}/{}{arguments}", workload.name, row.way.name),
            figures: row.figures.iter().map(figure).collect(),
            budget: row.last.budget,
            result: row.last.result.clone(),
            failure: row.failure.clone(),
        }
    });
    MeasuredWorkload {
        workload: workload.name,
        about: workload.about,
        rows: rows.collect(),
        contradiction: results.contradiction.clone(),
    }
}

fn write_pictures(folder: &Path, title: &str, all: &[Results]) -> Result<(), Failure> {
    for results in all {
        if let Some(picture) = picture(results, title) {
            output::write(&folder.join(format!("{}.svg", results.workload.name)), &picture)?;
        }
    }
    Ok(())
}

/// Measures one row, and prints it for the process that started this one.
///
/// # Errors
/// Why it can not be measured.
pub(crate) fn one(arguments: &OneOf) -> Result<u8, Failure> {
    let measured = measure_here(arguments.task, &arguments.how.settings(1));
    let measured = measured.map_err(|error| Failure::Data(error.to_string()))?;
    anstream::println!("{}", json!(measured));
    Ok(AS_EXPECTED)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Output(format!("{} can not be written: {error}", path.display()))
}

/// The units in which sizes are given.
const UNITS: [(&str, u64); 5] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)];

/// A size as the command line has it.
fn bytes(text: &str) -> Result<u64, String> {
    let number = |(unit, bytes): &(&str, u64)| text.strip_suffix(unit)?.trim().parse::<u64>().ok()?.checked_mul(*bytes);
    let size = UNITS.iter().find_map(number).ok_or("a size is a number with KiB, MiB, GiB or TiB, as in 64MiB")?;
    if !(1 << 20..=1 << 40).contains(&size) {
        return Err("models have 1MiB to 1TiB".to_owned());
    }
    Ok(size)
}

fn in_units(size: u64) -> String {
    let unit = UNITS.iter().find(|(_, bytes)| size.is_multiple_of(*bytes));
    unit.map_or_else(|| size.to_string(), |(unit, bytes)| format!("{}{unit}", size / bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, size) in [
            ("64MiB", 64 << 20),
            ("4GiB", 4 << 30),
            ("1TiB", 1 << 40),
            ("1536KiB", 1536 << 10),
            ("1048577", (1 << 20) + 1),
        ] {
            assert_eq!(bytes(text), Ok(size));
            assert_eq!(in_units(size), text);
        }
        for text in ["", "MiB", "-1MiB", "64MB", "1KiB", "99999999999999GiB", "2048GiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
