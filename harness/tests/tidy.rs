//! House rules that neither the compiler nor clippy checks, held over the source tree as text.
//!
//! Each message says what to do. Rust is read as tokens, so that comments and strings are not in the way.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use webnn_reference::ops::OPERATORS;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Folders that hold nothing of ours.
const NOT_OURS: [&str; 4] = ["target", "results", "venv", "__pycache__"];

/// Folders with a dot that are ours; others belong to tools.
const OURS_WITH_A_DOT: [&str; 2] = [".ci", ".cargo"];

fn is_ours(folder: &str) -> bool {
    !NOT_OURS.contains(&folder) && (!folder.starts_with('.') || OURS_WITH_A_DOT.contains(&folder))
}

/// A file of the repository.
struct File {
    /// Its path from the repository's folder, with `/` between the parts.
    path: String,
    text: String,
}

impl File {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Its tokens up to the unit tests, which come last.
    fn code(&self) -> Vec<Token> {
        let code = self.text.split("#[cfg(test)]").next().unwrap_or_default();
        tokens(&self.path, code)
    }

    /// All its tokens.
    fn tokens(&self) -> Vec<Token> {
        tokens(&self.path, &self.text)
    }
}

/// A token that is no comment, with its line.
#[derive(Clone, Debug)]
struct Token {
    text: String,
    line: usize,
}

fn tokens(path: &str, text: &str) -> Vec<Token> {
    let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path} is not Rust: {error}"));
    let mut all = Vec::new();
    flatten(stream, &mut all);
    all
}

fn flatten(stream: TokenStream, all: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                all.push(Token { text: open.into(), line });
                flatten(group.stream(), all);
                all.push(Token { text: close.into(), line: group.span_close().start().line });
            }
            leaf => all.push(Token { text: leaf.to_string(), line }),
        }
    }
}

/// The lines at which `pattern` stands, token for token.
fn lines_of(tokens: &[Token], pattern: &[&str]) -> Vec<usize> {
    let is_here = |window: &&[Token]| window.iter().zip(pattern).all(|(token, text)| token.text == *text);
    tokens.windows(pattern.len()).filter(is_here).map(|window| window[0].line).collect()
}

fn files() -> Vec<File> {
    let mut files = Vec::new();
    collect(Path::new(REPOSITORY), "", &mut files);
    assert!(files.iter().filter(|file| file.is_rust()).count() > 50, "the source tree is not where it should be");
    files
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() {
            if is_ours(&name) {
                collect(&path, &format!("{prefix}{name}/"), files);
            }
        } else if name != ".git"
            && let Ok(bytes) = fs::read(&path)
        {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            files.push(File { path: format!("{prefix}{name}"), text });
        }
    }
}

/// Fails with all problems, one a line, and what to do about them.
fn expect_none(problems: &[String], what_to_do: &str) {
    let mut list = String::new();
    for problem in problems {
        let _ = writeln!(list, "  {problem}");
    }
    assert!(problems.is_empty(), "\n{list}{what_to_do}");
}

#[test]
fn every_source_file_opens_with_its_documentation() {
    let problems: Vec<_> = files()
        .iter()
        .filter(|file| file.is_rust() && !file.text.starts_with("//! "))
        .map(|file| file.path.clone())
        .collect();
    expect_none(&problems, "begin each of these with a line `//! ...` that says what the file is for");
}

#[test]
fn every_section_has_its_file_and_every_file_its_section() {
    let files = files();
    let in_ops = |path: &str| path.starts_with("reference/src/ops/").then(|| path.to_owned());
    let mut without_a_section: Vec<String> = files.iter().filter_map(|file| in_ops(&file.path)).collect();
    // The support of the unit tests.
    without_a_section.retain(|path| path != "reference/src/ops/trial.rs");
    let mut problems = Vec::new();
    for row in OPERATORS {
        let anchor =
            row.section.trim_start_matches("api-mlgraphbuilder-").trim_end_matches("-method").replace('-', "_");
        // Some anchors shorten the heading, which is the operator's name.
        let path = [row.name.to_lowercase(), anchor].map(|name| format!("reference/src/ops/{name}.rs"));
        without_a_section.retain(|other| !path.contains(other));
        let [by_name, path] = path;
        let Some(file) = files.iter().find(|file| file.path == path || file.path == by_name) else {
            problems.push(format!("{}: the section #{} has no file {path}", row.name, row.section));
            continue;
        };
        let first_line = file.text.lines().next().unwrap_or_default();
        if !first_line.contains(&format!("<https://www.w3.org/TR/webnn/#{}>", row.section)) {
            problems.push(format!("{path}: its first line does not link to #{}", row.section));
        }
        let table = row.limits.table;
        if !file.text.contains(&format!("/// <https://www.w3.org/TR/webnn/#{table}>")) {
            problems.push(format!("{path}: {} has the table {table}, and no table there has that link", row.name));
        }
        if !table.starts_with("tensor-limits-") {
            problems.push(format!("{path}: {} has a table that is not named: {table:?}", row.name));
        }
    }
    problems.extend(without_a_section.iter().map(|path| format!("{path}: no row of OPERATORS is of its section")));
    problems.dedup();
    expect_none(
        &problems,
        "one file in reference/src/ops for each section, named after its anchor or its operator, and linking to it",
    );
}

