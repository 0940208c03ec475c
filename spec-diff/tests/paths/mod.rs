//! Files that the tests read.

use std::path::PathBuf;

/// The folder so many levels above this crate's: 1 for the repository, 2 for where it lies.
pub(crate) fn above(levels: usize) -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(levels).map(PathBuf::from).unwrap_or_default()
}

/// A file that lies beside the repository, where the specification's source is; says so if it does not.
#[allow(clippy::print_stderr, reason = "a test that skips says why")]
pub(crate) fn beside(path: &str) -> Option<PathBuf> {
    let path = above(2).join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no {}", path.display());
    None
}
