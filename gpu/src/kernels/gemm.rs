//! gemm: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm>.
//!
//! alpha * (a * b) + beta * c, rounded once. Transposed factors differ in their strides only.

use webnn_reference::ops::gemm::Gemm;

use crate::kernels::accumulate::{self, Part};
use crate::kernels::matmul::Product;
use crate::kernels::{broadcast, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Params, Scalar, View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Gemm, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (a, b) = (&inputs[0], &inputs[1]);
    // For each factor: the step along its rows (a) or columns (b), then the step along the inner dimension.
    let strides = |factor: &Tensor, transposed: bool| {
        let strides = row_major(&factor.shape);
        if transposed { [strides[1], strides[0]] } else { [strides[0], strides[1]] }
    };
    let [a_rows, a_inner] = strides(a, operation.a_transpose);
    let [b_inner, b_columns] = strides(b, operation.b_transpose);
    let product = Product {
        a: (a, View::new(&output.shape, &[a_rows, 0], 0), a_inner as u32),
        b: (b, View::new(&output.shape, &[0, b_columns], 0), b_inner as u32),
        inner: a.shape[usize::from(!operation.a_transpose)],
    };
    let c = operation.c.and_then(|_| inputs.get(2));
    accumulate::lower(to, &product.terms(), &finish(operation, c, output), output)
}

fn finish(operation: &Gemm, c: Option<&Tensor>, output: &Tensor) -> Part {
    let scale = |params: Params, name: &str, value: f64| params.scalar(name, Scalar::F32(value as f32));
    let params = scale(Params::new(), "alpha", operation.alpha);
    match c {
        None => Part {
            name: "scaled".to_owned(),
            params,
            text: "fn finish(o: u32, s: Sum) -> f32 { return sum_scaled(s, alpha(), 0.0, 0.0); }\n".to_owned(),
            ..Part::default()
        },
        Some(c) => Part {
            name: name("scaled and added", c.lane),
            inputs: vec![c.named("c")],
            params: scale(params, "beta", operation.beta).view("c_at", broadcast(c, output)),
            text: "fn finish(o: u32, s: Sum) -> f32 { return sum_scaled(s, alpha(), beta(), c(c_at(o))); }\n"
                .to_owned(),
        },
    }
}
