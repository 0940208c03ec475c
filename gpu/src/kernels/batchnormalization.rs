//! batchNormalization: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm>.
//!
//! Means and variances are given, one for each feature; two small dispatches bring them into the form that the
//! normalizations share.

use webnn_reference::ops::batchnormalization::BatchNormalization;

use crate::kernels::normalize::{Affine, Statistics, layer_of_element, normalize};
use crate::kernels::{map, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Lane, Params, Scalar};

pub(crate) fn lower(
    to: &mut Lowering<'_>,
    operation: &BatchNormalization,
    inputs: &[Tensor],
    output: &Tensor,
) -> Lowered {
    let [input, mean, variance] = [&inputs[0], &inputs[1], &inputs[2]];
    let means = to.scratch(Lane::Bits128, &mean.shape)?;
    map(to, &name("given mean", mean.lane), Params::new(), "pair_words(Pair(x, 0.0))", mean, &means)?;
    let inverses = to.scratch(Lane::Bits128, &variance.shape)?;
    let params = Params::new().scalar("epsilon", Scalar::F32(operation.epsilon as f32));
    let expression = "scaled_words(deviation_inverse(norm_of_square(x), epsilon()))";
    map(to, &name("given variance", variance.lane), params, expression, variance, &inverses)?;

    let others = (0..input.shape.len() as u32).filter(|axis| *axis != operation.axis).collect::<Vec<_>>();
    let affine = Affine::new(&inputs[3..], [operation.scale, operation.bias], &[operation.axis]);
    let statistics = Statistics { means, inverses };
    normalize(to, input, &statistics, &layer_of_element(&input.shape, &others), &affine, output)
}
