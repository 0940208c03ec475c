//! What a scenario has to satisfy beyond its form: calls that exist, on objects that exist, with arguments that they take.

use std::collections::HashMap;

use crate::calls::{CALLS, Call, Gives};
use crate::check::{Known, check_tolerance, no_overflow, tensor};
use crate::data::Data;
use crate::descriptor::Descriptor;
use crate::error::Problem;
use crate::pointer::pointer;
use crate::scenario::{BufferSource, Step};
use crate::signature::{Bound, Checker, Class, Found, Parameter, below, names};
use crate::value::Value;
use crate::vector::Throws;

/// What the names stand for that were made so far.
type Names<'a> = HashMap<&'a str, Bound>;

/// Checks the steps in order.
pub(crate) fn steps(steps: &[Step], known: Known<'_>) -> Result<(), Found> {
    if steps.is_empty() {
        return Err((pointer(["scenario"]), Problem::Step("the scenario has no steps; add one".to_owned())));
    }
    let mut made = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        let at_step = |(place, problem): Found| (format!("/scenario/{index}{place}"), problem);
        let gives = call(step, &made, known).map_err(at_step)?;
        fill(step, &steps[..index]).map_err(at_step)?;
        result(step).map_err(at_step)?;
        let bound = bound(step, gives, &made).map_err(at_step)?;
        for name in step.binding.iter().flat_map(crate::graph::Names::as_slice) {
            if made.insert(name.as_str(), bound).is_some() {
                return Err(at_step((pointer(["let"]), Problem::DuplicateName(name.clone()))));
            }
        }
    }
    Ok(())
}

/// The call exists, on an object that exists, and its arguments are those that it takes. Says what it gives.
fn call(step: &Step, made: &Names<'_>, known: Known<'_>) -> Result<Gives, Found> {
    let on = step.on.as_deref().map(|on| object(on, made)).transpose();
    let on = on.map_err(|problem| (pointer(["on"]), problem))?;
    let ways: Vec<&Call> = calls_on(on).filter(|call| call.name == step.call).collect();
    if !ways.is_empty() {
        arguments(step, &ways, made)
    } else if on == Some(Bound::Object(Class::Builder)) && known.has_operator(&step.call) {
        operator(step, made, known).map(|()| Gives::Object(Class::Operand))
    } else {
        Err(no_such_call(&step.call, on, known))
    }
}

fn calls_on(on: Option<Bound>) -> impl Iterator<Item = &'static Call> {
    CALLS.iter().filter(move |call| call.on.map(Bound::Object) == on)
}

/// Why the call can not be made on this, or on nothing.
fn no_such_call(name: &str, on: Option<Bound>, known: Known<'_>) -> Found {
    let is_free = calls_on(None).any(|call| call.name == name);
    let is_elsewhere = CALLS.iter().any(|call| call.name == name) || known.has_operator(name);
    let mut there_are: Vec<&str> = calls_on(on).map(|call| call.name).collect();
    there_are.dedup();
    let mut there_are = if there_are.is_empty() { "none".to_owned() } else { there_are.join(", ") };
    match on {
        Some(_) if is_free => wrong(["on"], format!("`{name}` is called on nothing; drop `on`")),
        None if is_elsewhere => wrong([], format!("`{name}` needs `on`: the object it is called on")),
        None => wrong(["call"], format!("there is no call {name:?}; on nothing there are {there_are}")),
        Some(on) => {
            if on == Bound::Object(Class::Builder) {
                there_are.push_str(", and the operators");
            }
            wrong(["call"], format!("{on} has no call {name:?}; it has {there_are}"))
        }
    }
}

fn object(name: &str, made: &Names<'_>) -> Result<Bound, Problem> {
    made.get(name).copied().ok_or_else(|| Problem::UnknownObject(name.to_owned()))
}

/// The arguments are those of one of the ways in which the call can be made.
fn arguments(step: &Step, ways: &[&Call], made: &Names<'_>) -> Result<Gives, Found> {
    let parameters = || ways.iter().flat_map(|call| &call.parameters);
    unknown(step, parameters())?;
    let is_given = |name: &str| step.arguments.contains_key(name);
    let takes_all = |call: &&&Call| {
        step.arguments.keys().all(|name| call.parameters.iter().any(|parameter| parameter.name == name))
    };
    let has_all =
        |call: &&&Call| call.parameters.iter().all(|parameter| !parameter.required || is_given(parameter.name));
    let mut taking = ways.iter().filter(takes_all);
    let Some(first) = taking.clone().find(has_all).or_else(|| taking.next()) else {
        let ways: Vec<String> = ways.iter().map(|call| names(&call.parameters)).collect();
        let problem = format!("these arguments of {} do not go together; it takes {}", step.call, ways.join("; or "));
        return Err(wrong(["arguments"], problem));
    };
    let bound = |name: &str| object(name, made);
    let is_refused = step.throws.is_some();
    let checker = Checker { call: &step.call, bound: &bound, any_kind: false, is_refused };
    given(step, &first.parameters, checker)?;
    size(step)?;
    if step.call == "buffer" {
        let read = BufferSource::from_members(&step.arguments);
        read.map_err(|message| wrong(["arguments"], message))?;
    }
    Ok(first.gives)
}

