//! Finding an algorithm by what people call it.

/// The names that a text may stand for: the very name, or else all whose method or term it is, or else all that have it
/// in them. Case does not matter.
pub(crate) fn find<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let names: Vec<&'n str> = names.into_iter().collect();
    let text = text.trim().to_lowercase();
    let is_it = |name: &str| name.to_lowercase() == text;
    let is_term = |name: &str| {
        let name = name.to_lowercase();
        let term = name.rsplit_once('/').map_or(name.as_str(), |(_, term)| term);
        let method = name.split('(').next().unwrap_or_default();
        term == text || method == text || method.rsplit('.').next() == Some(text.as_str())
    };
    let has = |name: &str| name.to_lowercase().contains(&text);
    let all =
        |found: &dyn Fn(&str) -> bool| -> Vec<&'n str> { names.iter().copied().filter(|name| found(name)).collect() };
    [all(&is_it), all(&is_term), all(&has)].into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Some names that differ little from a text, for a hint.
pub(crate) fn hint<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> String {
    let short = |name: &str| {
        name.split('(').next().unwrap_or_default().rsplit(['.', '/']).next().unwrap_or_default().to_owned()
    };
    let likeness = |name: &str| {
        similar::TextDiff::from_chars(text.to_lowercase().as_str(), short(name).to_lowercase().as_str()).ratio()
    };
    let best = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    best.filter(|name| likeness(name) > 0.5).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] =
        ["MLGraphBuilder.gru(input)", "MLGraphBuilder.gruCell(input)", "MLContext/lose", "MLContext.destroy()"];

    #[test]
    fn the_nearest_meaning_wins() {
        let found = |text: &str| find(text, NAMES);
        assert_eq!(found("gru"), ["MLGraphBuilder.gru(input)"]);
        assert_eq!(found("mlcontext.destroy()"), ["MLContext.destroy()"]);
        assert_eq!(found("MLContext.destroy"), ["MLContext.destroy()"]);
        assert_eq!(found("lose"), ["MLContext/lose"]);
        assert_eq!(found("MLGraphBuilder").len(), 2);
        assert_eq!(found("nothing"), [""; 0]);
        assert_eq!(hint("grucel", NAMES.into_iter()), "; did you mean MLGraphBuilder.gruCell(input)?");
        assert_eq!(hint("qqq", NAMES.into_iter()), "");
    }
}
