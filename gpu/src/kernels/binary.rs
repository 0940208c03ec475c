//! Element-wise binary operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary>.
//!
//! float32 sums, differences and products are the device's, which are rounded correctly everywhere (but for
//! subnormals, see the device's facts); the rest is the library's. float16 is computed in float32 and rounded once
//! more, which for these operations gives the correctly rounded result: 24 bits are twice 11 and two more (Figueroa,
//! "When is double rounding innocuous?", 1995). Integers wrap; division by zero gives zero.

use webnn_reference::ops::binary::Binary;

use crate::kernels::{is_float, name, zip};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Lane;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: Binary, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (a, b) = (&inputs[0], &inputs[1]);
    let expression = if is_float(a.lane) { of_floats(operation) } else { of_integers(operation, a.lane) };
    zip(to, &name(operation.as_str(), a.lane), expression, [a, b], output)
}

fn of_floats(operation: Binary) -> &'static str {
    match operation {
        Binary::Add => "x + y",
        Binary::Sub => "x - y",
        Binary::Mul => "x * y",
        Binary::Div => "f32_div(x, y)",
        // Of two zeros the first, whatever its sign.
        Binary::Max => "select(f32_max(x, y), x, f32_eq(x, y))",
        Binary::Min => "select(f32_min(x, y), x, f32_eq(x, y))",
        Binary::Pow => "f32_pow(x, y)",
    }
}

/// 8-bit integers are computed in 32 bits, and their lowest 8 are right.
fn of_integers(operation: Binary, lane: Lane) -> &'static str {
    match operation {
        Binary::Add => "x + y",
        Binary::Sub => "x - y",
        Binary::Mul => "x * y",
        Binary::Div => match lane.arithmetic() {
            "i32" => "i32_div(x, y)",
            "u32" => "u32_div(x, y)",
            "i64" => "i64_div(x, y)",
            _ => "u64_div(x, y)",
        },
        Binary::Max => "max(x, y)",
        Binary::Min => "min(x, y)",
        Binary::Pow => match lane.arithmetic() {
            "i32" => "i32_pow(x, y)",
            "u32" => "u32_pow(x, y)",
            "i64" => "i64_pow(x, y)",
            _ => "u64_pow(x, y)",
        },
    }
}
