//! A running adapter: lines to it, lines from it, and what becomes of it.
//!
//! A thread reads its output and another its standard error, so that neither can fill up and stop it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::group::Group;
use super::input::Input;
use super::transcript::{Speaker, Transcript};

/// The longest line that is read, and in what parts.
const LONGEST_LINE: usize = 1 << 30;
const PART: usize = 1 << 16;

/// How many bytes may wait in a pipe, where the system can be asked for it: with its usual 64 KiB, long lines wake both sides
/// for every part.
#[cfg(target_os = "linux")]
const PIPE: usize = 1 << 20;

/// How many bytes are shown of what is no text.
const SHOWN_BYTES: usize = 16;

/// How many lines of standard error are kept, and how much of each.
const KEPT_LINES: usize = 20;
const KEPT_BYTES: usize = 500;

/// How long the last lines of a program that has ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a program may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// Why no line came.
#[derive(Debug)]
pub(super) enum Silence {
    /// The program ended, or closed its output: how.
    Ended(String),
    /// It did not answer in time; of a line so many bytes had come.
    TimedOut { limit: Duration, begun: usize },
    /// What it wrote is no line of text.
    Unreadable(String),
}

impl std::fmt::Display for Silence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ended(how) => f.write_str(how),
            Self::TimedOut { limit, begun } => {
                write!(f, "did not answer within {} s (--timeout)", limit.as_secs_f64())?;
                match begun {
                    0 => Ok(()),
                    begun => write!(f, ": {begun} bytes of a line had come, and not its end"),
                }
            }
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

/// The program of an adapter.
#[derive(Debug)]
pub(super) struct Process {
    group: Group,
    input: Input,
    lines: Receiver<Result<String, String>>,
    /// How many bytes have come of a line that has no end yet.
    begun: Arc<AtomicUsize>,
    errors: LastLines,
    transcript: Transcript,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// Why it can not be started.
    pub(super) fn start(words: &[String], transcript: Transcript) -> Result<Self, String> {
        let (program, arguments) = words.split_first().ok_or("no program is named")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Group::start(&mut command, None);
        let mut group =
            started.map_err(|error| format!("{program:?} can not be started: {error}{}", meant(program)))?;
        let child = &mut group.child;
        let (Some(input), Some(output), Some(error)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("its standard input and output can not be reached".into());
        };
        // What is in the way of that, such as a limit, costs time and nothing else.
        #[cfg(target_os = "linux")]
        {
            _ = rustix::pipe::fcntl_setpipe_size(&input, PIPE);
            _ = rustix::pipe::fcntl_setpipe_size(&output, PIPE);
        }
        let errors = LastLines::default();
        let begun = Arc::new(AtomicUsize::new(0));
        let (to, lines) = channel();
        let count = Arc::clone(&begun);
        thread::spawn(move || read_lines(BufReader::with_capacity(PART, output), &count, &to));
        errors.keep(error, transcript.clone());
        Ok(Self { group, input: Input::Idle(input), lines, begun, errors, transcript })
    }

    /// Sends a line. A program that is gone is noticed when its answer is waited for.
    pub(super) fn send(&mut self, line: String) {
        self.transcript.note(Speaker::Harness, &line);
        self.input.send(line);
    }

    /// Waits for a line.
    ///
    /// # Errors
    /// Why none came.
    pub(super) fn receive(&mut self, limit: Duration) -> Result<String, Silence> {
        let received = match self.lines.recv_timeout(limit) {
            Ok(Ok(line)) => {
                self.transcript.note(Speaker::Adapter, &line);
                return Ok(line);
            }
            Ok(Err(why)) => Silence::Unreadable(why),
            Err(RecvTimeoutError::Timeout) => self.how_it_timed_out(limit),
            Err(RecvTimeoutError::Disconnected) => Silence::Ended(self.how_it_ended()),
        };
        self.transcript.note(Speaker::End, &received.to_string());
        Err(received)
    }

    /// A line that has come already.
    pub(super) fn surplus(&mut self) -> Option<String> {
        let line = self.lines.try_recv().ok()?.ok()?;
        self.transcript.note(Speaker::Adapter, &line);
        Some(line)
    }

