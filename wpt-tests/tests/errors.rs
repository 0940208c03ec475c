//! Every kind of error names the file, the vector and the place, and says what to do.

use std::sync::LazyLock;

use webnn_vectors::{ArgumentKind, Gives, Loader, Parameter, Signature, VectorFile};

const OPERATORS: [&str; 3] = ["relu", "softmax", "add"];

/// The message for this text; what `Loader` accepts is a failure of the test.
fn error(json: &str) -> String {
    load(json).map(|file| panic!("loaded: {file:?}")).unwrap_err()
}

fn load(json: &str) -> Result<VectorFile, String> {
    let is_operator = |name: &str| OPERATORS.contains(&name);
    let file = Loader::with_operators(&is_operator).text("softmax.json", "softmax", json.as_bytes());
    file.map_err(|error| error.to_string())
}

/// A file with a good vector, and one with these members.
fn second(members: &str) -> String {
    format!(r#"{{ "source": "s", "tests": [ {}, {{ "name": "second", {members} }} ] }}"#, good("first"))
}

fn good(name: &str) -> String {
    format!(r#"{{ "name": "{name}", {} }}"#, graph(INPUTS, OPERATOR, OUTPUTS))
}

fn graph(inputs: &str, operators: &str, outputs: &str) -> String {
    format!(
        r#""graph": {{ "inputs": {{ {inputs} }}, "operators": [ {operators} ], "expectedOutputs": {{ {outputs} }} }}"#
    )
}

fn with_inputs(inputs: &str) -> String {
    second(&graph(inputs, OPERATOR, OUTPUTS))
}

fn with_operators(operators: &str) -> String {
    second(&graph(INPUTS, operators, OUTPUTS))
}

fn with_outputs(outputs: &str) -> String {
    second(&graph(INPUTS, OPERATOR, outputs))
}

const INPUTS: &str = r#""x": { "descriptor": { "dataType": "float32", "shape": [2] }, "data": [1, 2] }"#;
const OPERATOR: &str = r#"{ "name": "relu", "arguments": [ { "input": "x" } ], "outputs": "y" }"#;
const OUTPUTS: &str = r#""y": { "descriptor": { "dataType": "float32", "shape": [2] }, "data": [1, 2] }"#;

/// Asserts that the message is this one, after the file and the second vector's name.
#[track_caller]
fn assert_second(json: &str, expected: &str) {
    let message = error(json);
    let rest = message.strip_prefix("softmax.json: \"second\" at /tests/1").expect(&message);
    // The line and column of the parser are checked where they matter.
    let rest = rest.split(" (line ").next().unwrap();
    assert_eq!(rest, expected);
}

#[test]
fn json_syntax_has_line_and_column() {
    let message = error("{ \"source\": \"s\",\n  \"tests\": [ ] ]");
    assert_eq!(message, "softmax.json:2:16: not JSON: trailing comma".replace("trailing comma", "expected `,` or `}`"));
    assert_eq!(error("  \n"), "softmax.json: this is no file of vectors: it is empty");
    let marked = format!("\u{FEFF}{}", second(&graph(INPUTS, OPERATOR, OUTPUTS)));
    assert!(error(&marked).ends_with("it begins with a byte order mark; save it as UTF-8 without one"));
    assert!(error("{\"source\": \"s\", \"tests\": [").contains("not JSON: EOF while parsing a list"));
    let trailing = format!("{} x", second(&graph(INPUTS, OPERATOR, OUTPUTS)));
    assert!(error(&trailing).contains("not JSON: trailing characters"));
}

#[test]
fn unknown_members_are_typing_errors() {
    let message = error(&second(&format!(r#"{}, "tolerence": 1"#, graph(INPUTS, OPERATOR, OUTPUTS))));
    assert!(
        message.starts_with(r#"softmax.json: "second" at /tests/1/tolerence: unknown field `tolerence`, expected"#)
    );
    let inputs = INPUTS.replace("shape", "dimensions");
    assert_second(
        &with_inputs(&inputs),
        "/graph/inputs/x/descriptor/dimensions: unknown field `dimensions`, expected `dataType` or `shape`",
    );
    let message = error(r#"{ "source": "s", "test": [] }"#);
    assert!(message.starts_with("softmax.json: at /test: unknown field `test`"), "{message}");
}

#[test]
fn missing_members_are_named() {
    let inputs = r#""x": { "descriptor": { "dataType": "float32", "shape": [2] } }"#;
    assert_second(&with_inputs(inputs), "/graph/inputs/x: missing field `data`");
    let outputs = OUTPUTS.replace("\"data\"", r#""tolerance": { "metricType": "ULP" }, "data""#);
    assert_second(&with_outputs(&outputs), "/graph/expectedOutputs/y/tolerance: missing field `value`");
    let message = error(r#"{ "source": "s", "tests": [ { "graph": { "inputs": {}, "operators": [] } } ] }"#);
    assert_eq!(
        message,
        "softmax.json: at /tests/0: the vector has no name; add a `name` that is unique within the file"
    );
}

#[test]
fn wrong_types_have_their_place() {
    let inputs = INPUTS.replace("[1, 2]", r#"[1, "two"]"#);
    let message = error(&with_inputs(&inputs));
    let start =
        r#"softmax.json: "second" at /tests/1/graph/inputs/x/data/1: invalid value: string "two", expected a number"#;
    assert!(message.starts_with(start), "{message}");
    assert!(message.contains("(line 1, column "), "{message}");
    let inputs = INPUTS.replace("float32", "flaot32");
    assert!(error(&with_inputs(&inputs)).contains("x/descriptor/dataType: unknown variant `flaot32`"));
    let inputs = INPUTS.replace("[2]", "[-2]");
    assert!(error(&with_inputs(&inputs)).contains("descriptor/shape/0: invalid value: integer `-2`"));
    let message = error(&second(&format!(r#"{}, "throws": null"#, graph(INPUTS, OPERATOR, OUTPUTS))));
    assert!(message.contains("at /tests/1/throws: invalid type: null"), "{message}");
}

#[test]
fn pointers_escape_names() {
    let inputs = INPUTS.replace("\"x\"", "\"a/b~c\"").replace("[1, 2]", "[1]");
    let expected = "/graph/inputs/a~1b~0c/data: 1 elements, but shape [2] holds 2";
    assert_second(&with_inputs(&inputs), expected);
}

#[test]
fn element_counts_have_to_match() {
    let data = vec!["0"; 23].join(", ");
    let inputs = INPUTS.replace("[2]", "[4, 6]").replace("[1, 2]", &format!("[{data}]"));
    assert_second(&with_inputs(&inputs), "/graph/inputs/x/data: 23 elements, but shape [4, 6] holds 24");
    let outputs = OUTPUTS.replace("[1, 2]", r#"{ "$repeat": [1], "times": 3 }"#);
    assert_second(&with_outputs(&outputs), "/graph/expectedOutputs/y/data: 3 elements, but shape [2] holds 2");
}

#[test]
fn elements_have_to_fit_their_type() {
    let inputs = INPUTS.replace("float32", "int8").replace("[1, 2]", "[1, 200]");
    let expected = "/graph/inputs/x/data: element 1 is 200, outside the range of int8 (-128 to 127)";
    assert_second(&with_inputs(&inputs), expected);
    let inputs = INPUTS.replace("float32", "uint64").replace("[1, 2]", r#"[1, "18446744073709551616"]"#);
    assert!(error(&with_inputs(&inputs)).contains("outside the range of uint64 (0 to 18446744073709551615)"));
}

#[test]
fn a_number_that_would_be_an_infinity_of_its_type_is_refused() {
    let hint = "it would be an infinity; if that is meant, write \"Infinity\" or \"-Infinity\"";
    for (data_type, number, range) in [
        ("float16", "70000", "70000, beyond the range of float16 (to 65504)"),
        ("float16", "-65520", "-65520, beyond the range of float16 (to 65504)"),
        ("float16", "\"100000\"", "100000, beyond the range of float16 (to 65504)"),
        ("float32", "1e39", "1e39, beyond the range of float32 (to 3.4028235e38)"),
        ("float32", "-3.4028235677973366e38", "-3.4028235677973366e38, beyond the range of float32 (to 3.4028235e38)"),
    ] {
        let of = |text: &str| text.replace("float32", data_type).replace("[1, 2]", &format!("[1, {number}]"));
        assert_second(&with_inputs(&of(INPUTS)), &format!("/graph/inputs/x/data: element 1 is {range}: {hint}"));
        assert_second(
            &with_outputs(&of(OUTPUTS)),
            &format!("/graph/expectedOutputs/y/data: element 1 is {range}: {hint}"),
        );
        // Data of web-platform-tests are what script gives to its arrays.
        let of_script = with_inputs(&of(INPUTS)).replace("\"second\",", "\"second\", \"required\": true,");
        load(&of_script).unwrap();
    }
    for (data_type, number) in [
        ("float32", "3.4028235677973362e38"),
        ("float32", "1e-50"),
        ("float32", "\"Infinity\""),
        ("float16", "65519.99"),
        ("float16", "1e-9"),
        ("float16", "\"-Infinity\""),
        ("float16", "\"NaN\""),
    ] {
        let of = |text: &str| text.replace("float32", data_type).replace("[1, 2]", &format!("[1, {number}]"));
        load(&with_inputs(&of(INPUTS))).unwrap();
        load(&with_outputs(&of(OUTPUTS))).unwrap();
    }
}

#[test]
fn sizes_have_to_be_possible() {
    let zero = INPUTS.replace("[2]", "[2, 0]").replace("[1, 2]", "[]");
    let expected = "/graph/inputs/x/descriptor: shape [2, 0] has a dimension of zero; such a graph cannot be built: \
                    give the vector `throws`";
    assert_second(&with_inputs(&zero), expected);
    let huge = INPUTS.replace("[2]", "[4294967295, 4294967295, 4294967295]").replace("[1, 2]", "0");
    let expected = "/graph/inputs/x/descriptor: float32 [4294967295, 4294967295, 4294967295] is more than 4 GiB; \
                    only a negative vector may have such a shape";
    assert_second(&with_inputs(&huge), expected);
}

#[test]
fn names_are_made_once() {
    let twice = format!("{INPUTS}, {INPUTS}");
    assert!(error(&with_inputs(&twice)).contains("the name \"x\" is used twice in one object; rename one"));
    let twice = format!("{OUTPUTS}, {OUTPUTS}");
    assert!(error(&with_outputs(&twice)).contains("the name \"y\" is used twice in one object; rename one"));
    let same = format!("{OPERATOR}, {OPERATOR}");
    let expected = "/graph/operators/1/outputs: the name \"y\" is used twice; rename one";
    assert_second(&with_operators(&same), expected);
    let input = OPERATOR.replace("\"y\"", "[\"z\", \"x\"]");
    let expected = "/graph/operators/0/outputs: the name \"x\" is used twice; rename one";
    assert_second(&with_operators(&input), expected);
    let options = OPERATOR.replace("{ \"input\": \"x\" }", r#"{ "options": { "axis": 1, "axis": 2 } }"#);
    assert!(error(&with_operators(&options)).contains("/arguments/0/options"));
}

#[test]
fn expected_outputs_exist() {
    let expected = "/graph/expectedOutputs/z: no operator has the output \"z\"; the outputs are \"y\"";
    assert_second(&with_outputs(&OUTPUTS.replace("\"y\"", "\"z\"")), expected);
}

#[test]
fn operators_exist() {
    let expected =
        "/graph/operators/0/name: \"sofmax\" is not an operator; the names are those of MLGraphBuilder's methods";
    assert_second(&with_operators(&OPERATOR.replace("relu", "sofmax")), expected);
}

#[test]
fn arguments_are_objects_with_members() {
    let empty = OPERATOR.replace("{ \"input\": \"x\" }", "{}");
    let expected = "/graph/operators/0/arguments/0: invalid length 0, expected an argument: an object of one member, \
                    such as {\"axis\": 1}";
    assert_second(&with_operators(&empty), expected);
    let bare = OPERATOR.replace("{ \"input\": \"x\" }", "\"x\"");
    let expected = "/graph/operators/0/arguments/0: invalid type: string \"x\", expected an argument: an object of one \
                    member, such as {\"axis\": 1}";
    assert_second(&with_operators(&bare), expected);
    let twice = OPERATOR.replace("{ \"input\": \"x\" }", r#"{ "input": "x" }, { "input": "x" }"#);
    assert!(error(&with_operators(&twice)).contains("the argument \"input\" is given twice; drop one"));
    let tag = OPERATOR.replace("{ \"input\": \"x\" }", r#"{ "minValue": { "$nan": 1 } }"#);
    assert!(error(&with_operators(&tag)).contains("unknown tag \"$nan\": the tags are $num, $bigint and $repeat"));
    let none = OPERATOR.replace("\"y\"", "[]");
    assert!(error(&with_operators(&none)).contains("invalid length 0, expected a name or a list of names"));
}

#[test]
fn tolerances_are_distances() {
    let tolerance = r#", "tolerance": { "metricType": "ULP", "value": -1 }"#;
    let json = second(&format!("{}{tolerance}", graph(INPUTS, OPERATOR, OUTPUTS)));
    assert_second(&json, "/tolerance: a tolerance is a finite number, not negative, or null for exact: -1");
}

#[test]
fn a_file_has_vectors_of_different_names() {
    let message = error(r#"{ "source": "s", "tests": [] }"#);
    assert_eq!(message, "softmax.json: at /tests: the list of tests is empty; add a vector or delete the file");
    let twice = format!(r#"{{ "source": "s", "tests": [ {}, {} ] }}"#, good("second"), good("second"));
    assert_second(&twice, "/name: the vector at /tests/0 has this name too; rename one");
}

#[test]
fn a_vector_is_of_one_kind() {
    let graph = graph(INPUTS, OPERATOR, OUTPUTS);
    let throws = r#""throws": { "name": "TypeError" }"#;
    let mixed = |a: &str, b: &str| format!(": {a} and {b} cannot stand in one vector; keep one of them");
    assert_second(&second(&format!("{graph}, {throws}")), &mixed("`throws`", "`expectedOutputs`"));
    let scenario = r#""scenario": []"#;
    assert_second(&second(&format!("{graph}, {scenario}")), &mixed("`scenario`", "`graph`"));
    let of_a_step = "`throws` (which belongs to a step)";
    assert_second(&second(&format!("{throws}, {scenario}")), &mixed("`scenario`", of_a_step));
    let tolerance = r#""tolerance": { "metricType": "ULP", "value": 1 }"#;
    assert_second(&second(&format!("{scenario}, {tolerance}")), &mixed("`scenario`", "`tolerance`"));
    assert_second(&second(throws), ": the vector has neither `graph` nor `scenario`; add one");
    let bare = r#""graph": { "inputs": {}, "operators": [] }"#;
    let expected = ": the graph has no `expectedOutputs`; add them, or `throws` if it cannot be built";
    assert_second(&second(bare), expected);
    let empty = second(&graph.replace(OUTPUTS, ""));
    assert!(error(&empty).contains("/graph/expectedOutputs: an empty object; fill it or leave it out"));
    let unknown = second(r#""graph": { "inputs": {}, "operators": [] }, "throws": { "name": "RangeError" }"#);
    assert!(error(&unknown).contains("/tests/1/throws/name: unknown variant `RangeError`"));
}

#[test]
fn a_list_is_no_object() {
    assert!(error("[]").starts_with("softmax.json: at /: invalid type: list, expected an object"), "{}", error("[]"));
    let inputs = INPUTS.replace(r#"{ "dataType": "float32", "shape": [2] }"#, r#"["float32", [2]]"#);
    assert_second(&with_inputs(&inputs), "/graph/inputs/x/descriptor: invalid type: list, expected an object");
    assert_second(&second(r#""graph": []"#), "/graph: invalid type: list, expected an object");
}

/// The operators of these tests, with what they take.
fn signature(name: &str) -> Option<&'static Signature> {
    static SIGNATURES: LazyLock<Vec<(&str, Signature)>> = LazyLock::new(|| {
        let input = || Parameter::required("input", ArgumentKind::OPERAND);
        let label = || Parameter::optional("label", ArgumentKind::Text);
        let options = |members| Parameter::optional("options", ArgumentKind::Members(members));
        let axes = ArgumentKind::List(ArgumentKind::WHOLE.into());
        let mode = ArgumentKind::OneOf(vec!["linear", "nearest"]);
        let resampling = vec![
            label(),
            Parameter::optional("axes", axes),
            Parameter::optional("mode", mode),
            Parameter::optional("exact", ArgumentKind::Boolean),
            Parameter::optional("scale", ArgumentKind::Double),
        ];
        let axis = Parameter { also: Some("dimension"), ..Parameter::required("axis", ArgumentKind::WHOLE) };
        vec![
            ("relu", Signature { parameters: vec![input(), options(vec![label()])], gives: Gives::Operands(1) }),
            (
                "softmax",
                Signature { parameters: vec![input(), axis, options(vec![label()])], gives: Gives::Operands(1) },
            ),
            ("resample", Signature { parameters: vec![input(), options(resampling)], gives: Gives::Operands(1) }),
        ]
    });
    SIGNATURES.iter().find(|(known, _)| *known == name).map(|(_, signature)| signature)
}

/// Loads the second vector with this operator, and with what it throws in place of outputs.
fn checked(name: &str, arguments: &str, throws: Option<&str>) -> Result<VectorFile, String> {
    let operator = format!(r#"{{ "name": "{name}", "arguments": [ {arguments} ], "outputs": "y" }}"#);
    let json = match throws {
        None => with_operators(&operator),
        Some(throws) => second(&format!(
            r#""graph": {{ "inputs": {{ {INPUTS} }}, "operators": [ {operator} ] }}, "throws": {{ {throws} }}"#
        )),
    };
    let file = Loader::with_signatures(&signature).text("f.json", "f", json.as_bytes());
    file.map_err(|error| error.to_string().replace("f.json: \"second\" at /tests/1/graph/operators/0/arguments", ""))
}

#[test]
fn arguments_are_those_of_the_method_and_operands_exist() {
    let refused = |name: &str, arguments: &str| checked(name, arguments, None).map(drop).unwrap_err();
    let misspelt = "/0/inptu: relu has no parameter \"inptu\"; it has input, options";
    assert_eq!(refused("relu", r#"{ "inptu": "x" }"#), misspelt);
    let unknown =
        "/0/input: there is no operand \"z\" here; an operand is an input, or an output of an operator before";
    assert_eq!(refused("relu", r#"{ "input": "z" }"#), unknown);
    let order = "/0/axis: softmax takes its arguments in the order input, axis, options";
    assert_eq!(refused("softmax", r#"{ "axis": 0 }, { "input": "x" }"#), order);
    assert_eq!(refused("softmax", r#"{ "input": "x" }"#), ": softmax needs \"axis\": a whole number");
    assert!(checked("rleu", "", None).unwrap_err().contains("\"rleu\" is not an operator"));
    for good in [r#"{ "axis": 0 }"#, r#"{ "dimension": -1 }, { "options": { "label": "x" } }"#] {
        checked("softmax", &format!(r#"{{ "input": "x" }}, {good}"#), None).unwrap();
    }
}

#[test]
fn options_have_members_of_the_method_s_and_values_of_their_kinds() {
    let refused = |options: &str| {
        let arguments = format!(r#"{{ "input": "x" }}, {{ "options": {options} }}"#);
        let message = checked("resample", &arguments, None).map(drop).unwrap_err();
        message.strip_prefix("/1/options").expect(&message).to_owned()
    };
    let misspelt = "/lable: \"options\" of resample has no member \"lable\"; it has label, axes, mode, exact, scale";
    assert_eq!(refused(r#"{ "lable": "l" }"#), misspelt);
    let of_resample = |name: &str, expected: &str| format!("{name:?} of resample has to be {expected}");
    let cases = [
        (r#"{ "label": 1 }"#, "/label: ", of_resample("label", "a string, not 1")),
        (r#"{ "axes": 1 }"#, "/axes: ", of_resample("axes", "a list, not 1")),
        (r#"{ "axes": [0, 0.5] }"#, "/axes/1: ", of_resample("axes[1]", "a whole number, not 0.5")),
        (r#"{ "axes": ["0"] }"#, "/axes/0: ", of_resample("axes[0]", "a whole number, not \"0\"")),
        (r#"{ "mode": "linaer" }"#, "/mode: ", of_resample("mode", "one of \"linear\", \"nearest\", not \"linaer\"")),
        (r#"{ "exact": "yes" }"#, "/exact: ", of_resample("exact", "true or false, not \"yes\"")),
        (r#"{ "exact": null }"#, "/exact: ", of_resample("exact", "true or false, not null")),
        (r#"{ "scale": {} }"#, "/scale: ", of_resample("scale", "a number, not an object")),
        ("[]", ": ", of_resample("options", "an object of label, axes, mode, exact, scale, not a list")),
    ];
    for (options, place, expected) in cases {
        assert_eq!(refused(options), format!("{place}{expected}"));
    }
}

#[test]
fn only_where_web_idl_throws_may_a_value_be_of_another_kind() {
    let web_idl = r#""name": "TypeError", "at": { "algorithm": "Web IDL", "step": "conversion" }"#;
    let step =
        r#""name": "TypeError", "at": { "algorithm": "MLGraphBuilder.softmax(input, axis, options)", "step": "4" }"#;
    for wrong in [r#"{ "input": 1 }, { "axis": 0 }"#, r#"{ "input": "x" }, { "axis": true }"#, r#"{ "input": "x" }"#] {
        checked("softmax", wrong, Some(web_idl)).unwrap();
        checked("softmax", wrong, Some(step)).unwrap_err();
    }
    // A name that there is not is a mistake here too.
    checked("softmax", r#"{ "input": "x" }, { "axsi": true }"#, Some(web_idl)).unwrap_err();
}
