//! resample2d: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method>.

use std::cmp::Ordering;
use std::num::Wrapping;

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, valid_dimension};
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::idl_enumeration;
use crate::index::{axes as axes_of, strides};
use crate::limits::{DataTypes, FLOATS, FLOATS_AND_BYTES, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, Integer, Number, signed, size, truncated};
use crate::operand::MLOperand;
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, Stored, array_by_index, elements, ensure_elements};
use crate::{algorithm, for_each_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#enumdef-mlinterpolationmode>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLInterpolationMode {
    /// The nearest element.
    #[default]
    NearestNeighbor,
    /// Between the two nearest elements along each axis.
    Linear,
}

impl MLInterpolationMode {
    /// Both, in the order of the IDL.
    pub const ALL: [Self; 2] = [Self::NearestNeighbor, Self::Linear];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NearestNeighbor => "nearest-neighbor",
            Self::Linear => "linear",
        }
    }
}

idl_enumeration!(MLInterpolationMode);

/// <https://www.w3.org/TR/webnn/#dictdef-mlresample2doptions>
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MLResample2dOptions {
    /// The operator's label.
    pub label: String,
    /// How elements are found.
    pub mode: MLInterpolationMode,
    /// How many times larger the output is along each of the axes; 1 if not given.
    pub scales: Option<Vec<f32>>,
    /// The size of the output along each of the axes; calculated from the scales if not given.
    pub sizes: Option<Vec<u32>>,
    /// The two axes; the last two if not given.
    pub axes: Option<Vec<u32>>,
}

impl Options for MLResample2dOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            mode: members.or("mode", MLInterpolationMode::default())?,
            scales: members.optional("scales")?,
            sizes: members.optional("sizes")?,
            axes: members.optional("axes")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-resample2d>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-resample2d",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS_AND_BYTES),
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

