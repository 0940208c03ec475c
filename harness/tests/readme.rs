//! The score table of README.md says what is true now.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use similar::TextDiff;
use webnn_harness::trials::{Ended, Runner, vectors};

const BEGIN: &str = "<!-- score: begin -->\n";
const END: &str = "<!-- score: end -->";

/// How many vectors of a file there are, and how many pass.
#[derive(Clone, Copy, Default)]
struct Score {
    vectors: usize,
    reference: usize,
    wgpu: usize,
}

#[test]
#[expect(clippy::print_stderr, reason = "what a test leaves out has to be seen")]
fn the_score_table_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(BEGIN).expect("README.md has the begin of a score table");
    let (table, after) = rest.split_once(END).expect("README.md has the end of a score table");
    let (counted, has_adapter) = score();
    if !has_adapter {
        let unchecked = without_wgpu(table);
        assert_eq!(unchecked, without_wgpu(&counted), "README.md's score differs; BLESS=1 with an adapter renews it");
        eprintln!("the column of wgpu is not checked: there is no adapter");
        return;
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{counted}{END}{after}")).unwrap();
    } else if table != counted {
        let difference = TextDiff::from_lines(table, counted.as_str()).unified_diff().to_string();
        panic!("README.md's score is not what it says; BLESS=1 renews it\n{difference}");
    }
}

/// The table as it is now, and whether wgpu ran.
fn score() -> (String, bool) {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let (reference, wgpu) = (Runner::reference(), Runner::wgpu());
    let mut has_adapter = false;
    for vector in vectors().unwrap() {
        let file = vector.id.split('/').next().unwrap_or_default().to_owned();
        let on_wgpu = wgpu.run(&vector);
        has_adapter |= !matches!(on_wgpu, Ended::Skipped(_));
        for score in [file, "**all**".to_owned()] {
            let score = scores.entry(score).or_default();
            score.vectors += 1;
            score.reference += usize::from(reference.run(&vector) == Ended::Passed);
            score.wgpu += usize::from(on_wgpu == Ended::Passed);
        }
    }
    let all = scores.remove("**all**").unwrap_or_default();
    let mut table = "| vectors of | vectors | reference | wgpu (Mesa lavapipe) |\n|---|---:|---:|---:|\n".to_owned();
    for (file, score) in scores.iter().map(|(file, score)| (file.as_str(), *score)).chain([("**all**", all)]) {
        writeln!(table, "| {file} | {} | {} | {} |", score.vectors, score.reference, score.wgpu).unwrap();
    }
    (table, has_adapter)
}

fn without_wgpu(table: &str) -> Vec<String> {
    let columns = |line: &str| line.rsplitn(3, '|').last().unwrap_or_default().to_owned();
    table.lines().map(columns).collect()
}

/// The vectors that the README's examples name are there.
#[test]
fn the_examples_name_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let names: Vec<String> = vectors().unwrap().into_iter().map(|vector| vector.name).collect();
    let mut examples = 0;
    for line in readme.lines().filter(|line| line.starts_with("webnn show ") || line.starts_with("webnn explain ")) {
        let name = line.split('"').nth(1).expect("an example names its vector in quotes");
        assert!(names.iter().any(|known| known == name), "README.md: no vector is named {name:?}");
        examples += 1;
    }
    assert!(examples > 0, "README.md has examples of show and explain");
}
