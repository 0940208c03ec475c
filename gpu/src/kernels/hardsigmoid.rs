//! hardSigmoid: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-sigmoid>.
//!
//! alpha x + beta, rounded once, between 0 and 1.

use webnn_reference::ops::hardsigmoid::HardSigmoid;

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Params, Scalar};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &HardSigmoid, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let params = Params::new()
        .scalar("alpha", Scalar::F32(operation.alpha as f32))
        .scalar("beta", Scalar::F32(operation.beta as f32));
    let expression = "f32_clamp(f32_linear(alpha(), x, beta()), 0.0, 1.0)";
    map(to, &name("hardSigmoid", input.lane), params, expression, input, output)
}
