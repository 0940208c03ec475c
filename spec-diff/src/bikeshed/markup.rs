//! The tags of a document, and the parts of it in which there are none.

use std::ops::Range;

use super::error::BikeshedError;
use super::lines::Lines;

/// What looks like a tag and has not ended after so many bytes is prose. It also bounds how far a code span reaches, so
/// that reading takes time in proportion to the length of the text, whatever the text is.
const MAX_TAG: usize = 4096;

/// Elements whose content has no tags. `<pre>` may have some in HTML, but in this source it holds code.
const OPAQUE: [&str; 5] = ["pre", "script", "style", "textarea", "xmp"];

/// What was found in a text.
pub(super) struct Markup {
    /// All tags, in order.
    pub(super) tags: Vec<Tag>,
    /// Comments, code blocks and content of opaque elements, in order.
    pub(super) opaque: Vec<Range<usize>>,
}

impl Markup {
    /// Whether there is no markup at this offset, whatever it looks like.
    pub(super) fn is_opaque(&self, offset: usize) -> bool {
        let next = self.opaque.partition_point(|range| range.end <= offset);
        self.opaque.get(next).is_some_and(|range| range.contains(&offset))
    }
}

/// A tag of an element.
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) is_closing: bool,
    /// Names in lower case, and values; those that have none are empty.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) span: Range<usize>,
    pub(super) line: usize,
}

impl Tag {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Whether an algorithm is marked by this tag.
    pub(super) fn is_algorithm(&self) -> bool {
        !self.is_closing && self.attributes.iter().any(|(name, _)| name == "algorithm" || name == "data-algorithm")
    }
}

/// Finds all markup of a text.
pub(super) fn scan(text: &str, lines: &Lines) -> Result<Markup, BikeshedError> {
    let mut markup = Markup { tags: Vec::new(), opaque: Vec::new() };
    let unclosed = |what: &str, at| BikeshedError::Unclosed { what: what.to_owned(), line: lines.number_at(at) };
    let mut at = 0;
    while let Some(found) = text[at..].find(['<', '`']) {
        at += found;
        let rest = &text[at..];
        if rest.starts_with('`') {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            if ticks >= 3 && is_first_on_line(text, at) {
                let end = end_of_fence(text, at, ticks).ok_or_else(|| unclosed("```", at))?;
                markup.opaque.push(at..end);
                at = end;
            } else {
                at = end_of_code_span(text, at, ticks).unwrap_or(at + ticks);
            }
        } else if rest.starts_with("<!--") {
            let end = rest.find("-->").ok_or_else(|| unclosed("<!--", at))? + 3;
            markup.opaque.push(at..at + end);
            at += end;
        } else if let Some(mut tag) = tag(text, at) {
            tag.line = lines.number_at(at);
            at = tag.span.end;
            if !tag.is_closing && OPAQUE.contains(&tag.name.as_str()) {
                let what = format!("<{}>", tag.name);
                let end = start_of_closing_tag(text, at, &tag.name).ok_or_else(|| unclosed(&what, tag.span.start))?;
                markup.opaque.push(at..end);
                at = end;
            }
            markup.tags.push(tag);
        } else {
            at += 1;
        }
    }
    Ok(markup)
}

