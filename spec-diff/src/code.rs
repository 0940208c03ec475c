//! Our own source, read for the algorithms that it encodes.
//!
//! A function that encodes an algorithm opens a frame with `algorithm!("name")` and names its steps with `step!("1")`.
//! A frame lasts to the end of its block, here as at run time. Steps that run later, on the timeline or in a queued
//! task, stand in a closure that re-opens the frame of their algorithm; in the order of the source they simply continue
//! it. A step in such a closure with no frame of its own is odd: at run time it would count for nobody.
//! Unit tests and the bodies of `macro_rules!` encode nothing.

mod error;
mod files;
mod scan;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use error::CodeError;
pub use files::Sources;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<Path>,
    /// The line in it, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    /// As editors and terminals know it: `file:line`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// Everything that was found in a folder of source files.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The algorithms by name.
    pub algorithms: BTreeMap<String, Encoding>,
    /// Steps that stand in no frame, and names that can not be read.
    pub oddities: Vec<Oddity>,
    /// How many files were read.
    pub files: usize,
}

/// The code of one algorithm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoding {
    /// Where frames of it are opened; there is at least one.
    pub frames: Vec<Place>,
    /// The steps, in the order of the source.
    pub steps: Vec<NamedStep>,
}

/// A `step!`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedStep {
    /// What it says: the path of a step, if it is right.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

/// Something that the check can not make sense of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// What it is.
    pub kind: OddityKind,
    /// Where it stands.
    pub place: Place,
}

/// Kinds of [`Oddity`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OddityKind {
    /// A step in no frame; at run time it would count for nobody, or for whichever algorithm calls.
    StepWithoutFrame(String),
    /// The argument of `algorithm!` or `step!` is no plain string literal.
    NotLiteral(&'static str),
}

impl Code {
    /// Reads all Rust files of a folder, in alphabetical order.
    ///
    /// # Errors
    /// If the folder or a file can not be read, or a file is not Rust.
    pub fn read(folder: &Path) -> Result<Self, CodeError> {
        Self::of(&Sources::read(folder)?)
    }

    /// Finds what source files encode.
    ///
    /// # Errors
    /// If a file is not Rust.
    pub fn of(sources: &Sources) -> Result<Self, CodeError> {
        let mut code = Self::default();
        let mut left_out: Vec<std::path::PathBuf> = Vec::new();
        for (file, source) in &sources.files {
            if !left_out.iter().any(|test| file.starts_with(test)) {
                left_out.extend(code.add(file, source)?);
            }
        }
        Ok(code)
    }

