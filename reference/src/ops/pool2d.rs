//! Pooling operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d>.

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::data_type::MLOperandDataType;
use crate::descriptor::valid_dimension;
use crate::exception::Result;
use crate::idl::{Arguments, Members, Options};
use crate::idl_enumeration;
use crate::index::{Sliding, strides};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Element, count, maximum, size, sum};
use crate::operand::MLOperand;
use crate::ops::conv2d::{calculate_conv2d_output_sizes, four, four_dimensions};
use crate::ops::{Bound, MLInputOperandLayout, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, Stored, elements, filled, reserved};
use crate::{algorithm, for_each_type, for_float_type, literal, step, throw};

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pooling {
    /// The mean of a window.
    AveragePool2d,
    /// The square root of the sum of the squares of a window.
    L2Pool2d,
    /// The greatest element of a window.
    MaxPool2d,
}

impl Pooling {
    /// The name of the builder's method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AveragePool2d => "averagePool2d",
            Self::L2Pool2d => "l2Pool2d",
            Self::MaxPool2d => "maxPool2d",
        }
    }
}

/// <https://www.w3.org/TR/webnn/#enumdef-mlroundingtype>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLRoundingType {
    /// Toward -Infinity: full windows only.
    #[default]
    Floor,
    /// Toward +Infinity: a partial window at the end too.
    Ceil,
}

impl MLRoundingType {
    /// Both, in the order of the IDL.
    pub const ALL: [Self; 2] = [Self::Floor, Self::Ceil];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ceil => "ceil",
        }
    }
}

idl_enumeration!(MLRoundingType);

/// <https://www.w3.org/TR/webnn/#dictdef-mlpool2doptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLPool2dOptions {
    /// The operator's label.
    pub label: String,
    /// The height and width of the window; those of the input if not given.
    pub window_dimensions: Option<Vec<u32>>,
    /// The padding at the top, at the bottom, on the left and on the right; 0 if not given.
    pub padding: Option<Vec<u32>>,
    /// How far the window moves down and to the right; 1 if not given.
    pub strides: Option<Vec<u32>>,
    /// How far apart the rows and the columns of the window are; 1 if not given.
    pub dilations: Option<Vec<u32>>,
    /// The layout of the input and the output.
    pub layout: MLInputOperandLayout,
    /// How the sizes of the output are rounded.
    pub output_shape_rounding: MLRoundingType,
    /// The height and width of the output; calculated if not given.
    pub output_sizes: Option<Vec<u32>>,
}

impl Options for MLPool2dOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            window_dimensions: members.optional("windowDimensions")?,
            padding: members.optional("padding")?,
            strides: members.optional("strides")?,
            dilations: members.optional("dilations")?,
            layout: members.or("layout", MLInputOperandLayout::default())?,
            output_shape_rounding: members.or("outputShapeRounding", MLRoundingType::default())?,
            output_sizes: members.optional("outputSizes")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-pooling-averagepool2d-l2pool2d>
pub const LIMITS_AVERAGE_L2: TensorLimits = TensorLimits {
    table: "tensor-limits-pooling-averagepool2d-l2pool2d",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
    ],
};

/// <https://www.w3.org/TR/webnn/#tensor-limits-pooling-maxpool2d>
pub const LIMITS_MAX: TensorLimits = TensorLimits {
    table: "tensor-limits-pooling-maxpool2d",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Any,
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
    ],
};

