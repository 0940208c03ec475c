//! Runs in parts, and reports: a run and the merger of its parts give the same, and what is cut short is never taken for a
//! whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const WEBNN: &str = env!("CARGO_BIN_EXE_webnn");

/// A folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reports").join(name);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn webnn(&self, arguments: &[&str]) -> Output {
        Command::new(WEBNN).args(arguments).current_dir(&self.0).output().unwrap()
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.webnn(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// A text without its times, which no two runs have the same.
fn without_times(text: &str) -> String {
    let names = ["\"seconds\":", "\"started\":", "time=\"", "\"duration\": ", "\"time_start\": ", "\"time_end\": "];
    names.iter().fold(text.to_owned(), |text, name| {
        let mut parts = text.split(name);
        let first = parts.next().unwrap_or_default().to_owned();
        let is_time = |c: char| c.is_ascii_digit() || ".e-".contains(c);
        parts.fold(first, |text, part| text + name + part.trim_start_matches(is_time))
    })
}

#[test]
fn parts_and_the_whole_give_the_same_reports() {
    let folder = Folder::new("parts");
    let of = ["-f", "softmax", "-f", "relu", "-f", "hollow", "-i", "reference"];
    folder.ok(&[&["run", "--output", "whole.jsonl"], &of[..]].concat());
    let names: Vec<String> = (1..=8).map(|part| format!("part{part}.jsonl")).collect();
    for (part, name) in names.iter().enumerate() {
        let partition = format!("{}/8", part + 1);
        folder.ok(&[&["run", "--partition", &partition, "--output", name], &of[..]].concat());
    }
    let mut merge = vec!["merge", "-o", "merged.jsonl"];
    merge.extend(names.iter().map(String::as_str));
    folder.ok(&merge);
    for format in ["html", "markdown", "junit", "wptreport", "badge"] {
        let whole = folder.ok(&["report", "whole.jsonl", "-F", format]);
        let merged = folder.ok(&["report", "merged.jsonl", "-F", format]);
        let (whole_lines, merged_lines) = (without_times(&whole), without_times(&merged));
        let apart = whole_lines.chars().zip(merged_lines.chars()).position(|(a, b)| a != b);
        let near =
            |text: &str| text.chars().skip(apart.unwrap_or_default().saturating_sub(80)).take(160).collect::<String>();
        assert!(whole_lines == merged_lines, "{format}: {:?} {:?}", near(&whole_lines), near(&merged_lines));
        assert!(whole.len() > 40, "{format}: {whole}");
    }
    let same = folder.ok(&["compare", "whole.jsonl", "merged.jsonl", "--slower", "1000000"]);
    assert_eq!(same, "0 broken, 0 fixed, 0 other, 0 new, 0 gone, 0 slower\n");

    let less = folder.webnn(&["merge", "part1.jsonl", "part2.jsonl"]);
    assert_eq!(less.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&less.stderr).contains("3/8, 4/8"), "{less:?}");

    let twice = folder.webnn(&["merge", "part1.jsonl", "part1.jsonl"]);
    assert_eq!(twice.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("is in two of the files"), "{twice:?}");
}

