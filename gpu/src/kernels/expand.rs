//! expand: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-expand>.
//!
//! The input broadcast to the output's shape.

use crate::kernels::strided;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::View;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    strided::gather(to, &View::broadcast(&inputs[0].shape, &output.shape), &inputs[0], output)
}
