//! The reader, held against the specification itself.

mod paths;

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use spec_diff::bikeshed::{Algorithm, Cell, Document, Kind, Step};
use spec_diff::idl::Idl;

/// An algorithm, as an independent script extracted it.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Extract {
    r#for: Option<String>,
    name: String,
    kind: String,
    line: usize,
    steps: Vec<(String, usize)>,
    errors: Vec<String>,
}

fn extract(document: &Document) -> Vec<Extract> {
    let extract = |algorithm: &Algorithm| Extract {
        r#for: algorithm.defined_for.clone(),
        name: algorithm.term.clone(),
        kind: match algorithm.kind {
            Kind::Method => "method",
            Kind::Constructor => "constructor",
            Kind::Attribute => "attribute",
            Kind::Concept => "concept",
        }
        .to_owned(),
        line: algorithm.line,
        steps: algorithm.steps.iter().map(|step| (step.path.to_string(), step.line)).collect(),
        errors: algorithm.exceptions().into_iter().map(str::to_owned).collect(),
    };
    document.algorithms.iter().map(extract).collect()
}

#[test]
fn the_reader_agrees_with_an_independent_script() {
    let (Some(source), Some(extracted)) =
        (paths::beside("shared/spec/webnn-c515210.bs"), paths::beside("shared/spec/algorithms-c515210.json"))
    else {
        return;
    };
    let expected: Vec<Extract> = serde_json::from_str(&fs::read_to_string(extracted).unwrap()).unwrap();
    let actual = extract(&Document::read(&source).unwrap());
    for (actual, expected) in actual.iter().zip(&expected) {
        assert_eq!(actual, expected);
    }
    assert_eq!(actual.len(), expected.len());
}

#[test]
fn the_ends_of_lines_are_no_part_of_the_specification() {
    let Some(source) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let text = fs::read_to_string(source).unwrap();
    let document = Document::parse(&text).unwrap();
    for end in ["\r\n", "\r"] {
        assert!(Document::parse(&text.replace('\n', end)).unwrap() == document, "with {end:?}");
    }
}

#[test]
fn the_reader_agrees_with_what_was_counted_by_hand() {
    let Some(source) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let document = Document::read(&source).unwrap();
    let algorithms = &document.algorithms;
    let elements = |name: &str| algorithms.iter().filter(|algorithm| algorithm.element == name).count();
    assert_eq!([elements("details"), elements("div"), elements("p"), algorithms.len()], [90, 56, 4, 150]);
    let kinds = |kind: Kind| algorithms.iter().filter(|algorithm| algorithm.kind == kind).count();
    let counts = [Kind::Method, Kind::Constructor, Kind::Attribute, Kind::Concept].map(kinds);
    assert_eq!(counts, [111, 1, 2, 36]);
    assert_eq!(algorithms.iter().filter(|algorithm| algorithm.steps.is_empty()).count(), 9);
    let steps = || algorithms.iter().flat_map(|algorithm| &algorithm.steps);
    assert_eq!(steps().filter(|step| step.path.depth() == 1).count(), 873);
    assert_eq!(steps().count(), 1_555);
    assert_eq!(steps().map(|step| step.path.depth()).max(), Some(4));
    let mut exceptions = BTreeMap::new();
    for name in steps().flat_map(Step::exceptions) {
        *exceptions.entry(name).or_insert(0) += 1;
    }
    let counted = [
        ("InvalidStateError", 67),
        ("NotSupportedError", 2),
        ("OperationError", 1),
        ("SecurityError", 3),
        ("TypeError", 338),
        ("UnknownError", 5),
    ];
    assert_eq!(exceptions.into_iter().collect::<Vec<_>>(), counted);
}

#[test]
fn algorithms_are_named_as_code_names_them() {
    let Some(source) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let document = Document::read(&source).unwrap();
    for name in [
        "MLContext.destroy()",
        "MLGraphBuilder.MLGraphBuilder(context)",
        "MLContext.accelerated",
        "MLGraphBuilder/create a pooling operation",
        "create an MLOperandDescriptor",
        "list/equal",
        "MLOperandDescriptor/equal",
        "ConvertToInt",
    ] {
        assert!(document.algorithm(name).is_some(), "{name}");
    }
    let mut names: Vec<_> = document.algorithms.iter().map(Algorithm::name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 150);
}

#[test]
fn an_older_revision_is_read_as_well() {
    let Some(source) = paths::beside("shared/spec/webnn-db1e51c.bs") else { return };
    let document = Document::read(&source).unwrap();
    assert!(document.algorithms.len() > 140, "{}", document.algorithms.len());
    assert!(document.algorithm("MLContext.destroy()").is_some());
}

