//! Running the program in a folder of its own, and comparing what it prints with what was agreed on.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use similar::TextDiff;

/// A folder that is removed when the test is over.
pub(crate) struct Folder(PathBuf);

/// What a run of the program gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    /// A new folder with one file.
    pub(crate) fn with(name: &str, text: &str) -> Self {
        static FOLDERS: AtomicUsize = AtomicUsize::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id())));
        folder.write(name, text);
        folder
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The length of a file, in bytes.
    pub(crate) fn size(&self, name: &str) -> u64 {
        std::fs::metadata(self.0.join(name)).unwrap().len()
    }

    /// The names of what is in a folder of it, in order.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A name in it that leads elsewhere.
    #[cfg(unix)]
    pub(crate) fn link(&self, to: &str, name: &str) {
        std::os::unix::fs::symlink(to, self.0.join(name)).unwrap();
    }

    /// Starts the program in this folder, and does not wait for it.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut program = Command::new(env!("CARGO_BIN_EXE_webnn"));
        program.args(arguments).current_dir(&self.0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs the program in this folder.
    pub(crate) fn webnn(&self, arguments: &[&str]) -> Ran {
        self.webnn_with(&[], arguments)
    }

    /// Runs the program in this folder, with these variables in its environment.
    pub(crate) fn webnn_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_webnn"))
            .args(arguments)
            .current_dir(&self.0)
            .env("COLUMNS", "100")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

impl Ran {
    /// Checks that the text stands in the output.
    pub(crate) fn shows(&self, text: &str) {
        assert!(self.stdout.contains(text), "not shown: {text}\n{self}");
    }

    /// Checks that the text stands among the errors.
    pub(crate) fn complains(&self, text: &str) {
        assert!(self.stderr.contains(text), "not said: {text}\n{self}");
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// Compares a text with the one in `tests/snapshots`; with `BLESS=1` in the environment it replaces that one.
pub(crate) fn agrees_with(text: &str, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let agreed = std::fs::read_to_string(&path).unwrap_or_default();
    if agreed != text {
        let difference = TextDiff::from_lines(agreed.as_str(), text).unified_diff().to_string();
        panic!("{name} is not what it was; BLESS=1 takes the new text over\n{difference}");
    }
}
