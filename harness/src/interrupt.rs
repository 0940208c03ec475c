//! Ctrl-C: a run that is interrupted ends in order, with a result file that says so; anything else ends at once. What was started
//! outside is ended in either case, and temporary folders are removed.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::INTERRUPTED;
use crate::outside::group;
use crate::{temporary, worker};

static IS_ASKED_FOR: AtomicBool = AtomicBool::new(false);
static IS_IN_ORDER: AtomicBool = AtomicBool::new(false);

/// Listens to Ctrl-C, and to what asks a program to end.
pub(crate) fn listen() {
    let ended = ctrlc::set_handler(|| {
        let is_the_first = !IS_ASKED_FOR.swap(true, Ordering::Relaxed);
        if !(is_the_first && IS_IN_ORDER.load(Ordering::Relaxed)) {
            group::end_all();
            temporary::remove_all();
            end(INTERRUPTED);
        }
    });
    // Without a handler the system ends the program, as it always did.
    drop(ended);
}

/// Whether somebody wants the program to end.
pub(crate) fn is_asked_for() -> bool {
    IS_ASKED_FOR.load(Ordering::Relaxed)
}

/// While this lives, an interruption is left to who asks [`is_asked_for`]. A second one ends the program at once.
pub(crate) struct InOrder(());

impl InOrder {
    pub(crate) fn begin() -> Self {
        IS_IN_ORDER.store(true, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for InOrder {
    fn drop(&mut self) {
        IS_IN_ORDER.store(false, Ordering::Relaxed);
    }
}

/// Ends the program, also where a thread of it is at work, or hangs.
pub(crate) fn end(code: u8) -> ! {
    if worker::is_one_at_work() {
        replace_with_an_end(code);
    }
    exit(i32::from(code))
}

/// Ends the program although a thread of it is at work, or hangs.
///
/// `exit` runs what libraries have left to be run at the end, which waits for locks that a hanging driver may hold.
/// Replacing the program with one that only ends runs nothing and ends every thread.
#[cfg(unix)]
fn replace_with_an_end(code: u8) {
    use std::os::unix::process::CommandExt;
    if let Ok(program) = std::env::current_exe() {
        // Comes back only if it failed, and then there is nothing better than `exit`.
        let _failed = std::process::Command::new(program).args(["end", &code.to_string()]).exec();
    }
}

#[cfg(not(unix))]
fn replace_with_an_end(_code: u8) {}
