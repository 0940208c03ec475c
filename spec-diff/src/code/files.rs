//! The source files of a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::CodeError;

/// All Rust files in a folder and its folders, in alphabetical order, but a module before the folder of its parts: a
/// file says what of its folder is a test. Links to folders are not followed.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, CodeError> {
    let error = |path: &Path| {
        let path = path.to_owned();
        move |source| CodeError::Io { path, source }
    };
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(error(&folder))? {
            let entry = entry.map_err(error(&folder))?;
            let path = entry.path();
            if entry.file_type().map_err(error(&path))?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(CodeError::NoFiles { path: folder.to_owned() });
    }
    files.sort_by_cached_key(|path| module_key(path));
    Ok(files)
}

fn is_root(path: &Path) -> bool {
    ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| path.ends_with(name))
}

/// A file that declares modules sorts before those: `lib.rs` as its folder does, `x.rs` as the folder `x` does.
fn module_key(path: &Path) -> PathBuf {
    if is_root(path) { path.parent().unwrap_or(path).to_owned() } else { path.with_extension("") }
}

/// The Rust files of a folder, with their text.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The folder.
    pub folder: PathBuf,
    /// Its files, in alphabetical order.
    pub files: Vec<(PathBuf, String)>,
}

impl Sources {
    /// Reads all Rust files of a folder.
    ///
    /// # Errors
    /// If the folder or a file can not be read, or a file is not text.
    pub fn read(folder: &Path) -> Result<Self, CodeError> {
        let files = rust_files(folder)?.into_iter().map(|file| read(&file).map(|source| (file, source)));
        Ok(Self { folder: folder.to_owned(), files: files.collect::<Result<_, _>>()? })
    }
}

/// Reads a file.
fn read(path: &Path) -> Result<String, CodeError> {
    let bytes = fs::read(path).map_err(|source| CodeError::Io { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count();
        CodeError::NotRust { path: path.to_owned(), line, reason: "it is not UTF-8".into() }
    })
}

/// Where the modules that a file declares may lie: each as a file and as a folder.
pub(super) fn modules_of(file: &Path, names: &[String]) -> Vec<PathBuf> {
    let folder = module_key(file);
    names.iter().flat_map(|name| [folder.join(format!("{name}.rs")), folder.join(name)]).collect()
}
