//! Element-wise logical operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical>.
//!
//! The results are uint8, 1 or 0. Comparisons of floats are made on their bits, since what a driver says of NaN and of
//! subnormals differs; all are false beside a NaN but notEqual.

use webnn_reference::ops::logical::Logical;

use crate::kernels::{is_float, map, name, zip};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: Logical, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let a = &inputs[0];
    let float = is_float(a.lane);
    let condition = match operation {
        Logical::Equal if float => "f32_eq(x, y)",
        Logical::Equal => "x == y",
        Logical::NotEqual if float => "f32_ne(x, y)",
        Logical::NotEqual => "x != y",
        Logical::Greater if float => "f32_gt(x, y)",
        Logical::Greater => "x > y",
        Logical::GreaterOrEqual if float => "f32_ge(x, y)",
        Logical::GreaterOrEqual => "x >= y",
        Logical::Lesser if float => "f32_lt(x, y)",
        Logical::Lesser => "x < y",
        Logical::LesserOrEqual if float => "f32_le(x, y)",
        Logical::LesserOrEqual => "x <= y",
        // Truth values are uint8.
        Logical::LogicalNot => "x == 0u",
        Logical::LogicalAnd => "x != 0u && y != 0u",
        Logical::LogicalOr => "x != 0u || y != 0u",
        Logical::LogicalXor => "(x != 0u) != (y != 0u)",
        Logical::IsNaN => "f32_is_nan(x)",
        Logical::IsInfinite => "f32_is_infinite(x)",
    };
    let expression = format!("select(0u, 1u, {condition})");
    let name = name(operation.as_str(), a.lane);
    match inputs {
        [a] => map(to, &name, Params::new(), &expression, a, output),
        _ => zip(to, &name, &expression, [a, &inputs[1]], output),
    }
}
