//! Quantization.

use webnn_reference::ops::OperatorRow;

use crate::fuzz::draft::{Call, Draft, Operand, data_types};
use crate::fuzz::elements::Purpose;

/// The shape of a scale: along each axis one for all elements, one for each, or one for each block.
fn blocks(draft: &mut Draft, input: &Operand) -> Vec<u32> {
    let of_axis = |dimension: &u32| match draft.random.below(3) {
        0 => *dimension,
        1 => 1,
        _ => {
            let counts: Vec<u32> = (1..=*dimension).filter(|count| dimension.is_multiple_of(*count)).collect();
            draft.random.choose(&counts)
        }
    };
    input.shape.iter().map(of_axis).collect()
}

fn call(input: &Operand, scale: &Operand, zero_point: &Operand) -> Call {
    Call::with("input", input).and("scale", scale.name.as_str()).and("zeroPoint", zero_point.name.as_str())
}

pub(super) fn dequantize(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let shape = blocks(draft, &input);
    let data_type = draft.any_type(&data_types(row, "scale"));
    let scale = draft.operand(data_type, &shape, Purpose::Positive);
    let zero_point = draft.operand(input.data_type, &shape, Purpose::Any);
    call(&input, &scale, &zero_point)
}

pub(super) fn quantize(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let shape = blocks(draft, &input);
    let scale = draft.operand(input.data_type, &shape, Purpose::Positive);
    let data_type = draft.any_type(&data_types(row, "zeroPoint"));
    let zero_point = draft.operand(data_type, &shape, Purpose::Any);
    call(&input, &scale, &zero_point)
}
