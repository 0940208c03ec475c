//! The check itself, on this repository: its code against the lock and the proposals, and the lock against the pinned
//! revision of the specification; and that the check finds what it is for.

mod paths;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use spec_diff::bikeshed::Document;
use spec_diff::check::{Finding, Role, Source, check, check_facts, drift};
use spec_diff::code::{Code, Sources};
use spec_diff::facts::{self, Facts};
use spec_diff::lock::Lock;

const SPEC: &str = "shared/spec/webnn-c515210.bs";

fn lock() -> Lock {
    Lock::read(&paths::above(1).join("spec-diff/steps.lock")).unwrap()
}

fn sources() -> Sources {
    Sources::read(&paths::above(1).join("reference/src")).unwrap()
}

fn proposals() -> Vec<Source> {
    let entries = std::fs::read_dir(paths::above(1).join("spec-diff/proposals")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bs"));
    paths.sort();
    paths.iter().map(|path| Source::read(path, Role::Proposal).unwrap()).collect()
}

/// What was read of the code.
struct Read {
    code: Code,
    facts: Facts,
}

fn read(sources: &Sources) -> Read {
    Read { code: Code::of(sources).unwrap(), facts: facts::of_code(sources).unwrap() }
}

/// The code as it is, read once.
fn unchanged() -> &'static Read {
    static READ: OnceLock<Read> = OnceLock::new();
    READ.get_or_init(|| read(&sources()))
}

/// What `spec-diff check` finds, without the folders.
fn findings(Read { code, facts }: &Read, spec: Option<&str>) -> Vec<String> {
    let lock = lock();
    let documents: Vec<Source> = std::iter::once(Source::from(&lock)).chain(proposals()).collect();
    let mut found = check(code, &documents).findings;
    found.extend(check_facts(facts, &lock));
    if let Some(spec) = spec {
        found.extend(drift(&lock, &Document::parse(spec).unwrap(), Path::new("index.bs"), code, facts));
    }
    let folder = paths::above(1).display().to_string() + "/";
    found.iter().map(|finding: &Finding| finding.to_string().replace(&folder, "")).collect()
}

/// The code with one change, in memory.
fn changed(file: &str, from: &str, to: &str) -> Read {
    let mut sources = sources();
    let (_, text) = sources.files.iter_mut().find(|(path, _)| path.ends_with(file)).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    *text = text.replace(from, to);
    read(&sources)
}

#[test]
fn code_and_lock_say_the_same() {
    let proposals = proposals();
    assert!(!proposals.is_empty());
    assert_eq!(findings(unchanged(), None), [""; 0]);
}

#[test]
fn the_lock_and_the_specification_say_the_same() {
    let Some(path) = paths::beside(SPEC) else { return };
    assert_eq!(findings(unchanged(), Some(&std::fs::read_to_string(path).unwrap())), [""; 0]);
}

#[test]
fn the_lock_is_of_all_of_the_specification() {
    let lock = lock();
    assert_eq!(lock.algorithms.len(), 150);
    assert_eq!(lock.algorithms.iter().map(|algorithm| algorithm.steps.len()).sum::<usize>(), 1_555);
    assert_eq!(lock.decompositions.len(), 30);
}

#[test]
fn a_step_that_is_renamed_in_code_is_found() {
    let found = findings(&changed("ops/gelu.rs", "step!(\"3\")", "step!(\"30\")"), None);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found[0].contains("MLGraphBuilder.gelu(input, options): step 3 is not named: encode spec-diff/steps.lock:")
    );
    assert!(found[1].contains("MLGraphBuilder.gelu(input, options): there is no step 30"), "{found:#?}");
}

#[test]
fn a_step_that_is_deleted_in_code_is_found() {
    let found = findings(&changed("ops/gelu.rs", "step!(\"4.2\");", ""), None);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("reference/src/ops/gelu.rs:"), "{found:#?}");
    assert!(found[0].contains("step 4.2 is not named"), "{found:#?}");
}

#[test]
fn a_default_that_is_changed_in_code_is_found() {
    let found = findings(&changed("ops/elu.rs", "members.or(\"alpha\", 1.0)", "members.or(\"alpha\", 2.0)"), None);
    assert_eq!(found.len(), 1, "{found:#?}");
    let expected = "MLEluOptions.alpha: the specification has another member than `double = 2`: compare them";
    assert!(found[0].starts_with("reference/src/ops/elu.rs:") && found[0].ends_with(expected), "{found:#?}");
}

