//! softplus: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softplus-method>.
//!
//! max(0, x) + ln(1 + exp(-|x|)), which does not overflow.

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    map(to, &name("softplus", input.lane), Params::new(), "f32_softplus(x)", input, output)
}