#[test]
fn what_is_cut_short_is_no_run() {
    let folder = Folder::new("cut");
    folder.ok(&["run", "-f", "relu/", "-i", "reference", "--output", "whole.jsonl"]);
    let text = fs::read_to_string(folder.path("whole.jsonl")).unwrap();
    let cases = [
        ("no footer", text.lines().rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")),
        ("half a line", text[..text.len() / 2].to_owned()),
        ("a result less", text.lines().filter(|line| !line.contains("relu float32 0D")).collect::<Vec<_>>().join("\n")),
        ("empty", String::new()),
        ("something else", "{}\n".to_owned()),
    ];
    for (what, text) in cases {
        fs::write(folder.path("cut.jsonl"), text).unwrap();
        for arguments in
            [&["report", "cut.jsonl"][..], &["compare", "whole.jsonl", "cut.jsonl"], &["merge", "cut.jsonl"]]
        {
            let output = folder.webnn(arguments);
            assert_eq!(output.status.code(), Some(65), "{what}: {output:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("cut.jsonl"), "{what}: {output:?}");
        }
    }
}

/// A file of two vectors, the first of which expects this.
fn write_vectors(path: &Path, expected: f64) {
    let vector = |name: &str, expected: f64| {
        format!(
            r#"{{ "name": "{name}", "graph": {{
                "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [1] }} }},
                "operators": [ {{ "name": "relu", "arguments": [ {{ "input": "x" }} ], "outputs": "y" }} ],
                "expectedOutputs": {{ "y": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{expected}] }} }} }} }}"#
        )
    };
    let tests = [vector("a </script><b> & | _name_", expected), vector("b", 1.0)].join(",");
    fs::write(path, format!(r#"{{ "source": "worked example", "tests": [ {tests} ] }}"#)).unwrap();
}

#[test]
fn what_broke_is_found_and_run_again() {
    let folder = Folder::new("broke");
    let run = ["run", "v.json", "-i", "reference"];
    write_vectors(&folder.path("v.json"), 1.0);
    folder.ok(&[&run[..], &["--output", "base.jsonl"]].concat());
    write_vectors(&folder.path("v.json"), 2.0);
    let failed = folder.webnn(&[&run[..], &["--output", "new.jsonl"]].concat());
    assert_eq!(failed.status.code(), Some(1));

    let compared = folder.webnn(&["compare", "base.jsonl", "new.jsonl", "--format", "json"]);
    assert_eq!(compared.status.code(), Some(1));
    let comparison: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    let changes = &comparison["changes"];
    assert_eq!(changes[0]["change"], "broken", "{changes}");
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    let back = folder.ok(&["compare", "new.jsonl", "base.jsonl"]);
    assert!(back.contains("1 fixed"), "{back}");

    let again = folder.webnn(&[&run[..], &["--failed-only", "new.jsonl", "--output", "again.jsonl"]].concat());
    assert!(String::from_utf8_lossy(&again.stdout).contains("1 vector in"), "{again:?}");
    let again = folder.webnn(&[&run[..], &["--output", "again.jsonl", "--failed-only"]].concat());
    assert_eq!(again.status.code(), Some(1), "without a file it is the one that is written: {again:?}");
    let none = folder.webnn(&[&run[..], &["--failed-only", "base.jsonl"]].concat());
    assert_eq!(none.status.code(), Some(66), "{none:?}");

    let fast = folder.webnn(&[&run[..], &["--fail-fast", "--jobs", "1", "--output", "fast.jsonl"]].concat());
    assert_eq!(fast.status.code(), Some(1));
    assert_eq!(folder.webnn(&["report", "fast.jsonl"]).status.code(), Some(65));
}

#[test]
fn a_name_is_no_markup() {
    let folder = Folder::new("markup");
    write_vectors(&folder.path("v.json"), 2.0);
    folder.webnn(&["run", "v.json", "-i", "reference", "--output", "r.jsonl"]);
    let html = folder.ok(&["report", "r.jsonl", "--format", "html"]);
    assert!(!html.contains("</script><b>"), "a name ends the script");
    let data = html.split_once("id=\"run\">").and_then(|(_, rest)| rest.split_once("</script>")).unwrap().0;
    let lines: serde_json::Value = serde_json::from_str(data).unwrap();
    assert!(lines.as_array().unwrap().iter().any(|line| line["vector"] == "v/a </script><b> & | _name_"));
    let junit = folder.ok(&["report", "r.jsonl", "--format", "junit"]);
    assert!(junit.contains("a &lt;/script&gt;&lt;b&gt; &amp; | _name_") && junit.contains("failures=\"1\""), "{junit}");
}

#[test]
fn expectations_follow_a_run_but_for_their_reasons() {
    let folder = Folder::new("expectations");
    write_vectors(&folder.path("v.json"), 2.0);
    fs::create_dir_all(folder.path("known")).unwrap();
    let known = "# Kept.\n[[expectation]]\nvectors = [\"v/b\", \"other/c\"]\noutcome = \"failed\"\nreason = \"a\"\nlink = \"b\"\n";
    fs::write(folder.path("known/reference.toml"), known).unwrap();
    let run = ["run", "v.json", "-i", "reference", "--expectations", "known", "--output", "r.jsonl"];
    assert_eq!(folder.webnn(&run).status.code(), Some(1));
    let update = folder.ok(&["expectations", "update", "r.jsonl", "--folder", "known"]);
    assert!(update.contains("1 taken off and 1 added"), "{update}");
    let text = fs::read_to_string(folder.path("known/reference.toml")).unwrap();
    assert!(text.starts_with("# Kept.") && text.contains("other/c") && !text.contains("v/b\""), "{text}");

    let refused = folder.webnn(&run);
    assert_eq!(refused.status.code(), Some(65), "an entry without a reason is accepted");
    let written = text.replace("reason = \"\"", "reason = \"on purpose\"").replace("link = \"\"", "link = \"here\"");
    fs::write(folder.path("known/reference.toml"), written).unwrap();
    assert_eq!(folder.webnn(&run).status.code(), Some(0));
}

#[test]
fn shells_and_the_manual_know_the_command_line() {
    let folder = Folder::new("shells");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(folder.ok(&["completions", shell]).contains("webnn"), "{shell}");
    }
    assert!(folder.ok(&["man"]).contains(".TH webnn"));
}
