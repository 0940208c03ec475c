//! The smallest adapter: an implementation that has relu of float32, and nothing else. Start yours from it; see
//! `../../PROTOCOL.md`.
//!
//! ```text
//! cargo build --release --manifest-path harness/adapters/template-rust/Cargo.toml
//! webnn smoke cmd:harness/adapters/template-rust/target/release/template
//! webnn run -i reference -i cmd:harness/adapters/template-rust/target/release/template
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::io::{Write, stdin, stdout};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A tensor of float32: its elements, and its shape as the message has it.
type Tensor = (Vec<f32>, Value);

fn main() -> Result<()> {
    for line in stdin().lines() {
        let command: Value = serde_json::from_str(&line?)?;
        let answer = match command["command"].as_str() {
            Some("start") => ready(),
            Some("run") => match run(&command["vector"]["graph"]) {
                Ok(outputs) => json!({ "answer": "result", "seq": command["seq"], "outputs": outputs }),
                // Something broke here; had WebNN refused a call, the answer would be `exception`.
                Err(error) => json!({ "answer": "errored", "seq": command["seq"], "message": error.to_string() }),
            },
            _ => break,
        };
        writeln!(stdout(), "{answer}")?;
        stdout().flush()?;
    }
    Ok(())
}

fn ready() -> Value {
    json!({
        "answer": "ready", "protocol": 1, "name": "template", "version": env!("CARGO_PKG_VERSION"), "language": "Rust",
        "dataTypes": ["float32"], "operators": ["relu"],
        // What follows computes, and refuses nothing. An adapter of a WebNN implementation leaves this out, and answers
        // `exception`.
        "validation": false,
    })
}

/// The outputs of a graph. Here stands what your implementation does.
fn run(graph: &Value) -> Result<Value> {
    let mut operands: HashMap<&str, Tensor> = HashMap::new();
    for (name, input) in graph["inputs"].as_object().ok_or("the graph has no inputs")? {
        operands.insert(name, decoded(input)?);
    }
    // All of them are relu, for `ready` says that there is no other.
    for operator in graph["operators"].as_array().ok_or("the graph has no operators")? {
        let (elements, shape) = operand(&operands, &operator["arguments"]["input"]["$operand"])?;
        let output = operator["outputs"][0].as_str().ok_or("an operator without an output")?;
        let tensor = (relu(elements), shape.clone());
        operands.insert(output, tensor);
    }
    let mut outputs = Map::new();
    for name in graph["outputs"].as_array().ok_or("the graph has no outputs")? {
        outputs.insert(name.as_str().unwrap_or_default().to_owned(), encoded(operand(&operands, name)?));
    }
    Ok(Value::Object(outputs))
}

fn relu(elements: &[f32]) -> Vec<f32> {
    // So that NaN stays NaN.
    elements.iter().map(|&x| if x < 0.0 { 0.0 } else { x }).collect()
}

fn operand<'a>(operands: &'a HashMap<&str, Tensor>, name: &Value) -> Result<&'a Tensor> {
    let found = name.as_str().and_then(|name| operands.get(name));
    found.ok_or_else(|| format!("there is no operand {name}").into())
}

/// The elements of an input: `bytes` are little-endian, and repeated where there is `times`.
fn decoded(input: &Value) -> Result<Tensor> {
    let pattern = STANDARD.decode(input["bytes"].as_str().ok_or("an input without bytes")?)?;
    let times = usize::try_from(input["times"].as_u64().unwrap_or(1))?;
    let (elements, _) = pattern.as_chunks::<4>();
    let elements: Vec<f32> = elements.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    Ok((elements.repeat(times), input["shape"].clone()))
}

fn encoded((elements, shape): &Tensor) -> Value {
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    json!({ "dataType": "float32", "shape": shape, "bytes": STANDARD.encode(bytes) })
}
