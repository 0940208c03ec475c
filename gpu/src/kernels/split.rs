//! split: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split>.
//!
//! Each output is a slice of the input along the axis.

use webnn_reference::ops::split::Split;

use crate::kernels::strided;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Split, inputs: &[Tensor], outputs: &[Tensor]) -> Lowered {
    let input = &inputs[0];
    let axis = operation.axis as usize;
    let strides = row_major(&input.shape);
    let mut start = 0;
    for (output, size) in outputs.iter().zip(&operation.splits) {
        // The first element is one of the input's, so its place has 31 bits.
        let first = strides[axis] * i64::from(start);
        strided::gather(to, &View::new(&output.shape, &strides, first as u32), input, output)?;
        start += size;
    }
    Ok(())
}
