//! The program as a user meets it: what it prints, and its exit codes, for good input and for bad.

mod program;

use program::{Folder, agrees_with};

/// A vector of one relu, whose parts can be replaced.
const RELU: &str = r#"{ "source": "worked example", "tests": [ {
  "name": "relu of three numbers",
  "tolerance": { "metricType": "ULP", "value": 0 },
  "graph": {
    "inputs": { "x": { "descriptor": { "dataType": "float32", "shape": [3] }, "data": [-1, 0.5, 2] } },
    "operators": [ { "name": "relu", "arguments": [ { "input": "x" } ], "outputs": "y" } ],
    "expectedOutputs": { "y": { "descriptor": { "dataType": "float32", "shape": [3] }, "data": [0, 0.5, 2] } } } } ] }"#;

#[test]
fn a_vector_that_passes() {
    let folder = Folder::with("relu.json", RELU);
    let run = folder.webnn(&["run", "relu.json", "-i", "reference"]);
    assert_eq!(run.code, 0, "{run}");
    run.shows("reference: 1 passed; of 1 with numbers 1 equal to the last bit");
    let results = folder.read("results/latest.jsonl");
    let lines: Vec<&str> = results.lines().collect();
    assert!(lines[0].contains(r#""line":"header""#), "{results}");
    assert!(results.contains(r#""vector":"relu/relu of three numbers""#), "{results}");
    assert!(lines[lines.len() - 1].contains(r#""line":"footer""#), "{results}");
}

#[test]
fn one_wrong_number_fails_and_says_which() {
    let folder = Folder::with("relu.json", &RELU.replace("[0, 0.5, 2]", "[0, 0.75, 2]"));
    let run = folder.webnn(&["run", "relu.json", "-i", "reference"]);
    assert_eq!(run.code, 1, "{run}");
    run.shows(r#"output "y" at index 1: expected 0.75, got 0.5; distance 4194304 ULP, allowed 0 ULP"#);
    let explained = folder.webnn(&["explain", "relu of three numbers", "relu.json", "-i", "reference"]);
    assert_eq!(explained.code, 1, "{explained}");
    explained.shows("MLGraphBuilder.relu(input, options): 1 2 3 4 4.1 4.2 4.3 4.4 4.5 5");
}

#[test]
fn the_steps_of_each_vector_are_recorded_for_spec_diff() {
    let folder = Folder::with("relu.json", RELU);
    let run = folder.webnn(&["coverage", "relu.json", "--json", "coverage.json"]);
    assert_eq!(run.code, 0, "{run}");
    let record: serde_json::Value = serde_json::from_str(&folder.read("coverage.json")).expect("JSON");
    let vector = &record["vectors"][0];
    assert_eq!(vector["vector"], "relu/relu of three numbers");
    let steps: Vec<&serde_json::Value> = record["places"].as_array().expect("places").iter().collect();
    let place = steps.iter().position(|place| place[0] == "MLGraphBuilder.relu(input, options)" && place[1] == "4.1");
    let reached = vector["reached"].as_array().expect("numbers of places");
    assert!(reached.iter().any(|number| number.as_u64() == place.map(|place| place as u64)), "{record}");
    assert_eq!(vector["threw"].as_array().map(Vec::len), Some(0));
    let nowhere = folder.webnn(&["coverage", "relu.json", "--json", "relu.json/coverage.json"]);
    assert_eq!(nowhere.code, 74, "{nowhere}");
    nowhere.complains("relu.json can not be written");
}

#[test]
fn a_known_failure_is_expected_and_its_pass_is_not() {
    let folder = Folder::with("relu.json", &RELU.replace("[0, 0.5, 2]", "[0, 0.75, 2]"));
    folder.write(
        "expectations/reference.toml",
        r#"[[expectation]]
vectors = ["relu/relu of three numbers"]
outcome = "failed"
reason = "the vector is wrong on purpose"
link = "https://example.org/1"
"#,
    );
    let arguments = ["run", "relu.json", "-i", "reference", "--expectations", "expectations"];
    let run = folder.webnn(&arguments);
    assert_eq!(run.code, 0, "{run}");
    run.shows("1 known to fail: the vector is wrong on purpose (https://example.org/1)");

    folder.write("relu.json", RELU);
    let run = folder.webnn(&arguments);
    assert_eq!(run.code, 1, "{run}");
    run.shows("passed, although it is expected to fail; take it off expectations/reference.toml");
}

#[test]
fn carried_expectations_of_another_program_of_that_name_are_named() {
    let adapter = format!("onnxruntime=cmd:'{}' adapter", env!("CARGO_BIN_EXE_webnn"));
    let folder = Folder::with("relu.json", RELU);
    let run = folder.webnn(&["run", "-i", &adapter, "-f", "sigmoid float32 2D"]);
    assert_eq!(run.code, 1, "{run}");
    run.shows(
        "take it off harness/expectations/onnxruntime.toml, which the program carries for what is called onnxruntime",
    );
    run.shows("call it otherwise: -i NAME=cmd:...");
}

#[test]
fn an_expectation_without_a_reason_is_refused() {
    let folder = Folder::with("relu.json", RELU);
    folder.write(
        "expectations/reference.toml",
        "[[expectation]]\nvectors = [\"a/b\"]\noutcome = \"failed\"\nreason = \"\"\nlink = \"https://example.org\"\n",
    );
    let run = folder.webnn(&["run", "relu.json", "-i", "reference", "--expectations", "expectations"]);
    assert_eq!(run.code, 65, "{run}");
    run.complains("has no reason or link");
}

#[test]
fn bad_vectors_are_refused_with_their_place() {
    let cases = [
        ("truncated", RELU[..RELU.len() - 40].to_owned(), 65, "relu.json"),
        ("not JSON", "relu".to_owned(), 65, "relu.json"),
        ("an unknown operator", RELU.replace(r#""name": "relu","#, r#""name": "rleu","#), 65, "rleu"),
        ("an absurd shape", RELU.replace("[3]", "[4294967295, 4294967295, 4294967295]"), 65, "/tests/0/graph"),
        ("too little data", RELU.replace("[-1, 0.5, 2]", "[-1, 0.5]"), 65, "/tests/0/graph/inputs/x/data"),
        ("data that the type does not hold", RELU.replace("float32", "int8"), 65, "0.5"),
        ("an output that nothing makes", RELU.replace(r#""outputs": "y""#, r#""outputs": "z""#), 65, "y"),
        ("a misspelt argument", RELU.replace(r#""input": "x""#, r#""inptu": "x""#), 65, "relu has no parameter"),
        ("an operand that there is not", RELU.replace(r#""input": "x""#, r#""input": "xx""#), 65, "no operand \"xx\""),
        ("a name used twice", RELU.replace(r#""outputs": "y""#, r#""outputs": "x""#), 65, "x"),
        ("no vectors", r#"{ "source": "none", "tests": [] }"#.to_owned(), 65, "relu.json"),
    ];
    for (case, text, code, says) in cases {
        let folder = Folder::with("relu.json", &text);
        let run = folder.webnn(&["run", "relu.json", "-i", "reference"]);
        assert_eq!(run.code, code, "{case}: {run}");
        assert!(run.stderr.contains(says), "{case}: {run}");
        assert!(!run.stderr.contains("panicked"), "{case}: {run}");
    }
}

#[test]
fn all_that_an_operator_gives_is_named() {
    let split = |outputs: &str, rest: &str| {
        format!(
            r#"{{ "source": "worked example", "tests": [ {{ "name": "split in two", "graph": {{
            "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [2] }}, "data": [1, 2] }} }},
            "operators": [ {{ "name": "split", "arguments": [ {{ "input": "x" }}, {{ "splits": 2 }} ], "outputs": {outputs} }} ]
            {rest} }} ] }}"#
        )
    };
    let expected =
        r#", "expectedOutputs": { "y": { "descriptor": { "dataType": "float32", "shape": [1] }, "data": 1 } } }"#;
    let folder = Folder::with("split.json", &split(r#"["y", "z"]"#, expected));
    let run = folder.webnn(&["run", "split.json", "-i", "reference"]);
    assert_eq!(run.code, 0, "{run}");
    for (names, count) in [(r#""y""#, 1), (r#"["y", "z", "w"]"#, 3)] {
        folder.write("split.json", &split(names, expected));
        let run = folder.webnn(&["run", "split.json", "-i", "reference"]);
        assert_eq!(run.code, 65, "{run}");
        run.complains(&format!("with these arguments split gives 2 results: name them all, and not {count}"));
        // Which call of a graph is refused is not known until it runs. This one is not.
        folder.write("split.json", &split(names, r#"}, "throws": { "name": "TypeError" }"#));
        let run = folder.webnn(&["run", "split.json", "-i", "reference"]);
        assert_eq!(run.code, 1, "{run}");
        run.shows(&format!("the vector is wrong: split gives 2 outputs, and {count} are named"));
    }
}

#[test]
fn a_dimension_of_zero_can_only_be_refused() {
    let text = RELU.replace("[3]", "[0]").replace("[-1, 0.5, 2]", "[]").replace("[0, 0.5, 2]", "[]");
    let folder = Folder::with("relu.json", &text);
    let run = folder.webnn(&["run", "relu.json", "-i", "reference"]);
    assert_eq!(run.code, 65, "{run}");
    run.complains("/tests/0/graph/inputs/x/descriptor: shape [0] has a dimension of zero");

    let negative = r#"{ "source": "worked example", "tests": [ {
      "name": "relu of nothing",
      "graph": {
        "inputs": { "x": { "descriptor": { "dataType": "float32", "shape": [0] }, "data": [] } },
        "operators": [ { "name": "relu", "arguments": [ { "input": "x" } ], "outputs": "y" } ] },
      "throws": { "name": "TypeError", "at": { "algorithm": "MLGraphBuilder.input(name, descriptor)", "step": "4" } } } ] }"#;
    folder.write("relu.json", negative);
    let run = folder.webnn(&["run", "relu.json", "-i", "reference"]);
    assert_eq!(run.code, 0, "{run}");
}

#[test]
fn nothing_to_run() {
    let folder = Folder::with("empty/README", "no vectors here");
    assert_eq!(folder.webnn(&["run", "empty"]).code, 66);
    let run = folder.webnn(&["run", "--filter", "no such vector"]);
    assert_eq!(run.code, 66, "{run}");
    run.complains("no vector is selected");
}

#[test]
fn what_there_is_not() {
    let folder = Folder::with("relu.json", RELU);
    assert_eq!(folder.webnn(&["run", "missing.json"]).code, 65);
    let run = folder.webnn(&["run", "relu.json", "-i", "nonesuch"]);
    assert_eq!(run.code, 2, "{run}");
    run.complains("wgpu:NAME");
    let run = folder.webnn(&["run", "relu.json", "--operators", "rleu"]);
    assert_eq!(run.code, 2, "{run}");
    run.complains("webnn list operators");
    let run = folder.webnn(&["run", "relu.json", "-i", "wgpu:no such adapter"]);
    assert_eq!(run.code, 78, "{run}");
    run.complains("no such adapter");
    let run = folder.webnn(&["show", "softmax"]);
    assert_eq!(run.code, 2, "{run}");
    run.complains("which one?");
    assert_eq!(folder.webnn(&["explain", "no such vector"]).code, 66);
}

#[test]
fn random_graphs_of_some_operators() {
    let folder = Folder::with("relu.json", RELU);
    let run =
        folder.webnn(&["fuzz", "-i", "reference", "--graphs", "70", "--operators", "relu,reshape", "--statistics"]);
    assert_eq!(run.code, 0, "{run}");
    run.shows("70 graphs of ");
    run.shows("of 2 kinds");
    run.shows("relu: ");
    let again = folder.webnn(&["fuzz", "-i", "reference", "--operators", "rleu"]);
    assert_eq!(again.code, 2, "{again}");
    again.complains("rleu is no operator");
}

#[test]
fn help_is_written_for_a_newcomer() {
    let folder = Folder::with("relu.json", RELU);
    agrees_with(&folder.webnn(&["--help"]).stdout, "help.txt");
    agrees_with(&folder.webnn(&["run", "--help"]).stdout, "run-help.txt");
}

#[test]
fn a_vector_and_its_explanation_as_a_person_reads_them() {
    let folder = Folder::with("relu.json", RELU);
    agrees_with(&folder.webnn(&["show", "relu of three numbers", "relu.json"]).stdout, "show.txt");
    let explained = folder.webnn(&["explain", "relu of three numbers", "relu.json", "-i", "reference"]);
    agrees_with(&explained.stdout, "explain.txt");
}

#[test]
fn a_time_limit_that_nothing_keeps_leaves_no_result_out() {
    let folder = Folder::with("relu.json", RELU);
    let arguments = ["run", "-f", "softmax", "-i", "reference", "--timeout", "0.000001", "--jobs", "2"];
    let run = folder.webnn(&arguments);
    assert!([0, 1, 78].contains(&run.code), "{run}");
    let results = folder.read("results/latest.jsonl");
    let count = |what: &str| results.lines().filter(|line| line.contains(what)).count();
    let listed = folder.webnn(&["list", "vectors", "-f", "softmax"]).stdout.lines().count();
    assert_eq!(count(r#""line":"result""#), listed, "{run}");
    assert_eq!(count(r#""line":"footer""#), 1, "{run}");
}

/// The results of a run: how many, and whether the file has its footer.
fn results(folder: &Folder) -> (usize, bool) {
    let results = folder.read("results/latest.jsonl");
    let count = results.lines().filter(|line| line.contains(r#""line":"result""#)).count();
    (count, results.lines().last().is_some_and(|line| line.contains(r#""line":"footer""#)))
}

#[test]
fn a_device_that_is_lost_half_way_costs_one_vector() {
    let folder = Folder::with("relu.json", RELU);
    let run = folder.webnn(&["run", "-f", "relu/", "-i", "wgpu", "--lose-device-at", "7"]);
    if run.code == 78 {
        return;
    }
    assert_eq!(run.code, 1, "{run}");
    run.shows("1 unexpected:");
    run.shows("errored: the device was lost: it was destroyed");
    let listed = folder.webnn(&["list", "vectors", "-f", "relu/"]).stdout.lines().count();
    assert_eq!(results(&folder), (listed, true), "{run}");
    assert!(!run.stderr.contains("panicked"), "{run}");
}

#[test]
fn a_device_that_is_lost_again_and_again_ends_the_run() {
    let folder = Folder::with("relu.json", RELU);
    let run = folder.webnn(&["run", "-f", "relu/", "-i", "wgpu", "-i", "reference", "--lose-device-at", "2,3,4,5,6"]);
    if run.code == 78 {
        return;
    }
    assert_eq!(run.code, 1, "{run}");
    run.shows("errored: not tried: 5 vectors before it were not answered, the last: the device was lost");
    let listed = folder.webnn(&["list", "vectors", "-f", "relu/"]).stdout.lines().count();
    assert_eq!(results(&folder), (2 * listed, true), "{run}");
    run.shows(&format!("reference: {listed} passed"));
}

/// On an adapter that lacks 64-bit integers, what needs them is skipped with a reason, and all else is as before.
#[test]
fn an_adapter_without_int64_fails_nothing() {
    let folder = Folder::with("relu.json", RELU);
    let without = [("WEBNN_GPU_WITHOUT", "int64")];
    let run = folder.webnn_with(&without, &["run", "-i", "wgpu", "-f", "int64", "-f", "graphs/", "-f", "mlcontext/"]);
    if run.code == 78 {
        return;
    }
    assert_eq!(run.code, 0, "{run}");
    run.shows("no int64");
    run.shows("skipped: int64 is not supported (see opSupportLimits)");
    let run = folder.webnn_with(&[("WEBNN_GPU_WITHOUT", "int46")], &["run", "-i", "wgpu", "relu.json"]);
    assert_eq!(run.code, 78, "{run}");
    run.complains("it can list int64");
}

/// What `--format json` writes.
fn listing(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    let ran = folder.webnn(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {ran}"))
}

#[test]
fn what_is_listed_is_there_for_programs() {
    let folder = Folder::with("relu.json", RELU);
    let vectors = listing(&folder, &["list", "vectors", "relu.json"]);
    assert_eq!(vectors["listing"], "vectors");
    assert_eq!(vectors["vectors"][0]["id"], "relu/relu of three numbers");
    assert_eq!(vectors["vectors"][0]["dataType"], "float32");
    let operators = listing(&folder, &["list", "operators"]);
    assert!(operators["operators"].as_array().is_some_and(|all| all.len() > 90), "{operators}");
    let implementations = listing(&folder, &["list", "implementations"]);
    assert!(implementations.to_string().contains("browser:PATH FLAGS"), "{implementations}");
    let shown = listing(&folder, &["show", "relu of three numbers", "relu.json"]);
    let original: serde_json::Value = serde_json::from_str(RELU).expect("JSON");
    assert_eq!(shown["vector"]["graph"], original["tests"][0]["graph"]);
    let explained = listing(&folder, &["explain", "relu of three numbers", "relu.json", "-i", "reference"]);
    assert_eq!(explained["results"][0]["outcome"], "passed");
    assert_eq!(explained["results"][0]["outputs"][0]["elements"], serde_json::json!(["0", "0.5", "2"]));
    let steps = explained["steps"].to_string();
    assert!(steps.contains("MLGraphBuilder.relu(input, options)"), "{steps}");
    let coverage = listing(&folder, &["coverage", "relu.json"]);
    let steps = coverage["reached"].as_array().and_then(|all| all.iter().find(|part| part["what"] == "steps"));
    let (reached, of) = steps.map(|steps| (steps["reached"].as_u64(), steps["of"].as_u64())).expect("steps");
    assert!(reached < of && of > Some(1500), "{reached:?} of {of:?}");
    let plan = listing(&folder, &["plan", "relu.json"]);
    assert_eq!(plan["graphs"][0]["dispatches"], 1);
}

#[test]
fn control_characters_of_names_are_not_acted_on() {
    let name = "relu of \\u001b[31mthree numbers";
    let folder =
        Folder::with("relu.json", &RELU.replace("relu of three numbers", name).replace("[0, 0.5, 2]", "[0, 1, 2]"));
    for arguments in [
        &["list", "vectors", "relu.json"][..],
        &["show", "relu/", "relu.json"],
        &["explain", "relu/", "relu.json", "-i", "reference"],
        &["run", "relu.json", "-i", "reference"],
        &["show", "no such vector \u{1b}[31m", "relu.json"],
    ] {
        let ran = folder.webnn(arguments);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{arguments:?}: {ran}");
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("\\u{1b}"), "{arguments:?}: {ran}");
    }
}

#[test]
fn explain_says_what_is_known_and_does_not_wait_forever() {
    let folder = Folder::with("relu.json", &RELU.replace("[0, 0.5, 2]", "[0, 0.75, 2]"));
    let known = "[[expectation]]\nvectors = [\"relu/relu of three numbers\"]\noutcome = \"failed\"\n\
                 reason = \"wrong on purpose\"\nlink = \"https://example.org/1\"\n";
    folder.write("known/reference.toml", known);
    let explained = folder.webnn(&["explain", "relu/", "relu.json", "-i", "reference", "--expectations", "known"]);
    assert_eq!(explained.code, 0, "{explained}");
    explained.shows("known: wrong on purpose (https://example.org/1)");
    let hangs = folder.webnn(&["explain", "relu/", "relu.json", "-i", "a=cmd:sleep 60", "--timeout", "0.2"]);
    assert_eq!(hangs.code, 78, "{hangs}");
    hangs.complains("did not answer within 0.2 s");
}

#[test]
fn expectations_that_name_no_vector_are_found() {
    let folder = Folder::with("relu.json", RELU);
    let entry =
        |id: &str| format!("[[expectation]]\nvectors = [{id:?}]\noutcome = \"failed\"\nreason = \"r\"\nlink = \"l\"\n");
    folder.write("known/a.toml", &(entry("relu/relu of three numbers") + &entry("relu/relu of thre numbers")));
    let checked = folder.webnn(&["expectations", "check", "relu.json", "--folder", "known"]);
    assert_eq!(checked.code, 1, "{checked}");
    checked.shows("a: relu/relu of thre numbers: there is no such vector");
    checked.shows("2 expectations, 1 to look at; 1 vector");
}

#[test]
fn carried_expectations_name_vectors_that_are_carried() {
    let folder = Folder::with("relu.json", RELU);
    let checked = folder.webnn(&["expectations", "check"]);
    assert_eq!(checked.code, 0, "{checked}");
    checked.shows(
        " more are of vectors that the program does not carry; name their folder, and that of its own, to look at them",
    );
    folder.write(
        "known/a.toml",
        "[[expectation]]\nelsewhere = [\"relu/no such\"]\noutcome = \"failed\"\nreason = \"r\"\nlink = \"l\"\n",
    );
    let elsewhere = folder.webnn(&["expectations", "check", "--folder", "known"]);
    assert_eq!(elsewhere.code, 0, "{elsewhere}");
    let there = folder.webnn(&["expectations", "check", "relu.json", "--folder", "known"]);
    assert_eq!(there.code, 1, "{there}");
    there.shows("a: relu/no such: there is no such vector");
}

#[test]
fn building_is_measured_against_loading() {
    let folder = Folder::with("relu.json", RELU);
    let run = folder.webnn(&["bench", "cache", "-i", "reference", "--repeat", "1"]);
    assert_eq!(run.code, 0, "{run}");
    for network in ["BERT base, 128 tokens", "ResNet-50, 224x224"] {
        run.shows(network);
    }
    let vectors = folder.webnn(&["bench", "relu.json", "--repeat", "1"]);
    assert_eq!(vectors.code, 0, "{vectors}");
    vectors.shows("1 vector, 1 run");
}

/// A graph whose weights leave the device; the last number is what a part of the ledger has then.
const OFFLOAD: &str = r#"{ "source": "worked example", "tests": [ { "name": "offload", "scenario": [
  { "let": "context", "call": "createContext" },
  { "let": "builder", "call": "MLGraphBuilder", "arguments": { "context": "context" } },
  { "let": "w", "on": "builder", "call": "constant", "arguments": { "descriptor": { "dataType": "float32", "shape": [2] } } },
  { "let": "y", "on": "builder", "call": "neg", "arguments": { "input": "w" } },
  { "let": "graph", "on": "builder", "call": "build", "arguments": { "outputs": { "y": "y" } } },
  { "on": "graph", "call": "setConstantData", "arguments": { "constant": "w", "data": { "view": "Float32Array", "data": [10, 20] } } },
  { "on": "graph", "call": "offload" },
  { "on": "context", "call": "ledger", "arguments": { "figure": "offloaded" }, "returns": { "value": 8 } },
  { "on": "graph", "call": "reload" } ] } ] }"#;

#[test]
fn the_calls_of_a_scenario_are_explained_each_once() {
    let folder = Folder::with("offload.json", &OFFLOAD.replace(r#""value": 8"#, r#""value": 9"#));
    let explained = folder.webnn(&["explain", "offload", "offload.json", "-i", "reference"]);
    assert_eq!(explained.code, 1, "{explained}");
    agrees_with(&explained.stdout, "explain-scenario.txt");
    let twice = folder.webnn(&["explain", "offload", "offload.json", "-i", "reference", "-i", "reference"]);
    assert_eq!(twice.stdout.matches("graph.offload()").count(), 1, "{twice}");
    assert_eq!(twice.stdout.matches("constants 0, offloaded 8").count(), 1, "{twice}");
}

#[test]
fn what_a_vector_misspells_is_said_before_anything_runs() {
    let mistakes = [
        (
            r#""on": "graph", "call": "offload" }"#,
            r#""on": "graph", "call": "offload", "arguments": { "too": "host" } }"#,
        ),
        (r#""input": "w""#, r#""input": "w", "options": { "lable": "l" }"#),
        (r#""shape": [2] } } }"#, r#""shape": [2], "readble": true } } }"#),
        (r#""offloaded""#, r#""ofloaded""#),
        (r#", "data": [10, 20] }"#, r#" }"#),
    ];
    for (good, bad) in mistakes {
        let folder = Folder::with("offload.json", &OFFLOAD.replacen(good, bad, 1));
        let run = folder.webnn(&["run", "offload.json", "-i", "reference"]);
        assert_eq!(run.code, 65, "{bad}: {run}");
        run.complains("offload.json: \"offload\" at /tests/0/scenario/");
    }
    let folder = Folder::with(
        "relu.json",
        &RELU.replace(r#"{ "input": "x" }"#, r#"{ "input": "x" }, { "options": { "lable": "l" } }"#),
    );
    let run = folder.webnn(&["run", "relu.json", "-i", "reference"]);
    run.complains(
        "/graph/operators/0/arguments/1/options/lable: \"options\" of relu has no member \"lable\"; it has label",
    );
}

#[test]
fn a_value_of_another_kind_is_given_on_purpose_where_web_idl_throws() {
    let throws = r#""throws": { "name": "TypeError", "at": { "algorithm": "Web IDL", "step": "conversion" } }"#;
    let vector = format!(
        r#"{{ "source": "Web IDL", "tests": [ {{ "name": "softmax along true", {throws}, "graph": {{
        "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [3] }}, "data": [-1, 0.5, 2] }} }},
        "operators": [ {{ "name": "softmax", "arguments": [ {{ "input": "x" }}, {{ "axis": true }} ], "outputs": "y" }} ] }} }} ] }}"#
    );
    let run = Folder::with("softmax.json", &vector).webnn(&["run", "softmax.json", "-i", "reference"]);
    assert_eq!(run.code, 0, "{run}");
    run.shows("1 vector in ");
    let elsewhere = vector
        .replace("Web IDL\", \"step\": \"conversion", "MLGraphBuilder.softmax(input, axis, options)\", \"step\": \"4");
    let run = Folder::with("softmax.json", &elsewhere).webnn(&["run", "softmax.json", "-i", "reference"]);
    assert_eq!(run.code, 65, "{run}");
    run.complains("/arguments/1/axis: \"axis\" of softmax has to be a whole number, not true");
}
