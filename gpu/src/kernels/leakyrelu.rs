//! leakyRelu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-leakyrelu>.
//!
//! x from 0 on, alpha x below.

use webnn_reference::ops::leakyrelu::LeakyRelu;

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Params, Scalar};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &LeakyRelu, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let params = Params::new().scalar("alpha", Scalar::F32(operation.alpha as f32));
    map(to, &name("leakyRelu", input.lane), params, "select(x, alpha() * x, f32_lt(x, 0.0))", input, output)
}
