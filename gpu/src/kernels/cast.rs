//! cast: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast>.
//!
//! To a float: the nearest, ties to even. From a float to an integer: the integer part, saturating, and 0 for NaN.
//! Between integers: the lowest bits, which is what stores of 8 bits keep anyway.

use crate::kernels::{is_float, map, strided};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Lane, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    if input.lane == output.lane {
        return strided::copy(to, input, output);
    }
    let name = format!("cast {:?} to {:?}", input.lane, output.lane);
    map(to, &name, Params::new(), &conversion(input.lane, output.lane), input, output)
}

/// `x` in the arithmetic type of another lane.
fn conversion(from: Lane, to: Lane) -> String {
    let (source, target) = (from.arithmetic(), to.arithmetic());
    match (source, target) {
        _ if source == target => "x".to_owned(),
        // Eight bits saturate at their own ends.
        ("f32", _) if to == Lane::I8 => "f32_to_i8(x)".to_owned(),
        ("f32", _) if to == Lane::U8 => "f32_to_u8(x)".to_owned(),
        _ if is_float(from) || is_float(to) => format!("{source}_to_{target}(x)"),
        ("i32" | "u32", "i32" | "u32") => format!("bitcast<{target}>(x)"),
        ("u32", "u64") => "u64(x)".to_owned(),
        ("i32", "i64") => "i32_to_i64(x)".to_owned(),
        ("i32", _) => "i32_to_u64(x)".to_owned(),
        ("u32", _) => "u32_to_i64(x)".to_owned(),
        (_, "i64" | "u64") => format!("bitcast<{target}>(x)"),
        // Narrowing keeps the low bits.
        (_, "i32") => "bitcast<i32>(u64_low(bitcast<u64>(x)))".to_owned(),
        _ => "u64_low(bitcast<u64>(x))".to_owned(),
    }
}
