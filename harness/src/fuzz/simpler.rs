//! Simpler graphs than a given one: what a shrinker tries.
//!
//! Nothing here asks whether a graph is valid: the builder does, when it is tried.

use std::collections::{BTreeSet, HashSet};

use webnn_vectors::{Data, DataType, Descriptor, ExpectedOutput, Graph, Number, Value};

use super::elements::is_float;

/// How simple a graph is: the less, the simpler. What stands first counts most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Complexity {
    operators: usize,
    outputs: usize,
    elements: usize,
    ranks: usize,
    arguments: usize,
    numbers: usize,
    constants: usize,
}

impl Complexity {
    pub(crate) fn of(graph: &Graph) -> Self {
        let inputs = || graph.inputs.values();
        let of_data = |data: &Data| data.distinct().iter().map(|number| weight(*number)).sum::<usize>();
        let arguments = || graph.operators.iter().flat_map(|operator| &operator.arguments);
        Self {
            operators: graph.operators.len(),
            outputs: graph.expected_outputs.len(),
            elements: inputs().map(|input| input.descriptor.element_count().unwrap_or(0) as usize).sum(),
            ranks: inputs().map(|input| input.descriptor.shape.len()).sum(),
            arguments: arguments().map(|argument| weight_of_value(&argument.value)).sum(),
            numbers: inputs().map(|input| of_data(&input.data)).sum(),
            constants: inputs().filter(|input| input.constant).count(),
        }
    }
}

/// How much there is to read in a number.
fn weight(number: Number) -> usize {
    let float = number.to_f64();
    if float == 0.0 && float.is_sign_positive() { 0 } else { number.to_string().len() }
}

fn weight_of_value(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::Number(number) => 1 + weight(*number),
        Value::Boolean(_) | Value::BigInt(_) | Value::String(_) => 8,
        Value::List(items) => 8 + items.iter().map(weight_of_value).sum::<usize>(),
        Value::Object(members) => 8 + members.values().map(|member| 8 + weight_of_value(member)).sum::<usize>(),
    }
}

/// The graph with these outputs, and without what they do not depend on.
pub(crate) fn with_outputs(graph: &Graph, outputs: &[String]) -> Graph {
    let mut needed: HashSet<String> = outputs.iter().cloned().collect();
    let mut operators = Vec::new();
    for operator in graph.operators.iter().rev() {
        if operator.outputs.as_slice().iter().any(|output| needed.contains(output)) {
            needed.extend(operator.strings());
            operators.push(operator.clone());
        }
    }
    operators.reverse();
    let mut inputs = graph.inputs.clone();
    inputs.retain(|name, _| needed.contains(name));
    let unknown = ExpectedOutput {
        descriptor: Descriptor { data_type: DataType::Float32, shape: vec![] },
        tolerance: None,
        data: Data::Fill(Number::Integer(0)),
    };
    let expected_outputs = outputs.iter().map(|output| (output.clone(), unknown.clone())).collect();
    Graph { inputs, operators, expected_outputs }
}

/// One output alone, whichever, beginning with what the first operators give.
pub(crate) fn one_output(graph: &Graph) -> Vec<Graph> {
    graph.outputs().map(|output| with_outputs(graph, &[output.to_owned()])).collect()
}

fn pruned(graph: &Graph) -> Graph {
    let outputs: Vec<String> = graph.expected_outputs.keys().cloned().collect();
    with_outputs(graph, &outputs)
}

/// Inputs instead of constants.
pub(crate) fn inputs(graph: &Graph) -> Vec<Graph> {
    let mut all = graph.clone();
    all.inputs.values_mut().for_each(|input| input.constant = false);
    let one = |name: &String| {
        let mut graph = graph.clone();
        graph.inputs[name].constant = false;
        graph
    };
    std::iter::once(all).chain(graph.inputs.keys().map(one)).collect()
}

/// Fewer members of options, or simpler arguments.
pub(crate) fn arguments(graph: &Graph) -> Vec<Graph> {
    let mut simpler = Vec::new();
    for (at, operator) in graph.operators.iter().enumerate() {
        for (place, argument) in operator.arguments.iter().enumerate() {
            for value in simpler_values(&argument.value, argument.name == "options") {
                let mut graph = graph.clone();
                graph.operators[at].arguments[place].value = value;
                simpler.push(pruned(&graph));
            }
        }
    }
    simpler
}

