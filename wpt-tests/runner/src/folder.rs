//! The folder of web-platform-tests: which tests its files make, and the files that tests ask for.
//!
//! A test is a file in one of the scopes and variants that its META lines name. It is called what wpt.fyi calls it:
//! `/webnn/conformance_tests/abs.https.any.html?cpu`.

use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::Error;

/// The kind of global object that a test runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A window.
    Window,
    /// A worker of one document.
    DedicatedWorker,
    /// A worker of several.
    SharedWorker,
    /// A worker without any.
    ServiceWorker,
}

impl Scope {
    /// What the name of a test ends with, after `.any`.
    fn suffix(self) -> &'static str {
        match self {
            Self::Window => ".html",
            Self::DedicatedWorker => ".worker.html",
            Self::SharedWorker => ".sharedworker.html",
            Self::ServiceWorker => ".serviceworker.html",
        }
    }

    /// The name of its interface.
    pub(crate) fn interface(self) -> &'static str {
        match self {
            Self::Window => "Window",
            Self::DedicatedWorker => "DedicatedWorkerGlobalScope",
            Self::SharedWorker => "SharedWorkerGlobalScope",
            Self::ServiceWorker => "ServiceWorkerGlobalScope",
        }
    }

    /// The scopes that the `global` line of a file names.
    fn named(name: &str) -> &'static [Self] {
        match name {
            "window" => &[Self::Window],
            "dedicatedworker" => &[Self::DedicatedWorker],
            "sharedworker" => &[Self::SharedWorker],
            "serviceworker" => &[Self::ServiceWorker],
            "worker" => &[Self::DedicatedWorker, Self::SharedWorker, Self::ServiceWorker],
            // A scope that has nothing of WebNN, such as a shadow realm.
            _ => &[],
        }
    }
}

/// One test: a file in one scope and variant.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name: the address below the root, with the query of its variant.
    pub name: String,
    /// The file, below the root.
    pub file: PathBuf,
    /// The scripts that it names, in order, as it names them.
    pub scripts: Vec<String>,
    /// The scope.
    pub scope: Scope,
    /// The query, with its question mark; empty if there is none.
    pub variant: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Whether it asks for the long timeout.
    pub long: bool,
    /// Whether its headers isolate it from other origins.
    pub is_isolated: bool,
    /// Why it can not run without a browser, if it can not.
    pub needs: Option<&'static str>,
}

impl Test {
    /// A window that is no file of a folder, to run a program in.
    pub(crate) fn program() -> Self {
        let (name, file, scripts) = ("/webnn/program.html".to_owned(), PathBuf::from("webnn/program.js"), vec![]);
        let (variant, title) = (String::new(), None);
        Self { name, file, scripts, scope: Scope::Window, variant, title, long: true, is_isolated: false, needs: None }
    }

    /// How long it may take: 10 seconds, or 60 if it asks for more, as in browsers.
    pub fn time_limit(&self) -> Duration {
        Duration::from_secs(if self.long { 60 } else { 10 })
    }
}

/// The server of web-platform-tests has one file under another name too.
const IDL_PARSER: (&str, &str) = ("resources/WebIDLParser.js", "resources/webidl2/lib/webidl2.js");

/// The files that a test may ask for: those of the checkout, and some that stand in for others.
#[derive(Clone, Debug)]
pub struct Resources(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    replaced: Vec<(String, String)>,
}

impl Resources {
    /// The files below `root`. `replaced` has addresses, each with the text that stands there instead of a file's.
    pub fn new(root: &Path, replaced: Vec<(String, String)>) -> Self {
        Self(Rc::new(Inner { root: root.to_owned(), replaced }))
    }

