//! The numeric library and its linker.
//!
//! The library is WGSL, one file per subject, each opening with why it is written as it is. A kernel's module
//! takes the functions that the kernel calls and those that they call, found by reading identifiers: a name that
//! is followed anywhere in the text counts as a use, which can only take too much, never too little. Names in the
//! library are prefixed by what they work on (`f32_`, `i64_`, `pair_`), so that kernels are free in theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// The library's files. Order is the order of definitions in a module.
const FILES: [(&str, &str); 22] = [
    ("bits", include_str!("bits.wgsl")),
    ("compare", include_str!("compare.wgsl")),
    ("rounding", include_str!("rounding.wgsl")),
    ("half", include_str!("half.wgsl")),
    ("division", include_str!("division.wgsl")),
    ("root", include_str!("root.wgsl")),
    ("pair", include_str!("pair.wgsl")),
    ("exponential", include_str!("exponential.wgsl")),
    ("logarithm", include_str!("logarithm.wgsl")),
    ("power", include_str!("power.wgsl")),
    ("angle", include_str!("angle.wgsl")),
    ("erf", include_str!("erf.wgsl")),
    ("convert", include_str!("convert.wgsl")),
    ("convert64", include_str!("convert64.wgsl")),
    ("integer", include_str!("integer.wgsl")),
    ("sum", include_str!("sum.wgsl")),
    ("norm", include_str!("norm.wgsl")),
    ("product", include_str!("product.wgsl")),
    ("softmax", include_str!("softmax.wgsl")),
    ("activation", include_str!("activation.wgsl")),
    ("normalize", include_str!("normalize.wgsl")),
    ("resample", include_str!("resample.wgsl")),
];

/// One definition at module scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: String,
    text: String,
}

/// The names that the library offers.
pub fn functions() -> BTreeSet<String> {
    shelf().iter().map(|item| item.name.clone()).collect()
}

/// `own`, preceded by what it reaches among `offered` and the library.
pub(super) fn link(own: &str, offered: &[Item]) -> String {
    let shelf = offered.iter().chain(shelf()).collect::<Vec<_>>();
    let known = shelf.iter().map(|item| (item.name.as_str(), *item)).collect::<BTreeMap<_, _>>();
    let mut taken = BTreeSet::new();
    let mut unread = vec![own];
    while let Some(text) = unread.pop() {
        for word in identifiers(text) {
            if let Some(item) = known.get(word)
                && taken.insert(word)
            {
                unread.push(&item.text);
            }
        }
    }
    let reached = shelf.iter().filter(|item| taken.contains(item.name.as_str()));
    let mut linked = reached.map(|item| item.text.as_str()).collect::<String>();
    linked.push_str(own);
    linked
}

fn shelf() -> &'static [Item] {
    static SHELF: OnceLock<Vec<Item>> = OnceLock::new();
    SHELF.get_or_init(|| FILES.iter().flat_map(|(_, text)| items(text)).collect())
}

/// Splits a text into its definitions, without comments.
pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut current = String::new();
    let mut depth = 0_usize;
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or("").trim_end();
        if code.is_empty() {
            continue;
        }
        current.push_str(code);
        current.push('\n');
        depth += code.matches(['{', '(']).count();
        depth -= code.matches(['}', ')']).count();
        if depth == 0 && code.ends_with(['}', ';']) {
            let text = std::mem::take(&mut current);
            items.extend(defined_name(&text).map(|name| Item { name, text }));
        }
    }
    items
}

/// The name after `fn`, `struct` or `const`.
fn defined_name(text: &str) -> Option<String> {
    let mut words = identifiers(text);
    words.find(|word| matches!(*word, "fn" | "struct" | "const"))?;
    words.next().map(str::to_owned)
}

/// A text with other names for some of its identifiers.
pub(crate) fn renamed(text: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let mut new = String::new();
    let mut rest = text;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some(start) = rest.find(is_part) {
        let word = &rest[start..];
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        new.push_str(&rest[..start]);
        new.push_str(&name(&word[..end]).unwrap_or_else(|| word[..end].to_owned()));
        rest = &word[end..];
    }
    new + rest
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_takes_what_it_reaches_and_no_more() {
        let linked = link("fn element(i: u32) -> f32 { return f32_round_even(1.5); }", &[]);
        let names = items(&linked).into_iter().map(|item| item.name).collect::<Vec<_>>();
        assert!(names.contains(&"f32_round_even".to_owned()));
        assert!(!names.contains(&"f32_exp".to_owned()));
    }

    #[test]
    fn whole_identifiers_are_renamed() {
        let name = |word: &str| (word == "x").then(|| "v1".to_owned());
        assert_eq!(renamed("max(x, fx + x2(x)) - 0x7fu", name), "max(v1, fx + x2(v1)) - 0x7fu");
    }

    #[test]
    fn no_name_is_defined_twice() {
        assert_eq!(functions().len(), shelf().len());
    }

    #[test]
    fn every_file_opens_with_its_reasons() {
        for (name, text) in FILES {
            assert!(text.starts_with("//! "), "{name}.wgsl");
        }
    }
}
