//! One algorithm in prose and in code.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::finding::Difference;
use super::order::in_order;
use crate::bikeshed::{Algorithm, Flow, Step};
use crate::code::{Encoding, NamedStep, Place};
use crate::step_path::StepPath;

/// The differences, in the order of the prose as far as they are about it, then in that of the code.
pub(super) fn compare(algorithm: &Algorithm, encoding: &Encoding, file: &Arc<Path>) -> Vec<Difference> {
    let at = |line| Place { file: file.clone(), line };
    let steps: HashMap<&StepPath, &Step> = algorithm.steps.iter().map(|step| (&step.path, step)).collect();
    let mut named: Vec<(&Step, &Place)> = Vec::new();
    let mut places: HashMap<&StepPath, &Place> = HashMap::new();
    let mut in_code = Vec::new();
    for NamedStep { name, place } in &encoding.steps {
        let known = name.parse::<StepPath>().ok().and_then(|path| steps.get(&path));
        let Some(step) = known else {
            let prose_end = at(algorithm.end_line);
            in_code.push(Difference::Unknown { step: name.clone(), code: place.clone(), prose_end });
            continue;
        };
        if let Some(first) = places.get(&step.path) {
            in_code.push(Difference::Repeated {
                step: step.path.clone(),
                first: (*first).clone(),
                again: place.clone(),
            });
            continue;
        }
        places.insert(&step.path, place);
        named.push((step, place));
    }
    let mut findings = missing(algorithm, encoding, &places, &at);
    findings.extend(out_of_order(algorithm, &named, &at));
    findings.extend(in_code);
    findings
}

/// The steps that the code does not name, those that follow one another together.
fn missing(
    algorithm: &Algorithm,
    encoding: &Encoding,
    places: &HashMap<&StepPath, &Place>,
    at: &dyn Fn(usize) -> Place,
) -> Vec<Difference> {
    let mut findings: Vec<Difference> = Vec::new();
    let mut before: Option<(&StepPath, &Place)> = None;
    let mut is_run = false;
    for step in &algorithm.steps {
        if let Some(place) = places.get(&step.path) {
            before = Some((&step.path, place));
            is_run = false;
            continue;
        }
        if let Some(Difference::Missing { last, count, .. }) = findings.last_mut().filter(|_| is_run) {
            *last = step.path.clone();
            *count += 1;
            continue;
        }
        is_run = true;
        let after = match (before, encoding.frames.first()) {
            (Some((path, place)), _) => (Some(path.clone()), place.clone()),
            (None, Some(frame)) => (None, frame.clone()),
            // Steps without a frame belong to no algorithm, so that an encoding always has a frame.
            (None, None) => continue,
        };
        findings.push(Difference::Missing {
            first: step.path.clone(),
            last: step.path.clone(),
            count: 1,
            prose: at(step.line),
            after,
        });
    }
    findings
}

/// The steps that stand elsewhere in the code: as few as explain the difference.
fn out_of_order(algorithm: &Algorithm, named: &[(&Step, &Place)], at: &dyn Fn(usize) -> Place) -> Vec<Difference> {
    let order = expected_order(algorithm, named);
    let ranks: HashMap<&StepPath, usize> = order.iter().enumerate().map(|(rank, step)| (&step.path, rank)).collect();
    let sequence: Vec<usize> = named.iter().filter_map(|(step, _)| ranks.get(&step.path).copied()).collect();
    let mut findings = Vec::new();
    for (index, stays) in in_order(&sequence).into_iter().enumerate() {
        if stays {
            continue;
        }
        let (step, place) = named[index];
        let before = sequence[index].checked_sub(1).map(|rank| order[rank].path.clone());
        findings.push(Difference::OutOfOrder {
            step: step.path.clone(),
            code: place.clone(),
            code_after: index.checked_sub(1).map(|index| named[index].0.path.clone()),
            prose: at(step.line),
            prose_after: before,
        });
    }
    findings
}

