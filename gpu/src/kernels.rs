//! The operators' kernels, a file for each section of the specification, under the names of `reference/src/ops/`.
//!
//! Each file has one function `lower`, which adds the operator's dispatches to a program, and the WGSL that they run.
//! The other files are what several of them share: `accumulate`, the template of everything that runs over many terms,
//! `strided`, that of what only moves elements, `window`, for what slides over an image, `blocks`, for what repeats or
//! is divided into blocks, `indices`, for indices that are data, `normalize`, the template of normalizations, and
//! `recurrent`, that of networks in steps.
//!
//! A kernel's text depends on the operation and the data types and on nothing else: not on shapes, ranks or the
//! values of attributes, which all come as parameters. Kernels of equal text share one pipeline, also between
//! operators, so templates give their kernels names that do not mention the operator.

mod accumulate;
pub(crate) mod argminmax;
pub(crate) mod batchnormalization;
pub(crate) mod binary;
mod blocks;
pub(crate) mod cast;
pub(crate) mod clamp;
pub(crate) mod concat;
pub(crate) mod conv2d;
pub(crate) mod convtranspose2d;
pub(crate) mod cumulativesum;
pub(crate) mod dequantizelinear;
pub(crate) mod elu;
pub(crate) mod expand;
pub(crate) mod gather;
pub(crate) mod gatherelements;
pub(crate) mod gathernd;
pub(crate) mod gelu;
pub(crate) mod gemm;
pub(crate) mod gru;
pub(crate) mod grucell;
pub(crate) mod hardsigmoid;
pub(crate) mod hardswish;
mod indices;
pub(crate) mod instancenormalization;
pub(crate) mod layernormalization;
pub(crate) mod leakyrelu;
pub(crate) mod linear;
pub(crate) mod logical;
pub(crate) mod lstm;
pub(crate) mod lstmcell;
pub(crate) mod matmul;
mod normalize;
pub(crate) mod pad;
pub(crate) mod pool2d;
pub(crate) mod prelu;
pub(crate) mod quantizelinear;
mod recurrent;
pub(crate) mod reduce;
pub(crate) mod relu;
pub(crate) mod resample2d;
pub(crate) mod reshape;
pub(crate) mod reverse;
pub(crate) mod scatterelements;
pub(crate) mod scatternd;
pub(crate) mod sigmoid;
pub(crate) mod slice;
pub(crate) mod softmax;
pub(crate) mod softplus;
pub(crate) mod softsign;
pub(crate) mod split;
mod strided;
pub(crate) mod tanh;
pub(crate) mod tile;
pub(crate) mod transpose;
pub(crate) mod triangular;
pub(crate) mod unary;
#[path = "kernels/where.rs"]
pub(crate) mod where_;
mod window;

use crate::fuse::{Node, Operand};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Lane, Params, View};

/// An element-wise operator: `expression` of `x`, the element of the input at the same place.
fn map(
    to: &mut Lowering<'_>,
    name: &str,
    params: Params,
    expression: &str,
    input: &Tensor,
    output: &Tensor,
) -> Lowered {
    to.element_wise(Node {
        name: name.to_owned(),
        operands: vec![("x", Operand::Same(input.clone()))],
        params,
        expression: expression.to_owned(),
        output: output.clone(),
    })
}

/// An element-wise operator over two inputs that are broadcast to the output: `expression` of `x` and `y`.
fn zip(to: &mut Lowering<'_>, name: &str, expression: &str, inputs: [&Tensor; 2], output: &Tensor) -> Lowered {
    let [x, y] = inputs.map(|input| Operand::Through(input.clone(), broadcast(input, output)));
    to.element_wise(Node {
        name: name.to_owned(),
        operands: vec![("x", x), ("y", y)],
        params: Params::new(),
        expression: expression.to_owned(),
        output: output.clone(),
    })
}

/// Where each element of the output finds its element of a tensor that is broadcast to it.
fn broadcast(tensor: &Tensor, output: &Tensor) -> View {
    View::broadcast(&tensor.shape, &output.shape).collapsed()
}

/// What a kernel is called: an operation on a data type. Equal names do not make equal texts, nor the other way round.
fn name(operation: &str, lane: Lane) -> String {
    format!("{operation} {lane:?}")
}

/// Whether elements are floating point numbers; both kinds are computed as f32.
fn is_float(lane: Lane) -> bool {
    matches!(lane, Lane::F32 | Lane::F16)
}
