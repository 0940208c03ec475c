//! Runs that end before their time, by Ctrl-C or a full disk, and runs that go on with them.

#![cfg(unix)]

mod program;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::Folder;
use serde_json::Value;

const WEBNN: &str = env!("CARGO_BIN_EXE_webnn");

/// So many vectors of one relu each.
fn vectors(count: u32) -> String {
    let vector = |number: u32| {
        format!(
            r#"{{ "name": "relu {number}", "graph": {{
                "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{number}] }} }},
                "operators": [{{ "name": "relu", "arguments": [{{ "input": "x" }}], "outputs": "y" }}],
                "expectedOutputs":
                    {{ "y": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{number}] }} }} }} }}"#
        )
    };
    let tests: Vec<String> = (0..count).map(vector).collect();
    format!(r#"{{ "source": "worked example", "tests": [ {} ] }}"#, tests.join(",\n"))
}

/// An adapter that notes its process, and takes its time for each answer.
fn slow_adapter() -> String {
    format!(
        "slow=cmd:sh -c 'echo $$ > adapter.pid; \"{WEBNN}\" adapter | while read -r line; do sleep 0.002; echo \"$line\"; done'"
    )
}

/// Whether a condition holds before long.
fn before_long(mut condition: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Begins a run, and has it interrupted once this holds.
fn interrupted(folder: &Folder, arguments: &[&str], condition: impl FnMut() -> bool) -> (i32, String) {
    let mut command = Command::new(WEBNN);
    command
        .args(arguments)
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let child: Child = command.spawn().unwrap();
    assert!(before_long(condition), "the run did not come to where it is to be interrupted");
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stdout).unwrap())
}

/// Whether a process is there and has not ended.
fn is_running(process: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(process).join("status")).unwrap_or_default();
    status.contains("State:") && !status.contains("State:\tZ")
}

