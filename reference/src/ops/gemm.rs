//! gemm: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm>.

use ndarray::ArrayD;

use crate::algorithms::broadcasting::is_unidirectionally_broadcastable;
use crate::algorithms::casting::cast;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{MLNumber, size};
use crate::operand::{MLOperand, OperandId};
use crate::ops::matmul::multiply;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, broadcast, filled, numbers};
use crate::{algorithm, for_float_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlgemmoptions>
#[derive(Clone, Debug)]
pub struct MLGemmOptions {
    /// The operator's label.
    pub label: String,
    /// What is added to the product; nothing if not given.
    pub c: Option<MLOperand>,
    /// A multiplier of the product.
    pub alpha: f64,
    /// A multiplier of c.
    pub beta: f64,
    /// Whether a is transposed first.
    pub a_transpose: bool,
    /// Whether b is transposed first.
    pub b_transpose: bool,
}

impl Default for MLGemmOptions {
    fn default() -> Self {
        Self { label: String::new(), c: None, alpha: 1.0, beta: 1.0, a_transpose: false, b_transpose: false }
    }
}

impl Options for MLGemmOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            c: members.optional("c")?,
            alpha: members.or("alpha", 1.0)?,
            beta: members.or("beta", 1.0)?,
            a_transpose: members.or("aTranspose", false)?,
            b_transpose: members.or("bTranspose", false)?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-gemm>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-gemm",
    rows: &[
        OperandLimits {
            operand: "a",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "b",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "c",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(0, 2),
            required_ranks: (0, 2),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("a"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
    ],
};

/// gemm
pub const GEMM: OperatorRow = OperatorRow {
    name: "gemm",
    section: "api-mlgraphbuilder-gemm",
    parameters: &["a", "b", "options"],
    call: |b, x| Ok(vec![b.gemm(&x.get("a")?, &x.get("b")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a gemm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// What is added to the product, the third of the operator's inputs.
    pub c: Option<OperandId>,
    /// A multiplier of the product, cast to the type of a.
    pub alpha: f64,
    /// A multiplier of c, cast to the type of a.
    pub beta: f64,
    /// Whether a is transposed first.
    pub a_transpose: bool,
    /// Whether b is transposed first.
    pub b_transpose: bool,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-gemm>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, or the shapes do not fit one another.
    pub fn gemm(&self, a: &MLOperand, b: &MLOperand, options: &MLGemmOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.gemm(a, b, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([a, b])?;
        if !literal!("gemm-c-unvalidated") {
            self.ensure_operands(&options.c)?;
        }
        step!("3");
        if !LIMITS.allows_data_type("a", a) || !LIMITS.allows_data_type_as("b", b, a) {
            throw!(TypeError, "a is {} and b is {}; both have to be the same float", a.data_type(), b.data_type());
        }
        step!("4");
        if !LIMITS.allows_rank("a", a) || !LIMITS.allows_rank("b", b) {
            throw!(TypeError, "a is {} and b is {}; both have to be matrices", a.descriptor(), b.descriptor());
        }
        step!("5");
        let alpha = cast(MLNumber::Double(options.alpha), a.data_type()).to_f64();
        step!("6");
        let beta = cast(MLNumber::Double(options.beta), a.data_type()).to_f64();
        step!("7");
        let mut shape_a = a.shape();
        step!("8");
        let mut shape_b = b.shape();
        step!("9");
        if options.a_transpose {
            shape_a.reverse();
        }
        step!("10");
        if options.b_transpose {
            shape_b.reverse();
        }
        step!("11");
        if shape_a[1] != shape_b[0] {
            throw!(TypeError, "a has {} columns, but b has {} rows", shape_a[1], shape_b[0]);
        }
        let output_shape = [shape_a[0], shape_b[1]];
        step!("12");
        if let Some(c) = &options.c {
            step!("12.1");
            if !is_unidirectionally_broadcastable(&c.shape(), &output_shape) {
                throw!(TypeError, "c is {:?}, which can not be broadcast to {output_shape:?}", c.shape());
            }
            step!("12.2");
            if !LIMITS.allows_data_type_as("c", c, a) {
                throw!(TypeError, "c is {} and a is {}", c.data_type(), a.data_type());
            }
        }
        step!("13");
        let desc = MLOperandDescriptor::create(a.data_type(), &output_shape);
        self.ensure_output(&desc)?;
        step!("14");
        step!("14.1");
        let output = self.create_operand(desc);
        step!("14.2");
        let c = options.c.as_ref().map(|c| self.adopt_operand(c));
        let (a_transpose, b_transpose) = (options.a_transpose, options.b_transpose);
        let gemm = Gemm { c: c.as_ref().map(MLOperand::id), alpha, beta, a_transpose, b_transpose };
        let operator = self.create_operator(Operation::Gemm(gemm), &options.label);
        step!("14.3");
        output.set_operator(operator);
        step!("14.4");
        self.set_inputs(operator, [a, b]);
        step!("14.5");
        if let Some(c) = &c {
            self.add_input(operator, c);
        }
        step!("14.6");
        self.set_outputs(operator, [&output]);
        step!("15");
        Ok(output)
    }
}

impl Gemm {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), a => self.multiply_add(a, bound))
    }

    /// alpha * (a * b) + beta * c, where c is 0 if not given.
    fn multiply_add<T: FloatStored>(&self, a: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let b = T::array(bound.input(1));
        let shape = &bound.output().shape;
        let (rows, columns) = (size(shape[0]), size(shape[1]));
        let inner = a.shape()[if self.a_transpose { 0 } else { 1 }];
        let a = numbers(&if self.a_transpose { a.t() } else { a.view() })?;
        let b = numbers(&if self.b_transpose { b.t() } else { b.view() })?;

        let c = bound.optional(self.c).map(|c| numbers(&broadcast(T::array(c), shape)?)).transpose()?;
        let beta_c = |index: usize| c.as_ref().map_or(0.0, |c| self.beta * c[index]);

        let mut output = filled(shape, T::default())?;
        let y = output.as_slice_mut().expect("a new array is contiguous");
        multiply(&a, &b, [rows, inner, columns], |index, sum| {
            y[index] = T::rounded(self.alpha * sum + beta_c(index));
        })?;
        Ok(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn both_are_transposed_and_c_is_broadcast() -> Result<()> {
        let output = computed(|b| {
            let c = Some(constant(b, &[2, 1], &[100f32, 200.0]));
            let options =
                MLGemmOptions { c, alpha: 0.5, beta: 2.0, a_transpose: true, b_transpose: true, ..Default::default() };
            let x = constant(b, &[3, 2], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
            b.gemm(&x, &constant(b, &[1, 3], &[1f32, 10.0, 100.0]), &options)
        })?;
        // (1 + 30 + 500) / 2 + 200 and (2 + 40 + 600) / 2 + 400
        assert_eq!(output, value(&[2, 1], &[465.5f32, 721.0]));
        Ok(())
    }

    #[test]
    fn alpha_is_cast_to_the_type_of_a() -> Result<()> {
        let output = computed(|b| {
            let one = constant(b, &[1, 1], &[half::f16::ONE]);
            b.gemm(&one, &one, &MLGemmOptions { alpha: 1e6, ..Default::default() })
        })?;
        assert_eq!(output, value(&[1, 1], &[half::f16::INFINITY]));
        Ok(())
    }

    #[test]
    fn by_the_literal_text_c_may_belong_to_another_builder_but_nothing_is_bound_to_it() -> Result<()> {
        for reading in [Reading::Corrected, Reading::Literal] {
            let (b, other) = (builder(reading), builder(reading));
            let a = zeros::<f32>(&b, &[1, 1]);
            let c = Some(zeros::<f32>(&other, &[]));
            let output = b.gemm(&a, &a, &MLGemmOptions { c, ..Default::default() });
            if reading == Reading::Corrected {
                assert_eq!(output.unwrap_err().step, "2");
                continue;
            }
            let exception = b.context().global().settle(&b.build(&[("y".into(), output?)])).unwrap_err();
            assert_eq!((exception.name.as_str(), exception.step), ("OperationError", "18.1.2"));
        }
        Ok(())
    }
}
