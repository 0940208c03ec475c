//! The interfaces of the specification, described.
//!
//! What Web IDL needs to know of them to let script call them: which interfaces, attributes, operations and dictionaries
//! there are, and of what types their values are. The descriptions are handed to `js/webidl.js`, which makes the objects
//! that script sees; defaults are not among them, because the reference fills those in. A test holds the operators
//! against the reference's own table, and another all of it against the IDL of the specification's source.

mod dictionaries;
mod interfaces;
mod operators;
mod proposals;

use std::fmt;

use serde::Serialize;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::ml::MLPowerPreference;
use webnn_reference::ops::MLInputOperandLayout;
use webnn_reference::ops::conv2d::MLConv2dFilterOperandLayout;
use webnn_reference::ops::convtranspose2d::MLConvTranspose2dFilterOperandLayout;
use webnn_reference::ops::gru::{MLGruWeightLayout, MLRecurrentNetworkActivation, MLRecurrentNetworkDirection};
use webnn_reference::ops::lstm::MLLstmWeightLayout;
use webnn_reference::ops::pad::MLPaddingMode;
use webnn_reference::ops::pool2d::MLRoundingType;
use webnn_reference::ops::resample2d::MLInterpolationMode;

/// A type of Web IDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Type {
    /// `undefined`
    Undefined,
    /// `boolean`
    Boolean,
    /// `unsigned long`, modulo 2^32
    UnsignedLong,
    /// `unsigned long` that throws beyond its range
    EnforcedUnsignedLong,
    /// `long` that throws beyond its range
    EnforcedLong,
    /// `unsigned long long` that throws beyond the integers that a number has
    EnforcedUnsignedLongLong,
    /// `double`
    Double,
    /// `float`
    Float,
    /// `USVString`
    UsvString,
    /// `DOMString`
    DomString,
    /// The union of `bigint` and `unrestricted double` that the specification calls MLNumber.
    Number,
    /// `ArrayBuffer`
    ArrayBuffer,
    /// `AllowSharedBufferSource`
    BufferSource,
    /// The union of a buffer, a `Blob` and a `ReadableStream` that a proposal calls MLConstantData.
    ConstantData,
    /// An object of an interface.
    Interface(&'static str),
    /// A value of an enumeration.
    Enumeration(&'static str),
    /// A dictionary.
    Dictionary(&'static str),
    /// A sequence.
    Sequence(&'static Type),
    /// An array that can not be changed.
    FrozenArray(&'static Type),
    /// A record with strings for keys.
    Record(&'static Type),
    /// An object with strings for keys that can not be changed: what an attribute has in place of a record.
    FrozenRecord(&'static Type),
    /// A type, or null.
    Nullable(&'static Type),
    /// A promise.
    Promise(&'static Type),
    /// A union of a number and a sequence.
    Either(&'static Type, &'static Type),
}

impl fmt::Display for Type {
    /// As the specification writes it, which has names for records and for the union of numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined => f.write_str("undefined"),
            Self::Boolean => f.write_str("boolean"),
            Self::UnsignedLong => f.write_str("unsigned long"),
            Self::EnforcedUnsignedLong => f.write_str("[EnforceRange] unsigned long"),
            Self::EnforcedLong => f.write_str("[EnforceRange] long"),
            Self::EnforcedUnsignedLongLong => f.write_str("[EnforceRange] unsigned long long"),
            Self::Double => f.write_str("double"),
            Self::Float => f.write_str("float"),
            Self::UsvString => f.write_str("USVString"),
            Self::DomString => f.write_str("DOMString"),
            Self::Number => f.write_str("MLNumber"),
            Self::ArrayBuffer => f.write_str("ArrayBuffer"),
            Self::BufferSource => f.write_str("AllowSharedBufferSource"),
            Self::ConstantData => f.write_str("MLConstantData"),
            Self::Interface(name) | Self::Enumeration(name) | Self::Dictionary(name) => f.write_str(name),
            Self::Sequence(of) => write!(f, "sequence<{of}>"),
            Self::FrozenArray(of) => write!(f, "FrozenArray<{of}>"),
            Self::Record(of) => write!(f, "{}", if **of == OPERAND { "MLNamedOperands" } else { "MLNamedTensors" }),
            Self::FrozenRecord(_) => f.write_str("object"),
            Self::Nullable(of) => write!(f, "{of}?"),
            Self::Promise(of) => write!(f, "Promise<{of}>"),
            Self::Either(one, other) => write!(f, "({one} or {other})"),
        }
    }
}

/// A parameter of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Whether it may be left out.
    pub optional: bool,
}

/// One way in which an operation can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// The parameters, in order.
    pub parameters: &'static [Parameter],
    /// What it returns.
    pub returns: Type,
}

/// An operation of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// The ways in which it can be called.
    pub overloads: &'static [Signature],
}

/// An attribute of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Whether script can only read it.
    pub read_only: bool,
}

/// An interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interface {
    /// Its name.
    pub name: &'static str,
    /// The parameters of its constructor, if it has one.
    pub constructor: Option<&'static [Parameter]>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its operations.
    pub operations: Vec<Operation>,
}

/// A member of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Whether it has to be given.
    pub required: bool,
}

/// A dictionary that script passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Dictionary {
    /// Its name.
    pub name: &'static str,
    /// The dictionary that it inherits from.
    pub inherits: Option<&'static str>,
    /// Its own members.
    pub members: &'static [Member],
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Enumeration {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub values: Vec<&'static str>,
}

