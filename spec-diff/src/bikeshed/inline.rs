//! A line of prose, taken apart into words, variables and links.
//!
//! These are Bikeshed's short forms: `|variable|`, `[=term=]`, `[=for/term|shown text=]`, `{{Interface/member}}`,
//! `{{Enumeration/"value"}}`, `{{Interface/[[slot]]}}` and `` `code` ``.

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Words between the other parts, with the white space around them.
    Text(String),
    /// A variable.
    Variable(String),
    /// A link to a definition.
    Link(Link),
    /// Code.
    Code(String),
}

/// A link to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Which kind of definition it asks for.
    pub kind: LinkKind,
    /// What the definition has to be *for*, if the link says; empty if it says "nothing" with a leading slash.
    pub defined_for: Option<String>,
    /// The defined term.
    pub term: String,
    /// What is shown, if that is something else.
    pub shown: Option<String>,
}

/// The kinds of [`Link`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A concept: `[=...=]`.
    Term,
    /// Something of an IDL block: `{{...}}`.
    Idl,
}

impl Link {
    /// The text that a reader sees.
    pub fn text(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.term)
    }

    /// Whether it links to a term, whatever that is defined for; conjugations of the term are links to it too.
    pub fn is_to(&self, term: &str) -> bool {
        super::conjugation::is_same_term(&self.term, term)
    }
}

/// Takes a line apart.
pub fn parts(text: &str) -> Vec<Inline> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let Some((part, length)) = marked(rest) else {
            plain.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        if let Some(part) = part {
            if !plain.is_empty() {
                parts.push(Inline::Text(std::mem::take(&mut plain)));
            }
            parts.push(part);
        }
        rest = &rest[length..];
    }
    if !plain.is_empty() {
        parts.push(Inline::Text(plain));
    }
    parts
}

/// The part that begins here, if it is no plain text, and its length. Tags are parts that nobody sees.
fn marked(text: &str) -> Option<(Option<Inline>, usize)> {
    let enclosed = |open: &str, close: &str| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(close)?;
        Some((&inner[..end], open.len() + end + close.len()))
    };
    if let Some((inner, length)) = enclosed("[=", "=]") {
        return Some((Some(Inline::Link(term_link(inner))), length));
    }
    if let Some((inner, length)) = enclosed("{{", "}}") {
        return Some((Some(Inline::Link(idl_link(inner))), length));
    }
    if let Some((inner, length)) = enclosed("<var>", "</var>") {
        return Some((Some(Inline::Variable(inner.trim().to_owned())), length));
    }
    if let Some((inner, length)) = enclosed("`", "`") {
        return Some((Some(Inline::Code(inner.to_owned())), length));
    }
    if let Some((inner, length)) = enclosed("|", "|")
        && is_variable(inner)
    {
        return Some((Some(Inline::Variable(inner.to_owned())), length));
    }
    let is_tag = |inner: &str| inner.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    enclosed("<", ">").filter(|(inner, _)| is_tag(inner)).map(|(_, length)| (None, length))
}

fn is_variable(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    begins && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ' ' | '.'))
}

fn term_link(inner: &str) -> Link {
    let (target, shown) = target_and_shown(inner);
    let (defined_for, term) = match target.rsplit_once('/') {
        Some((defined_for, term)) => (Some(defined_for.trim().to_owned()), term.trim()),
        None => (None, target),
    };
    Link { kind: LinkKind::Term, defined_for, term: term.to_owned(), shown }
}

fn idl_link(inner: &str) -> Link {
    let (target, shown) = target_and_shown(inner);
    let target = target.split("!!").next().unwrap_or_default();
    // A slash in a quoted value separates nothing.
    let split = if target.ends_with('"') { target.split_once('/') } else { target.rsplit_once('/') };
    let (defined_for, term) = match split {
        Some((defined_for, term)) => (Some(defined_for.trim().to_owned()), term.trim()),
        None => (None, target),
    };
    Link { kind: LinkKind::Idl, defined_for, term: term.to_owned(), shown }
}

fn target_and_shown(inner: &str) -> (&str, Option<String>) {
    match inner.split_once('|') {
        Some((target, shown)) => (target.trim(), Some(shown.trim().to_owned())),
        None => (inner.trim(), None),
    }
}

/// The text as a reader sees it: links as what they show, variables as their names, and no tags.
pub fn plain(text: &str) -> String {
    let mut plain = String::new();
    for part in parts(text) {
        match part {
            Inline::Text(text) | Inline::Variable(text) | Inline::Code(text) => plain.push_str(&text),
            Inline::Link(link) => plain.push_str(link.text()),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(kind: LinkKind, defined_for: Option<&str>, term: &str, shown: Option<&str>) -> Inline {
        let own = |text: &str| text.to_owned();
        Inline::Link(Link { kind, defined_for: defined_for.map(own), term: own(term), shown: shown.map(own) })
    }

    #[test]
    fn each_short_form_is_a_part() {
        let text = "Let |x| be <em>the</em> [=list/size=] of {{A/[[b]]}}, `c` or {{E/\"x/y\"}}: [=/any|N=] < 1 | 2";
        let word = |text: &str| Inline::Text(text.to_owned());
        let expected = [
            word("Let "),
            Inline::Variable("x".into()),
            word(" be the "),
            link(LinkKind::Term, Some("list"), "size", None),
            word(" of "),
            link(LinkKind::Idl, Some("A"), "[[b]]", None),
            word(", "),
            Inline::Code("c".into()),
            word(" or "),
            link(LinkKind::Idl, Some("E"), "\"x/y\"", None),
            word(": "),
            link(LinkKind::Term, Some(""), "any", Some("N")),
            word(" < 1 | 2"),
        ];
        assert_eq!(parts(text), expected);
        assert_eq!(plain(text), "Let x be the size of [[b]], c or \"x/y\": N < 1 | 2");
    }

    #[test]
    fn what_breaks_off_is_text() {
        for text in ["[=x", "{{x", "|x", "`x", "<x", "|", "[", "{{", "|1|", "| x |"] {
            assert_eq!(parts(text), [Inline::Text(text.into())], "{text}");
        }
        assert_eq!(parts(""), []);
    }
}
