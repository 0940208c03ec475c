//! Text in HTML.

/// The text, without what HTML would take for more.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A name as the target of a link: `MLGraphBuilder.softmax(input, axis, options)` is
/// `MLGraphBuilder.softmax-input-axis-options`.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '.' {
            slug.push(letter);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_targets_and_text_is_text() {
        assert_eq!(slug("MLGraphBuilder.softmax(input, axis, options)"), "MLGraphBuilder.softmax-input-axis-options");
        assert_eq!(slug("MLGraphBuilder/validate operand"), "MLGraphBuilder-validate-operand");
        assert_eq!(escaped("a < b && \"c\"\n\u{7}"), "a &lt; b &amp;&amp; &quot;c&quot;\n ");
    }
}
