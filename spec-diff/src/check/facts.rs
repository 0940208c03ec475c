//! Whether tables and Web IDL are in code what they are in the lock.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::finding::Finding;
use crate::code::Place;
use crate::facts::{Facts, Kind, Subject};
use crate::lock::{Hash, Lock};

/// What of the code is not what the lock has.
pub(super) fn compare(code: &Facts, lock: &Lock) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (subject, (hash, line)) in &lock.facts {
        let Some(fact) = code.get(subject) else {
            let place = Place { file: Arc::clone(&lock.path), line: *line };
            let what = format!("no code has this {}: declare it", subject.kind.as_str());
            findings.push(Finding { place, subject: subject.name.clone(), what });
            continue;
        };
        if Hash::of([fact.text.as_str()]) != *hash {
            let what =
                format!("the specification has another {} than `{}`: compare them", subject.kind.as_str(), fact.text);
            findings.push(Finding { place: fact.place.clone(), subject: subject.name.clone(), what });
        }
    }
    findings.extend(added_members(code, lock));
    findings
}

/// Members that only the code has.
fn added_members(code: &Facts, lock: &Lock) -> Vec<Finding> {
    let dictionary = |subject: &Subject| subject.name.split('.').next().unwrap_or_default().to_owned();
    let is_member = |subject: &&Subject| subject.kind == Kind::Member;
    let dictionaries: BTreeSet<String> = lock.facts.keys().filter(is_member).map(dictionary).collect();
    let added = code.iter().filter(|(subject, fact)| {
        is_member(subject)
            && dictionaries.contains(&dictionary(subject))
            && !lock.facts.contains_key(subject)
            // A dictionary that inherits has the other one as a field.
            && !dictionaries.contains(&fact.text)
    });
    let finding = |(subject, fact): (&Subject, &crate::facts::Fact)| {
        let what = "the specification has no such member: remove it, or upgrade the lock".to_owned();
        Finding { place: fact.place.clone(), subject: subject.name.clone(), what }
    };
    added.map(finding).collect()
}
