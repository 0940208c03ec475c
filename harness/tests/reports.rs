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
    let why = "it ended at the first unexpected result (--fail-fast), with 1 of 2 results";
    let report = folder.ok(&["report", "fast.jsonl", "-F", "markdown"]);
    assert!(report.contains(&why.replace('_', "\\_")), "{report}");
    assert!(folder.ok(&["report", "fast.jsonl", "-F", "html"]).contains("\"endedEarly\":\"at the first"));
    assert!(folder.ok(&["report", "fast.jsonl", "-F", "junit"]).contains(why));
    let badge = folder.ok(&["report", "fast.jsonl", "-F", "badge"]);
    assert!(badge.contains("0 of 1 (ended early)"), "{badge}");
    let merged = folder.webnn(&["merge", "fast.jsonl", "-o", "merged.jsonl"]);
    assert!(String::from_utf8_lossy(&merged.stderr).contains(why), "{merged:?}");
    assert!(folder.ok(&["report", "merged.jsonl", "-F", "junit"]).contains(why));
    let again = folder.webnn(&[&run[..], &["--failed-only", "fast.jsonl", "--output", "again.jsonl"]].concat());
    assert!(String::from_utf8_lossy(&again.stdout).contains("1 vector in"), "{again:?}");
    let on = folder.webnn(&[&run[..], &["--resume", "--output", "fast.jsonl"]].concat());
    assert_eq!(on.status.code(), Some(1), "{on:?}");
    let whole = folder.ok(&["report", "fast.jsonl", "-F", "markdown"]);
    assert!(!whole.contains("This is not everything"), "{whole}");
}

#[test]
fn a_report_of_a_part_says_so() {
    let folder = Folder::new("part");
    write_vectors(&folder.path("v.json"), 1.0);
    let run = |arguments: &[&str]| folder.webnn(&[&["run", "v.json", "-i", "reference"], arguments].concat());
    assert!(run(&["-o", "whole.jsonl"]).status.success());
    assert!(run(&["--partition", "1/2", "-o", "part.jsonl"]).status.success());
    assert!(run(&["-f", "v/b", "-o", "filtered.jsonl"]).status.success());
    assert!(run(&["--operators", "relu,add", "-o", "operators.jsonl"]).status.success());
    write_vectors(&folder.path("v.json"), 2.0);
    run(&["-o", "failed.jsonl"]);
    write_vectors(&folder.path("v.json"), 1.0);
    assert!(run(&["--failed-only", "failed.jsonl", "-o", "again.jsonl"]).status.success());
    let parts = [
        ("part.jsonl", "part 1/2", "it is part 1/2 of a run"),
        ("filtered.jsonl", "filtered", "it has only vectors whose id contains \"v/b\""),
        ("operators.jsonl", "some operators", "it has only graphs of these operators: relu, add"),
        ("again.jsonl", "what failed", "it has only what was not as expected in failed.jsonl"),
    ];
    for (file, brief, text) in parts {
        let report = |format: &str| folder.ok(&["report", file, "-F", format]);
        let markdown = report("markdown");
        assert!(markdown.contains(&format!("**This is not everything: {text}.**")), "{markdown}");
        assert!(markdown.contains("What was run was as expected.") && !markdown.contains("Everything"), "{markdown}");
        let junit = report("junit");
        assert!(junit.contains(&format!("{brief}: {}", text.replace('"', "&quot;"))), "{junit}");
        let badge: serde_json::Value = serde_json::from_str(&report("badge")).unwrap();
        assert!(badge["message"].as_str().unwrap().ends_with(&format!(" ({brief})")), "{badge}");
        assert_eq!(badge["color"], "green", "{badge}");
        let wpt: serde_json::Value = serde_json::from_str(&report("wptreport")).unwrap();
        assert_eq!(wpt["run_info"]["not_everything"], format!("This is not everything: {text}."));
    }
    let whole = folder.ok(&["report", "whole.jsonl", "-F", "markdown"]);
    assert!(whole.contains("\nEverything was as expected.") && !whole.contains("This is not everything"), "{whole}");
    assert!(folder.ok(&["report", "whole.jsonl", "-F", "badge"]).contains("brightgreen"));
    let compared = folder.webnn(&["compare", "whole.jsonl", "part.jsonl"]);
    let said = String::from_utf8_lossy(&compared.stderr).into_owned();
    assert!(said.contains("part.jsonl: This is not everything: it is part 1/2 of a run."), "{said}");
}

