//! Files that are written as a whole: what is there is all of it or nothing, whatever happens on the way.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::failure::Failure;
use crate::shown;

/// Writes a file, and makes the folder that it is in.
///
/// # Errors
/// If that can not be done. Then the file is as it was.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_pieces(path, |out| out.write_all(text.as_bytes()).map_err(failed))
}

/// Writes a file piece by piece, and makes the folder that it is in.
///
/// # Errors
/// Those of `pieces`, and if the file can not be written. Then it is as it was.
pub(crate) fn write_pieces(
    path: &Path,
    pieces: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    create_folder_of(path)?;
    // A device, or what only seems to be a file, is not to be replaced by one.
    let is_plain = fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_file());
    let place = if is_plain { beside(path) } else { path.to_owned() };
    let mut file = BufWriter::new(File::create(&place).map_err(|error| unwritable(path, &error))?);
    let written = pieces(&mut file).and_then(|()| file.flush().map_err(failed));
    let written = written.and_then(|()| if is_plain { fs::rename(&place, path).map_err(failed) } else { Ok(()) });
    written.map_err(|failure| {
        // What is written in part helps nobody.
        if is_plain {
            drop(fs::remove_file(&place));
        }
        match failure {
            Failure::Output(why) => Failure::Output(format!("{} can not be written: {why}", path.display())),
            failure => failure,
        }
    })
}

/// Writes to standard output piece by piece.
///
/// # Errors
/// Those of `pieces`, and if nothing can be written there.
pub(crate) fn print_pieces(pieces: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    pieces(&mut out).and_then(|()| out.flush().map_err(failed)).map_err(|failure| match failure {
        Failure::Output(why) => Failure::Output(format!("the output can not be written: {why}")),
        failure => failure,
    })
}

/// Writes a value as JSON that people can read, and that a terminal can be shown.
///
/// # Errors
/// If it can not be written, or what it is made of not be read.
pub(crate) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Failure> {
    let written = serde_json::to_writer_pretty(InertJson(&mut *out), value);
    // What is not about writing is about reading the record again, which says so.
    written.map_err(|error| if error.is_io() { failed(error.into()) } else { Failure::Data(error.to_string()) })?;
    writeln!(out).map_err(failed)
}

/// JSON without what a terminal would act on: of that only the first 32 characters have to be escaped in a string.
pub(crate) fn inert_json(text: &str) -> Cow<'_, str> {
    // Between strings there are line breaks.
    let is_escaped = |c: char| shown::acts(c) && c != '\n';
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let escaped = |c: char| if is_escaped(c) { format!("\\u{:04x}", u32::from(c)) } else { c.into() };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Writes JSON without what a terminal would act on.
struct InertJson<W>(W);

impl<W: Write> Write for InertJson<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        // The pieces of strings are strings.
        match std::str::from_utf8(piece) {
            Ok(text) => self.0.write_all(inert_json(text).as_bytes())?,
            Err(_) => self.0.write_all(piece)?,
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Why a piece can not be written; what it is a piece of is said by who knows it.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(crate) fn failed(error: io::Error) -> Failure {
    Failure::Output(error.to_string())
}

/// Makes the folder of a file.
///
/// # Errors
/// If that can not be done.
pub(crate) fn create_folder_of(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error)),
        None => Ok(()),
    }
}

/// Where a file is written before it takes the place of another.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".part");
    path.with_file_name(name)
}

/// Why a file can not be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Output(format!("{} can not be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_same_and_inert() {
        let text = "a\u{1b}[31m \u{9b}31m \u{7f}\u{202e} \u{e9}\n";
        let mut written = Vec::new();
        write_json(&mut written, &[text]).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(!written.contains(|c: char| shown::acts(c) && c != '\n') && written.contains('\u{e9}'), "{written:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&written).unwrap(), [text]);
    }
}