/// What a buffer is filled with fits its type.
fn fill(step: &Step, before: &[Step]) -> Result<(), Found> {
    let makes_it = |made: &&Step| made.binding.iter().any(|names| names.as_slice().first() == step.on.as_ref());
    let buffer = before.iter().find(makes_it).filter(|made| made.call == "buffer" && step.call == "fill");
    let source = buffer.and_then(|buffer| BufferSource::from_members(&buffer.arguments).ok());
    let data = step.arguments.get("data").and_then(|data| Data::from_value(data).ok());
    let (Some(source), Some(data)) = (source, data) else { return Ok(()) };
    let fits = source.element.check(&data).and_then(|()| source.element.ensure_no_overflow(&data));
    fits.map_err(|error| (pointer(["arguments", "data"]), error.into()))
}

/// What the call makes is not too large, if it has to succeed. Of a promise that is still to be awaited nobody knows that here.
fn size(step: &Step) -> Result<(), Found> {
    let descriptor = step.arguments.get("descriptor").and_then(Value::as_object).and_then(Descriptor::from_members);
    match descriptor {
        Some(descriptor) if step.throws.is_none() && !step.pending && !descriptor.is_small_enough() => {
            Err((pointer(["arguments", "descriptor"]), Problem::TooLargeForCall(descriptor.to_string())))
        }
        _ => Ok(()),
    }
}

/// The arguments are those of the operator's method.
fn operator(step: &Step, made: &Names<'_>, known: Known<'_>) -> Result<(), Found> {
    let Some(signature) = known.signature.and_then(|signature| signature(&step.call)) else {
        return Ok(());
    };
    unknown(step, signature.parameters.iter())?;
    let bound = |name: &str| object(name, made);
    let any_kind = step.throws.as_ref().is_some_and(Throws::is_of_web_idl);
    let checker = Checker { call: &step.call, bound: &bound, any_kind, is_refused: step.throws.is_some() };
    given(step, &signature.parameters, checker)?;
    let Some(names) = &step.binding else { return Ok(()) };
    let argument = |name: &str| step.arguments.get(name);
    signature.gives.ensure(names.as_slice().len(), checker, argument).map_err(|problem| (pointer(["let"]), problem))
}

/// No argument has a name that the call does not have.
fn unknown<'a>(step: &Step, parameters: impl Iterator<Item = &'a Parameter> + Clone) -> Result<(), Found> {
    let is_known = |name: &&String| parameters.clone().any(|parameter| parameter.name == *name);
    let Some(name) = step.arguments.keys().find(|name| !is_known(name)) else {
        return Ok(());
    };
    let mut known: Vec<&str> = Vec::new();
    for parameter in parameters {
        if !known.contains(&parameter.name) {
            known.push(parameter.name);
        }
    }
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let (operator, name) = (step.call.clone(), name.clone());
    Err((pointer(["arguments", &name]), Problem::UnknownParameter { operator, name: name.clone(), known }))
}

/// Each argument is one that its parameter may have, and none is missing.
fn given(step: &Step, parameters: &[Parameter], checker: Checker<'_>) -> Result<(), Found> {
    let in_arguments = below("arguments");
    for parameter in parameters {
        if let Some(value) = step.arguments.get(parameter.name) {
            let checked = checker.value(parameter.name, &parameter.kind, value);
            checked.map_err(below(parameter.name)).map_err(&in_arguments)?;
        }
    }
    checker.missing(None, parameters, |name| step.arguments.contains_key(name)).map_err(in_arguments)
}

/// What the names of the step stand for.
fn bound(step: &Step, gives: Gives, made: &Names<'_>) -> Result<Bound, Found> {
    let call = &step.call;
    let awaited = || match step.arguments.get("promise").and_then(Value::as_str).and_then(|name| made.get(name)) {
        Some(Bound::Promise(class)) => *class,
        Some(Bound::Object(_)) | None => Class::Value,
    };
    let bound = match gives {
        Gives::Promise(class) if step.pending => Bound::Promise(class),
        _ if step.pending => return Err(wrong(["pending"], format!("{call} gives no promise; drop `pending`"))),
        Gives::Promise(class) | Gives::Object(class) => Bound::Object(class),
        Gives::Awaited => Bound::Object(awaited()),
    };
    let count = step.binding.as_ref().map_or(0, |names| names.as_slice().len());
    if count > 1 && bound != Bound::Object(Class::Operand) {
        return Err(wrong(["let"], format!("{call} gives one result, and not {count}")));
    }
    Ok(bound)
}

/// `throws`, `returns` and `pending` fit together.
fn result(step: &Step) -> Result<(), Found> {
    let Some(returns) = &step.returns else {
        return Ok(());
    };
    let wrong = |message: &str| Err(wrong(["returns"], message.to_owned()));
    if step.throws.is_some() {
        return wrong("a call that throws returns nothing; drop `throws` or `returns`");
    }
    if step.pending {
        return wrong("a pending call has no result yet; put `returns` on the step that awaits it");
    }
    check_tolerance(returns.tolerance.as_ref(), || pointer(["returns", "tolerance"]))?;
    match (&returns.descriptor, &returns.data, &returns.value) {
        (Some(descriptor), Some(data), None) => {
            let place = |member: &str| pointer(["returns", member]);
            if !descriptor.is_small_enough() {
                return Err((place("descriptor"), Problem::TooLargeForCall(descriptor.to_string())));
            }
            tensor(descriptor, data, false, place)?;
            no_overflow(descriptor, data, place)
        }
        (None, None, Some(_)) => Ok(()),
        _ => wrong("`returns` is either a `descriptor` with `data`, or a `value`"),
    }
}

/// What is wrong with a step, and where.
fn wrong<const N: usize>(place: [&str; N], message: String) -> Found {
    (pointer(place), Problem::Step(message))
}