/// An adapter of one answer: a number for each vector of a name, and a reason to skip the others.
fn write_adapter(path: &Path, answers: &[(&str, &str)]) {
    let cases: String = answers
        .iter()
        .map(|(name, value)| {
            format!(
                "*/{name}*) echo \"{{\\\"answer\\\":\\\"result\\\",\\\"seq\\\":$seq,\\\"outputs\\\":{{\\\"y\\\":{{\\\"dataType\\\":\\\"float32\\\",\\\"shape\\\":[1],\\\"data\\\":[{value}]}}}}}}\";;\n"
            )
        })
        .collect();
    let text = format!(
        "read -r line; echo '{{\"answer\":\"ready\",\"protocol\":1,\"name\":\"odd\",\"version\":\"1\"}}'\n\
         while read -r line; do\nseq=${{line#*\\\"seq\\\":}}; seq=${{seq%%,*}}\ncase \"$line\" in\n*'\"stop\"'*) exit 0;;\n{cases}\
         *) echo \"{{\\\"answer\\\":\\\"skipped\\\",\\\"seq\\\":$seq,\\\"reason\\\":\\\"not here\\\"}}\";;\nesac\ndone\n"
    );
    fs::write(path, text).unwrap();
}

/// A vector of one operator and one element, with further members.
fn vector(name: &str, operator: &str, expected: &str, more: &str) -> String {
    format!(
        r#"{{ "name": "{name}", {more} "graph": {{
            "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [1] }} }},
            "operators": [ {{ "name": "{operator}", "arguments": [ {{ "input": "x" }} ], "outputs": "y" }} ],
            "expectedOutputs": {{ "y": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{expected}] }} }} }} }}"#
    )
}

