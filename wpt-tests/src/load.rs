//! Where vectors come from: files, folders, and the vectors embedded in this crate.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::check::{IsOperator, Known, SignatureOf};
use crate::error::LoadError;
use crate::file::{self, VectorFile};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/vectors");

/// A file of vectors that is not loaded yet.
#[derive(Clone, Debug)]
pub struct Source {
    place: Place,
    stem: String,
}

#[derive(Clone, Debug)]
enum Place {
    File(PathBuf),
    Embedded(&'static Path, &'static [u8]),
}

impl Source {
    /// The files that these paths stand for: files, and every `*.json` below folders, in the order of their names. A file
    /// that is reached twice is there once.
    ///
    /// # Errors
    ///
    /// Something cannot be read, or there is no file at all ([`LoadError::Empty`]).
    pub fn of_paths<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<Self>, LoadError> {
        let mut sources = Vec::new();
        let mut seen = HashSet::new();
        for path in paths {
            for Found { path, relative } in find(path.as_ref())? {
                if seen.insert(canonical(&path)?) {
                    sources.push(Self { stem: stem(&relative), place: Place::File(path) });
                }
            }
        }
        if sources.is_empty() { Err(LoadError::Empty { path: PathBuf::new() }) } else { Ok(sources) }
    }

    /// The files embedded in this crate, in the order of their names.
    ///
    /// # Errors
    ///
    /// There are none ([`LoadError::Empty`]).
    pub fn embedded() -> Result<Vec<Self>, LoadError> {
        let mut found = Vec::new();
        collect_embedded(&EMBEDDED, &mut found);
        found.sort_by_key(|(path, _)| *path);
        if found.is_empty() {
            return Err(LoadError::Empty { path: PathBuf::from("vectors") });
        }
        let source = |(path, json)| Self { stem: stem(path), place: Place::Embedded(path, json) };
        Ok(found.into_iter().map(source).collect())
    }
}

/// Makes ids unique: two files of one stem may hold vectors of one name. A later vector of the same id gets ` #2`, and so
/// on.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    seen: HashMap<String, usize>,
}

impl Ids {
    /// Makes the ids of a file's vectors unlike those of the files before.
    pub fn make_unique(&mut self, file: &mut VectorFile) {
        for vector in &mut file.vectors {
            let times = self.seen.entry(vector.id.clone()).or_default();
            *times += 1;
            if *times > 1 {
                vector.id = format!("{} #{times}", vector.id);
            }
        }
    }
}

/// Loads vectors.
#[derive(Clone, Copy, Default)]
pub struct Loader<'a> {
    known: Known<'a>,
}

impl std::fmt::Debug for Loader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loader").field("checks_operators", &self.known.is_operator.is_some()).finish()
    }
}

impl<'a> Loader<'a> {
    /// A loader that takes any operator's name, for tools that only read.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A loader that refuses operators for which `is_operator` is false.
    #[must_use]
    pub fn with_operators(is_operator: IsOperator<'a>) -> Self {
        Self { known: Known { is_operator: Some(is_operator), signature: None } }
    }

    /// A loader that refuses operators without a signature, arguments that are not in it, and operands that do not exist.
    #[must_use]
    pub fn with_signatures(signature: SignatureOf<'a>) -> Self {
        Self { known: Known { is_operator: None, signature: Some(signature) } }
    }

