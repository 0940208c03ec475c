//! No text makes the loader panic.

use proptest::prelude::*;
use webnn_vectors::Loader;

/// A file that has everything.
const FILE: &str = r#"{ "source": "worked example", "section": "softmax", "tests": [
  { "name": "graph é", "required": true, "tolerance": { "metricType": "ULP", "value": 1 },
    "graph": {
      "inputs": {
        "x": { "descriptor": { "dataType": "int64", "shape": [2, 2] }, "constant": true, "data": ["1n", "2", -3, 4.0] },
        "w": { "descriptor": { "dataType": "float16", "shape": [4] }, "data": { "$repeat": ["NaN", 1e3], "times": 2 } } },
      "operators": [ { "name": "clamp", "outputs": ["y"],
        "arguments": [ { "input": "x" }, null, { "options": { "minValue": { "$bigint": "-5" }, "maxValue": { "$num": "Infinity" } } } ] } ],
      "expectedOutputs": { "y": { "descriptor": { "dataType": "int64", "shape": [2, 2] }, "data": 9007199254740993 } } } },
  { "name": "negative", "literal": { "issue": "id", "outcome": "passes" }, "implementationDefined": "open",
    "graph": { "inputs": { "x": { "descriptor": { "dataType": "uint8", "shape": [4294967295, 4294967295, 0] }, "data": 0 } },
               "operators": [] },
    "throws": { "name": "TypeError", "at": { "algorithm": "a", "step": "1.2" } } },
  { "name": "scenario", "scenario": [
      { "let": "c", "call": "createContext" },
      { "let": "t", "on": "c", "call": "createTensor", "arguments": { "descriptor": { "dataType": "int8", "shape": [] } } },
      { "let": ["p"], "on": "c", "call": "readTensor", "arguments": { "tensor": "t" }, "pending": true, "note": "n" },
      { "let": "b", "call": "buffer", "arguments": { "view": "DataView", "dataType": "int8", "data": [1, -1] } },
      { "on": "c", "call": "writeTensor", "arguments": { "tensor": "t", "inputData": { "view": "Int16Array", "data": 5, "length": 3 } } },
      { "call": "await", "arguments": { "promise": "p" },
        "returns": { "descriptor": { "dataType": "int8", "shape": [] }, "data": [1] } } ] } ] }"#;

fn load(json: &[u8]) -> bool {
    match Loader::with_operators(&|name| name == "clamp").text("f.json", "f", json) {
        Ok(file) => file.vectors.iter().all(|vector| serde_json::to_string(vector).is_ok()),
        Err(error) => error.to_string().is_empty(),
    }
}

#[test]
fn the_file_is_good() {
    assert_eq!(
        Loader::with_operators(&|name| name == "clamp")
            .text("f", "f", FILE.as_bytes())
            .map(drop)
            .err()
            .map(|e| e.to_string()),
        None
    );
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    for length in 0..FILE.len() {
        assert!(!load(&FILE.as_bytes()[..length]), "{length} bytes loaded");
    }
}

#[test]
fn every_byte_may_be_any_of_the_bytes_that_matter() {
    let mut json = FILE.as_bytes().to_vec();
    for position in 0..json.len() {
        let original = json[position];
        for byte in *b"\"{}[],:09-en\\\0\xFF" {
            json[position] = byte;
            load(&json);
        }
        json[position] = original;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutations_never_panic(mutations in prop::collection::vec((0..FILE.len(), any::<u8>()), 1..8)) {
        let mut json = FILE.as_bytes().to_vec();
        for (position, byte) in mutations {
            json[position] = byte;
        }
        load(&json);
    }

    #[test]
    fn splices_never_panic(from in 0..FILE.len(), length in 0usize..200, to in 0..FILE.len()) {
        let source = FILE.as_bytes();
        let piece = &source[from..source.len().min(from + length)];
        load(&[&source[..to], piece, &source[to..]].concat());
    }

    #[test]
    fn nesting_never_overflows_the_stack(depth in 1usize..20_000) {
        let json = format!(
            r#"{{ "source": "s", "tests": [ {{ "name": "n", "scenario": [ {{ "call": "c", "arguments": {{ "a": {} }} }} ] }} ] }}"#,
            "[".repeat(depth)
        );
        load(json.as_bytes());
    }
}
