//! Reduction operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce>.

use ndarray::{ArrayD, IxDyn};

use crate::builder::MLGraphBuilder;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::{Arguments, Members, Options};
use crate::index::axes as all_axes;
use crate::limits::{
    DataTypes, FLOATS, FLOATS_AND_INT32, FLOATS_AND_WIDE_INTEGERS, OperandLimits, Ranks, TensorLimits,
};
use crate::number::{Float, Integer, Number, count, maximum, minimum, product, size, sum};
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array, numbers};
use crate::{algorithm, for_each_type, step, throw};

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum of the absolute values.
    L1,
    /// The square root of the sum of the squares.
    L2,
    /// The logarithm of the sum.
    LogSum,
    /// The logarithm of the sum of the exponentials.
    LogSumExp,
    /// The greatest.
    Max,
    /// The mean.
    Mean,
    /// The least.
    Min,
    /// The product.
    Product,
    /// The sum.
    Sum,
    /// The sum of the squares.
    SumSquare,
}

impl Reduction {
    /// The name of the builder's method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L1 => "reduceL1",
            Self::L2 => "reduceL2",
            Self::LogSum => "reduceLogSum",
            Self::LogSumExp => "reduceLogSumExp",
            Self::Max => "reduceMax",
            Self::Mean => "reduceMean",
            Self::Min => "reduceMin",
            Self::Product => "reduceProduct",
            Self::Sum => "reduceSum",
            Self::SumSquare => "reduceSumSquare",
        }
    }
}

/// <https://www.w3.org/TR/webnn/#dictdef-mlreduceoptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLReduceOptions {
    /// The operator's label.
    pub label: String,
    /// The axes to reduce; all if not given.
    pub axes: Option<Vec<u32>>,
    /// Whether the output keeps the reduced axes, with one element along them.
    pub keep_dimensions: bool,
}

impl Options for MLReduceOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            axes: members.optional("axes")?,
            keep_dimensions: members.or("keepDimensions", false)?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-reduction-reducel1-reducesum-reducesumsquare>
pub const LIMITS_L1_SUM_SUM_SQUARE: TensorLimits = TensorLimits {
    table: "tensor-limits-reduction-reducel1-reducesum-reducesumsquare",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS_AND_WIDE_INTEGERS),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-reduction-reducel2-reducelogsum-reducelogsumexp-reducemean>