    /// The text that an address leads to, which begins at the root or at `folder`.
    ///
    /// # Errors
    /// An address outside the root, and a file that can not be read.
    pub fn read(&self, folder: &Path, address: &str) -> Result<String, Error> {
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let path = match path.strip_prefix('/') {
            Some(path) => normalized(Path::new(path)),
            None => normalized(&folder.join(path)),
        };
        let outside = || Error::Read { path: address.into(), reason: "it is outside the folder of the tests".into() };
        let path = path.ok_or_else(outside)?;
        let path = if path == Path::new(IDL_PARSER.0) { PathBuf::from(IDL_PARSER.1) } else { path };
        let replaced = self.0.replaced.iter().find(|(name, _)| Path::new(name.trim_start_matches('/')) == path);
        if let Some((_, text)) = replaced {
            return Ok(text.clone());
        }
        let file = self.0.root.join(&path);
        std::fs::read_to_string(&file).map_err(|error| Error::Read { path: file, reason: error.to_string() })
    }
}

/// The path without `.` and `..`; none if it leads out of where it begins.
fn normalized(path: &Path) -> Option<PathBuf> {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::ParentDir => result.pop().then_some(())?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(result)
}

/// All tests in a folder below `root`, in alphabetical order of their files.
///
/// # Errors
/// A folder or a file that can not be read.
pub fn tests(root: &Path, folder: &str) -> Result<Vec<Test>, Error> {
    let mut files = Vec::new();
    collect(root, Path::new(folder), &mut files)?;
    files.sort();
    let mut tests = Vec::new();
    for file in files {
        tests.extend(tests_of(root, &file)?);
    }
    Ok(tests)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::Read { path: root.join(folder), reason: error.to_string() };
    for entry in std::fs::read_dir(root.join(folder)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = folder.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            // Resources are no tests, whatever they are called.
            if entry.file_name() != "resources" {
                collect(root, &path, files)?;
            }
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The tests that one file makes; none if it is no test.
fn tests_of(root: &Path, file: &Path) -> Result<Vec<Test>, Error> {
    let address = format!("/{}", file.to_string_lossy().replace('\\', "/"));
    let path = root.join(file);
    let read = || {
        std::fs::read_to_string(&path).map_err(|error| Error::Read { path: path.clone(), reason: error.to_string() })
    };
    if let Some(base) = address.strip_suffix(".any.js") {
        let source = read()?;
        let meta = Meta::of_file(&path, &source);
        Ok(meta.tests(file, &format!("{base}.any"), &meta.scopes(), needs(&source)))
    } else if let Some(base) = address.strip_suffix(".window.js") {
        let source = read()?;
        Ok(Meta::of_file(&path, &source).tests(file, &format!("{base}.window"), &[Scope::Window], needs(&source)))
    } else if let Some(base) = address.strip_suffix(".worker.js") {
        let source = read()?;
        Ok(Meta::of_file(&path, &source).tests(file, base, &[Scope::DedicatedWorker], needs(&source)))
    } else if address.ends_with(".html") {
        let source = read()?;
        let is_test = source.contains("testharness.js");
        let needs = Some("a document: the test is a page");
        let named =
            Meta::of_file(&path, &source).tests(file, address.trim_end_matches(".html"), &[Scope::Window], needs);
        Ok(if is_test { named } else { vec![] })
    } else {
        Ok(vec![])
    }
}

/// What the source of a test uses that only a browser has.
fn needs(source: &str) -> Option<&'static str> {
    let uses = |name: &str| {
        source.match_indices(name).any(|(at, _)| {
            let before = source[..at].chars().next_back();
            let after = source[at + name.len()..].chars().next();
            !before.is_some_and(is_of_a_name) && after == Some('.')
        })
    };
    uses("document").then_some("a document")
}

fn is_of_a_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '.')
}

/// The META lines at the top of a file.
#[derive(Debug, Default)]
struct Meta {
    scripts: Vec<String>,
    variants: Vec<String>,
    global: Option<String>,
    title: Option<String>,
    long: bool,
    is_isolated: bool,
}

impl Meta {
    /// Those of a file; its headers stand beside it.
    fn of_file(path: &Path, source: &str) -> Self {
        let headers = path.with_file_name(format!("{}.headers", path.file_name().unwrap_or_default().display()));
        let headers = std::fs::read_to_string(headers).unwrap_or_default();
        let names = ["Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy"];
        Self { is_isolated: names.iter().all(|name| headers.contains(name)), ..Self::of(source) }
    }

