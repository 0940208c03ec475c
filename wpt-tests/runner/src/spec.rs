//! What the specification's source has for machines: its IDL, and the decompositions of operators in JavaScript.

use std::collections::BTreeMap;

/// The IDL of the specification: the text of all its blocks, in order.
pub fn idl(source: &str) -> String {
    let blocks =
        blocks(source, "<script type=idl>", "</script>").chain(blocks(source, "<script type=\"idl\">", "</script>"));
    let mut blocks: Vec<(usize, &str)> = blocks.collect();
    blocks.sort_unstable();
    blocks.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

/// What stands between `open` and the next `close`, each with the offset at which it begins.
fn blocks<'a>(source: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    source.match_indices(open).filter_map(move |(at, _)| {
        let begin = at + open.len();
        let length = source[begin..].find(close)?;
        Some((begin, &source[begin..begin + length]))
    })
}

/// The blocks of JavaScript that define functions on a builder: decompositions, and what they use.
pub fn decompositions(source: &str) -> Vec<String> {
    let blocks = blocks(source, "<pre highlight=\"js\">", "</pre>").filter(|(_, text)| !functions(text).is_empty());
    blocks.map(|(_, text)| unescaped(text)).collect()
}

/// The names of the functions of a block that take a builder.
pub fn functions(block: &str) -> Vec<&str> {
    let declared = block.match_indices("function ").filter_map(|(at, keyword)| {
        let (name, parameters) = block[at + keyword.len()..].split_once('(')?;
        parameters.trim_start().starts_with("builder").then_some(name.trim())
    });
    declared.collect()
}

/// The text of a block of markup.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The members of each dictionary that have a default, each with its default as JavaScript. Those of the dictionary that
/// it inherits from are among them.
pub fn defaults(idl: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut defaults: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut parents = Vec::new();
    for (at, keyword) in idl.match_indices("dictionary ") {
        let Some((head, rest)) = idl[at + keyword.len()..].split_once('{') else {
            continue;
        };
        let body = rest.split('}').next().unwrap_or_default();
        let (name, parent) = head.split_once(':').map_or((head, None), |(name, parent)| (name, Some(parent.trim())));
        let members = defaults.entry(name.trim().to_owned()).or_default();
        for member in body.split(';') {
            if let Some((declared, value)) = member.split_once('=') {
                let member = declared.split_whitespace().next_back().unwrap_or_default();
                members.insert(member.to_owned(), value.trim().to_owned());
            }
        }
        parents.extend(parent.map(|parent| (name.trim().to_owned(), parent.to_owned())));
    }
    for (name, parent) in parents {
        let inherited = defaults.get(&parent).cloned().unwrap_or_default();
        defaults.entry(name).or_default().extend(inherited);
    }
    defaults
}

#[cfg(test)]
mod tests {
    use super::*;

    // In the form of the specification's source, and about nothing that it has.
    const SOURCE: &str = "<script type=idl>\ndictionary Basic { DOMString note = \"\"; };</script>\ntext\n\
        <script type=\"idl\">dictionary Shaped : Basic { double factor = 0.5; sequence<long> axes; };</script>\n\
        <pre highlight=\"js\">function twice(builder, input) { return 1 &lt; 2 &amp;&amp; input; }</pre>\n\
        <pre highlight=\"js\">const x = 1;</pre>";

    #[test]
    fn defaults_are_inherited() {
        let defaults = defaults(&idl(SOURCE));
        assert_eq!(
            defaults["Shaped"].iter().collect::<Vec<_>>(),
            [(&"factor".to_owned(), &"0.5".to_owned()), (&"note".to_owned(), &"\"\"".to_owned())]
        );
    }

    #[test]
    fn a_block_is_a_decomposition_if_it_has_a_function_of_a_builder() {
        let blocks = decompositions(SOURCE);
        assert_eq!(blocks, ["function twice(builder, input) { return 1 < 2 && input; }"]);
        assert_eq!(functions(&blocks[0]), ["twice"]);
    }
}
