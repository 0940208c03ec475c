//! What the author of an adapter is told: by `smoke`, `run`, `replay`, `fuzz` and `list operators`.

mod program;

use program::Folder;
use webnn_reference::ops::OPERATORS;

/// A relu of one number.
#[cfg(unix)]
const RELU: &str = r#"{ "source": "worked example", "tests": [ {
  "name": "relu",
  "graph": {
    "inputs": { "x": { "descriptor": { "dataType": "float32", "shape": [2] }, "data": [-1, 2.5] } },
    "operators": [ { "name": "relu", "arguments": [ { "input": "x" } ], "outputs": "y" } ],
    "expectedOutputs": { "y": { "descriptor": { "dataType": "float32", "shape": [2] }, "data": [0, 2.5] } } } } ] }"#;

/// What the checks of `smoke` have as their outputs, in order.
#[cfg(unix)]
const OUTPUTS: [&str; 6] = [
    r#"{"dataType":"float32","shape":[2,2],"data":[0,0,0.5,3]}"#,
    r#"{"dataType":"float32","shape":[3],"data":["NaN","Infinity",0]}"#,
    r#"{"dataType":"float32","shape":[2,3],"data":2.5}"#,
    r#"{"dataType":"float32","shape":[1,1],"data":[11.5]}"#,
    r#"{"dataType":"float32","shape":[1,1,1,2],"data":[3.5,6.5]}"#,
    r#"{"dataType":"float32","shape":[2],"data":0.5}"#,
];

/// An adapter in the shell: what it answers to `start`, and what it does for each vector, where `$seq` is its number.
#[cfg(unix)]
fn adapter(ready: &str, answers: &[String], otherwise: &str) -> String {
    let cases: String = answers.iter().zip(1..).map(|(answer, seq)| format!("  {seq}) {answer};;\n")).collect();
    format!(
        "read -r line; echo '{ready}'\nwhile read -r line; do\n  case \"$line\" in *'\"stop\"'*) exit 0;; esac\n  \
         seq=${{line#*\\\"seq\\\":}}; seq=${{seq%%,*}}\n  case $seq in\n{cases}  *) {otherwise};;\n  esac\ndone\n"
    )
}

