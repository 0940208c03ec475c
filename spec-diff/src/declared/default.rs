//! The default of a member, in the words of Web IDL.

use std::collections::BTreeMap;

use super::Enumeration;
use super::spelling::number;

/// A default that Rust writes so; none where it says that the member is not given.
pub(super) fn in_web_idl(text: &str, enumerations: &BTreeMap<String, Enumeration>) -> Option<String> {
    let quoted = |value: &String| format!("\"{value}\"");
    match text {
        "None" => return None,
        "String::new()" => return Some("\"\"".to_owned()),
        _ => {}
    }
    if let Some(value) = text.strip_prefix("MLNumber::Double(").and_then(|rest| rest.strip_suffix(')')) {
        return Some(number(value));
    }
    if let Some((name, variant)) = text.split_once("::")
        && let Some(enumeration) = enumerations.get(name)
    {
        let variant = if variant == "default()" { enumeration.default.as_deref()? } else { variant };
        return enumeration.variants.get(variant).map(quoted);
    }
    Some(number(text))
}
