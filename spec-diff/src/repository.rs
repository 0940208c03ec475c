//! Where this repository's own files are.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The code that encodes the specification.
const CODE: &str = "reference/src";
/// The specification as the code was last compared with it.
const LOCK: &str = "spec-diff/steps.lock";
/// The steps that no vector reaches, and why.
const UNREACHED: &str = "spec-diff/unreached.toml";
/// Our proposals to change it.
const PROPOSALS: &str = "spec-diff/proposals";

/// A checkout of this repository.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository that a folder is in.
    pub(crate) fn around(folder: &Path) -> Option<Self> {
        let is_root = |folder: &&Path| folder.join(CODE).is_dir() && folder.join("spec-diff").is_dir();
        folder.ancestors().find(is_root).map(|root| Self { root: root.to_owned() })
    }

    /// Its folder with the code.
    pub(crate) fn code(&self) -> PathBuf {
        self.root.join(CODE)
    }

    /// Its lock.
    pub(crate) fn lock(&self) -> PathBuf {
        self.root.join(LOCK)
    }

    /// Its list of steps that no vector reaches.
    pub(crate) fn unreached(&self) -> PathBuf {
        self.root.join(UNREACHED)
    }

    /// Its folder with the proposals.
    pub(crate) fn proposal_folder(&self) -> PathBuf {
        self.root.join(PROPOSALS)
    }

    /// Its proposals, in alphabetical order.
    pub(crate) fn proposals(&self) -> io::Result<Vec<PathBuf>> {
        let folder = self.proposal_folder();
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
        let mut proposals = entries?;
        proposals.retain(|path| path.extension().is_some_and(|extension| extension == "bs"));
        proposals.sort();
        Ok(proposals)
    }
}
