//! gelu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gelu-method>.
//!
//! x times the normal distribution's share below x, whose tail does not cancel.

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    map(to, &name("gelu", input.lane), Params::new(), "f32_gelu(x)", input, output)
}
