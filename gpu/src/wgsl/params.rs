//! Parameters: the integers and scalars that a kernel's text refers to by name.
//!
//! Each parameter becomes a small WGSL function, so that one spelling serves both forms: `axis()` reads a word
//! of the parameter buffer in the dynamic form and returns a constant in the baked one; the kernel cannot tell.
//!
//! | added with | in WGSL |
//! |---|---|
//! | [`Params::number`] | `name() -> u32` |
//! | [`Params::signed`] | `name() -> i32` |
//! | [`Params::list`] | `name(d: u32) -> u32`, `name_len() -> u32` |
//! | [`Params::view`] | `name(index: u32) -> u32` |
//! | [`Params::scalar`] | `name() -> T` |
//!
//! `count()`, the number of output elements, and `words()`, the number of output words, are always there.
//!
//! **Scalars are never baked.** Drivers fold arithmetic with literals as if NaN, infinities and -0 did not exist
//! (`x * 0.0` becomes 0 for a NaN `x`), so the value of an attribute like `alpha` comes from memory in both forms.

use std::fmt::Write as _;

use super::view::View;

/// How parameters reach a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// From a buffer. The text, and so the pipeline, is the same for every shape.
    Dynamic,
    /// As constants in the text.
    Baked,
}

/// A value of one of the arithmetic types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// For float32 and float16.
    F32(f32),
    /// For int32 and int8.
    I32(i32),
    /// For uint32 and uint8.
    U32(u32),
    /// For int64.
    I64(i64),
    /// For uint64.
    U64(u64),
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(u32),
    Signed(i32),
    List { room: usize, items: Vec<u32> },
    View(View),
    Scalar(Scalar),
}

/// Named parameters, in the order of the parameter buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params {
    entries: Vec<(String, Value)>,
}

impl Params {
    /// No parameters but the count.
    pub fn new() -> Self {
        Self::default()
    }

    /// An unsigned integer: `name() -> u32`.
    #[must_use]
    pub fn number(self, name: &str, value: u32) -> Self {
        self.with(name, Value::Number(value))
    }

    /// A signed integer: `name() -> i32`.
    #[must_use]
    pub fn signed(self, name: &str, value: i32) -> Self {
        self.with(name, Value::Signed(value))
    }

    /// A list of at most `room` integers: `name(d: u32) -> u32` and `name_len() -> u32`. The room, not the
    /// length, is part of the dynamic form's text.
    ///
    /// # Panics
    /// If the list is longer than its room.
    #[must_use]
    pub fn list(self, name: &str, room: usize, items: &[u32]) -> Self {
        assert!(items.len() <= room, "{name} has {} items and room for {room}", items.len());
        self.with(name, Value::List { room, items: items.to_vec() })
    }

    /// A view: `name(index: u32) -> u32`.
    #[must_use]
    pub fn view(self, name: &str, view: View) -> Self {
        self.with(name, Value::View(view))
    }

    /// A value that is computed with: `name() -> T`. It comes from memory in both forms.
    #[must_use]
    pub fn scalar(self, name: &str, value: Scalar) -> Self {
        self.with(name, Value::Scalar(value))
    }

    /// These parameters, followed by those.
    #[must_use]
    pub fn and(mut self, those: &Self) -> Self {
        self.entries.extend_from_slice(&those.entries);
        self
    }

    /// The names.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The same parameters under other names.
    #[must_use]
    pub(crate) fn renamed(self, new: impl Fn(&str) -> String) -> Self {
        Self { entries: self.entries.into_iter().map(|(name, value)| (new(&name), value)).collect() }
    }

    fn with(mut self, name: &str, value: Value) -> Self {
        self.entries.push((name.to_owned(), value));
        self
    }

    /// Adds what the entry point needs.
    pub(super) fn with_count(self, count: u32, per_word: u32) -> Self {
        self.number("count", count).number("words", count.div_ceil(per_word))
    }

    /// The contents of the parameter buffer; empty when this form needs none.
    pub(super) fn words(&self, form: Form) -> Vec<u32> {
        let held = self.entries.iter().filter(|(_, value)| value.is_held(form));
        held.flat_map(|(_, value)| value.words()).collect()
    }

