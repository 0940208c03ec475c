//! The lock as a file.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{Hash, Lock, LockedAlgorithm, LockedStep};
use crate::bikeshed::Flow;
use crate::facts::{Kind, Subject};

const HEAD: &str = "\
# The specification as the code was last compared with it: paths and hashes, and none of its text.
# `spec-diff check` compares it with the code, `spec-diff upgrade` writes it.
";

/// A lock that can not be read.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The operating system does not give it, or does not take it.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line that no lock has.
    #[error("{}:{line}: {what}; `spec-diff upgrade --spec FILE --all` writes a new lock", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

impl Lock {
    /// Reads a lock.
    ///
    /// # Errors
    /// If the file can not be read, or has lines that no lock has.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let text = fs::read_to_string(path).map_err(|source| LockError::Io { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// Reads a lock from its text.
    ///
    /// # Errors
    /// If it has lines that no lock has.
    pub fn parse(text: &str, path: &Path) -> Result<Self, LockError> {
        let mut lock = Self {
            path: path.into(),
            algorithms: Vec::new(),
            facts: std::collections::BTreeMap::new(),
            decompositions: std::collections::BTreeMap::new(),
        };
        for (index, line) in text.lines().enumerate() {
            if !line.is_empty() && !line.starts_with('#') {
                let wrong = |what: String| LockError::Line { path: path.to_owned(), line: index + 1, what };
                lock.add(line, index + 1).map_err(wrong)?;
            }
        }
        Ok(lock)
    }

    /// Writes the lock to where it was read from.
    ///
    /// # Errors
    /// If the file can not be written.
    pub fn write(&self) -> Result<(), LockError> {
        fs::write(&self.path, self.to_string()).map_err(|source| LockError::Io { path: self.path(), source })
    }

    fn add(&mut self, text: &str, line: usize) -> Result<(), String> {
        let (word, rest) = text.split_once(' ').ok_or_else(|| format!("{text:?} has no hash"))?;
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            let step = step(word, rest, line)?;
            let algorithm = self.algorithms.last_mut().ok_or("this step belongs to no algorithm")?;
            algorithm.steps.push(step);
            return Ok(());
        }
        let (hash, name) = rest.split_once(' ').ok_or_else(|| format!("{text:?} has no name"))?;
        let (hash, name) = (hash.parse::<Hash>()?, name.to_owned());
        let fact =
            [Kind::Row, Kind::Enumeration, Kind::Member, Kind::Method].into_iter().find(|it| it.as_str() == word);
        match (word, fact) {
            ("algorithm", _) => {
                self.algorithms.push(LockedAlgorithm { name, preamble: hash, steps: Vec::new(), line });
            }
            ("decomposition", _) => {
                self.decompositions.insert(name, (hash, line));
            }
            (_, Some(kind)) => {
                self.facts.insert(Subject { kind, name }, (hash, line));
            }
            (word, None) => return Err(format!("{word:?} is nothing that is locked")),
        }
        Ok(())
    }
}

fn step(path: &str, rest: &str, line: usize) -> Result<LockedStep, String> {
    let path = path.parse().map_err(|error: crate::StepPathError| error.to_string())?;
    let mut words = rest.split(' ');
    let hash = words.next().unwrap_or_default().parse()?;
    let (mut flow, mut exceptions) = (Flow::Plain, Vec::new());
    for word in words {
        match word {
            "aborts" => flow = Flow::CanBeAborted,
            "aborted" => flow = Flow::IsAboutAbortion,
            name if name.ends_with("Error") => exceptions.push(name.to_owned()),
            other => return Err(format!("{other:?} is nothing that a step can be")),
        }
    }
    Ok(LockedStep { path, hash, flow, exceptions, line })
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_hash = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(text, 16).ok().filter(|_| is_hash);
        number.map(Self).ok_or_else(|| format!("{text:?} is no hash"))
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        for algorithm in &self.algorithms {
            writeln!(f, "\nalgorithm {} {}", algorithm.preamble, algorithm.name)?;
            for LockedStep { path, hash, flow, exceptions, .. } in &algorithm.steps {
                let flow = match flow {
                    Flow::Plain => "",
                    Flow::CanBeAborted => " aborts",
                    Flow::IsAboutAbortion => " aborted",
                };
                write!(f, "{path} {hash}{flow}")?;
                exceptions.iter().try_for_each(|name| write!(f, " {name}"))?;
                writeln!(f)?;
            }
        }
        writeln!(f)?;
        for (subject, (hash, _)) in &self.facts {
            writeln!(f, "{} {hash} {}", subject.kind.as_str(), subject.name)?;
        }
        writeln!(f)?;
        for (name, (hash, _)) in &self.decompositions {
            writeln!(f, "decomposition {hash} {name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bikeshed::Document;

    #[test]
    fn a_lock_is_read_as_it_is_written() {
        let source = "\
<div algorithm>To <dfn for=X>do</dfn> it:
1. Run these, but [=/abort when=] it rains:
    1. Dance.

        Note: Or sing.
1. [=/If aborted=], stop.
</div>
<script type=idl>
enum E { \"a\" };
</script>";
        let path = Path::new("steps.lock");
        let lock = Lock::of(&Document::parse(source).unwrap(), path);
        let text = lock.to_string();
        let read = Lock::parse(&text, path).unwrap();
        assert_eq!(read.to_string(), text);
        assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 8, "{text}");
        assert!(!text.contains("Dance"));
        // Notes and line breaks are not locked.
        let other =
            source.replace("Or sing", "Never sing").replace("Dance.", "Dance.\n").replace("it rains", "it\n    rains");
        assert_eq!(Lock::of(&Document::parse(&other).unwrap(), path).to_string(), text);
    }

    #[test]
    fn what_is_no_lock_is_refused_with_its_line() {
        let error = |text: &str| Lock::parse(text, Path::new("x.lock")).unwrap_err().to_string();
        assert!(error("# x\nnonsense").starts_with("x.lock:2: \"nonsense\" has no hash; `spec-diff upgrade"));
        assert!(error("algorithm 12 x").contains("\"12\" is no hash"));
        assert!(error("1 0123456789abcdef").contains("belongs to no algorithm"));
        assert!(error("algorithm 0123456789abcdef x\n1.a 0123456789abcdef").contains("is no path of a step"));
        assert!(error("thing 0123456789abcdef x").contains("\"thing\" is nothing that is locked"));
        assert!(error("algorithm 0123456789abcdef x\n1 0123456789abcdef odd").contains("nothing that a step can be"));
    }
}
