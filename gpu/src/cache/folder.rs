//! A folder of graphs that are kept.
//!
//! ```text
//! lock                          held while an entry is put in place or thrown away: the quota is one for all who write,
//!                               and what is thrown away is what was looked at
//! DEVICE/KEY.graph              an entry: SHA-256 of the device's name and of the key, in hexadecimal digits
//! DEVICE/KEY-PROCESS-N.part     one that is being written
//! ```
//!
//! A file is `"webnn-kg"`, the length of the key in four bytes, the key and the entry. It is written beside its place,
//! flushed to the disk and then renamed, so that whoever reads finds an old entry or a new one and never a part. Whoever
//! writes a `.part` holds a lock on it, which ends with the process, however that ends; one without a lock is left over, and
//! the next to write removes it. So any number of threads and processes can use a folder at once.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use sha2::{Digest, Sha256};
use webnn_reference::buffer::Bytes;
use webnn_reference::proposals::graph_cache::{Entry, GraphStore, StoreError};

const MAGIC: &[u8; 8] = b"webnn-kg";

/// The bytes before the key.
const KEY_AT: usize = MAGIC.len() + 4;

/// So often a file that is being written may be taken for one that is left over, in the moment before it is locked.
const ATTEMPTS: usize = 8;

/// A folder that keeps graphs, for all contexts that are given it.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    quota: u64,
}

impl Folder {
    /// Keeps graphs in this folder, which is made if there is none, and no more than so many bytes of them.
    ///
    /// # Errors
    /// If the folder can not be made.
    pub fn new(path: impl Into<PathBuf>, quota: u64) -> io::Result<Self> {
        let path = path.into();
        fs::create_dir_all(&path)?;
        Ok(Self { path, quota })
    }

    fn of_device(&self, device: &str) -> PathBuf {
        self.path.join(hexadecimal(device))
    }

    fn place(&self, device: &str, key: &str) -> PathBuf {
        self.of_device(device).join(hexadecimal(key)).with_extension("graph")
    }

    /// Keeps others from putting entries in place, until it is dropped.
    fn lock(&self) -> io::Result<File> {
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(self.path.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// Puts a file in place, if that leaves no more than the quota.
    fn settle(&self, part: &Part, place: &Path, bytes: u64) -> Result<(), Unkept> {
        let _lock = self.lock()?;
        let others = self.bytes_beside(place)?;
        if others.saturating_add(bytes) > self.quota {
            let quota = self.quota;
            return Err(Unkept::Full(format!("{others} bytes are kept, and {bytes} more would be above {quota}")));
        }
        fs::rename(&part.path, place)?;
        sync(place.parent())?;
        Ok(())
    }

    /// The bytes of all entries but this.
    fn bytes_beside(&self, place: &Path) -> io::Result<u64> {
        let mut bytes = 0;
        for folder in listed(&self.path)?.into_iter().filter(|path| path.is_dir()) {
            for file in listed(&folder)?.iter().filter(|file| is_entry(file) && *file != place) {
                // One that was removed meanwhile takes no space.
                bytes += fs::metadata(file).map_or(0, |metadata| metadata.len());
            }
        }
        Ok(bytes)
    }

    fn keep(&self, device: &str, key: &str, entry: &[u8]) -> Result<(), Unkept> {
        let key_length = u32::try_from(key.len()).map_err(|_| Unkept::Full("the key is too long".to_owned()))?;
        let bytes = (KEY_AT + key.len() + entry.len()) as u64;
        if bytes > self.quota {
            let quota = self.quota;
            return Err(Unkept::Full(format!("{bytes} bytes are more than the {quota} that may be kept")));
        }
        let (folder, place) = (self.of_device(device), self.place(device, key));
        fs::create_dir_all(&folder)?;
        remove_what_is_left_over(&folder)?;
        for _ in 0..ATTEMPTS {
            let Some(part) = Part::new(&place)? else { continue };
            for piece in [&MAGIC[..], &key_length.to_le_bytes(), key.as_bytes(), entry] {
                (&part.file).write_all(piece)?;
            }
            part.file.sync_all()?;
            match self.settle(&part, &place, bytes) {
                Err(Unkept::Failed(error)) if error.kind() == ErrorKind::NotFound => {}
                settled => return settled,
            }
        }
        Err(Unkept::Failed(io::Error::other("what was written was removed again and again")))
    }

    fn failed(&self, what: &str, error: &io::Error) -> StoreError {
        StoreError::Failed(format!("the folder of graphs {} {what}: {error}", self.path.display()))
    }
}

impl GraphStore for Folder {
    fn keys(&self, device: &str) -> Result<Vec<String>, StoreError> {
        let listed = match listed(&self.of_device(device)) {
            Err(error) if error.kind() == ErrorKind::NotFound => vec![],
            listed => listed.map_err(|error| self.failed("can not be read", &error))?,
        };
        // What is no entry is not listed; it is removed when it is loaded.
        let key = |file: &PathBuf| Found::open(file).ok()??.key(file).map(str::to_owned);
        Ok(listed.iter().filter(|file| is_entry(file)).filter_map(key).collect())
    }

    fn read(&self, device: &str, key: &str) -> Result<Option<Entry>, StoreError> {
        let place = self.place(device, key);
        let found = Found::open(&place).map_err(|error| self.failed("can not be read", &error))?;
        let Some(found) = found else { return Ok(None) };
        let entry = found.entry(&place, self.quota).map_err(|error| self.failed("can not be read", &error))?;
        Ok(Some(entry))
    }

    fn write(&self, device: &str, key: &str, entry: Entry) -> Result<(), StoreError> {
        let Entry::Bytes(entry) = entry else {
            return Err(StoreError::Failed(format!("a folder keeps bytes, and not {entry:?}")));
        };
        self.keep(device, key, &entry.whole()).map_err(|error| match error {
            Unkept::Full(what) => StoreError::Full(what),
            Unkept::Failed(error) if is_full(&error) => StoreError::Full(error.to_string()),
            Unkept::Failed(error) => self.failed("can not be written to", &error),
        })
    }

    fn delete(&self, device: &str, key: &str) -> Result<(), StoreError> {
        let place = self.place(device, key);
        let removed = match fs::remove_file(&place) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| sync(place.parent())),
        };
        removed.map_err(|error| self.failed("can not be written to", &error))
    }

