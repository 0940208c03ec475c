//! Links to what is not there, and to what belongs to something else.

use crate::bikeshed::inline::{self, Inline, Link, LinkKind};

use super::Finding;
use super::prepared::Prepared;
use super::variables::type_of;

pub(super) fn broken(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in prepared.prose_lines() {
        for part in inline::parts(text) {
            let Inline::Link(link) = part else { continue };
            if let Some(owner) = missing(prepared, &link) {
                let what = format!("{owner} has no {}.", link.term);
                findings.push(Finding {
                    line,
                    rule: "broken-link",
                    subject: format!("a link to {owner}/{}", link.term),
                    what,
                });
            }
        }
    }
    findings
}

/// What a link is for, if that is defined here and has no such thing.
fn missing(prepared: &Prepared<'_>, link: &Link) -> Option<String> {
    let owner = link.defined_for.as_deref().filter(|owner| !owner.is_empty())?;
    let is_defined = prepared.document.definitions.iter().any(|definition| {
        definition.defined_for.iter().any(|target| target == owner) && definition.is_called(&link.term)
    });
    if is_defined {
        return None;
    }
    let idl = &prepared.idl;
    let term = link.term.as_str();
    if let Some(enumeration) = idl.enumerations.iter().find(|enumeration| enumeration.name == owner) {
        return (!enumeration.values.iter().any(|value| value == term.trim_matches('"'))).then(|| owner.to_owned());
    }
    if idl.dictionary(owner).is_some() {
        return (!idl.all_members(owner).iter().any(|member| member.name == term)).then(|| owner.to_owned());
    }
    // What else a part of an interface has is not known here.
    let interface = idl.interface(owner).filter(|interface| !interface.is_partial)?;
    let is_member = match link.kind {
        LinkKind::Term => false,
        LinkKind::Idl => {
            let name = term.split('(').next().unwrap_or_default();
            let has_method = interface.methods.iter().any(|method| {
                let is_any = term.ends_with("()") && method.name == name;
                is_any || method.signature() == term || (method.name == "constructor" && name == owner)
            });
            has_method || interface.attributes.iter().any(|attribute| attribute.name == term)
        }
    };
    (!is_member).then(|| owner.to_owned())
}

pub(super) fn wrong_interface(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_ours = |name: &str| prepared.idl.interface(name).is_some() || prepared.idl.dictionary(name).is_some();
    for prose in &prepared.algorithms {
        for sentence in &prose.steps {
            for parts in sentence.parts.windows(3) {
                let [Inline::Variable(variable), Inline::Text(of), Inline::Link(link)] = parts else { continue };
                let (Some(type_), Some(owner)) = (type_of(prose, variable), link.defined_for.as_deref()) else {
                    continue;
                };
                if !matches!(of.as_str(), "." | "'s ")
                    || !is_ours(type_)
                    || !is_ours(owner)
                    || has(prepared, type_, owner)
                {
                    continue;
                }
                let what = format!("|{variable}| is an {type_}, and {} is of {owner}.", link.term);
                findings.push(prose.finding("wrong-interface", sentence, what));
            }
        }
    }
    findings
}

/// Whether a type is another one, or inherits from it.
fn has(prepared: &Prepared<'_>, type_: &str, owner: &str) -> bool {
    let mut next = Some(type_);
    for _ in 0..prepared.idl.dictionaries.len() + 1 {
        match next {
            Some(name) if name == owner => return true,
            Some(name) => next = prepared.idl.dictionary(name).and_then(|dictionary| dictionary.inherits.as_deref()),
            None => return false,
        }
    }
    false
}
