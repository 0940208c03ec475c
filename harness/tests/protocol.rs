//! Implementations outside: the protocol's schema, our own implementation spoken to as a program, and programs that break in
//! every way that we could think of.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const WEBNN: &str = env!("CARGO_BIN_EXE_webnn");

#[test]
fn the_schemas_are_up_to_date() {
    is_committed("protocol", "protocol.schema.json");
    is_committed("listings", "listings.schema.json");
    is_committed("results", "results.schema.json");
    is_committed("vectors", "../../wpt-tests/schema/vectors.schema.json");
}

/// Checks that what `webnn schema` writes is what is in the repository.
fn is_committed(what: &str, name: &str) {
    let generated = String::from_utf8(webnn(&["schema", what]).stdout).unwrap();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &generated).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "{name} is out of date: run `BLESS=1 cargo test -p webnn-harness --test protocol`");
}

fn webnn(arguments: &[&str]) -> Output {
    Command::new(WEBNN).args(arguments).output().unwrap()
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("protocol");
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// The lines of a result file.
fn results(path: &PathBuf) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_reference_is_the_same_outside() {
    let path = scratch("outside.jsonl");
    let outside = format!("outside=cmd:'{WEBNN}' adapter");
    let output = webnn(&["run", "-i", "reference", "-i", &outside, "--output", path.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mut compared = 0;
    for line in results(&path) {
        if line["line"] == "difference" {
            compared += 1;
            assert_eq!(line["worst"], "0 ULP", "{line}");
        }
        if line["line"] == "result" {
            assert!(line["outcome"] == "passed" || line["outcome"] == "open", "{line}");
        }
    }
    assert!(compared > 1000, "only {compared} outputs were compared");
}

/// They are graphs of 4 GiB and more, which an adapter would dispatch: it is not told that they are to be refused.
#[test]
fn who_follows_the_text_to_the_letter_ends_in_time() {
    let path = scratch("literal.jsonl");
    let literal = format!("literal=cmd:'{WEBNN}' adapter --text literal");
    let filters = ["-f", "too many elements", "-f", "tile to a size above"];
    let rest = ["-i", &literal, "--timeout", "20", "--output", path.to_str().unwrap()];
    let output = webnn(&[&["run"], &filters[..], &rest].concat());
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    let results = results(&path);
    let unchecked: Vec<_> = results.iter().filter(|line| line["asWritten"] == "output-size-unchecked").collect();
    assert_eq!(unchecked.len(), 12, "{results:#?}");
    assert!(unchecked.iter().all(|line| line["outcome"] == "failed"), "{unchecked:#?}");
    assert!(results.iter().all(|line| line["outcome"] != "errored"), "{results:#?}");
}

#[test]
fn smoke_accepts_our_own_adapter() {
    let output = webnn(&["smoke", &format!("cmd:'{WEBNN}' adapter")]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("BAD") && !text.contains("skip"), "{text}");
}

#[test]
fn a_conversation_is_kept_and_had_again() {
    let (results, trace) = (scratch("kept.jsonl"), scratch("trace.jsonl"));
    let (results, trace) = (results.to_str().unwrap(), trace.to_str().unwrap());
    let outside = format!("outside=cmd:'{WEBNN}' adapter");
    let run = webnn(&["run", "-f", "relu/", "-i", &outside, "--output", results, "--trace", trace]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    let again = webnn(&["replay", trace, "-i", &outside]);
    let text = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && text.contains(" 0 answered otherwise"), "{text}");
    let literal = webnn(&["replay", trace, "-i", "cmd:sh -c 'while read line; do echo \"$line\"; done'"]);
    assert_eq!(literal.status.code(), Some(78), "an echo is no adapter");
}

/// An adapter in the shell: it is ready, and answers the third vector in this way, the others with `skipped`.
#[cfg(unix)]
fn broken(third: &str) -> String {
    let script = format!(
        r#"read -r line; echo '{{"answer":"ready","protocol":1,"name":"broken","version":"1"}}'; n=0
while read -r line; do
  case "$line" in *'"stop"'*) exit 0;; esac
  n=$((n+1)); seq=${{line#*\"seq\":}}; seq=${{seq%%,*}}
  if [ $n -eq 3 ]; then {third}; else echo "{{\"answer\":\"skipped\",\"seq\":$seq,\"reason\":\"a test\"}}"; fi
done"#
    );
    let path = scratch(&format!("broken-{}.sh", third.len()));
    fs::write(&path, script).unwrap();
    format!("broken=cmd:sh '{}'", path.display())
}

/// A file of four vectors.
#[cfg(unix)]
fn four_vectors() -> String {
    let vector = |number: u32| {
        format!(
            r#"{{ "name": "relu {number}", "graph": {{
                "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{number}] }} }},
                "operators": [ {{ "name": "relu", "arguments": [ {{ "input": "x" }} ], "outputs": "y" }} ],
                "expectedOutputs": {{ "y": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{number}] }} }} }} }}"#
        )
    };
    let tests: Vec<String> = (1..=4).map(vector).collect();
    let path = scratch("four.json");
    fs::write(&path, format!(r#"{{ "source": "worked example", "tests": [ {} ] }}"#, tests.join(","))).unwrap();
    path.to_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn what_breaks_costs_one_vector() {
    let cases = [
        ("echo last words >&2; exit 5", "ended (exit status: 5) without an answer\n  stderr: last words"),
        ("kill -9 $$", "signal: 9"),
        ("head -c 3000000 /dev/zero | tr '\\0' x >&2; kill -9 $$", "signal: 9"),
        ("echo gibberish", "wrote a line that is no answer"),
        (
            "echo '{\"answer\":\"ready\",\"protocol\":1,\"name\":\"a\",\"version\":\"1\"}'",
            "answered \"ready\" to a vector",
        ),
        ("echo '{\"answer\":\"skipped\",\"seq\":99,\"reason\":\"\"}'", "answered seq 99 where seq 3 was asked"),
        ("printf 'a\\377\\376\\n'", "not UTF-8: ff fe at byte 1; what is no answer is printed to standard error"),
        ("exec >&-; sleep 1.5", "closed its standard output"),
        (
            "sleep 77 & exit 7",
            "ended (exit status: 7) without an answer; what it has started keeps its standard output open",
        ),
        ("exec sleep 100", "did not answer within 2 s"),
        ("head -c 100000 /dev/zero | tr '\\0' x; exec sleep 100", "100000 bytes of a line had come, and not its end"),
        (
            "echo \"{\\\"answer\\\":\\\"skipped\\\",\\\"seq\\\":$seq,\\\"reason\\\":\\\" \\\"}\"",
            "say what is not supported",
        ),
        (
            "a=\"{\\\"answer\\\":\\\"skipped\\\",\\\"seq\\\":$seq,\\\"reason\\\":\\\"r\\\"}\"; echo \"$a\"; sleep 0.5; echo \"$a\"",
            "wrote a second line behind its answer: ",
        ),
        (
            "a=\"{\\\"answer\\\":\\\"skipped\\\",\\\"seq\\\":$seq,\\\"reason\\\":\\\"r\\\"}\"; printf '%s\\n%s\\n' \"$a\" \"$a\"",
            "a second ",
        ),
        (
            "t='{\"dataType\":\"float32\",\"shape\":[1],\"data\":1}'; echo \"{\\\"answer\\\":\\\"result\\\",\\\"seq\\\":$seq,\\\"outputs\\\":{\\\"y\\\":$t,\\\"more\\\":$t}}\"",
            "the outputs are \"y\", and it answered with \"more\", \"y\"",
        ),
        ("echo \"{\\\"answer\\\":\\\"errored\\\",\\\"seq\\\":$seq,\\\"message\\\":\\\"it broke\\\"}\"", "it broke"),
        (
            "echo \"{\\\"answer\\\":\\\"exception\\\",\\\"seq\\\":$seq,\\\"name\\\":\\\"RangeError\\\"}\"",
            "threw RangeError, which WebNN never does",
        ),
        (
            "echo \"{\\\"answer\\\":\\\"result\\\",\\\"seq\\\":$seq,\\\"outputs\\\":{\\\"y\\\":{\\\"dataType\\\":\\\"float32\\\",\\\"shape\\\":[4294967295,4294967295,4294967295],\\\"data\\\":1}}}\"",
            "is too large",
        ),
    ];
    for (third, expected) in cases {
        let (path, implementation) = (scratch("broken.jsonl"), broken(third));
        let (vectors, results_path) = (four_vectors(), path.to_str().unwrap());
        let limits = ["--timeout", "2", "--jobs", "1"];
        let arguments = ["run", &vectors, "-i", &implementation, "--output", results_path];
        let output = webnn(&[&arguments[..], &limits[..]].concat());
        assert_eq!(output.status.code(), Some(1), "{third}: {}", String::from_utf8_lossy(&output.stderr));
        let lines = results(&path);
        let of = |outcome: &str| lines.iter().filter(|line| line["outcome"] == outcome).collect::<Vec<_>>();
        let errored = of("errored");
        assert_eq!((errored.len(), of("skipped").len()), (1, 3), "{third}: {lines:?}");
        let message = errored[0]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{third}: {message}");
        assert_eq!(errored[0]["vector"], "four/relu 3", "{third}: {message}");
        assert_eq!(lines.last().unwrap()["line"], "footer");
    }
}

#[cfg(unix)]
#[test]
fn a_second_answer_to_the_last_vector_is_heard_of() {
    let answer = "a=\"{\\\"answer\\\":\\\"skipped\\\",\\\"seq\\\":$seq,\\\"reason\\\":\\\"last\\\"}\"; echo \"$a\"; sleep 0.3; echo \"$a\"";
    let (path, vectors) = (scratch("last.jsonl"), four_vectors());
    let of_three = ["-f", "relu 1", "-f", "relu 2", "-f", "relu 3", "--jobs", "1", "--output", path.to_str().unwrap()];
    let output = webnn(&[&["run", &vectors, "-i", &broken(answer)], &of_three[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = results(&path);
    let errored: Vec<_> = lines.iter().filter(|line| line["outcome"] == "errored").collect();
    assert_eq!(errored.len(), 1, "{lines:?}");
    assert_eq!(errored[0]["vector"], "four/relu 3");
    assert!(errored[0]["message"].as_str().unwrap().starts_with("wrote a second line behind its answer: "));
}

#[cfg(unix)]
#[test]
fn what_does_not_start_ends_the_run() {
    let commands = [
        ("cmd:sh -c 'echo no device >&2; exit 3'", "ended (exit status: 3) without an answer\n  stderr: no device"),
        ("cmd:no-such-program", "No such file"),
        ("cmd:cat", "wrote a line that is no answer (it is a command: answer it)"),
        ("cmd:NAME=VALUE cat", "there is no shell: `cmd:env NAME=VALUE PROGRAM` sets a variable"),
        ("cmd:sh -c 'echo loading'", "(no JSON: what is no answer is printed to standard error): \"loading\""),
    ];
    for (command, why) in commands {
        let path = scratch("not-started.jsonl");
        let output = webnn(&["run", "-f", "relu/", "-i", &format!("a={command}"), "--output", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(78), "{command}");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(complaint.contains("a did not start: ") && complaint.contains(why), "{command}: {complaint}");
    }
}
