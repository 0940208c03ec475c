//! A vector that is written as a test for web-platform-tests is still the same vector.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use webnn_reference::cpu::Cpu;
use webnn_reference::ops;
use webnn_reference::steps::Reading;
use webnn_vectors::{Data, Kind, Loader, Number, Operator, Vector, VectorFile};
use webnn_wpt::folder::{Resources, Scope, Test};
use webnn_wpt::host::{Host, Limits, THREAD_STACK};
use webnn_wpt::outcome::{FileStatus, Status};
use webnn_wpt::{emit, import};

const OWN_TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../js");

/// Of so many vectors one is tried: each takes a scope of its own.
const ONE_OF: usize = 23;

/// What a test of a graph has from `utils.js`, as far as reading it goes.
const NOTHING_IS_RUN: &str = "const webnn_conformance_test = () => {}; const buildAndExecuteGraph = async () => ({});";

/// What a test of a refused call has from `utils_validation.js`.
const A_CONTEXT: &str = "let context; promise_setup(async () => context = await navigator.ml.createContext());";

fn loader_of(vectors: impl FnOnce(&Loader<'_>) -> Vec<VectorFile>) -> Vec<VectorFile> {
    let known = |name: &str| ops::operator(name).is_some();
    vectors(&Loader::with_operators(&known))
}

/// Some of the vectors that are written as `kind` says, from all files.
fn some(kind: impl Fn(&Kind) -> bool) -> Vec<(Vector, String)> {
    let files = loader_of(|loader| loader.embedded().expect("our vectors"));
    let all = files.iter().flat_map(|file| {
        let with_source = |vector: &Vector| (vector.clone(), file.source_of(vector).to_owned());
        file.vectors.iter().map(with_source).collect::<Vec<_>>()
    });
    let some: Vec<_> = all.filter(|(vector, _)| kind(&vector.kind)).step_by(ONE_OF).collect();
    assert!(some.len() > 10);
    some
}

/// A host in which this text stands for the file of the test, and nothing for the functions of web-platform-tests.
fn host(text: &str) -> (Host, Test) {
    let replaced = [
        ("/webnn/conformance_tests/emitted.https.any.js", text),
        ("/webnn/resources/utils.js", NOTHING_IS_RUN),
        ("/webnn/resources/utils_validation.js", A_CONTEXT),
    ];
    let replaced = replaced.map(|(address, text)| (address.to_owned(), text.to_owned()));
    let resources = Resources::new(Path::new(OWN_TESTS), replaced.to_vec());
    let scripts = text.lines().filter_map(|line| line.strip_prefix("// META: script=")).map(str::to_owned).collect();
    let test = Test {
        name: "/webnn/conformance_tests/emitted.https.any.html?cpu".into(),
        file: PathBuf::from("webnn/conformance_tests/emitted.https.any.js"),
        scripts,
        scope: Scope::Window,
        variant: "?cpu".into(),
        title: None,
        long: true,
        is_isolated: false,
        needs: None,
    };
    let limits = Limits { timeout_multiplier: 10.0, ..Limits::default() };
    (Host::new(Rc::new(Cpu), Reading::Corrected, resources, limits), test)
}

fn on_a_deep_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(THREAD_STACK).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// The operators as JSON in which a number is written in one way only: script does not tell 1 and 1.0 apart.
fn plain(operators: &[Operator]) -> serde_json::Value {
    fn plain(value: serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Number(number) => number.as_f64().into(),
            serde_json::Value::Array(items) => items.into_iter().map(plain).collect(),
            serde_json::Value::Object(members) => {
                members.into_iter().map(|(name, member)| (name, plain(member))).collect()
            }
            other => other,
        }
    }
    plain(serde_json::to_value(operators).expect("operators are JSON"))
}

#[test]
fn a_graph_is_read_back_as_it_was_written() {
    on_a_deep_stack(|| {
        for (vector, source) in some(|kind| matches!(kind, Kind::Graph { .. })) {
            let text = emit::wpt(&vector, &source).expect("a graph can be written");
            let (host, test) = host(&text);
            let tests = import::tests(&host, &test).unwrap_or_else(|error| panic!("{}: {error}", vector.id));
            let file = import::file(&test, &tests);
            let read = loader_of(|loader| {
                vec![
                    loader
                        .text("emitted.json", "emitted", file.as_bytes())
                        .unwrap_or_else(|error| panic!("{}: {error}", vector.id)),
                ]
            });
            let [back] = read[0].vectors.as_slice() else { panic!("{}: one vector", vector.id) };
            assert_eq!(back.name, vector.name);
            let (graph, same) = (vector.graph().expect("a graph"), back.graph().expect("a graph"));
            assert_eq!(plain(&same.operators), plain(&graph.operators), "{}", vector.id);
            for ((name, input), (same_name, same)) in graph.inputs.iter().zip(&same.inputs) {
                assert_eq!((same_name, &same.descriptor, same.constant), (name, &input.descriptor, input.constant));
                assert_eq!(
                    same.descriptor.bytes_of(&same.data),
                    input.descriptor.bytes_of(&input.data),
                    "{}",
                    vector.id
                );
            }
            for ((name, output), (same_name, same)) in graph.expected_outputs.iter().zip(&same.expected_outputs) {
                assert_eq!((same_name, &same.descriptor), (name, &output.descriptor));
                assert_eq!(
                    same.descriptor.bytes_of(&same.data),
                    output.descriptor.bytes_of(&output.data),
                    "{}",
                    vector.id
                );
            }
        }
    });
}

