//! `webnn emit`

use std::path::PathBuf;

use clap::Args;

use super::find;
use crate::failure::{AS_EXPECTED, Failure};
use crate::output;
use crate::selection::Selection;
use crate::shown::inert;

/// The arguments of `webnn emit`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The vector: its id (FILE/NAME), its name, or a part of its id that no other has.
    vector: String,

    #[command(flatten)]
    selection: Selection,

    /// The form: `wpt` is a test for web-platform-tests, in JavaScript.
    #[arg(long = "as", value_name = "FORM", default_value = "wpt", value_parser = ["wpt"])]
    form: String,

    /// Where it goes, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes a vector in the form of something else.
///
/// # Errors
/// If there is no such vector, it can not be written in that form, or the file can not be written.
pub(crate) fn emit(arguments: &Arguments) -> Result<u8, Failure> {
    let files = arguments.selection.load()?;
    let (file, vector) = find(&files, &arguments.vector)?;
    let text = webnn_wpt::emit::wpt(vector, file.source_of(vector)).map_err(Failure::Usage)?;
    match &arguments.output {
        // In script, an escape is what it stands for.
        None => anstream::print!("{}", inert(&text)),
        Some(path) => output::write(path, &text)?,
    }
    Ok(AS_EXPECTED)
}
