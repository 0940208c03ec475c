//! Text of others in Markdown: nothing of it is taken as markup, and it stays where it is put.

use std::borrow::Cow;

use crate::shown::inert;

/// Text within a line, such as in a cell of a table.
pub(crate) fn text(text: &str) -> String {
    let mut escaped = String::new();
    for c in on_one_line(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '$' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The same as code, such as the name of a vector.
pub(crate) fn code(name: &str) -> String {
    let name = on_one_line(name);
    // Within backquotes nothing is escaped, and a bar ends the cell of a table all the same.
    if name.is_empty() || name.contains(['`', '|', '\\']) {
        format!("<code>{}</code>", text(&name))
    } else {
        format!("`{name}`")
    }
}

/// Text in a line of HTML, where Markdown's escapes are none.
pub(crate) fn in_html(text: &str) -> String {
    on_one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn on_one_line(text: &str) -> Cow<'_, str> {
    let text = inert(text);
    if text.contains(['\n', '\t']) { Cow::Owned(text.replace(['\n', '\t'], " ")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(text("a <b> *c* | `d`\ne"), "a &lt;b&gt; \\*c\\* \\| \\`d\\` e");
        assert_eq!(code("abs float32, <b>"), "`abs float32, <b>`");
        assert_eq!(code("a|b"), "<code>a\\|b</code>");
        assert_eq!(code("`` ` \n``"), "<code>\\`\\` \\`  \\`\\`</code>");
        assert_eq!(code("\u{1b}[31m"), "<code>\\\\u{1b}\\[31m</code>");
        assert_eq!(in_html("a_b <i>\n"), "a_b &lt;i&gt; ");
    }
}