/// The beginning of a `ready`, with more members.
#[cfg(unix)]
fn ready(more: &str) -> String {
    format!(r#"{{"answer":"ready","protocol":1,"name":"shell","version":"1"{more}}}"#)
}

/// Answers with this output.
#[cfg(unix)]
fn result(output: &str) -> String {
    format!(r#"echo '{{"answer":"result","seq":'$seq',"outputs":{{"y":{output}}}}}'"#)
}

/// Answers that the call was refused, and that the vector is not supported.
#[cfg(unix)]
const REFUSED: &str = r#"echo '{"answer":"exception","seq":'$seq',"name":"TypeError"}'"#;
#[cfg(unix)]
const SKIPPED: &str = r#"echo '{"answer":"skipped","seq":'$seq',"reason":"a test"}'"#;

/// An adapter that does well in all checks of `smoke`, but for the third, which it answers in this way.
#[cfg(unix)]
fn well_but_for(third: &str) -> String {
    let mut answers: Vec<String> = OUTPUTS.iter().map(|output| result(output)).collect();
    answers.push(REFUSED.into());
    third.clone_into(&mut answers[2]);
    adapter(&ready(""), &answers, SKIPPED)
}

#[cfg(unix)]
#[test]
fn a_hint_is_about_what_went_wrong() {
    let cases = [
        (r#"seq=9; echo '{"answer":"skipped","seq":9,"reason":"a"}'"#, "answered seq 9 where seq 3", "once, in turn"),
        ("kill -SEGV $$", "SIGSEGV", "has to answer commands until `stop`"),
        ("exec sleep 60", "did not answer within 1 s", "flush standard output"),
        ("echo computing", "(no JSON: what is no answer is printed to standard error)", "standard error"),
        (
            &result(r#"{"dataType":"float32","shape":[2,3],"bytes":"@@@"}"#),
            "no base64 ('@' at character 0)",
            "`bytes` in base64, little-endian",
        ),
        (
            &result(r#"{"dataType":"float32","shape":[6],"data":2.5}"#),
            "expected float32[2, 3], got float32[6]",
            "the `shape` that WebNN's operator gives",
        ),
        (
            &result(r#"{"dataType":"float32","shape":[2,3],"data":"NaN"}"#),
            "expected 2.5, got NaN",
            "NaN where a number has to be",
        ),
        (
            &result(r#"{"dataType":"float32","shape":[2,3],"data":[NaN,1,1,1,1,1]}"#),
            "JSON has no NaN and no infinities",
            "write the strings",
        ),
        (REFUSED, "expected no exception, got TypeError", "this call is valid"),
        (
            r#"echo '{"answer":"exception","seq":3,"name":"ValueError"}'"#,
            "threw ValueError, which WebNN never does",
            "`\"validation\": false`",
        ),
        (
            r#"echo '{"answer":"result","seq":3,"outputs":{"z":{"dataType":"float32","shape":[2,3],"data":2.5}}}'"#,
            "the outputs are \"y\", and it answered with \"z\"",
            "and with nothing else",
        ),
        // What the check is about.
        (&result(r#"{"dataType":"float32","shape":[2,3],"data":0}"#), "expected 2.5, got 0", OF_THE_CHECK),
        (r#"echo '{"answer":"errored","seq":3,"message":"too short"}'"#, "too short", OF_THE_CHECK),
    ];
    for (third, problem, advice) in cases {
        let folder = Folder::with("adapter.sh", &well_but_for(third));
        let run = folder.webnn(&["smoke", "cmd:sh adapter.sh", "--timeout", "1"]);
        assert_eq!(run.code, 1, "{third}: {run}");
        run.shows(problem);
        run.shows(advice);
        assert_eq!(run.stdout.contains(OF_THE_CHECK), advice == OF_THE_CHECK, "{run}");
    }
    let folder = Folder::with("adapter.sh", &well_but_for(&result(OUTPUTS[2])));
    let run = folder.webnn(&["smoke", "cmd:sh adapter.sh"]);
    assert_eq!(run.code, 0, "{run}");
}

#[cfg(unix)]
const OF_THE_CHECK: &str = "with `times`, `bytes` are repeated that often; without, they are all there is";

#[cfg(unix)]
#[test]
fn a_start_that_fails_is_told_by_how_it_fails() {
    let greeting = "the first answer is";
    let cases = [
        (r#"{"answer":"errored","message":"no GPU found"}"#, "did not start: no GPU found", false),
        (r#"{"answer":"ready","protocol":2,"name":"a","version":"1"}"#, "it speaks protocol 2", false),
        (r#"{"answer":"skipped","seq":0,"reason":"a"}"#, "it answered \"skipped\" to \"start\"", true),
        (r#"{"answer":"ready","protocol":1,"name":"a"}"#, "missing field `version`", false),
    ];
    for (answer, why, is_about_the_greeting) in cases {
        let folder = Folder::with("adapter.sh", &adapter(answer, &[], SKIPPED));
        let run = folder.webnn(&["smoke", "cmd:sh adapter.sh"]);
        assert_eq!(run.code, 78, "{run}");
        run.complains(why);
        assert_eq!(run.stderr.contains(greeting), is_about_the_greeting, "{run}");
    }
}

#[cfg(unix)]
#[test]
fn a_misspelt_name_in_ready_is_an_error() {
    let cases = [
        (r#","dataTypes":["f32","int32"]"#, "\"f32\" is no data type of WebNN (did you mean \"float32\"?)"),
        (r#","dataTypes":["f32"]"#, "the data types are float32, float16, int32,"),
        (
            r#","operators":["convolution","Relu","add"]"#,
            "\"convolution\" is no operator of WebNN (did you mean \"conv2d\"?); \"Relu\" is no operator of WebNN (did you \
             mean \"relu\"?); `webnn list operators` shows all",
        ),
    ];
    for (list, why) in cases {
        let folder = Folder::with("adapter.sh", &adapter(&ready(list), &[], SKIPPED));
        folder.write("relu.json", RELU);
        for verb in [&["smoke", "cmd:sh adapter.sh"][..], &["run", "relu.json", "-i", "cmd:sh adapter.sh"]] {
            let run = folder.webnn(verb);
            assert_eq!(run.code, 78, "{run}");
            run.complains(why);
        }
    }
}

#[cfg(unix)]
#[test]
fn who_refuses_everything_is_found_out() {
    let folder = Folder::with("adapter.sh", &adapter(&ready(""), &[], REFUSED));
    let run = folder.webnn(&["smoke", "cmd:sh adapter.sh"]);
    assert_eq!(run.code, 1, "{run}");
    run.shows("adapter computed nothing and refused what is valid");
    // Of what is in the checks it has nothing but what is refused.
    let folder = Folder::with("adapter.sh", &adapter(&ready(r#","operators":["softmax"]"#), &[], REFUSED));
    let run = folder.webnn(&["smoke", "cmd:sh adapter.sh"]);
    assert_eq!(run.code, 1, "{run}");
    run.shows("BAD   takes an axis: expected no exception, got TypeError");
}

#[cfg(unix)]
#[test]
fn data_types_that_operators_make_are_needed_too() {
    let operand =
        |data_type: &str| format!(r#"{{ "descriptor": {{ "dataType": "{data_type}", "shape": [2] }}, "data": 1 }}"#);
    let vector = |name: &str, of: &str, operator: &str, rest: &str| {
        let x = operand(of);
        format!(
            r#"{{ "name": "{name}", {rest} "graph": {{ "inputs": {{ "x": {x} }},
                "operators": [ {{ "name": {operator}, "outputs": "y" }} ] "#
        )
    };
    let good = |name: &str, operator: &str, makes: &str, shape: &str| {
        let begin = vector(name, "float32", operator, "");
        format!(
            r#"{begin}, "expectedOutputs": {{ "y": {{ "descriptor": {{ "dataType": "{makes}", "shape": {shape} }}, "data": 1 }} }} }} }}"#
        )
    };
    let refused =
        |name: &str, operator: &str| vector(name, "float32", operator, r#""throws": { "name": "TypeError" },"#) + "} }";
    let tests = [
        good("cast", r#""cast", "arguments": [ { "input": "x" }, { "type": "int8" } ]"#, "int8", "[2]"),
        good("equal", r#""equal", "arguments": [ { "a": "x" }, { "b": "x" } ]"#, "uint8", "[2]"),
        good(
            "argMin",
            r#""argMin", "arguments": [ { "input": "x" }, { "axis": 0 }, { "options": { "outputDataType": "int64" } } ]"#,
            "int64",
            "[]",
        ),
        good("argMax", r#""argMax", "arguments": [ { "input": "x" }, { "axis": 0 } ]"#, "int32", "[]"),
        good(
            "identity",
            r#""identity", "arguments": [ { "input": "x" }, { "options": { "label": "int8" } } ]"#,
            "float32",
            "[2]",
        ),
        refused(
            "refused",
            r#""argMin", "arguments": [ { "input": "x" }, { "axis": 9 }, { "options": { "outputDataType": "int64" } } ]"#,
        ),
    ];
    let folder =
        Folder::with("made.json", &format!(r#"{{ "source": "worked example", "tests": [ {} ] }}"#, tests.join(",")));
    folder.write("adapter.sh", &adapter(&ready(r#","dataTypes":["float32","int32"]"#), &[], SKIPPED));
    let run = folder.webnn(&["run", "made.json", "-i", "cmd:sh adapter.sh", "--output", "made.jsonl"]);
    assert_eq!(run.code, 66, "{run}");
    let lines = folder.read("made.jsonl");
    let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut reasons: Vec<(String, String)> = lines
        .filter(|line| line["line"] == "result")
        .map(|line| ["vector", "reason"].map(|member| line[member].as_str().unwrap_or_default().to_owned()).into())
        .collect();
    reasons.sort();
    let expected = [
        ("made/argMax", "a test"),
        ("made/argMin", "int64 is not supported"),
        ("made/cast", "int8 is not supported"),
        ("made/equal", "uint8 is not supported"),
        ("made/identity", "a test"),
        ("made/refused", "int64 is not supported"),
    ];
    assert_eq!(reasons, expected.map(|(vector, reason)| (vector.to_owned(), reason.to_owned())));
}

#[cfg(unix)]
#[test]
fn random_graphs_are_of_what_is_supported() {
    let list = r#","operators":["relu","equal"],"dataTypes":["float32"]"#;
    let folder = Folder::with("adapter.sh", &adapter(&ready(list), &[], SKIPPED));
    let run = folder.webnn(&["fuzz", "--graphs", "5", "-i", "cmd:sh adapter.sh"]);
    assert_eq!(run.code, 66, "{run}");
    run.shows("drawn of what can be used everywhere: relu, of float32");
    run.shows("5 graphs were skipped by adapter, and not compared:\n  5: a test");
    let run = folder.webnn(&["fuzz", "--graphs", "5", "-i", "cmd:sh adapter.sh", "--operators", "equal,conv2d"]);
    assert_eq!(run.code, 66, "{run}");
    run.complains("there is no graph to draw");
    let run = folder.webnn(&["fuzz", "--graphs", "5", "-i", "reference", "--data-types", "f32"]);
    assert_eq!(run.code, 2, "{run}");
    run.complains("f32 is no data type");
    let run = folder.webnn(&["fuzz", "--graphs", "20", "-i", "reference", "--data-types", "int32", "--statistics"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("of int32 ") && !run.stdout.contains("float"), "{run}");
}

#[cfg(unix)]
#[test]
fn a_trace_says_how_a_process_ended_and_is_shown_with_numbers() {
    let first = result(r#"{"dataType":"float32","shape":[2],"bytes":"AAAAAAAAIEA="}"#);
    for (fault, end) in [
        ("kill -9 $$", "(no answer: ended (signal: 9"),
        ("exec sleep 60", "(no answer: did not answer within 1 s (--timeout), after 1."),
    ] {
        let folder = Folder::with("adapter.sh", &adapter(&ready(""), &[first.clone(), fault.into()], SKIPPED));
        folder.write("one.json", RELU);
        folder.write("two.json", RELU);
        let arguments = ["--output", "r.jsonl", "--trace", "t.jsonl", "--timeout", "1", "--jobs", "1"];
        let run = folder.webnn(&[&["run", "one.json", "two.json", "-i", "cmd:sh adapter.sh"], &arguments[..]].concat());
        assert_eq!(run.code, 1, "{run}");
        let shown = folder.webnn(&["replay", "t.jsonl"]);
        assert_eq!(shown.code, 0, "{shown}");
        shown.shows("    x float32[2]: -1, 2.5\n");
        shown.shows("    y float32[2]: 0, 2.5\n");
        shown.shows(end);
        let mistaken = folder.webnn(&["replay", "r.jsonl"]);
        assert_eq!(mistaken.code, 65, "{mistaken}");
        mistaken.complains("r.jsonl:1: this is a file of results; `webnn run --trace FILE` keeps the conversation");
    }
}

#[test]
fn a_command_without_its_scheme_is_understood() {
    let folder = Folder::with("adapter.py", "");
    for (given, meant) in [
        ("python3 adapter.py", "did you mean `cmd:python3 adapter.py`?"),
        ("./adapter.py", "did you mean `cmd:./adapter.py`?"),
        ("adapter.py", "did you mean `cmd:adapter.py`?"),
        ("refrence", "did you mean `reference`?"),
    ] {
        let run = folder.webnn(&["smoke", given]);
        assert_eq!(run.code, 2, "{run}");
        run.complains(meant);
    }
}

#[test]
fn the_names_that_an_adapter_is_sent_are_listed() {
    let folder = Folder::with("empty", "");
    let run = folder.webnn(&["list", "operators"]);
    run.shows("MLOperand cast(MLOperand input, MLOperandDataType dataType, optional MLOperatorOptions options)");
    run.shows("MLOperandDataType: float32, float16, int32, uint32, int64, uint64, int8, uint8\n");
    let run = folder.webnn(&["list", "operators", "--format", "json"]);
    let listing: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    for (listed, row) in listing["operators"].as_array().unwrap().iter().zip(OPERATORS) {
        let names: Vec<&str> = listed["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        assert_eq!((listed["name"].as_str(), names.as_slice()), (Some(row.name), row.parameters));
    }
    let conv2d = listing["operators"].as_array().unwrap().iter().find(|operator| operator["name"] == "conv2d").unwrap();
    let options = &conv2d["parameters"][2];
    assert_eq!((options["name"].as_str(), options["optional"].as_bool()), (Some("options"), Some(true)));
    let bias = options["members"].as_array().unwrap().iter().find(|member| member["name"] == "bias").unwrap();
    assert_eq!(bias["type"], "MLOperand");
}
