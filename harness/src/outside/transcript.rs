//! The exact conversation with adapters, as JSON lines: who said what, and when.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Speaker {
    /// The harness, to standard input.
    Harness,
    /// The adapter, to standard output.
    Adapter,
    /// The adapter, to standard error.
    StandardError,
    /// Nobody: how the process ended without an answer, or why it was given up.
    End,
}

/// One line of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Said {
    /// Which process of the run.
    pub(crate) process: u32,
    /// Seconds since the run began.
    pub(crate) at: f64,
    /// Who wrote it.
    pub(crate) by: Speaker,
    /// What.
    pub(crate) line: String,
}

/// Where conversations are kept, if they are. Clones are of the same process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    file: Option<Arc<Kept>>,
    process: u32,
}

#[derive(Debug)]
struct Kept {
    file: Mutex<File>,
    begun: Instant,
    processes: AtomicU32,
}

impl Transcript {
    /// Keeps conversations in a file.
    ///
    /// # Errors
    /// If the file can not be written.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path)
            .map_err(|error| Failure::Output(format!("{} can not be written: {error}", path.display())))?;
        let kept = Kept { file: Mutex::new(file), begun: Instant::now(), processes: AtomicU32::new(0) };
        Ok(Self { file: Some(Arc::new(kept)), process: 0 })
    }

    /// For another process of the same run.
    pub(super) fn of_a_new_process(&self) -> Self {
        let process = self.file.as_ref().map_or(0, |kept| kept.processes.fetch_add(1, Ordering::Relaxed));
        Self { file: self.file.clone(), process }
    }

    pub(super) fn note(&self, by: Speaker, line: &str) {
        let Some(kept) = &self.file else {
            return;
        };
        let at = kept.begun.elapsed().as_secs_f64();
        let said = Said { process: self.process, at, by, line: line.trim_end().to_owned() };
        if let Ok(text) = serde_json::to_string(&said) {
            // A transcript that can not be written to must not end the run that it is of.
            let mut file = kept.file.lock().unwrap_or_else(PoisonError::into_inner);
            drop(writeln!(file, "{text}"));
        }
    }
}
