//! The descriptions of interfaces, operations and dictionaries are those of the specification's IDL.
//!
//! Skipped where the specification's source is not beside the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use spec_diff::bikeshed::Document;
use webnn_wpt::idl::{Attribute, Description, Parameter, Type};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/spec/webnn-c515210.bs");

const PROPOSALS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec-diff/proposals");

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

fn attribute(attribute: &Attribute) -> String {
    let read_only = if attribute.read_only { "readonly " } else { "" };
    let same = if matches!(attribute.kind, Type::FrozenRecord(_)) { "[SameObject] " } else { "" };
    format!("{same}{read_only}attribute {} {}", attribute.kind, attribute.name)
}

/// What a description has, in the words of Web IDL.
fn described(description: &Description) -> BTreeMap<String, BTreeSet<String>> {
    let mut described: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for interface in &description.interfaces {
        let constructor = interface.constructor.map(|given| format!("constructor({})", parameters(given)));
        let attributes = interface.attributes.iter().map(attribute);
        let operations = interface.operations.iter().flat_map(|operation| {
            operation
                .overloads
                .iter()
                .map(|way| format!("{} {}({})", way.returns, operation.name, parameters(way.parameters)))
        });
        let members = constructor.into_iter().chain(attributes).chain(operations).collect();
        described.insert(interface.name.to_owned(), members);
    }
    for dictionary in &description.dictionaries {
        let members = dictionary.members.iter().map(|member| {
            let required = if member.required { "required " } else { "" };
            format!("{required}{} {}", member.kind, member.name)
        });
        described.insert(dictionary.name.to_owned(), members.collect());
    }
    for enumeration in &description.enumerations {
        let values = enumeration.values.iter().map(|value| (*value).to_owned());
        described.insert(enumeration.name.to_owned(), values.collect());
    }
    described
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
    // What script is given and does not pass needs no description.
    let is_given = |name: &str| name.ends_with("Limits") || name == "MLContextLostInfo" || name == "MLRankRange";
    let mut of_the_specification = declared;
    of_the_specification.retain(|name, _| !is_given(name) && name != "mixin NavigatorML");
    assert_eq!(described(&Description::of_the_specification()), of_the_specification);
}

/// What needs a device of WebGPU is left out; a failed dispatch has no Web IDL.
#[test]
fn what_is_added_is_what_the_proposals_add() {
    let mut of_the_proposals: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in ["hollow-constants", "residency", "graph-cache"] {
        let path = format!("{PROPOSALS}/{name}.bs");
        let document = Document::read(Path::new(&path)).expect("a proposal");
        for (name, members) in declared(&document.web_idl()) {
            of_the_proposals.entry(name).or_default().extend(members);
        }
    }
    let before = described(&Description::of_the_specification());
    let mut added = described(&Description::with_the_proposals());
    for (name, members) in &mut added {
        members.retain(|member| !before.get(name).is_some_and(|before| before.contains(member)));
    }
    added.retain(|_, members| !members.is_empty());
    assert_eq!(added, of_the_proposals);
}

#[test]
fn types_are_written_as_web_idl_writes_them() {
    let sizes = Type::Sequence(&Type::EnforcedUnsignedLong);
    assert_eq!(sizes.to_string(), "sequence<[EnforceRange] unsigned long>");
    assert_eq!(Type::Record(&Type::Interface("MLTensor")).to_string(), "MLNamedTensors");
}
