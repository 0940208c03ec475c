//! triangular: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-triangular>.
//!
//! What is not kept is 0, whatever it was.

use webnn_reference::ops::triangular::Triangular;

use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Triangular, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (input, output) = (inputs[0].raw(), output.raw());
    let rank = input.shape.len();
    let result = output.lane.arithmetic();
    let kernel = Kernel {
        name: name("triangular", output.lane),
        inputs: vec![Input::new("a", input.lane)],
        output: output.lane,
        params: Params::new()
            .number("rows", input.shape[rank - 2])
            .number("columns", input.shape[rank - 1])
            .signed("diagonal", operation.diagonal)
            .number("upper", u32::from(operation.upper)),
        // A difference of indices, which have 31 bits, fits; with the diagonal subtracted it might not.
        body: format!(
            "fn element(i: u32) -> {result} {{\n    \
                 let row = (i / columns()) % rows();\n    \
                 let above = bitcast<i32>(i % columns()) - bitcast<i32>(row);\n    \
                 let kept = select(above <= diagonal(), above >= diagonal(), upper() != 0u);\n    \
                 if (kept) {{ return a(i); }}\n    \
                 return {result}();\n\
             }}"
        ),
    };
    to.run(&kernel, &[&input], &output)
}
