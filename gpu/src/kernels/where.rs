//! where: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-where>.
//!
//! The true value where the condition is not zero, the false value where it is, as bits.

use crate::fuse::{Node, Operand};
use crate::kernels::{broadcast, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Params;

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let output = output.raw();
    let through = |tensor: Tensor| Operand::Through(tensor.clone(), broadcast(&tensor, &output));
    let operands = [through(inputs[0].clone()), through(inputs[1].raw()), through(inputs[2].raw())];
    to.element_wise(Node {
        name: name("where", output.lane),
        operands: ["condition", "x", "y"].into_iter().zip(operands).collect(),
        params: Params::new(),
        expression: "select(y, x, condition != 0u)".to_owned(),
        output,
    })
}
