//! Which words of a text changed.

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

/// Consecutive words with the same fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// What became of them.
    pub fate: WordFate,
    /// The words, with the white space between them.
    pub text: String,
}

/// What became of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WordFate {
    /// They stand on both sides.
    Kept,
    /// They are new.
    Added,
    /// They are gone.
    Removed,
}

/// The words of two texts, those that are gone before those in their place.
pub fn runs(old: &str, new: &str) -> Vec<Run> {
    let (old, new) = (tokens(old), tokens(new));
    let mut runs: Vec<Run> = Vec::new();
    for change in TextDiff::from_slices(&old, &new).iter_all_changes() {
        let fate = match change.tag() {
            ChangeTag::Equal => WordFate::Kept,
            ChangeTag::Insert => WordFate::Added,
            ChangeTag::Delete => WordFate::Removed,
        };
        let text: &str = change.value();
        match runs.last_mut().filter(|run| run.fate == fate) {
            Some(run) => run.text.push_str(text),
            None => runs.push(Run { fate, text: text.to_owned() }),
        }
    }
    runs
}

/// How much of their words two texts have in common: 1 for the same text.
pub fn likeness(old: &str, new: &str) -> f32 {
    TextDiff::from_slices(&tokens(old), &tokens(new)).ratio()
}

/// The words of a text, the white space between them, and each other sign for itself; a link is made of several, so that
/// it is seen which part of it changed.
fn tokens(text: &str) -> Vec<&str> {
    let class = |letter: char| match letter {
        letter if letter.is_alphanumeric() => 0,
        letter if letter.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, letter) in text.char_indices() {
        let is_new = last.is_some_and(|last| last != class(letter) || last == 2);
        if is_new {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = Some(class(letter));
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_that_changed_are_marked() {
        let marked = |old: &str, new: &str| {
            let run = |run: Run| match run.fate {
                WordFate::Kept => run.text,
                WordFate::Added => format!("+{}+", run.text),
                WordFate::Removed => format!("-{}-", run.text),
            };
            runs(old, new).into_iter().map(run).collect::<String>()
        };
        assert_eq!(
            marked("If |a|'s [=rank=] is 4.", "If |a|'s [=rank=] is not 5."),
            "If |a|'s [=rank=] is -4-+not 5+."
        );
        assert_eq!(marked("{{A/b}}", "{{A/c}}"), "{{A/-b-+c+}}");
        assert_eq!(marked("", "é x"), "+é x+");
        assert_eq!(marked("same", "same"), "same");
    }

    #[test]
    fn likeness_is_from_0_to_1() {
        assert!((likeness("a b c", "a b c") - 1.0).abs() < f32::EPSILON);
        assert!(likeness("a b c d", "a b c e") > 0.5);
        assert!(likeness("a", "b") < 0.1);
    }
}
