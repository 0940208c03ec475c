//! Vectors as JavaScript: the object that web-platform-tests has for a test of a graph.

use std::collections::HashMap;
use std::fmt::Write as _;

use webnn_vectors::{Data, DataType, Descriptor, Graph, Input, Names, Number, Operator, Value};

/// A graph as `{inputs, operators, expectedOutputs}`.
pub(crate) fn graph(graph: &Graph) -> String {
    let inputs = graph.inputs.iter().map(|(name, input)| member(name, &self::input(input)));
    let operators = graph.operators.iter().map(|operator| self::operator(operator, graph));
    let outputs = graph
        .expected_outputs
        .iter()
        .map(|(name, output)| member(name, &with_data(&output.descriptor, &output.data, "")));
    format!(
        "{{\n'inputs': {},\n'operators': {},\n'expectedOutputs': {}\n}}",
        object(inputs),
        list(operators),
        object(outputs)
    )
}

/// The calls that make a graph on `builder`, each as a statement; `variables` has a name for each operand.
pub(crate) fn calls(graph: &Graph, variables: &HashMap<&str, String>) -> Vec<String> {
    let inputs = graph.inputs.iter().map(|(name, input)| {
        let shape = list(input.descriptor.shape.iter().map(ToString::to_string));
        let data_type = input.descriptor.data_type.name();
        let descriptor = format!("{{dataType: '{data_type}', shape: {shape}}}");
        let variable = &variables[name.as_str()];
        if input.constant {
            // What is refused is refused whatever the data are.
            let bytes = input.descriptor.byte_length().unwrap_or_default();
            format!("const {variable} = builder.constant({descriptor}, new ArrayBuffer({bytes}));")
        } else {
            format!("const {variable} = builder.input({}, {descriptor});", string(name))
        }
    });
    let operators = graph.operators.iter().map(|operator| {
        let arguments =
            operator.arguments.iter().map(|argument| called_with(&argument.name, &argument.value, graph, variables));
        let names: Vec<&str> =
            operator.outputs.as_slice().iter().map(|name| variables[name.as_str()].as_str()).collect();
        let result = match &operator.outputs {
            Names::One(_) => names.concat(),
            Names::Several(_) => format!("[{}]", names.join(", ")),
        };
        format!("const {result} = builder.{}({});", operator.name, arguments.collect::<Vec<_>>().join(", "))
    });
    inputs.chain(operators).collect()
}

/// A value given for `name`, in which operands are variables.
fn called_with(name: &str, given: &Value, graph: &Graph, variables: &HashMap<&str, String>) -> String {
    match given {
        Value::String(text) if name != "label" && is_operand(text, graph) => variables[text.as_str()].clone(),
        Value::List(items) => list(items.iter().map(|item| called_with(name, item, graph, variables))),
        Value::Object(members) => {
            object(members.iter().map(|(name, item)| member(name, &called_with(name, item, graph, variables))))
        }
        other => value(name, other, graph),
    }
}

/// A string.
pub(crate) fn string(text: &str) -> String {
    let mut literal = String::from("'");
    for character in text.chars() {
        match character {
            '\'' | '\\' => {
                literal.push('\\');
                literal.push(character);
            }
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(literal, "\\u{{{:x}}}", u32::from(c));
            }
            c => literal.push(c),
        }
    }
    literal.push('\'');
    literal
}

pub(crate) fn member(name: &str, value: &str) -> String {
    format!("{}: {value}", string(name))
}

pub(crate) fn object(members: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn input(input: &Input) -> String {
    with_data(&input.descriptor, &input.data, if input.constant { ", 'constant': true" } else { "" })
}

fn with_data(descriptor: &Descriptor, data: &Data, rest: &str) -> String {
    let shape = descriptor.shape.iter().map(ToString::to_string);
    format!(
        "{{\n'data': {},\n'descriptor': {{shape: {}, dataType: '{}'}}{rest}\n}}",
        self::data(descriptor, data),
        list(shape),
        descriptor.data_type.name()
    )
}

fn data(descriptor: &Descriptor, data: &Data) -> String {
    let of_type = |number: Number| element(number, descriptor.data_type);
    match data {
        // One number stands for every element, where there are several.
        Data::Fill(number) if descriptor.element_count() != Some(1) => of_type(*number),
        _ => list(data.elements(descriptor.element_count().unwrap_or_default()).map(of_type)),
    }
}

/// An element of a tensor: the elements of 64-bit integers are bigints.
fn element(number: Number, data_type: DataType) -> String {
    match (number.to_integer(), data_type) {
        (Some(integer), DataType::Int64 | DataType::Uint64) => format!("{integer}n"),
        _ => self::number(number),
    }
}

/// A number. An integer that no double holds is a bigint.
pub(crate) fn number(number: Number) -> String {
    match number {
        Number::Integer(integer) if integer.unsigned_abs() > 1 << 53 => format!("{integer}n"),
        Number::Integer(integer) => integer.to_string(),
        Number::Float(0.0) => format!("{:?}", number.to_f64()),
        // JavaScript has no other integers than these.
        Number::Float(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
        Number::Float(float) if float.is_nan() => "NaN".into(),
        Number::Float(float) if float.is_infinite() => if float > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        Number::Float(float) => format!("{float:?}"),
    }
}

fn operator(operator: &Operator, graph: &Graph) -> String {
    let arguments = operator.arguments.iter().map(|argument| {
        let value = value(&argument.name, &argument.value, graph);
        format!("{{{}}}", member(&argument.name, &value))
    });
    let outputs = match operator.outputs.as_slice() {
        [one] if matches!(operator.outputs, Names::One(_)) => string(one),
        several => list(several.iter().map(|name| string(name))),
    };
    format!("{{\n'name': '{}',\n'arguments': {},\n'outputs': {outputs}\n}}", operator.name, list(arguments))
}

/// A value given for `name`. A string that is no operand may be a number that JSON lacks.
fn value(name: &str, value: &Value, graph: &Graph) -> String {
    match value {
        Value::Null => "undefined".into(),
        Value::Boolean(boolean) => boolean.to_string(),
        Value::Number(number) => self::number(*number),
        Value::BigInt(integer) => format!("{integer}n"),
        Value::String(text) => match Number::from_text(text) {
            Some(number) if name != "label" && !is_operand(text, graph) => self::number(number),
            _ => string(text),
        },
        Value::List(items) => list(items.iter().map(|item| self::value(name, item, graph))),
        Value::Object(members) => {
            object(members.iter().map(|(name, item)| member(name, &self::value(name, item, graph))))
        }
    }
}

/// Whether an operand of the graph has this name.
pub(crate) fn is_operand(name: &str, graph: &Graph) -> bool {
    let outputs = || graph.operators.iter().flat_map(|operator| operator.outputs.as_slice());
    graph.inputs.contains_key(name) || outputs().any(|output| output == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_javascript() {
        assert_eq!(number(Number::Float(-0.0)), "-0.0");
        assert_eq!(number(Number::Float(1e30)), "1e30");
        assert_eq!(number(Number::Float(-1e9)), "-1000000000");
        assert_eq!(number(Number::Integer(i128::from(u64::MAX))), "18446744073709551615n");
        assert_eq!(element(Number::Integer(3), DataType::Int64), "3n");
        assert_eq!(string("it's\n\u{202e}\\"), "'it\\'s\\u{a}\u{202e}\\\\'");
    }
}
