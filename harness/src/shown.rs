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
    let acts = |c: char| c.is_control() && c != '\n' && c != '\t' || is_about_direction(c);
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut inert = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) { inert.extend(c.escape_unicode()) } else { inert.push(c) }
    }
    Cow::Owned(inert)
}

/// Characters that turn the direction of what follows, so that a line reads as something else than it is.
fn is_about_direction(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{inert, plural};

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
    }
}
