//! The operators, with what each takes: the names of parameters and options are those that an adapter is sent.

use std::fmt::Write as _;

use webnn_reference::ops::OPERATORS;
use webnn_wpt::idl::{Description, Enumeration, Operation, Parameter, Type};

use crate::listing::{ListedEnumeration, ListedMember, ListedOperator, ListedParameter};

/// All operators.
pub(super) fn operators() -> Vec<ListedOperator> {
    let description = Description::of_the_specification();
    let builder = description.interfaces.iter().find(|interface| interface.name == "MLGraphBuilder");
    let operations: Vec<Operation> = builder.map(|builder| builder.operations.clone()).unwrap_or_default();
    let signature = |name: &str| {
        let operation = operations.iter().find(|operation| operation.name == name)?;
        operation.overloads.first()
    };
    let operator = |row: &'static webnn_reference::ops::OperatorRow| {
        let signature = signature(row.name)?;
        let parameters = signature.parameters.iter().map(|parameter| listed(parameter, &description)).collect();
        Some(ListedOperator {
            name: row.name,
            section: row.section,
            parameters,
            returns: signature.returns.to_string(),
        })
    };
    OPERATORS.iter().filter_map(operator).collect()
}

/// The enumerations that arguments and options are of.
pub(super) fn enumerations() -> Vec<ListedEnumeration> {
    let operators = operators();
    let parameters = || operators.iter().flat_map(|operator| &operator.parameters);
    let kinds = || {
        let members = parameters().flat_map(|parameter| &parameter.members).map(|member| &member.kind);
        parameters().map(|parameter| &parameter.kind).chain(members)
    };
    let is_used = |enumeration: &Enumeration| kinds().any(|kind| kind.contains(enumeration.name));
    let all = Description::of_the_specification().enumerations.into_iter().filter(is_used);
    all.map(|Enumeration { name, values }| ListedEnumeration { name, values }).collect()
}

fn listed(parameter: &Parameter, description: &Description) -> ListedParameter {
    let members = match parameter.kind {
        Type::Dictionary(name) => members(name, description),
        _ => vec![],
    };
    ListedParameter { name: parameter.name, kind: parameter.kind.to_string(), optional: parameter.optional, members }
}

/// The members of a dictionary, and behind them those that it inherits.
fn members(name: &str, description: &Description) -> Vec<ListedMember> {
    let Some(dictionary) = description.dictionaries.iter().find(|dictionary| dictionary.name == name) else {
        return vec![];
    };
    let own = dictionary.members.iter();
    let own = own.map(|member| ListedMember { name: member.name, kind: member.kind.to_string() });
    own.chain(dictionary.inherits.into_iter().flat_map(|name| members(name, description))).collect()
}

/// The operators, for people: each on a line, and its options on one below.
pub(super) fn text() -> String {
    // That numbers beyond the range throw is so everywhere.
    let plain = |kind: &str| kind.replace("[EnforceRange] ", "");
    let mut text = String::new();
    for ListedOperator { name, section, parameters, returns } in operators() {
        let list: Vec<String> = parameters
            .iter()
            .map(|ListedParameter { name, kind, optional, .. }| {
                let optional = if *optional { "optional " } else { "" };
                format!("{optional}{} {name}", plain(kind))
            })
            .collect();
        _ = writeln!(text, "{returns} {name}({})", list.join(", "));
        for ListedParameter { name, members, .. } in parameters.iter().filter(|parameter| !parameter.members.is_empty())
        {
            let list: Vec<String> =
                members.iter().map(|ListedMember { name, kind }| format!("{} {name}", plain(kind))).collect();
            _ = writeln!(text, "    {name}: {}", list.join(", "));
        }
        _ = writeln!(text, "    https://www.w3.org/TR/webnn/#{section}");
    }
    _ = writeln!(text);
    for ListedEnumeration { name, values } in enumerations() {
        _ = writeln!(text, "{name}: {}", values.join(", "));
    }
    text
}
