//! where: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-where>.
//!
//! The true value where the condition is not zero, the false value where it is, as bits.

use crate::kernels::{broadcast, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let [condition, a, b] = [inputs[0].clone(), inputs[1].raw(), inputs[2].raw()];
    let output = output.raw();
    let kernel = Kernel {
        name: name("where", output.lane),
        inputs: vec![Input::new("condition", condition.lane), Input::new("a", a.lane), Input::new("b", b.lane)],
        output: output.lane,
        params: Params::new()
            .view("condition_at", broadcast(&condition, &output))
            .view("a_at", broadcast(&a, &output))
            .view("b_at", broadcast(&b, &output)),
        body: format!(
            "fn element(i: u32) -> {} {{\n    \
                 if (condition(condition_at(i)) != 0u) {{ return a(a_at(i)); }}\n    \
                 return b(b_at(i));\n\
             }}",
            output.lane.arithmetic()
        ),
    };
    to.run(&kernel, &[&condition, &a, &b], &output)
}