#[test]
fn no_file_is_named_for_what_is_left_over() {
    const LEFTOVERS: [&str; 6] = ["utils", "util", "common", "helpers", "misc", "types"];
    let stem = |part: &str| part.split('.').next().unwrap_or_default().to_owned();
    let problems: Vec<_> = files()
        .iter()
        .filter(|file| file.path.split('/').map(stem).any(|part| LEFTOVERS.contains(&part.as_str())))
        .map(|file| file.path.clone())
        .collect();
    expect_none(&problems, "name each file after what it holds; split it if that has no name");
}

#[test]
fn nothing_is_left_undone_and_no_test_is_left_out() {
    let patterns: [(&[&str], &str); 4] = [
        (&["todo", "!"], "todo!"),
        (&["unimplemented", "!"], "unimplemented!"),
        (&["#", "[", "ignore"], "#[ignore]"),
        (&["should_panic"], "should_panic"),
    ];
    let mut problems = Vec::new();
    for file in files().iter().filter(|file| file.is_rust()) {
        let tokens = file.tokens();
        for (pattern, name) in patterns {
            problems.extend(lines_of(&tokens, pattern).iter().map(|line| format!("{}:{line}: {name}", file.path)));
        }
    }
    expect_none(
        &problems,
        "finish the code or leave it out; let a test assert what happens today, and check a panic with catch_unwind",
    );
}

#[test]
fn the_operator_lists_are_matched_without_a_wildcard() {
    let files = files();
    let mut problems = Vec::new();
    for path in ["reference/src/ops.rs", "reference/src/derived_bound.rs"] {
        let table = files.iter().find(|file| file.path == path).expect("a table of operators");
        let lines = lines_of(&table.code(), &["_", "=", ">"]);
        problems.extend(lines.iter().map(|line| format!("{path}:{line}: `_ =>`")));
    }
    expect_none(&problems, "name every variant: then the compiler lists what a new operator still lacks");
}

#[test]
fn no_path_of_one_machine_is_written_down() {
    // In two parts, or this file would name them.
    let machine_paths = [["/wo", "rk/"], ["/ro", "ot/"]].map(|parts| parts.concat());
    let mut problems = Vec::new();
    for file in files() {
        for (index, line) in file.text.lines().enumerate() {
            let found = machine_paths.iter().filter(|path| line.contains(path.as_str()));
            problems.extend(found.map(|path| format!("{}:{}: {path}", file.path, index + 1)));
        }
    }
    expect_none(&problems, "write paths from the repository's folder, in Rust from CARGO_MANIFEST_DIR");
}

#[test]
fn numbers_are_converted_in_one_file() {
    const NUMBERS: [&str; 14] =
        ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64"];
    let mut problems = Vec::new();
    for file in files().iter().filter(|file| file.is_rust() && file.path.starts_with("reference/src/")) {
        if file.path == "reference/src/number.rs" {
            continue;
        }
        let code = file.code();
        for number in NUMBERS {
            let lines = lines_of(&code, &["as", number]);
            problems.extend(lines.iter().map(|line| format!("{}:{line}: as {number}", file.path)));
        }
    }
    expect_none(&problems, "use From or TryFrom, or give the conversion a name in reference/src/number.rs");
}

/// The names of the crates in `[dependencies]` of a crate of the workspace.
fn dependencies(folder: &str) -> Vec<String> {
    let path = Path::new(REPOSITORY).join(folder).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let manifest: toml::Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let dependencies = manifest["dependencies"].as_table().expect("a table of dependencies");
    dependencies.keys().cloned().collect()
}

