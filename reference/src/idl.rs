//! Web IDL: calling an operator's method with values whose types are not known beforehand.
//!
//! Script, and a JSON vector, call a method with values of any type. The conversions that Web IDL prescribes, and the
//! exceptions that they throw, stand here once; each operator's file says only which parameters and members it has.
//! <https://webidl.spec.whatwg.org/#js-type-mapping>

use crate::data_type::MLOperandDataType;
use crate::exception::Result;
use crate::number::{Element, MLNumber};
use crate::operand::MLOperand;
use crate::{algorithm, step, throw};

/// A value as script passes it.
#[derive(Clone, Debug)]
pub enum Value {
    /// `undefined`: the same as an argument or member that is not given.
    Undefined,
    /// An `MLOperand`.
    Operand(MLOperand),
    /// A number or a `bigint`.
    Number(MLNumber),
    /// A boolean.
    Boolean(bool),
    /// A string.
    String(String),
    /// A sequence.
    Sequence(Vec<Value>),
    /// An object whose members are read.
    Dictionary(Vec<(String, Value)>),
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Operand(_) => "an MLOperand",
            Self::Number(MLNumber::Double(_)) => "a number",
            Self::Number(MLNumber::BigInt(_)) => "a bigint",
            Self::Boolean(_) => "a boolean",
            Self::String(_) => "a string",
            Self::Sequence(_) => "a sequence",
            Self::Dictionary(_) => "a dictionary",
        }
    }
}

/// A value is of another type than the one that is asked for.
fn refused<T>(name: &str, expected: &str, value: &Value) -> Result<T> {
    algorithm!("Web IDL");
    step!("conversion");
    throw!(TypeError, "{name} has to be {expected}, not {}", value.kind())
}

/// Types that a [`Value`] is converted to.
pub trait FromIdl: Sized {
    /// Converts the value that is given for `name`.
    ///
    /// # Errors
    /// TypeError if it is not of this type.
    fn from_idl(name: &str, value: &Value) -> Result<Self>;
}

impl FromIdl for MLOperand {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        match value {
            Value::Operand(operand) => Ok(operand.clone()),
            other => refused(name, "an MLOperand", other),
        }
    }
}

impl FromIdl for MLNumber {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        match value {
            Value::Number(number) => Ok(*number),
            other => refused(name, "a number or a bigint", other),
        }
    }
}

impl FromIdl for bool {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        match value {
            Value::Boolean(boolean) => Ok(*boolean),
            other => refused(name, "a boolean", other),
        }
    }
}

impl FromIdl for String {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        match value {
            Value::String(string) => Ok(string.clone()),
            other => refused(name, "a string", other),
        }
    }
}

/// `double`: a finite number.
impl FromIdl for f64 {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        algorithm!("Web IDL");
        match value {
            Value::Number(MLNumber::Double(number)) if number.is_finite() => Ok(*number),
            Value::Number(MLNumber::Double(number)) => {
                step!("conversion");
                throw!(TypeError, "{name} has to be finite, not {number}")
            }
            other => refused(name, "a number", other),
        }
    }
}

/// `float`: a finite number, that also is when rounded to float32.
impl FromIdl for f32 {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        let double = f64::from_idl(name, value)?;
        algorithm!("Web IDL");
        let float = Self::rounded(double);
        if float.is_finite() {
            return Ok(float);
        }
        step!("conversion");
        throw!(TypeError, "{name} is beyond float32: {double}")
    }
}

/// `[EnforceRange] unsigned long`.
impl FromIdl for u32 {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        algorithm!("Web IDL");
        let number = match value {
            Value::Number(MLNumber::Double(number)) => number.trunc(),
            other => return refused(name, "a number", other),
        };
        step!("EnforceRange");
        match crate::number::exact_u32(number) {
            Some(integer) => Ok(integer),
            None => throw!(TypeError, "{name} has to be in the range of an unsigned long, not {number}"),
        }
    }
}

/// `unsigned long`, without `[EnforceRange]`: modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutRange(pub u32);

impl FromIdl for WithoutRange {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        algorithm!("Web IDL");
        match value {
            Value::Number(MLNumber::Double(number)) => Ok(Self(crate::number::modulo_u32(*number))),
            other => refused(name, "a number", other),
        }
    }
}