pub const LIMITS_L2_LOG_SUM_LOG_SUM_EXP_MEAN: TensorLimits = TensorLimits {
    table: "tensor-limits-reduction-reducel2-reducelogsum-reducelogsumexp-reducemean",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
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

/// <https://www.w3.org/TR/webnn/#tensor-limits-reduction-reducemax-reducemin>
pub const LIMITS_MAX_MIN: TensorLimits = TensorLimits {
    table: "tensor-limits-reduction-reducemax-reducemin",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS_AND_INT32,
            allowed_ranks: Ranks::Any,
            required_ranks: (0, 5),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-reduction-reduceproduct>
pub const LIMITS_PRODUCT: TensorLimits = TensorLimits {
    table: "tensor-limits-reduction-reduceproduct",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS_AND_WIDE_INTEGERS),
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

type Call = fn(&MLGraphBuilder, &Arguments<'_>) -> Result<Vec<MLOperand>>;

const fn row(name: &'static str, limits: &'static TensorLimits, call: Call) -> OperatorRow {
    OperatorRow { name, section: "api-mlgraphbuilder-reduce", parameters: &["input", "options"], call, limits }
}

/// reduceL1
pub const REDUCE_L1: OperatorRow =
    row("reduceL1", &LIMITS_L1_SUM_SUM_SQUARE, |b, x| Ok(vec![b.reduce_l1(&x.get("input")?, &x.options()?)?]));
/// reduceL2
pub const REDUCE_L2: OperatorRow = row("reduceL2", &LIMITS_L2_LOG_SUM_LOG_SUM_EXP_MEAN, |b, x| {
    Ok(vec![b.reduce_l2(&x.get("input")?, &x.options()?)?])
});
/// reduceLogSum
pub const REDUCE_LOG_SUM: OperatorRow = row("reduceLogSum", &LIMITS_L2_LOG_SUM_LOG_SUM_EXP_MEAN, |b, x| {
    Ok(vec![b.reduce_log_sum(&x.get("input")?, &x.options()?)?])
});
/// reduceLogSumExp
pub const REDUCE_LOG_SUM_EXP: OperatorRow = row("reduceLogSumExp", &LIMITS_L2_LOG_SUM_LOG_SUM_EXP_MEAN, |b, x| {
    Ok(vec![b.reduce_log_sum_exp(&x.get("input")?, &x.options()?)?])
});
/// reduceMax
pub const REDUCE_MAX: OperatorRow =
    row("reduceMax", &LIMITS_MAX_MIN, |b, x| Ok(vec![b.reduce_max(&x.get("input")?, &x.options()?)?]));
/// reduceMean
pub const REDUCE_MEAN: OperatorRow = row("reduceMean", &LIMITS_L2_LOG_SUM_LOG_SUM_EXP_MEAN, |b, x| {
    Ok(vec![b.reduce_mean(&x.get("input")?, &x.options()?)?])
});
/// reduceMin
pub const REDUCE_MIN: OperatorRow =
    row("reduceMin", &LIMITS_MAX_MIN, |b, x| Ok(vec![b.reduce_min(&x.get("input")?, &x.options()?)?]));
/// reduceProduct
pub const REDUCE_PRODUCT: OperatorRow =
    row("reduceProduct", &LIMITS_PRODUCT, |b, x| Ok(vec![b.reduce_product(&x.get("input")?, &x.options()?)?]));
/// reduceSum
pub const REDUCE_SUM: OperatorRow =
    row("reduceSum", &LIMITS_L1_SUM_SUM_SQUARE, |b, x| Ok(vec![b.reduce_sum(&x.get("input")?, &x.options()?)?]));
/// reduceSumSquare
pub const REDUCE_SUM_SQUARE: OperatorRow = row("reduceSumSquare", &LIMITS_L1_SUM_SUM_SQUARE, |b, x| {
    Ok(vec![b.reduce_sum_square(&x.get("input")?, &x.options()?)?])
});

/// The parameters of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduce {
    /// Which operation.
    pub reduction: Reduction,
    /// The axes that are reduced. If there are none, each element is reduced by itself.
    pub axes: Vec<u32>,
    /// Whether the output keeps the reduced axes, with one element along them.
    pub keep_dimensions: bool,
}

/// <https://www.w3.org/TR/webnn/#mlgraphbuilder-calculate-reduction-output-sizes>; `None` is failure.
pub(super) fn calculate_reduction_output_sizes(
    input_shape: &[u32],
    axes: Option<&[u32]>,
    keep_dimensions: bool,
) -> Option<Vec<u32>> {
    algorithm!("MLGraphBuilder/calculate reduction output sizes");
    step!("1");
    let input_rank = input_shape.len();
    step!("2");
    let range = all_axes(input_rank);
    let axes = axes.unwrap_or(&range);
    step!("3");
    let are_distinct = axes.iter().enumerate().all(|(index, axis)| !axes[..index].contains(axis));
    if !are_distinct || axes.iter().any(|axis| !range.contains(axis)) {
        return None;
    }
    let mut output_shape;
    if keep_dimensions {
        step!("4");
        step!("4.1");
        output_shape = input_shape.to_vec();
        step!("4.2");
        for axis in axes {
            step!("4.2.1");
            output_shape[size(*axis)] = 1;
        }
    } else {
        step!("5");
        step!("5.1");
        output_shape = Vec::new();
        step!("5.2");
        for (index, dimension) in range.iter().zip(input_shape) {
            step!("5.2.1");
            if !axes.contains(index) {
                output_shape.push(*dimension);
            }
        }
    }
    step!("6");
    Some(output_shape)
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation>
    fn create_reduction_operation(
        &self,
        op: Reduction,
        input: &MLOperand,
        options: &MLReduceOptions,
        allowed_data_types: Option<&[MLOperandDataType]>,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder/create reduction operation", self, options.label);
        step!("1"); // BY TYPE: Reduction has no other.
        step!("2");
        self.ensure_can_build()?;
        step!("3");
        self.ensure_operands([input])?;
        step!("4");
        if allowed_data_types.is_some_and(|allowed| !allowed.contains(&input.data_type())) {
            throw!(TypeError, "the input of {} can not be {}", op.as_str(), input.data_type());
        }
        step!("5");
        let output_shape =
            calculate_reduction_output_sizes(&input.shape(), options.axes.as_deref(), options.keep_dimensions);
        let Some(output_shape) = output_shape else {
            let axes = options.axes.as_deref().unwrap_or_default();
            throw!(TypeError, "axes {axes:?} are not distinct axes of {}", input.descriptor());
        };
        step!("6");
        let desc = MLOperandDescriptor::create(input.data_type(), &output_shape);
        step!("7");
        step!("7.1");
        let output = self.create_operand(desc);
        step!("7.2");
        let axes = options.axes.clone().unwrap_or_else(|| all_axes(input.rank()));
        let reduce = Reduce { reduction: op, axes, keep_dimensions: options.keep_dimensions };
        let operator = self.create_operator(Operation::Reduce(reduce), &options.label);
        step!("7.3");
        output.set_operator(operator);
        step!("7.4");
        self.set_inputs(operator, [input]);
        step!("7.5");
        self.set_outputs(operator, [&output]);
        step!("8");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducel1>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_l1(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceL1(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::L1, input, options, Some(FLOATS_AND_WIDE_INTEGERS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducel2>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_l2(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceL2(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::L2, input, options, Some(FLOATS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducelogsum>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_log_sum(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceLogSum(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::LogSum, input, options, Some(FLOATS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducelogsumexp>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_log_sum_exp(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceLogSumExp(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::LogSumExp, input, options, Some(FLOATS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducemax>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_max(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceMax(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::Max, input, options, None)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducemean>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_mean(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceMean(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::Mean, input, options, Some(FLOATS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducemin>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_min(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceMin(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::Min, input, options, None)?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reduceproduct>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_product(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceProduct(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output =
            self.create_reduction_operation(Reduction::Product, input, options, Some(FLOATS_AND_WIDE_INTEGERS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducesum>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_sum(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceSum(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_reduction_operation(Reduction::Sum, input, options, Some(FLOATS_AND_WIDE_INTEGERS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-reducesumsquare>
    ///
    /// # Errors
    /// Those of [creating a reduction operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-create-reduction-operation).
    pub fn reduce_sum_square(&self, input: &MLOperand, options: &MLReduceOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.reduceSumSquare(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output =
            self.create_reduction_operation(Reduction::SumSquare, input, options, Some(FLOATS_AND_WIDE_INTEGERS))?;
        step!("2");
        Ok(output)
    }
}

impl Reduce {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.reduce(input, bound))
    }

    /// Lays the elements out so that those that are reduced to one follow one another.
    fn reduce<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed
    where
        T::Number: Reducible,
    {
        let (reduced, kept): (Vec<u32>, Vec<u32>) =
            all_axes(input.ndim()).into_iter().partition(|axis| self.axes.contains(axis));
        let permutation: Vec<usize> = kept.iter().chain(&reduced).copied().map(size).collect();
        let x = numbers(&input.view().permuted_axes(IxDyn(&permutation)))?;
        let count_of = |axes: &[u32]| axes.iter().map(|axis| input.shape()[size(*axis)]).product::<usize>();
        let length = count_of(&reduced);
        let runs = (0..count_of(&kept)).map(|index| &x[index * length..(index + 1) * length]);
        Ok(array(&bound.output().shape, runs.map(|run| T::rounded(T::Number::reduced(self.reduction, run))))?.into())
    }
}

/// Numbers that can be reduced, as far as their data types are allowed to be.
trait Reducible: Number {
    /// The number that `numbers` are reduced to.
    fn reduced(reduction: Reduction, numbers: &[Self]) -> Self;
}

impl Reducible for Float {
    fn reduced(reduction: Reduction, numbers: &[Self]) -> Self {
        let x = || numbers.iter().copied();
        match reduction {
            Reduction::L1 => sum(x().map(Self::abs)),
            Reduction::L2 => sum(x().map(|x| x * x)).sqrt(),
            Reduction::LogSum => sum(x()).ln(),
            Reduction::LogSumExp => log_sum_exp(numbers),
            Reduction::Max => x().fold(Self::NEG_INFINITY, maximum),
            Reduction::Mean => sum(x()) / count(numbers.len()),
            Reduction::Min => x().fold(Self::INFINITY, minimum),
            Reduction::Product => product(x()),
            Reduction::Sum => sum(x()),
            Reduction::SumSquare => sum(x().map(|x| x * x)),
        }
    }
}

impl Reducible for Integer {
    fn reduced(reduction: Reduction, numbers: &[Self]) -> Self {
        let x = || numbers.iter().copied();
        match reduction {
            Reduction::L1 => x().map(|x| if x < Self::ZERO { -x } else { x }).sum(),
            Reduction::Max => x().reduce(maximum).unwrap_or(Self::ZERO),
            Reduction::Min => x().reduce(minimum).unwrap_or(Self::ZERO),
            Reduction::Product => x().product(),
            Reduction::Sum => x().sum(),
            Reduction::SumSquare => x().map(|x| x * x).sum(),
            Reduction::L2 | Reduction::LogSum | Reduction::LogSumExp | Reduction::Mean => {
                unreachable!("the allowed data types of {} are float32 and float16", reduction.as_str())
            }
        }
    }
}

/// The logarithm of the sum of the exponentials, as m + ln(1 + the sum of all others' exp(x - m)) for the greatest m:
/// nothing overflows, and next to an exponential of 1 the others keep their bits.
fn log_sum_exp(numbers: &[Float]) -> Float {
    let greatest = numbers.iter().copied().fold(Float::NEG_INFINITY, maximum);
    if !greatest.is_finite() {
        // NaN if one of them is, Infinity if one of them is, and -Infinity, the logarithm of 0, if all of them are.
        return greatest;
    }
    let place = numbers.iter().position(|x| *x == greatest);
    let others = numbers.iter().enumerate().filter(|(index, _)| Some(*index) != place);
    greatest + sum(others.map(|(_, x)| (x - greatest).exp())).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Element;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;
    use half::f16;

    fn along(axes: &[u32]) -> MLReduceOptions {
        MLReduceOptions { axes: Some(axes.to_vec()), ..Default::default() }
    }

    #[test]
    fn without_axes_everything_is_reduced_and_with_none_each_element_by_itself() -> Result<()> {
        let input = |b: &_| constant(b, &[2, 2], &[1i32, -2, 3, -4]);
        let all = computed(|b| b.reduce_sum_square(&input(b), &MLReduceOptions::default()))?;
        assert_eq!(all, value(&[], &[30]));
        let each = computed(|b| b.reduce_sum_square(&input(b), &along(&[])))?;
        assert_eq!(each, value(&[2, 2], &[1, 4, 9, 16]));
        let scalar = computed(|b| b.reduce_log_sum(&constant(b, &[], &[1f32]), &MLReduceOptions::default()))?;
        assert_eq!(scalar, value(&[], &[0f32]));
        Ok(())
    }

    #[test]
    fn axes_in_any_order_with_dimensions_kept() -> Result<()> {
        let input: Vec<u32> = (0..12).collect();
        let options = MLReduceOptions { keep_dimensions: true, ..along(&[2, 0]) };
        // NumPy: arange(12).reshape(2, 3, 2).max((2, 0), keepdims=True)
        let output = computed(|b| b.reduce_max(&constant(b, &[2, 3, 2], &input), &options))?;
        assert_eq!(output, value(&[1, 3, 1], &[7u32, 9, 11]));
        Ok(())
    }

    #[test]
    fn axes_are_distinct_and_inside_the_rank() {
        let b = builder(Reading::Corrected);
        for axes in [vec![0, 0], vec![2], vec![u32::MAX]] {
            assert_eq!(b.reduce_min(&zeros::<u8>(&b, &[2, 2]), &along(&axes)).unwrap_err().step, "5");
        }
    }

    #[test]
    fn integers_wrap_and_extremes_are_exact() {
        let reduced = |reduction, numbers: &[i64]| {
            let numbers: Vec<Integer> = numbers.iter().map(|number| number.number()).collect();
            i64::rounded(Integer::reduced(reduction, &numbers))
        };
        assert_eq!(reduced(Reduction::L1, &[i64::MIN]), i64::MIN);
        assert_eq!(reduced(Reduction::Sum, &[i64::MAX, 1]), i64::MIN);
        assert_eq!(reduced(Reduction::SumSquare, &[1 << 32, 3]), 9);
        assert_eq!(reduced(Reduction::Max, &[i64::MAX - 1, i64::MAX]), i64::MAX);
        assert_eq!(reduced(Reduction::Min, &[i64::MIN + 1, i64::MIN]), i64::MIN);
    }

    #[test]
    fn sums_and_products_are_right_where_binary64_alone_would_not_be() {
        let (infinity, nan) = (Float::INFINITY, Float::NAN);
        assert_eq!(Float::reduced(Reduction::Sum, &[1e30, 1.0, -1e30]), 1.0);
        assert_eq!(Float::reduced(Reduction::Sum, &[infinity, 1.0]), infinity);
        assert!(Float::reduced(Reduction::Sum, &[infinity, -infinity]).is_nan());
        let there_and_back: Vec<Float> = (0..40).map(|index| if index < 20 { 1e38 } else { 1e-38 }).collect();
        assert!((Float::reduced(Reduction::Product, &there_and_back) - 1.0).abs() < 1e-12);
        assert_eq!(Float::reduced(Reduction::Product, &[1e38; 40]), infinity);
        assert_eq!(Float::reduced(Reduction::Product, &[-1e-38; 41]), -0.0);
        assert!(Float::reduced(Reduction::Product, &[infinity, 0.0]).is_nan());
        assert!(
            Float::reduced(Reduction::Min, &[1.0, nan]).is_nan()
                && Float::reduced(Reduction::Max, &[nan, 1.0]).is_nan()
        );
    }

    #[test]
    fn the_logarithm_of_a_sum_of_exponentials_neither_overflows_nor_loses_bits() {
        let infinity = Float::INFINITY;
        let log_sum_exp = |numbers: &[Float]| Float::reduced(Reduction::LogSumExp, numbers);
        assert_eq!(log_sum_exp(&[1000.0]), 1000.0);
        assert_eq!(log_sum_exp(&[0.0, -50.0]), (-50f64).exp());
        assert_eq!(log_sum_exp(&[-infinity, -infinity]), -infinity);
        assert_eq!(log_sum_exp(&[-infinity, 3.0]), 3.0);
        assert_eq!(log_sum_exp(&[infinity, infinity, -infinity]), infinity);
        assert!(log_sum_exp(&[infinity, Float::NAN]).is_nan());
    }

    #[test]
    fn the_mean_of_float16_is_not_rounded_on_the_way() -> Result<()> {
        // The sum, 98304, is beyond float16.
        let input = [f16::from_f32(49152.0); 2];
        let mean = computed(|b| b.reduce_mean(&constant(b, &[2], &input), &MLReduceOptions::default()))?;
        assert_eq!(mean, value(&[], &[f16::from_f32(49152.0)]));
        Ok(())
    }
}