fn simpler_values(value: &Value, are_options: bool) -> Vec<Value> {
    match value {
        Value::Number(_) => vec![0u32.into(), 1u32.into(), 2u32.into()],
        Value::BigInt(_) => vec![Value::BigInt(0), Value::BigInt(1)],
        Value::List(items) => replaced(items.iter().enumerate(), |place, item| {
            let mut items = items.clone();
            items[place] = item;
            Value::List(items)
        }),
        Value::Object(members) => {
            let without = |name: &String| {
                let mut members = members.clone();
                members.shift_remove(name);
                Value::Object(members)
            };
            let mut values: Vec<Value> = if are_options { members.keys().map(without).collect() } else { vec![] };
            values.extend(replaced(members.iter(), |name, member| {
                let mut members = members.clone();
                members.insert(name.clone(), member);
                Value::Object(members)
            }));
            values
        }
        Value::Null | Value::Boolean(_) | Value::String(_) => vec![],
    }
}

/// What comes of replacing each part by each of its simpler values.
fn replaced<'a, P: Copy>(
    parts: impl Iterator<Item = (P, &'a Value)>,
    replace: impl Fn(P, Value) -> Value,
) -> Vec<Value> {
    parts
        .flat_map(|(place, part)| simpler_values(part, false).into_iter().map(move |value| (place, value)))
        .map(|(place, value)| replace(place, value))
        .collect()
}

/// Smaller dimensions.
pub(crate) fn dimensions(graph: &Graph) -> Vec<Graph> {
    [End::First, End::Last].into_iter().flat_map(|kept| smaller_dimensions(graph, kept)).collect()
}

/// Which elements along an axis are kept where it becomes shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

fn smaller_dimensions(graph: &Graph, kept: End) -> Vec<Graph> {
    let mut simpler = Vec::new();
    let all: BTreeSet<u32> = graph.inputs.values().flat_map(|input| &input.descriptor.shape).copied().collect();
    let smaller = |dimension: u32| BTreeSet::from([1, dimension / 2, dimension - 1]).into_iter().filter(|d| *d > 0);
    for from in all.iter().rev().copied().filter(|dimension| *dimension > 1) {
        for to in smaller(from) {
            // Everywhere; weights of recurrent networks have three or four times as many rows as there are states.
            for factors in [&[1, 3, 4][..], &[1]] {
                let resized =
                    |size: u32| factors.iter().find(|factor| size == from * **factor).map(|factor| to * factor);
                let everywhere = with_dimensions(graph, kept, |_, _, size| resized(size));
                simpler.push(with_numbers(&everywhere, &resized));
                simpler.push(everywhere);
            }
        }
    }
    for (name, input) in &graph.inputs {
        for (axis, from) in input.descriptor.shape.iter().copied().enumerate().filter(|(_, from)| *from > 1) {
            for to in smaller(from) {
                let here = with_dimensions(graph, kept, |input, at, _| (input == name && at == axis).then_some(to));
                simpler.push(with_numbers(&here, &|size| (size == from).then_some(to)));
                simpler.push(here);
            }
        }
    }
    simpler
}

/// The graph with other dimensions of its inputs.
fn with_dimensions(graph: &Graph, kept: End, resized: impl Fn(&str, usize, u32) -> Option<u32>) -> Graph {
    let mut graph = graph.clone();
    for (name, input) in &mut graph.inputs {
        let old = input.descriptor.shape.clone();
        let new: Vec<u32> =
            old.iter().enumerate().map(|(axis, size)| resized(name, axis, *size).unwrap_or(*size)).collect();
        if new != old {
            input.data = corner(&input.data, &old, &new, kept);
            input.descriptor.shape = new;
        }
    }
    graph
}

/// The elements of this shape in the first corner, or in the last.
fn corner(data: &Data, old: &[u32], new: &[u32], kept: End) -> Data {
    let count: usize = new.iter().map(|dimension| *dimension as usize).product();
    let element = |index: usize| {
        let (mut rest, mut place, mut stride) = (index as u64, 0, 1);
        for (old, new) in old.iter().zip(new).rev() {
            let left_out = if kept == End::Last { old.saturating_sub(*new) } else { 0 };
            place += (rest % u64::from(*new) + u64::from(left_out)) * stride;
            rest /= u64::from(*new);
            stride *= u64::from(*old);
        }
        data.element(place).unwrap_or(Number::Integer(0))
    };
    Data::List((0..count).map(element).collect())
}

