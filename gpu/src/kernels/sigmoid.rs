//! sigmoid: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-sigmoid-method>.
//!
//! 1 / (1 + exp(-x)), in a form that neither overflows nor cancels.

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    map(to, &name("sigmoid", input.lane), Params::new(), "f32_sigmoid(x)", input, output)
}
