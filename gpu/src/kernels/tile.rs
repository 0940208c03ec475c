//! tile: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tile>.
//!
//! Along each axis, an element of the output is that of the input at its index modulo the input's size: the walk of
//! [`blocks`] with blocks of one element.

use crate::kernels::blocks::{self, Blocks};
use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (input, output) = (inputs[0].raw(), output.raw());
    let blocks = Blocks { sizes: &output.shape, of: &input.shape, lengths: &vec![1; input.shape.len()] };
    let kernel = Kernel {
        name: name("tile", output.lane),
        inputs: vec![Input::new("a", input.lane)],
        output: output.lane,
        params: blocks.params(),
        body: format!(
            "{}fn element(i: u32) -> {} {{ return a(block_at(i)); }}",
            blocks::WGSL,
            output.lane.arithmetic()
        ),
    };
    to.run(&kernel, &[&input], &output)
}
