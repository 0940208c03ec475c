//! The descriptions of interfaces, operations and dictionaries are those of the specification's IDL.
//!
//! Skipped where the specification's source is not beside the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use spec_diff::bikeshed::Document;
use webnn_wpt::idl::{Description, Parameter, Type};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/spec/webnn-c515210.bs");

/// What is declared in the braces of each interface, dictionary and enumeration, without defaults and comments.
fn declared(idl: &str) -> BTreeMap<String, BTreeSet<String>> {
    let lines = idl.lines().map(|line| line.split("//").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut declared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (at, keyword) in ["interface ", "dictionary ", "enum "].iter().flat_map(|keyword| text.match_indices(keyword)) {
        let Some((head, rest)) = text[at + keyword.len()..].split_once('{') else {
            continue;
        };
        let name = head.split(':').next().unwrap_or_default().trim().to_owned();
        let body = rest.split_once('}').map_or(rest, |(body, _)| body);
        let ends = if keyword == "enum " { ',' } else { ';' };
        // A dictionary has defaults, and the options of an operation are `{}` by default.
        let body = if keyword == "interface " { operations(rest) } else { body.to_owned() };
        let members = body.split(ends).map(|member| normalized(member.split('=').next().unwrap_or_default()));
        declared.entry(name).or_default().extend(members.filter(|member| !member.is_empty()));
    }
    declared
}

/// The body of an interface, up to the brace that closes it and without the defaults of its options.
fn operations(rest: &str) -> String {
    let without = rest.replace(" = {}", "");
    without.split_once('}').map_or(without.as_str(), |(body, _)| body).to_owned()
}

fn normalized(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace("( ", "(").replace(" )", ")").replace('"', "")
}

fn parameters(parameters: &[Parameter]) -> String {
    let each = parameters.iter().map(|parameter| {
        let optional = if parameter.optional { "optional " } else { "" };
        format!("{optional}{} {}", parameter.kind, parameter.name)
    });
    each.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_descriptions_are_the_specifications() {
    if !Path::new(SOURCE).exists() {
        #[allow(clippy::print_stderr)] // Says why nothing was tested.
        {
            eprintln!("skipped: the specification's source is not at {SOURCE}");
        }
        return;
    };
    let document = Document::read(Path::new(SOURCE)).expect("the specification's source");
    let declared = declared(&document.web_idl());
    let description = Description::of_the_specification();
    let mut described: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for interface in &description.interfaces {
        let constructor = interface.constructor.map(|given| format!("constructor({})", parameters(given)));
        let attributes = interface
            .attributes
            .iter()
            .map(|attribute| format!("readonly attribute {} {}", attribute.kind, attribute.name));
        let operations = interface.operations.iter().flat_map(|operation| {
            operation
                .overloads
                .iter()
                .map(|way| format!("{} {}({})", way.returns, operation.name, parameters(way.parameters)))
        });
        described.insert(interface.name, constructor.into_iter().chain(attributes).chain(operations).collect());
    }
    for dictionary in description.dictionaries {
        let members = dictionary.members.iter().map(|member| {
            let required = if member.required { "required " } else { "" };
            format!("{required}{} {}", member.kind, member.name)
        });
        described.insert(dictionary.name, members.collect());
    }
    for enumeration in &description.enumerations {
        described.insert(enumeration.name, enumeration.values.iter().map(|value| (*value).to_owned()).collect());
    }
    // What script is given and does not pass needs no description.
    let is_given = |name: &str| name.ends_with("Limits") || name == "MLContextLostInfo" || name == "MLRankRange";
    let of_the_specification: BTreeMap<&str, BTreeSet<String>> = declared
        .iter()
        .filter(|(name, _)| !is_given(name) && *name != "mixin NavigatorML")
        .map(|(name, members)| (name.as_str(), members.clone()))
        .collect();
    assert_eq!(described, of_the_specification);
}

#[test]
fn types_are_written_as_web_idl_writes_them() {
    let sizes = Type::Sequence(&Type::EnforcedUnsignedLong);
    assert_eq!(sizes.to_string(), "sequence<[EnforceRange] unsigned long>");
    assert_eq!(Type::Record(&Type::Interface("MLTensor")).to_string(), "MLNamedTensors");
}
