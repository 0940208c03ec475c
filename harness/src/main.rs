//! The program `webnn`.

use std::process::exit;

fn main() {
    let code = webnn_harness::command_line();
    if webnn_harness::is_a_thread_at_work() {
        replace_with_an_end(code);
    }
    exit(i32::from(code));
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
