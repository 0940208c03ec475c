//! `webnn completions` and `webnn man`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::CommandLine;
use crate::failure::{AS_EXPECTED, Failure};

/// The arguments of `webnn completions`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

/// Writes what a shell needs to complete the command line.
///
/// # Errors
/// If standard output can not be written to.
pub(crate) fn completions(arguments: &Arguments) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "webnn", &mut script);
    write(&script)
}

/// Writes the manual page.
///
/// # Errors
/// If standard output can not be written to.
pub(crate) fn manual() -> Result<u8, Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(CommandLine::command()).render(&mut page);
    rendered.map_err(|error| Failure::Output(error.to_string()))?;
    write(&page)
}

fn write(bytes: &[u8]) -> Result<u8, Failure> {
    let written = std::io::Write::write_all(&mut std::io::stdout(), bytes);
    written.map_err(|error| Failure::Output(format!("standard output can not be written: {error}")))?;
    Ok(AS_EXPECTED)
}
