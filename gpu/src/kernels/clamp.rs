//! clamp: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp>.
//!
//! A comparison with NaN changes nothing, be it the input or a bound: NaN stays, and a bound that is NaN is none.

use webnn_reference::ops::clamp::Clamp;

use crate::kernels::{is_float, map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::scalar;
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Clamp, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let params = Params::new()
        .scalar("low", scalar::of(operation.min_value, input.lane))
        .scalar("high", scalar::of(operation.max_value, input.lane));
    let expression = if is_float(input.lane) {
        "select(select(x, low(), f32_lt(x, low())), high(), f32_gt(select(x, low(), f32_lt(x, low())), high()))"
    } else {
        "min(max(x, low()), high())"
    };
    map(to, &name("clamp", input.lane), params, expression, input, output)
}
