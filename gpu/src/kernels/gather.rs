//! gather: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather>.
//!
//! Seen along the axis, the input is so many blocks of `size` rows; each block of the output has one row for each
//! index. By the text as written an output has only the first element of each row.

use webnn_reference::ops::gather::Gather;

use crate::kernels::indices::Indices;
use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Gather, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let axis = operation.axis as usize;
    let [input, output] = [inputs[0].raw(), output.raw()];
    let indices = Indices::new(&inputs[1]);
    let kernel = Kernel {
        name: format!("{} by {:?}", name("gather along", input.lane), indices.input.lane),
        inputs: vec![Input::new("a", input.lane), indices.input],
        output: output.lane,
        params: Params::new()
            .number("size", input.shape[axis])
            .number("length", input.shape[axis + 1..].iter().product())
            .number("taken", output.shape[axis + inputs[1].shape.len()..].iter().product())
            .number("places", inputs[1].count()),
        body: format!(
            "{}fn element(i: u32) -> {} {{\n    \
                 let j = i / taken();\n    \
                 let row = (j / places()) * size() + within(j % places(), size());\n    \
                 return a(row * length() + i % taken());\n\
             }}",
            indices.text,
            output.lane.arithmetic()
        ),
    };
    to.run(&kernel, &[&input, &indices.tensor], &output)
}
