//! gatherElements: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gatherelements>.
//!
//! For each index, the element at its own place, moved along the axis. By the text as written the output has the shape
//! of the input, and is 0 where there is no index.

use webnn_reference::ops::gatherelements::GatherElements;

use crate::kernels::indices::Indices;
use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &GatherElements, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let axis = operation.axis as usize;
    let [input, output] = [inputs[0].raw(), output.raw()];
    let indices = Indices::new(&inputs[1]);
    let result = output.lane.arithmetic();
    let kernel = Kernel {
        name: format!("{} by {:?}", name("gather elements", input.lane), indices.input.lane),
        inputs: vec![Input::new("a", input.lane), indices.input],
        output: output.lane,
        params: Params::new()
            .number("size", input.shape[axis])
            .number("length", input.shape[axis + 1..].iter().product())
            .number("given", inputs[1].shape[axis])
            .number("places", output.shape[axis]),
        body: format!(
            "{}fn element(i: u32) -> {result} {{\n    \
                 let along = (i / length()) % places();\n    \
                 let block = i / length() / places();\n    \
                 if (along >= given()) {{ return {result}(); }}\n    \
                 let row = block * size() + within((block * given() + along) * length() + i % length(), size());\n    \
                 return a(row * length() + i % length());\n\
             }}",
            indices.text
        ),
    };
    to.run(&kernel, &[&input, &indices.tensor], &output)
}
