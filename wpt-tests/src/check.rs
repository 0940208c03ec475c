//! What a graph has to satisfy beyond its form.

use std::collections::HashSet;

use crate::data::Data;
use crate::descriptor::{Descriptor, MAX_BYTE_LENGTH};
use crate::error::Problem;
use crate::graph::{Argument, Graph, Operator, Tolerance};
use crate::pointer::pointer;
use crate::scenario_check;
use crate::value::Value;
use crate::vector::{Kind, Vector};

/// Tells whether a name is an operator's: a method of `MLGraphBuilder` that makes operands from
/// operands.
pub type IsOperator<'a> = &'a dyn Fn(&str) -> bool;

/// What is known of an operator.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The names of its parameters, in order.
    pub parameters: &'static [&'static str],
    /// Other names that vectors have for them.
    pub also: &'static [&'static str],
    /// Those of them that are operands, and the members of its options that are.
    pub operands: Vec<&'static str>,
}

/// Tells the signature of an operator, if there is one of this name.
pub type SignatureOf<'a> = &'a dyn Fn(&str) -> Option<Signature>;

/// What vectors are checked against.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// Absent where the names of operators are not to be checked.
    pub(crate) is_operator: Option<IsOperator<'a>>,
    /// Absent where arguments are not to be checked.
    pub(crate) signature: Option<SignatureOf<'a>>,
}

/// A problem, and a JSON pointer relative to the vector.
pub(crate) type Found = (String, Problem);

/// Checks a vector.
pub(crate) fn vector(vector: &Vector, known: Known<'_>) -> Result<(), Found> {
    match &vector.kind {
        Kind::Graph { graph, tolerance } => {
            check_tolerance(tolerance.as_ref(), || pointer(["tolerance"]))?;
            names(graph, known, true)?;
            inputs(graph, true)?;
            expected_outputs(graph)
        }
        Kind::Negative { graph, .. } => {
            names(graph, known, false)?;
            inputs(graph, false)
        }
        Kind::Scenario { steps } => {
            let is_operator = |name: &str| known.has_operator(name);
            scenario_check::steps(steps, Some(&is_operator))
        }
    }
}

impl Known<'_> {
    fn has_operator(&self, name: &str) -> bool {
        self.is_operator.is_none_or(|is_operator| is_operator(name))
            && self.signature.is_none_or(|signature| signature(name).is_some())
    }
}

/// Every operator exists, with the arguments that it is given, and every name is made once. Where the graph runs, the operands
/// that it takes exist too; where it is refused, that they do not may be why.
fn names(graph: &Graph, known: Known<'_>, runs: bool) -> Result<(), Found> {
    let mut made: HashSet<&str> = graph.inputs.keys().map(String::as_str).collect();
    for (index, operator) in graph.operators.iter().enumerate() {
        let index = index.to_string();
        if !known.has_operator(&operator.name) {
            let place = pointer(["graph", "operators", &index, "name"]);
            return Err((place, Problem::UnknownOperator(operator.name.clone())));
        }
        if let Some(signature) = known.signature.and_then(|signature| signature(&operator.name)) {
            let made = runs.then_some(&made);
            arguments(operator, &signature, made)
                .map_err(|problem| (pointer(["graph", "operators", &index, "arguments"]), problem))?;
        }
        for name in operator.outputs.as_slice() {
            if !made.insert(name) {
                let place = pointer(["graph", "operators", &index, "outputs"]);
                return Err((place, Problem::DuplicateName(name.clone())));
            }
        }
    }
    Ok(())
}

/// The arguments are the method's, and, where the operands that there are are given, no other is named.
fn arguments(operator: &Operator, signature: &Signature, made: Option<&HashSet<&str>>) -> Result<(), Problem> {
    for Argument { name, value } in &operator.arguments {
        if !signature.parameters.iter().chain(signature.also).any(|parameter| parameter == name) {
            let (operator, name) = (operator.name.clone(), name.clone());
            return Err(Problem::UnknownParameter { operator, name, known: signature.parameters.join(", ") });
        }
        let members = if let Value::Object(members) = value { Some(members) } else { None };
        let members = members.into_iter().flatten();
        for (name, value) in std::iter::once((name, value)).chain(members) {
            if signature.operands.contains(&name.as_str()) {
                made.map_or(Ok(()), |made| operands(value, made))?;
            }
        }
    }
    Ok(())
}

/// A name, or each of a list of names, is an operand's.
fn operands(value: &Value, made: &HashSet<&str>) -> Result<(), Problem> {
    match value {
        Value::String(name) if !made.contains(name.as_str()) => Err(Problem::UnknownOperand(name.clone())),
        Value::List(items) => items.iter().try_for_each(|item| operands(item, made)),
        _ => Ok(()),
    }
}

fn inputs(graph: &Graph, runs: bool) -> Result<(), Found> {
    graph.inputs.iter().try_for_each(|(name, input)| {
        tensor(&input.descriptor, &input.data, runs, |member| pointer(["graph", "inputs", name, member]))
    })
}

fn expected_outputs(graph: &Graph) -> Result<(), Found> {
    let made = || graph.operators.iter().flat_map(|operator| operator.outputs.as_slice());
    for (name, output) in &graph.expected_outputs {
        let place = |member: &str| pointer(["graph", "expectedOutputs", name, member]);
        if !made().any(|made| made == name) {
            let known = made().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none".to_owned() } else { known };
            let problem = Problem::UnknownOutput { name: name.clone(), known };
            return Err((pointer(["graph", "expectedOutputs", name]), problem));
        }
        check_tolerance(output.tolerance.as_ref(), || place("tolerance"))?;
        tensor(&output.descriptor, &output.data, true, place)?;
    }
    Ok(())
}

/// A tensor's data belong to its descriptor, and, where it has to exist (`runs`), it can.
pub(crate) fn tensor(
    descriptor: &Descriptor,
    data: &Data,
    runs: bool,
    place: impl Fn(&str) -> String,
) -> Result<(), Found> {
    if runs {
        size(descriptor).map_err(|problem| (place("descriptor"), problem))?;
    } else if descriptor.element_count().is_none() && data.element_count().is_none() {
        // A shape beyond counting, filled with one number: there is nothing to compare.
        return Ok(());
    }
    descriptor.check(data).map(drop).map_err(|error| (place("data"), error.into()))
}

fn size(descriptor: &Descriptor) -> Result<(), Problem> {
    if descriptor.shape.contains(&0) {
        return Err(Problem::ZeroDimension(descriptor.shape.clone()));
    }
    match descriptor.byte_length() {
        Some(length) if length <= MAX_BYTE_LENGTH => Ok(()),
        _ => Err(Problem::TooLarge(descriptor.to_string())),
    }
}

pub(crate) fn check_tolerance(tolerance: Option<&Tolerance>, place: impl Fn() -> String) -> Result<(), Found> {
    match tolerance.and_then(|tolerance| tolerance.value) {
        Some(value) if !(value.is_finite() && value >= 0.0) => Err((place(), Problem::Tolerance(value.to_string()))),
        _ => Ok(()),
    }
}