/// Everything that the specification describes in Web IDL.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// The interfaces.
    pub interfaces: Vec<Interface>,
    /// The dictionaries that script passes.
    pub dictionaries: Vec<Dictionary>,
    /// The enumerations.
    pub enumerations: Vec<Enumeration>,
}

impl Description {
    /// The description of the specification's present text.
    pub fn of_the_specification() -> Self {
        let dictionaries = dictionaries::DICTIONARIES.to_vec();
        Self { interfaces: interfaces::all(), dictionaries, enumerations: enumerations() }
    }

    /// The same with what the proposals add to it, as far as it needs no device of WebGPU.
    pub fn with_the_proposals() -> Self {
        let mut description = Self::of_the_specification();
        proposals::add_to(&mut description);
        description
    }
}

/// Whether an operator's method returns a sequence of operands.
pub(crate) fn returns_a_sequence(operator: &str) -> bool {
    let operation = operators::OPERATORS.iter().find(|operation| operation.name == operator);
    operation.is_some_and(|operation| operation.overloads.iter().any(|signature| signature.returns == OPERANDS))
}

/// The dictionary of an operator's options.
pub(crate) fn options_of(operator: &str) -> Option<&'static str> {
    let operation = operators::OPERATORS.iter().find(|operation| operation.name == operator)?;
    operation.overloads.iter().flat_map(|signature| signature.parameters).find_map(|parameter| match parameter.kind {
        Type::Dictionary(name) => Some(name),
        _ => None,
    })
}

/// The enumerations, with the reference's values.
fn enumerations() -> Vec<Enumeration> {
    macro_rules! of {
        ($($name:ident),+) => { vec![$(enumeration(stringify!($name), &$name::ALL, $name::as_str)),+] };
    }
    of![
        MLPowerPreference,
        MLInputOperandLayout,
        MLOperandDataType,
        MLConv2dFilterOperandLayout,
        MLConvTranspose2dFilterOperandLayout,
        MLGruWeightLayout,
        MLRecurrentNetworkActivation,
        MLRecurrentNetworkDirection,
        MLLstmWeightLayout,
        MLPaddingMode,
        MLRoundingType,
        MLInterpolationMode
    ]
}

fn enumeration<T: Copy>(name: &'static str, all: &[T], as_str: impl Fn(T) -> &'static str) -> Enumeration {
    Enumeration { name, values: all.iter().map(|value| as_str(*value)).collect() }
}

const fn required(name: &'static str, kind: Type) -> Parameter {
    Parameter { name, kind, optional: false }
}

const fn optional(name: &'static str, kind: Type) -> Parameter {
    Parameter { name, kind, optional: true }
}

const fn options(dictionary: &'static str) -> Parameter {
    optional("options", Type::Dictionary(dictionary))
}

const OPERAND: Type = Type::Interface("MLOperand");
const OPERANDS: Type = Type::Sequence(&OPERAND);
const DATA_TYPE: Type = Type::Enumeration("MLOperandDataType");
/// A sequence of dimensions, axes and the like.
const SIZES: Type = Type::Sequence(&Type::EnforcedUnsignedLong);

#[cfg(test)]
mod tests {
    use super::*;
    use webnn_reference::ops::OPERATORS;

    fn builder() -> Interface {
        let description = Description::of_the_specification();
        description.interfaces.into_iter().find(|interface| interface.name == "MLGraphBuilder").unwrap()
    }

    #[test]
    fn every_operator_of_the_reference_is_described_with_its_parameters() {
        let builder = builder();
        for row in OPERATORS {
            let operation = builder.operations.iter().find(|operation| operation.name == row.name);
            let [signature] = operation.unwrap_or_else(|| panic!("{} is not described", row.name)).overloads else {
                panic!("{} has one signature", row.name);
            };
            let names: Vec<_> = signature.parameters.iter().map(|parameter| parameter.name).collect();
            assert_eq!(names, row.parameters, "{}", row.name);
        }
    }

    #[test]
    fn every_name_that_a_type_uses_is_described() {
        let description = Description::with_the_proposals();
        let known = |name: &str| {
            description.interfaces.iter().any(|interface| interface.name == name)
                || description.dictionaries.iter().any(|dictionary| dictionary.name == name)
                || description.enumerations.iter().any(|enumeration| enumeration.name == name)
                // Made by the host, and returned only.
                || ["GPUDevice", "MLOpSupportLimits", "MLContextLostInfo"].contains(&name)
        };
        let signatures = description.interfaces.iter().flat_map(|interface| &interface.operations);
        let signatures = signatures.flat_map(|operation| operation.overloads);
        let used = signatures
            .flat_map(|signature| {
                signature.parameters.iter().map(|parameter| parameter.kind).chain([signature.returns])
            })
            .chain(description.dictionaries.iter().flat_map(|dictionary| dictionary.members).map(|member| member.kind))
            .chain(description.interfaces.iter().flat_map(|interface| &interface.attributes).map(|one| one.kind));
        for kind in used {
            for name in names_in(kind) {
                assert!(known(name), "{name}");
            }
        }
    }

    fn names_in(kind: Type) -> Vec<&'static str> {
        match kind {
            Type::Interface(name) | Type::Enumeration(name) | Type::Dictionary(name) => vec![name],
            Type::Sequence(of) | Type::FrozenArray(of) | Type::Record(of) | Type::FrozenRecord(of) => names_in(*of),
            Type::Nullable(of) | Type::Promise(of) => names_in(*of),
            Type::Either(one, other) => [names_in(*one), names_in(*other)].concat(),
            _ => vec![],
        }
    }
}