    fn discard(&self, device: &str, key: &str, entry: &Entry) -> Result<(), StoreError> {
        let _lock = self.lock().map_err(|error| self.failed("can not be written to", &error))?;
        let is_still_there = match (self.read(device, key)?, entry) {
            (Some(Entry::Bytes(found)), Entry::Bytes(entry)) => found.whole() == entry.whole(),
            (Some(Entry::Damaged(_)), Entry::Damaged(_)) => true,
            _ => false,
        };
        if is_still_there { self.delete(device, key) } else { Ok(()) }
    }
}

/// Why an entry is not kept.
enum Unkept {
    Full(String),
    Failed(io::Error),
}

impl From<io::Error> for Unkept {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

/// A file that is being written. It is locked, and removed unless it was put in its place.
struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    /// A new one; `None` if it was taken for one that is left over.
    fn new(place: &Path) -> io::Result<Option<Self>> {
        static PARTS: AtomicU32 = AtomicU32::new(0);
        let stem = place.file_stem().unwrap_or_default().to_string_lossy();
        let number = PARTS.fetch_add(1, Ordering::Relaxed);
        let path = place.with_file_name(format!("{stem}-{}-{number}.part", std::process::id()));
        let file = match OpenOptions::new().create_new(true).write(true).open(&path) {
            // Of a process that had the same number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            file => file?,
        };
        let part = Self { path, file };
        match part.file.try_lock() {
            Ok(()) => Ok(Some(part)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Once it is in its place, there is none of this name.
        fs::remove_file(&self.path).ok();
    }
}

/// Removes what nobody is writing any more.
fn remove_what_is_left_over(folder: &Path) -> io::Result<()> {
    for path in listed(folder)?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "part")) {
        let Ok(file) = File::open(path) else { continue };
        if file.try_lock().is_ok() {
            fs::remove_file(path).ok();
        }
    }
    Ok(())
}

/// A file of an entry, of which the beginning has been read.
struct Found {
    file: File,
    bytes: u64,
    /// The key, unless the file is damaged.
    key: Option<String>,
}

impl Found {
    /// The file, if there is one.
    fn open(path: &Path) -> io::Result<Option<Self>> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let bytes = file.metadata()?.len();
        let key = read_key(&mut file, bytes)?;
        Ok(Some(Self { file, bytes, key }))
    }

    /// The key, if this is the file for it.
    fn key(&self, path: &Path) -> Option<&str> {
        self.key.as_deref().filter(|key| path.file_stem().is_some_and(|stem| stem == hexadecimal(key).as_str()))
    }

    /// The entry, or that it is damaged.
    fn entry(self, path: &Path, quota: u64) -> io::Result<Entry> {
        let damaged = |why: &str| Ok(Entry::Damaged(why.to_owned()));
        let Some(key) = self.key(path) else { return damaged("it does not begin with its key") };
        if self.bytes > quota {
            return damaged("it is larger than all that may be kept");
        }
        let bytes = self.bytes - (KEY_AT + key.len()) as u64;
        let mut entry = Vec::new();
        let room = usize::try_from(bytes).ok().and_then(|bytes| entry.try_reserve_exact(bytes).ok());
        room.ok_or(ErrorKind::OutOfMemory)?;
        self.file.take(bytes).read_to_end(&mut entry)?;
        if entry.len() as u64 == bytes { Ok(Entry::Bytes(Bytes::new(entry))) } else { damaged("it ends too early") }
    }
}

/// The key of a file of so many bytes, if it has one.
fn read_key(file: &mut File, bytes: u64) -> io::Result<Option<String>> {
    let mut head = [0; KEY_AT];
    if bytes < KEY_AT as u64 {
        return Ok(None);
    }
    file.read_exact(&mut head)?;
    let (magic, length) = head.split_at(MAGIC.len());
    let length = length.iter().rev().fold(0, |length, byte| length << 8 | u64::from(*byte));
    if magic != MAGIC || length > bytes - KEY_AT as u64 {
        return Ok(None);
    }
    let mut key = Vec::new();
    file.take(length).read_to_end(&mut key)?;
    Ok(String::from_utf8(key).ok().filter(|key| key.len() as u64 == length))
}

fn is_entry(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "graph")
}

fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Makes sure that a folder's list of files is on the disk.
fn sync(folder: Option<&Path>) -> io::Result<()> {
    match folder {
        // Elsewhere a folder can not be opened as a file, and renaming is safe by itself.
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// A name for a file, whatever the text: neither its length nor its characters matter.
fn hexadecimal(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
