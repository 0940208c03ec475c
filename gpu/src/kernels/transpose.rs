//! transpose: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-transpose>.
//!
//! Axis d of the output is axis `permutation[d]` of the input, with its stride.

use webnn_reference::ops::transpose::Transpose;

use crate::kernels::strided;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Transpose, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let strides = row_major(&input.shape);
    let permuted = operation.permutation.iter().map(|axis| (input.shape[*axis as usize], strides[*axis as usize]));
    let (shape, strides): (Vec<u32>, Vec<i64>) = permuted.unzip();
    strided::gather(to, &View::new(&shape, &strides, 0), input, output)
}