/// `[EnforceRange] long`.
impl FromIdl for i32 {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        algorithm!("Web IDL");
        let number = match value {
            Value::Number(MLNumber::Double(number)) => number.trunc(),
            other => return refused(name, "a number", other),
        };
        step!("EnforceRange");
        match crate::number::exact_i32(number) {
            Some(integer) => Ok(integer),
            None => throw!(TypeError, "{name} has to be in the range of a long, not {number}"),
        }
    }
}

impl<T: FromIdl> FromIdl for Vec<T> {
    fn from_idl(name: &str, value: &Value) -> Result<Self> {
        match value {
            Value::Sequence(items) => {
                items.iter().enumerate().map(|(index, item)| T::from_idl(&format!("{name}[{index}]"), item)).collect()
            }
            other => refused(name, "a sequence", other),
        }
    }
}

/// Implements [`FromIdl`] for an enumeration, given its `ALL` values and their `as_str()`.
#[macro_export]
macro_rules! idl_enumeration {
    ($type:ty) => {
        impl $crate::idl::FromIdl for $type {
            fn from_idl(name: &str, value: &$crate::idl::Value) -> $crate::exception::Result<Self> {
                let string = String::from_idl(name, value)?;
                $crate::idl::enumeration(name, &string, &Self::ALL, Self::as_str)
            }
        }
    };
}

/// The value of an enumeration that script writes as `string`.
///
/// # Errors
/// TypeError if there is none.
pub fn enumeration<T: Copy>(name: &str, string: &str, all: &[T], as_str: impl Fn(T) -> &'static str) -> Result<T> {
    algorithm!("Web IDL");
    match all.iter().find(|value| as_str(**value) == string) {
        Some(value) => Ok(*value),
        None => {
            step!("conversion");
            let names: Vec<_> = all.iter().map(|value| as_str(*value)).collect();
            throw!(TypeError, "{name} has to be one of {names:?}, not {string:?}")
        }
    }
}

idl_enumeration!(MLOperandDataType);

/// A dictionary, as its members are read. Members that it does not have are left alone, as Web IDL prescribes.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a>(&'a [(String, Value)]);

impl Members<'_> {
    /// An optional member without a default.
    ///
    /// # Errors
    /// TypeError if the member is of another type.
    pub fn optional<T: FromIdl>(&self, name: &str) -> Result<Option<T>> {
        let given = self.0.iter().find(|(member, value)| member == name && !matches!(value, Value::Undefined));
        given.map(|(_, value)| T::from_idl(&format!("options.{name}"), value)).transpose()
    }

    /// An optional member with a default.
    ///
    /// # Errors
    /// TypeError if the member is of another type.
    pub fn or<T: FromIdl>(&self, name: &str, default: T) -> Result<T> {
        Ok(self.optional(name)?.unwrap_or(default))
    }

    /// The label that every dictionary of options has.
    ///
    /// # Errors
    /// TypeError if it is no string.
    pub fn label(&self) -> Result<String> {
        self.or("label", String::new())
    }
}

/// Dictionaries of options.
pub trait Options: Sized {
    /// Reads the members.
    ///
    /// # Errors
    /// TypeError if a member is of another type.
    fn from_members(members: &Members<'_>) -> Result<Self>;
}

/// The arguments of a call to an operator's method, by position.
#[derive(Debug)]
pub struct Arguments<'a> {
    parameters: &'static [&'static str],
    values: &'a [Value],
}

impl<'a> Arguments<'a> {
    /// The arguments of a method that has these parameters.
    pub fn new(parameters: &'static [&'static str], values: &'a [Value]) -> Self {
        Self { parameters, values }
    }

    fn value(&self, parameter: &str) -> &'a Value {
        let position = self.parameters.iter().position(|name| *name == parameter);
        position.and_then(|position| self.values.get(position)).unwrap_or(&Value::Undefined)
    }

    /// A required argument.
    ///
    /// # Errors
    /// TypeError if it is missing or of another type.
    pub fn get<T: FromIdl>(&self, parameter: &str) -> Result<T> {
        T::from_idl(parameter, self.value(parameter))
    }

    /// The argument `options`, whose members all have defaults.
    ///
    /// # Errors
    /// TypeError if it is no dictionary, or a member of it is of another type.
    pub fn options<T: Options>(&self) -> Result<T> {
        algorithm!("Web IDL");
        match self.value("options") {
            Value::Undefined => T::from_members(&Members(&[])),
            Value::Dictionary(members) => T::from_members(&Members(members)),
            other => refused("options", "a dictionary", other),
        }
    }
}
