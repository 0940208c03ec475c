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
    /// Makes a folder in one that is there.
    ///
    /// # Errors
    /// If it can not be made.
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
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

/// Removes a folder in which somebody who is about to end may still be writing. What can not be removed stays.
pub(crate) fn remove(folder: &Path) {
    for _ in 0..20 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
