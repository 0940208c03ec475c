//! The standard input of an adapter, into which an adapter that does not read can not draw the harness.

use std::io::Write;
use std::process::ChildStdin;
use std::thread::{self, JoinHandle};

/// A line of so many bytes fits into the pipe: what the adapter was sent before it has answered, and so has read.
const SHORT: usize = 1 << 13;

/// What lines are written to. A short line is written at once, as to wake a thread for it takes longer than to write it; a
/// long one by a thread of its own, which has the pipe until the adapter has read enough.
#[derive(Debug)]
pub(super) enum Input {
    /// Nothing is being written.
    Idle(ChildStdin),
    /// A line is; the thread gives the pipe back.
    Writing(JoinHandle<Option<ChildStdin>>),
    /// The adapter has closed its end, or was told that nothing comes any more.
    Closed,
}

impl Input {
    /// Writes a line behind those before.
    pub(super) fn send(&mut self, line: String) {
        let written = match std::mem::replace(self, Self::Closed) {
            Self::Idle(pipe) if line.len() < SHORT => write(pipe, line).map(Self::Idle),
            Self::Idle(pipe) => Some(Self::Writing(thread::spawn(move || write(pipe, line)))),
            Self::Writing(before) if before.is_finished() => {
                *self = given_back(before).map_or(Self::Closed, Self::Idle);
                return self.send(line);
            }
            // It answers before it has read to the end.
            Self::Writing(before) => Some(Self::Writing(thread::spawn(move || write(given_back(before)?, line)))),
            Self::Closed => None,
        };
        *self = written.unwrap_or(Self::Closed);
    }
}

fn given_back(thread: JoinHandle<Option<ChildStdin>>) -> Option<ChildStdin> {
    thread.join().ok()?
}

/// Writes a line, and gives the pipe back if that went well: an adapter that is gone is noticed when its answer is waited
/// for.
fn write(mut pipe: ChildStdin, mut line: String) -> Option<ChildStdin> {
    // In one piece, so that the adapter is woken once.
    line.push('\n');
    pipe.write_all(line.as_bytes()).ok().map(|()| pipe)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn started(script: &str) -> (Child, Input) {
        let mut command = Command::new("sh");
        let command = command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a shell");
        let input = child.stdin.take().expect("it is piped");
        (child, Input::Idle(input))
    }

    #[test]
    fn lines_of_any_length_come_in_their_order_and_nobody_waits_for_who_reads_late() {
        let lines = ["a".repeat(10), "b".repeat(3_000_000), "c".repeat(20), "d".repeat(3_000_000), "e".to_owned()];
        let (mut child, mut input) = started("sleep 2; cat");
        let begun = Instant::now();
        lines.iter().for_each(|line| input.send(line.clone()));
        drop(input);
        assert!(begun.elapsed() < Duration::from_millis(1900), "they were written after {:?}", begun.elapsed());

        let mut read = String::new();
        child.stdout.take().expect("it is piped").read_to_string(&mut read).expect("it is text");
        assert!(read == lines.join("\n") + "\n", "{} bytes came", read.len());
        child.wait().expect("it ends with its input");
    }

    #[test]
    fn what_is_sent_to_a_program_that_is_gone_is_lost() {
        let (mut child, mut input) = started("exit 0");
        child.wait().expect("it ends");
        (0..3).for_each(|_| input.send("a line".into()));
        assert!(matches!(input, Input::Closed));
    }
}
