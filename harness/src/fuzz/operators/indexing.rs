//! Operators that gather and scatter by indices.

use webnn_reference::ops::OperatorRow;

use crate::fuzz::draft::{Call, Draft, Operand, data_types};
use crate::fuzz::elements::Purpose;

/// Indices of this shape into `size` elements.
fn indices(draft: &mut Draft, row: &'static OperatorRow, shape: &[u32], size: u32) -> Operand {
    let data_type = draft.any_type(&data_types(row, "indices"));
    draft.operand(data_type, shape, Purpose::Indices(size))
}

pub(super) fn gather(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axis = draft.axis(&input);
    let rank = draft.random.below(3).min(6 - input.rank().min(6));
    let shape: Vec<u32> = (0..rank).map(|_| draft.random.between(1, 4)).collect();
    let indices = indices(draft, row, &shape, input.shape[axis as usize]);
    let call = Call::with("input", &input).and("indices", indices.name.as_str());
    if axis == 0 { call.maybe(draft, "axis", axis) } else { call.option("axis", axis) }
}

pub(super) fn gather_elements(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (axis, shape) = beside_axis(draft, &input);
    let indices = indices(draft, row, &shape, input.shape[axis as usize]);
    let call = Call::with("input", &input).and("indices", indices.name.as_str());
    if axis == 0 { call.maybe(draft, "axis", axis) } else { call.option("axis", axis) }
}

/// An axis, and the shape of the input with another size along it.
fn beside_axis(draft: &mut Draft, input: &Operand) -> (u32, Vec<u32>) {
    let axis = draft.axis(input);
    let mut shape = input.shape.clone();
    shape[axis as usize] = draft.random.between(1, 5);
    (axis, shape)
}

/// The shape of indices for coordinates of the input, how many axes a coordinate has, and the smallest of those axes.
fn coordinates(draft: &mut Draft, input: &Operand) -> (Vec<u32>, usize, u32) {
    let axes = 1 + draft.random.below(input.rank());
    let mut shape: Vec<u32> = (0..draft.random.below(3)).map(|_| draft.random.between(1, 4)).collect();
    shape.push(axes as u32);
    let size = input.shape[..axes].iter().copied().min().unwrap_or(1);
    (shape, axes, size)
}

pub(super) fn gather_nd(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (shape, _, size) = coordinates(draft, &input);
    let indices = indices(draft, row, &shape, size);
    Call::with("input", &input).and("indices", indices.name.as_str())
}

pub(super) fn scatter_elements(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (axis, shape) = beside_axis(draft, &input);
    let indices = indices(draft, row, &shape, input.shape[axis as usize]);
    let updates = draft.operand(input.data_type, &shape, Purpose::Any);
    let call = Call::with("input", &input).and("indices", indices.name.as_str()).and("updates", updates.name.as_str());
    if axis == 0 { call.maybe(draft, "axis", axis) } else { call.option("axis", axis) }
}

pub(super) fn scatter_nd(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (shape, axes, size) = coordinates(draft, &input);
    let of_updates: Vec<u32> = shape[..shape.len() - 1].iter().chain(&input.shape[axes..]).copied().collect();
    let indices = indices(draft, row, &shape, size);
    let updates = draft.operand(input.data_type, &of_updates, Purpose::Any);
    Call::with("input", &input).and("indices", indices.name.as_str()).and("updates", updates.name.as_str())
}