/// A row of a table, as an independent script extracted it.
#[derive(Debug, Deserialize)]
struct Extracted {
    required: serde_json::Value,
    ranks: (String, String),
}

#[test]
fn the_tables_are_those_that_an_independent_script_found() {
    let Some(source) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let document = Document::read(&source).unwrap();
    assert_eq!(document.tables.len(), 62);
    for table in &document.tables {
        assert_eq!(table.head.len(), 5, "{}", table.id);
        assert!(!table.link_for.is_empty() && !table.rows.is_empty(), "{}", table.id);
        assert!(table.rows.iter().all(|row| row.cells.len() == 5), "{}: {:?}", table.id, table.rows);
    }
    let Some(extracted) = paths::beside("shared/spec/limits-c515210.json") else { return };
    let extracted: BTreeMap<String, BTreeMap<String, Extracted>> =
        serde_json::from_str(&fs::read_to_string(extracted).unwrap()).unwrap();
    for (operator, rows) in extracted {
        let is_for = |method: &String| method.starts_with(&format!("MLGraphBuilder/{operator}("));
        let table = document.tables.iter().find(|table| table.link_for.iter().any(is_for)).unwrap();
        assert_eq!(table.rows.len(), rows.len(), "{operator}");
        for row in &table.rows {
            let Some(expected) = rows.get(&row.operand()) else { panic!("{operator}: {:?} in {rows:?}", row.cells[0]) };
            let values =
                |cell: &Cell| -> Vec<serde_json::Value> { cell.values().into_iter().map(Into::into).collect() };
            assert_eq!(serde_json::Value::Array(values(&row.cells[2])), expected.required, "{operator}");
            let ranks =
                [&expected.ranks.0, &expected.ranks.1].map(|rank| rank.replace("'s [=list/items=]", "'s items"));
            assert_eq!([row.cells[3].plain(), row.cells[4].plain()], ranks, "{operator}");
        }
    }
    let problems: Vec<_> = document.problems.iter().map(|problem| problem.what.as_str()).collect();
    assert_eq!(problems, ["this row of tensor-limits-prelu has no </tr>"]);
}

#[test]
fn what_else_was_counted_is_there() {
    let Some(source) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let document = Document::read(&source).unwrap();
    assert_eq!(document.decompositions.len(), 30);
    let functions: Vec<&String> = document.scripts.iter().flat_map(|script| &script.functions).collect();
    assert!(document.decompositions.iter().all(|decomposition| functions.contains(&&decomposition.name)));
    assert_eq!(functions.len(), 34, "and four that they use");
    // One of them forgets what it is for.
    let without_result = document.decompositions.iter().filter(|function| !function.text.contains("return"));
    assert_eq!(without_result.map(|function| function.name.as_str()).collect::<Vec<_>>(), ["where"]);
    let defined = |kind: &str| document.definitions.iter().filter(|definition| definition.kind == kind).count();
    assert_eq!(defined("method"), 111);
    let softmax = document.definitions.iter().find(|definition| definition.term == "softmax(input, axis, options)");
    assert_eq!(softmax.unwrap().defined_for, ["MLGraphBuilder"]);
}

/// Set `SPEC_REVISIONS` to a folder with more revisions of `index.bs`: whatever was published has to be readable.
#[test]
fn every_revision_is_read() {
    let Some(folder) = std::env::var_os("SPEC_REVISIONS") else { return };
    let mut unread = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match Document::read(&path) {
            Ok(document) => assert!(document.algorithms.len() > 30, "{}", path.display()),
            Err(error) => unread.push(error.to_string()),
        }
    }
    assert!(unread.is_empty(), "{unread:#?}");
}

#[test]
fn the_web_idl_is_read_as_it_is_written() {
    let Some(source) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let idl = Idl::of(&Document::read(&source).unwrap());
    assert_eq!(idl.problems, []);
    let builder = idl.interface("MLGraphBuilder").unwrap();
    assert_eq!(builder.methods.len(), 1 + 1 + 3 + 1 + 95);
    assert_eq!(idl.enumerations.iter().find(|it| it.name == "MLOperandDataType").unwrap().values.len(), 8);
    let groups = idl.all_members("MLConv2dOptions").into_iter().find(|member| member.name == "groups").unwrap();
    assert_eq!((groups.line, groups.default.as_deref()), (2904, Some("1")));
}
