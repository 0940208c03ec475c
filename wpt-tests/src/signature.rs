//! What a call takes: its parameters, and which values each of them may have.
//!
//! Web IDL leaves alone what a dictionary does not have, and fills in what is not given. In a vector that would hide a
//! misspelt name, so names and kinds of values are checked when a vector is loaded.

use std::fmt;
use std::ops::RangeInclusive;

use indexmap::IndexMap;

use crate::data::Data;
use crate::error::Problem;
use crate::number::Number;
use crate::pointer::pointer;
use crate::scenario::BufferSource;
use crate::value::Value;

/// What is known of a call.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub gives: Gives,
}

/// How many operands an operator gives. Whoever names some of them names all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// So many.
    Operands(usize),
    /// So many, and one more where this option is true.
    OneMoreWhere(usize, &'static str),
    /// As many as this argument says, or as it has items.
    AsManyAs(&'static str),
}

impl Gives {
    /// The number, as far as the arguments tell it.
    fn count<'a>(self, argument: impl Fn(&str) -> Option<&'a Value>) -> Option<u64> {
        match self {
            Self::Operands(count) => u64::try_from(count).ok(),
            Self::OneMoreWhere(count, option) => {
                let options = argument(OPTIONS).and_then(Value::as_object);
                let is_set = options.and_then(|options| options.get(option)).and_then(Value::as_bool);
                u64::try_from(count + usize::from(is_set == Some(true))).ok()
            }
            Self::AsManyAs(name) => match argument(name)? {
                Value::List(items) => u64::try_from(items.len()).ok(),
                number => number.as_u64(),
            },
        }
    }

    /// Ensures that what the call gives can have so many names.
    pub(crate) fn ensure<'a>(
        self,
        names: usize,
        checker: Checker<'_>,
        argument: impl Fn(&str) -> Option<&'a Value>,
    ) -> Result<(), Problem> {
        // Where the call is refused, what it would give may be what is wrong with it.
        let is_known = !checker.is_refused || matches!(self, Self::Operands(_));
        let call = checker.call;
        match self.count(argument).filter(|_| is_known) {
            Some(1) if names > 1 => Err(Problem::Step(format!("{call} gives one result, and not {names}"))),
            Some(count) if names as u64 != count => {
                let problem =
                    format!("with these arguments {call} gives {count} results: name them all, and not {names}");
                Err(Problem::Step(problem))
            }
            _ => Ok(()),
        }
    }
}

/// What the last parameter of every operator is called.
pub(crate) const OPTIONS: &str = "options";

/// A parameter of a call, or a member of an object that it takes.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Another name that graph vectors have for it.
    pub also: Option<&'static str>,
    /// What it may be.
    pub kind: Kind,
    /// Whether it has to be given.
    pub required: bool,
}

impl Parameter {
    /// One that has to be given.
    #[must_use]
    pub fn required(name: &'static str, kind: Kind) -> Self {
        Self { name, also: None, kind, required: true }
    }

    /// One that may be left out.
    #[must_use]
    pub fn optional(name: &'static str, kind: Kind) -> Self {
        Self { name, also: None, kind, required: false }
    }
}

/// The values that a parameter may have.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A whole number in a range.
    Integer(RangeInclusive<i128>),
    /// A number, with those that JSON lacks.
    Double,
    /// A number or a `BigInt`.
    Number,
    /// A string.
    Text,
    /// One of these strings.
    OneOf(Vec<&'static str>),
    /// The name of an object of one of these classes.
    Named(&'static [Class]),
    /// The name of a promise.
    Promise,
    /// A list.
    List(Box<Kind>),
    /// One or the other.
    Either(Box<Kind>, Box<Kind>),
    /// An object with these members and no others.
    Members(Vec<Parameter>),
    /// An object with any names.
    Record(Box<Kind>),
    /// The elements of a buffer.
    Data,
    /// A buffer source in place.
    BufferSource,
}

impl Kind {
    /// Any whole number: the specification says which are in range.
    pub const WHOLE: Self = Self::Integer(i128::MIN..=i128::MAX);
    /// The name of an operand.
    pub const OPERAND: Self = Self::Named(&[Class::Operand]);
}

/// What an object of a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A `GPUDevice` of the application.
    Device,
    /// An `MLContext`.
    Context,
    /// An `MLGraphBuilder`.
    Builder,
    /// An `MLOperand`.
    Operand,
    /// An `MLTensor`.
    Tensor,
    /// An `MLGraph`.
    Graph,
    /// A `GPUBuffer` that a tensor was exported as.
    Exported,
    /// A buffer source.
    Buffer,
    /// A `Blob`.
    Blob,
    /// A `ReadableStream`.
    Stream,
    /// A value, on which nothing can be called.
    Value,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "a device",
            Self::Context => "a context",
            Self::Builder => "a builder",
            Self::Operand => "an operand",
            Self::Tensor => "a tensor",
            Self::Graph => "a graph",
            Self::Exported => "an exported buffer",
            Self::Buffer => "a buffer",
            Self::Blob => "a blob",
            Self::Stream => "a stream",
            Self::Value => "a value",
        })
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Object(Class),
    Promise(Class),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(class) => class.fmt(f),
            Self::Promise(class) => write!(f, "a promise of {class}"),
        }
    }
}

