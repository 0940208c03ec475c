//! A program that is started together with all that it starts itself: a process group, which is ended as a whole.
//!
//! A group of its own also keeps the terminal's Ctrl-C from it: it is for the harness to say what an interruption ends, or what
//! was started would seem to crash.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::guard;
use crate::temporary::remove;

/// The groups that run, by the number of their first process, each with a folder that goes with it.
static RUNNING: Mutex<BTreeMap<u32, Option<PathBuf>>> = Mutex::new(BTreeMap::new());

fn running() -> MutexGuard<'static, BTreeMap<u32, Option<PathBuf>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program and what it has started. It does not outlive this.
#[derive(Debug)]
pub(crate) struct Group {
    pub(super) child: Child,
}

impl Group {
    /// Starts a program; `folder` is removed when it ends.
    ///
    /// # Errors
    /// If it can not be started.
    pub(crate) fn start(command: &mut Command, folder: Option<PathBuf>) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        guard::begin();
        let child = command.spawn()?;
        guard::watch(child.id(), folder.as_deref());
        remember(child.id(), folder);
        Ok(Self { child })
    }

    /// Waits for its first process to end.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if begun.elapsed() < limit => thread::sleep(Duration::from_millis(2)),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let id = self.child.id();
        kill(id);
        // One that has ended already can not be ended, and need not be.
        drop(self.child.kill());
        drop(self.child.wait());
        guard::forget(id);
        if let Some(folder) = forget(id) {
            remove(&folder);
        }
    }
}

/// Notes that a group runs.
pub(super) fn remember(id: u32, folder: Option<PathBuf>) {
    running().insert(id, folder);
}

/// Notes that a group has ended; the folder that goes with it.
pub(super) fn forget(id: u32) -> Option<PathBuf> {
    running().remove(&id).flatten()
}

/// Ends all groups that run: the program ends, and who waits for them is not there any more.
pub(crate) fn end_all() {
    let groups = std::mem::take(&mut *running());
    groups.keys().for_each(|id| kill(*id));
    groups.into_values().flatten().for_each(|folder| remove(&folder));
}

#[cfg(unix)]
fn kill(id: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(id) = i32::try_from(id) {
        // There is nobody to kill where all have ended.
        _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
    }
}

/// Where there are no process groups, the program itself is ended by who started it.
#[cfg(not(unix))]
fn kill(_id: u32) {}
