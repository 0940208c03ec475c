//! Normalization.

use webnn_reference::ops::OperatorRow;

use crate::fuzz::draft::{Call, Draft, Operand};
use crate::fuzz::elements::Purpose;

/// Scale, bias and epsilon, each now and then.
fn options(draft: &mut Draft, mut call: Call, input: &Operand, shape: &[u32]) -> Call {
    for (name, purpose) in [("scale", Purpose::Any), ("bias", Purpose::Any)] {
        if draft.random.coin() {
            let operand = draft.operand(input.data_type, shape, purpose);
            call = call.option(name, operand.name.as_str());
        }
    }
    let epsilon = draft.random.choose(&[1e-5, 1e-3, 0.1, 1.0, 0.0]);
    call.maybe(draft, "epsilon", epsilon)
}

pub(super) fn batch(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let usual = if input.rank() > 1 { 1 } else { 0 };
    let axis = if draft.random.coin() { usual } else { draft.axis(&input) };
    let features = [input.shape[axis as usize]];
    let mean = draft.operand(input.data_type, &features, Purpose::Any);
    let variance = draft.operand(input.data_type, &features, Purpose::Positive);
    let call = Call::with("input", &input).and("mean", mean.name.as_str()).and("variance", variance.name.as_str());
    let call = if axis == 1 { call.maybe(draft, "axis", axis) } else { call.option("axis", axis) };
    options(draft, call, &input, &features)
}

pub(super) fn instance(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let layout = draft.random.choose(&["nchw", "nhwc"]);
    let channels = if layout == "nchw" { input.shape[1] } else { input.shape[3] };
    let call = Call::with("input", &input);
    let call = if layout == "nchw" { call.maybe(draft, "layout", layout) } else { call.option("layout", layout) };
    options(draft, call, &input, &[channels])
}

pub(super) fn layer(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let mut call = Call::with("input", &input);
    let mut axes: Vec<u32> = input.axes().into_iter().skip(1).collect();
    if draft.random.coin() {
        axes = draft.random.subset(&input.axes());
        call = call.option("axes", axes.clone());
    }
    let shape: Vec<u32> = axes.iter().map(|axis| input.shape[*axis as usize]).collect();
    options(draft, call, &input, &shape)
}
