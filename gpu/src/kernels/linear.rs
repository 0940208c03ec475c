//! linear: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear>.
//!
//! alpha x + beta, rounded once, so that nothing is lost where the two cancel.

use webnn_reference::ops::linear::Linear;

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Params, Scalar};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Linear, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let params = Params::new()
        .scalar("alpha", Scalar::F32(operation.alpha as f32))
        .scalar("beta", Scalar::F32(operation.beta as f32));
    map(to, &name("linear", input.lane), params, "f32_linear(alpha(), x, beta())", input, output)
}