    /// The functions, all of them; the linker drops those that nothing calls.
    pub(super) fn declarations(&self, form: Form) -> String {
        let mut text = String::new();
        let mut at = 0;
        for (name, value) in &self.entries {
            if value.is_held(form) {
                text.push_str(&value.dynamic(name, at));
                at += value.words().len();
            } else {
                text.push_str(&value.baked(name));
            }
        }
        text
    }
}

impl Value {
    /// Whether the value lives in the parameter buffer.
    fn is_held(&self, form: Form) -> bool {
        form == Form::Dynamic || matches!(self, Self::Scalar(_))
    }

    fn words(&self) -> Vec<u32> {
        match self {
            Self::Number(value) => vec![*value],
            Self::Signed(value) => vec![value.cast_unsigned()],
            Self::List { room, items } => {
                let mut words = vec![items.len() as u32];
                words.extend(items);
                words.resize(room + 1, 0);
                words
            }
            Self::View(view) => view.words(),
            Self::Scalar(scalar) => scalar.words(),
        }
    }

    fn dynamic(&self, name: &str, at: usize) -> String {
        let word = format!("params_words[{at}u]");
        let next = at + 1;
        match self {
            Self::Number(_) => format!("fn {name}() -> u32 {{ return {word}; }}\n"),
            Self::Signed(_) => format!("fn {name}() -> i32 {{ return bitcast<i32>({word}); }}\n"),
            Self::List { .. } => format!(
                "fn {name}(d: u32) -> u32 {{ return params_words[{next}u + d]; }}\n\
                 fn {name}_len() -> u32 {{ return {word}; }}\n"
            ),
            Self::View(_) => View::dynamic(name, at),
            Self::Scalar(scalar) => scalar.dynamic(name, at),
        }
    }

    fn baked(&self, name: &str) -> String {
        match self {
            Self::Number(value) => format!("fn {name}() -> u32 {{ return {value}u; }}\n"),
            // A negative literal of the lowest value does not parse; its bits do.
            Self::Signed(value) => {
                format!("fn {name}() -> i32 {{ return bitcast<i32>({}u); }}\n", value.cast_unsigned())
            }
            Self::List { items, .. } => baked_list(name, items),
            Self::View(view) => view.baked(name),
            Self::Scalar(_) => unreachable!("scalars are held in both forms"),
        }
    }
}

/// A `switch` rather than an indexed constant array, which naga spills to memory.
fn baked_list(name: &str, items: &[u32]) -> String {
    let mut text = format!("fn {name}(d: u32) -> u32 {{\n    switch d {{\n");
    for (d, item) in items.iter().enumerate() {
        let _ = writeln!(text, "        case {d}u: {{ return {item}u; }}");
    }
    text.push_str("        default: { return 0u; }\n    }\n}\n");
    let _ = writeln!(text, "fn {name}_len() -> u32 {{ return {}u; }}", items.len());
    text
}

impl Scalar {
    fn words(self) -> Vec<u32> {
        let pair = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
        match self {
            Self::F32(value) => vec![value.to_bits()],
            Self::I32(value) => vec![value.cast_unsigned()],
            Self::U32(value) => vec![value],
            Self::I64(value) => pair(value.cast_unsigned()),
            Self::U64(value) => pair(value),
        }
    }

    fn dynamic(self, name: &str, at: usize) -> String {
        let low = format!("params_words[{at}u]");
        let both = format!("(u64({low}) | (u64(params_words[{}u]) << 32u))", at + 1);
        let (kind, value) = match self {
            Self::F32(_) => ("f32", format!("bitcast<f32>({low})")),
            Self::I32(_) => ("i32", format!("bitcast<i32>({low})")),
            Self::U32(_) => ("u32", low),
            Self::I64(_) => ("i64", format!("bitcast<i64>{both}")),
            Self::U64(_) => ("u64", both),
        };
        format!("fn {name}() -> {kind} {{ return {value}; }}\n")
    }
}
