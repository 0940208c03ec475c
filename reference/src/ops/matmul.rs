//! matmul: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-matmul>.

use ndarray::ArrayD;

use crate::algorithms::broadcasting::bidirectionally_broadcast;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, size};
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, broadcast, filled, numbers, reserved};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-matmul>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-matmul",
    rows: &[
        OperandLimits {
            operand: "a",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::AtLeast(2),
            required_ranks: (2, 5),
        },
        OperandLimits {
            operand: "b",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::AtLeast(2),
            required_ranks: (2, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::AtLeast(2),
            required_ranks: (2, 5),
        },
    ],
};

/// matmul
pub const MATMUL: OperatorRow = OperatorRow {
    name: "matmul",
    section: "api-mlgraphbuilder-matmul",
    parameters: &["a", "b", "options"],
    call: |b, x| Ok(vec![b.matmul(&x.get("a")?, &x.get("b")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-matmul>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data type
    /// or rank is not allowed, or the shapes do not fit each other.
    pub fn matmul(&self, a: &MLOperand, b: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.matmul(a, b, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([a, b])?;
        step!("3");
        if !LIMITS.allows_data_type("a", a) || !LIMITS.allows_data_type_as("b", b, a) {
            throw!(TypeError, "a is {} and b is {}; both have to be the same float", a.data_type(), b.data_type());
        }
        step!("4");
        step!("4.1");
        let shape_a = a.shape();
        step!("4.2");
        let rank_a = a.rank();
        step!("4.3");
        let shape_b = b.shape();
        step!("4.4");
        let rank_b = b.rank();
        step!("4.5");
        if rank_a < 2 || rank_b < 2 {
            throw!(TypeError, "{shape_a:?} and {shape_b:?} both need two dimensions at least");
        }
        step!("4.6");
        let cols_a = shape_a[rank_a - 1];
        step!("4.7");
        let rows_a = shape_a[rank_a - 2];
        step!("4.8");
        let cols_b = shape_b[rank_b - 1];
        step!("4.9");
        let rows_b = shape_b[rank_b - 2];
        step!("4.10");
        if cols_a != rows_b {
            throw!(TypeError, "a has {cols_a} columns, but b has {rows_b} rows");
        }
        step!("4.11");
        let batch_shape_a = &shape_a[..rank_a - 2];
        step!("4.12");
        let batch_shape_b = &shape_b[..rank_b - 2];
        step!("4.13");
        let Some(mut output_shape) = bidirectionally_broadcast(batch_shape_a, batch_shape_b) else {
            throw!(TypeError, "batches {batch_shape_a:?} and {batch_shape_b:?} can not be broadcast to each other");
        };
        step!("4.14");
        output_shape.extend([rows_a, cols_b]);
        step!("4.15");
        let desc = MLOperandDescriptor::create(a.data_type(), &output_shape);
        self.ensure_output(&desc)?;
        step!("5");
        step!("5.1");
        let output = self.create_operand(desc);
        step!("5.2");
        let operator = self.create_operator(Operation::Matmul, &options.label);
        step!("5.3");
        output.set_operator(operator);
        step!("5.4");
        self.set_inputs(operator, [a, b]);
        step!("5.5");
        self.set_outputs(operator, [&output]);
        step!("6");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_float_type!(bound.input(0), a => multiply_stacks(a, bound))
}

/// Multiplies two stacks of matrices, the stacks broadcast to each other.
fn multiply_stacks<T: FloatStored>(a: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let b = T::array(bound.input(1));
    let shape = &bound.output().shape;
    let (batch_shape, matrix) = shape.split_at(shape.len() - 2);
    let (rows, columns) = (size(matrix[0]), size(matrix[1]));
    let inner = a.shape()[a.ndim() - 1];

    let stacked = |x: &ArrayD<T>| -> Computed<Vec<Float>> {
        let mut stacked_shape = batch_shape.to_vec();
        stacked_shape.extend(x.shape()[x.ndim() - 2..].iter().map(|dimension| dimension_of(*dimension)));
        numbers(&broadcast(x, &stacked_shape)?)
    };
    let mut output = filled(shape, T::default())?;
    let y = output.as_slice_mut().expect("a new array is contiguous");
    let (a, b) = (stacked(a)?, stacked(b)?);
    for batch in 0..batch_shape.iter().copied().map(size).product() {
        let a = &a[batch * rows * inner..][..rows * inner];
        let b = &b[batch * inner * columns..][..inner * columns];
        let y = &mut y[batch * rows * columns..][..rows * columns];
        multiply(a, b, [rows, inner, columns], |index, sum| y[index] = T::rounded(sum))?;
    }
    Ok(output.into())
}

pub(crate) fn dimension_of(dimension: usize) -> u32 {
    u32::try_from(dimension).expect("a dimension of a validated shape")
}

/// Multiplies a matrix of `rows` and `inner` columns with one of `inner` rows and `columns`, and gives each element of
/// the product, by its index.
pub(crate) fn multiply(
    a: &[Float],
    b: &[Float],
    [rows, inner, columns]: [usize; 3],
    mut output: impl FnMut(usize, Float),
) -> Computed<()> {
    let mut sums: Vec<Float> = reserved(columns)?;
    for row in 0..rows {
        sums.clear();
        sums.resize(columns, 0.0);
        for index in 0..inner {
            let a = a[row * inner + index];
            let b = &b[index * columns..][..columns];
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
        for (column, sum) in sums.iter().enumerate() {
            output(row * columns + column, *sum);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn stacks_are_broadcast_to_each_other() -> Result<()> {
        let output = computed(|b| {
            let rows = constant(b, &[2, 1, 1, 2], &[1f32, 2.0, 3.0, 4.0]);
            b.matmul(&rows, &constant(b, &[2, 2, 1], &[1f32, 10.0, 100.0, 1000.0]), &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[2, 2, 1, 1], &[21f32, 2100.0, 43.0, 4300.0]));
        Ok(())
    }

    #[test]
    fn each_product_is_rounded_once() -> Result<()> {
        // In float16, 2048 + 1 is 2048, and so would be the sum.
        let output = computed(|b| {
            let x = [2048.0, 1.0, 1.0].map(half::f16::from_f32);
            let ones = constant(b, &[3, 1], &[half::f16::ONE; 3]);
            b.matmul(&constant(b, &[1, 3], &x), &ones, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[1, 1], &[half::f16::from_f32(2050.0)]));
        Ok(())
    }

    #[test]
    fn an_output_beyond_any_tensor_is_refused() {
        let b = builder(Reading::Corrected);
        let (tall, wide) = (zeros::<f32>(&b, &[1 << 16, 1]), zeros::<f32>(&b, &[1, 1 << 16]));
        assert_eq!(b.matmul(&tall, &wide, &MLOperatorOptions::default()).unwrap_err().step, "4.15");
    }
}
