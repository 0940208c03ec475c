//! Folders that go with what they are for: with the value that has them, and with the program where it is interrupted.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The folders that are there.
static THERE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn there() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that is removed with this value.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// Makes a folder in one that is there, and removes those that processes left which were killed before they could. It is
    /// called `prefix`, with the number of this process.
    ///
    /// # Errors
    /// If it can not be made.
    pub(crate) fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        remove_what_was_left(parent, prefix);
        let path = parent.join(format!("{prefix}{}", std::process::id()));
        let mut there = there();
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => {
                there.insert(path.clone());
                Ok(Self(path))
            }
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&self.0);
        there().remove(&self.0);
    }
}

/// Removes all folders: the program ends. Until it does, whoever wants to make one has to wait.
pub(crate) fn remove_all() {
    let there = there();
    there.iter().for_each(|folder| remove(folder));
    std::mem::forget(there);
}

fn remove_what_was_left(parent: &Path, prefix: &str) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(prefix)).and_then(|number| number.parse().ok());
        if process.and_then(runs) == Some(false) {
            // What can not be removed is left for the next.
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

/// Whether a process of this number runs; `None` where the system does not tell.
fn runs(process: u32) -> Option<bool> {
    Path::new("/proc/self").exists().then(|| Path::new(&format!("/proc/{process}")).exists())
}

/// Removes a folder in which somebody who is about to end may still be writing. What can not be removed stays.
pub(crate) fn remove(folder: &Path) {
    for _ in 0..20 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