    /// Reads one file, and returns the files and folders that it declares to be test modules.
    fn add(&mut self, file: &Path, source: &str) -> Result<Vec<std::path::PathBuf>, CodeError> {
        let scan = scan::scan(source).map_err(|error| error.at(file))?;
        self.files += 1;
        let file: Arc<Path> = file.into();
        for mark in scan.marks {
            let place = Place { file: file.clone(), line: mark.line };
            match mark.kind {
                scan::MarkKind::Frame(name) => {
                    self.algorithms.entry(name.to_string()).or_default().frames.push(place);
                }
                scan::MarkKind::Step { algorithm: Some(algorithm), name } => {
                    self.algorithms.entry(algorithm.to_string()).or_default().steps.push(NamedStep { name, place });
                }
                scan::MarkKind::Step { algorithm: None, name } => {
                    self.oddities.push(Oddity { kind: OddityKind::StepWithoutFrame(name), place });
                }
                scan::MarkKind::NotLiteral(name) => {
                    self.oddities.push(Oddity { kind: OddityKind::NotLiteral(name), place });
                }
            }
        }
        Ok(files::modules_of(&file, &scan.test_modules))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> Code {
        let mut code = Code::default();
        code.add(Path::new("x.rs"), source).unwrap();
        code
    }

    fn steps(code: &Code, algorithm: &str) -> Vec<(String, usize)> {
        code.algorithms[algorithm].steps.iter().map(|step| (step.name.clone(), step.place.line)).collect()
    }

    #[test]
    fn closures_continue_the_algorithm_and_blocks_end_frames() {
        let code = code(
            r#"
impl X {
    fn f(&self) {
        algorithm!("X.f()", self);
        step!("1");
        enqueue(move || {
            crate::algorithm!("X.f()", context);
            crate::step!("1.1");
            { algorithm!("inner"); step!("1"); }
            step!("1.2");
        });
        assert!({ step!("2"); true });
        fn helper() { step!("7"); }
    }
    fn g(&self);
}
"#,
        );
        let expected = [("1", 5), ("1.1", 8), ("1.2", 10), ("2", 12)];
        assert_eq!(steps(&code, "X.f()"), expected.map(|(name, line)| (name.to_owned(), line)));
        assert_eq!(code.algorithms["X.f()"].frames.iter().map(|place| place.line).collect::<Vec<_>>(), [4, 7]);
        assert_eq!(steps(&code, "inner"), [("1".to_owned(), 9)]);
        assert_eq!(code.oddities.len(), 1);
        assert_eq!(code.oddities[0].kind, OddityKind::StepWithoutFrame("7".into()));
        assert_eq!(code.oddities[0].place.to_string(), "x.rs:13");
    }

    #[test]
    fn closures_that_run_later_open_frames_of_their_own() {
        let code = code(
            r#"
fn f() {
    algorithm!("f");
    step!("1");
    timeline.enqueue(move || step!("1.1"));
    timeline.enqueue(move || { algorithm!("f"); step!("1.2"); });
    list.for_each(|x| step!("2"));
}
"#,
        );
        let expected = [("1", 4), ("1.2", 6), ("2", 7)];
        assert_eq!(steps(&code, "f"), expected.map(|(name, line)| (name.to_owned(), line)));
        assert_eq!(code.oddities[0].place.to_string(), "x.rs:5");
    }

    #[test]
    fn comments_strings_macros_and_tests_encode_nothing() {
        let code = code(
            r##"
//! algorithm!("doc");
// algorithm!("comment");
/* algorithm!("block /* nested */ comment"); */
const S: &str = "algorithm!(\"string\")";
const R: &str = r#"algorithm!("raw")"#;
macro_rules! algorithm { ($name:literal) => { step!($name); algorithm!("macro"); } }
#[cfg(test)]
mod tests { fn f<'a>() { algorithm!("test"); let c = '"'; } }
#[cfg(all(test, unix))]
use x::y;
#[test]
fn f() { algorithm!("test"); }
#[cfg(not(test))]
fn g() { algorithm!("real"); step!(r"1"); step!("2",); }
"##,
        );
        assert_eq!(code.algorithms.keys().collect::<Vec<_>>(), ["real"]);
        assert_eq!(steps(&code, "real"), [("1".to_owned(), 15), ("2".to_owned(), 15)]);
        assert!(code.oddities.is_empty());
    }

    #[test]
    fn a_whole_file_can_be_a_test() {
        assert!(code("#![cfg(test)]\nfn f() { algorithm!(\"test\"); }").algorithms.is_empty());
    }

    #[test]
    fn what_is_no_literal_is_odd() {
        let code = code("fn f() { algorithm!(NAME); step!(concat!(\"1\")); step!(\"a\\\"b\"); step!(); }");
        let kinds: Vec<_> = code.oddities.into_iter().map(|oddity| oddity.kind).collect();
        let step = OddityKind::NotLiteral("step");
        assert_eq!(kinds, [OddityKind::NotLiteral("algorithm"), step.clone(), step.clone(), step]);
    }

    #[test]
    fn test_modules_in_files_of_their_own_are_left_out() {
        let mut code = Code::default();
        let left_out = code.add(Path::new("src/a.rs"), "#[cfg(test)] mod tests; mod b;").unwrap();
        assert_eq!(left_out, [Path::new("src/a/tests.rs"), Path::new("src/a/tests")]);
        let left_out = code.add(Path::new("src/lib.rs"), "#[cfg(test)]\npub(crate) mod tests;").unwrap();
        assert_eq!(left_out[0], Path::new("src/tests.rs"));
    }
}
