//! prelu: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-prelu>.

use ndarray::ArrayD;

use crate::algorithms::broadcasting::bidirectionally_broadcast;
use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, SIGNED, TensorLimits};
use crate::number::Number;
use crate::operand::MLOperand;
use crate::ops::{Bound, MLOperatorOptions, Operation, OperatorRow};
use crate::value::{Computed, Stored, zip};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#tensor-limits-prelu>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-prelu",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(SIGNED),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "slope",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// prelu
pub const PRELU: OperatorRow = OperatorRow {
    name: "prelu",
    section: "api-mlgraphbuilder-prelu",
    parameters: &["input", "slope", "options"],
    call: |b, x| Ok(vec![b.prelu(&x.get("input")?, &x.get("slope")?, &x.options()?)?]),
    limits: &LIMITS,
};

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-prelu>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type is not allowed, or the shapes can not be broadcast to one another.
    pub fn prelu(&self, input: &MLOperand, slope: &MLOperand, options: &MLOperatorOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.prelu(input, slope, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, slope])?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) || !LIMITS.allows_data_type_as("slope", slope, input) {
            let (input, slope) = (input.data_type(), slope.data_type());
            throw!(TypeError, "the input is {input} and the slope {slope}; both have to be the same signed type");
        }
        step!("4");
        let Some(output_shape) = bidirectionally_broadcast(&slope.shape(), &input.shape()) else {
            step!("4.1");
            throw!(TypeError, "{:?} and {:?} can not be broadcast to one another", slope.shape(), input.shape());
        };
        step!("5");
        let descriptor = MLOperandDescriptor::create(input.data_type(), &output_shape);
        self.ensure_output(&descriptor)?;
        step!("6");
        step!("6.1");
        let output = self.create_operand(descriptor);
        step!("6.2");
        let operator = self.create_operator(Operation::Prelu, &options.label);
        step!("6.3");
        output.set_operator(operator);
        step!("6.4");
        self.set_inputs(operator, [input, slope]);
        step!("6.5");
        self.set_outputs(operator, [&output]);
        step!("7");
        Ok(output)
    }
}

pub(super) fn compute(bound: &Bound<'_>) -> Computed {
    for_each_type!(bound.input(0), input => each(input, bound))
}

fn each<T: Stored>(input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
    let slope = T::array(bound.input(1));
    let element = |x: T, slope: T| T::rounded(rectified(x.number(), slope.number()));
    Ok(zip(input, slope, &bound.output().shape, element)?.into())
}

/// max(0, x) + slope * min(0, x), as the section defines it, where a term that is 0 adds nothing: not even where the slope
/// is infinite or NaN.
pub(super) fn rectified<N: Number>(x: N, slope: N) -> N {
    if x < N::ZERO { slope * x } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn both_are_broadcast() -> Result<()> {
        let output = computed(|b| {
            let slope = constant(b, &[2, 1], &[0.5f32, -1.0]);
            b.prelu(&constant(b, &[2], &[-2f32, 3.0]), &slope, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[2, 2], &[-1f32, 3.0, 2.0, 3.0]));
        Ok(())
    }

    #[test]
    fn integers_wrap() -> Result<()> {
        let output = computed(|b| {
            let slope = constant(b, &[], &[i64::MAX]);
            b.prelu(&constant(b, &[2], &[-2i64, i64::MAX]), &slope, &MLOperatorOptions::default())
        })?;
        assert_eq!(output, value(&[2], &[2, i64::MAX]));
        Ok(())
    }

    #[test]
    fn a_slope_that_is_no_number_matters_below_zero_only() {
        assert_eq!(rectified(2.0, f64::NAN), 2.0);
        assert_eq!([rectified(0.0, f64::INFINITY), rectified(-1.0, f64::INFINITY)], [0.0, f64::NEG_INFINITY]);
        assert!(rectified(f64::NAN, 1.0).is_nan() && rectified(-1.0, f64::NAN).is_nan());
    }

    #[test]
    fn types_are_signed_and_equal_and_shapes_fit() {
        let b = builder(Reading::Corrected);
        let step = |input, slope| b.prelu(&input, &slope, &MLOperatorOptions::default()).unwrap_err().step;
        assert_eq!(step(zeros::<u8>(&b, &[1]), zeros::<u8>(&b, &[1])), "3");
        assert_eq!(step(zeros::<f32>(&b, &[1]), zeros::<i8>(&b, &[1])), "3");
        assert_eq!(step(zeros::<i8>(&b, &[2]), zeros::<i8>(&b, &[3])), "4.1");
    }
}
