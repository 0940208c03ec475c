//! What the lint finds in one revision and not in the other.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Fate, Revisions};
use crate::lint::{Finding, lint};

/// A finding that came or went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingChange {
    /// Whether it came or went.
    pub fate: Fate,
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

/// Findings of a rule about one thing, whatever the numbers of its steps are.
type Groups = BTreeMap<(&'static str, String), Vec<Finding>>;

pub(super) fn changes(revisions: &Revisions<'_>) -> Vec<FindingChange> {
    // A proposal is put into the specification, so that there is no text of the whole.
    if std::ptr::eq(revisions.old_text, revisions.new_text) || revisions.old_text == revisions.new_text {
        return Vec::new();
    }
    let old = groups(lint(revisions.old, revisions.old_text));
    let new = groups(lint(revisions.new, revisions.new_text));
    let keys: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let none = Vec::new();
    let mut changes = Vec::new();
    for key in keys {
        let (was, is) = (old.get(key).unwrap_or(&none), new.get(key).unwrap_or(&none));
        let change = |fate| move |finding: Finding| FindingChange { fate, finding };
        changes.extend(more(is, was).into_iter().map(change(Fate::Added)));
        changes.extend(more(was, is).into_iter().map(change(Fate::Removed)));
    }
    changes.sort_by_key(|change| change.finding.line);
    changes
}

fn groups(findings: Vec<Finding>) -> Groups {
    let mut groups = Groups::new();
    for finding in findings {
        let subject = finding.subject.split(" step ").next().unwrap_or_default().to_owned();
        groups.entry((finding.rule, subject)).or_default().push(finding);
    }
    groups
}

/// As many findings of one side as it has more than the other: first those that say what none there says.
fn more(these: &[Finding], others: &[Finding]) -> Vec<Finding> {
    let is_known = |finding: &&Finding| others.iter().any(|other| other.what == finding.what);
    let (known, new): (Vec<&Finding>, Vec<&Finding>) = these.iter().partition(is_known);
    new.into_iter().chain(known).take(these.len().saturating_sub(others.len())).cloned().collect()
}
