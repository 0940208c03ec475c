//! What ends the programs that were started if the harness is killed: a second process of it, the guard.
//!
//! A program that hangs does not notice that its input has ended. The guard reads from a pipe which process groups run. The pipe
//! ends with the harness, whatever that is ended by, and then the guard ends the groups that are left.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::group;

/// The verb of the command line that makes a guard of this program.
pub(crate) const VERB: &str = "guard";

/// The pipe to the guard; none if it could not be started, and then nobody ends what a killed harness leaves behind.
static GUARD: LazyLock<Mutex<Option<ChildStdin>>> = LazyLock::new(|| Mutex::new(start()));

fn start() -> Option<ChildStdin> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    // It holds nothing open that somebody may wait for.
    command.arg(VERB).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // What ends the harness by a signal to its group must not end the guard.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().ok()?.stdin
}

/// Makes sure that there is a guard before there is something to guard.
pub(super) fn begin() {
    tell("");
}

/// Tells the guard of a group that runs, and of the folder that goes with it.
pub(super) fn watch(group: u32, folder: Option<&Path>) {
    // One that can not be written on a line stays where it is.
    let folder = folder.and_then(Path::to_str).filter(|path| !path.contains('\n'));
    tell(&format!("+{group} {}\n", folder.unwrap_or_default()));
}

/// Tells the guard of a group that has ended.
pub(super) fn forget(group: u32) {
    tell(&format!("-{group}\n"));
}

fn tell(line: &str) {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pipe) = guard.as_mut() {
        // A guard that was ended is no reason to end a run.
        drop(pipe.write_all(line.as_bytes()));
    }
}

/// Is a guard: reads what it is told, and ends what is left when nobody is there to tell it anything.
pub(crate) fn keep_watch(told: impl BufRead) {
    for line in told.lines().map_while(Result::ok) {
        let (sign, rest) = line.split_at_checked(1).unwrap_or_default();
        let (number, folder) = rest.split_once(' ').unwrap_or((rest, ""));
        let folder = Some(folder).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        match (sign, number.parse()) {
            ("+", Ok(number)) => group::remember(number, folder),
            ("-", Ok(number)) => drop(group::forget(number)),
            _ => {}
        }
    }
    group::end_all();
}
