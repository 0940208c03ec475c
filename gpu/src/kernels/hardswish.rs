//! hardSwish: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-swish>.
//!
//! x * max(0, min(6, x + 3)) / 6, rounded once.

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    map(to, &name("hardSwish", input.lane), Params::new(), "f32_hard_swish(x)", input, output)
}
