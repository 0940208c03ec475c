//! A range of a file as a blob.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use memmap2::{Mmap, MmapOptions};
use webnn_reference::supply::{Blob, Unreadable};

use crate::Error;

/// Bytes of a file, or all of them. Clones and slices share what is open.
///
/// They are those that the file had when it was opened, or an error: every read ends by looking whether the file is still
/// there under its name, with the length, the time and the identity that it had. (A change within one tick of the file
/// system's clock that leaves the length as it is goes unseen.)
#[derive(Clone, Debug)]
pub struct File {
    opened: Arc<Opened>,
    bytes: Range<u64>,
}

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    file: Positioned,
    /// All of it, where nobody can change it any more.
    map: Option<Mmap>,
    state: State,
}

/// What tells a file from another, and from itself at another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    length: u64,
    modified: Option<SystemTime>,
    /// Its device and its number there, where files have them.
    identity: Option<(u64, u64)>,
}

impl File {
    /// Opens a file.
    ///
    /// # Errors
    /// If there is none, or it can not be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let failed = |error: io::Error| Error::new(path, error.to_string());
        let file = fs::File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(Error::new(path, "is no file"));
        }
        let state = State::of(&metadata);
        let opened = Opened { path: path.to_owned(), file: Positioned::new(file), map: None, state };
        Ok(Self { opened: Arc::new(opened), bytes: 0..state.length })
    }

    /// The same bytes, mapped into memory: what takes them copies them once and not twice. Other than what is read, they count
    /// as the process's own memory once they were touched, and a disk that fails ends the process.
    ///
    /// # Errors
    /// If the system does not vouch that nobody can change the file, as it does for memory files that are sealed and for
    /// files with fs-verity. A file that is cut short while it is mapped would end the process.
    pub fn mapped(&self) -> Result<Self, Error> {
        let failed = |reason: String| Error::new(self.path(), format!("is not mapped: {reason}"));
        let file = fs::File::open(self.path()).map_err(|error| failed(error.to_string()))?;
        let map = MmapOptions::new().map_if_safe(&file).map_err(|error| failed(error.to_string()))?;
        self.opened.ensure_unchanged().map_err(failed)?;
        let (path, state) = (self.path().to_owned(), self.opened.state);
        let opened = Opened { path, file: Positioned::new(file), map: Some(map), state };
        Ok(Self { opened: Arc::new(opened), bytes: self.bytes.clone() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.opened.path
    }

    /// Which bytes of the file they are.
    pub fn range(&self) -> Range<u64> {
        self.bytes.clone()
    }

    /// The `length` bytes that begin at `start`.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn slice(&self, start: u64, length: u64) -> Result<Self, Error> {
        let size = self.size();
        if start > size || length > size - start {
            let reason = format!("{length} bytes at byte {start} were asked for, but there are {size}");
            return Err(Error::new(self.path(), reason));
        }
        let start = self.bytes.start + start;
        Ok(Self { opened: Arc::clone(&self.opened), bytes: start..start + length })
    }
}

impl Blob for File {
    fn size(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Unreadable> {
        // Only to know that they are there.
        let here = self.slice(offset, into.len() as u64).map_err(|error| error.to_string())?;
        if let Some(bytes) = here.in_memory() {
            into.copy_from_slice(bytes);
            return Ok(());
        }
        let read = self.opened.file.read(here.bytes.start, into);
        // Afterwards, so that nothing that changed while it was read is taken for what it was.
        self.opened.ensure_unchanged()?;
        read.map_err(|error| {
            let (path, Range { start, end }) = (self.path().display(), here.bytes);
            format!("{path}: bytes {start} to {end} can not be read: {error}")
        })
    }

    fn in_memory(&self) -> Option<&[u8]> {
        let (start, end) = (usize::try_from(self.bytes.start).ok()?, usize::try_from(self.bytes.end).ok()?);
        self.opened.map.as_ref()?.get(start..end)
    }
}

impl Opened {
    fn ensure_unchanged(&self) -> Result<(), Unreadable> {
        let path = self.path.display();
        let now = match fs::metadata(&self.path) {
            Ok(metadata) => State::of(&metadata),
            Err(error) => return Err(format!("{path} is gone since it was opened: {error}")),
        };
        let before = self.state;
        if now == before {
            return Ok(());
        }
        Err(if now.identity != before.identity {
            format!("{path} was replaced by another file since it was opened; open it again")
        } else if now.length < before.length {
            format!("{path} was cut to {} bytes; it had {} when it was opened", now.length, before.length)
        } else {
            format!("{path} was written to since it was opened; open it again")
        })
    }
}

impl State {
    fn of(metadata: &fs::Metadata) -> Self {
        Self { length: metadata.len(), modified: metadata.modified().ok(), identity: identity(metadata) }
    }
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// A file that is read by positions, from any thread.
#[cfg(unix)]
#[derive(Debug)]
struct Positioned(fs::File);

#[cfg(unix)]
impl Positioned {
    fn new(file: fs::File) -> Self {
        Self(file)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, into, at)
    }
}

/// A file that is read by positions, from any thread: one after the other, since what the standard library has for all
/// platforms is to seek and to read.
#[cfg(not(unix))]
#[derive(Debug)]
struct Positioned(std::sync::Mutex<fs::File>);

#[cfg(not(unix))]
impl Positioned {
    fn new(file: fs::File) -> Self {
        Self(std::sync::Mutex::new(file))
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        // Where another thread panicked, the position is anywhere, which is no matter.
        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(into)
    }
}
