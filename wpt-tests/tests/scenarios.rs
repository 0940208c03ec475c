//! Negative vectors and scenarios: what loads, and what does not.

use std::sync::LazyLock;

use webnn_vectors::{
    ArgumentKind, BufferSource, ElementType, Gives, Kind, Loader, Parameter, Signature, Value, Vector, View,
};

fn load(members: &str) -> Result<Vector, String> {
    let json = format!(r#"{{ "source": "s", "tests": [ {{ "name": "n", {members} }} ] }}"#);
    let loader = Loader::with_operators(&|name| name == "relu");
    loader
        .text("f.json", "f", json.as_bytes())
        .map(|mut file| file.vectors.remove(0))
        .map_err(|error| error.to_string())
}

fn scenario(steps: &str) -> Result<Vector, String> {
    load(&format!(r#""scenario": [ {CONTEXT}, {steps} ]"#))
}

const CONTEXT: &str = r#"{ "let": "context", "call": "createContext", "arguments": {} }"#;
const DESCRIPTOR: &str = r#""descriptor": { "dataType": "float32", "shape": [2] }"#;

const TENSOR: &str = r#"{ "let": "t", "on": "context", "call": "createTensor",
    "arguments": { "descriptor": { "dataType": "float32", "shape": [2], "readable": true } } }"#;

#[test]
fn negative_vectors_may_have_shapes_that_nothing_can_hold() {
    for (shape, data) in [("[2, 0]", "[]"), ("[4294967295, 4294967295, 4294967295]", "0"), ("[4294967295, 4]", "0")] {
        let vector = load(&format!(
            r#""graph": {{
                "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": {shape} }}, "data": {data} }} }},
                "operators": [ {{ "name": "relu", "arguments": [ {{ "input": "x" }} ], "outputs": "y" }} ] }},
            "throws": {{ "name": "TypeError", "at": {{ "algorithm": "a", "step": "4" }} }}"#
        ));
        let vector = vector.unwrap();
        let Kind::Negative { graph, throws } = &vector.kind else { panic!("{vector:?}") };
        assert_eq!(graph.build_outputs(), ["y"]);
        assert_eq!(throws.name.name(), "TypeError");
    }
}

#[test]
fn a_scenario_loads_and_survives_a_round_trip() {
    let vector = scenario(&format!(
        r#"{{ "let": "t", "on": "context", "call": "createTensor", "arguments": {{ {DESCRIPTOR} }} }},
           {{ "let": "b", "call": "buffer", "arguments": {{ "view": "Float32Array", "data": 1, "length": 2 }} }},
           {{ "on": "context", "call": "writeTensor", "arguments": {{ "tensor": "t", "inputData": "b" }} }},
           {{ "on": "context", "call": "writeTensor", "arguments": {{ "tensor": "t",
              "inputData": {{ "view": "DataView", "dataType": "float32", "data": ["NaN", "-0"] }} }} }},
           {{ "let": "p", "on": "context", "call": "readTensor", "arguments": {{ "tensor": "t" }}, "pending": true }},
           {{ "on": "t", "call": "destroy" }},
           {{ "call": "await", "arguments": {{ "promise": "p" }}, "returns": {{ {DESCRIPTOR}, "data": 1 }} }}"#
    ));
    let vector = vector.unwrap();
    let Kind::Scenario { steps } = &vector.kind else { panic!("{vector:?}") };
    let buffer = BufferSource::from_members(&steps[2].arguments).unwrap();
    assert_eq!((buffer.view, buffer.element_count), (View::TypedArray(ElementType::Float32), 2));
    assert_eq!(buffer.to_bytes().unwrap(), [1f32.to_le_bytes(), 1f32.to_le_bytes()].concat());
    let Value::Object(view) = &steps[4].arguments["inputData"] else { panic!("{steps:?}") };
    let view = BufferSource::from_members(view).unwrap();
    assert_eq!(view.to_bytes().unwrap(), [0, 0, 0xC0, 0x7F, 0, 0, 0, 0x80]);
    let again: Vector = serde_json::from_str(&serde_json::to_string(&vector).unwrap()).unwrap();
    assert_eq!(again.kind, vector.kind);
}

#[track_caller]
fn assert_error(steps: &str, expected: &str) {
    let message = scenario(steps).unwrap_err();
    assert_eq!(message.strip_prefix("f.json: \"n\" at /tests/0/scenario").expect(&message), expected);
}

