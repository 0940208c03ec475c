//! slice: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice>.
//!
//! A walk from `starts`, with the input's strides times the slice's own.

use webnn_reference::ops::slice::Slice;

use crate::kernels::strided;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Slice, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let strides = row_major(&input.shape);
    let first = strides.iter().zip(&operation.starts).map(|(stride, start)| stride * i64::from(*start)).sum::<i64>();
    let steps = strides.iter().zip(&operation.strides).map(|(stride, step)| stride * i64::from(*step));
    // The first element is one of the input's, so its place has 31 bits.
    let view = View::new(&output.shape, &steps.collect::<Vec<_>>(), first as u32);
    strided::gather(to, &view, input, output)
}
