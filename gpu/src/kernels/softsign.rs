//! softsign: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softsign-method>.
//!
//! x / (1 + |x|): two roundings, one of them of the division. Infinities over infinities are NaN.

use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    map(to, &name("softsign", input.lane), Params::new(), "f32_div(x, 1.0 + f32_abs(x))", input, output)
}
