//! pad: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad>.
//!
//! Along each axis an index is inside, or else it finds the value, the nearest element, or the mirror image's.

use webnn_reference::ops::pad::{MLPaddingMode, Pad};

use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::scalar;
use crate::wgsl::{Input, Kernel, Lane, MAX_RANK, Params, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Pad, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let [low, high] = scalar::bits(operation.value, output.lane);
    let (input, output) = (inputs[0].raw(), output.raw());
    let value = if output.lane == Lane::Bits64 { "vec2<u32>(low(), high())" } else { "low()" };
    let strides = row_major(&input.shape).into_iter().map(|stride| stride as u32).collect::<Vec<_>>();
    let kernel = Kernel {
        name: name("pad", output.lane),
        inputs: vec![Input::new("a", input.lane)],
        output: output.lane,
        params: Params::new()
            .list("size", MAX_RANK, &output.shape)
            .list("inner", MAX_RANK, &input.shape)
            .list("stride", MAX_RANK, &strides)
            .list("before", MAX_RANK, &operation.beginning_padding)
            .number("mode", mode(operation.mode))
            .number("low", low)
            .number("high", high),
        body: format!("fn element(i: u32) -> {} {{\n{WALK}    return {value};\n}}", output.lane.arithmetic()),
    };
    to.run(&kernel, &[&input], &output)
}

fn mode(mode: MLPaddingMode) -> u32 {
    match mode {
        MLPaddingMode::Constant => 0,
        MLPaddingMode::Edge => 1,
        MLPaddingMode::Reflection => 2,
    }
}

/// Returns the element, unless it is the value. Sizes have 31 bits, so the differences fit.
const WALK: &str = "    \
    var rest = i;
    var at = 0u;
    var inside = true;
    for (var d = size_len(); d > 0u; d--) {
        let last = bitcast<i32>(inner(d - 1u)) - 1;
        let given = bitcast<i32>(rest % size(d - 1u)) - bitcast<i32>(before(d - 1u));
        rest /= size(d - 1u);
        let nearest = clamp(given, 0, last);
        inside = inside && given == nearest;
        // Beyond an end by so much, or as far before it.
        let along = select(nearest, nearest + nearest - given, mode() == 2u);
        at += bitcast<u32>(along) * stride(d - 1u);
    }
    if (inside || mode() != 0u) { return a(at); }
";
