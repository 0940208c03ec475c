//! The JSON Schema of files of vectors: their form, which the Rust types have, and what each operator takes.

use schemars::Schema;
use serde_json::{Value as Json, json};

use crate::calls::{self, members_schema};
use crate::file;
use crate::signature::{Gives, Parameter, Signature};
use crate::vector::WEB_IDL;

/// The JSON Schema of a file of vectors, with a definition of what each of these operators takes.
///
/// It says less than the loader does: not in which order arguments come, nor which operands there are, nor how many names it
/// takes where an argument says so. Where Web IDL is to refuse a call, it leaves the arguments alone.
#[must_use]
pub fn schema<'a>(operators: impl IntoIterator<Item = (&'a str, &'a Signature)>) -> Schema {
    let operators: Vec<(&str, &Signature)> = operators.into_iter().collect();
    let names = || operators.iter().map(|(name, _)| *name);
    let calls: Vec<&str> = calls::names().into_iter().chain(names()).collect();
    let rules = |call: &str, rule: fn(&str, &Signature) -> Json| -> Json {
        let rule = |(name, signature): &(&str, &Signature)| {
            let is_it = json!({ "properties": { call: { "const": name } } });
            json!({ "if": is_it, "then": rule(name, signature) })
        };
        json!({ "allOf": operators.iter().map(rule).collect::<Vec<_>>() })
    };
    let operators_of_graph = json!({ "items": { "$ref": "#/$defs/OperatorOfGraph" } });
    let graph = json!({ "properties": { "graph": { "properties": { "operators": operators_of_graph } } } });

    let mut schema = file::form();
    let mut set = |place: &str, member: &str, value: Json| {
        if let Some(Json::Object(members)) = schema.pointer_mut(place) {
            members.insert(member.to_owned(), value);
        }
    };
    set("/$defs/Operator/properties/name", "enum", names().collect());
    set("/$defs/Step/properties/call", "enum", calls.into_iter().collect());
    for (place, rest) in [("/$defs/Vector", graph), ("/$defs/Step", json!({ "$ref": "#/$defs/OperatorOfScenario" }))] {
        set(place, "if", throws_of_web_idl());
        set(place, "else", rest);
    }
    set("/$defs", "OperatorOfGraph", rules("name", of_graph));
    set("/$defs", "OperatorOfScenario", rules("call", of_scenario));
    for (name, signature) in &operators {
        set("/$defs", name, arguments(name, &signature.parameters));
    }
    schema
}

/// A vector, or a call of a scenario, in which Web IDL is to throw.
fn throws_of_web_idl() -> Json {
    let at = json!({ "properties": { "algorithm": { "const": WEB_IDL } }, "required": ["algorithm"] });
    json!({ "properties": { "throws": { "properties": { "at": at }, "required": ["at"] } }, "required": ["throws"] })
}

/// The arguments of an operator by name, any of them.
fn arguments(operator: &str, parameters: &[Parameter]) -> Json {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    // Where they are a list, each object has some of them.
    let optional = |parameter: &Parameter| Parameter { required: false, ..parameter.clone() };
    let mut schema = members_schema(&parameters.iter().map(optional).collect::<Vec<_>>());
    for parameter in parameters {
        if let Some(former) = parameter.also {
            schema["properties"][former] = schema["properties"][parameter.name].clone();
            schema["properties"][former]["deprecated"] = json!(true);
        }
    }
    schema["description"] = json!(format!("{operator}({})", names.join(", ")));
    schema
}

/// In a graph they are a list of objects, one for each argument.
fn of_graph(operator: &str, signature: &Signature) -> Json {
    let required = signature.parameters.iter().filter(|parameter| parameter.required);
    let contains = required.map(|parameter| {
        let names = [Some(parameter.name), parameter.also].into_iter().flatten();
        let ways: Vec<Json> = names.map(|name| json!({ "type": "object", "required": [name] })).collect();
        json!({ "contains": if ways.len() == 1 { ways[0].clone() } else { json!({ "anyOf": ways }) } })
    });
    let arguments = json!({
        "items": { "anyOf": [{ "$ref": definition(operator) }, { "type": "null" }] },
        "allOf": contains.collect::<Vec<_>>()
    });
    json!({ "properties": { "arguments": arguments, "outputs": result(signature) } })
}

/// In a scenario they are the members of one object.
fn of_scenario(operator: &str, signature: &Signature) -> Json {
    let required = signature.parameters.iter().filter(|parameter| parameter.required);
    let required: Vec<&str> = required.map(|parameter| parameter.name).collect();
    let arguments = json!({ "$ref": definition(operator), "required": required });
    json!({ "properties": { "arguments": arguments, "let": result(signature) }, "required": ["arguments"] })
}

fn definition(operator: &str) -> String {
    format!("#/$defs/{operator}")
}

/// The names of what it gives, as far as no argument says how many there are. One name need not be in a list.
fn result(signature: &Signature) -> Json {
    match signature.gives {
        Gives::Operands(1) => json!({ "maxItems": 1 }),
        Gives::Operands(count) => json!({ "type": "array", "minItems": count, "maxItems": count }),
        Gives::OneMoreWhere(..) | Gives::AsManyAs(_) => json!({}),
    }
}
