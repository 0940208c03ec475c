//! elu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu>.
//!
//! x from 0 on, alpha (exp(x) - 1) below. An alpha that is infinite, cast to float16, matters below 0 only.

use webnn_reference::ops::elu::Elu;

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Params, Scalar};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Elu, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let params = Params::new().scalar("alpha", Scalar::F32(operation.alpha as f32));
    let expression = "select(x, alpha() * f32_expm1(x), f32_lt(x, 0.0))";
    map(to, &name("elu", input.lane), params, expression, input, output)
}
