//! softmax: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softmax-method>.
//!
//! exp(x - m) over the sum of these along the axis, m being the greatest. Maxima and sums are found once for each row,
//! by the dispatches of two reductions; the last dispatch only divides.

use webnn_reference::ops::softmax::Softmax;

use crate::kernels::accumulate::{self, Part};
use crate::kernels::name;
use crate::kernels::reduce::Runs;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane, Params, View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Softmax, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let axis = operation.axis as usize;
    let rows = Runs::new(input, &[operation.axis]);
    let maxima = rows.maxima(to)?;
    let sums = to.scratch(Lane::Bits128, &[rows.count()])?;
    let finish =
        Part { text: "fn finish(o: u32, s: Sum) -> vec4<u32> { return sum_pack(s); }\n".to_owned(), ..Part::default() };
    accumulate::lower(to, &rows.exponentials(&maxima), &finish, &sums)?;

    let kernel = Kernel {
        name: name("softmax", input.lane),
        inputs: vec![Input::new("a", input.lane), Input::new("greatest", maxima.lane), Input::new("total", sums.lane)],
        output: output.lane,
        params: Params::new().view("row", row_of_element(&input.shape, axis).collapsed()),
        body: "fn element(i: u32) -> f32 {\n    \
                   let o = row(i);\n    \
                   return softmax_ratio(a(i), greatest(o), sum_unpack(total(o)));\n\
               }"
        .to_owned(),
    };
    to.run(&kernel, &[input, &maxima, &sums], output)
}

/// From an element to its row: the axis has stride 0, and the others are those of a tensor without it.
fn row_of_element(shape: &[u32], axis: usize) -> View {
    let mut rows = shape.to_vec();
    rows[axis] = 1;
    let mut strides = row_major(&rows);
    strides[axis] = 0;
    View::new(shape, &strides, 0)
}
