//! Types and names of Rust in the words of Web IDL, and one spelling for what Web IDL can say in several ways.

use syn::{GenericArgument, PathArguments, Type};

/// Types that have another name in Rust.
const NAMES: [(&str, &str); 11] = [
    ("u32", "unsigned long"),
    ("WithoutRange", "unsigned long"),
    ("i32", "long"),
    ("f64", "double"),
    ("f32", "float"),
    ("bool", "boolean"),
    ("str", "USVString"),
    ("String", "USVString"),
    ("BufferSource", "AllowSharedBufferSource"),
    // `split`'s number of outputs, or their sizes.
    ("Splits", "(unsigned long or sequence<unsigned long>)"),
    ("Self", "undefined"),
];

/// Types that only wrap another one, of which Web IDL speaks.
const TRANSPARENT: [&str; 4] = ["Option", "Result", "Rc", "Box"];

/// A type of Rust in the words of Web IDL.
pub(super) fn of_type(type_: &Type) -> String {
    match type_ {
        Type::Reference(reference) => of_type(&reference.elem),
        Type::Slice(slice) => format!("sequence<{}>", of_type(&slice.elem)),
        Type::Array(array) => format!("sequence<{}>", of_type(&array.elem)),
        Type::Tuple(tuple) if tuple.elems.is_empty() => "undefined".to_owned(),
        Type::Path(path) => path.path.segments.last().map_or_else(String::new, |last| {
            let name = last.ident.to_string();
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                    GenericArgument::Type(type_) => Some(of_type(type_)),
                    _ => None,
                }),
                _ => None,
            };
            match (name.as_str(), inner) {
                ("Vec", Some(inner)) => format!("sequence<{inner}>"),
                (name, Some(inner)) if TRANSPARENT.contains(&name) => inner,
                (name, Some(inner)) => format!("{name}<{inner}>"),
                (name, None) => {
                    let known = NAMES.iter().find(|(rust, _)| *rust == name);
                    known.map_or(name, |(_, idl)| idl).to_owned()
                }
            }
        }),
        _ => String::new(),
    }
}

/// A type of Web IDL as types of Rust are spelled here: without attributes, and with one name for both kinds of
/// strings and for both kinds of lists.
pub fn canonical(type_: &str) -> String {
    let mut plain = String::new();
    let mut rest = type_;
    while let Some((before, attributes)) = rest.split_once('[') {
        plain.push_str(before);
        rest = attributes.split_once(']').map_or("", |(_, after)| after.trim_start());
    }
    plain.push_str(rest);
    plain.replace("DOMString", "USVString").replace("FrozenArray<", "sequence<")
}

/// A default of Web IDL in one spelling: numbers can be written in many ways.
pub fn number(default: &str) -> String {
    default.parse::<f64>().map_or_else(|_| default.to_owned(), |number| number.to_string())
}

/// `outputDataType`, of `output_data_type`.
pub(super) fn camel_case(name: &str) -> String {
    let mut words = name.trim_start_matches("r#").split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_spell_a_type_alike() {
        for (rust, idl) in [
            ("&MLOperand", "MLOperand"),
            ("&[u32]", "sequence<[EnforceRange] unsigned long>"),
            ("Option<Vec<f32>>", "sequence<float>"),
            ("Result<Vec<MLOperand>>", "sequence<MLOperand>"),
            ("&str", "DOMString"),
            ("&Splits", "([EnforceRange] unsigned long or sequence<[EnforceRange] unsigned long>)"),
            ("Promise<()>", "Promise<undefined>"),
            ("i32", "[EnforceRange] long"),
        ] {
            assert_eq!(of_type(&syn::parse_str(rust).unwrap()), canonical(idl));
        }
    }

    #[test]
    fn names_and_numbers_have_one_spelling() {
        assert_eq!(camel_case("output_data_type"), "outputDataType");
        assert_eq!((number("1e-5"), number("1.0"), number("\"x\"")), ("0.00001".into(), "1".into(), "\"x\"".into()));
    }
}