/// The steps in the order of the prose, but a step about abortion where the code has it: before the steps that are not
/// run then, or behind them.
fn expected_order<'a>(algorithm: &'a Algorithm, named: &[(&Step, &Place)]) -> Vec<&'a Step> {
    let position: HashMap<&StepPath, usize> =
        named.iter().enumerate().map(|(at, (step, _))| (&step.path, at)).collect();
    let mut order: Vec<&Step> = algorithm.steps.iter().collect();
    for outer in algorithm.steps.iter().filter(|step| step.flow == Flow::CanBeAborted) {
        let Some(start) = order.iter().position(|step| step.path == outer.path) else { continue };
        let inside = |outer: &StepPath, after: usize| {
            order[after..].iter().take_while(|step| step.path.is_inside(outer)).count()
        };
        let middle = start + 1 + inside(&outer.path, start + 1);
        let Some(about) = order.get(middle).copied() else { continue };
        let end = middle + 1 + inside(&about.path, middle + 1);
        let both = position.get(&outer.path).zip(position.get(&about.path));
        let comes_first = both.is_some_and(|(outer, about)| *about == outer + 1);
        if about.flow == Flow::IsAboutAbortion && about.path.follows(&outer.path) && comes_first {
            order[start + 1..end].rotate_left(middle - start - 1);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bikeshed::Document;

    const PROSE: &str = "\
<div algorithm><dfn>x</dfn>
1. One.
1. Run these, but [=/abort when=] it rains:
    1. Dance.
    1. Sing.
1. [=/If aborted=], then:
    1. Stop.
1. Return.
</div>";

    fn findings(steps: &[&str]) -> Vec<String> {
        let document = Document::parse(PROSE).unwrap();
        let file: Arc<Path> = Path::new("x.rs").into();
        let place = |line| Place { file: file.clone(), line };
        let named = steps.iter().enumerate();
        let named = named.map(|(index, name)| NamedStep { name: (*name).to_owned(), place: place(index + 2) });
        let encoding = Encoding { frames: vec![place(1)], steps: named.collect() };
        let found = compare(&document.algorithms[0], &encoding, &Path::new("x.bs").into());
        let short = |finding: Difference| match finding {
            Difference::Missing { first, last, count, prose, after: (after, place) } => {
                let after = after.map(|step| step.to_string());
                format!("missing {first}-{last} ({count}) {prose} after {after:?} {place}")
            }
            Difference::Unknown { step, code, prose_end } => format!("unknown {step} {code} {prose_end}"),
            Difference::Repeated { step, first, again } => format!("repeated {step} {first} {again}"),
            Difference::OutOfOrder { step, code, prose, .. } => format!("out of order {step} {code} {prose}"),
        };
        found.into_iter().map(short).collect()
    }

    #[test]
    fn the_same_steps_in_the_same_order_are_right() {
        assert_eq!(findings(&["1", "2", "2.1", "2.2", "3", "3.1", "4"]), [""; 0]);
    }

    #[test]
    fn a_step_about_abortion_may_come_first() {
        assert_eq!(findings(&["1", "2", "3", "3.1", "2.1", "2.2", "4"]), [""; 0]);
        assert_eq!(findings(&["1", "2", "3", "2.1", "2.2", "3.1", "4"]), ["out of order 3.1 x.rs:7 x.bs:7"]);
        assert_eq!(findings(&["1", "3", "2", "2.1", "2.2", "3.1", "4"]), ["out of order 3 x.rs:3 x.bs:6"]);
    }

    #[test]
    fn steps_that_follow_one_another_are_missing_together() {
        let expected =
            ["missing 1-1 (1) x.bs:2 after None x.rs:1", "missing 2.1-3 (3) x.bs:4 after Some(\"2\") x.rs:2"];
        assert_eq!(findings(&["2", "3.1", "4"]), expected);
        assert_eq!(findings(&[]), ["missing 1-4 (7) x.bs:2 after None x.rs:1"]);
    }

    #[test]
    fn steps_that_the_prose_lacks_are_unknown() {
        let found = findings(&["1", "2", "2.1", "2.2", "2.3", "3", "3.1", "4", "five"]);
        assert_eq!(found, ["unknown 2.3 x.rs:6 x.bs:9", "unknown five x.rs:10 x.bs:9"]);
    }

    #[test]
    fn a_second_time_is_once_too_often() {
        assert_eq!(findings(&["1", "2", "2.1", "2.2", "2.1", "3", "3.1", "4"]), ["repeated 2.1 x.rs:4 x.rs:6"]);
    }

    #[test]
    fn only_what_was_moved_is_out_of_order() {
        assert_eq!(findings(&["2", "2.1", "2.2", "1", "3", "3.1", "4"]), ["out of order 1 x.rs:5 x.bs:2"]);
    }
}
