//! reverse: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reverse>.
//!
//! A walk that begins at the last element of each reversed axis, with a negative stride.

use webnn_reference::ops::reverse::Reverse;

use crate::kernels::strided;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Reverse, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let mut strides = row_major(&input.shape);
    let mut first = 0;
    for axis in &operation.axes {
        let axis = *axis as usize;
        first += strides[axis] * i64::from(input.shape[axis] - 1);
        strides[axis] = -strides[axis];
    }
    // The first element is one of the input's, so its place has 31 bits.
    strided::gather(to, &View::new(&input.shape, &strides, first as u32), input, output)
}
