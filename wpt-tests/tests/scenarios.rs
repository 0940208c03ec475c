//! Negative vectors and scenarios: what loads, and what does not.

use webnn_vectors::{BufferSource, ElementType, Kind, Loader, Value, Vector, View};

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
    assert_error(
        r#"{ "on": "context", "call": "dispach" }"#,
        "/1/call: \"dispach\" is neither an operator nor a call of scenarios; the README lists them",
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
        format!(r#"{{ "on": "context", "call": "writeTensor", "arguments": {{ "inputData": {{ {buffer} }} }} }}"#)
    };
    let assert_buffer = |buffer: &str, expected: &str| {
        assert_error(&write(buffer), &format!("/1/arguments/inputData: {expected}"));
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
}

#[test]
fn results_fit_the_call() {
    let step = |rest: &str| format!(r#"{{ "on": "context", "call": "readTensor", {rest} }}"#);
    let returns = format!(r#""returns": {{ {DESCRIPTOR}, "data": [1] }}"#);
    assert_error(&step(&returns), "/1/returns/data: 1 elements, but shape [2] holds 2");
    let both = format!(r#"{returns}, "throws": {{ "name": "TypeError" }}"#);
    assert_error(&step(&both), "/1/returns: a call that throws returns nothing; drop `throws` or `returns`");
    let pending = format!(r#"{returns}, "pending": true"#);
    let expected = "/1/returns: a pending call has no result yet; put `returns` on the step that awaits it";
    assert_error(&step(&pending), expected);
    let half = format!(r#""returns": {{ {DESCRIPTOR} }}"#);
    assert_error(&step(&half), "/1/returns: `returns` is either a `descriptor` with `data`, or a `value`");
}