/// The graph with other numbers in its arguments.
fn with_numbers(graph: &Graph, resized: &impl Fn(u32) -> Option<u32>) -> Graph {
    let mut graph = graph.clone();
    for argument in graph.operators.iter_mut().flat_map(|operator| &mut operator.arguments) {
        resize(&mut argument.value, resized);
    }
    graph
}

fn resize(value: &mut Value, resized: &impl Fn(u32) -> Option<u32>) {
    match value {
        Value::Number(_) => {
            let size = value.as_u64().and_then(|size| u32::try_from(size).ok());
            if let Some(size) = size.and_then(resized) {
                *value = size.into();
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| resize(item, resized)),
        Value::Object(members) => members.values_mut().for_each(|member| resize(member, resized)),
        Value::Null | Value::Boolean(_) | Value::BigInt(_) | Value::String(_) => {}
    }
}

/// Fewer axes: those of size 1 left out.
pub(crate) fn ranks(graph: &Graph) -> Vec<Graph> {
    let most = graph.inputs.values().map(|input| input.descriptor.shape.len()).max().unwrap_or(0);
    let without = |axis: usize, only: Option<&String>| {
        let mut graph = graph.clone();
        for (name, input) in &mut graph.inputs {
            let shape = &mut input.descriptor.shape;
            if only.is_none_or(|only| only == name) && shape.get(axis) == Some(&1) {
                shape.remove(axis);
            }
        }
        graph
    };
    let names = || std::iter::once(None).chain(graph.inputs.keys().map(Some));
    (0..most).flat_map(|axis| names().map(move |name| (axis, name))).map(|(axis, name)| without(axis, name)).collect()
}

/// Inputs of more elements than this are not simplified element by element.
const FEW_ELEMENTS: usize = 48;

/// Simpler elements.
pub(crate) fn data(graph: &Graph) -> Vec<Graph> {
    let mut simpler = Vec::new();
    for (name, input) in &graph.inputs {
        let count = input.descriptor.element_count().unwrap_or(0);
        let elements: Vec<Number> = input.data.elements(count).collect();
        let data_type = input.descriptor.data_type;
        let mut push = |elements: Vec<Number>| {
            let mut graph = graph.clone();
            graph.inputs[name].data = Data::List(elements);
            simpler.push(graph);
        };
        for simplify in SIMPLER_NUMBERS {
            push(elements.iter().map(|number| simplify(*number, data_type)).collect());
        }
        if elements.len() > FEW_ELEMENTS {
            for half in [0..elements.len() / 2, elements.len() / 2..elements.len()] {
                let mut elements = elements.clone();
                elements[half].fill(whole(0, data_type));
                push(elements);
            }
            continue;
        }
        for place in 0..elements.len() {
            for simplify in SIMPLER_NUMBERS {
                let number = simplify(elements[place], data_type);
                if weight(number) < weight(elements[place]) {
                    let mut elements = elements.clone();
                    elements[place] = number;
                    push(elements);
                }
            }
        }
    }
    simpler
}

/// Simpler numbers than a given one of this type.
const SIMPLER_NUMBERS: [fn(Number, DataType) -> Number; 5] = [
    |_, data_type| whole(0, data_type),
    |_, data_type| whole(1, data_type),
    |number, data_type| rounded(number, data_type, 1.0),
    |number, data_type| rounded(number, data_type, 8.0),
    |number, data_type| rounded(number, data_type, 256.0),
];

fn whole(number: u8, data_type: DataType) -> Number {
    if is_float(data_type) { Number::Float(f64::from(number)) } else { Number::Integer(number.into()) }
}

/// The nearest number of so many parts of 1; powers of two, so that it is one of the type.
fn rounded(number: Number, data_type: DataType, parts: f64) -> Number {
    match number {
        Number::Float(float) if is_float(data_type) && float.abs() < 256.0 => {
            Number::Float((float * parts).round() / parts)
        }
        number => number,
    }
}
