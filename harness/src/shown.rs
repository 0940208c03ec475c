//! Text of others, such as names in files, as it is safe to show; and numbers of things.

use std::borrow::Cow;
use std::fmt::Display;

/// A number of things.
pub(crate) fn plural<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let is_one = count == N::from(1);
    format!("{count} {noun}{}", if is_one { "" } else { "s" })
}

/// Text without control characters: a terminal would act on them. Line breaks and tabs of messages stay.
pub(crate) fn inert(text: &str) -> Cow<'_, str> {
    escaped(text, |c| acts(c) && c != '\n' && c != '\t')
}

/// A name without control characters, on one line. Who is shown it may give it back: see [`is_called`].
pub(crate) fn name(text: &str) -> Cow<'_, str> {
    escaped(text, |c| acts(c) || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// Whether a name contains a text, or is shown with it.
pub(crate) fn is_called(text: &str, part: &str) -> bool {
    text.contains(part) || name(text).contains(part)
}

/// A name as an argument of a shell.
pub(crate) fn argument(text: &str) -> String {
    shell_words::quote(&name(text)).into_owned()
}

/// Whether a terminal acts on a character, or shows what follows otherwise than it is.
pub(crate) fn acts(c: char) -> bool {
    c.is_control() || is_about_direction(c)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) { escaped.extend(c.escape_unicode()) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

/// Characters that turn the direction of what follows, so that a line reads as something else than it is.
fn is_about_direction(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{argument, inert, is_called, name, plural};

    #[test]
    fn one_thing_is_not_several() {
        assert_eq!([0, 1, 2].map(|count| plural(count, "vector")), ["0 vectors", "1 vector", "2 vectors"]);
    }

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        assert_eq!(inert("abs float32, \u{e9}"), "abs float32, \u{e9}");
        assert_eq!(inert("a\u{1b}[31mb\r"), "a\\u{1b}[31mb\\u{d}");
        assert_eq!(inert("two\nlines"), "two\nlines");
        assert_eq!(inert("\u{202e}x"), "\\u{202e}x");
        assert_eq!(name("two\nlines"), "two\\u{a}lines");
    }

    #[test]
    fn what_is_shown_can_be_given_back() {
        let id = "v/a\u{1b}[31m\n`b`";
        let shown = name(id);
        assert!(is_called(id, &shown) && is_called(id, id) && is_called(id, "`b") && !is_called(id, "c"));
        assert_eq!(argument(id), "'v/a\\u{1b}[31m\\u{a}`b`'");
    }
}
