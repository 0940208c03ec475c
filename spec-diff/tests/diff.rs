//! The difference between two revisions.

mod paths;

use std::path::Path;

use spec_diff::bikeshed::Document;
use spec_diff::diff::text::View;
use spec_diff::diff::{Diff, Fate, Ours, Revisions, diff, markdown, text};

fn between(old: &str, new: &str) -> Diff {
    let (old_document, new_document) = (Document::parse(old).unwrap(), Document::parse(new).unwrap());
    let revisions = Revisions {
        old_path: Path::new("old.bs"),
        old_text: old,
        old: &old_document,
        new_path: Path::new("new.bs"),
        new_text: new,
        new: &new_document,
    };
    diff(&revisions, Ours::default())
}

const OLD: &str = "\
# Machines # {#machines}

Some text.

<div algorithm>
The <dfn method for=Machine>run(|coin|)</dfn> steps are:
    1. Check |coin|.
    1. Turn:
        1. Once.
        1. Twice.

            Note: Slowly.
    1. Return.
</div>
<div algorithm>
To <dfn for=Machine>stop</dfn>:
    1. Halt.
    1. Rest.
    1. Sleep.
</div>
<script type=idl>
dictionary MachineOptions {
  unsigned long speed = 1;
};
</script>
";

#[test]
fn nothing_changed_where_nothing_did() {
    assert!(between(OLD, OLD).is_empty());
}

#[test]
fn a_step_that_is_put_in_is_the_only_one_that_changed() {
    let found = between(OLD, &OLD.replace("    1. Turn:\n", "    1. Wait.\n    1. Turn:\n"));
    let [change] = found.algorithms.as_slice() else { panic!("{found:?}") };
    assert_eq!((change.fate, change.steps.len(), change.steps[0].fate), (Fate::Changed, 1, Fate::Added));
    assert_eq!(change.steps[0].sides.new.as_ref().unwrap().step, "2");
    assert_eq!(change.renumbered.len(), 4);
    assert!(found.elsewhere.is_empty() && found.facts.is_empty());
}

#[test]
fn words_notes_names_and_facts_are_told_apart() {
    let new = OLD
        .replace("Check |coin|", "Test |coin|")
        .replace("Slowly", "Quickly")
        .replace("To <dfn for=Machine>stop</dfn>", "To <dfn for=Machine>halt</dfn>")
        .replace("speed = 1", "speed = 2")
        .replace("Some text", "Other text");
    let found = between(OLD, &new);
    let mut out = Vec::new();
    let view = View { old: "old.bs".into(), new: "new.bs".into(), side_by_side: None };
    text::write(&found, &view, &mut out).unwrap();
    let shown = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
    let expected = "\
Machine.run(coin) changed  old.bs:5  new.bs:5
  step 1 changed
    - Check |coin|.  old.bs:7
    + Test |coin|.  new.bs:7
  step 2.2 changed, its notes only
    - Twice. Note: Slowly.  old.bs:10
    + Twice. Note: Quickly.  new.bs:10

Machine/halt renamed, was Machine/stop  old.bs:15  new.bs:15
  before its steps
    - To <dfn for=Machine>stop</dfn>:  old.bs:15
    + To <dfn for=Machine>halt</dfn>:  new.bs:15

member MachineOptions.speed changed
    - unsigned long = 1  old.bs:23
    + unsigned long = 2  new.bs:23

other text
  new.bs:3: 1 line, was old.bs:3: 1 line  Machines

algorithms: 0 added, 0 removed, 1 renamed, 1 changed, with 2 steps that changed; rows of tables: 0; declarations: 1; \
decompositions: 0; other text: 1 place
";
    assert_eq!(shown, expected);

    let mut out = Vec::new();
    markdown::write(&found, &view, &mut out).unwrap();
    let shown = String::from_utf8(out).unwrap();
    assert!(shown.contains("- **1** changed: <del>Check</del><ins>Test</ins> \\|coin\\|.\n"), "{shown}");
    assert!(
        shown.contains("| `MachineOptions.speed` | changed | unsigned long = <del>1</del><ins>2</ins> |"),
        "{shown}"
    );

    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["algorithms"][0]["steps"][0]["old"]["text"], "Check |coin|.");
    assert_eq!(json["algorithms"][1]["old_name"], "Machine/stop");
}

#[test]
fn algorithms_come_and_go() {
    let found = between(
        OLD,
        &OLD.replace("for=Machine>stop", "for=Engine>warm up").replace("Halt", "Heat").replace("Rest", "Work"),
    );
    let fates: Vec<_> = found.algorithms.iter().map(|change| (change.name.as_str(), change.fate)).collect();
    assert_eq!(fates, [("Engine/warm up", Fate::Added), ("Machine/stop", Fate::Removed)]);
}

/// Checked by hand against a line diff of the two files.
#[test]
fn between_the_two_revisions_three_algorithms_changed() {
    let (Some(old), Some(new)) =
        (paths::beside("shared/spec/webnn-db1e51c.bs"), paths::beside("shared/spec/webnn-c515210.bs"))
    else {
        return;
    };
    let [old, new] = [old, new].map(|path| std::fs::read_to_string(path).unwrap());
    let found = between(&old, &new);
    let changed: Vec<_> = found.algorithms.iter().map(|change| (change.name.as_str(), change.steps.len())).collect();
    let expected = [
        ("MLGraphBuilder.concat(inputs, axis, options)", 1),
        ("MLGraphBuilder.conv2d(input, filter, options)", 1),
        ("MLGraphBuilder.split(input, splits, options)", 2),
    ];
    assert_eq!(changed, expected);
    assert!(found.facts.iter().all(|change| change.kind == "row"));
    assert!(found.decompositions.is_empty());
    assert_eq!(found.elsewhere.len(), 6);
}