    /// Loads the text of a file; `path` is for messages and `stem` for the vectors' ids.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn text(&self, path: &str, stem: &str, json: &[u8]) -> Result<VectorFile, LoadError> {
        file::read(path, stem, json, self.known)
    }

    /// Loads a file, whatever its name.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the first thing that is wrong with it.
    pub fn file(&self, path: &Path) -> Result<VectorFile, LoadError> {
        let relative = path.file_name().map_or(path, Path::new);
        self.source(&Source { stem: stem(relative), place: Place::File(path.to_owned()) })
    }

    /// Loads files and folders (every `*.json` below, in the order of their names). The ids are
    /// unique: a later vector of the same id gets ` #2`, and so on. A file that is reached twice is
    /// loaded once.
    ///
    /// # Errors
    ///
    /// Something cannot be read or is wrong, or there is no file at all ([`LoadError::Empty`]).
    pub fn paths<P: AsRef<Path>>(&self, paths: &[P]) -> Result<Vec<VectorFile>, LoadError> {
        self.all(&Source::of_paths(paths)?)
    }

    /// Loads the vectors embedded in this crate.
    ///
    /// # Errors
    ///
    /// There are none ([`LoadError::Empty`]), or something is wrong with one, which the tests of
    /// this crate exclude.
    pub fn embedded(&self) -> Result<Vec<VectorFile>, LoadError> {
        self.all(&Source::embedded()?)
    }

    /// Loads one file. Its vectors' ids may be those of another file's ([`Ids`]).
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the first thing that is wrong with it.
    pub fn source(&self, source: &Source) -> Result<VectorFile, LoadError> {
        match &source.place {
            Place::Embedded(path, json) => self.text(&path.display().to_string(), &source.stem, json),
            Place::File(path) => {
                let json = fs::read(path).map_err(|source| LoadError::Read { path: path.clone(), source })?;
                self.text(&path.display().to_string(), &source.stem, &json)
            }
        }
    }

    fn all(&self, sources: &[Source]) -> Result<Vec<VectorFile>, LoadError> {
        let mut files = sources.iter().map(|source| self.source(source)).collect::<Result<Vec<_>, _>>()?;
        let mut ids = Ids::default();
        files.iter_mut().for_each(|file| ids.make_unique(file));
        Ok(files)
    }
}

/// A file, and its path from the folder that was named.
struct Found {
    path: PathBuf,
    relative: PathBuf,
}

fn canonical(path: &Path) -> Result<PathBuf, LoadError> {
    path.canonicalize().map_err(|source| LoadError::Read { path: path.to_owned(), source })
}

/// The path without its extension, with `/` between folders on every system.
fn stem(relative: &Path) -> String {
    let stem = relative.with_extension("");
    stem.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// The vector files that a path stands for.
fn find(path: &Path) -> Result<Vec<Found>, LoadError> {
    let metadata = fs::metadata(path).map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
    if !metadata.is_dir() {
        let relative = path.file_name().map_or_else(|| path.to_owned(), PathBuf::from);
        return Ok(vec![Found { path: path.to_owned(), relative }]);
    }
    let mut found = Vec::new();
    walk(path, Path::new(""), &mut HashSet::new(), &mut found)?;
    if found.is_empty() {
        return Err(LoadError::Empty { path: path.to_owned() });
    }
    found.sort_by(|a, b| a.relative.cmp(&b.relative));
    Ok(found)
}

/// Collects the vector files below a folder. `seen` ends loops of symbolic links.
fn walk(folder: &Path, relative: &Path, seen: &mut HashSet<PathBuf>, found: &mut Vec<Found>) -> Result<(), LoadError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| LoadError::Read { path, source }
    };
    if !seen.insert(canonical(folder)?) {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let entry = entry.map_err(unreadable(folder))?;
        let (path, relative) = (entry.path(), relative.join(entry.file_name()));
        // Follows links, so that a linked folder counts as a folder. A broken link is an error only
        // as a vector file.
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => walk(&path, &relative, seen, found)?,
            Err(source) if is_json(&path) => return Err(LoadError::Read { path, source }),
            _ if is_json(&path) => found.push(Found { path, relative }),
            _ => {}
        }
    }
    Ok(())
}

fn collect_embedded(dir: &Dir<'static>, found: &mut Vec<(&'static Path, &'static [u8])>) {
    found.extend(dir.files().filter(|file| is_json(file.path())).map(|file| (file.path(), file.contents())));
    for folder in dir.dirs() {
        collect_embedded(folder, found);
    }
}