#[test]
fn a_parameter_that_is_changed_in_code_is_found() {
    let found = findings(
        &changed("ops/softmax.rs", "axis: u32, options: &MLOperatorOptions", "axis: i32, options: &MLOperatorOptions"),
        None,
    );
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("another method than `(MLOperand, long, MLOperatorOptions) MLOperand`"), "{found:#?}");
}

#[test]
fn a_word_that_is_changed_in_the_specification_is_found() {
    let Some(path) = paths::beside(SPEC) else { return };
    let spec = std::fs::read_to_string(path).unwrap();
    // The first step of destroy() of MLGraph.
    let at = spec.lines().position(|line| line.contains("<dfn method for=MLGraph>destroy()")).unwrap() + 2;
    let mut lines: Vec<String> = spec.lines().map(str::to_owned).collect();
    lines[at] = lines[at].replacen("true", "false", 1);
    let found = findings(unchanged(), Some(&lines.join("\n")));
    let place = format!("index.bs:{}: MLGraph.destroy(): step 1 changed: compare reference/src/graph.rs:", at + 1);
    assert!(found.len() == 1 && found[0].starts_with(&place), "{found:#?}");
}

#[test]
fn a_step_that_is_put_in_changes_no_other() {
    let Some(path) = paths::beside(SPEC) else { return };
    let spec = std::fs::read_to_string(path).unwrap();
    let at = spec.lines().position(|line| line.contains("<dfn method for=MLGraph>destroy()")).unwrap() + 2;
    let mut lines: Vec<&str> = spec.lines().collect();
    lines.insert(at, "    1. Wait.");
    let found = findings(unchanged(), Some(&lines.join("\n")));
    let expected =
        format!("index.bs:{}: MLGraph.destroy(): step 1 is new: encode it in reference/src/graph.rs:", at + 1);
    assert!(found.len() == 1 && found[0].starts_with(&expected), "{found:#?}");
}

#[test]
fn a_cell_that_is_changed_in_the_specification_is_found() {
    let Some(path) = paths::beside(SPEC) else { return };
    let spec = std::fs::read_to_string(path).unwrap();
    let (before, after) = spec.split_once("<table id=tensor-limits-softmax").unwrap();
    let changed = format!("{before}<table id=tensor-limits-softmax{}", after.replacen("1 to 5", "1 to 6", 1));
    let found = findings(unchanged(), Some(&changed));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains(
        "tensor-limits-softmax input: this row is `float16 float32 | float16 float32 | 1 to N | 1 to 6` now"
    ));
    assert!(found[0].contains("reference/src/ops/softmax.rs:"), "{found:#?}");
}

#[test]
fn a_default_that_is_changed_in_the_specification_is_found() {
    let Some(path) = paths::beside(SPEC) else { return };
    let spec = std::fs::read_to_string(path).unwrap();
    let changed = spec.replacen("unsigned long groups = 1;", "unsigned long groups = 2;", 1);
    let found = findings(unchanged(), Some(&changed));
    assert_eq!(found.len(), 1, "{found:#?}");
    let expected = "MLConv2dOptions.groups: this member is `unsigned long = 2` now, and `unsigned long = 1` at reference/src/ops/conv2d.rs:";
    assert!(found[0].contains(expected), "{found:#?}");
}

#[test]
fn an_algorithm_or_a_decomposition_that_comes_or_goes_is_found() {
    let Some(path) = paths::beside(SPEC) else { return };
    let spec = std::fs::read_to_string(path).unwrap();
    let changed = spec.replacen("<dfn method for=MLGraph>destroy()", "<dfn method for=MLGraph>free()", 1);
    let found = findings(unchanged(), Some(&changed));
    assert!(
        found.iter().any(|finding| finding.contains("MLGraph.free(): this algorithm is new: encode it")),
        "{found:#?}"
    );
    let gone = "MLGraph.destroy(): index.bs has no such algorithm any more: remove reference/src/graph.rs:";
    assert!(found.iter().any(|finding| finding.contains(gone)), "{found:#?}");
    let without_names =
        spec.replacen("function relu(builder, input) {\n", "function relu(builder, input) {\n // Other.\n", 1);
    let found = findings(unchanged(), Some(&without_names));
    assert!(found.len() == 1 && found[0].contains("relu: its decomposition changed"), "{found:#?}");
}
