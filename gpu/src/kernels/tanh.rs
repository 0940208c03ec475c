//! tanh: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tanh-method>.
//!
//! The library's, which is right near zero and where exp(2x) overflows.

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    map(to, &name("tanh", input.lane), Params::new(), "f32_tanh(x)", input, output)
}
