//! The check itself, on this repository: the proposals, and the pinned revision of the specification.

mod paths;

use std::fs;

use spec_diff::check::{Report, Role, Source, check};
use spec_diff::code::Code;
use spec_diff::render::{View, report};

fn proposals() -> Vec<Source> {
    let entries = fs::read_dir(paths::above(1).join("spec-diff/proposals")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bs"));
    paths.sort();
    paths.iter().map(|path| Source::read(path, Role::Proposal).unwrap()).collect()
}

fn code() -> Code {
    Code::read(&paths::above(1).join("reference/src")).unwrap()
}

fn assert_clean(found: &Report) {
    let mut text = Vec::new();
    report(found, &View { code: "reference/src".into(), verbose: false }, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(found.is_clean(), "\n{}", anstream::adapter::strip_str(&text));
}

#[test]
fn the_proposals_are_encoded_step_by_step() {
    let proposals = proposals();
    assert!(!proposals.is_empty());
    assert_clean(&check(&code(), &proposals));
}

#[test]
fn what_is_encoded_of_the_specification_has_its_steps() {
    let Some(path) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let mut sources = vec![Source::read(&path, Role::Specification).unwrap()];
    sources.extend(proposals());
    assert_clean(&check(&code(), &sources));
}
