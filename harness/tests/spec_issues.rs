//! SPEC_ISSUES.md, the code and the vectors agree on where the specification's text is wrong, and each vector that names
//! such a place does what it says under both readings.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use webnn_harness::trials::{CameTo, Ended, Runner, vectors};
use webnn_vectors::{Kind, Literal, LiteralOutcome, Vector};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The ids in the calls of `literal!`, outside of tests, which come last in a file.
fn ids_in_the_code() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in source_files(&Path::new(REPOSITORY).join("reference/src")) {
        let text = read(&file);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            ids.extend(line.split("literal!(\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
    ids
}

/// The entries of part one of SPEC_ISSUES.md: the id, which is the heading, and the text below it.
fn entries() -> Vec<(String, String)> {
    let text = read(Path::new(REPOSITORY).join("SPEC_ISSUES.md"));
    let part = text.split("\n## ").find(|part| part.starts_with("Part one")).expect("a heading `## Part one ...`");
    let entries = part.split("\n### ").skip(1).map(|entry| entry.split_once('\n').expect("text below the heading"));
    entries.map(|(heading, text)| (heading.trim().to_owned(), text.to_owned())).collect()
}

/// The vectors that name a place where the text is wrong.
fn vectors_with_a_claim() -> Vec<(Vector, Literal)> {
    let vectors = vectors().unwrap_or_else(|error| panic!("{error}"));
    vectors.into_iter().filter_map(|vector| Some((vector.clone(), vector.literal?))).collect()
}

#[test]
fn code_ledger_and_vectors_name_the_same_issues() {
    let code = ids_in_the_code();
    let entries = entries();
    let ledger: BTreeSet<String> = entries.iter().map(|(id, _)| id.clone()).collect();
    let vectors: BTreeSet<String> = vectors_with_a_claim().into_iter().map(|(_, literal)| literal.issue).collect();
    assert_eq!(entries.len(), ledger.len(), "an id of SPEC_ISSUES.md has two entries: make them one");
    assert!(!code.is_empty(), "no literal!(\"...\") was found in reference/src: this test looks in the wrong place");
    let missing =
        |from: &BTreeSet<String>, of: &BTreeSet<String>| of.difference(from).cloned().collect::<Vec<_>>().join(", ");
    let problems = [
        ("SPEC_ISSUES.md, part one, lacks an entry for", missing(&ledger, &code)),
        (
            "SPEC_ISSUES.md, part one, has an entry that no literal!(\"...\") in reference/src has:",
            missing(&code, &ledger),
        ),
        ("no vector's `literal.issue` names (add one, see wpt-tests/README.md)", missing(&vectors, &code)),
        ("a vector's `literal.issue` names what no literal!(\"...\") in reference/src has:", missing(&code, &vectors)),
    ];
    let problems: Vec<_> = problems.iter().filter(|(_, ids)| !ids.is_empty()).collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn each_entry_names_a_vector_that_tells_the_two_readings_apart() {
    let claims = vectors_with_a_claim();
    for (id, text) in entries() {
        let of_this_issue = claims.iter().filter(|(_, literal)| literal.issue == id);
        let is_named = of_this_issue.map(|(vector, _)| &vector.id).any(|vector| text.contains(&format!("`{vector}`")));
        assert!(is_named, "SPEC_ISSUES.md: {id} has to name, as `FILE/NAME`, a vector whose `literal.issue` is {id}");
    }
}

/// Whether what a vector came to under the text as written is what its `literal.outcome` says.
fn is_as_claimed(vector: &Vector, outcome: LiteralOutcome, came_to: &CameTo) -> bool {
    let expects_an_exception = match &vector.kind {
        Kind::Graph { .. } => false,
        Kind::Negative { .. } => true,
        Kind::Scenario { steps } => steps.iter().any(|step| step.throws.is_some()),
    };
    match (outcome, came_to) {
        (LiteralOutcome::Passes, CameTo::Expected) => !expects_an_exception,
        (LiteralOutcome::Passes, CameTo::NoException)
        | (LiteralOutcome::Throws, CameTo::Exception(_))
        | (LiteralOutcome::Differs, CameTo::Other(_)) => true,
        (LiteralOutcome::Passes, CameTo::Exception(_) | CameTo::Other(_))
        | (LiteralOutcome::Throws, CameTo::Expected | CameTo::NoException | CameTo::Other(_))
        | (LiteralOutcome::Differs, CameTo::Expected | CameTo::NoException | CameTo::Exception(_)) => false,
    }
}

#[test]
fn each_claim_holds_under_both_readings() {
    let (corrected, literal) = (Runner::reference(), Runner::literal());
    let mut problems = Vec::new();
    for (vector, claim) in vectors_with_a_claim() {
        match corrected.run(&vector) {
            Ended::Passed => {}
            other => problems.push(format!("{}: as the text is meant, it has to pass: {other:?}", vector.id)),
        }
        let came_to = literal.came_to(&vector);
        if !is_as_claimed(&vector, claim.outcome, &came_to) {
            let Literal { issue, outcome } = claim;
            problems
                .push(format!("{}: {issue}: it says {outcome:?} of the text as written, but: {came_to:?}", vector.id));
        }
    }
    assert!(
        problems.is_empty(),
        "{problems:#?}\nread the step in the specification, and correct the code, or the claim in wpt-tests/generate"
    );
}

#[test]
fn a_vector_without_a_claim_goes_the_same_way_under_both_readings() {
    let literal = Runner::literal();
    let vectors = vectors().unwrap_or_else(|error| panic!("{error}"));
    let problems: Vec<_> = vectors
        .iter()
        .filter(|vector| vector.literal.is_none())
        .map(|vector| (&vector.id, literal.came_to(vector)))
        .filter(|(_, came_to)| *came_to != CameTo::Expected)
        .collect();
    assert!(
        problems.is_empty(),
        "{problems:#?}\nunder the text as written these vectors do not go as expected: \
         give them a `literal` member (in wpt-tests/generate), or find out what else is wrong"
    );
}
