//! What a graph has to satisfy beyond its form.

use std::collections::HashSet;

use crate::bytes::ElementType;
use crate::data::Data;
use crate::descriptor::Descriptor;
use crate::error::Problem;
use crate::graph::{Argument, Graph, Operator, Tolerance};
use crate::pointer::pointer;
use crate::scenario_check;
use crate::signature::{Bound, Checker, Class, Found, OPTIONS, Signature, below, names};
use crate::vector::{Kind, Throws, Vector};

/// Tells whether a name is an operator's: a method of `MLGraphBuilder` that makes operands from
/// operands.
pub type IsOperator<'a> = &'a dyn Fn(&str) -> bool;

/// Tells the signature of an operator, if there is one of this name.
pub type SignatureOf<'a> = &'a dyn Fn(&str) -> Option<&'static Signature>;

/// What vectors are checked against.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// Absent where the names of operators are not to be checked.
    pub(crate) is_operator: Option<IsOperator<'a>>,
    /// Absent where arguments are not to be checked.
    pub(crate) signature: Option<SignatureOf<'a>>,
}

/// Checks a vector.
pub(crate) fn vector(vector: &Vector, known: Known<'_>) -> Result<(), Found> {
    match &vector.kind {
        Kind::Graph { graph, tolerance } => {
            check_tolerance(tolerance.as_ref(), || pointer(["tolerance"]))?;
            operators(graph, known, None)?;
            inputs(vector, graph, true)?;
            expected_outputs(graph)
        }
        Kind::Negative { graph, throws } => {
            operators(graph, known, Some(throws))?;
            inputs(vector, graph, false)
        }
        Kind::Scenario { steps } => scenario_check::steps(steps, known),
    }
}

impl Known<'_> {
    pub(crate) fn has_operator(&self, name: &str) -> bool {
        self.is_operator.is_none_or(|is_operator| is_operator(name))
            && self.signature.is_none_or(|signature| signature(name).is_some())
    }
}

/// Every operator exists, with the arguments that it is given, and every name is made once.
fn operators(graph: &Graph, known: Known<'_>, throws: Option<&Throws>) -> Result<(), Found> {
    let mut made: HashSet<&str> = graph.inputs.keys().map(String::as_str).collect();
    for (index, operator) in graph.operators.iter().enumerate() {
        let index = index.to_string();
        let place = |member: &str| pointer(["graph", "operators", &index, member]);
        if !known.has_operator(&operator.name) {
            return Err((place("name"), Problem::UnknownOperator(operator.name.clone())));
        }
        if let Some(signature) = known.signature.and_then(|signature| signature(&operator.name)) {
            // Where the graph is refused, it may be since an operand is none of its own.
            let bound = |name: &str| match throws {
                None if !made.contains(name) => Err(Problem::UnknownOperand(name.to_owned())),
                _ => Ok(Bound::Object(Class::Operand)),
            };
            let (any_kind, is_refused) = (throws.is_some_and(Throws::is_of_web_idl), throws.is_some());
            let checker = Checker { call: &operator.name, bound: &bound, any_kind, is_refused };
            arguments(operator, signature, checker)
                .map_err(|(inner, problem)| (format!("{}{inner}", place("arguments")), problem))?;
            let names = operator.outputs.as_slice().len();
            let argument = |name: &str| operator.argument(name);
            signature.gives.ensure(names, checker, argument).map_err(|problem| (place("outputs"), problem))?;
        }
        for name in operator.outputs.as_slice() {
            if !made.insert(name) {
                return Err((place("outputs"), Problem::DuplicateName(name.clone())));
            }
        }
    }
    Ok(())
}

/// The arguments are the method's, in their order, and what each may be.
fn arguments(operator: &Operator, signature: &Signature, checker: Checker<'_>) -> Result<(), Found> {
    let parameters = &signature.parameters;
    let named = |name: &str| parameters.iter().position(|known| known.name == name || known.also == Some(name));
    let mut given = Vec::new();
    for (index, Argument { name, value }) in operator.arguments.iter().enumerate() {
        let at = below(&index.to_string());
        let in_argument = |found: Found| at(below(name)(found));
        let Some(place) = named(name) else {
            let (operator, name, known) = (operator.name.clone(), name.clone(), names(parameters));
            return Err(in_argument((String::new(), Problem::UnknownParameter { operator, name, known })));
        };
        let parameter = &parameters[place];
        // They are given to the method by position, but for its options.
        if place != index && parameter.name != OPTIONS {
            let problem = format!("{} takes its arguments in the order {}", operator.name, names(parameters));
            return Err(in_argument((String::new(), Problem::Step(problem))));
        }
        checker.value(name, &parameter.kind, value).map_err(in_argument)?;
        given.push(parameter.name);
    }
    checker.missing(None, parameters, |name| given.contains(&name))
}

fn inputs(vector: &Vector, graph: &Graph, runs: bool) -> Result<(), Found> {
    graph.inputs.iter().try_for_each(|(name, input)| {
        let place = |member: &str| pointer(["graph", "inputs", name, member]);
        tensor(&input.descriptor, &input.data, runs, place)?;
        // Script makes an infinity of a number beyond the type of its array, and data of web-platform-tests rely on that.
        let is_of_script = vector.required.is_some();
        if is_of_script { Ok(()) } else { no_overflow(&input.descriptor, &input.data, place) }
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
        no_overflow(&output.descriptor, &output.data, place)?;
    }
    Ok(())
}

/// No number becomes an infinity of the tensor's type: an infinity is written as one.
pub(crate) fn no_overflow(descriptor: &Descriptor, data: &Data, place: impl Fn(&str) -> String) -> Result<(), Found> {
    let element = ElementType::from(descriptor.data_type);
    element.ensure_no_overflow(data).map_err(|error| (place("data"), error.into()))
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
    if descriptor.is_small_enough() { Ok(()) } else { Err(Problem::TooLarge(descriptor.to_string())) }
}

pub(crate) fn check_tolerance(tolerance: Option<&Tolerance>, place: impl Fn() -> String) -> Result<(), Found> {
    match tolerance.and_then(|tolerance| tolerance.value) {
        Some(value) if !(value.is_finite() && value >= 0.0) => Err((place(), Problem::Tolerance(value.to_string()))),
        _ => Ok(()),
    }
}