#[test]
fn a_call_that_is_refused_is_refused() {
    on_a_deep_stack(|| {
        for (vector, source) in some(|kind| matches!(kind, Kind::Negative { .. })) {
            let text = emit::wpt(&vector, &source).expect("a refused call can be written");
            let (host, test) = host(&text);
            let result = host.run(&test);
            assert_eq!(result.status, FileStatus::Ok, "{}: {:?}", vector.id, result.message);
            let [subtest] = result.subtests.as_slice() else { panic!("{}: one subtest", vector.id) };
            assert_eq!(subtest.status, Status::Pass, "{}: {:?}\n{text}", vector.id, subtest.message);
        }
    });
}

/// Calls of scenarios go in script as they do without: with the values of Web IDL, promises and an event loop.
#[test]
fn a_scenario_goes_in_script_as_it_does_without() {
    on_a_deep_stack(|| {
        let files = loader_of(|loader| loader.embedded().expect("our vectors"));
        let vectors = files.iter().flat_map(|file| &file.vectors);
        let scenarios = vectors.filter(|vector| matches!(vector.kind, Kind::Scenario { .. }));
        let (mut written, mut not_of_script) = (0, 0);
        for vector in scenarios {
            let text = match emit::wpt(vector, "") {
                Ok(text) => text,
                Err(why) => {
                    not_of_script += 1;
                    assert!(why.contains("no page can make"), "{}: {why}", vector.id);
                    continue;
                }
            };
            written += 1;
            let (host, test) = host(&text);
            let host = if text.contains("// Needs a proposal") { host.with_proposals() } else { host };
            let result = host.run(&test);
            assert_eq!(result.status, FileStatus::Ok, "{}: {:?}\n{text}", vector.id, result.message);
            let [subtest] = result.subtests.as_slice() else { panic!("{}: one subtest", vector.id) };
            assert_eq!(subtest.status, Status::Pass, "{}: {:?}\n{text}", vector.id, subtest.message);
        }
        assert!(written > 2 * not_of_script, "{written} were written, {not_of_script} not");
    });
}

#[test]
fn tests_are_read_whatever_the_order_of_the_arguments() {
    const TEST: &str = "{'name': 'NAME', 'graph': {'inputs': {'x': {'data': [1, NaN], 'descriptor': {shape: [2], dataType: \
                        'float32'}}}, 'operators': [{'name': 'relu', 'arguments': [{'input': 'x'}], 'outputs': 'y'}], \
                        'expectedOutputs': {'y': {'data': [1, NaN], 'descriptor': {shape: [2], dataType: 'float32'}}}}}";
    on_a_deep_stack(|| {
        let (one, other) = (TEST.replace("NAME", "one"), TEST.replace("NAME", "other"));
        let text = format!(
            "// META: script=../resources/utils.js\nconst getTolerance = () => ({{metricType: 'ATOL', value: 0.5}});\n\
             webnn_conformance_test(buildAndExecuteGraph, getTolerance, {one});\n\
             webnn_conformance_test([{one}, {other}], buildAndExecuteGraph, getTolerance);\n"
        );
        let (host, test) = host(&text);
        let file = import::file(&test, &import::tests(&host, &test).expect("three tests"));
        let files = loader_of(|loader| vec![loader.text("read.json", "read", file.as_bytes()).expect("vectors")]);
        let names: Vec<&str> = files[0].vectors.iter().map(|vector| vector.name.as_str()).collect();
        assert_eq!(names, ["one", "one (2)", "other"]);
        let output = &files[0].vectors[0].graph().expect("a graph").expected_outputs["y"];
        assert_eq!(files[0].vectors[0].tolerance_of(output).value, Some(0.5));
    });
}

#[test]
fn a_number_beyond_its_type_is_read_as_the_array_of_script_has_it() {
    const INFINITY: Number = Number::Float(f64::INFINITY);
    let of = |data_type: &str| {
        let tensor =
            format!("{{data: [65519, 65520, 3.4e38, -1e39], descriptor: {{shape: [4], dataType: '{data_type}'}}}}");
        format!(
            "// META: script=../resources/utils.js\nwebnn_conformance_test([{{name: 'one', graph: {{inputs: {{x: {tensor}}}, \
             operators: [{{name: 'relu', arguments: [{{input: 'x'}}], outputs: 'y'}}], \
             expectedOutputs: {{y: {tensor}}}}}}}], buildAndExecuteGraph, () => ({{metricType: 'ULP', value: 0}}));\n"
        )
    };
    on_a_deep_stack(move || {
        for (data_type, finite) in [("float16", 1), ("float32", 3)] {
            let (host, test) = host(&of(data_type));
            let file = import::file(&test, &import::tests(&host, &test).expect("a test"));
            let files = loader_of(|loader| vec![loader.text("read.json", "read", file.as_bytes()).expect("a vector")]);
            let graph = files[0].vectors[0].graph().expect("a graph");
            let Data::List(numbers) = &graph.inputs["x"].data else { panic!("{graph:?}") };
            assert!(numbers[..finite].iter().all(|number| number.to_f64().is_finite()), "{numbers:?}");
            assert!(numbers[finite..3].iter().all(|number| *number == INFINITY), "{numbers:?}");
            assert_eq!(numbers[3], Number::Float(f64::NEG_INFINITY));
            assert_eq!(graph.expected_outputs["y"].data, graph.inputs["x"].data);
        }
    });
}
