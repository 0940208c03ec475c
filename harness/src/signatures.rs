//! What operators take, as vectors are checked against it: the description of their methods and options for script.

use std::sync::LazyLock;

use indexmap::IndexMap;
use webnn_vectors::{ArgumentKind as Kind, Class, Gives, Parameter, Signature};
use webnn_wpt::idl::{Description, Type};

static SIGNATURES: LazyLock<IndexMap<&str, Signature>> = LazyLock::new(described);

/// What an operator takes, if the specification has one of this name.
pub(crate) fn signature(name: &str) -> Option<&'static Signature> {
    SIGNATURES.get(name)
}

/// All operators, in alphabetical order, with what they take.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static Signature)> {
    SIGNATURES.iter().map(|(name, signature)| (*name, signature))
}

/// How many operands those operators give that give a list, which Web IDL does not say.
const LISTS: &[(&str, Gives)] = &[
    ("gru", Gives::OneMoreWhere(1, "returnSequence")),
    ("lstm", Gives::OneMoreWhere(2, "returnSequence")),
    ("lstmCell", Gives::Operands(2)),
    ("split", Gives::AsManyAs("splits")),
];

/// What data of web-platform-tests have otherwise than today's specification: they are of 2025-03-31, and stay as they are.
mod former {
    /// Parameters of operators by another name, which counts for nothing, as arguments are given by position.
    pub(super) const PARAMETERS: &[(&str, &str, &str)] = &[
        ("cast", "dataType", "type"),
        ("isInfinite", "a", "input"),
        ("isNaN", "a", "input"),
        ("logicalNot", "a", "input"),
    ];
    /// A parameter that had a default.
    pub(super) const OPTIONAL: (&str, &str) = ("softmax", "axis");
    /// A member of a dictionary that is called otherwise now: it is left alone, as Web IDL has it.
    pub(super) const MEMBER: (&str, &str) = ("MLPool2dOptions", "roundingType");
    /// A value that an enumeration no longer has: Web IDL throws.
    pub(super) const VALUE: (&str, &str) = ("MLPaddingMode", "symmetric");
}

fn described() -> IndexMap<&'static str, Signature> {
    let description = Description::of_the_specification();
    let builder = description.interfaces.iter().find(|interface| interface.name == "MLGraphBuilder");
    let operations = builder.iter().flat_map(|builder| &builder.operations);
    operations
        .filter(|operation| webnn_reference::ops::operator(operation.name).is_some())
        .filter_map(|operation| {
            let [signature] = operation.overloads else { return None };
            let parameters = signature.parameters.iter().map(|parameter| {
                let (name, kind) = (parameter.name, kind(parameter.kind, &description)?);
                let is_this = |(of, known): (&str, &str)| of == operation.name && known == name;
                let former = former::PARAMETERS.iter().find(|(of, known, _)| is_this((of, known)));
                let required = !parameter.optional && !is_this(former::OPTIONAL);
                Some(Parameter { name, also: former.map(|(_, _, also)| *also), kind, required })
            });
            let list = LISTS.iter().find(|(name, _)| *name == operation.name);
            let gives = list.map_or(Gives::Operands(1), |(_, gives)| *gives);
            Some((operation.name, Signature { parameters: parameters.collect::<Option<_>>()?, gives }))
        })
        .collect()
}

/// The values of a type, if an operator can be given it.
fn kind(of: Type, description: &Description) -> Option<Kind> {
    Some(match of {
        Type::Boolean => Kind::Boolean,
        Type::UnsignedLong | Type::EnforcedUnsignedLong | Type::EnforcedLong | Type::EnforcedUnsignedLongLong => {
            Kind::WHOLE
        }
        Type::Double | Type::Float => Kind::Double,
        Type::Number => Kind::Number,
        Type::UsvString | Type::DomString => Kind::Text,
        Type::Interface("MLOperand") => Kind::Named(&[Class::Operand]),
        Type::Enumeration(name) => {
            let found = description.enumerations.iter().find(|enumeration| enumeration.name == name)?;
            let former = Some(former::VALUE).filter(|(of, _)| *of == name).map(|(_, value)| value);
            Kind::OneOf(found.values.iter().copied().chain(former).collect())
        }
        Type::Dictionary(name) => Kind::Members(members(name, description)?),
        Type::Sequence(of) => Kind::List(kind(*of, description)?.into()),
        Type::Either(one, other) => Kind::Either(kind(*one, description)?.into(), kind(*other, description)?.into()),
        Type::Undefined
        | Type::ArrayBuffer
        | Type::BufferSource
        | Type::ConstantData
        | Type::Interface(_)
        | Type::FrozenArray(_)
        | Type::Record(_)
        | Type::FrozenRecord(_)
        | Type::Nullable(_)
        | Type::Promise(_) => return None,
    })
}

/// The members of a dictionary, those that it inherits first.
fn members(name: &str, description: &Description) -> Option<Vec<Parameter>> {
    let dictionary = description.dictionaries.iter().find(|dictionary| dictionary.name == name)?;
    let mut all = match dictionary.inherits {
        Some(inherited) => members(inherited, description)?,
        None => vec![],
    };
    for member in dictionary.members {
        let kind = kind(member.kind, description)?;
        all.push(Parameter { name: member.name, also: None, kind, required: member.required });
    }
    let (of, former) = former::MEMBER;
    if of == name {
        all.push(Parameter::optional(former, Kind::OneOf(vec!["floor", "ceil"])));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use webnn_wpt::idl::Operation;

    #[test]
    fn every_operator_has_its_parameters() {
        for row in webnn_reference::ops::OPERATORS {
            let signature = signature(row.name).unwrap_or_else(|| panic!("{} has no signature", row.name));
            let names: Vec<_> = signature.parameters.iter().map(|parameter| parameter.name).collect();
            assert_eq!(names, row.parameters, "{}", row.name);
            let options = signature.parameters.last().map(|parameter| &parameter.kind);
            let Some(Kind::Members(members)) = options else { panic!("{}: {options:?}", row.name) };
            assert!(members.iter().any(|member| member.name == "label"), "{}", row.name);
        }
        let operators = Description::of_the_specification().interfaces.into_iter().flat_map(|one| one.operations);
        let is_list =
            |operation: &Operation| matches!(operation.overloads, [one] if matches!(one.returns, Type::Sequence(_)));
        let lists = operators.filter(is_list).map(|operation| operation.name);
        assert!(lists.eq(LISTS.iter().map(|(name, _)| *name)), "what gives a list has a row in LISTS");
        assert!(signature("constant").is_none() && signature("build").is_none());
    }
}
