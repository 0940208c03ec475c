//! The code and the specification have the same steps, in the same order.
//!
//! The facts about the specification are read from beside the repository; where they are not, there is nothing to
//! compare with, and only the order is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const FACTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spec/algorithms-c515210.json");

/// The steps that a stretch of code names: from where it opens the frame of an algorithm to the next such place, or to
/// the next function.
#[derive(Debug)]
struct Stretch {
    place: String,
    algorithm: String,
    steps: Vec<String>,
}

/// The path of a step, as numbers.
fn path(step: &str) -> Vec<u32> {
    step.split('.').map(|number| number.parse().unwrap_or_else(|_| panic!("{step} is no path"))).collect()
}

fn source_files(directory: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("the crate's own source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            source_files(&path, files);
        } else {
            files.push(path.to_str().expect("a name in UTF-8").to_owned());
        }
    }
}

/// The text with each call of `algorithm!` that is broken after its parenthesis on one line, and empty lines where the
/// rest of it was.
fn unbroken(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for index in 1..lines.len() {
        if lines[index - 1].trim_start().starts_with("algorithm!(") && lines[index - 1].ends_with('(') {
            let argument = std::mem::take(&mut lines[index]);
            lines[index - 1].push_str(argument.trim_start());
        }
    }
    lines.join("\n")
}

/// The first string literal after `macro_name!(`, for each occurrence in a line, with where it stands.
fn calls<'a>(line: &'a str, macro_name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    line.match_indices(macro_name).filter_map(|(position, _)| {
        let argument = line[position + macro_name.len()..].strip_prefix("!(\"")?;
        Some((position, argument.split('"').next().expect("a first part")))
    })
}

fn is_function(line: &str) -> bool {
    let words = line.split_whitespace().map(|word| word.split('(').next().expect("a first part"));
    words.skip_while(|word| matches!(*word, "pub" | "const" | "async")).map(|word| word == "fn").next().unwrap_or(false)
}

fn stretches() -> Vec<Stretch> {
    let mut files = Vec::new();
    source_files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    files.sort();
    let mut stretches = Vec::new();
    for file in files {
        let text = unbroken(&fs::read_to_string(&file).expect("readable source"));
        let mut open: Option<Stretch> = None;
        // Tests come last, and open frames of their own.
        let lines = text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]");
        for (index, line) in lines.filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let place = format!("{file}:{}", index + 1);
            if is_function(line) {
                stretches.extend(open.take());
            }
            for (_, algorithm) in calls(line, "algorithm") {
                stretches.extend(open.take());
                open = Some(Stretch { place: place.clone(), algorithm: algorithm.to_owned(), steps: vec![] });
            }
            for (_, step) in calls(line, "step") {
                let Some(stretch) = &mut open else { panic!("{place}: step {step} of no algorithm") };
                stretch.steps.push(step.to_owned());
            }
        }
        stretches.extend(open.take());
    }
    stretches.retain(|stretch| stretch.algorithm != "Web IDL");
    stretches
}

/// Each algorithm's steps, by the name that `algorithm!` gives it.
fn facts() -> Option<BTreeMap<String, Vec<String>>> {
    let text = fs::read_to_string(FACTS).ok()?;
    let facts: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let string = |value: &serde_json::Value| value.as_str().expect("a string").replace(['{', '}'], "");
    let entries = facts.as_array().expect("a list").iter().map(|fact| {
        let name = string(&fact["name"]);
        let name = match (&fact["for"], fact["kind"].as_str().expect("a kind")) {
            (serde_json::Value::Null, _) => name,
            (interface, "concept") => format!("{}/{name}", string(interface)),
            (interface, _) => format!("{}.{name}", string(interface)),
        };
        let steps = fact["steps"].as_array().expect("a list").iter().map(|step| string(&step[0])).collect();
        (name, steps)
    });
    Some(entries.collect())
}

#[test]
fn a_function_names_its_steps_in_the_order_of_the_specification() {
    let stretches = stretches();
    assert!(stretches.len() > 100, "the source is not read as it should be: {stretches:?}");
    let mut differences = Vec::new();
    for Stretch { place, algorithm, steps } in stretches {
        let disordered = steps.windows(2).filter(|pair| path(&pair[0]) >= path(&pair[1]));
        differences
            .extend(disordered.map(|pair| format!("{place}: {algorithm}: {} stands before {}", pair[0], pair[1])));
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
#[expect(clippy::print_stderr, reason = "what a test leaves out has to be seen")]
fn each_algorithm_has_the_steps_of_the_specification() {
    let Some(facts) = facts() else {
        eprintln!("skipped: there is no {FACTS}");
        return;
    };
    let mut encoded: BTreeMap<String, BTreeSet<Vec<u32>>> = BTreeMap::new();
    for Stretch { place, algorithm, steps } in stretches() {
        // `spec-diff check` holds the proposals to their prose; Web IDL's conversions are not the specification's.
        if place.contains("/src/proposals/") || algorithm == "Web IDL" {
            continue;
        }
        encoded.entry(algorithm).or_default().extend(steps.iter().map(|step| path(step)));
    }
    let mut differences = Vec::new();
    for (algorithm, steps) in encoded {
        let Some(expected) = facts.get(&algorithm) else {
            differences.push(format!("{algorithm}: the specification has no such algorithm"));
            continue;
        };
        let expected: BTreeSet<_> = expected.iter().map(|step| path(step)).collect();
        differences.extend(expected.difference(&steps).map(|step| format!("{algorithm}: step {step:?} is not named")));
        differences.extend(steps.difference(&expected).map(|step| format!("{algorithm}: there is no step {step:?}")));
    }
    assert!(differences.is_empty(), "{differences:#?}");
}
