//! dequantizeLinear: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-dequantizelinear>.
//!
//! (input - zeroPoint) * scale. The difference of two integers of 32 bits has 33 and is exact as a pair of floats; the
//! product is rounded once.

use crate::kernels::blocks::{self, Blocks};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let [input, scale, zero_point] = [&inputs[0], &inputs[1], &inputs[2]];
    let difference = match input.lane {
        Lane::I8 | Lane::U8 => BYTES,
        _ => WORDS,
    };
    let kernel = Kernel {
        name: format!("dequantize {:?} to {:?}", input.lane, output.lane),
        inputs: vec![Input::new("a", input.lane), Input::new("scale", scale.lane), Input::new("zero", zero_point.lane)],
        output: output.lane,
        params: block_params(input, scale),
        body: format!(
            "{}fn element(i: u32) -> f32 {{\n    \
                 let at = block_at(i);\n    \
                 let x = a(i);\n    \
                 let z = zero(at);\n    \
                 let s = scale(at);\n\
             {difference}}}",
            blocks::WGSL
        ),
    };
    to.run(&kernel, &[input, scale, zero_point], output)
}

/// The walk from an element to the scale of its block.
pub(super) fn block_params(input: &Tensor, scale: &Tensor) -> Params {
    let lengths = input.shape.iter().zip(&scale.shape).map(|(size, blocks)| size / blocks).collect::<Vec<_>>();
    Blocks { sizes: &input.shape, of: &scale.shape, lengths: &lengths }.params()
}

const BYTES: &str = "    return f32(bitcast<i32>(x) - bitcast<i32>(z)) * s;\n";

/// Upper and lower halves are subtracted apart: each difference is exact, and so is each float. An infinite scale meets
/// the upper part alone: the lower one may have the other sign.
const WORDS: &str = "    \
    let upper = f32(i32(x >> 16u) - i32(z >> 16u)) * 65536.0;
    let lower = f32(bitcast<i32>(bitcast<u32>(x) & 0xffffu) - bitcast<i32>(bitcast<u32>(z) & 0xffffu));
    let d = pair_fast_sum(upper, lower);
    if (f32_magnitude(d.lo) == 0u || !f32_is_finite(s)) { return d.hi * s; }
    return sum_value(sum_add_product(sum_add_product(sum_empty(), d.hi, s), d.lo, s));
";
