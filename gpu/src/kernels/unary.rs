//! Element-wise unary operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary>.
//!
//! Floats go through the numeric library, whose results do not depend on the driver. Integers reach abs, neg, sign
//! and identity; arithmetic wraps, so that the lowest number is its own magnitude and its own negative.

use webnn_reference::ops::unary::Unary;

use crate::kernels::{is_float, map, name, strided};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Lane, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: Unary, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let expression = if is_float(input.lane) { of_float(operation) } else { of_integer(operation, input.lane) };
    match expression {
        Some(expression) => map(to, &name(operation.as_str(), input.lane), Params::new(), expression, input, output),
        None => strided::copy(to, input, output),
    }
}

/// The operation on a float `x`; identity has none, since it copies bits.
fn of_float(operation: Unary) -> Option<&'static str> {
    Some(match operation {
        Unary::Abs => "f32_abs(x)",
        Unary::Ceil => "f32_ceil(x)",
        Unary::Cos => "f32_cos(x)",
        Unary::Erf => "f32_erf(x)",
        Unary::Exp => "f32_exp(x)",
        Unary::Floor => "f32_floor(x)",
        Unary::Identity => return None,
        Unary::Log => "f32_log(x)",
        Unary::Neg => "f32_neg(x)",
        Unary::Reciprocal => "f32_recip(x)",
        Unary::RoundEven => "f32_round_even(x)",
        Unary::Sin => "f32_sin(x)",
        // Neither above nor below zero are both zeros, and NaN too: 0, by the section's words.
        Unary::Sign => "select(0.0, f32_sign(x), f32_magnitude(x) - 1u < 0x7f800000u)",
        Unary::Sqrt => "f32_sqrt(x)",
        Unary::Tan => "f32_tan(x)",
    })
}

/// The operation on an integer `x`. Those whose tables allow floats only leave it as it is.
fn of_integer(operation: Unary, lane: Lane) -> Option<&'static str> {
    let wide = lane == Lane::I64;
    match operation {
        Unary::Abs => Some(if wide { "i64_abs(x)" } else { "abs(x)" }),
        Unary::Neg => Some(if wide { "i64_neg(x)" } else { "-x" }),
        Unary::Sign => Some(if wide { "i64_sign(x)" } else { "sign(x)" }),
        Unary::Ceil
        | Unary::Cos
        | Unary::Erf
        | Unary::Exp
        | Unary::Floor
        | Unary::Identity
        | Unary::Log
        | Unary::Reciprocal
        | Unary::RoundEven
        | Unary::Sin
        | Unary::Sqrt
        | Unary::Tan => None,
    }
}
