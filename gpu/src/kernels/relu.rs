//! relu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-relu-method>.
//!
//! max(0, x), with NaN for NaN.

use crate::kernels::{is_float, map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Lane, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let expression = match input.lane {
        lane if is_float(lane) => "f32_relu(x)",
        Lane::I64 => "max(x, 0li)",
        _ => "max(x, 0)",
    };
    map(to, &name("relu", input.lane), Params::new(), expression, input, output)
}
