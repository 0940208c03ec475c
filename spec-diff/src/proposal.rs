//! A proposal, put into the specification: its algorithms and Web IDL beside those that are there, and its amendments in
//! the algorithms that they change.

use crate::bikeshed::{Algorithm, Amendment, Document, Problem, Step};
use crate::step_path::StepPath;

/// The specification with a proposal in it.
///
/// # Errors
/// If the proposal amends what is not there, or replaces an algorithm without saying so.
pub fn applied(specification: &Document, proposal: &Document) -> Result<Document, Problem> {
    let mut document = specification.clone();
    // Steps behind what was put in have other numbers, so that the last place comes first.
    let mut amendments: Vec<&Amendment> = proposal.amendments.iter().collect();
    amendments.sort_by(|a, b| b.after.cmp(&a.after));
    for amendment in amendments {
        if let Some(what) = misplaced(amendment, specification) {
            return Err(Problem { line: amendment.line, what });
        }
        let amended = document.algorithms.iter_mut().find(|algorithm| algorithm.name() == amendment.algorithm);
        amended.into_iter().for_each(|algorithm| amend(algorithm, amendment));
    }
    for algorithm in &proposal.algorithms {
        if document.algorithm(&algorithm.name()).is_some() {
            let what = format!("{} is in the specification: amend it", algorithm.name());
            return Err(Problem { line: algorithm.line, what });
        }
        document.algorithms.push(algorithm.clone());
    }
    document.idl.extend(proposal.idl.iter().cloned());
    document.definitions.extend(proposal.definitions.iter().cloned());
    document.tables.extend(proposal.tables.iter().cloned());
    Ok(document)
}

/// Why an amendment can not be made to a specification.
pub(crate) fn misplaced(amendment: &Amendment, specification: &Document) -> Option<String> {
    let Some(algorithm) = specification.algorithm(&amendment.algorithm) else {
        return Some("it amends an algorithm that there is not".to_owned());
    };
    let has_step = algorithm.steps.iter().any(|step| step.path == amendment.next_to);
    (!has_step).then(|| format!("it comes next to step {}, which there is not", amendment.next_to))
}

/// Puts the steps of an amendment behind their place, and gives those behind them new numbers.
fn amend(algorithm: &mut Algorithm, amendment: &Amendment) {
    let (list, after) = amendment.after.split();
    let count = amendment.steps.iter().filter(|step| step.path.depth() == 1).count();
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let is_behind = |step: &Step| {
        let numbers = step.path.numbers();
        numbers.starts_with(list) && numbers.get(list.len()).is_some_and(|number| *number > after)
    };
    for step in algorithm.steps.iter_mut().filter(|step| is_behind(step)) {
        step.path = moved(step.path.numbers(), list.len(), count);
    }
    let new = amendment.steps.iter().map(|step| {
        let numbers: Vec<u32> = list.iter().chain(step.path.numbers()).copied().collect();
        Step { path: moved(&numbers, list.len(), after), ..step.clone() }
    });
    algorithm.steps.extend(new);
    algorithm.steps.sort_by(|a, b| a.path.cmp(&b.path));
    algorithm.line = amendment.line;
}

/// A path with a greater number at a level.
fn moved(numbers: &[u32], level: usize, by: u32) -> StepPath {
    let number = |(place, number): (usize, &u32)| if place == level { number.saturating_add(by) } else { *number };
    StepPath::new(numbers.iter().enumerate().map(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "\
<div algorithm>To <dfn>work</dfn>:
1. One.
1. Two:
    1. Inner.
1. Three:
    1. Inner of three.
</div>";

    fn paths(document: &Document) -> Vec<String> {
        document.algorithms[0].steps.iter().map(|step| format!("{} {}", step.path, step.text)).collect()
    }

    fn proposal(after: &str) -> Document {
        let text = format!("<div algorithm amends=\"work\" after={after}>\n1. New:\n    1. Part.\n1. Newer.\n</div>");
        Document::parse(&text).unwrap()
    }

    #[test]
    fn steps_are_put_in_behind_their_place() {
        let base = Document::parse(BASE).unwrap();
        let expected =
            ["1 One.", "2 Two:", "2.1 Inner.", "3 New:", "3.1 Part.", "4 Newer.", "5 Three:", "5.1 Inner of three."];
        assert_eq!(paths(&applied(&base, &proposal("2")).unwrap()), expected);
        let expected = [
            "1 One.",
            "2 Two:",
            "2.1 Inner.",
            "2.2 New:",
            "2.2.1 Part.",
            "2.3 Newer.",
            "3 Three:",
            "3.1 Inner of three.",
        ];
        assert_eq!(paths(&applied(&base, &proposal("2.1")).unwrap()), expected);
    }

    #[test]
    fn steps_are_put_in_before_their_place() {
        let base = Document::parse(BASE).unwrap();
        let text = "<div algorithm amends=\"work\" before=2.1>\n1. New.\n</div>";
        let first = applied(&base, &Document::parse(text).unwrap()).unwrap();
        let expected = ["1 One.", "2 Two:", "2.1 New.", "2.2 Inner.", "3 Three:", "3.1 Inner of three."];
        assert_eq!(paths(&first), expected);
        let nowhere = Document::parse("<div algorithm amends=\"work\" before=2.2>\n1. New.\n</div>").unwrap();
        assert_eq!(applied(&base, &nowhere).unwrap_err().what, "it comes next to step 2.2, which there is not");
    }

    #[test]
    fn what_can_not_be_amended_is_said() {
        let base = Document::parse(BASE).unwrap();
        let error = |proposal: &Document| applied(&base, proposal).unwrap_err().what;
        assert_eq!(error(&proposal("7")), "it comes next to step 7, which there is not");
        let other = Document::parse("<div algorithm amends=\"play\" after=1>\n1. New.\n</div>").unwrap();
        assert_eq!(error(&other), "it amends an algorithm that there is not");
        assert_eq!(error(&base), "work is in the specification: amend it");
        let nowhere = Document::parse("<div algorithm amends=\"work\">\n1. New.\n</div>").unwrap();
        assert_eq!(nowhere.problems[0].what, "an amendment says after=STEP or before=STEP, where its steps come");
    }
}