/// A problem, and a JSON pointer to it relative to what is checked.
pub(crate) type Found = (String, Problem);

/// What a call is checked against.
#[derive(Clone, Copy)]
pub(crate) struct Checker<'a> {
    /// The call, for messages.
    pub(crate) call: &'a str,
    /// What a name stands for, or what is wrong with it.
    pub(crate) bound: &'a dyn Fn(&str) -> Result<Bound, Problem>,
    /// Whether Web IDL is to refuse the call: then values may be of any kind, and missing.
    pub(crate) any_kind: bool,
    /// Whether an exception is expected.
    pub(crate) is_refused: bool,
}

impl Checker<'_> {
    /// The value of a parameter is one that it may have.
    pub(crate) fn value(&self, name: &str, kind: &Kind, value: &Value) -> Result<(), Found> {
        let wrong = |given: String| {
            if self.any_kind { Ok(()) } else { Err((String::new(), self.wrong(name, kind, given))) }
        };
        match (kind, value) {
            (Kind::Members(parameters), Value::Object(members)) => self.members(name, parameters, members),
            (Kind::Record(of), Value::Object(members)) => {
                members.iter().try_for_each(|(key, value)| self.value(key, of, value).map_err(below(key)))
            }
            (Kind::List(of), Value::List(items)) => items.iter().enumerate().try_for_each(|(index, item)| {
                let index = index.to_string();
                self.value(&format!("{name}[{index}]"), of, item).map_err(below(&index))
            }),
            (Kind::Either(one, other), _) => match [one, other].into_iter().find(|kind| kind.is_form_of(value)) {
                Some(kind) => self.value(name, kind, value),
                None => wrong(given(value)),
            },
            (Kind::Data, _) => Data::from_value(value).map(drop).map_err(told),
            (Kind::BufferSource, Value::Object(members)) => BufferSource::from_members(members).map(drop).map_err(told),
            (Kind::Named(_) | Kind::Promise, Value::String(text)) => match ((self.bound)(text), kind) {
                (Err(problem), _) if !self.any_kind => Err((String::new(), problem)),
                (Ok(Bound::Object(class)), Kind::Named(classes)) if classes.contains(&class) => Ok(()),
                (Ok(Bound::Promise(_)), Kind::Promise) => Ok(()),
                (Ok(bound), _) => wrong(format!("{text:?}, which is {bound}")),
                (Err(_), _) => Ok(()),
            },
            _ if kind.is_form_of(value) => Ok(()),
            _ => wrong(given(value)),
        }
    }

    /// Every member is one of these, has a value that it may have, and those are given that have to be.
    fn members(&self, of: &str, parameters: &[Parameter], members: &IndexMap<String, Value>) -> Result<(), Found> {
        for (name, value) in members {
            let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
                let (argument, name, known) = (self.argument(of), name.clone(), names(parameters));
                return Err((pointer([name.as_str()]), Problem::UnknownMember { argument, name, known }));
            };
            self.value(name, &parameter.kind, value).map_err(below(name))?;
        }
        self.missing(Some(of), parameters, |name| members.contains_key(name))
    }

    /// What has to be given is.
    pub(crate) fn missing(
        &self,
        of: Option<&str>,
        parameters: &[Parameter],
        is_given: impl Fn(&str) -> bool,
    ) -> Result<(), Found> {
        let missing = |parameter: &&Parameter| parameter.required && !is_given(parameter.name);
        match parameters.iter().find(missing) {
            Some(parameter) if !self.any_kind => {
                let of = of.map(|of| format!(" in {of:?}")).unwrap_or_default();
                let (call, name, kind) = (self.call, parameter.name, &parameter.kind);
                Err((String::new(), Problem::Step(format!("{call} needs {name:?}{of}: {kind}"))))
            }
            _ => Ok(()),
        }
    }

    fn wrong(&self, name: &str, kind: &Kind, given: String) -> Problem {
        Problem::WrongKind { argument: self.argument(name), expected: kind.to_string(), given }
    }

    fn argument(&self, name: &str) -> String {
        format!("{name:?} of {}", self.call)
    }
}

