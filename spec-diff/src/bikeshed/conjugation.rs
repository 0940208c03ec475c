//! Forms of a term: a definition of "create an operand" is linked as "creating an operand", "operators" as "operator".

/// Whether two texts are forms of one term: they differ in the ending of their first or of their last word only.
pub fn is_same_term(a: &str, b: &str) -> bool {
    canonical(a) == canonical(b)
}

/// What all forms of a term have in common.
pub fn canonical(term: &str) -> String {
    let words: Vec<String> = term.split_whitespace().map(str::to_lowercase).collect();
    let last = words.len().saturating_sub(1);
    let word = |(index, word): (usize, &String)| if index == 0 || index == last { stem(word) } else { word.clone() };
    words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// What all forms of a word begin with, as far as English spelling lets one say so without a dictionary.
fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let long = |rest: &&str| rest.len() >= 3;
    let cut = |ending: &str| word.strip_suffix(ending).filter(long);
    if let Some(rest) = cut("ies").or_else(|| cut("ied")) {
        return format!("{rest}y");
    }
    let verb = cut("ing").or_else(|| cut("ed"));
    if let Some(rest) = verb {
        return without_mute_e(undoubled(rest));
    }
    if let Some(rest) = word.strip_suffix('s').filter(|rest| rest.len() >= 2 && !rest.ends_with('s')) {
        let rest = rest.strip_suffix('e').filter(|rest| rest.ends_with(['s', 'x', 'h'])).unwrap_or(rest);
        return without_mute_e(rest);
    }
    without_mute_e(word)
}

/// "stopp", of "stopped", is "stop".
fn undoubled(word: &str) -> &str {
    let mut letters = word.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    if last == before && last.is_some_and(|letter| !"aeiouslz".contains(letter)) {
        &word[..word.len() - 1]
    } else {
        word
    }
}

fn without_mute_e(word: &str) -> String {
    word.strip_suffix('e').filter(|rest| rest.len() >= 2).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::is_same_term;

    #[test]
    fn forms_of_a_term_are_the_same_term() {
        for (a, b) in [
            ("create an MLOperand", "creating an MLOperand"),
            ("copy an MLOperand", "Copying an MLOperand"),
            ("operators", "Operator"),
            ("validate operand", "validating operand"),
            ("lose", "losing"),
            ("allowed data types", "allowed data type"),
            ("queue an ML task", "queues an ML task"),
            ("throw", "throws"),
            ("reject", "rejected"),
            ("stop", "stopping"),
            ("get a copy of the bytes", "getting a copy of the bytes"),
            ("unidirectionally broadcastable", "unidirectionally broadcastable"),
            ("check dimensions", "checking dimensions"),
            ("equal", "equals"),
        ] {
            assert!(is_same_term(a, b), "{a} {b}");
        }
    }

    #[test]
    fn other_terms_are_others() {
        for (a, b) in [
            ("input", "output"),
            ("create an MLOperand", "create an MLTensor"),
            ("create an MLOperand", "create an MLOperandDescriptor"),
            ("shape", "rank"),
            ("is lost", "lose"),
            ("class", "clas"),
            ("a", "as"),
        ] {
            assert!(!is_same_term(a, b), "{a} {b}");
        }
    }
}