type Call = fn(&MLGraphBuilder, &Arguments<'_>) -> Result<Vec<MLOperand>>;

const fn row(name: &'static str, limits: &'static TensorLimits, call: Call) -> OperatorRow {
    OperatorRow { name, section: "api-mlgraphbuilder-pool2d", parameters: &["input", "options"], call, limits }
}

/// averagePool2d
pub const AVERAGE_POOL2D: OperatorRow =
    row("averagePool2d", &LIMITS_AVERAGE_L2, |b, x| Ok(vec![b.average_pool2d(&x.get("input")?, &x.options()?)?]));
/// l2Pool2d
pub const L2_POOL2D: OperatorRow =
    row("l2Pool2d", &LIMITS_AVERAGE_L2, |b, x| Ok(vec![b.l2_pool2d(&x.get("input")?, &x.options()?)?]));
/// maxPool2d
pub const MAX_POOL2D: OperatorRow =
    row("maxPool2d", &LIMITS_MAX, |b, x| Ok(vec![b.max_pool2d(&x.get("input")?, &x.options()?)?]));

/// The parameters of a pooling operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool2d {
    /// Which operation.
    pub pooling: Pooling,
    /// The height and width of the window.
    pub window_dimensions: [u32; 2],
    /// The padding at the top, at the bottom, on the left and on the right.
    pub padding: [u32; 4],
    /// How far the window moves down and to the right.
    pub strides: [u32; 2],
    /// How far apart the rows and the columns of the window are.
    pub dilations: [u32; 2],
    /// The layout of the input and the output.
    pub layout: MLInputOperandLayout,
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-pooling-op>
    fn create_pooling_operation(
        &self,
        op: Pooling,
        input: &MLOperand,
        options: &MLPool2dOptions,
        allowed_data_types: Option<&[MLOperandDataType]>,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder/create a pooling operation", self, options.label);
        step!("1"); // BY TYPE: Pooling has no other.
        step!("2");
        self.ensure_can_build()?;
        step!("3");
        self.ensure_operands([input])?;
        step!("4");
        if allowed_data_types.is_some_and(|allowed| !allowed.contains(&input.data_type())) {
            throw!(TypeError, "the input of {} can not be {}", op.as_str(), input.data_type());
        }
        step!("5");
        if !LIMITS_MAX.allows_rank("input", input) {
            throw!(TypeError, "the input has rank {}, not 4", input.rank());
        }
        step!("6");
        let [batches, channels, input_height, input_width] = options.layout.to_nchw(four_dimensions(input));
        step!("7");
        let window_dimensions = options.window_dimensions.clone().unwrap_or_else(|| vec![input_height, input_width]);
        step!("8");
        let Ok(window_dimensions) = <[u32; 2]>::try_from(window_dimensions) else {
            throw!(TypeError, "windowDimensions needs 2 items");
        };
        step!("9");
        if window_dimensions.contains(&0) {
            throw!(TypeError, "a dimension of the window is 0");
        }
        step!("10");
        let is_overwritten = options.output_sizes.is_some() && literal!("pool2d-padding-overwritten");
        let padding = options.padding.clone().filter(|_| !is_overwritten).unwrap_or_else(|| vec![0; 4]);
        step!("11");
        let Ok(padding) = <[u32; 4]>::try_from(padding) else {
            throw!(TypeError, "padding needs 4 items");
        };
        step!("12");
        let strides = options.strides.clone().unwrap_or_else(|| vec![1; 2]);
        step!("13");
        let Ok(strides) = <[u32; 2]>::try_from(strides) else {
            throw!(TypeError, "strides needs 2 items");
        };
        step!("14");
        if strides.contains(&0) {
            throw!(TypeError, "a stride is 0");
        }
        step!("15");
        let mut output_sizes = None;
        if let Some(given) = &options.output_sizes {
            step!("15.1");
            let Ok(sizes) = <[u32; 2]>::try_from(given.as_slice()) else {
                throw!(TypeError, "outputSizes needs 2 items");
            };
            step!("15.2");
            let are_smaller = sizes[0] < strides[0] && sizes[1] < strides[1];
            if literal!("pool2d-output-sizes-smaller-than-strides") && !are_smaller {
                throw!(TypeError, "outputSizes {sizes:?} are not smaller than strides {strides:?}");
            }
            output_sizes = Some(sizes);
        }
        step!("16");
        let dilations = options.dilations.clone().unwrap_or_else(|| vec![1; 2]);
        step!("17");
        let Ok(dilations) = <[u32; 2]>::try_from(dilations) else {
            throw!(TypeError, "dilations needs 2 items");
        };
        step!("18");
        if dilations.contains(&0) {
            throw!(TypeError, "a dilation is 0");
        }
        step!("19");
        let mut desc = input.descriptor();
        step!("20");
        step!("20.1"); // BY TYPE: windowDimensions is a pair.
        step!("20.2");
        let [calculated_output_height, calculated_output_width] =
            calculate_conv2d_output_sizes([input_height, input_width], window_dimensions, padding, strides, dilations);
        let (output_height, output_width);
        step!("20.3");
        if let Some(sizes) = output_sizes {
            step!("20.3.1");
            (output_height, output_width) = (i128::from(sizes[0]), i128::from(sizes[1]));
            step!("20.3.2");
            let floors = (calculated_output_height.floor(), calculated_output_width.floor());
            let ceils = (calculated_output_height.ceil(), calculated_output_width.ceil());
            if (output_height, output_width) != floors && (output_height, output_width) != ceils {
                throw!(TypeError, "outputSizes {sizes:?} are neither {floors:?} nor {ceils:?}, as calculated");
            }
        } else {
            step!("20.4");
            step!("20.4.1");
            step!("20.4.2");
            match options.output_shape_rounding {
                MLRoundingType::Floor => {
                    step!("20.4.2.1");
                    output_width = calculated_output_width.floor();
                    step!("20.4.2.2");
                    output_height = calculated_output_height.floor();
                }
                MLRoundingType::Ceil => {
                    step!("20.4.2.3");
                    output_width = calculated_output_width.ceil();
                    step!("20.4.2.4");
                    output_height = calculated_output_height.ceil();
                }
            }
        }
        step!("20.5");
        let (Some(output_height), Some(output_width)) = (valid_dimension(output_height), valid_dimension(output_width))
        else {
            throw!(TypeError, "the output would be {output_height} high and {output_width} wide");
        };
        step!("20.6");
        let output_shape = options.layout.from_nchw([batches, channels, output_height, output_width]);
        step!("20.7");
        desc.shape = output_shape.to_vec();
        self.ensure_output(&desc)?;
        step!("21");
        step!("21.1");
        let output = self.create_operand(desc);
        step!("21.2");
        let pool2d = Pool2d { pooling: op, window_dimensions, padding, strides, dilations, layout: options.layout };
        let operator = self.create_operator(Operation::Pool2d(pool2d), &options.label);
        step!("21.3");
        output.set_operator(operator);
        step!("21.4");
        self.set_inputs(operator, [input]);
        step!("21.5");
        self.set_outputs(operator, [&output]);
        step!("22");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-averagepool2d>
    ///
    /// # Errors
    /// Those of [creating a pooling operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-pooling-op).
    pub fn average_pool2d(&self, input: &MLOperand, options: &MLPool2dOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.averagePool2d(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_pooling_operation(Pooling::AveragePool2d, input, options, Some(FLOATS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-l2pool2d>
    ///
    /// # Errors
    /// Those of [creating a pooling operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-pooling-op).
    pub fn l2_pool2d(&self, input: &MLOperand, options: &MLPool2dOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.l2Pool2d(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_pooling_operation(Pooling::L2Pool2d, input, options, Some(FLOATS))?;
        step!("2");
        Ok(output)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-maxpool2d>
    ///
    /// # Errors
    /// Those of [creating a pooling operation](https://www.w3.org/TR/webnn/#mlgraphbuilder-pooling-op).
    pub fn max_pool2d(&self, input: &MLOperand, options: &MLPool2dOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.maxPool2d(input, options)", self, options.label);
        step!("1");
        step!("1.1");
        let output = self.create_pooling_operation(Pooling::MaxPool2d, input, options, None)?;
        step!("2");
        Ok(output)
    }
}

impl Pool2d {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        match self.pooling {
            Pooling::AveragePool2d => for_float_type!(bound.input(0), input => self.pool(input, bound, average)),
            Pooling::L2Pool2d => for_float_type!(bound.input(0), input => self.pool(input, bound, l2)),
            Pooling::MaxPool2d => for_each_type!(bound.input(0), input => self.pool(input, bound, greatest)),
        }
    }

    fn pool<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>, reduce: impl Fn(&[T]) -> T) -> Computed {
        let mut output = filled(&bound.output().shape, T::default())?;
        let output_shape = output.shape().to_vec();
        let y = output.as_slice_mut().expect("a new array is contiguous");
        self.windows(elements(input), [input.shape(), &output_shape], |index, window| y[index] = reduce(window))?;
        Ok(output.into())
    }

    /// Gives the elements of a window that lie inside the input, for each element of the output, by its index. The shapes
    /// are those of the input and the output.
    pub(crate) fn windows<T: Copy>(
        &self,
        x: &[T],
        [input, output]: [&[usize]; 2],
        mut reduce: impl FnMut(usize, &[T]),
    ) -> Computed<()> {
        let [_, _, input_height, input_width] = self.layout.to_nchw(four(input));
        let rows = Sliding {
            input_size: input_height,
            window_size: size(self.window_dimensions[0]),
            beginning_padding: size(self.padding[0]),
            stride: size(self.strides[0]),
            dilation: size(self.dilations[0]),
        };
        let columns = Sliding {
            input_size: input_width,
            window_size: size(self.window_dimensions[1]),
            beginning_padding: size(self.padding[2]),
            stride: size(self.strides[1]),
            dilation: size(self.dilations[1]),
        };
        let [batches, channels, output_height, output_width] = self.layout.to_nchw(four(output));
        let [input_n, input_c, input_h, input_w] = self.layout.to_nchw(four(&strides(input)));
        let [output_n, output_c, output_h, output_w] = self.layout.to_nchw(four(&strides(output)));
        let mut window: Vec<T> = reserved(input_height * input_width)?;
        for batch in 0..batches {
            for channel in 0..channels {
                let input_plane = batch * input_n + channel * input_c;
                let output_plane = batch * output_n + channel * output_c;
                for row in 0..output_height {
                    for column in 0..output_width {
                        window.clear();
                        for (_, input_row) in rows.inside(row) {
                            let input_row = input_plane + input_row * input_h;
                            let inside = columns.inside(column);
                            window.extend(inside.map(|(_, input_column)| x[input_row + input_column * input_w]));
                        }
                        reduce(output_plane + row * output_h + column * output_w, &window);
                    }
                }
            }
        }
        Ok(())
    }
}

// What a window in the padding counts for is left open by the specification, as is a window of which nothing lies inside
// the input: "ceil", or more padding than the window is high or wide, can make one. By WPT's vectors, padding is not
// counted; so nothing is left to count there, and the formulas give 0 / 0, the square root of 0, and the least value.

/// The mean of the elements; NaN if there are none.
fn average<T: FloatStored>(window: &[T]) -> T {
    T::rounded(sum(window.iter().map(|x| x.number())) / count(window.len()))
}

/// The square root of the sum of the squares.
fn l2<T: FloatStored>(window: &[T]) -> T {
    T::rounded(sum(window.iter().map(|x| x.number() * x.number())).sqrt())
}

/// The greatest element, or NaN if one of them is; if there are none, the least value of the type.
fn greatest<T: Element>(window: &[T]) -> T {
    window.iter().map(|x| x.number()).reduce(maximum).map_or(T::LEAST, T::rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;
    use crate::value::Value;

    fn square(side: u32) -> MLPool2dOptions {
        MLPool2dOptions { window_dimensions: Some(vec![side; 2]), ..Default::default() }
    }

    #[test]
    fn padding_does_not_count() -> Result<()> {
        let options = MLPool2dOptions { padding: Some(vec![1, 0, 1, 0]), ..square(2) };
        let input = |b: &_| constant(b, &[1, 1, 2, 2], &[-1f32, -2.0, -3.0, -6.0]);
        let shape = [1, 1, 2, 2];
        let average = computed(|b| b.average_pool2d(&input(b), &options))?;
        assert_eq!(average, value(&shape, &[-1f32, -1.5, -2.0, -3.0]));
        let max = computed(|b| b.max_pool2d(&input(b), &options))?;
        assert_eq!(max, value(&shape, &[-1f32, -1.0, -1.0, -1.0]));
        let l2 = computed(|b| b.l2_pool2d(&input(b), &options))?;
        assert_eq!(l2, value(&shape, &[1f32, 5f32.sqrt(), 10f32.sqrt(), 50f32.sqrt()]));
        Ok(())
    }

    #[test]
    fn a_window_of_padding_alone_has_the_average_of_nothing_and_no_maximum() -> Result<()> {
        // The second window begins where the input has ended, which "ceil" allows.
        let options = MLPool2dOptions {
            strides: Some(vec![1, 3]),
            padding: Some(vec![0, 0, 0, 2]),
            output_shape_rounding: MLRoundingType::Ceil,
            ..square(1)
        };
        let average = computed(|b| b.average_pool2d(&constant(b, &[1, 1, 1, 1], &[7f32]), &options))?;
        let Value::Float32(average) = average else { panic!("{average:?}") };
        assert!(average[[0, 0, 0, 0]] == 7.0 && average[[0, 0, 0, 1]].is_nan());
        let max = computed(|b| b.max_pool2d(&constant(b, &[1, 1, 1, 1], &[7i32]), &options))?;
        assert_eq!(max, value(&[1, 1, 1, 2], &[7, i32::MIN]));
        Ok(())
    }

    #[test]
    fn the_maximum_is_nan_wherever_nan_stands_and_exact_for_64_bits() -> Result<()> {
        for input in [[f32::NAN, 1.0], [1.0, f32::NAN]] {
            let max = computed(|b| b.max_pool2d(&constant(b, &[1, 1, 1, 2], &input), &MLPool2dOptions::default()))?;
            let Value::Float32(max) = max else { panic!("{max:?}") };
            assert!(max[[0, 0, 0, 0]].is_nan());
        }
        let input = [(1u64 << 60) + 1, 1 << 60];
        let max = computed(|b| b.max_pool2d(&constant(b, &[1, 1, 1, 2], &input), &MLPool2dOptions::default()))?;
        assert_eq!(max, value(&[1, 1, 1, 1], &[(1u64 << 60) + 1]));
        Ok(())
    }

    #[test]
    fn a_window_that_is_billions_wide_is_looked_at_only_where_the_input_is() -> Result<()> {
        let options = MLPool2dOptions {
            window_dimensions: Some(vec![4_000_000_000, 1]),
            padding: Some(vec![4_000_000_000, 0, 0, 0]),
            layout: MLInputOperandLayout::Nhwc,
            ..Default::default()
        };
        let output = computed(|b| b.average_pool2d(&constant(b, &[1, 1, 2, 1], &[1f32, 2.0]), &options))?;
        let Value::Float32(output) = output else { panic!("{output:?}") };
        assert!(output[[0, 0, 0, 0]].is_nan() && output[[0, 1, 1, 0]] == 2.0);
        Ok(())
    }

    #[test]
    fn output_sizes_are_both_floors_or_both_ceils_and_keep_the_padding() -> Result<()> {
        let options = |output_sizes: [u32; 2]| MLPool2dOptions {
            padding: Some(vec![1, 0, 0, 1]),
            strides: Some(vec![2, 2]),
            output_sizes: Some(output_sizes.to_vec()),
            ..square(2)
        };
        for reading in [Reading::Corrected, Reading::Literal] {
            let b = builder(reading);
            let input = zeros::<f32>(&b, &[1, 1, 4, 4]);
            let shape_or_step = |sizes| match b.max_pool2d(&input, &options(sizes)) {
                Ok(output) => (output.shape(), ""),
                Err(exception) => (vec![], exception.step),
            };
            let (floors, ceils, mixed) = (shape_or_step([2, 2]), shape_or_step([3, 3]), shape_or_step([2, 3]));
            match reading {
                Reading::Corrected => {
                    assert_eq!(
                        (floors, ceils, mixed),
                        ((vec![1, 1, 2, 2], ""), (vec![1, 1, 3, 3], ""), (vec![], "20.3.2"))
                    );
                }
                Reading::Literal => assert_eq!([floors, ceils, mixed], [const { (vec![], "15.2") }; 3]),
            }
        }
        // Smaller than its strides, an output is as the literal text has it: one window, of an input without padding.
        let b = builder(Reading::Literal);
        let wide = MLPool2dOptions { strides: Some(vec![3, 3]), padding: Some(vec![5; 4]), ..options([1, 1]) };
        assert_eq!(b.max_pool2d(&zeros::<f32>(&b, &[1, 1, 3, 3]), &wide)?.shape(), [1, 1, 1, 1]);
        Ok(())
    }
}
