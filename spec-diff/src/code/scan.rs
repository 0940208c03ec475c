//! The frames and steps of one source file.
//!
//! The file is read as token trees. Comments and strings are then no longer in the way, and a block is one tree, which
//! is what a frame lasts for.

use std::rc::Rc;

use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};

use super::error::NotRust;

/// Blocks nested deeper than this are no code of ours; the limit keeps the walk from running out of stack.
const MAX_DEPTH: usize = 200;

/// Methods that run a closure later, when no frame of the caller is open any more.
const DEFERRING: [&str; 3] = ["enqueue", "queue_an_ml_task", "run_in_parallel"];

/// What a file has.
#[derive(Default)]
pub(super) struct Scan {
    pub(super) marks: Vec<Mark>,
    /// Modules in files of their own that are compiled for tests only.
    pub(super) test_modules: Vec<String>,
}

/// An `algorithm!` or a `step!`.
pub(super) struct Mark {
    pub(super) kind: MarkKind,
    pub(super) line: usize,
}

pub(super) enum MarkKind {
    Frame(Rc<str>),
    Step { algorithm: Option<Rc<str>>, name: String },
    NotLiteral(&'static str),
}

/// Finds all frames and steps of a file.
pub(super) fn scan(source: &str) -> Result<Scan, NotRust> {
    let not_rust = |error: LexError| NotRust { line: error.span().start().line, reason: error.to_string() };
    let tokens: TokenStream = source.parse().map_err(not_rust)?;
    let mut scan = Scan::default();
    scan.walk(tokens, None, 0)?;
    Ok(scan)
}

impl Scan {
    /// Walks the tokens between two delimiters, in which `frame` is open at first.
    fn walk(&mut self, tokens: TokenStream, mut frame: Option<Rc<str>>, depth: usize) -> Result<(), NotRust> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        if depth > MAX_DEPTH {
            let line = tokens.first().map_or(0, line);
            return Err(NotRust { line, reason: format!("blocks are nested more than {MAX_DEPTH} deep") });
        }
        let mut is_fn = false;
        let mut rest = tokens.as_slice();
        loop {
            rest = match rest {
                [] => return Ok(()),
                [TokenTree::Punct(hash), TokenTree::Punct(bang), TokenTree::Group(attribute), ..]
                    if hash.as_char() == '#' && bang.as_char() == '!' && is_for_tests(attribute) =>
                {
                    return Ok(());
                }
                [TokenTree::Punct(hash), TokenTree::Group(attribute), item @ ..]
                    if hash.as_char() == '#' && is_for_tests(attribute) =>
                {
                    self.skip(item)
                }
                [
                    TokenTree::Ident(word),
                    TokenTree::Punct(bang),
                    TokenTree::Ident(_),
                    TokenTree::Group(_),
                    rest @ ..,
                ] if bang.as_char() == '!' && word == "macro_rules" => rest,
                [TokenTree::Ident(word), TokenTree::Punct(bang), TokenTree::Group(arguments), rest @ ..]
                    if bang.as_char() == '!' && word == "algorithm" =>
                {
                    let kind = match first_string(arguments) {
                        Some((name, _)) => {
                            let name: Rc<str> = name.into();
                            frame = Some(name.clone());
                            MarkKind::Frame(name)
                        }
                        None => MarkKind::NotLiteral("algorithm"),
                    };
                    self.marks.push(Mark { kind, line: word.span().start().line });
                    rest
                }
                [TokenTree::Ident(word), TokenTree::Punct(bang), TokenTree::Group(arguments), rest @ ..]
                    if bang.as_char() == '!' && word == "step" =>
                {
                    let kind = match first_string(arguments) {
                        Some((name, true)) => MarkKind::Step { algorithm: frame.clone(), name },
                        _ => MarkKind::NotLiteral("step"),
                    };
                    self.marks.push(Mark { kind, line: word.span().start().line });
                    rest
                }
                // An item, not the type `fn(..)`: its body does not run inside the frame around it.
                [TokenTree::Ident(word), TokenTree::Ident(_), rest @ ..] if word == "fn" => {
                    is_fn = true;
                    rest
                }
                [TokenTree::Ident(word), TokenTree::Group(arguments), rest @ ..]
                    if DEFERRING.iter().any(|method| word == method) =>
                {
                    self.walk(arguments.stream(), None, depth + 1)?;
                    rest
                }
                [TokenTree::Group(group), rest @ ..] => {
                    let is_body = is_fn && group.delimiter() == Delimiter::Brace;
                    is_fn &= !is_body;
                    let inner = if is_body { None } else { frame.clone() };
                    self.walk(group.stream(), inner, depth + 1)?;
                    rest
                }
                [TokenTree::Punct(end), rest @ ..] if end.as_char() == ';' => {
                    is_fn = false;
                    rest
                }
                [_, rest @ ..] => rest,
            };
        }
    }

    /// Skips an item, which ends with a block or a semicolon.
    fn skip<'t>(&mut self, item: &'t [TokenTree]) -> &'t [TokenTree] {
        let is_end = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(end) => end.as_char() == ';',
            _ => false,
        };
        let end = item.iter().position(is_end).map_or(item.len(), |end| end + 1);
        if let [.., TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(_)] = &item[..end]
            && word == "mod"
        {
            self.test_modules.push(name.to_string());
        }
        &item[end..]
    }
}

/// Whether an attribute leaves its item to the tests: `[cfg(test)]`, `[cfg(all(test, ..))]`, `[test]`.
fn is_for_tests(attribute: &Group) -> bool {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(word)] => word == "test",
        [TokenTree::Ident(word), TokenTree::Group(condition)] if word == "cfg" => {
            let condition = condition.stream().to_string();
            let mut words = condition.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '"');
            words.clone().any(|word| word == "test") && !words.any(|word| word == "not" || word == "any")
        }
        _ => false,
    }
}

/// The string that is the first argument, and whether it is the only one.
fn first_string(arguments: &Group) -> Option<(String, bool)> {
    let mut tokens = arguments.stream().into_iter();
    let TokenTree::Literal(literal) = tokens.next()? else { return None };
    let literal = literal.to_string();
    let plain = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|text| !text.contains('\\'));
    let raw = || literal.strip_prefix('r')?.trim_matches('#').strip_prefix('"')?.strip_suffix('"');
    let text = plain.or_else(raw)?.to_owned();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',');
    let after = tokens.next();
    if after.as_ref().is_some_and(|token| !is_comma(token)) {
        return None;
    }
    Some((text, tokens.next().is_none()))
}

fn line(token: &TokenTree) -> usize {
    token.span().start().line
}
