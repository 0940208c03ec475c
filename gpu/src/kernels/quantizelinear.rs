//! quantizeLinear: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear>.
//!
//! roundEven(input / scale) + zeroPoint, clamped to the output's range. The quotient is rounded to the nearest integer
//! as if it were exact: significands are divided as integers, digit by digit, and what remains settles the rounding.
//! Nothing here overflows, because the quotient's magnitude saturates at 32 bits, and what is added to the zero point
//! is no more than the room that there is.

use crate::kernels::blocks;
use crate::kernels::dequantizelinear::block_params;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let [input, scale, zero_point] = [&inputs[0], &inputs[1], &inputs[2]];
    let [least, greatest] = bounds(output.lane);
    let result = output.lane.arithmetic();
    let kernel = Kernel {
        name: format!("quantize {:?} to {:?}", input.lane, output.lane),
        inputs: vec![Input::new("a", input.lane), Input::new("scale", scale.lane), Input::new("zero", zero_point.lane)],
        output: output.lane,
        params: block_params(input, scale),
        body: format!(
            "{}{QUOTIENT}fn element(i: u32) -> {result} {{\n    \
                 let at = block_at(i);\n    \
                 let x = a(i);\n    \
                 let s = scale(at);\n    \
                 let z = bitcast<u32>(zero(at));\n    \
                 let q = quotient(f32_magnitude(x), f32_magnitude(s));\n    \
                 let up = z + min(q, {greatest} - z);\n    \
                 let down = z - min(q, z - {least});\n    \
                 return bitcast<{result}>(select(up, down, f32_sign_bit(x) != f32_sign_bit(s)));\n\
             }}",
            blocks::WGSL
        ),
    };
    to.run(&kernel, &[input, scale, zero_point], output)
}

/// The ends of an integer's range, as the bits of 32.
fn bounds(lane: Lane) -> [&'static str; 2] {
    match lane {
        Lane::I8 => ["0xffffff80u", "0x7fu"],
        Lane::U8 => ["0u", "0xffu"],
        Lane::I32 => ["0x80000000u", "0x7fffffffu"],
        _ => ["0u", "0xffffffffu"],
    }
}

/// The integer nearest to x / y, given as the bits of magnitudes, ties to even; 0 if there is no quotient.
const QUOTIENT: &str = "\
fn quotient(x: u32, y: u32) -> u32 {
    let inf = 0x7f800000u;
    if (x == 0u || x > inf || y >= inf) { return 0u; }
    if (x == inf || y == 0u) { return 0xffffffffu; }
    let a = f32_unpack(x);
    let b = f32_unpack(y);
    // The quotient is between 2^(e - 1) and 2^(e + 1).
    let e = a.e - b.e;
    if (e < -1) { return 0u; }
    if (e == -1) { return select(0u, 1u, a.m > b.m); }
    if (e > 32 || (e == 32 && a.m >= b.m)) { return 0xffffffffu; }
    var q = 0u;
    var rest = a.m;
    for (var k = 0; k <= e; k++) {
        let digit = select(0u, 1u, rest >= b.m);
        q = (q << 1u) | digit;
        rest = (rest - digit * b.m) << 1u;
    }
    // What is left has been doubled once more than it should be, so it is compared with the divisor itself.
    let up = rest > b.m || (rest == b.m && (q & 1u) != 0u);
    return q + select(0u, 1u, up && q != 0xffffffffu);
}
";
