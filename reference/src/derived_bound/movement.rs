//! The rule for the operators that move elements: each element of the output has the range of the one that it was.
//!
//! Which one that was is found by moving the numbers of the elements instead of the elements.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Ranges;
use super::range::Range;
use super::site::{Site, each_point, listed};
use crate::number::MLNumber;
use crate::ops::Operation;
use crate::ops::pad::Pad;
use crate::value::{Computed, Stored, array, elements, reserved};

/// The rule, where the inputs at `moved` are moved and the others say where to.
pub(super) fn moved(operation: &Operation, site: &Site<'_>, moved: &[usize]) -> Computed<Vec<Ranges>> {
    let count = site.bound().input_count();
    let directing = (0..count).filter(|place| !moved.contains(place));
    if !directing.clone().all(|place| site.is_exact(place)) {
        return anywhere(site, moved);
    }
    if moved.iter().all(|place| site.is_exact(*place)) {
        return Ok(site.exact());
    }

    // An operand that is moved by itself can not be replaced by numbers.
    let id = |place: &usize| site.bound().input_id(*place);
    if directing.clone().any(|place| moved.iter().any(|moved| id(moved) == id(&place))) {
        return anywhere(site, moved);
    }

    let mut values = BTreeMap::new();
    let mut sources = Vec::new();
    for place in 0..count {
        let value = site.bound().input(place);
        let value = if moved.contains(&place) { numbered(site, place, &mut sources)? } else { value.clone() };
        values.insert(site.bound().input_id(place), Rc::new(value));
    }
    let outputs = without_value(operation).compute(&site.bound().with_values(&values))?;
    let ranges = outputs.iter().enumerate().map(|(output, numbers)| {
        let computed = site.computed(output);
        let range =
            |(number, computed): (&i64, Range)| match usize::try_from(*number).ok().and_then(|n| n.checked_sub(1)) {
                Some(source) => sources[source],
                None => computed,
            };
        let numbers = elements(i64::array(numbers));
        let ranges = listed(numbers.iter().zip(each_point(computed)).map(range), numbers.len())?;
        Ok(Ranges::of(ranges, computed))
    });
    ranges.collect()
}

/// The numbers of the elements of an input, from 1 on, after those of the inputs before; 0 is left for what is no element
/// of an input.
fn numbered(site: &Site<'_>, place: usize, sources: &mut Vec<Range>) -> Computed {
    let first = sources.len() + 1;
    sources.extend(site.input(place)?);
    let numbers = (first..=sources.len()).map(|number| i64::try_from(number).expect("memory is smaller"));
    Ok(array(&site.bound().input_descriptor(place).shape, numbers)?.into())
}

/// pad's value is a number of its own, and no element.
fn without_value(operation: &Operation) -> Operation {
    if let Operation::Pad(pad) = operation {
        return Operation::Pad(Pad { value: MLNumber::BigInt(0), ..pad.clone() });
    }
    operation.clone()
}

/// Where indices are in doubt, an element may be any.
fn anywhere(site: &Site<'_>, moved: &[usize]) -> Computed<Vec<Ranges>> {
    let mut all = Vec::new();
    for place in moved {
        all.extend(site.input(*place)?);
    }
    let any = all.into_iter().reduce(Range::or).unwrap_or(Range::ANYTHING).doubtful();
    let count = site.computed(0).shape().iter().product();
    let mut ranges = reserved(count)?;
    ranges.resize(count, any);
    Ok(vec![Ranges::Each(ranges)])
}
