//! What a graph has to satisfy beyond its form.

use std::collections::HashSet;

use crate::data::Data;
use crate::descriptor::{Descriptor, MAX_BYTE_LENGTH};
use crate::error::Problem;
use crate::graph::{Graph, Tolerance};
use crate::pointer::pointer;
use crate::scenario_check;
use crate::vector::{Kind, Vector};

/// Tells whether a name is an operator's: a method of `MLGraphBuilder` that makes operands from
/// operands.
pub type IsOperator<'a> = &'a dyn Fn(&str) -> bool;

/// A problem, and a JSON pointer relative to the vector.
pub(crate) type Found = (String, Problem);

/// Checks a vector; `is_operator` is absent where operator names are not to be checked.
pub(crate) fn vector(vector: &Vector, is_operator: Option<IsOperator<'_>>) -> Result<(), Found> {
    match &vector.kind {
        Kind::Graph { graph, tolerance } => {
            check_tolerance(tolerance.as_ref(), || pointer(["tolerance"]))?;
            names(graph, is_operator)?;
            inputs(graph, true)?;
            expected_outputs(graph)
        }
        Kind::Negative { graph, .. } => {
            names(graph, is_operator)?;
            inputs(graph, false)
        }
        Kind::Scenario { steps } => scenario_check::steps(steps, is_operator),
    }
}

/// Every operator exists and every name is made once.
fn names(graph: &Graph, is_operator: Option<IsOperator<'_>>) -> Result<(), Found> {
    let mut known: HashSet<&str> = graph.inputs.keys().map(String::as_str).collect();
    for (index, operator) in graph.operators.iter().enumerate() {
        if is_operator.is_some_and(|is_operator| !is_operator(&operator.name)) {
            let place = pointer(["graph", "operators", &index.to_string(), "name"]);
            return Err((place, Problem::UnknownOperator(operator.name.clone())));
        }
        for name in operator.outputs.as_slice() {
            if !known.insert(name) {
                let place = pointer(["graph", "operators", &index.to_string(), "outputs"]);
                return Err((place, Problem::DuplicateName(name.clone())));
            }
        }
    }
    Ok(())
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
