//! What is written for programs is what the schemas say: every listing and every line of result files, of real runs.

#![cfg(unix)]

mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use program::{Folder, Ran};
use serde_json::{Value, json};

const WEBNN: &str = env!("CARGO_BIN_EXE_webnn");

/// A vector of one relu.
fn relu(name: &str, expected: &str, more: &str) -> String {
    format!(
        r#"{{ "name": "{name}", {more} "graph": {{
            "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [1] }} }},
            "operators": [{{ "name": "relu", "arguments": [{{ "input": "x" }}], "outputs": "y" }}],
            "expectedOutputs": {{ "y": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{expected}] }} }} }} }}"#
    )
}

/// Vectors that go in every way.
fn vectors() -> String {
    let refused = r#"{ "name": "refused", "graph": {
        "inputs": { "x": { "descriptor": { "dataType": "float32", "shape": [1] }, "data": [1] } },
        "operators": [{ "name": "relu", "arguments": [{ "input": "x" }], "outputs": "y" }] },
        "throws": { "name": "TypeError" } }"#;
    let open = r#""implementationDefined": "nobody knows","#;
    let all = [
        relu("one", "1", ""),
        relu("wrong", "2", ""),
        relu("broken", "1", ""),
        relu("of another shape", "1", ""),
        relu("open", "1", open),
        relu("open and wrong", "2", open),
        refused.to_owned(),
    ];
    format!(r#"{{ "source": "worked example", "tests": [ {} ] }}"#, all.join(",\n"))
}

/// An adapter that computes wrongly, breaks, and skips what it does not know for another reason each time.
const ODD: &str = r#"read -r line; echo '{"answer":"ready","protocol":1,"name":"odd","version":"1"}'
while read -r line; do
  seq=${line#*\"seq\":}; seq=${seq%%,*}
  case "$line" in
    *'"stop"'*) exit 0;;
    *many/one*) echo "{\"answer\":\"result\",\"seq\":$seq,\"outputs\":{\"y\":{\"dataType\":\"float32\",\"shape\":[1],\"data\":[5]}}}";;
    *another*) echo "{\"answer\":\"result\",\"seq\":$seq,\"outputs\":{\"y\":{\"dataType\":\"float32\",\"shape\":[2],\"data\":[5,5]}}}";;
    *many/broken*) echo "{\"answer\":\"errored\",\"seq\":$seq,\"message\":\"it broke\"}";;
    *) echo "{\"answer\":\"skipped\",\"seq\":$seq,\"reason\":\"process $$\"}";;
  esac
done"#;

fn folder() -> Folder {
    let folder = Folder::with("many.json", &vectors());
    folder.write("odd.sh", ODD);
    folder
}

/// The schema, which in addition allows nothing that it does not describe: a member that it has forgotten is found so.
fn schema(folder: &Folder, what: &str) -> Validator {
    let mut schema: Value = serde_json::from_str(&folder.webnn(&["schema", what]).stdout).unwrap();
    let is_object = |one: &Value| one["type"] == "object" && one.get("properties").is_some();
    for one in schema["oneOf"].as_array_mut().unwrap().iter_mut().filter(|one| is_object(one)) {
        one["unevaluatedProperties"] = json!(false);
    }
    for (name, one) in schema["$defs"].as_object_mut().unwrap() {
        // A vector is described by a schema of its own, which allows nothing else anyhow.
        if is_object(one) && one.get("additionalProperties").is_none() {
            one["unevaluatedProperties"] = json!(false);
        }
        assert!(!name.is_empty());
    }
    jsonschema::validator_for(&schema).unwrap()
}

