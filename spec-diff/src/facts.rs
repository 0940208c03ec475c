//! What a document says beside its algorithms, and what the code says of the same, one short text for each fact.
//!
//! A fact is a row of a table of tensor limits, an enumeration, a member of a dictionary, or the signature of a method.
//! Both sides put it into the same words, so that it can be compared, and hashed for the lock.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use webnn_reference::limits::{DataTypes, OperandLimits, Ranks};
use webnn_reference::ops::OPERATORS;

use crate::bikeshed::{Document, Row};
use crate::code::{CodeError, Place, Sources};
use crate::declared::{Declared, canonical, number};
use crate::idl::{Dictionary, Field, Idl, Method};

/// Dictionaries of which Rust states every member where one is made: whoever reads them from script has the defaults.
const DEFAULTS_UNSTATED: [&str; 1] = ["MLTensorDescriptor"];

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Which kind of fact it is.
    pub kind: Kind,
    /// The table and operand, the enumeration, the dictionary and member, or the method.
    pub name: String,
}

/// The kinds of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A row of a table of tensor limits.
    Row,
    /// The values of an enumeration.
    Enumeration,
    /// The type and default of a member of a dictionary.
    Member,
    /// The parameters and the result of a method.
    Method,
}

/// A fact, and where it is stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Where.
    pub place: Place,
    /// What it says.
    pub text: String,
}

/// Facts by what they are about.
pub type Facts = BTreeMap<Subject, Fact>;

impl Kind {
    /// How it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Enumeration => "enum",
            Self::Member => "member",
            Self::Method => "method",
        }
    }
}

/// The facts of a document.
pub fn of_document(document: &Document, file: &Path) -> Facts {
    let mut facts = Collector { file: file.into(), facts: Facts::new() };
    for table in &document.tables {
        for row in &table.rows {
            facts.add(Kind::Row, format!("{} {}", table.id, row.operand()), row.line, row_text(row));
        }
    }
    let idl = Idl::of(document);
    for enumeration in &idl.enumerations {
        facts.add(Kind::Enumeration, enumeration.name.clone(), enumeration.line, enumeration.values.join(", "));
    }
    for dictionary in idl.dictionaries.iter().filter(|dictionary| !is_about_support(dictionary, &idl)) {
        // A member of the options of all operators is one of each.
        let members = if dictionary.inherits.as_deref() == Some("MLOperatorOptions") {
            idl.all_members(&dictionary.name)
        } else {
            dictionary.members.iter().collect()
        };
        for member in members {
            let name = format!("{}.{}", dictionary.name, member.name);
            let text = member_text(member, DEFAULTS_UNSTATED.contains(&dictionary.name.as_str()));
            facts.add(Kind::Member, name, member.line, text);
        }
    }
    for interface in &idl.interfaces {
        for method in &interface.methods {
            let method_name = method.signature().replace("constructor(", &format!("{}(", interface.name));
            let name = format!("{}.{method_name}", interface.name);
            if document.algorithm(&name).is_none() {
                continue;
            }
            facts.add(Kind::Method, name, method.line, method_text(method));
        }
    }
    facts.facts
}

/// The facts of our own code: what it declares, and the reference's table of operators.
///
/// # Errors
/// If a file is not Rust.
pub fn of_code(sources: &Sources) -> Result<Facts, CodeError> {
    let declared = Declared::of(sources)?;
    let mut facts = Facts::new();
    for (name, enumeration) in declared.enumerations.iter().filter(|(_, it)| !it.values.is_empty()) {
        let text = enumeration.values.join(", ");
        let subject = Subject { kind: Kind::Enumeration, name: name.clone() };
        facts.insert(subject, Fact { place: enumeration.place.clone(), text });
    }
    for (name, dictionary) in &declared.dictionaries {
        for member in &dictionary.members {
            let default = member.default.as_ref().map_or_else(String::new, |default| format!(" = {default}"));
            let subject = Subject { kind: Kind::Member, name: format!("{name}.{}", member.name) };
            facts.insert(subject, Fact { place: member.place.clone(), text: format!("{}{default}", member.type_) });
        }
    }
    for (name, method) in &declared.methods {
        let types: Vec<_> = method.parameters.iter().map(|parameter| parameter.type_.as_str()).collect();
        let range = if method.reads_without_range { ", without a range" } else { "" };
        let text = format!("({}) {}{range}", types.join(", "), result_text(&method.result));
        let subject = Subject { kind: Kind::Method, name: name.clone() };
        facts.insert(subject, Fact { place: method.place.clone(), text });
    }
    let places = limits_places(sources);
    for row in OPERATORS {
        let nowhere = || Place { file: sources.folder.as_path().into(), line: 1 };
        let place = places.get(row.limits.table).cloned().unwrap_or_else(nowhere);
        for limits in row.limits.rows {
            let subject = Subject { kind: Kind::Row, name: format!("{} {}", row.limits.table, limits.operand) };
            facts.insert(subject, Fact { place: place.clone(), text: limits_text(limits) });
        }
    }
    Ok(facts)
}