    /// A program that has ended may have left another behind, which has its output still.
    fn how_it_timed_out(&mut self, limit: Duration) -> Silence {
        match self.group.wait(Duration::ZERO) {
            Some(status) => Silence::Ended(format!(
                "ended ({status}) without an answer; what it has started keeps its standard output open, so that this was \
                 noticed after {} s only (--timeout)",
                limit.as_secs_f64()
            )),
            None => Silence::TimedOut { limit, begun: self.begun.load(Ordering::Relaxed) },
        }
    }

    fn how_it_ended(&mut self) -> String {
        match self.group.wait(Duration::from_secs(1)) {
            Some(status) => {
                self.errors.wait_for_the_end();
                format!("ended ({status}) without an answer")
            }
            None => "closed its standard output without an answer".into(),
        }
    }

    /// The last lines of its standard error.
    pub(super) fn last_errors(&self) -> String {
        self.errors.to_string()
    }

    /// Asks it to end, and ends it if it does not; a line that it had not been asked for.
    pub(super) fn stop(mut self, line: String) -> Option<String> {
        self.send(line);
        self.input = Input::Closed;
        self.group.wait(GRACE);
        let line = self.lines.recv_timeout(LAST_WORDS).ok()?.ok()?;
        self.transcript.note(Speaker::Adapter, &line);
        Some(line)
    }
}

/// What may have been meant by a program that can not be started.
fn meant(program: &str) -> &'static str {
    if program.contains('=') { "; there is no shell: `cmd:env NAME=VALUE PROGRAM` sets a variable" } else { "" }
}

fn read_lines(mut output: impl BufRead, begun: &AtomicUsize, to: &Sender<Result<String, String>>) {
    loop {
        let told = match read_line(&mut output, begun) {
            Ok(line) if line.is_empty() => return,
            Ok(line) if line.len() > LONGEST_LINE => Err(format!("wrote a line of more than {LONGEST_LINE} bytes")),
            Ok(line) => String::from_utf8(line).map_err(|error| no_text(&error)),
            Err(error) => Err(format!("its output can not be read: {error}")),
        };
        let is_the_last = told.is_err();
        if to.send(told).is_err() || is_the_last {
            return;
        }
    }
}

/// Reads up to the end of a line, and counts what has come of it.
fn read_line(output: &mut impl BufRead, begun: &AtomicUsize) -> std::io::Result<Vec<u8>> {
    let mut line = Vec::new();
    loop {
        let length = match output.fill_buf() {
            Ok(mut part) => part.read_until(b'\n', &mut line)?,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        output.consume(length);
        if length == 0 || line.ends_with(b"\n") || line.len() > LONGEST_LINE {
            begun.store(0, Ordering::Relaxed);
            return Ok(line);
        }
        begun.store(line.len(), Ordering::Relaxed);
    }
}

fn no_text(error: &std::string::FromUtf8Error) -> String {
    let place = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes()[place..].trim_ascii_end();
    let shown: Vec<String> = bytes.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > SHOWN_BYTES { " \u{2026}" } else { "" };
    format!(
        "wrote a line that is not UTF-8: {}{more} at byte {place}; what is no answer is printed to standard error",
        shown.join(" ")
    )
}

/// The last lines that a program wrote to standard error.
#[derive(Clone, Debug, Default)]
pub(super) struct LastLines(Arc<(Mutex<Kept>, Condvar)>);

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<String>,
    /// Whether nothing more can come.
    is_all: bool,
}

impl LastLines {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the last lines of what is written there, in a thread of its own.
    pub(super) fn keep(&self, error: impl Read + Send + 'static, transcript: Transcript) {
        let last = self.clone();
        thread::spawn(move || {
            let mut error = BufReader::new(error);
            loop {
                let mut line = Vec::new();
                // A line without an end is kept in parts.
                match (&mut error).take(KEPT_BYTES as u64).read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                transcript.note(Speaker::StandardError, &line);
                let mut kept = last.kept();
                kept.lines.push_back(line);
                if kept.lines.len() > KEPT_LINES {
                    kept.lines.pop_front();
                }
            }
            last.kept().is_all = true;
            last.0.1.notify_all();
        });
    }

    /// Waits for the last words of a program that has ended. What it started may still be writing.
    pub(super) fn wait_for_the_end(&self) {
        // Where that takes too long, what is there is shown.
        drop(self.0.1.wait_timeout_while(self.kept(), LAST_WORDS, |kept| !kept.is_all));
    }
}

impl std::fmt::Display for LastLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kept().lines.iter().try_for_each(|line| write!(f, "\n  stderr: {line}"))
    }
}
