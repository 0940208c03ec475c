//! triangular: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-triangular>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::signed;
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index};
use crate::{algorithm, for_each_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mltriangularoptions>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MLTriangularOptions {
    /// The operator's label.
    pub label: String,
    /// Whether the upper part is kept, or the lower one.
    pub upper: bool,
    /// How far above the main diagonal the part begins or ends.
    pub diagonal: i32,
}

impl Default for MLTriangularOptions {
    fn default() -> Self {
        Self { label: String::new(), upper: true, diagonal: 0 }
    }
}

impl Options for MLTriangularOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()?, upper: members.or("upper", true)?, diagonal: members.or("diagonal", 0)? })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-triangular>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-triangular",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS,
            allowed_ranks: Ranks::AtLeast(2),
            required_ranks: (2, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::SameAs("input"),
            required_ranks: (2, 5),
        },
    ],
};

/// triangular
pub const TRIANGULAR: OperatorRow = OperatorRow {
    name: "triangular",
    section: "api-mlgraphbuilder-triangular",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.triangular(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a triangular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangular {
    /// Whether the upper part is kept, or the lower one.
    pub upper: bool,
    /// How far above the main diagonal the part begins or ends.
    pub diagonal: i32,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-triangular>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder or is not at
    /// least a matrix.
    pub fn triangular(&self, input: &MLOperand, options: &MLTriangularOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.triangular(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows_rank("input", input) {
            throw!(TypeError, "the input has rank {}, which is below 2", input.rank());
        }
        step!("4");
        step!("4.1");
        let output = Self::copy_operand(input);
        step!("4.2");
        let triangular = Triangular { upper: options.upper, diagonal: options.diagonal };
        let operator = self.create_operator(Operation::Triangular(triangular), &options.label);
        step!("4.3");
        output.set_operator(operator);
        step!("4.4");
        self.set_inputs(operator, [input]);
        step!("4.5");
        self.set_outputs(operator, [&output]);
        step!("5");
        Ok(output)
    }
}

impl Triangular {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.part(input, bound))
    }

    /// What is not kept is 0, even where it is NaN or infinite.
    fn part<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let output = array_by_index(&bound.output().shape, |index| {
            if self.keeps(index[index.len() - 2], index[index.len() - 1]) { input[index] } else { T::default() }
        })?;
        Ok(output.into())
    }

    fn keeps(&self, row: usize, column: usize) -> bool {
        let above_the_diagonal = signed(column) - signed(row) - i128::from(self.diagonal);
        if self.upper { above_the_diagonal >= 0 } else { above_the_diagonal <= 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn the_examples_of_the_section() -> Result<()> {
        let expected = [
            (true, 0, [7u8, 1, 2, 0, 4, 8, 0, 0, 3]),
            (true, 1, [0, 1, 2, 0, 0, 8, 0, 0, 0]),
            (true, -1, [7, 1, 2, 9, 4, 8, 0, 6, 3]),
            (false, 0, [7, 0, 0, 9, 4, 0, 2, 6, 3]),
            (false, 1, [7, 1, 0, 9, 4, 8, 2, 6, 3]),
            (false, -1, [0, 0, 0, 9, 0, 0, 2, 6, 0]),
            (true, i32::MIN, [7, 1, 2, 9, 4, 8, 2, 6, 3]),
            (false, i32::MIN, [0; 9]),
        ];
        for (upper, diagonal, elements) in expected {
            let options = MLTriangularOptions { upper, diagonal, ..Default::default() };
            let output = computed(|b| b.triangular(&constant(b, &[3, 3], &[7u8, 1, 2, 9, 4, 8, 2, 6, 3]), &options))?;
            assert_eq!(output, value(&[3, 3], &elements), "{options:?}");
        }
        Ok(())
    }

    #[test]
    fn what_is_left_out_is_zero_in_each_matrix_whatever_it_was() -> Result<()> {
        let output = computed(|b| {
            let input = constant(b, &[2, 1, 2], &[1f32, f32::NAN, -2.0, f32::INFINITY]);
            b.triangular(&input, &MLTriangularOptions { upper: false, ..Default::default() })
        })?;
        assert_eq!(output, value(&[2, 1, 2], &[1f32, 0.0, -2.0, 0.0]));
        Ok(())
    }

    #[test]
    fn a_vector_has_no_triangle() {
        let b = builder(Reading::Corrected);
        let exception = b.triangular(&zeros::<f32>(&b, &[3]), &MLTriangularOptions::default()).unwrap_err();
        assert_eq!(exception.step, "3");
    }
}