/// Puts what was found below a name.
pub(crate) fn below(name: &str) -> impl Fn(Found) -> Found + use<> {
    let place = pointer([name]);
    move |(inner, problem)| (format!("{place}{inner}"), problem)
}

fn told(message: String) -> Found {
    (String::new(), Problem::Step(message))
}

/// The names of parameters, for messages.
pub(crate) fn names(parameters: &[Parameter]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl Kind {
    /// Whether the value has the form of this kind, whatever is in it.
    fn is_form_of(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Boolean(_))
            | (Self::Double, Value::Number(_))
            | (Self::Number, Value::Number(_) | Value::BigInt(_))
            | (Self::Text | Self::Named(_) | Self::Promise, Value::String(_))
            | (Self::List(_), Value::List(_))
            | (Self::Members(_) | Self::Record(_), Value::Object(_))
            | (Self::Data, _) => true,
            (Self::Integer(range), Value::Number(number)) => {
                number.to_integer().is_some_and(|integer| range.contains(&integer))
            }
            // Such as "Infinity"; an integer that is text is a bigint.
            (Self::Double, Value::String(text)) => matches!(Number::from_text(text), Some(Number::Float(_))),
            (Self::Number, Value::String(text)) => Number::from_text(text).is_some(),
            (Self::OneOf(values), Value::String(text)) => values.contains(&text.as_str()),
            (Self::BufferSource, Value::Object(members)) => members.contains_key("view"),
            (Self::Either(one, other), _) => one.is_form_of(value) || other.is_form_of(value),
            _ => false,
        }
    }
}

/// What a value has to be, in words.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean => f.write_str("true or false"),
            Self::Integer(range) if *range == (i128::MIN..=i128::MAX) => f.write_str("a whole number"),
            Self::Integer(range) if *range == (0..=u64::MAX.into()) => f.write_str("a whole number, 0 or more"),
            Self::Integer(range) => write!(f, "a whole number from {} to {}", range.start(), range.end()),
            Self::Double => f.write_str("a number"),
            Self::Number => f.write_str("a number or a bigint"),
            Self::Text => f.write_str("a string"),
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
                write!(f, "one of {}", values.join(", "))
            }
            Self::Named(classes) => {
                let classes: Vec<String> = classes.iter().map(ToString::to_string).collect();
                write!(f, "the name of {}", classes.join(" or "))
            }
            Self::Promise => f.write_str("the name of a promise"),
            Self::List(_) => f.write_str("a list"),
            Self::Either(one, other) => write!(f, "{one} or {other}"),
            Self::Members(parameters) if parameters.is_empty() => f.write_str("{}"),
            Self::Members(parameters) => write!(f, "an object of {}", names(parameters)),
            Self::Record(of) => write!(f, "an object whose members are each {of}"),
            Self::Data => f.write_str("a list of numbers, or {\"$repeat\", \"times\"}"),
            Self::BufferSource => f.write_str("a buffer source, such as {\"view\": \"Float32Array\", \"data\": [1]}"),
        }
    }
}

/// The most characters of a string that a message quotes.
const MOST_CHARACTERS: usize = 60;

/// A value, in words that are never long.
fn given(value: &Value) -> String {
    match value {
        Value::List(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > MOST_CHARACTERS => {
            format!("{:?}...", text.chars().take(MOST_CHARACTERS).collect::<String>())
        }
        other => other.to_string(),
    }
}