struct Collector {
    file: Arc<Path>,
    facts: Facts,
}

impl Collector {
    fn add(&mut self, kind: Kind, name: String, line: usize, text: String) {
        let place = Place { file: self.file.clone(), line };
        self.facts.entry(Subject { kind, name }).or_insert(Fact { place, text });
    }
}

/// A row of a table: allowed and required data types, allowed and required ranks.
fn row_text(row: &Row) -> String {
    let cells = row.cells.iter().skip(1).map(|cell| {
        let mut values = cell.values();
        values.sort();
        if values.is_empty() { cell.plain().replace("'s items", "") } else { values.join(" ") }
    });
    cells.collect::<Vec<_>>().join(" | ")
}

/// A row of our own table in the same words.
fn limits_text(limits: &OperandLimits) -> String {
    let names = |data_types: &[_]| {
        let mut names: Vec<String> = data_types.iter().map(ToString::to_string).collect();
        names.sort();
        names.join(" ")
    };
    let range = |(first, last): (usize, usize)| {
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    };
    let allowed = match limits.allowed_data_types {
        DataTypes::Any => "any".to_owned(),
        DataTypes::Only(data_types) => names(data_types),
        DataTypes::SameAs(operand) => format!("same as {operand}"),
    };
    let ranks = match limits.allowed_ranks {
        Ranks::Any => "N".to_owned(),
        Ranks::AtLeast(least) => format!("{least} to N"),
        Ranks::Between(first, last) => range((first, last)),
        Ranks::SameAs(operand) => format!("same as {operand}"),
    };
    format!("{allowed} | {} | {ranks} | {}", names(limits.required_data_types), range(limits.required_ranks))
}

/// Whether a dictionary says what an implementation supports. That is a table in our code, not a type.
fn is_about_support(dictionary: &Dictionary, idl: &Idl) -> bool {
    let is_limits = |dictionary: &Dictionary| dictionary.name.ends_with("Limits");
    let mut members = idl.dictionaries.iter().filter(|it| is_limits(it)).flat_map(|limits| &limits.members);
    is_limits(dictionary) || members.any(|member| member.type_ == dictionary.name)
}

fn member_text(member: &Field, is_default_unstated: bool) -> String {
    let default = member.default.as_deref().filter(|_| !is_default_unstated);
    let default = default.map_or_else(String::new, |default| format!(" = {}", number(default)));
    format!("{}{default}", canonical(&member.type_))
}

/// The types of a method, and whether Web IDL converts an integer without looking at its range.
fn method_text(method: &Method) -> String {
    let types: Vec<_> = method.parameters.iter().map(|parameter| canonical(&parameter.type_)).collect();
    let lacks_range =
        |field: &Field| field.type_.matches("unsigned long").count() > field.type_.matches("[EnforceRange]").count();
    let range = if method.parameters.iter().any(lacks_range) { ", without a range" } else { "" };
    format!("({}) {}{range}", types.join(", "), result_text(&canonical(&method.result)))
}

/// The result as far as both sides have it: Rust's constructors return what they make.
fn result_text(result: &str) -> &str {
    if result.is_empty() { "undefined" } else { result }
}

/// Where our tables stand: in the files that name them.
fn limits_places(sources: &Sources) -> BTreeMap<&str, Place> {
    let mut places = BTreeMap::new();
    for (file, text) in &sources.files {
        let file: Arc<Path> = file.as_path().into();
        for (index, line) in text.lines().enumerate() {
            let name = line.trim().strip_prefix("table: \"").and_then(|rest| rest.strip_suffix("\","));
            places.extend(name.map(|name| (name, Place { file: file.clone(), line: index + 1 })));
        }
    }
    places
}