fn results(text: &str) -> BTreeMap<(String, String), String> {
    let lines = text.lines().filter(|line| line.contains(r#""line":"result""#));
    let keyed = lines.map(|line| {
        let value: Value = serde_json::from_str(line).unwrap();
        let of = |name: &str| value[name].as_str().unwrap().to_owned();
        ((of("vector"), of("implementation")), line.to_owned())
    });
    let all: Vec<_> = keyed.collect();
    let map: BTreeMap<_, _> = all.iter().cloned().collect();
    assert_eq!(map.len(), all.len(), "a result is there twice");
    map
}

/// What is measured leaves nothing behind, neither a folder nor the process that measures.
#[test]
fn a_measurement_that_is_interrupted_removes_its_folder() {
    let folder = Folder::with("empty", "");
    let has = |prefix: &str| folder.names(".").iter().any(|name| name.starts_with(prefix));
    let memory = ["bench", "memory", "load", "-i", "reference", "--size", "4MiB", "--repeat", "100"];
    let is_measured = || {
        let mut names = folder.names(".").into_iter().filter(|name| name.starts_with("webnn-bench-memory-"));
        names.any(|name| folder.path().join(name).join("said").exists())
    };
    let (code, shown) = interrupted(&folder, &memory, is_measured);
    assert_eq!(code, 130, "{shown}");
    assert_eq!(folder.names("."), ["empty"]);
    let cache = ["bench", "cache", "-i", "wgpu", "--repeat", "1000"];
    if webnn_gpu::Gpu::new(None).is_ok() {
        let (code, shown) = interrupted(&folder, &cache, || has("webnn-bench-cache-"));
        assert_eq!(code, 130, "{shown}");
        assert_eq!(folder.names("."), ["empty"]);
    }
}

#[test]
fn a_run_that_is_interrupted_says_so_and_is_gone_on_with() {
    const VECTORS: u32 = 1500;
    let folder = Folder::with("many.json", &vectors(VECTORS));
    let slow = slow_adapter();
    let arguments = ["run", "many.json", "-i", "reference", "-i", &slow, "-j", "1", "-o", "run.jsonl"];
    let file = folder.path().join("run.jsonl");
    let is_on_its_way = || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        text.matches(r#""implementation":"slow","expected""#).count() > 200
    };
    let (code, shown) = interrupted(&folder, &arguments, is_on_its_way);
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("the same command with --resume goes on"), "{shown}");
    let first = folder.read("run.jsonl");
    let last = first.lines().last().unwrap();
    assert!(last.contains(r#""line":"footer""#) && last.contains(r#""interrupted":true"#), "{last}");
    let process = folder.read("adapter.pid");
    assert!(before_long(|| !is_running(process.trim())), "the adapter {process} still runs");

    let refused = folder.webnn(&["report", "run.jsonl", "-F", "markdown"]);
    assert_eq!(refused.code, 65, "{refused}");
    refused.complains("the run was interrupted; the command of the run with --resume goes on with it");

    // Another run is no continuation.
    let other = folder.webnn(&["run", "many.json", "-i", "reference", "-o", "run.jsonl", "--resume"]);
    assert_eq!(other.code, 65, "{other}");
    other.complains(r#"its `implementations` is ["reference","slow"], and now ["reference"]"#);
    folder.write("many.json", &vectors(VECTORS).replace("[7]", "[8]"));
    let changed = folder.webnn(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(changed.code, 65, "{changed}");
    changed.complains("the vectors, or the files that they are in, have changed");
    assert_eq!(folder.read("run.jsonl"), first, "what is refused changes nothing");

    folder.write("many.json", &vectors(VECTORS));
    let resumed = folder.webnn(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(resumed.code, 0, "{resumed}");
    resumed.shows(&format!("slow: {VECTORS} passed"));
    let (before, after) = (results(&first), results(&folder.read("run.jsonl")));
    assert_eq!(after.len(), 2 * VECTORS as usize);
    // What both implementations had done is there as it was, with its times.
    let done: Vec<_> = before.keys().filter(|(_, name)| name == "slow").collect();
    assert!(done.len() > 100, "only {} were done", done.len());
    for (vector, _) in &done {
        for name in ["slow", "reference"] {
            let key = (vector.clone(), name.to_owned());
            let as_values = |line: &str| serde_json::from_str::<Value>(line).unwrap();
            assert_eq!(as_values(&before[&key]), as_values(&after[&key]), "{vector} was run again");
        }
    }

    // A part is not written over by the whole.
    let merged = folder.webnn(&["merge", "run.jsonl", "-o", "./run.jsonl"]);
    assert_eq!(merged.code, 2, "{merged}");
    merged.complains("run.jsonl is one of the parts");

    // Nothing is left to do, and a run without an interruption gives the same.
    let again = folder.webnn(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(again.code, 0, "{again}");
    let whole = folder.webnn(&[
        "run",
        "many.json",
        "-i",
        "reference",
        "-i",
        &slow_adapter().replace("sleep 0.002;", ""),
        "-o",
        "whole.jsonl",
    ]);
    assert_eq!(whole.code, 0, "{whole}");
    let same = folder.webnn(&["compare", "whole.jsonl", "run.jsonl", "--slower", "1000000"]);
    assert_eq!(same.stdout.lines().last(), Some("0 broken, 0 fixed, 0 other, 0 new, 0 gone, 0 slower"), "{same}");
}

#[test]
fn a_file_that_ends_within_a_line_is_gone_on_with() {
    let folder = Folder::with("many.json", &vectors(1000));
    let arguments = ["run", "many.json", "-i", "reference", "-o", "run.jsonl"];
    assert_eq!(folder.webnn(&arguments).code, 0);
    let whole = folder.read("run.jsonl");
    folder.write("run.jsonl", &whole[..whole.len() * 4 / 5]);
    let refused = folder.webnn(&["report", "run.jsonl", "-F", "badge"]);
    assert_eq!(refused.code, 65, "{refused}");
    refused.complains("it ends within a line: the run did not end");
    let resumed = folder.webnn(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(resumed.code, 0, "{resumed}");
    resumed.shows("reference: 1000 passed");
    assert_eq!(results(&folder.read("run.jsonl")).len(), 1000);
}

#[test]
fn an_implementation_that_has_changed_is_noticed() {
    let folder = Folder::with("many.json", &vectors(600));
    let arguments = ["run", "many.json", "-i", "reference", "-o", "run.jsonl"];
    assert_eq!(folder.webnn(&arguments).code, 0);
    let whole = folder.read("run.jsonl");
    let version = concat!("\"name\":\"reference\",\"version\":\"", env!("CARGO_PKG_VERSION"));
    assert!(whole.contains(version));
    let of_another = whole.replace(version, "\"name\":\"reference\",\"version\":\"0.0.9");
    folder.write("run.jsonl", &of_another[..of_another.len() * 4 / 5]);
    let resumed = folder.webnn(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(resumed.code, 65, "{resumed}");
    resumed.complains("reference is not what it was in the run that this goes on with: reference 0.0.9, and now");
}

#[test]
fn what_has_not_begun_is_begun_anew_and_that_is_said() {
    let folder = Folder::with("many.json", &vectors(3));
    let arguments = ["run", "many.json", "-i", "reference", "-o", "run.jsonl", "--resume"];
    let missing = folder.webnn(&arguments);
    assert_eq!(missing.code, 0, "{missing}");
    missing.complains("run.jsonl is not there: there is nothing to go on with, and the run begins anew");
    let whole = folder.read("run.jsonl");
    let header = whole.lines().next().unwrap();
    let before_the_results = &whole[..whole.find(r#"{"line":"result""#).unwrap()];

    // What a report says of a file that was cut off holds: the same command with --resume makes it whole.
    let cuts = [
        ("", "it is empty: the run did not begin", "ends before its first line does"),
        (&header[..7], "it ends within a line", "ends before its first line does"),
        (&header[..header.len() - 9], "it ends within a line", "ends before its first line does"),
        (before_the_results, "it has no footer", "has no vector with a result of every implementation"),
    ];
    for (text, reported, resumed) in cuts {
        folder.write("run.jsonl", text);
        let report = folder.webnn(&["report", "run.jsonl"]);
        assert_eq!(report.code, 65, "{report}");
        report.complains(reported);
        report.complains("the command of the run with --resume goes on with it");
        let run = folder.webnn(&arguments);
        assert_eq!(run.code, 0, "{run}");
        run.complains(&format!("run.jsonl {resumed}: there is nothing to go on with, and the run begins anew"));
        assert_eq!(results(&folder.read("run.jsonl")).len(), 3);
        assert_eq!(folder.webnn(&["report", "run.jsonl"]).code, 0);
    }

    // What is no result file is not written over.
    for text in ["notes of mine", "notes of mine\n", "{}\n", "\n"] {
        folder.write("run.jsonl", text);
        let run = folder.webnn(&arguments);
        assert_eq!(run.code, 65, "{text:?}: {run}");
        run.complains("run.jsonl: line 1: ");
        assert_eq!(folder.read("run.jsonl"), text);
    }
}

/// The processes of the program that guard what was started in a folder.
#[cfg(target_os = "linux")]
fn guards(folder: &Path) -> usize {
    let is_guard = |process: &Path| {
        let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
        let place = std::fs::read_link(process.join("cwd"));
        command.ends_with(b"\0guard\0") && place.is_ok_and(|place| place == folder)
    };
    std::fs::read_dir("/proc").unwrap().filter(|entry| is_guard(&entry.as_ref().unwrap().path())).count()
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_started_ends_with_a_harness_that_is_killed() {
    let folder = Folder::with("many.json", &vectors(3));
    let place = folder.path().canonicalize().unwrap();
    // It does not read, so that it can not notice the end of its input; and nor does what it has started.
    let hangs = "hangs=cmd:sh -c 'sleep 1000 & echo $! > second.pid; echo $$ > first.pid; sleep 1000'";
    let mut run = folder.start(&["run", "many.json", "-i", hangs, "-j", "1", "-o", "run.jsonl"]);
    let process = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default().trim().to_owned();
    let is_there = || !process("first.pid").is_empty() && is_running(&process("first.pid"));
    assert!(before_long(is_there), "the adapter does not run");
    assert_eq!(guards(&place), 1);
    run.kill().unwrap();
    run.wait().unwrap();
    for name in ["first.pid", "second.pid"] {
        assert!(before_long(|| !is_running(&process(name))), "{name} still runs");
    }
    assert!(before_long(|| guards(&place) == 0), "the guard still runs");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_is_no_run() {
    let folder = Folder::with("many.json", &vectors(3));
    let run = folder.webnn(&["run", "many.json", "-i", "reference", "-o", "/dev/full"]);
    assert_eq!(run.code, 74, "{run}");
    run.complains("/dev/full can not be written: No space left on device");
    assert_eq!(folder.webnn(&["run", "many.json", "-i", "reference", "-o", "run.jsonl"]).code, 0);
    let report = folder.webnn(&["report", "run.jsonl", "-o", "/dev/full"]);
    assert_eq!(report.code, 74, "{report}");
    report.complains("/dev/full can not be written: No space left on device");
}

#[test]
fn what_does_not_start_leaves_the_results_that_are_there() {
    let folder = Folder::with("many.json", &vectors(3));
    assert_eq!(folder.webnn(&["run", "many.json", "-i", "reference"]).code, 0);
    let before = folder.read("results/latest.jsonl");
    let run = folder.webnn(&["run", "many.json", "-i", "a=cmd:no-such-program"]);
    assert_eq!(run.code, 78, "{run}");
    assert_eq!(
        run.stderr.matches("no-such-program").count() + run.stdout.matches("no-such-program").count(),
        1,
        "{run}"
    );
    assert_eq!(folder.read("results/latest.jsonl"), before);
    let elsewhere = folder.webnn(&["run", "many.json", "-i", "a=cmd:no-such-program", "-o", "new/file.jsonl"]);
    assert_eq!(elsewhere.code, 78, "{elsewhere}");
    assert!(!folder.path().join("new/file.jsonl").exists());
}
