//! Operators that move elements.

use webnn_reference::ops::OperatorRow;

use super::elementwise::literal;
use crate::fuzz::draft::{Call, Draft};
use crate::fuzz::elements::{Purpose, elements};

pub(super) fn concat(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let first = draft.first(row, "inputs");
    let axis = draft.axis(&first);
    let mut names = vec![first.name.clone()];
    for _ in 0..draft.random.below(4) {
        let mut shape = first.shape.clone();
        if draft.random.coin() {
            shape[axis as usize] = draft.random.between(1, 5);
        }
        names.push(draft.operand(first.data_type, &shape, Purpose::Any).name);
    }
    let names = draft.random.shuffled(&names);
    Call::default().and("inputs", names.iter().map(String::as_str).collect::<Vec<_>>()).and("axis", axis)
}

pub(super) fn expand(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let mut shape = input.shape.clone();
    for dimension in shape.iter_mut().filter(|dimension| **dimension == 1) {
        *dimension = draft.random.between(1, 5);
    }
    while shape.len() < 6 && draft.random.one_in(3) {
        shape.insert(0, draft.random.between(1, 3));
    }
    Call::with("input", &input).and("newShape", shape)
}

pub(super) fn pad(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let mode = draft.random.choose(&["constant", "edge", "reflection"]);
    let padding = |draft: &mut Draft| {
        let amount = |dimension: &u32| {
            let most = if mode == "reflection" { (dimension - 1).min(3) } else { 3 };
            if draft.random.coin() { 0 } else { draft.random.between(0, most) }
        };
        input.shape.iter().map(amount).collect::<Vec<u32>>()
    };
    let (beginning, ending) = (padding(draft), padding(draft));
    let value = elements(&mut draft.random, input.data_type, Purpose::Any, 1)[0];
    let call = Call::with("input", &input).and("beginningPadding", beginning).and("endingPadding", ending);
    let call = if mode == "constant" { call.maybe(draft, "mode", mode) } else { call.option("mode", mode) };
    call.maybe(draft, "value", literal(input.data_type, value))
}

pub(super) fn reshape(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let mut left: u32 = input.shape.iter().product();
    let mut shape = Vec::new();
    while left > 1 && shape.len() < 5 && !draft.random.one_in(3) {
        let divisors: Vec<u32> = (1..=left.min(32)).filter(|divisor| left.is_multiple_of(*divisor)).collect();
        let dimension = draft.random.choose(&divisors);
        left /= dimension;
        shape.push(dimension);
    }
    if left > 1 || draft.random.one_in(4) {
        shape.push(left);
    }
    let shape = draft.random.shuffled(&shape);
    Call::with("input", &input).and("newShape", shape)
}

pub(super) fn reverse(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axes = draft.random.subset(&input.axes());
    Call::with("input", &input).maybe(draft, "axes", axes)
}

pub(super) fn slice(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (mut starts, mut sizes, mut strides) = (vec![], vec![], vec![]);
    for dimension in &input.shape {
        let start = if draft.random.coin() { 0 } else { draft.random.between(0, dimension - 1) };
        let size = if draft.random.coin() { dimension - start } else { draft.random.between(1, dimension - start) };
        starts.push(start);
        sizes.push(size);
        strides.push(if draft.random.coin() { 1 } else { draft.random.between(1, size.min(4)) });
    }
    Call::with("input", &input).and("starts", starts).and("sizes", sizes).maybe(draft, "strides", strides)
}

pub(super) fn split(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axis = draft.axis(&input);
    let dimension = input.shape[axis as usize];
    let call = Call::with("input", &input);
    let call = if draft.random.coin() {
        let counts: Vec<u32> = (1..=dimension.min(8)).filter(|count| dimension.is_multiple_of(*count)).collect();
        call.and("splits", draft.random.choose(&counts))
    } else {
        let mut sizes = vec![];
        let mut left = dimension;
        while left > 0 && sizes.len() < 6 {
            let size = draft.random.between(1, left);
            sizes.push(size);
            left -= size;
        }
        if left > 0 {
            sizes.push(left);
        }
        call.and("splits", sizes)
    };
    if axis == 0 { call.maybe(draft, "axis", axis) } else { call.option("axis", axis) }
}

pub(super) fn tile(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let repetitions = (0..input.rank()).map(|_| draft.random.choose(&[1u32, 1, 1, 2, 3])).collect::<Vec<_>>();
    Call::with("input", &input).and("repetitions", repetitions)
}

pub(super) fn transpose(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let permutation = draft.random.shuffled(&input.axes());
    let call = Call::with("input", &input);
    if draft.random.one_in(4) { call } else { call.option("permutation", permutation) }
}

pub(super) fn triangular(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let upper = draft.random.coin();
    let diagonal = draft.random.choose(&[0, 1, -1, 2, -2, 5, -5, i32::MAX, i32::MIN]);
    Call::with("input", &input).maybe(draft, "upper", upper).maybe(draft, "diagonal", diagonal)
}
