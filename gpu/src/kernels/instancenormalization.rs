//! instanceNormalization: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm>.
//!
//! Each channel of each batch is normalized by its own mean and variance. Layouts say which axes those are.

use webnn_reference::ops::instancenormalization::InstanceNormalization;

use crate::kernels::normalize::{Affine, layer_of_element, normalize, statistics};
use crate::lower::{Lowered, Lowering, Tensor};

pub(crate) fn lower(
    to: &mut Lowering<'_>,
    operation: &InstanceNormalization,
    inputs: &[Tensor],
    output: &Tensor,
) -> Lowered {
    let input = &inputs[0];
    let [_, channels, height, width] = operation.layout.to_nchw([0, 1, 2, 3]);
    let spatial = [height, width];
    let statistics = statistics(to, input, &spatial, operation.epsilon)?;
    let affine = Affine::new(&inputs[1..], [operation.scale, operation.bias], &[channels]);
    normalize(to, input, &statistics, &layer_of_element(&input.shape, &spatial), &affine, output)
}
