//! Files that are written as a whole: what is there is all of it or nothing, whatever happens on the way.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes a file, and makes the folder that it is in.
///
/// # Errors
/// If that can not be done. Then the file is as it was.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    create_folder_of(path)?;
    // A device, or what only seems to be a file, is not to be replaced by one.
    let is_plain = fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_file());
    let written = if is_plain {
        let beside = beside(path);
        let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
        // What is written in part helps nobody.
        written.inspect_err(|_| drop(fs::remove_file(&beside)))
    } else {
        fs::write(path, text)
    };
    written.map_err(|error| unwritable(path, &error))
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