#[test]
fn dependencies_run_one_way() {
    const OURS: [(&str, &[&str]); 7] = [
        ("reference", &[]),
        ("gpu", &["webnn-reference"]),
        ("wpt-tests", &[]),
        ("wpt-tests/runner", &["spec-diff", "webnn-reference", "webnn-vectors"]),
        ("weights", &["webnn-reference"]),
        ("harness", &["spec-diff", "webnn-gpu", "webnn-reference", "webnn-vectors", "webnn-weights", "webnn-wpt"]),
        ("spec-diff", &["webnn-reference"]),
    ];
    let mut problems = Vec::new();
    for (folder, allowed) in OURS {
        let is_ours = |name: &String| name.starts_with("webnn-") || name == "spec-diff";
        let of_ours = dependencies(folder).into_iter().filter(is_ours);
        let others = of_ours.filter(|name| !allowed.contains(&name.as_str()));
        problems.extend(others.map(|name| format!("{folder}/Cargo.toml depends on {name}")));
    }
    let foreign = dependencies("reference").into_iter().filter(|name| name != "half" && name != "ndarray");
    problems.extend(foreign.map(|name| format!("reference/Cargo.toml depends on {name}")));
    for folder in ["reference", "gpu"] {
        if dependencies(folder).iter().any(|name| name == "serde_json") {
            problems.push(format!("{folder}/Cargo.toml depends on serde_json: only tools know JSON"));
        }
    }
    expect_none(&problems, "see the invariants in ARCHITECTURE.md, and change them there first if they are wrong");
}

#[test]
fn the_reference_reaches_nothing_outside_itself() {
    const OUTSIDE: [&str; 8] = ["fs", "net", "thread", "process", "env", "io", "time", "sync"];
    let mut problems = Vec::new();
    for file in files().iter().filter(|file| file.is_rust() && file.path.starts_with("reference/src/")) {
        let code = file.code();
        for module in OUTSIDE {
            let lines = lines_of(&code, &["std", ":", ":", module]);
            problems.extend(lines.iter().map(|line| format!("{}:{line}: std::{module}", file.path)));
        }
        for word in ["unsafe", "async", "cfg"] {
            let lines = lines_of(&code, &[word]);
            problems.extend(lines.iter().map(|line| format!("{}:{line}: {word}", file.path)));
        }
    }
    expect_none(&problems, "the reference has no input or output, no threads and no variants: let the caller do it");
}

#[test]
fn the_gpu_computes_for_itself() {
    let mut problems = Vec::new();
    for file in files().iter().filter(|file| file.is_rust() && file.path.starts_with("gpu/src/")) {
        let code = file.code();
        let is_reference = |window: &&[Token]| window[0].text == "webnn_reference" && window[1].text == ":";
        for path in code.windows(7).filter(is_reference) {
            let (module, item) = (path[3].text.as_str(), path[6].text.as_str());
            // Its number and shape arithmetic; `MLNumber` is what options hold.
            let computes = matches!(module, "cpu" | "derived_bound" | "value" | "index" | "algorithms" | "{")
                || module == "number" && item != "MLNumber";
            if computes {
                problems.push(format!("{}:{}: webnn_reference::{module}", file.path, path[0].line));
            }
        }
        let calls = lines_of(&code, &[".", "compute", "("]);
        problems.extend(calls.iter().map(|line| format!("{}:{line}: .compute(", file.path)));
    }
    expect_none(
        &problems,
        "the second implementation gives an independent answer: it takes operations and descriptors from the reference, \
         a module at a time, and none of its arithmetic",
    );
}

#[test]
fn only_the_judge_has_tolerances() {
    const WORDS: [&str; 4] = ["tolerance", "ulp", "atol", "max_relative"];
    let is_word = |token: &Token| WORDS.iter().any(|word| token.text.to_lowercase().contains(word));
    let is_relation = |token: &Token| matches!(token.text.as_str(), ":" | "=" | "<" | ">" | "(" | "Some" | "&");
    let is_number = |token: &Token| token.text.starts_with(|first: char| first.is_ascii_digit());
    let is_ours = |file: &&File| {
        let path = file.path.as_str();
        file.is_rust() && path.contains("/src/") && !path.starts_with("harness/src/judge")
    };
    let mut problems = Vec::new();
    for file in files().iter().filter(is_ours) {
        let code = file.code();
        for (index, token) in code.iter().enumerate().filter(|(_, token)| is_word(token)) {
            // A number that the word is compared with, set to or called with.
            let mut rest = code[index + 1..].iter().skip_while(|token| is_relation(token));
            let has_relation = code.get(index + 1).is_some_and(is_relation);
            if has_relation && rest.next().is_some_and(is_number) {
                problems.push(format!("{}:{}: a number for {}", file.path, token.line, token.text));
            }
        }
    }
    expect_none(&problems, "a vector states its own tolerance; how one is judged stands in harness/src/judge");
}