/// resample2d
pub const RESAMPLE2D: OperatorRow = OperatorRow {
    name: "resample2d",
    section: "api-mlgraphbuilder-resample2d-method",
    parameters: &["input", "options"],
    call: |b, x| Ok(vec![b.resample2d(&x.get("input")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a resample2d. The shapes of the input and the output say how far it is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resample2d {
    /// How elements are found.
    pub mode: MLInterpolationMode,
    /// The two axes.
    pub axes: [u32; 2],
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-resample2d>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if the input belongs to another builder, its data type
    /// or rank is not allowed, a list has not two items, the axes are not distinct axes of the input, or the output would
    /// have no valid size.
    pub fn resample2d(&self, input: &MLOperand, options: &MLResample2dOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.resample2d(input, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input])?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        if !LIMITS.allows_rank("input", input) {
            throw!(TypeError, "the input has rank {}, not 4", input.rank());
        }
        step!("5");
        let scales = options.scales.clone().unwrap_or_else(|| vec![1.0; 2]);
        step!("6");
        if scales.iter().any(|scale| *scale <= 0.0) || scales.len() != 2 {
            throw!(TypeError, "scales {scales:?} are not two positive numbers");
        }
        step!("7");
        if let Some(sizes) = &options.sizes
            && (sizes.len() != 2 || sizes.contains(&0))
        {
            throw!(TypeError, "sizes {sizes:?} are not two positive numbers");
        }
        step!("8");
        let mut axes = options.axes.clone().unwrap_or_else(|| vec![2, 3]);
        step!("9");
        let of_input = axes_of(input.rank());
        let are_distinct = axes.iter().enumerate().all(|(index, axis)| !axes[..index].contains(axis));
        if !are_distinct || axes.iter().any(|axis| !of_input.contains(axis)) {
            throw!(TypeError, "axes {axes:?} are not distinct axes of {}", input.descriptor());
        }
        if !literal!("resample2d-axes-size-unchecked") && axes.len() != 2 {
            throw!(TypeError, "axes needs 2 items, not {}", axes.len());
        }
        step!("10");
        step!("10.1");
        let input_descriptor = input.descriptor();
        step!("10.2");
        let mut output_shape = input_descriptor.shape.clone();
        step!("10.3");
        for (index, axis) in axes.iter().copied().enumerate() {
            let size_of_output;
            if let Some(sizes) = &options.sizes {
                step!("10.3.1");
                size_of_output = sizes.get(index).copied().map(i128::from);
            } else {
                step!("10.3.2");
                size_of_output = scales.get(index).map(|scale| floor_of_product(input.shape()[size(axis)], *scale));
            }
            let Some(size_of_output) = size_of_output else {
                throw!(TypeError, "there are more axes than sizes or scales");
            };
            step!("10.3.3");
            let Some(size_of_output) = valid_dimension(size_of_output) else {
                throw!(TypeError, "the output would have {size_of_output} elements along axis {axis}");
            };
            step!("10.3.4");
            output_shape[size(axis)] = size_of_output;
        }
        step!("10.4");
        let desc = MLOperandDescriptor::create(input_descriptor.data_type, &output_shape);
        self.ensure_output(&desc)?;
        step!("11");
        step!("11.1");
        let output = self.create_operand(desc);
        step!("11.2");
        // The literal text may have fewer than two axes. Along any other, the output is as large as the input.
        let others = of_input.into_iter().filter(|axis| !axes.contains(axis)).collect::<Vec<_>>();
        axes.extend(others);
        let resample2d = Resample2d { mode: options.mode, axes: [axes[0], axes[1]] };
        let operator = self.create_operator(Operation::Resample2d(resample2d), &options.label);
        step!("11.3");
        output.set_operator(operator);
        step!("11.4");
        self.set_inputs(operator, [input]);
        step!("11.5");
        self.set_outputs(operator, [&output]);
        step!("12");
        Ok(output)
    }
}

/// floor(dimension * scale), exactly, for a positive scale.
fn floor_of_product(dimension: u32, scale: f32) -> i128 {
    let (dimension, scale) = (Float::from(dimension), Float::from(scale));
    let product = dimension * scale;
    // The product may have 56 bits, and may have been rounded to the next integer above it.
    let is_rounded_up = dimension.mul_add(scale, -product) < 0.0;
    let floor = truncated(product).0;
    if is_rounded_up && product.fract() == 0.0 { floor - 1 } else { floor }
}

/// Where an element of the output lies among those of the input along one axis: the section's `inputCoordinate`, as the
/// fraction that it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinate {
    numerator: i128,
    denominator: i128,
}

impl Coordinate {
    /// clamp((coordinate + 0.5) / scale - 0.5, 0, input size - 1), where scale is output size / input size, also if the
    /// option `scales` gives a number that is not.
    pub(crate) fn new(output_coordinate: usize, input_size: usize, output_size: usize) -> Self {
        let (input_size, output_size) = (signed(input_size), signed(output_size));
        let numerator = (2 * signed(output_coordinate) + 1) * input_size - output_size;
        let denominator = 2 * output_size;
        Self { numerator: numerator.min((input_size - 1) * denominator).max(0), denominator }
    }

    /// The element that is nearest, the lower one of two: ceil(coordinate - 0.5).
    pub(crate) fn nearest(self) -> usize {
        place(-(self.denominator - 2 * self.numerator).div_euclid(2 * self.denominator))
    }

    /// The nearest double.
    pub(crate) fn to_f64(self) -> Float {
        let float = |integer| Wrapping(integer).to_f64();
        float(self.numerator) / float(self.denominator)
    }

    /// floor(coordinate) and ceil(coordinate).
    pub(crate) fn both_sides(self) -> [usize; 2] {
        let floor = self.numerator / self.denominator;
        [place(floor), place(floor + i128::from(self.rest() > 0))]
    }

    /// The numerator of coordinate - floor(coordinate).
    fn rest(self) -> i128 {
        self.numerator % self.denominator
    }
}

/// An index that lies inside the input.
fn place(index: i128) -> usize {
    usize::try_from(index).expect("a coordinate is clamped to the input")
}

impl Resample2d {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_each_type!(bound.input(0), input => self.resample(input, bound))
    }

    fn resample<T: Stored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed
    where
        T::Number: Interpolated,
    {
        let shape = &bound.output().shape;
        ensure_elements(input, shape)?;
        let x = elements(input);
        let strides = strides(input.shape());
        let axes = self.axes.map(size);
        let coordinates = |axis: usize| {
            let output_size = size(shape[axis]);
            (0..output_size).map(|index| Coordinate::new(index, input.shape()[axis], output_size)).collect::<Vec<_>>()
        };
        let [rows, columns] = axes.map(coordinates);
        let output = array_by_index(shape, |index| {
            let kept = (0..index.len()).filter(|axis| !axes.contains(axis));
            let base: usize = kept.map(|axis| index[axis] * strides[axis]).sum();
            let at = |row, column| x[base + row * strides[axes[0]] + column * strides[axes[1]]];
            let (row, column) = (rows[index[axes[0]]], columns[index[axes[1]]]);
            match self.mode {
                MLInterpolationMode::NearestNeighbor => at(row.nearest(), column.nearest()),
                MLInterpolationMode::Linear => {
                    let [left, right] = column.both_sides();
                    let corners = row.both_sides().map(|row| [at(row, left).number(), at(row, right).number()]);
                    T::rounded(T::Number::interpolated(corners, row, column))
                }
            }
        });
        Ok(output?.into())
    }
}

/// Numbers between which others can be found.
trait Interpolated: Number {
    /// The number at a place between four: in two rows, and in each on the left and on the right.
    fn interpolated(corners: [[Self; 2]; 2], row: Coordinate, column: Coordinate) -> Self;
}

impl Interpolated for Float {
    /// The section's formula, over the common denominator of the weights, so that nothing is rounded that need not be. An
    /// infinity whose weight is 0 makes NaN.
    fn interpolated(corners: [[Self; 2]; 2], row: Coordinate, column: Coordinate) -> Self {
        let float = |integer| Wrapping(integer).to_f64();
        let between = |[a, b]: [Self; 2], of: Coordinate| a * float(of.denominator - of.rest()) + b * float(of.rest());
        between(corners.map(|row| between(row, column)), row) / float(row.denominator * column.denominator)
    }
}

impl Interpolated for Integer {
    /// The integer nearest to what the section's formula gives, the even one of two. How it is rounded is left open by the
    /// specification.
    fn interpolated(corners: [[Self; 2]; 2], row: Coordinate, column: Coordinate) -> Self {
        let between = |[a, b]: [i128; 2], of: Coordinate| a * (of.denominator - of.rest()) + b * of.rest();
        let numerator = between(corners.map(|row| between(row.map(|corner| corner.0), column)), row);
        let denominator = row.denominator * column.denominator;
        let (floor, rest) = (numerator.div_euclid(denominator), numerator.rem_euclid(denominator));
        let is_nearer_to_ceil = match (2 * rest).cmp(&denominator) {
            Ordering::Less => false,
            Ordering::Equal => floor % 2 != 0,
            Ordering::Greater => true,
        };
        Wrapping(floor + i128::from(is_nearer_to_ceil))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    fn sizes(sizes: [u32; 2]) -> MLResample2dOptions {
        MLResample2dOptions { sizes: Some(sizes.to_vec()), ..Default::default() }
    }

    #[test]
    fn linear_is_the_example_of_the_section() -> Result<()> {
        let rows = |rows: &[f32], row: &[f32]| -> Vec<f32> {
            rows.iter().flat_map(|first| row.iter().map(move |offset| first + offset)).collect()
        };
        let input = rows(&[0.0, 0.0, 12.0, 12.0], &[0.0, 1.0, 2.0, 3.0]);
        let expected =
            rows(&[0.0, 0.0, 0.0, 3.0, 9.0, 12.0, 12.0, 12.0], &[0.0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.0]);
        let linear = MLResample2dOptions { mode: MLInterpolationMode::Linear, ..sizes([8, 8]) };
        let output = computed(|b| b.resample2d(&constant(b, &[1, 1, 4, 4], &input), &linear))?;
        assert_eq!(output, value(&[1, 1, 8, 8], &expected));
        let last_first = MLResample2dOptions { axes: Some(vec![1, 0]), ..linear };
        let output = computed(|b| b.resample2d(&constant(b, &[4, 4, 1, 1], &input), &last_first))?;
        assert_eq!(output, value(&[8, 8, 1, 1], &expected));
        Ok(())
    }

    #[test]
    fn the_lower_of_two_neighbors_is_the_nearest() -> Result<()> {
        // By hand: the coordinates are 0.5 and 2.5; and -0.1875 (clamped), 0.4375, 1.0625, .., 4.1875 (clamped).
        let input = |b: &_| constant(b, &[1, 1, 1, 4], &[0u8, 1, 2, 3]);
        let output = computed(|b| b.resample2d(&input(b), &sizes([1, 2])))?;
        assert_eq!(output, value(&[1, 1, 1, 2], &[0u8, 2]));
        let input = |b: &_| constant(b, &[1, 1, 1, 5], &[0i8, 1, 2, 3, 4]);
        let output = computed(|b| b.resample2d(&input(b), &sizes([1, 8])))?;
        assert_eq!(output, value(&[1, 1, 1, 8], &[0i8, 0, 1, 2, 2, 3, 4, 4]));
        Ok(())
    }

    #[test]
    fn integers_between_two_are_rounded_to_even() -> Result<()> {
        let linear = MLResample2dOptions { mode: MLInterpolationMode::Linear, ..sizes([1, 1]) };
        // The coordinate of the only element is 0.5.
        for (input, expected) in [([-3i8, -2], -2i8), ([-2, -1], -2), ([1, 2], 2), ([127, 127], 127)] {
            let output = computed(|b| b.resample2d(&constant(b, &[1, 1, 1, 2], &input), &linear))?;
            assert_eq!(output, value(&[1, 1, 1, 1], &[expected]));
        }
        Ok(())
    }

    #[test]
    fn the_size_of_a_scaled_output_is_exact() {
        assert_eq!(floor_of_product(3, 1.5), 4);
        assert_eq!(floor_of_product(1, 0.999_999_94), 0);
        // (2^31 - 1) (1 - 2^-24) = 2^31 - 129 + 2^-24, and (2^30 + 1) (2 - 2^-23) = 2^31 - 126 - 2^-23
        assert_eq!(floor_of_product(0x7fff_ffff, 1.0 - f32::EPSILON / 2.0), 0x7fff_ffff - 128);
        assert_eq!(floor_of_product((1 << 30) + 1, 2.0 - f32::EPSILON), (1 << 31) - 127);
    }

    #[test]
    fn scales_sizes_and_axes_are_checked() -> Result<()> {
        let b = builder(Reading::Corrected);
        let input = zeros::<f32>(&b, &[1, 1, 2, 3]);
        let step = |options: &MLResample2dOptions| b.resample2d(&input, options).unwrap_err().step;
        let scales = |scales: &[f32]| MLResample2dOptions { scales: Some(scales.to_vec()), ..Default::default() };
        let axes = |axes: &[u32]| MLResample2dOptions { axes: Some(axes.to_vec()), ..Default::default() };
        assert_eq!(b.resample2d(&input, &scales(&[1.5, 0.7]))?.shape(), [1, 1, 3, 2]);
        assert_eq!(step(&scales(&[1.0, 0.0])), "6");
        assert_eq!(step(&scales(&[1.0])), "6");
        assert_eq!(step(&sizes([1, 0])), "7");
        assert_eq!(step(&scales(&[0.4, 1.0])), "10.3.3");
        assert_eq!(step(&scales(&[f32::MAX, 1.0])), "10.3.3");
        assert_eq!(step(&axes(&[2, 2])), "9");
        assert_eq!(step(&axes(&[2, 4])), "9");
        assert_eq!(step(&axes(&[2])), "9");
        assert_eq!(step(&axes(&[1, 2, 3])), "9");
        // By the literal text, one axis is as good as two, but three have no scales.
        let b = builder(Reading::Literal);
        let input = zeros::<f32>(&b, &[1, 1, 2, 3]);
        let one = MLResample2dOptions { axes: Some(vec![3]), ..sizes([6, 1]) };
        assert_eq!(b.resample2d(&input, &one)?.shape(), [1, 1, 2, 6]);
        assert_eq!(b.resample2d(&input, &axes(&[1, 2, 3])).unwrap_err().step, "10.3.2");
        Ok(())
    }
}