fn check(schema: &Validator, value: &Value, what: &str) {
    let problems: Vec<String> =
        schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{what}: {}\n{value:#}", problems.join("\n"));
}

#[test]
fn lines_of_result_files_are_what_their_schema_says() {
    let folder = folder();
    let schema = schema(&folder, "results");
    let own = format!("own=cmd:'{WEBNN}' adapter");
    let run = [
        "run",
        "many.json",
        "-i",
        "reference",
        "-i",
        "odd=cmd:sh odd.sh",
        "-i",
        &own,
        "-i",
        "gone=cmd:no-such-program",
    ];
    let ran = folder.webnn(&[&run[..], &["--bounds", "--repeat", "2", "-j", "1", "-o", "r.jsonl"]].concat());
    assert_eq!(ran.code, 1, "{ran}");
    folder.write(
        "known/reference.toml",
        "[[expectation]]\nvectors = [\"many/wrong\"]\noutcome = \"failed\"\nreason = \"on purpose\"\nlink = \"here\"\n",
    );
    let known =
        ["run", "many.json", "-i", "reference", "--expectations", "known", "--partition", "1/1", "-o", "k.jsonl"];
    assert_eq!(folder.webnn(&known).code, 1);
    assert_eq!(folder.webnn(&["merge", "k.jsonl", "-o", "m.jsonl"]).code, 0);

    let mut kinds = BTreeSet::new();
    for name in ["r.jsonl", "k.jsonl", "m.jsonl"] {
        for line in folder.read(name).lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            check(&schema, &value, name);
            let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
            let has = |name: &str| if value.get(name).is_some() { format!(" {name}") } else { String::new() };
            kinds.insert(format!("{} {}{}{}", text("line"), text("outcome"), has("index"), has("known")));
        }
    }
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.trim_end()).collect();
    let all = [
        "difference  index",
        "flake",
        "footer",
        "header",
        "notStarted",
        "result errored",
        "result failed",
        "result failed index",
        "result failed index known",
        "result open",
        "result passed",
        "result skipped",
        "started",
        "vector",
    ];
    assert_eq!(kinds, all, "not every kind of line is there to be checked");
    let bounded = folder.read("r.jsonl").lines().filter(|line| line.contains(r#""verdict":"outside","#)).count();
    assert!(bounded > 0, "no element is outside of its bound");
}

#[test]
fn the_schema_of_result_files_refuses_what_is_none() {
    let folder = folder();
    let schema = schema(&folder, "results");
    assert_eq!(folder.webnn(&["run", "many.json", "-i", "reference", "-o", "r.jsonl"]).code, 1);
    let mut refused = 0;
    for line in folder.read("r.jsonl").lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        for name in value.as_object().unwrap().keys() {
            let mut other = value.clone();
            other[name] = json!({ "no": "such value" });
            assert!(!schema.is_valid(&other), "{name} may be anything: {value}");
            refused += 1;
        }
        let mut more = value.clone();
        more["forgotten"] = json!(1);
        assert!(!schema.is_valid(&more), "{value}");
    }
    assert!(refused > 50);
}

