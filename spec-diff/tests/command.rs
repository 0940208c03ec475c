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
fn no_differences_are_0_and_nothing_is_said() {
    let root = repository("clean", PROSE, CODE);
    assert_eq!(run(&root.join("reference"), &["check"]), (0, String::new(), String::new()));
    let (status, out, _) = run(&root, &["check", "--verbose"]);
    let expected = "spec-diff/proposals/machine.bs: 2 of 2 algorithms encoded, with 7 of 7 steps\n";
    assert_eq!((status, out.as_str()), (0, expected));
}

#[test]
fn differences_are_1_and_each_is_a_line_with_its_place() {
    let code = CODE
        .replace("    step!(\"2.2\");\n", "")
        .replace("step!(\"2.3\");", "step!(\"2.4\");")
        .replace("Machine/stop", "Machine/halt");
    let root = repository("different", PROSE, &(code + "fn stray() { step!(\"1\"); }\n"));
    let (status, out, _) = run(&root, &["check"]);
    let expected = "\
reference/src/machine.rs:14: no algorithm: step 1 is in no frame: open one with algorithm!(..)
reference/src/machine.rs:6: Machine.run(coin): steps 2.2 and 2.3 are not named: encode \
spec-diff/proposals/machine.bs:6 after step 2.1
reference/src/machine.rs:7: Machine.run(coin): there is no step 2.4: the algorithm ends at spec-diff/proposals/machine.bs:9
spec-diff/proposals/machine.bs:10: Machine/stop: no code encodes it: open its frame with algorithm!(\"Machine/stop\")
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
reference/src/machine.rs:12: Machine/other: there is no such algorithm in spec-diff/proposals/machine.bs, empty.bs
spec-diff/proposals/machine.bs: 1 of 2 algorithms encoded, with 6 of 7 steps
  to come: Machine/stop  spec-diff/proposals/machine.bs:10
empty.bs: 0 of 0 algorithms encoded, with 0 of 0 steps
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
    assert!(out.contains(": Web IDL: there is no such algorithm"), "{out}");
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

/// A specification that has three algorithms, and another one: of the first, one step changed and one is new.
const SPEC: &str = "\
<div algorithm>
To <dfn>first</dfn>:
    1. Begin.
    1. End.
</div>
<div algorithm>
To <dfn>second</dfn>:
    1. Begin.
</div>
";

fn locked(name: &str) -> PathBuf {
    let code = "fn f() { algorithm!(\"first\"); step!(\"1\"); step!(\"2\"); }\nfn g() { algorithm!(\"second\"); step!(\"1\"); }\n";
    let root = repository(
        name,
        "<div algorithm>To <dfn>third</dfn>, rest.</div>",
        &format!("{code}fn h() {{ algorithm!(\"third\"); }}"),
    );
    fs::write(root.join("index.bs"), SPEC).unwrap();
    root
}

#[test]
fn what_changed_in_the_specification_is_work_until_it_is_done() {
    let root = locked("upgrade");
    let (status, out, _) = run(&root, &["upgrade", "--spec", "index.bs"]);
    assert_eq!((status, out.lines().next()), (1, Some("index.bs:1: first: this algorithm is new: encode it")));
    // The table of operators is compiled into the program, and this little repository has no other.
    let (status, out, _) = run(&root, &["upgrade", "--spec", "index.bs", "--all"]);
    assert_eq!((status, out.as_str()), (0, "2 names locked in spec-diff/steps.lock\n"));
    assert_eq!(run(&root, &["check", "--spec", "index.bs"]), (0, String::new(), String::new()));

    let newer = SPEC
        .replace("    1. End.\n", "    1. Go on.\n    1. End.\n")
        .replace("To <dfn>second</dfn>:\n    1. Begin.", "To <dfn>second</dfn>:\n    1. Start.");
    fs::write(root.join("index.bs"), newer).unwrap();
    assert_eq!(run(&root, &["check"]).0, 0);
    let work = "\
index.bs:4: first: step 2 is new: encode it in reference/src/machine.rs:1
index.bs:9: second: step 1 changed: compare reference/src/machine.rs:2
";
    assert_eq!(run(&root, &["check", "--spec", "index.bs"]), (1, work.to_owned(), String::new()));
    let (_, out, _) = run(&root, &["upgrade", "--spec", "index.bs", "--done", "second"]);
    assert_eq!(
        out,
        "index.bs:4: first: step 2 is new: encode it in reference/src/machine.rs:1\n1 name locked in spec-diff/steps.lock\n"
    );
    // What the code contradicts is not locked.
    let (status, out, _) = run(&root, &["upgrade", "--spec", "index.bs", "--done", "first"]);
    assert_eq!(status, 1);
    assert!(
        out.starts_with("reference/src/machine.rs:1: first: step 3 is not named: encode index.bs:5 after step 2\n"),
        "{out}"
    );
    let (status, _, err) = run(&root, &["upgrade", "--spec", "index.bs", "--done", "fourth"]);
    assert_eq!(status, 2);
    assert!(err.contains("fourth is nothing that changed"), "{err}");
}

#[test]
fn what_is_locked_is_encoded() {
    let root = locked("locked");
    assert_eq!(run(&root, &["upgrade", "--spec", "index.bs", "--all"]).0, 0);
    fs::write(root.join("reference/src/machine.rs"), "fn f() { algorithm!(\"first\"); step!(\"1\"); step!(\"2\"); }\n")
        .unwrap();
    let (status, out, _) = run(&root, &["check", "--proposal", "index.bs"]);
    assert_eq!(status, 1);
    let expected = "spec-diff/steps.lock:8: second: no code encodes it: open its frame with algorithm!(\"second\")";
    assert_eq!(out.lines().next(), Some(expected));
    fs::write(root.join("spec-diff/steps.lock"), "nonsense").unwrap();
    let (status, _, err) = run(&root, &["check"]);
    assert_eq!(status, 2);
    assert!(err.contains("spec-diff/steps.lock:1: \"nonsense\" has no hash"), "{err}");
}

#[test]
fn a_step_is_found_by_what_people_call_it() {
    let root = locked("where");
    let place = "reference/src/machine.rs:1: first step 2  index.bs:4\n";
    assert_eq!(run(&root, &["where", "first", "2", "--spec", "index.bs"]), (0, place.to_owned(), String::new()));
    assert_eq!(run(&root, &["where", "FIRST"]).1, "reference/src/machine.rs:1: first\n");
    let (status, _, err) = run(&root, &["where", "firsd"]);
    assert_eq!((status, err.contains("there is no algorithm \"firsd\"; did you mean first?")), (2, true), "{err}");
    let (status, _, err) = run(&root, &["where", "first 9"]);
    assert_eq!((status, err.contains("first has no step \"9\"")), (2, true), "{err}");
}

/// What vectors reach of the little specification: the second step of the first algorithm in one vector.
fn record(root: &Path) {
    let record = r#"{"places": [["first", "2"]], "vectors": [{"vector": "file/one", "reached": [0], "threw": []}]}"#;
    fs::write(root.join("coverage.json"), record).unwrap();
    fs::write(root.join("spec-diff/unreached.toml"), "").unwrap();
}

#[test]
fn prose_is_shown_beside_code_and_vectors() {
    let root = locked("show");
    record(&root);
    let (status, out, _) =
        run(&root, &["show", "first", "--spec", "index.bs", "--coverage", "coverage.json", "--width", "60"]);
    let expected = "\
first  index.bs:1  reference/src/machine.rs:1
1. Begin.                    │ fn f() { algorithm!(\"first\"…
    0 vectors
2. End.                      │ fn f() { algorithm!(\"first\"…
    1 vector  file/one

";
    assert_eq!((status, out.as_str()), (0, expected));
}

#[test]
fn prose_of_proposals_is_found_without_a_path() {
    let root = locked("proposals");
    let (status, out, _) = run(&root, &["show", "third", "--width", "60"]);
    assert_eq!(
        (status, out.lines().next()),
        (0, Some("third  spec-diff/proposals/machine.bs:1  reference/src/machine.rs:3"))
    );
    let place = "reference/src/machine.rs:3: third  spec-diff/proposals/machine.bs:1\n";
    assert_eq!(run(&root, &["where", "third"]).1, place);
    // Beside the specification they are there too, and once.
    let (_, out, _) = run(&root, &["show", "third", "--spec", "index.bs"]);
    assert_eq!(out.matches("third").count(), 2, "{out}");
    let (_, out, _) = run(&root, &["show", "third", "--spec", "spec-diff/proposals/machine.bs"]);
    assert_eq!(out.matches("reference/src/machine.rs:3").count(), 1, "{out}");
    let (status, _, err) = run(&root, &["show", "first"]);
    let expected = "error: the prose of first is the specification's: say --spec FILE, its source (index.bs)\n";
    assert_eq!((status, err.as_str()), (2, expected));
    let (status, _, err) = run(&root, &["show", "firsd"]);
    assert_eq!((status, err.contains("there is no algorithm \"firsd\"; did you mean first?")), (2, true), "{err}");
}

#[test]
fn what_no_vector_reaches_needs_a_reason() {
    let root = locked("coverage");
    assert_eq!(run(&root, &["upgrade", "--spec", "index.bs", "--all"]).0, 0);
    record(&root);
    let (status, out, _) = run(&root, &["coverage", "coverage.json"]);
    let expected = "\
first: 1 of 2 steps reached, 0 of 0 throw
  step 1: never reached: nothing says why not
second: 0 of 1 steps reached, 0 of 0 throw
  step 1: never reached: nothing says why not
1 of 3 steps reached, 0 of 0 that name an exception threw it; 0 steps left out for a reason
";
    assert_eq!((status, out.as_str()), (1, expected));
    let reasons = "[[step]]\nalgorithms = [\"first\", \"second\"]\nsteps = [\"1\"]\nreason = \"why\"\n";
    fs::write(root.join("spec-diff/unreached.toml"), reasons).unwrap();
    assert_eq!(run(&root, &["coverage", "coverage.json"]).0, 0);
    fs::write(root.join("coverage.json"), "{}").unwrap();
    let (status, _, err) = run(&root, &["coverage", "coverage.json"]);
    assert_eq!((status, err.contains("coverage.json: this is no record")), (2, true), "{err}");
}

#[test]
fn a_page_has_prose_code_and_verdicts() {
    let root = locked("html");
    record(&root);
    let result = r#"{"line":"result","vector":"file/one","implementation":"wgpu","expected":false,"outcome":"failed"}"#;
    fs::write(root.join("results.jsonl"), format!("{result}\n{{\"line\":\"footer\"}}\n")).unwrap();
    let arguments = ["html", "--spec", "index.bs", "--coverage", "coverage.json", "--results", "results.jsonl"];
    assert_eq!(run(&root, &arguments), (0, "spec-diff.html\n".to_owned(), String::new()));
    let page = fs::read_to_string(root.join("spec-diff.html")).unwrap();
    for part in [
        "<li id=\"first-1\" class=\"unreached depth-0\"",
        "<li id=\"first-2\" class=\"reached failing depth-0\" title=\"1 vector; the smallest: file/one\">",
        "<span class=\"fail\">wgpu ✓0 ✕1</span>",
        "href=\"#third\"",
        "<!DOCTYPE html>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http://") && !page.contains("https://"), "the page needs nothing from elsewhere");
    let (status, _, err) = run(&root, &["html", "--spec", "index.bs", "--output", "index.bs/page.html"]);
    assert_eq!((status, err.contains("error: cannot write index.bs/page.html: ")), (2, true), "{err}");
}

#[test]
fn two_revisions_are_compared_in_three_forms() {
    let root = locked("diff");
    fs::write(root.join("newer.bs"), SPEC.replace("    1. End.", "    1. Go on.\n    1. End.")).unwrap();
    let (status, out, _) = run(&root, &["diff", "index.bs", "newer.bs"]);
    assert_eq!(status, 1);
    assert!(out.contains("  step 2 added\n    + Go on.  newer.bs:4\n  step 3: was step 2\n"), "{out}");
    let (_, out, _) = run(&root, &["diff", "--side-by-side", "--width", "60", "index.bs", "newer.bs"]);
    assert!(out.contains(" │ Go on.\n"), "{out}");
    let (_, out, _) = run(&root, &["diff", "--format", "markdown", "index.bs", "newer.bs"]);
    assert!(out.contains("- **2** added: <ins>Go on.</ins>\n- step 3: was step 2\n"), "{out}");
    let (_, out, _) = run(&root, &["diff", "--format", "json", "index.bs", "newer.bs"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["algorithms"][0]["renumbered"][0], serde_json::json!(["2", "3"]));
    assert_eq!(run(&root, &["diff", "index.bs", "index.bs"]).0, 0);
    fs::write(root.join("idea.bs"), "<div algorithm amends=first after=1>\n1. Go on.\n</div>").unwrap();
    let (_, out, _) = run(&root, &["diff", "index.bs", "--proposal", "idea.bs"]);
    assert!(out.contains("  step 2 added\n    + Go on.  idea.bs:2\n  step 3: was step 2\n"), "{out}");
    fs::write(root.join("idea.bs"), "<div algorithm amends=first after=7>\n1. Go on.\n</div>").unwrap();
    let (status, _, err) = run(&root, &["diff", "index.bs", "--proposal", "idea.bs"]);
    assert_eq!((status, err.contains("idea.bs:1: it comes next to step 7, which there is not")), (2, true), "{err}");
    fs::write(root.join("README.md"), "# A machine\n").unwrap();
    let (status, _, err) = run(&root, &["diff", "index.bs", "--proposal", "README.md"]);
    assert_eq!(
        (status, err.contains("README.md: it has no algorithm, no amendment and no Web IDL")),
        (2, true),
        "{err}"
    );
    let (status, out, err) = run(&root, &["diff", "index.bs"]);
    assert_eq!((status, out.as_str(), err.contains("or a proposal: --proposal FILE")), (2, "", true), "{err}");
}

#[test]
fn what_ends_the_lines_of_a_copy_changes_nothing() {
    let root = locked("line-ends");
    record(&root);
    let more = "\
<script type=idl>
dictionary Options {
  // How fast.
  unsigned long speed = 1;
};
</script>
<div algorithm>
The <dfn method for=MLGraphBuilder>twice(|input|)</dfn> steps are:
    1. Return |output|.
</div>
<pre highlight=\"js\">
function twice(builder, input) {
  return builder.add(
      input, input);
}
</pre>
";
    let text = format!("{SPEC}{more}");
    let commands = [
        "diff index.bs REVISION --coverage coverage.json",
        "diff REVISION newer.bs",
        "diff REVISION newer.bs --format markdown",
        "diff REVISION newer.bs --format json",
        "diff newer.bs REVISION --side-by-side --width 80",
        "diff index.bs --proposal idea.bs",
        "lint REVISION",
        "show first --spec REVISION --width 60",
        "where first 2 --spec REVISION",
        "check --spec REVISION --verbose",
        "html --spec REVISION --coverage coverage.json --output page.html",
        "upgrade --spec REVISION",
        "upgrade --spec REVISION --all",
        "coverage coverage.json",
    ];
    fs::write(root.join("index.bs"), &text).unwrap();
    fs::write(root.join("newer.bs"), text.replace("End.", "Stop.").replace("speed = 1", "speed = 2")).unwrap();
    let idea = "<div algorithm amends=first after=1>\n1. Go on,\n    and on.\n</div>";
    let said = |end: &str| {
        fs::write(root.join("revision.bs"), text.replace('\n', end)).unwrap();
        fs::write(root.join("idea.bs"), idea.replace('\n', end)).unwrap();
        for path in ["reference/src/machine.rs", "spec-diff/proposals/machine.bs", "spec-diff/unreached.toml"] {
            let path = root.join(path);
            let text = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
            // Rust has no lines that end with a carriage return alone.
            let is_bare = end == "\r" && path.extension().is_some_and(|extension| extension != "bs");
            fs::write(&path, text.replace('\n', if is_bare { "\n" } else { end })).unwrap();
        }
        let _ = fs::remove_file(root.join("spec-diff/steps.lock"));
        let commands = commands.map(|command| {
            let command = command.replace("REVISION", "revision.bs");
            (run(&root, &command.split(' ').collect::<Vec<_>>()), command)
        });
        let lock = root.join("spec-diff/steps.lock");
        let kept = fs::read_to_string(&lock).unwrap();
        fs::write(&lock, kept.replace('\n', if end == "\r" { "\n" } else { end })).unwrap();
        let locked = run(&root, &["check", "--spec", "revision.bs"]);
        (commands, kept, locked, fs::read_to_string(root.join("page.html")).unwrap())
    };
    let (commands, lock, locked, page) = said("\n");
    assert_eq!(commands[0].0.0, 0, "{commands:?}");
    assert!(commands.iter().all(|((status, ..), _)| *status < 2), "{commands:?}");
    let json = &commands[3].0.1;
    assert!(json.contains("Stop.") && json.contains("speed") && page.contains("twice"), "{json}");
    for end in ["\r\n", "\r"] {
        let other = said(end);
        for ((said, command), (expected, _)) in other.0.iter().zip(&commands) {
            assert_eq!(said, expected, "{command} with {end:?}");
        }
        assert_eq!((&other.1, &other.2), (&lock, &locked), "{end:?}");
        assert!(other.3 == page, "the page is another with {end:?}");
    }
}

#[test]
fn prose_is_linted() {
    let root = locked("lint");
    assert_eq!(run(&root, &["lint", "index.bs"]), (0, String::new(), String::new()));
    fs::write(root.join("index.bs"), SPEC.replace("Begin.", "Begin with |x|.")).unwrap();
    let (status, out, _) = run(&root, &["lint", "index.bs", "--rule", "undeclared-variable"]);
    let expected = "index.bs:3: first step 1: |x| is not declared. [undeclared-variable]\n\
                    index.bs:8: second step 1: |x| is not declared. [undeclared-variable]\n";
    assert_eq!((status, out.as_str()), (1, expected));
    let (_, out, _) = run(&root, &["lint", "index.bs", "--format", "json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap()[0]["line"], 3);
    assert!(run(&root, &["lint", "--rules"]).1.contains("loop-without-progress"));
    let (status, _, err) = run(&root, &["lint", "index.bs", "--rule", "nonsense"]);
    assert_eq!((status, err.contains("there is no rule `nonsense`")), (2, true), "{err}");
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