    fn of(source: &str) -> Self {
        let mut meta = Self::default();
        for line in source.lines() {
            let Some(rest) = line.strip_prefix("// META:") else {
                if line.starts_with("//") || line.trim().is_empty() {
                    continue;
                }
                break;
            };
            let Some((key, value)) = rest.trim().split_once('=') else {
                continue;
            };
            match key {
                "script" => meta.scripts.push(value.to_owned()),
                "variant" => meta.variants.push(value.to_owned()),
                "global" => meta.global = Some(value.to_owned()),
                "title" => meta.title = Some(value.to_owned()),
                "timeout" => meta.long = value == "long",
                _ => {}
            }
        }
        meta
    }

    /// The scopes of a file for any of them: a window and a dedicated worker, unless it says otherwise.
    fn scopes(&self) -> Vec<Scope> {
        let global = self.global.as_deref().unwrap_or("window,dedicatedworker");
        let names = || global.split(',').map(str::trim);
        let without: Vec<_> = names().filter_map(|name| name.strip_prefix('!')).flat_map(Scope::named).collect();
        let mut scopes = Vec::new();
        for scope in names().flat_map(Scope::named) {
            if !scopes.contains(scope) && !without.contains(&scope) {
                scopes.push(*scope);
            }
        }
        scopes
    }

    fn tests(&self, file: &Path, base: &str, scopes: &[Scope], needs: Option<&'static str>) -> Vec<Test> {
        let none = [String::new()];
        let variants = if self.variants.is_empty() { none.as_slice() } else { &self.variants };
        let mut tests = Vec::new();
        for scope in scopes {
            for variant in variants {
                tests.push(Test {
                    name: format!("{base}{}{variant}", scope.suffix()),
                    file: file.to_owned(),
                    scripts: self.scripts.clone(),
                    scope: *scope,
                    variant: variant.clone(),
                    title: self.title.clone(),
                    long: self.long,
                    is_isolated: self.is_isolated,
                    needs,
                });
            }
        }
        tests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_makes_a_test_for_each_scope_and_variant() {
        let meta = Meta::of(
            "// META: title=a title\n// META: global=window,worker\n// a comment\n// META: variant=?cpu\n\
             // META: variant=?gpu\n// META: script=../resources/utils.js\n\n'use strict';\n// META: timeout=long\n",
        );
        assert_eq!(meta.scripts, ["../resources/utils.js"]);
        assert!(!meta.long, "a META line below code is none");
        let tests = meta.tests(Path::new("webnn/a.https.any.js"), "/webnn/a.https.any", &meta.scopes(), None);
        let names: Vec<_> = tests.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names.len(), 8);
        assert_eq!(
            names[..3],
            ["/webnn/a.https.any.html?cpu", "/webnn/a.https.any.html?gpu", "/webnn/a.https.any.worker.html?cpu"]
        );
    }

    #[test]
    fn an_address_does_not_lead_out_of_the_folder() {
        assert_eq!(normalized(Path::new("webnn/../resources/./a.js")), Some(PathBuf::from("resources/a.js")));
        assert_eq!(normalized(Path::new("webnn/../../a.js")), None);
        let resources = Resources::new(Path::new("/"), vec![("/interfaces/webnn.idl".into(), "text".into())]);
        assert!(matches!(resources.read(Path::new("webnn"), "../../etc/passwd"), Err(Error::Read { .. })));
        assert_eq!(resources.read(Path::new("webnn"), "../interfaces/webnn.idl").unwrap(), "text");
    }

    #[test]
    fn a_document_is_needed_where_a_member_of_it_is_used() {
        assert_eq!(needs("const frame = document.createElement('iframe');"), Some("a document"));
        assert_eq!(needs("// the document is fine; mydocument.x, my.document.x"), None);
    }
}
