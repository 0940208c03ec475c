//! What the specification's decompositions do is what SPEC_ISSUES.md says of them.
//!
//! Skipped where the specification's source is not beside the repository.

use std::collections::BTreeSet;
use std::path::Path;

use webnn_harness::trials::parting_decompositions;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn the_ledger_names_the_decompositions_that_part_from_their_operators() {
    let source = Path::new(REPOSITORY).join("../shared/spec/webnn-c515210.bs");
    if !source.exists() {
        #[allow(clippy::print_stderr)] // Says why nothing was tested.
        {
            eprintln!("skipped: the specification's source is not at {}", source.display());
        }
        return;
    };
    let ledger = std::fs::read_to_string(Path::new(REPOSITORY).join("SPEC_ISSUES.md")).expect("SPEC_ISSUES.md");
    let part =
        ledger.split("\n## ").find(|part| part.starts_with("Part three")).expect("a heading `## Part three ...`");
    let headings = part.lines().filter_map(|line| line.strip_prefix("### "));
    let listed: BTreeSet<String> = headings.filter(|heading| !heading.contains(' ')).map(str::to_owned).collect();
    let (count, parting) = parting_decompositions(&source).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(count, 30);
    assert_eq!(parting, listed);
}
