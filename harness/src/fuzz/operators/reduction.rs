//! Reductions, and what else goes along axes.

use webnn_reference::ops::OperatorRow;
use webnn_vectors::DataType;

use crate::fuzz::draft::{Call, Draft};

pub(super) fn reduce(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axes = draft.random.subset(&input.axes());
    let keep_dimensions = draft.random.coin();
    let call = Call::with("input", &input).maybe(draft, "keepDimensions", keep_dimensions);
    if draft.random.one_in(4) { call } else { call.option("axes", axes) }
}

pub(super) fn arg_min_max(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axis = draft.axis(&input);
    let keep_dimensions = draft.random.coin();
    let data_type = draft.any_type(&[DataType::Int32, DataType::Int64]).name();
    Call::with("input", &input).and("axis", axis).maybe(draft, "keepDimensions", keep_dimensions).maybe(
        draft,
        "outputDataType",
        data_type,
    )
}

pub(super) fn cumulative_sum(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axis = draft.axis(&input);
    let (exclusive, reversed) = (draft.random.coin(), draft.random.coin());
    Call::with("input", &input)
        .and("axis", axis)
        .maybe(draft, "exclusive", exclusive)
        .maybe(draft, "reversed", reversed)
}

pub(super) fn softmax(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axis = draft.axis(&input);
    Call::with("input", &input).and("axis", axis)
}