fn is_first_on_line(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

fn end_of_fence(text: &str, at: usize, ticks: usize) -> Option<usize> {
    let mut start = at + text[at..].find('\n')? + 1;
    loop {
        let line = text[start..].split('\n').next().unwrap_or_default();
        let trimmed = line.trim();
        if trimmed.len() >= ticks && trimmed.bytes().all(|byte| byte == b'`') {
            return Some(start + line.len());
        }
        start += text[start..].find('\n')? + 1;
    }
}

/// A span of code ends on its own line, with as many ticks as it began.
fn end_of_code_span(text: &str, at: usize, ticks: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(at + ticks + MAX_TAG);
    let mut here = at + ticks;
    while here < limit && bytes[here] != b'\n' {
        let run = bytes[here..limit].iter().take_while(|byte| **byte == b'`').count();
        if run == ticks {
            return Some(here + run);
        }
        here += run.max(1);
    }
    None
}

fn start_of_closing_tag(text: &str, from: usize, name: &str) -> Option<usize> {
    let closings = text[from..].match_indices("</").map(|(offset, _)| from + offset);
    let names = |at: &usize| {
        let after = &text.as_bytes()[at + 2..];
        let ends = after.get(name.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        ends && after.get(..name.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(name.as_bytes()))
    };
    closings.into_iter().find(names)
}

/// The tag that begins here, if one does.
fn tag(text: &str, at: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    let bytes = &bytes[..bytes.len().min(at + MAX_TAG)];
    let is_closing = bytes.get(at + 1) == Some(&b'/');
    let mut here = at + 1 + usize::from(is_closing);
    if !bytes.get(here)?.is_ascii_alphabetic() {
        return None;
    }
    let name = word(bytes, here, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    here = name.end;
    let mut attributes = Vec::new();
    loop {
        match *bytes.get(here)? {
            b'>' => {
                let name = text[name].to_ascii_lowercase();
                return Some(Tag { name, is_closing, attributes, span: at..here + 1, line: 0 });
            }
            // A less-than sign in prose, with another tag behind it.
            b'<' => return None,
            byte if byte.is_ascii_whitespace() || byte == b'/' => here += 1,
            _ => {
                let key = word(bytes, here, |byte| !byte.is_ascii_whitespace() && !b"=></".contains(&byte));
                here = key.end;
                let mut value = here..here;
                if bytes.get(here) == Some(&b'=') {
                    here += 1;
                    let quote = *bytes.get(here)?;
                    if quote == b'"' || quote == b'\'' {
                        value = word(bytes, here + 1, |byte| byte != quote);
                        here = value.end + 1;
                    } else {
                        value = word(bytes, here, |byte| !byte.is_ascii_whitespace() && byte != b'>' && byte != b'<');
                        here = value.end;
                    }
                }
                attributes.push((text[key].to_ascii_lowercase(), text[value].to_owned()));
            }
        }
    }
}

fn word(bytes: &[u8], start: usize, continues: impl Fn(u8) -> bool) -> Range<usize> {
    let end = bytes[start..].iter().position(|byte| !continues(*byte)).map_or(bytes.len(), |length| start + length);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> Vec<String> {
        let markup = scan(text, &Lines::of(text)).unwrap();
        markup.tags.iter().map(|tag| format!("{}{}", if tag.is_closing { "/" } else { "" }, tag.name)).collect()
    }

    #[test]
    fn code_and_comments_have_no_tags() {
        assert_eq!(tags("<DIV>`<p>` <!-- <p> --> ``<b>`<i>`` `<p>\n<br/></div >"), ["div", "p", "br", "/div"]);
        assert_eq!(tags("```html\n<p>\n```\n<pre><p></PRE><b>"), ["pre", "/pre", "b"]);
        assert_eq!(tags("a < b, Promise<{{X}}>, i<5 <u>"), ["u"]);
        assert_eq!(tags("a <b and <i>"), ["i"]);
    }

    #[test]
    fn attributes_are_quoted_or_not_and_may_have_no_value() {
        let text = "<dfn\n method for=MLContext lt=\"a > b|c\" x='\"' Data-Y>";
        let markup = scan(text, &Lines::of(text)).unwrap();
        let attributes = [("method", ""), ("for", "MLContext"), ("lt", "a > b|c"), ("x", "\""), ("data-y", "")];
        assert_eq!(markup.tags[0].attributes, attributes.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(markup.tags[0].span, 0..text.len());
    }

    #[test]
    fn a_tag_that_breaks_off_is_none() {
        for text in ["<", "</", "<a", "<a b", "<a b=", "<a b=\"", "<a b='x", "`", "``x`", "<é>", "<a é"] {
            assert_eq!(tags(text), [""; 0], "{text}");
        }
    }
}
