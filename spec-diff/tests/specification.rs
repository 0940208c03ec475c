//! The reader, held against the specification itself.

mod paths;

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use spec_diff::bikeshed::{Algorithm, Document, Kind, Step};

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
