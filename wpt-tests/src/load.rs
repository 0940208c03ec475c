//! Where vectors come from: files, folders, and the vectors embedded in this crate.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::check::{IsOperator, Known, SignatureOf};
use crate::error::LoadError;
use crate::file::{self, Reading, Take, Text, VectorFile};
use crate::name_index::NameIndex;
use crate::vector::Vector;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/vectors");

/// Files of at most so many bytes are read at once.
const READ_AT_ONCE: u64 = 1 << 20;

/// A file of vectors that is not loaded yet.
#[derive(Clone, Debug)]
pub struct Source {
    place: Place,
    stem: String,
    fingerprint: Option<u64>,
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
                    sources.push(Self { stem: stem(&relative), place: Place::File(path), fingerprint: None });
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
        let source = |(path, json)| Self { stem: stem(path), place: Place::Embedded(path, json), fingerprint: None };
        Ok(found.into_iter().map(source).collect())
    }

    /// How many bytes it has; none if it can be read only once, as a pipe can.
    #[must_use]
    pub fn byte_length(&self) -> Option<u64> {
        match &self.place {
            Place::Embedded(_, json) => u64::try_from(json.len()).ok(),
            Place::File(path) => fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len()),
        }
    }

    /// The same file, which is refused if it is not what it was ([`LoadError::Changed`]).
    #[must_use]
    pub fn unchanged(self, fingerprint: u64) -> Self {
        Self { fingerprint: Some(fingerprint), ..self }
    }
}

/// Makes ids unique: two files of one stem may hold vectors of one name. A later vector of the same id gets ` #2`, and so
/// on.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    names: NameIndex,
}

impl Ids {
    /// Makes the id of a vector unlike those of the vectors before, and returns its number: [`get`](Self::get) knows it.
    pub fn make_unique(&mut self, vector: &mut Vector) -> usize {
        let (mut number, mut is_new) = self.names.add(&vector.id);
        let mut id = String::new();
        for times in 2.. {
            if is_new {
                break;
            }
            id = format!("{} #{times}", vector.id);
            (number, is_new) = self.names.add(&id);
        }
        if !id.is_empty() {
            vector.id = id;
        }
        number
    }

    /// The id of the vector of this number.
    #[must_use]
    pub fn get(&self, number: usize) -> &str {
        self.names.get(number)
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
        self.collected(Reading { path, stem, text: Text::Bytes(json), known: self.known, fingerprint: None })
    }

    /// Loads a file, whatever its name.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the first thing that is wrong with it.
    pub fn file(&self, path: &Path) -> Result<VectorFile, LoadError> {
        let relative = path.file_name().map_or(path, Path::new);
        self.source(&Source { stem: stem(relative), place: Place::File(path.to_owned()), fingerprint: None })
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
        self.with_reading(source, |reading| self.collected(reading))
    }

    /// Loads one file, a vector at a time, so that it may be larger than the memory: each is given to `take`, which says whether
    /// to go on. What is returned is the file without its vectors, or nothing if `take` wanted no more of them.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the first thing that is wrong with it; `take` was given the vectors before that.
    pub fn each(&self, source: &Source, take: &mut Take<'_>) -> Result<Option<VectorFile>, LoadError> {
        self.with_reading(source, |reading| file::read(reading, take))
    }

    fn with_reading<T>(
        &self,
        source: &Source,
        read: impl FnOnce(Reading<'_>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let Source { place, stem, fingerprint } = source;
        let (known, fingerprint) = (self.known, *fingerprint);
        match place {
            Place::Embedded(path, json) => {
                let path = path.display().to_string();
                read(Reading { path: &path, stem, text: Text::Bytes(json), known, fingerprint })
            }
            Place::File(path) => {
                let name = path.display().to_string();
                let is_large = source.byte_length().is_some_and(|length| length > READ_AT_ONCE);
                if is_large {
                    return read(Reading { path: &name, stem, text: Text::File(path), known, fingerprint });
                }
                let json = fs::read(path).map_err(|source| LoadError::Read { path: path.clone(), source })?;
                read(Reading { path: &name, stem, text: Text::Bytes(&json), known, fingerprint })
            }
        }
    }

    fn collected(&self, reading: Reading<'_>) -> Result<VectorFile, LoadError> {
        let mut vectors = Vec::new();
        let file = file::read(reading, &mut |vector| {
            vectors.push(vector);
            ControlFlow::Continue(())
        })?;
        // It went on to the end.
        let file = file.ok_or_else(|| LoadError::Changed { path: reading.path.into() })?;
        Ok(VectorFile { vectors, ..file })
    }

    fn all(&self, sources: &[Source]) -> Result<Vec<VectorFile>, LoadError> {
        let mut files = sources.iter().map(|source| self.source(source)).collect::<Result<Vec<_>, _>>()?;
        let mut ids = Ids::default();
        for vector in files.iter_mut().flat_map(|file| &mut file.vectors) {
            ids.make_unique(vector);
        }
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
