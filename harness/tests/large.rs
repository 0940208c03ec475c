//! Runs of any size: what a vector costs in memory does not depend on how large it is, nor on what its results say.

#![cfg(target_os = "linux")]

mod program;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use program::Folder;

const WEBNN: &str = env!("CARGO_BIN_EXE_webnn");

/// The most bytes of memory that a vector may cost more, and so what one may cost whose text has about 1,000 bytes and whose
/// results have about 500: enough for its name and for where things are.
const EACH: f64 = 200.0;

/// What the peak of one run differs from that of the next, in bytes.
const NOISE: f64 = 4.0 * 1024.0 * 1024.0;

/// A file of so many vectors, each of them with a remark that makes it large. Every ninth expects what it does not get.
fn vectors(count: usize) -> String {
    let remark = "0123456789 ".repeat(60);
    let mut text = String::from("{ \"source\": \"worked example\", \"tests\": [\n");
    for number in 0..count {
        let expected = if number % 9 == 0 { number + 1 } else { number };
        let separator = if number + 1 < count { "," } else { "" };
        _ = writeln!(
            text,
            r#"{{ "name": "relu {number}", "note": "{remark}", "graph": {{
  "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{number}] }} }},
  "operators": [{{ "name": "relu", "arguments": [{{ "input": "x" }}], "outputs": "y" }}],
  "expectedOutputs": {{ "y": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{expected}] }} }} }} }}{separator}"#
        );
    }
    text + "] }\n"
}

/// Runs the program, and returns its exit code and the most memory that it took, in bytes.
fn measured(folder: &Path, arguments: &[&str]) -> (i32, f64) {
    let mut command = Command::new(WEBNN);
    command.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    let code = loop {
        // The peak only grows, and is there until the program is waited for.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kilobytes) = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()) {
            peak = kilobytes * 1024.0;
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status.code().unwrap_or(-1);
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(peak > 1e6, "{arguments:?}: no peak was found");
    (code, peak)
}

/// The peaks of everything that is done with a run of so many vectors.
fn chain(count: usize) -> Vec<(&'static str, f64)> {
    let folder = Folder::with("many.json", &vectors(count));
    let folder = folder.path();
    let mut peaks = Vec::new();
    let mut step = |name, code, arguments: &[&str]| {
        let (actual, peak) = measured(folder, arguments);
        assert_eq!(actual, code, "{arguments:?}");
        peaks.push((name, peak));
    };
    let run = ["run", "many.json", "-i", "reference", "-o"];
    let and = |more: &[&'static str]| [&run[..], more].concat();
    step("run", 1, &and(&["whole.jsonl"]));
    step("run --failed-only", 1, &and(&["failed.jsonl", "--failed-only", "whole.jsonl"]));
    let whole = std::fs::read(folder.join("whole.jsonl")).unwrap();
    std::fs::write(folder.join("cut.jsonl"), &whole[..whole.len() * 9 / 10]).unwrap();
    step("run --resume", 1, &and(&["cut.jsonl", "--resume"]));
    step("run --partition", 1, &and(&["1.jsonl", "--partition", "1/2"]));
    step("run --partition", 1, &and(&["2.jsonl", "--partition", "2/2"]));
    step("merge", 0, &["merge", "1.jsonl", "2.jsonl", "-o", "merged.jsonl"]);
    step("compare", 0, &["compare", "whole.jsonl", "merged.jsonl", "--slower", "1000000"]);
    for format in ["html", "markdown", "junit", "wptreport", "badge"] {
        step(format, 0, &["report", "merged.jsonl", "-F", format, "-o", "report"]);
    }
    std::fs::create_dir(folder.join("known")).unwrap();
    step("expectations update", 0, &["expectations", "update", "whole.jsonl", "--folder", "known"]);
    peaks
}

#[test]
fn memory_grows_with_the_number_of_vectors_only() {
    let (few, many) = (9_000, 27_000);
    for ((name, before), (_, after)) in chain(few).into_iter().zip(chain(many)) {
        let allowed = EACH * (many - few) as f64 + NOISE;
        let grown = after - before;
        assert!(grown <= allowed, "{name}: {before} bytes for {few} vectors, and {after} for {many}");
    }
}

#[test]
fn what_is_wrong_in_the_last_vector_is_said_before_the_first_runs() {
    let count = 20_001;
    let place = format!("\"data\": [{}] }} }} }} }}\n] }}", count - 1);
    let text = vectors(count);
    assert!(text.contains(&place), "the last vector is not what it should be");
    let folder = Folder::with("many.json", &text.replace(&place, &place.replace("\"data\": [", "\"data\": [0, ")));
    folder.write("run.jsonl", "what was there");
    let run = folder.webnn(&["run", "many.json", "-i", "reference", "-o", "run.jsonl"]);
    assert_eq!(run.code, 65, "{run}");
    run.complains(
        "many.json: \"relu 20000\" at /tests/20000/graph/expectedOutputs/y/data: 2 elements, but shape [1] holds 1",
    );
    assert_eq!((run.stdout.as_str(), folder.read("run.jsonl").as_str()), ("", "what was there"));
}

#[test]
fn a_file_that_changes_while_it_runs_ends_the_run() {
    // It is larger than what is kept of files, and is read again after this one.
    let folder = Folder::with("b.json", &vectors(12_000));
    folder.write("a.json", &vectors(600));
    let change = "sh -c 'if ! test -e changed; then echo >> b.json; touch changed; fi; exec \"$0\" adapter'";
    let adapter = format!("a=cmd:{change} \"{WEBNN}\"");
    let run = folder.webnn(&["run", "a.json", "b.json", "-i", &adapter, "-j", "1", "-o", "run.jsonl"]);
    assert_eq!(run.code, 65, "{run}");
    run.complains("b.json has changed since the run began; begin the run anew");
    let refused = folder.webnn(&["report", "run.jsonl", "-F", "badge"]);
    assert_eq!(refused.code, 65, "{refused}");
}

#[test]
fn what_can_be_read_only_once_is_read_once() {
    let folder = Folder::with("few.json", &vectors(30));
    let program = format!("mkfifo pipe && {{ cat few.json > pipe & }} && '{WEBNN}' run pipe -i reference -o run.jsonl");
    let run = Command::new("sh").args(["-c", &program]).current_dir(folder.path()).output().unwrap();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(String::from_utf8_lossy(&run.stdout).contains("reference: 26 passed"), "{run:?}");
    let program = format!("cat run.jsonl | '{WEBNN}' report /dev/stdin -F badge");
    let report = Command::new("sh").args(["-c", &program]).current_dir(folder.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&report.stdout).contains("26 of 30"), "{report:?}");
}
