//! The command, as it is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROSE: &str = "\
<details open algorithm>
<summary>The <dfn method for=Machine>run(|coin|)</dfn> steps are:</summary>
    1. Check |coin|.
    1. Turn:
        1. Once.
        1. Twice.
        1. Thrice.
    1. Return.
</details>
<div algorithm>
To <dfn for=Machine>stop</dfn>:
    1. Halt.
</div>
";

const CODE: &str = r#"
fn run() {
    algorithm!("Machine.run(coin)");
    step!("1");
    step!("2");
    step!("2.1");
    step!("2.2");
    step!("2.3");
    step!("3");
}
fn stop() {
    algorithm!("Machine/stop");
    step!("1");
}
"#;

/// A small repository with a proposal and its code.
fn repository(name: &str, prose: &str, code: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command").join(name);
    // What an earlier run left would be read too.
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("spec-diff/proposals")).unwrap();
    fs::create_dir_all(root.join("reference/src")).unwrap();
    fs::write(root.join("spec-diff/proposals/machine.bs"), prose).unwrap();
    fs::write(root.join("reference/src/machine.rs"), code).unwrap();
    root
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spec-diff"));
    let Output { status, stdout, stderr } = command.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn no_differences_are_0() {
    let root = repository("clean", PROSE, CODE);
    let (status, out, err) = run(&root.join("reference"), &["check"]);
    let proposal = root.join("spec-diff/proposals/machine.bs");
    let expected = format!(
        "{}: 2 of 2 algorithms encoded, with 7 of 7 steps\nno differences (1 file in src)\n",
        proposal.display()
    );
    assert_eq!((status, out, err), (0, expected, String::new()));
}

#[test]
fn differences_are_1_and_have_a_place_on_both_sides() {
    let code = CODE
        .replace("    step!(\"2.2\");\n", "")
        .replace("step!(\"2.3\");", "step!(\"2.4\");")
        .replace("Machine/stop", "Machine/halt");
    let root = repository("different", PROSE, &(code + "fn stray() { step!(\"1\"); }\n"));
    let (status, out, _) = run(&root, &["check"]);
    let expected = "\
Machine.run(coin)
  prose spec-diff/proposals/machine.bs:1   code reference/src/machine.rs:3
  missing 2.2 and 2.3 prose spec-diff/proposals/machine.bs:6, to encode after 2.1, reference/src/machine.rs:6
  unknown 2.4 code reference/src/machine.rs:7, and the prose ends at spec-diff/proposals/machine.bs:9

Machine/stop
  prose spec-diff/proposals/machine.bs:10   code nothing in reference/src
  not encoded an algorithm of a proposal, with 1 step

outside of any algorithm
  step 1 in no frame code reference/src/machine.rs:14: open one with algorithm!(..)

spec-diff/proposals/machine.bs: 1 of 2 algorithms encoded, with 6 of 7 steps
4 differences in 3 algorithms
";
    assert_eq!((status, out.as_str()), (1, expected));
}

#[test]
fn the_specification_may_wait_but_has_to_know_what_is_encoded() {
    let root = repository("waiting", PROSE, &CODE.replace("Machine/stop", "Machine/other"));
    let arguments = ["check", "--spec", "spec-diff/proposals/machine.bs", "--verbose"];
    let empty = root.join("empty.bs");
    fs::write(&empty, "Nothing.\n").unwrap();
    let with_empty = [&arguments[..], &["--proposal", "empty.bs"]].concat();
    let (status, out, _) = run(&root, &with_empty);
    let expected = "\
Machine/other
  prose no document has it   code reference/src/machine.rs:12
  unknown algorithm looked for in spec-diff/proposals/machine.bs, empty.bs

spec-diff/proposals/machine.bs: 1 of 2 algorithms encoded, with 6 of 7 steps; 1 to come:
  Machine/stop  spec-diff/proposals/machine.bs:10
empty.bs: 0 of 0 algorithms encoded, with 0 of 0 steps
1 difference
";
    assert_eq!((status, out.as_str()), (1, expected));
}

#[test]
fn rules_of_other_standards_have_no_numbers() {
    let web_idl = "fn convert() { algorithm!(\"Web IDL\"); step!(\"EnforceRange\"); }\n";
    let root = repository("standards", PROSE, &format!("{CODE}{web_idl}"));
    let arguments = ["check", "--spec", "spec-diff/proposals/machine.bs"];
    assert_eq!(run(&root, &arguments).0, 0);
    fs::write(root.join("reference/src/idl.rs"), "fn f() { algorithm!(\"Web IDL\"); step!(\"1\"); }").unwrap();
    let (status, out, _) = run(&root, &arguments);
    assert_eq!(status, 1);
    assert!(out.starts_with("Web IDL\n"), "{out}");
}

#[test]
fn changed_arguments_are_recognised() {
    let root = repository("arguments", PROSE, &CODE.replace("run(coin)", "run(coins)"));
    let (status, out, _) = run(&root, &["check", "--spec", "spec-diff/proposals/machine.bs", "--proposal", "empty.bs"]);
    assert_eq!((status, out.as_str()), (2, ""));
    fs::write(root.join("empty.bs"), "").unwrap();
    let (status, out, _) = run(&root, &["check", "--spec", "spec-diff/proposals/machine.bs", "--proposal", "empty.bs"]);
    assert_eq!(status, 1);
    assert!(out.contains("did you mean Machine.run(coin), spec-diff/proposals/machine.bs:1?"), "{out}");
}

#[test]
fn what_can_not_run_is_2_and_says_why() {
    let root = repository("usage", PROSE, CODE);
    let fails = |folder: &Path, arguments: &[&str], message: &str| {
        let (status, out, err) = run(folder, arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.contains(message), "{arguments:?}: {err}");
    };
    fails(&root, &["check", "--nonsense"], "unexpected argument");
    fails(&root, &[], "Usage:");
    fails(&root, &["check", "--spec", "nowhere.bs"], "nowhere.bs: No such file");
    fails(&root, &["check", "--code", "nowhere"], "nowhere: No such file");
    fails(Path::new("/"), &["check"], "run this in the repository");
    fails(Path::new("/"), &["check", "--code", root.to_str().unwrap()], "nothing to check the code against");
    fs::write(root.join("broken.bs"), "<details algorithm>").unwrap();
    fails(&root, &["check", "--proposal", "broken.bs"], "broken.bs: line 1: <details algorithm> is never closed");
}

#[test]
fn help_is_there() {
    let (status, out, _) = run(Path::new("/"), &["check", "--help"]);
    assert_eq!(status, 0);
    for word in ["--spec <FILE>", "--code <DIR>", "--proposal <FILE>", "Exit codes"] {
        assert!(out.contains(word), "{out}");
    }
}
