//! `webnn accuracy`

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::steps::Reading;

use crate::accuracy::{Case, Dump, Measured, Missing, cases, listed, markdown, measure, text};
use crate::execute::Executor;
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::{Description, Implementation, Start};
use crate::listing::{Format, Listing};
use crate::output;
use crate::selection::is_operator_of_the_specification;
use crate::shown::inert;

/// The arguments of `webnn accuracy`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Measure this implementation; `wgpu` by default. May be given several times.
    #[arg(long = "implementation", short, value_name = "NAME")]
    implementations: Vec<Implementation>,

    /// Measure these operators only, such as `exp,tanh`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    operators: Vec<String>,

    /// Measure on operands of this type only.
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value_t = Types::All)]
    types: Types,

    /// Take every N-th of the inputs only.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    every: u32,

    #[command(flatten)]
    format: Format,

    /// Write the results to this file too, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write the table to this file too, as Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Compare nothing: write what the implementation computes to this folder, for `wpt-tests/generate/accuracy.py`.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["json", "markdown"])]
    dump: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Types {
    Float16,
    Float32,
    All,
}

impl Arguments {
    fn implementations(&self) -> Vec<Implementation> {
        if self.implementations.is_empty() { vec![Implementation::Wgpu(None)] } else { self.implementations.clone() }
    }

    /// The cases that are asked for.
    fn cases(&self) -> Result<Vec<Case>, Failure> {
        if let Some(unknown) = self.operators.iter().find(|name| !is_operator_of_the_specification(name)) {
            return Err(Failure::Usage(format!("there is no operator `{unknown}`; `webnn list operators` shows all")));
        }
        let of_types = |data_type: &MLOperandDataType| match self.types {
            Types::Float16 => *data_type == MLOperandDataType::Float16,
            Types::Float32 => *data_type == MLOperandDataType::Float32,
            Types::All => true,
        };
        let all = MLOperandDataType::ALL.into_iter().filter(of_types).flat_map(cases);
        let of_operators =
            |case: &Case| self.operators.is_empty() || self.operators.iter().any(|name| name == case.operator);
        let chosen: Vec<Case> = all.filter(of_operators).collect();
        if chosen.is_empty() {
            let names = self.operators.join(", ");
            return Err(Failure::NothingToRun(format!("nothing is measured of {names}: element-wise operators are")));
        }
        Ok(chosen)
    }

    /// The command that makes the Markdown again, without the name of the file.
    fn command(&self) -> String {
        let implementations = self.implementations.iter().map(|name| format!(" -i {name}"));
        format!("webnn accuracy{} --markdown gpu/ACCURACY.md", implementations.collect::<String>())
    }
}

/// Measures how accurate implementations are.
///
/// # Errors
/// If nothing is selected, an implementation does not start, or a file can not be written.
pub(crate) fn accuracy(arguments: &Arguments) -> Result<u8, Failure> {
    let cases = arguments.cases()?;
    let implementations = arguments.implementations();
    if let Some(folder) = &arguments.dump {
        return dump(&implementations, &cases, arguments.every as usize, folder);
    }
    let (interpreter, _) = start(&Implementation::Reference)?;
    let mut all: Vec<(Description, Vec<Measured>)> = Vec::new();
    for implementation in &implementations {
        if *implementation == Implementation::Reference {
            return Err(Failure::Usage(
                "the others are compared with `reference`; `--dump FOLDER` writes what it computes, and \
                 wpt-tests/generate/accuracy.py compares that"
                    .into(),
            ));
        }
        let (executor, description) = start(implementation)?;
        let flushes = description.allowance().flushes_subnormals;
        let every = arguments.every as usize;
        let measured = cases.iter().map(|case| measure(case, every, flushes, &executor, &interpreter));
        let measured: Vec<Measured> = measured.collect();
        if !arguments.format.is_json() {
            anstream::print!("{}", inert(&text(&description, &measured)));
        }
        all.push((description, measured));
    }
    let listing = Listing::Accuracy { implementations: listed(&all) };
    if arguments.format.is_json() {
        listing.print()?;
    }
    if let Some(path) = &arguments.json {
        listing.write(path)?;
    }
    if let Some(path) = &arguments.markdown {
        let tables = all.iter().map(|(description, measured)| markdown(description, measured, &arguments.command()));
        output::write(path, &tables.collect::<Vec<_>>().join("\n"))?;
    }
    let failed = all.iter().flat_map(|(_, measured)| measured).any(|one| matches!(one.found, Err(Missing::Failed(_))));
    Ok(if failed { UNEXPECTED } else { AS_EXPECTED })
}

fn dump(implementations: &[Implementation], cases: &[Case], every: usize, folder: &Path) -> Result<u8, Failure> {
    let [implementation] = implementations else {
        return Err(Failure::Usage("`--dump` writes what one implementation computes".into()));
    };
    let (executor, _) = start(implementation)?;
    let mut dump = Dump::create(folder)?;
    let mut failed = false;
    for case in cases {
        match dump.add(case, every, &executor)? {
            None => {}
            Some(Missing::Unsupported(reason)) => anstream::println!("{}: skipped: {}", case.title(), inert(&reason)),
            Some(Missing::Failed(problem)) => {
                anstream::println!("{}: FAILED: {}", case.title(), inert(&problem));
                failed = true;
            }
        }
    }
    anstream::println!("{}", dump.finish()?.display());
    Ok(if failed { UNEXPECTED } else { AS_EXPECTED })
}

fn start(implementation: &Implementation) -> Result<(Executor, Description), Failure> {
    let started = implementation.start(&Start::new(Reading::Corrected));
    started.map_err(|reason| Failure::NotStarted(format!("{implementation} did not start: {reason}")))
}