fn write_all(path: &Path, vectors: &[String]) {
    fs::write(path, format!(r#"{{ "source": "worked example", "tests": [ {} ] }}"#, vectors.join(","))).unwrap();
}

#[test]
fn a_badge_says_what_was_skipped() {
    let folder = Folder::new("badge");
    write_vectors(&folder.path("v.json"), 1.0);
    write_adapter(&folder.path("odd.sh"), &[("b", "1")]);
    folder.ok(&["run", "v.json", "-i", "odd=cmd:sh odd.sh", "-o", "r.jsonl"]);
    let badge: serde_json::Value = serde_json::from_str(&folder.ok(&["report", "r.jsonl", "-F", "badge"])).unwrap();
    assert_eq!((badge["message"].as_str(), badge["color"].as_str()), (Some("1 of 1, 1 skipped"), Some("green")));
}

#[test]
fn what_the_derived_bound_finds_is_reported() {
    let folder = Folder::new("bounds");
    let tolerance = r#""tolerance": { "metricType": "ULP", "value": 10 },"#;
    write_all(&folder.path("v.json"), &[vector("a", "relu", "1", tolerance), vector("b", "relu", "1", tolerance)]);
    write_adapter(&folder.path("odd.sh"), &[("a", "1"), ("b", "1.0000005")]);
    let run = ["run", "v.json", "-i", "odd=cmd:sh odd.sh", "-o", "r.jsonl"];
    folder.ok(&run);
    let markdown = folder.ok(&["report", "r.jsonl", "-F", "markdown"]);
    assert!(!markdown.contains("derived bound"), "it was not asked: {markdown}");
    folder.ok(&[&run[..], &["--bounds"]].concat());
    let failed = folder.webnn(&[&run[..], &["--fail-on-bounds"]].concat());
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let shown = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(shown.contains("1 outside the derived bound (--fail-on-bounds)"), "{shown}");

    let markdown = folder.ok(&["report", "r.jsonl", "-F", "markdown"]);
    assert!(markdown.contains("Everything was as expected, but for what the derived bound finds."), "{markdown}");
    assert!(markdown.contains("### By the derived bound"), "{markdown}");
    assert!(markdown.contains("odd: 1 inside, 1 within the tolerance but outside the bound"), "{markdown}");
    let line = "- `v/b` on odd: within the tolerance but outside the bound: y\\[0\\] is 1.0000005; the reference has 1, bound 0";
    assert!(markdown.contains(line), "{markdown}");
    let junit = folder.ok(&["report", "r.jsonl", "-F", "junit"]);
    let text = "<system-out>by the derived bound: within the tolerance but outside the bound: y[0] is 1.0000005;";
    assert_eq!(junit.matches("<system-out>").count(), 1, "{junit}");
    assert!(junit.contains(text), "{junit}");
    let html = folder.ok(&["report", "r.jsonl", "-F", "html"]);
    assert!(html.contains("\"standing\":\"hiddenFault\"") && html.contains("on which the derived bound disagrees"));

    write_adapter(&folder.path("odd.sh"), &[("a", "1"), ("b", "1")]);
    folder.ok(&[&run[..], &["--fail-on-bounds"]].concat());
}

#[test]
fn what_the_text_asks_for_as_it_is_written_is_told_from_what_is_wrong() {
    let folder = Folder::new("text");
    let literal = r#""literal": { "issue": "clamp-default-bounds", "outcome": "throws" },"#;
    write_all(&folder.path("v.json"), &[vector("a", "clamp", "1", literal)]);
    write_adapter(&folder.path("odd.sh"), &[("a", "5")]);
    let letter = format!("letter=cmd:'{WEBNN}' adapter --text literal");
    let run = |implementation: &str| {
        let ran = folder.webnn(&["run", "v.json", "-i", implementation, "-o", "r.jsonl"]);
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    let told = "the text as written does this too: SPEC_ISSUES.md, clamp-default-bounds";
    let shown = run(&letter);
    assert!(shown.contains(&format!("\n    {told}\n")), "{shown}");
    let results = fs::read_to_string(folder.path("r.jsonl")).unwrap();
    assert!(results.contains(r#""asWritten":"clamp-default-bounds""#), "{results}");
    let markdown = folder.ok(&["report", "r.jsonl", "-F", "markdown"]);
    assert!(markdown.contains(&told.replace('_', "\\_")), "{markdown}");
    assert!(folder.ok(&["report", "r.jsonl", "-F", "junit"]).contains(told));
    assert!(folder.ok(&["report", "r.jsonl"]).contains("\"asWritten\":\"clamp-default-bounds\""));
    let explain = |implementation: &str, more: &[&str]| {
        let explained = folder.webnn(&[&["explain", "v/a", "v.json", "-i", implementation], more].concat());
        assert_eq!(explained.status.code(), Some(1), "{explained:?}");
        String::from_utf8_lossy(&explained.stdout).into_owned()
    };
    assert!(explain(&letter, &[]).contains(&format!("\n  {told}\n")));
    let listed: serde_json::Value = serde_json::from_str(&explain(&letter, &["--format", "json"])).unwrap();
    assert_eq!(listed["results"][0]["asWritten"], "clamp-default-bounds", "{listed}");
    assert!(!explain("odd=cmd:sh odd.sh", &[]).contains("the text as written does"));

    let shown = run("odd=cmd:sh odd.sh");
    assert!(!shown.contains("the text as written"), "another mistake is put down to the text: {shown}");
    assert!(!fs::read_to_string(folder.path("r.jsonl")).unwrap().contains("asWritten"));
}

#[test]
fn what_is_left_open_is_counted_apart() {
    let folder = Folder::new("open");
    let open = r#""implementationDefined": "nobody knows","#;
    let vectors = [vector("a", "relu", "1", open), vector("b", "relu", "1", open), vector("c", "relu", "1", "")];
    write_all(&folder.path("v.json"), &vectors);
    write_adapter(&folder.path("odd.sh"), &[("a", "5"), ("b", "1"), ("c", "1")]);
    let shown = folder.ok(&["run", "v.json", "-i", "reference", "-i", "odd=cmd:sh odd.sh", "-o", "r.jsonl"]);
    assert!(shown.contains("pass fail error skip  pass fail error skip open differ"), "{shown}");
    assert!(shown.contains("relu          3     3                     1                    2 "), "{shown}");
    let line = "odd: 2 left open by the specification, 1 of them otherwise than the vector has it\n    1 of 2: nobody knows\n        v/a\n";
    assert!(shown.contains(line), "{shown}");
    let markdown = folder.ok(&["report", "r.jsonl", "-F", "markdown"]);
    let line = "odd: 1 vector that the specification leaves open went otherwise than the vector has it.";
    assert!(markdown.contains(line) && markdown.contains("| open | 2, 1 otherwise | nobody knows |"), "{markdown}");
    let alone = folder.ok(&["run", "v.json", "-i", "reference"]);
    assert!(!alone.contains("open"), "{alone}");
}

#[test]
fn one_cause_is_shown_once_and_failures_come_first() {
    let folder = Folder::new("causes");
    let names = ["b", "c", "d", "a"];
    write_all(&folder.path("v.json"), &names.map(|name| vector(name, "relu", "1", "")));
    write_adapter(&folder.path("odd.sh"), &[("a", "5")]);
    let adapter = fs::read_to_string(folder.path("odd.sh")).unwrap();
    let broken = adapter
        .replace("skipped", "errored")
        .replace("\\\"reason\\\":\\\"not here\\\"", "\\\"message\\\":\\\"it broke\\\"");
    fs::write(folder.path("odd.sh"), broken).unwrap();
    let ran = folder.webnn(&["run", "v.json", "-i", "odd=cmd:sh odd.sh", "--jobs", "1", "--show", "2"]);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
    let unexpected = shown.split_once("4 unexpected:\n").unwrap_or_else(|| panic!("{shown}")).1;
    assert!(unexpected.starts_with("  odd  v/a\n    output \"y\" at index 0: expected 1, got 5;"), "{shown}");
    assert!(unexpected.contains("  odd  v/b, and 2 more with this message\n    errored: it broke\n"), "{shown}");
    assert!(!unexpected.contains("v/c") && !unexpected.contains("in the result file"), "{shown}");
    assert!(unexpected.contains("webnn explain v/a"), "{shown}");
}

#[test]
fn runs_of_other_implementations_are_not_compared_unless_they_are_named() {
    let folder = Folder::new("as");
    write_vectors(&folder.path("v.json"), 1.0);
    write_adapter(&folder.path("odd.sh"), &[("b", "5")]);
    folder.ok(&["run", "v.json", "-i", "reference", "-o", "base.jsonl"]);
    folder.webnn(&["run", "v.json", "-i", "odd=cmd:sh odd.sh", "-o", "new.jsonl"]);
    let compare = |more: &[&str], code: i32, said: &str| {
        let compared = folder.webnn(&[&["compare", "base.jsonl", "new.jsonl"], more].concat());
        let text = [&compared.stdout[..], &compared.stderr[..]].concat();
        assert_eq!(compared.status.code(), Some(code), "{compared:?}");
        assert!(String::from_utf8_lossy(&text).contains(said), "{compared:?}");
    };
    compare(&[], 2, "the runs have no implementation in common: reference before, and odd after; `--as BASE=NEW`");
    compare(&["--as", "reference=odd"], 1, "2 broken, 0 fixed, 0 other, 0 new, 0 gone");
    compare(&["--as", "refrence=odd"], 2, "there is no implementation refrence, only reference");
    compare(&["--as", "reference=od"], 2, "there is no implementation od, only odd");
    compare(&["--as", "odd"], 2, "it is BASE=NEW");

    folder.webnn(&["run", "v.json", "-i", "reference", "-i", "odd=cmd:sh odd.sh", "-o", "new.jsonl"]);
    compare(&[], 1, "only the run after is on odd\n");
    folder.webnn(&["run", "v.json", "-i", "reference", "-i", "even=cmd:sh odd.sh", "-o", "base.jsonl"]);
    compare(&[], 1, "only the run before is on even, and only the one after on odd; `--as BASE=NEW` compares");
    compare(&["--as", "even=odd"], 0, "0 broken, 0 fixed, 0 other, 0 new, 0 gone");
}

/// A vector that has to be refused.
fn refused(name: &str) -> String {
    format!(
        r#"{{ "name": "{name}", "throws": {{ "name": "TypeError" }}, "graph": {{
            "inputs": {{ "x": {{ "descriptor": {{ "dataType": "uint8", "shape": [1] }}, "data": [1] }} }},
            "operators": [ {{ "name": "relu", "arguments": [ {{ "input": "x" }} ], "outputs": "y" }} ] }} }}"#
    )
}

#[test]
fn what_is_refused_is_not_equal_to_the_last_bit() {
    let folder = Folder::new("refused");
    let tolerance = r#""tolerance": { "metricType": "ULP", "value": 1 },"#;
    let vectors = [refused("a"), vector("b", "relu", "1", ""), vector("c", "relu", "1.0000001", tolerance)];
    write_all(&folder.path("v.json"), &vectors);
    let shown = folder.ok(&["run", "v.json", "-i", "reference", "-o", "r.jsonl"]);
    assert!(shown.contains("reference: 3 passed; of 2 with numbers 1 equal to the last bit\n"), "{shown}");
    let results = fs::read_to_string(folder.path("r.jsonl")).unwrap();
    let of_a = results.lines().find(|line| line.contains(r#""line":"result","vector":"v/a""#)).unwrap();
    assert!(!of_a.contains("bitEqual") && !of_a.contains("distance"), "{of_a}");
    let markdown = folder.ok(&["report", "r.jsonl", "-F", "markdown"]);
    assert!(markdown.contains("| of what passed with numbers, equal to the last bit | 1 of 2 |"), "{markdown}");
    let explained = folder.ok(&["explain", "v/a", "v.json", "-i", "reference"]);
    assert!(explained.contains("\nreference: passed\n"), "{explained}");

    // Some of it is counted from the file, and some as it comes.
    let cut: Vec<&str> = results.lines().filter(|line| !line.contains(r#""vector":"v/c""#)).collect();
    let about = r#"{"line":"vector","vector":"v/c","subject":"relu","dataType":"float32"}"#;
    let (header, rest) = cut.split_first().unwrap();
    fs::write(folder.path("r.jsonl"), [&[*header, about], &rest[..rest.len() - 1]].concat().join("\n") + "\n").unwrap();
    let on = folder.ok(&["run", "v.json", "-i", "reference", "-o", "r.jsonl", "--resume"]);
    assert!(on.contains("reference: 3 passed; of 2 with numbers 1 equal to the last bit\n"), "{on}");

    write_all(&folder.path("v.json"), &[refused("a")]);
    let alone = folder.ok(&["run", "v.json", "-i", "reference", "-o", "r.jsonl"]);
    assert!(alone.contains("reference: 1 passed\n"), "{alone}");
    assert!(folder.ok(&["report", "r.jsonl", "-F", "markdown"]).contains("equal to the last bit |  |"));
}

/// A result file in which each vector took so many milliseconds.
fn with_times(results: &str, milliseconds: impl Fn(&str) -> f64) -> String {
    let timed = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["line"] == "result" {
            line["seconds"] = (milliseconds(line["vector"].as_str().unwrap()) / 1e3).into();
        }
        format!("{line}\n")
    };
    results.lines().map(timed).collect()
}

#[test]
fn an_operator_is_slower_where_most_of_its_vectors_are() {
    let folder = Folder::new("slower");
    let names = |operator: &str| (0..5).map(|n| vector(&format!("{operator} {n}"), operator, "1", "")).collect();
    let all: [Vec<String>; 2] = [names("relu"), names("abs")];
    write_all(&folder.path("v.json"), &all.concat());
    folder.ok(&["run", "v.json", "-i", "reference", "-o", "run.jsonl"]);
    let results = fs::read_to_string(folder.path("run.jsonl")).unwrap();
    fs::write(folder.path("base.jsonl"), with_times(&results, |_| 1.0)).unwrap();
    let compare = |format: &str, milliseconds: &dyn Fn(&str) -> f64| {
        fs::write(folder.path("new.jsonl"), with_times(&results, milliseconds)).unwrap();
        folder.ok(&["compare", "base.jsonl", "new.jsonl", "--format", format])
    };
    let nothing = "0 broken, 0 fixed, 0 other, 0 new, 0 gone, 0 slower\n";
    assert_eq!(compare("text", &|id| if id.ends_with('0') { 5000.0 } else { 1.0 }), nothing, "those that came first");
    assert_eq!(compare("text", &|_| 20.0), nothing, "less than what is worth a word");
    let sleeps = |id: &str| if id.contains("relu") { 51.0 } else { 1.0 };
    let shown = compare("text", &sleeps);
    let told =
        "slower  relu (reference): 5 of 5 vectors\n        before: 1.0 ms, the median of all\n        after: 51.0 ms\n";
    assert_eq!(shown, format!("{told}0 broken, 0 fixed, 0 other, 0 new, 0 gone, 1 slower\n"));
    let markdown = compare("markdown", &sleeps);
    assert!(markdown.contains("\n| slower | `relu`, 5 of 5 vectors | reference | 1.0 ms | 51.0 ms |\n"), "{markdown}");
    let listed: serde_json::Value = serde_json::from_str(&compare("json", &sleeps)).unwrap();
    assert_eq!(listed["slower"][0]["subject"], "relu", "{listed}");
    let busy = compare("text", &|id| if id.contains("relu") { 400.0 } else { 51.0 });
    assert!(busy.contains("slower  everything (reference): 10 of 10 vectors\n"), "{busy}");
    assert!(busy.contains("slower  relu (reference): 5 of 5 vectors\n") && busy.contains(" 2 slower\n"), "{busy}");
}

/// A name that a terminal, a shell, Markdown, HTML and XML each would make something of.
const ODD: &str = "a\\u001b[31m\\u009b31m\\u202e\\n## `b` | *c* </script><i> $(d) 'e' \\u0000";

#[test]
fn a_name_of_odd_characters_is_a_name_everywhere() {
    let folder = Folder::new("odd");
    let vectors = |expected: &str| [vector(ODD, "relu", expected, ""), vector("plain", "relu", "1", "")];
    write_all(&folder.path("v.json"), &vectors("1"));
    folder.ok(&["run", "v.json", "-i", "reference", "-o", "base.jsonl"]);
    write_all(&folder.path("v.json"), &vectors("2"));
    let run = folder.webnn(&["run", "v.json", "-i", "reference", "-o", "r.jsonl", "--trace", "trace.jsonl"]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let shown = r"v/a\u{1b}[31m\u{9b}31m\u{202e}\u{a}## `b` | *c* </script><i> $(d) 'e' \u{0}";
    let text = |arguments: &[&str]| {
        let output = folder.webnn(arguments);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let acts = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
        assert!(!text.contains(acts), "{arguments:?}: {text:?}");
        assert!(!text.contains("\n##") || arguments.contains(&"markdown"), "{arguments:?}: {text}");
        text
    };
    let again = text(&["run", "v.json", "-i", "reference", "-o", "r.jsonl"]);
    assert!(again.contains(&format!("  reference  {shown}\n")), "{again}");
    let quoted = format!("'{}'", shown.replace('\'', r"'\''"));
    assert!(again.contains(&format!("webnn explain {quoted} v.json")), "it is no argument of a shell: {again}");
    assert_eq!(text(&["list", "vectors", "v.json"]).lines().collect::<Vec<_>>(), [shown, "v/plain"]);
    // What is shown names it.
    for verb in ["show", "explain", "emit"] {
        assert!(text(&[verb, shown, "v.json"]).contains("relu"), "{verb}");
        assert!(text(&[verb, "v/", "v.json"]).contains(&format!("\n  {shown}\n")), "{verb}");
    }
    assert!(text(&["run", "-f", shown, "v.json", "-i", "reference", "-o", "f.jsonl"]).contains("1 vector in"));
    for arguments in [&["list", "vectors", "v.json"][..], &["show", shown, "v.json"], &["plan", "v.json"]] {
        let json = text(&[arguments, &["--format", "json"]].concat());
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    }

    let code =
        r"<code>v/a\\u{1b}\[31m\\u{9b}31m\\u{202e} ## \`b\` \| \*c\* &lt;/script&gt;&lt;i&gt; \$(d) 'e' \\u{0}</code>";
    let markdown = text(&["report", "r.jsonl", "-F", "markdown"]);
    assert!(markdown.contains(&format!("\n- {code} on reference: output")), "{markdown}");
    let compared = text(&["compare", "base.jsonl", "r.jsonl", "-F", "markdown"]);
    assert!(compared.contains(&format!("\n| broken | {code} | reference | passed | failed: output")), "{compared}");
    assert!(text(&["compare", "base.jsonl", "r.jsonl"]).contains(&format!("broken  {shown} (reference)\n")));
    let junit = text(&["report", "r.jsonl", "-F", "junit"]);
    let name = r"a\u{1b}[31m\u{9b}31m\u{202e}\u{a}## `b` | *c* &lt;/script&gt;&lt;i&gt; $(d) &apos;e&apos; \u{0}";
    assert!(junit.contains(&format!("name=\"{name}\"")), "{junit}");
    for format in ["html", "wptreport", "badge"] {
        text(&["report", "r.jsonl", "-F", format]);
    }
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

/// What a report shows in a browser; nothing where none is installed.
#[expect(clippy::print_stderr, reason = "what a test leaves out has to be seen")]
fn in_a_browser(page: &Path) -> Option<String> {
    let options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,800", "--dump-dom"];
    let dump = |browser: &&str| Command::new(browser).args(options).arg(page).output().ok();
    let shown = ["chromium", "chromium-browser", "google-chrome"].iter().find_map(dump);
    if shown.is_none() {
        eprintln!("the page is not looked at: there is no chromium");
    }
    shown.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_page_tells_a_single_failure_whole() {
    let folder = Folder::new("page");
    let calls = r#"{ "let": "context", "call": "createContext", "arguments": {} },
        { "on": "context", "call": "ledger", "arguments": { "figure": "constants" }, "returns": { "value": 5 } }"#;
    let scenario = format!(r#"{{ "name": "a scenario", "scenario": [ {calls} ] }}"#);
    write_all(
        &folder.path("v.json"),
        &[scenario, refused("b"), vector("c", "relu", "1", ""), vector(ODD, "relu", "2", "")],
    );
    assert_eq!(folder.webnn(&["run", "v.json", "-i", "reference", "-o", "r.jsonl"]).status.code(), Some(1));
    folder.ok(&["report", "r.jsonl", "-o", "r.html"]);
    let Some(shown) = in_a_browser(&folder.path("r.html")) else {
        return;
    };
    let shown = shown.split("<script").next().unwrap();
    assert!(shown.contains(">a scenario: call 1 (context.ledger()): expected 5, got 0</a>"), "{shown}");
    assert!(shown.contains("of 1 with numbers 1 equal to the last bit"), "{shown}");
    assert!(shown.contains(r"a\u{1b}[31m\u{9b}31m\u{202e}\u{a}## `b`") && !shown.contains("<i> $(d)"), "{shown}");
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
    assert!(update.contains("a run takes them with `--expectations known`"), "{update}");
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
