//! prelu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-prelu>.
//!
//! x from 0 on, slope x below; integers wrap.

use crate::kernels::{is_float, name, zip};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Lane;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (input, slope) = (&inputs[0], &inputs[1]);
    let expression = match input.lane {
        lane if is_float(lane) => "select(x, x * y, f32_lt(x, 0.0))",
        Lane::I64 => "select(x, x * y, x < 0li)",
        _ => "select(x, x * y, x < 0)",
    };
    zip(to, &name("prelu", input.lane), expression, [input, slope], output)
}