/// Checks that a command gives this listing, as its schema says it.
fn listed(folder: &Folder, schema: &Validator, listing: &str, code: i32, arguments: &[&str]) -> Value {
    let ran: Ran = folder.webnn(arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {ran}");
    let value: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {ran}"));
    assert_eq!(value["listing"], listing, "{arguments:?}");
    check(schema, &value, listing);
    value
}

#[test]
fn listings_are_what_their_schema_says() {
    let folder = folder();
    let schema = schema(&folder, "listings");
    let list = |listing: &str, code, arguments: &str| {
        let words: Vec<&str> = arguments.split(' ').chain(["--format", "json"]).collect();
        listed(&folder, &schema, listing, code, &words)
    };
    list("vectors", 0, "list vectors many.json");
    list("operators", 0, "list operators");
    list("implementations", 0, "list implementations");
    list("adapters", 0, "list adapters");
    list("vector", 0, "show many/one many.json");
    list("explanation", 1, "explain many/wrong many.json -i reference");
    list("coverage", 0, "coverage many.json");
    list("plan", 0, "plan many.json -f one");
    let accuracy =
        ["accuracy", "-i", &format!("own=cmd:'{WEBNN}' adapter"), "--operators", "relu", "--type", "float16"];
    listed(&folder, &schema, "accuracy", 0, &[&accuracy[..], &["--format", "json"]].concat());
    folder.webnn(&["run", "many.json", "-i", "reference", "-o", "a.jsonl"]);
    folder.write("many.json", &vectors().replace(r#""data": [2]"#, r#""data": [1]"#));
    folder.webnn(&["run", "many.json", "-i", "reference", "-o", "b.jsonl"]);
    let changes = list("comparison", 0, "compare a.jsonl b.jsonl");
    assert_eq!(changes["changes"][0]["change"], "fixed");
}

#[test]
fn listings_of_measurements_are_what_their_schema_says() {
    let folder = folder();
    let schema = schema(&folder, "listings");
    let list = |listing: &str, code, arguments: &str| {
        let words: Vec<&str> = arguments.split(' ').chain(["--format", "json"]).collect();
        listed(&folder, &schema, listing, code, &words)
    };
    let bench = list("benchmark", 0, "bench many.json --repeat 2");
    assert_eq!((&bench["vectors"], &bench["runs"]), (&json!(7), &json!(2)));
    let cache = list("cacheBenchmark", 0, "bench cache -i reference --repeat 1");
    assert!(!cache["networks"].as_array().unwrap().is_empty());
    let memory =
        list("memoryBenchmark", 0, "bench memory reuse/chain -i reference --size 1MiB --repeat 1 --output out");
    let kept: Value = serde_json::from_str(&folder.read("out/memory.json")).unwrap();
    assert_eq!(kept, memory);
    // Of the interpreter, nothing is said that is true of the GPU's plan alone.
    let figures = memory["workloads"][0]["rows"][0]["figures"].as_object().unwrap();
    assert_eq!(figures.keys().collect::<Vec<_>>(), ["ledger"]);
}

#[test]
fn listings_of_trials_are_what_their_schema_says() {
    let folder = folder();
    let schema = schema(&folder, "listings");
    let list = |listing: &str, code, arguments: &[&str]| {
        listed(&folder, &schema, listing, code, &[arguments, &["--format", "json"]].concat())
    };
    let own = format!("cmd:'{WEBNN}' adapter");
    let good = list("smokeTest", 0, &["smoke", &own]);
    assert_eq!(good["speaks"], true);
    let bad = list("smokeTest", 1, &["smoke", "cmd:sh odd.sh"]);
    assert_eq!(bad["speaks"], false);

    let fuzz = list("randomGraphs", 0, &["fuzz", "-i", "reference", "--graphs", "20", "--max-operators", "3"]);
    assert_eq!(fuzz["graphs"], 20);
    folder.write("breaks.sh", &ODD.replace("*many/one*)", "*many/nothing*)").replace("*many/broken*)", "*operators*)"));
    let found = ["fuzz", "-i", "b=cmd:sh breaks.sh", "--graphs", "3", "--max-operators", "2", "--differences", "1"];
    let found = list("randomGraphs", 1, &found);
    let file = found["findings"][0]["file"].as_str().expect("a finding");
    assert!(folder.read(file).contains("\"tests\""));

    folder.write(
        "index.bs",
        "<details open>\n<summary>decomposed</summary>\n<pre highlight=\"js\">\n    \
         function relu(builder, input) {\n      return builder.max(builder.constant(input.dataType, 0), input);\n    }\n    \
         function sigmoid(builder, input) {\n      return builder.add(input, input);\n    }\n    \
         function tanh(builder, input) {\n      throw new Error('on purpose');\n    }\n    \
         function another(builder, input) {\n      return input;\n    }\n</pre>\n</details>\n",
    );
    let decompositions = ["decompositions", "--spec", "index.bs", "-f", "relu/", "-f", "sigmoid/", "-f", "tanh/"];
    let decompositions = list("decompositions", 0, &decompositions);
    let of = |place: usize, what: &str| decompositions["operators"][place][what].as_array().map(Vec::len);
    assert_eq!(decompositions["others"], json!(["another"]));
    assert!(of(0, "part") == Some(0) && of(1, "part") > Some(0) && of(2, "throws") > Some(0), "{decompositions:#}");
}

#[test]
fn messages_and_vectors_are_what_their_schemas_say() {
    let folder = folder();
    let schema = |what: &str| {
        let schema: Value = serde_json::from_str(&folder.webnn(&["schema", what]).stdout).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    };
    let own = format!("own=cmd:'{WEBNN}' adapter");
    let run = ["run", "-f", "relu/relu", "-f", "mltensor/", "-i", &own, "-i", "odd=cmd:sh odd.sh", "-o", "r.jsonl"];
    let ran = folder.webnn(&[&run[..], &["--trace", "trace.jsonl"]].concat());
    assert_eq!(ran.code, 0, "{ran}");
    let (protocol, trace) = (schema("protocol"), folder.read("trace.jsonl"));
    let mut kinds = BTreeSet::new();
    for line in trace.lines() {
        let said: Value = serde_json::from_str(line).unwrap();
        let message: Value = serde_json::from_str(said["line"].as_str().unwrap()).unwrap();
        check(&protocol, &message, "protocol");
        let kind = message.get("command").or(message.get("answer")).and_then(Value::as_str);
        kinds.insert(kind.unwrap_or_default().to_owned());
    }
    let all = ["calls", "exception", "ready", "result", "run", "skipped", "start", "stop"];
    assert!(all.iter().all(|kind| kinds.contains(*kind)), "{kinds:?}");

    let vectors = schema("vectors");
    check(&vectors, &serde_json::from_str(&folder.read("many.json")).unwrap(), "many.json");
}

/// The schema of vectors.
fn of_vectors() -> Validator {
    let schema: Value = serde_json::from_str(&folder().webnn(&["schema", "vectors"]).stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Files of vectors: ours, and those of web-platform-tests where they are at hand.
fn files() -> Vec<PathBuf> {
    let folders = [VECTORS, WPT_VECTORS].map(Path::new).into_iter().filter(|folder| folder.exists());
    let entries = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../wpt-tests/vectors");
const WPT_VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/wpt/vectors");

#[test]
fn all_vectors_are_what_their_schema_says() {
    let schema = of_vectors();
    let files = files();
    assert!(files.len() > 60, "{files:?}");
    for path in files {
        let file: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        check(&schema, &file, &path.display().to_string());
    }
}

#[test]
fn the_schema_of_vectors_knows_what_operators_take() {
    let schema = of_vectors();
    let web_idl = json!({ "name": "TypeError", "at": { "algorithm": "Web IDL", "step": "conversion" } });
    let graph = |name: &str, arguments: &Value, outputs: &Value, throws: Option<&Value>| {
        let x = json!({ "dataType": "float32", "shape": [2] });
        let mut vector = json!({ "name": "n", "graph": {
            "inputs": { "x": { "descriptor": x, "data": 1 } },
            "operators": [{ "name": name, "arguments": arguments, "outputs": outputs }]
        } });
        match throws {
            Some(throws) => vector["throws"] = throws.clone(),
            None => vector["graph"]["expectedOutputs"] = json!({ "y": { "descriptor": x, "data": 1 } }),
        }
        schema.is_valid(&json!({ "source": "s", "tests": [vector] }))
    };
    let scenario = |name: &str, arguments: &Value, names: &Value, throws: Option<&Value>| {
        let mut step = json!({ "let": names, "on": "b", "call": name, "arguments": arguments });
        if let Some(throws) = throws {
            step["throws"] = throws.clone();
        }
        schema.is_valid(&json!({ "source": "s", "tests": [{ "name": "n", "scenario": [step] }] }))
    };
    // As a graph has them, and a scenario.
    let listed = |arguments: &Value| {
        let members = arguments.as_object().unwrap().iter();
        members.map(|(name, value)| json!({ name: value })).collect::<Value>()
    };
    let both = |name: &str, arguments: Value, names: Value| {
        let ways = [graph(name, &listed(&arguments), &names, None), scenario(name, &arguments, &names, None)];
        assert_eq!(ways[0], ways[1], "{name} {arguments}");
        assert!(graph(name, &listed(&arguments), &names, Some(&web_idl)), "{name} {arguments}");
        assert!(scenario(name, &arguments, &names, Some(&web_idl)), "{name} {arguments}");
        ways[0]
    };
    let y = || json!("y");
    for (name, arguments) in [
        ("relu", json!({ "input": "x" })),
        ("relu", json!({ "input": "x", "options": { "label": "l" } })),
        ("softmax", json!({ "input": "x", "axis": 0 })),
        ("clamp", json!({ "input": "x", "options": { "minValue": { "$bigint": "-1" }, "maxValue": "Infinity" } })),
        ("elu", json!({ "input": "x", "options": { "alpha": { "$num": "-0" } } })),
        ("cast", json!({ "input": "x", "dataType": "int8" })),
        ("conv2d", json!({ "input": "x", "filter": "x", "options": { "strides": [1, 1], "inputLayout": "nhwc" } })),
        ("split", json!({ "input": "x", "splits": [1, 1] })),
        ("split", json!({ "input": "x", "splits": 2, "options": { "axis": 0 } })),
    ] {
        assert!(both(name, arguments.clone(), y()), "{name} {arguments}");
    }
    for (name, arguments) in [
        ("relu", json!({ "inptu": "x" })),
        ("relu", json!({})),
        ("relu", json!({ "input": 1 })),
        ("relu", json!({ "input": "x", "options": { "lable": "l" } })),
        ("softmax", json!({ "input": "x", "axis": 0.5 })),
        ("clamp", json!({ "input": "x", "options": { "minValue": "one" } })),
        ("elu", json!({ "input": "x", "options": { "alpha": { "$bigint": "1" } } })),
        ("cast", json!({ "input": "x" })),
        ("cast", json!({ "input": "x", "dataType": "float64" })),
        ("conv2d", json!({ "input": "x", "filter": "x", "options": { "strides": 1 } })),
        ("conv2d", json!({ "input": "x", "filter": "x", "options": { "inputLayout": "nhcw" } })),
        ("split", json!({ "input": "x", "splits": ["1"] })),
    ] {
        assert!(!both(name, arguments.clone(), y()), "{name} {arguments}");
    }
    assert!(!both("relu", json!({ "input": "x" }), json!(["y", "z"])));
    let cell = json!({ "input": "x", "weight": "x", "recurrentWeight": "x", "hiddenState": "x", "cellState": "x",
        "hiddenSize": 1 });
    assert!(both("lstmCell", cell.clone(), json!(["y", "z"])));
    for names in [json!("y"), json!(["y"]), json!(["y", "z", "w"])] {
        assert!(!both("lstmCell", cell.clone(), names));
    }
    assert!(!graph("rleu", &json!([{ "input": "x" }]), &y(), None));
    assert!(!scenario("rleu", &json!({ "input": "x" }), &y(), None));
    // Data of web-platform-tests have this name, and a null where an argument is left out.
    assert!(graph("cast", &json!([{ "input": "x" }, null, { "type": "int8" }]), &y(), None));
}
