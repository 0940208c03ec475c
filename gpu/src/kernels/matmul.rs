//! matmul: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-matmul>.
//!
//! Each element of the output is a sum of products of a row and a column, exact products in a sum of twice float32's
//! precision. Rows and columns are found by walks, which broadcast the stacks of matrices on the way.

use crate::kernels::accumulate::{self, Part, SUM, Terms};
use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Params, View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (a, b) = (&inputs[0], &inputs[1]);
    let (rank_a, rank_b) = (a.shape.len(), b.shape.len());
    let columns = b.shape[rank_b - 1];
    let product = Product {
        a: (a, walk(a, output, Matrix::Rows), 1),
        b: (b, walk(b, output, Matrix::Columns), columns),
        inner: a.shape[rank_a - 1],
    };
    let finish =
        Part { text: "fn finish(o: u32, s: Sum) -> f32 { return sum_value(s); }\n".to_owned(), ..Part::default() };
    accumulate::lower(to, &product.terms(), &finish, output)
}

/// A product of matrices: each factor with the walk from an element of the output to the first of its factors, and the
/// step from each factor to the next.
pub(super) struct Product<'a> {
    pub(super) a: (&'a Tensor, View, u32),
    pub(super) b: (&'a Tensor, View, u32),
    pub(super) inner: u32,
}

impl Product<'_> {
    pub(super) fn terms(self) -> Terms {
        let (a, a_at, a_step) = self.a;
        let (b, b_at, b_step) = self.b;
        let text = "fn accumulate(o: u32, first: u32, end: u32) -> Sum {\n    \
                        let a_start = a_at(o);\n    \
                        let b_start = b_at(o);\n    \
                        var s = sum_empty();\n    \
                        for (var n = first; n < end; n++) {\n        \
                            s = sum_add_product(s, a(a_start + n * a_step()), b(b_start + n * b_step()));\n    \
                        }\n    \
                        return s;\n\
                    }\n";
        let part = Part {
            name: name("product of matrices", a.lane),
            inputs: vec![a.named("a"), b.named("b")],
            params: Params::new()
                .view("a_at", a_at.collapsed())
                .view("b_at", b_at.collapsed())
                .number("a_step", a_step)
                .number("b_step", b_step),
            text: text.to_owned(),
        };
        Terms { part, shared: Part::default(), count: self.inner, iterations: 1, state: SUM }
    }
}

/// Which of a factor's two dimensions is one of the output's.
#[derive(Clone, Copy, PartialEq)]
enum Matrix {
    Rows,
    Columns,
}

/// From an element of the output to the first element of its row or column.
fn walk(factor: &Tensor, output: &Tensor, matrix: Matrix) -> View {
    let rank = factor.shape.len();
    let mut strides = row_major(&factor.shape);
    let (rows, columns) = (strides[rank - 2], strides[rank - 1]);
    let stack = &factor.shape[..rank - 2];
    for (stride, size) in strides.iter_mut().zip(stack) {
        if *size == 1 {
            *stride = 0;
        }
    }
    let mut all = vec![0; output.shape.len() - rank];
    all.extend(&strides[..rank - 2]);
    all.extend(match matrix {
        Matrix::Rows => [rows, 0],
        Matrix::Columns => [0, columns],
    });
    View::new(&output.shape, &all, 0)
}
