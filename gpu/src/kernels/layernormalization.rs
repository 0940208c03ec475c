//! layerNormalization: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm>.
//!
//! Each layer, along the axes, is normalized by its own mean and variance. Scale and bias have the axes in the order in
//! which they are given.

use webnn_reference::ops::layernormalization::LayerNormalization;

use crate::kernels::normalize::{Affine, layer_of_element, normalize, statistics};
use crate::lower::{Lowered, Lowering, Tensor};

pub(crate) fn lower(
    to: &mut Lowering<'_>,
    operation: &LayerNormalization,
    inputs: &[Tensor],
    output: &Tensor,
) -> Lowered {
    let (input, axes) = (&inputs[0], &operation.axes);
    let statistics = statistics(to, input, axes, operation.epsilon)?;
    let affine = Affine::new(&inputs[1..], [operation.scale, operation.bias], axes);
    normalize(to, input, &statistics, &layer_of_element(&input.shape, axes), &affine, output)
}
