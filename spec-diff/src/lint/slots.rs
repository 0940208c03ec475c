//! Internal slots: set before they are read, and read at all.

use crate::bikeshed::Definition;
use crate::bikeshed::inline::Inline;

use super::Finding;
use super::prepared::{Prepared, Sentence};

pub(super) fn never_set(prepared: &Prepared<'_>) -> Vec<Finding> {
    let unset = slots(prepared).filter(|(owner, slot)| {
        let sets = |sentence: &Sentence<'_>| sets(sentence, owner, &slot.term);
        !prepared.steps().any(sets)
    });
    let finding = |(owner, slot): (&str, &Definition)| Finding {
        line: slot.line,
        rule: "slot-never-set",
        subject: format!("{owner}/{}", slot.term),
        what: "No step gives this slot a first value.".to_owned(),
    };
    unset.map(finding).collect()
}

pub(super) fn never_read(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (owner, slot) in slots(prepared) {
        let link = format!("{owner}/{}", slot.term);
        let mentions = prepared.text.matches(&link).count();
        let settings = prepared.steps().filter(|sentence| sets(sentence, owner, &slot.term)).count();
        if mentions <= settings {
            let what = "Nothing reads this slot.".to_owned();
            findings.push(Finding { line: slot.line, rule: "slot-never-read", subject: link, what });
        }
    }
    findings
}

fn slots<'p>(prepared: &'p Prepared<'_>) -> impl Iterator<Item = (&'p str, &'p Definition)> {
    let slots = prepared.document.definitions.iter().filter(|definition| definition.term.starts_with("[["));
    slots.filter_map(|definition| definition.defined_for.first().map(|owner| (owner.as_str(), definition)))
}

/// Whether a step gives the slot a value as a whole: not an item of it.
fn sets(sentence: &Sentence<'_>, owner: &str, slot: &str) -> bool {
    let is_slot = |part: &Inline| match part {
        Inline::Link(link) => link.defined_for.as_deref() == Some(owner) && link.term == slot,
        Inline::Text(_) | Inline::Variable(_) | Inline::Code(_) => false,
    };
    sentence.parts.iter().enumerate().any(|(place, part)| {
        let Some(Inline::Text(set)) = place.checked_sub(3).map(|before| &sentence.parts[before]) else { return false };
        let begins = ["set ", "create "].iter().any(|word| set.to_lowercase().ends_with(word));
        let is_item = matches!(sentence.parts.get(place + 1), Some(Inline::Text(text)) if text.starts_with('['));
        is_slot(part) && begins && !is_item
    })
}