#[test]
fn a_scenario_has_steps() {
    let message = load(r#""scenario": []"#).unwrap_err();
    assert_eq!(message, "f.json: \"n\" at /tests/0/scenario: the scenario has no steps; add one");
}

#[test]
fn calls_exist_on_objects_that_exist() {
    let message = scenario(r#"{ "on": "context", "call": "dispach" }"#).unwrap_err();
    assert!(message.contains("/1/call: a context has no call \"dispach\"; it has createTensor, "), "{message}");
    let nothing = "createContext, requestDevice, MLGraphBuilder, buffer, blob, stream, await";
    assert_error(
        r#"{ "call": "bufer", "arguments": {} }"#,
        &format!("/1/call: there is no call \"bufer\"; on nothing there are {nothing}"),
    );
    let unknown = |name: &str| format!("no earlier step has `\"let\": \"{name}\"`; correct the name or add the step");
    assert_error(r#"{ "on": "contxt", "call": "destroy" }"#, &format!("/1/on: {}", unknown("contxt")));
    assert_error(
        r#"{ "let": "b", "call": "MLGraphBuilder", "arguments": { "context": "c" } }"#,
        &format!("/1/arguments/context: {}", unknown("c")),
    );
    assert_error(
        r#"{ "on": "context", "call": "dispatch", "arguments": { "inputs": { "x": "t" } } }"#,
        &format!("/1/arguments/inputs/x: {}", unknown("t")),
    );
    assert_error(r#"{ "call": "destroy" }"#, "/1: `destroy` needs `on`: the object it is called on");
    let free = r#"{ "on": "context", "call": "await", "arguments": {} }"#;
    assert_error(free, "/1/on: `await` is called on nothing; drop `on`");
    assert_error(CONTEXT, "/1/let: the name \"context\" is used twice; rename one");
}

#[test]
fn buffers_are_checked() {
    let write = |buffer: &str| {
        let write = r#""on": "context", "call": "writeTensor""#;
        format!(r#"{TENSOR}, {{ {write}, "arguments": {{ "tensor": "t", "inputData": {{ {buffer} }} }} }}"#)
    };
    let assert_buffer = |buffer: &str, expected: &str| {
        assert_error(&write(buffer), &format!("/2/arguments/inputData: {expected}"));
    };
    let not_a_view = "\"Float31Array\" is not a view; an example is \"Float32Array\"";
    assert_buffer(r#""view": "Float31Array", "data": []"#, not_a_view);
    assert_buffer(r#""view": "Int8Array""#, "a buffer source needs `data`");
    assert_buffer(r#""view": "Int8Array", "data": 0"#, "a single number needs a `length` to fill");
    assert_buffer(r#""view": "Int8Array", "data": [0], "length": 2"#, "1 elements, but `length` is 2");
    assert_buffer(r#""view": "ArrayBuffer", "data": [0]"#, "a view without a type of its own needs a `dataType`");
    let own = "a typed array has its own type; drop `dataType`";
    assert_buffer(r#""view": "Int8Array", "data": [0], "dataType": "int8""#, own);
    let member = "unknown member `daat` of a buffer source: view, data, dataType, length";
    assert_buffer(r#""view": "Int8Array", "daat": [0]"#, member);
    let range = "element 0 is 256, outside the range of uint8 (0 to 255)";
    assert_buffer(r#""view": "Uint8ClampedArray", "data": [256]"#, range);
    let overflow = "element 1 is 70000, beyond the range of float16 (to 65504): it would be an infinity; if that is meant, \
                    write \"Infinity\" or \"-Infinity\"";
    assert_buffer(r#""view": "Float16Array", "data": [1, 70000]"#, overflow);
    assert_buffer(r#""view": "DataView", "dataType": "float16", "data": [1, 70000]"#, overflow);
    let fill = |view: &str, data: &str| {
        format!(
            r#"{{ "let": "b", "call": "buffer", "arguments": {{ "view": "{view}", "data": [1, 2] }} }},
            {{ "on": "b", "call": "fill", "arguments": {{ "data": {data} }} }}"#
        )
    };
    assert_error(&fill("Float16Array", "[1, 70000]"), &format!("/2/arguments/data: {overflow}"));
    let range = "/2/arguments/data: element 0 is 256, outside the range of uint8 (0 to 255)";
    assert_error(&fill("Uint8Array", "256"), range);
    scenario(&fill("Float32Array", "[1, 70000]")).unwrap();
    let large = "1099511627776 elements of float32 are more than 4294967295 bytes; nothing was allocated";
    assert_buffer(r#""view": "Float32Array", "data": 0, "length": 1099511627776"#, large);
    assert_buffer(r#""view": "Float32Array", "data": { "$repeat": [0, 0], "times": 549755813888 }"#, large);
    let least = "1073741824 elements of float32 are more than 4294967295 bytes; nothing was allocated";
    assert_buffer(r#""view": "Float32Array", "data": 0, "length": 1073741824"#, least);
    let buffer =
        r#"{ "let": "b", "call": "buffer", "arguments": { "view": "Uint8Array", "data": 0, "length": LENGTH } }"#;
    scenario(&buffer.replace("LENGTH", "4294967295")).unwrap();
    let large = "/1/arguments: 4294967296 elements of uint8 are more than 4294967295 bytes; nothing was allocated";
    assert_error(&buffer.replace("LENGTH", "4294967296"), large);
}

#[test]
fn what_has_to_succeed_is_not_larger_than_a_tensor_can_be() {
    let large = r#""descriptor": { "dataType": "float32", "shape": [1048576, 1048576] }"#;
    let create =
        |rest: &str| format!(r#"{{ "on": "context", "call": "createTensor", "arguments": {{ {large} }} {rest} }}"#);
    let problem = "float32 [1048576, 1048576] is more than 4 GiB; only a call that throws may have such a shape";
    assert_error(&create(""), &format!("/1/arguments/descriptor: {problem}"));
    for on_purpose in [r#", "throws": { "name": "TypeError" }"#, r#", "let": "p", "pending": true"#] {
        scenario(&create(on_purpose)).unwrap();
    }
    let input = format!(
        r#"{{ "let": "b", "call": "MLGraphBuilder", "arguments": {{ "context": "context" }} }},
           {{ "on": "b", "call": "input", "arguments": {{ "name": "x", {large} }} }}"#
    );
    assert_error(&input, &format!("/2/arguments/descriptor: {problem}"));
    let read = format!(
        r#"{TENSOR}, {{ "on": "context", "call": "readTensor", "arguments": {{ "tensor": "t" }},
           "returns": {{ {large}, "data": 0 }} }}"#
    );
    assert_error(&read, &format!("/2/returns/descriptor: {problem}"));
}

#[test]
fn results_fit_the_call() {
    let read = r#""on": "context", "call": "readTensor", "arguments": { "tensor": "t" }"#;
    let step = |rest: &str| format!("{TENSOR}, {{ {read}, {rest} }}");
    let returns = format!(r#""returns": {{ {DESCRIPTOR}, "data": [1] }}"#);
    assert_error(&step(&returns), "/2/returns/data: 1 elements, but shape [2] holds 2");
    let both = format!(r#"{returns}, "throws": {{ "name": "TypeError" }}"#);
    assert_error(&step(&both), "/2/returns: a call that throws returns nothing; drop `throws` or `returns`");
    let pending = format!(r#"{returns}, "pending": true"#);
    let expected = "/2/returns: a pending call has no result yet; put `returns` on the step that awaits it";
    assert_error(&step(&pending), expected);
    let overflow = "/2/returns/data: element 0 is 1e39, beyond the range of float32 (to 3.4028235e38): it would be an \
                    infinity; if that is meant, write \"Infinity\" or \"-Infinity\"";
    assert_error(&step(&format!(r#""returns": {{ {DESCRIPTOR}, "data": 1e39 }}"#)), overflow);
    let half = format!(r#""returns": {{ {DESCRIPTOR} }}"#);
    assert_error(&step(&half), "/2/returns: `returns` is either a `descriptor` with `data`, or a `value`");
}

/// Asserts what is wrong with the last of these steps, which come after a context, a tensor and a builder.
#[track_caller]
fn assert_last(steps: &[&str], expected: &str) {
    let builder = r#"{ "let": "builder", "call": "MLGraphBuilder", "arguments": { "context": "context" } }"#;
    let steps = [&[TENSOR, builder], steps].concat();
    assert_error(&steps.join(", "), &format!("/{}{expected}", steps.len()));
}

#[test]
fn members_of_descriptors_are_those_that_there_are() {
    let create = |descriptor: &str| {
        let arguments = format!(r#"{{ "descriptor": {descriptor} }}"#);
        format!(r#"{{ "on": "context", "call": "createTensor", "arguments": {arguments} }}"#)
    };
    let cases = [
        (
            r#"{ "dataType": "float32", "shape": [2], "readble": true }"#,
            "/readble: \"descriptor\" of createTensor has no member \"readble\"; it has dataType, shape, readable, writable",
        ),
        (
            r#"{ "dataType": "float32", "shape": [2], "readable": "yes" }"#,
            "/readable: \"readable\" of createTensor has to be true or false, not \"yes\"",
        ),
        (
            r#"{ "dataType": "float32", "shape": [2, -1] }"#,
            "/shape/1: \"shape[1]\" of createTensor has to be a whole number from 0 to 4294967295, not -1",
        ),
        (
            r#"{ "dataType": "float31", "shape": [2] }"#,
            "/dataType: \"dataType\" of createTensor has to be one of \"float32\", \"float16\", \"int32\", \"uint32\", \
             \"int64\", \"uint64\", \"int8\", \"uint8\", not \"float31\"",
        ),
        (r#"{ "dataType": "float32" }"#, ": createTensor needs \"shape\" in \"descriptor\": a list"),
        (
            "[]",
            ": \"descriptor\" of createTensor has to be an object of dataType, shape, readable, writable, not a list",
        ),
    ];
    for (descriptor, expected) in cases {
        assert_last(&[&create(descriptor)], &format!("/arguments/descriptor{expected}"));
    }
    let constant = r#"{ "on": "builder", "call": "constant", "arguments": { "descriptor": { "dataType": "float32", "shape": [],
        "readable": true } } }"#;
    assert_last(
        &[constant],
        "/arguments/descriptor/readable: \"descriptor\" of constant has no member \"readable\"; it has dataType, shape",
    );
}

#[test]
fn arguments_have_names_and_values_that_the_call_takes() {
    assert_last(
        &[r#"{ "on": "context", "call": "readTensor", "arguments": { "tensor": "t", "into": "b" } }"#],
        "/arguments/into: readTensor has no parameter \"into\"; it has tensor, outputData",
    );
    assert_last(
        &[r#"{ "on": "context", "call": "lost", "arguments": { "why": 1 } }"#],
        "/arguments/why: lost has no parameter \"why\"; it has none",
    );
    assert_last(
        &[r#"{ "on": "context", "call": "writeTensor", "arguments": { "tensor": "t" } }"#],
        "/arguments: writeTensor needs \"inputData\": a buffer source, such as {\"view\": \"Float32Array\", \"data\": [1]} \
         or the name of a buffer",
    );
    assert_last(
        &[r#"{ "on": "context", "call": "readTensor", "arguments": { "tensor": "builder" } }"#],
        "/arguments/tensor: \"tensor\" of readTensor has to be the name of a tensor, not \"builder\", which is a builder",
    );
    assert_last(
        &[r#"{ "on": "context", "call": "setMemoryBudget", "arguments": { "bytes": 1.5 } }"#],
        "/arguments/bytes: \"bytes\" of setMemoryBudget has to be null or a whole number, 0 or more, not 1.5",
    );
    assert_last(
        &[r#"{ "on": "context", "call": "storage", "arguments": { "state": "broken" } }"#],
        "/arguments/state: \"state\" of storage has to be one of \"working\", \"full\", \"failing\", \"denied\", not \"broken\"",
    );
    assert_last(
        &[r#"{ "on": "builder", "call": "constant", "arguments": { "tensor": "t", "value": 1 } }"#],
        "/arguments: these arguments of constant do not go together; it takes descriptor; or \
         descriptor, buffer; or dataType, value; or tensor",
    );
}

#[test]
fn calls_are_made_on_objects_that_have_them() {
    let builder = "/call: a builder has no call \"offload\"; it has input, constant, build, and the operators";
    assert_last(&[r#"{ "on": "builder", "call": "offload" }"#], builder);
    let pending = r#"{ "let": "p", "on": "context", "call": "createTensor", "pending": true, "arguments":
        { "descriptor": { "dataType": "float32", "shape": [2] } } }"#;
    assert_last(
        &[pending, r#"{ "on": "p", "call": "destroy" }"#],
        "/call: a promise of a tensor has no call \"destroy\"; it has none",
    );
    assert_last(
        &[r#"{ "on": "t", "call": "destroy", "pending": true }"#],
        "/pending: destroy gives no promise; drop `pending`",
    );
    assert_last(
        &[r#"{ "let": ["a", "b"], "on": "context", "call": "listGraphs" }"#],
        "/let: listGraphs gives one result, and not 2",
    );
}

/// An operator that takes one operand and gives one.
static RELU: LazyLock<Signature> = LazyLock::new(|| Signature {
    parameters: vec![Parameter::required("input", ArgumentKind::OPERAND)],
    gives: Gives::Operands(1),
});

#[test]
fn what_gives_one_operand_has_one_name() {
    let signature = |name: &str| (name == "relu").then(|| &*RELU);
    let load = |members: String| {
        let json = format!(r#"{{ "source": "s", "tests": [ {{ "name": "n", {members} }} ] }}"#);
        let loaded = Loader::with_signatures(&signature).text("f.json", "f", json.as_bytes());
        loaded.map(drop).map_err(|error| error.to_string())
    };
    let graph = |outputs: &str| {
        load(format!(
            r#""graph": {{ "inputs": {{ "x": {{ {DESCRIPTOR}, "data": [1, 1] }} }},
            "operators": [ {{ "name": "relu", "arguments": [ {{ "input": "x" }} ], "outputs": {outputs} }} ],
            "expectedOutputs": {{ "y": {{ {DESCRIPTOR}, "data": [1, 1] }} }} }}"#
        ))
    };
    let scenario = |names: &str| {
        load(format!(
            r#""scenario": [ {CONTEXT}, {{ "let": "b", "call": "MLGraphBuilder", "arguments": {{ "context": "context" }} }},
            {{ "let": "x", "on": "b", "call": "input", "arguments": {{ "name": "x", {DESCRIPTOR} }} }},
            {{ "let": {names}, "on": "b", "call": "relu", "arguments": {{ "input": "x" }} }} ]"#
        ))
    };
    for names in [r#""y""#, r#"["y"]"#] {
        graph(names).unwrap();
        scenario(names).unwrap();
    }
    let two = r#"["y", "z"]"#;
    assert!(
        graph(two).unwrap_err().ends_with("at /tests/0/graph/operators/0/outputs: relu gives one result, and not 2")
    );
    assert!(scenario(two).unwrap_err().ends_with("at /tests/0/scenario/3/let: relu gives one result, and not 2"));
}

/// Operators that give lists, in each of the ways.
fn of_lists(name: &str) -> Option<&'static Signature> {
    static LISTS: LazyLock<[(&str, Signature); 3]> = LazyLock::new(|| {
        let input = || Parameter::required("input", ArgumentKind::OPERAND);
        let option = Parameter::optional("all", ArgumentKind::Boolean);
        let options = Parameter::optional("options", ArgumentKind::Members(vec![option]));
        let parts = Parameter::required(
            "parts",
            ArgumentKind::Either(ArgumentKind::WHOLE.into(), ArgumentKind::List(ArgumentKind::WHOLE.into()).into()),
        );
        [
            ("pair", Signature { parameters: vec![input()], gives: Gives::Operands(2) }),
            ("steps", Signature { parameters: vec![input(), options], gives: Gives::OneMoreWhere(1, "all") }),
            ("cut", Signature { parameters: vec![input(), parts], gives: Gives::AsManyAs("parts") }),
        ]
    });
    LISTS.iter().find(|(known, _)| *known == name).map(|(_, signature)| signature)
}

#[test]
fn what_gives_a_list_has_a_name_for_each() {
    let load = |members: String| {
        let json = format!(r#"{{ "source": "s", "tests": [ {{ "name": "n", {members} }} ] }}"#);
        let loaded = Loader::with_signatures(&of_lists).text("f.json", "f", json.as_bytes());
        loaded.map(drop).map_err(|error| error.to_string().replace("f.json: \"n\" at /tests/0", ""))
    };
    let names = |count: usize| (0..count).map(|name| format!("\"y{name}\"")).collect::<Vec<_>>().join(", ");
    let graph = |name: &str, more: &str, count: usize, throws: &str| {
        let more = if more.is_empty() { String::new() } else { format!(", {{ {more} }}") };
        let expected = format!(r#", "expectedOutputs": {{ "y0": {{ {DESCRIPTOR}, "data": 1 }} }}"#);
        let expected = if throws.is_empty() { expected.as_str() } else { "" };
        load(format!(
            r#""graph": {{ "inputs": {{ "x": {{ {DESCRIPTOR}, "data": 1 }} }}, "operators": [
            {{ "name": "{name}", "arguments": [ {{ "input": "x" }} {more} ], "outputs": [{}] }} ] {expected} }} {throws}"#,
            names(count)
        ))
    };
    let scenario = |name: &str, more: &str, binding: &str, throws: &str| {
        let more = if more.is_empty() { String::new() } else { format!(", {more}") };
        load(format!(
            r#""scenario": [ {CONTEXT}, {{ "let": "b", "call": "MLGraphBuilder", "arguments": {{ "context": "context" }} }},
            {{ "let": "x", "on": "b", "call": "input", "arguments": {{ "name": "x", {DESCRIPTOR} }} }},
            {{ {binding} "on": "b", "call": "{name}", "arguments": {{ "input": "x" {more} }} {throws} }} ]"#
        ))
    };
    let throws = r#", "throws": { "name": "TypeError" }"#;
    let cases = [
        ("pair", "", 2),
        ("steps", "", 1),
        ("steps", r#""options": {}"#, 1),
        ("steps", r#""options": { "all": false }"#, 1),
        ("steps", r#""options": { "all": true }"#, 2),
        ("cut", r#""parts": 3"#, 3),
        ("cut", r#""parts": [2, 2]"#, 2),
    ];
    for (name, more, count) in cases {
        for named in 1..=4 {
            let binding = format!(r#""let": [{}],"#, names(named));
            let found = [graph(name, more, named, ""), scenario(name, more, &binding, "")];
            if named == count {
                assert_eq!(found, [Ok(()), Ok(())], "{name} {more}");
                continue;
            }
            let problem = match count {
                1 => format!("{name} gives one result, and not {named}"),
                _ => format!("with these arguments {name} gives {count} results: name them all, and not {named}"),
            };
            let places = ["/graph/operators/0/outputs", "/scenario/3/let"];
            assert_eq!(found, places.map(|place| Err(format!("{place}: {problem}"))), "{name} {more}");
        }
        // Nobody has to name them, and where the call is refused nobody knows how many there would be.
        scenario(name, more, "", "").unwrap();
    }
    for named in 1..=3 {
        graph("cut", r#""parts": 0"#, named, throws).unwrap();
        scenario("cut", r#""parts": 0"#, &format!(r#""let": [{}],"#, names(named)), throws).unwrap();
    }
    assert!(graph("cut", r#""parts": 0"#, 1, "").unwrap_err().contains("cut gives 0 results"));
}

#[test]
fn operators_are_checked_as_in_a_graph() {
    let signature = |name: &str| (name == "relu").then(|| &*RELU);
    let check = |arguments: &str, throws: &str| {
        let json = format!(
            r#"{{ "source": "s", "tests": [ {{ "name": "n", "scenario": [ {CONTEXT},
            {{ "let": "b", "call": "MLGraphBuilder", "arguments": {{ "context": "context" }} }},
            {{ "let": "x", "on": "b", "call": "input", "arguments": {{ "name": "x", {DESCRIPTOR} }} }},
            {{ "on": "b", "call": "relu", "arguments": {{ {arguments} }} {throws} }} ] }} ] }}"#
        );
        let loaded = Loader::with_signatures(&signature).text("f.json", "f", json.as_bytes());
        loaded
            .map(drop)
            .map_err(|error| error.to_string().replace("f.json: \"n\" at /tests/0/scenario/3/arguments", ""))
    };
    check(r#""input": "x""#, "").unwrap();
    assert_eq!(check(r#""inptu": "x""#, "").unwrap_err(), "/inptu: relu has no parameter \"inptu\"; it has input");
    let other = "/input: \"input\" of relu has to be the name of an operand, not \"b\", which is a builder";
    assert_eq!(check(r#""input": "b""#, "").unwrap_err(), other);
    assert_eq!(check("", "").unwrap_err(), ": relu needs \"input\": the name of an operand");
    let web_idl = r#", "throws": { "name": "TypeError", "at": { "algorithm": "Web IDL", "step": "conversion" } }"#;
    for on_purpose in ["", r#""input": "b""#, r#""input": 1"#] {
        check(on_purpose, web_idl).unwrap();
    }
}

#[test]
fn every_view_that_has_a_name_is_one() {
    for name in View::NAMES {
        let has_no_type = View::from_name(name).unwrap().element().is_none();
        let data_type = if has_no_type { r#", "dataType": "int8""# } else { "" };
        let source = format!(r#""view": "{name}", "data": [1] {data_type}"#);
        scenario(&format!(r#"{{ "let": "b", "call": "buffer", "arguments": {{ {source} }} }}"#)).unwrap();
    }
}
