//! Element-wise operators.

use webnn_reference::ops::OperatorRow;
use webnn_vectors::{DataType, Number, Value};

use crate::fuzz::draft::{Call, Draft, data_types};
use crate::fuzz::elements::{Purpose, elements, is_float};

pub(super) fn unary(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let name = row.parameters[0];
    let input = draft.first(row, name);
    Call::with(name, &input)
}

/// isNaN and isInfinite take floats only, other than their table says.
pub(super) fn of_floats(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.of_types(&[DataType::Float32, DataType::Float16], 0, 6);
    Call::with(row.parameters[0], &input)
}

pub(super) fn alpha(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let alpha = draft.scalar();
    unary(draft, row).maybe(draft, "alpha", alpha)
}

pub(super) fn alpha_and_beta(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let beta = draft.scalar();
    alpha(draft, row).maybe(draft, "beta", beta)
}

pub(super) fn clamp(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let bounds = elements(&mut draft.random, input.data_type, Purpose::Any, 2);
    let [a, b] = [bounds[0], bounds[1]];
    // The other way round is refused.
    let (least, greatest) = if a.to_f64() > b.to_f64() { (b, a) } else { (a, b) };
    Call::with("input", &input).maybe(draft, "minValue", literal(input.data_type, least)).maybe(
        draft,
        "maxValue",
        literal(input.data_type, greatest),
    )
}

/// A number as script would write it for an operand of this type.
pub(super) fn literal(data_type: DataType, number: Number) -> Value {
    match number {
        Number::Integer(integer) if matches!(data_type, DataType::Int64 | DataType::Uint64) => Value::BigInt(integer),
        number => Value::Number(number),
    }
}

pub(super) fn cast(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let data_type = draft.any_type(&data_types(row, "output"));
    Call::with("input", &input).and("dataType", data_type.name())
}

pub(super) fn binary(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let a = draft.first(row, "a");
    let shape = draft.partner(&a.shape);
    let b = draft.operand(a.data_type, &shape, Purpose::Any);
    if draft.random.coin() {
        Call::with("a", &a).and("b", b.name.as_str())
    } else {
        Call::with("a", &b).and("b", a.name.as_str())
    }
}

pub(super) fn prelu(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let shape = if is_float(input.data_type) && draft.random.coin() {
        draft.narrower(&input.shape)
    } else {
        draft.partner(&input.shape)
    };
    let slope = draft.operand(input.data_type, &shape, Purpose::Any);
    Call::with("input", &input).and("slope", slope.name.as_str())
}

pub(super) fn where_(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let true_value = draft.first(row, "trueValue");
    let shape = draft.partner(&true_value.shape);
    let false_value = draft.operand(true_value.data_type, &shape, Purpose::Any);
    let shape = draft.narrower(&true_value.shape);
    let condition = draft.operand(DataType::Uint8, &shape, Purpose::Truth);
    Call::with("condition", &condition)
        .and("trueValue", true_value.name.as_str())
        .and("falseValue", false_value.name.as_str())
}
