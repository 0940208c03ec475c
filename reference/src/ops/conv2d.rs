//! conv2d: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d>.

use ndarray::ArrayD;

use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, valid_dimension};
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::idl_enumeration;
use crate::index::{Sliding, strides};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, Fraction, size};
use crate::operand::{MLOperand, OperandId};
use crate::ops::{Bound, MLInputOperandLayout, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, filled, numbers};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#enumdef-mlconv2dfilteroperandlayout>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLConv2dFilterOperandLayout {
    /// Output channels, input channels of a group, height, width.
    #[default]
    Oihw,
    /// Height, width, input channels of a group, output channels.
    Hwio,
    /// Output channels, height, width, input channels of a group.
    Ohwi,
    /// Input channels of a group, height, width, output channels.
    Ihwo,
}

impl MLConv2dFilterOperandLayout {
    /// All layouts, in the order of the IDL.
    pub const ALL: [Self; 4] = [Self::Oihw, Self::Hwio, Self::Ohwi, Self::Ihwo];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Oihw => "oihw",
            Self::Hwio => "hwio",
            Self::Ohwi => "ohwi",
            Self::Ihwo => "ihwo",
        }
    }

    /// What belongs to the axes of a filter in this layout, in the order output channels, input channels, height, width.
    pub fn to_oihw<T>(self, of_axes: [T; 4]) -> [T; 4] {
        match (self, of_axes) {
            (Self::Oihw, [o, i, h, w])
            | (Self::Hwio, [h, w, i, o])
            | (Self::Ohwi, [o, h, w, i])
            | (Self::Ihwo, [i, h, w, o]) => [o, i, h, w],
        }
    }
}

idl_enumeration!(MLConv2dFilterOperandLayout);

/// <https://www.w3.org/TR/webnn/#dictdef-mlconv2doptions>
#[derive(Clone, Debug)]
pub struct MLConv2dOptions {
    /// The operator's label.
    pub label: String,
    /// The padding at the top, at the bottom, on the left and on the right; 0 if not given.
    pub padding: Option<Vec<u32>>,
    /// How far the filter moves down and to the right; 1 if not given.
    pub strides: Option<Vec<u32>>,
    /// How far apart the rows and the columns are to which the filter is applied; 1 if not given.
    pub dilations: Option<Vec<u32>>,
    /// The number of groups into which the channels are divided.
    pub groups: u32,
    /// The layout of the input and the output.
    pub input_layout: MLInputOperandLayout,
    /// The layout of the filter.
    pub filter_layout: MLConv2dFilterOperandLayout,
    /// What is added to each output channel; nothing if not given.
    pub bias: Option<MLOperand>,
}

impl Default for MLConv2dOptions {
    fn default() -> Self {
        Self {
            label: String::new(),
            padding: None,
            strides: None,
            dilations: None,
            groups: 1,
            input_layout: MLInputOperandLayout::default(),
            filter_layout: MLConv2dFilterOperandLayout::default(),
            bias: None,
        }
    }
}

impl Options for MLConv2dOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            padding: members.optional("padding")?,
            strides: members.optional("strides")?,
            dilations: members.optional("dilations")?,
            groups: members.or("groups", 1)?,
            input_layout: members.or("inputLayout", MLInputOperandLayout::default())?,
            filter_layout: members.or("filterLayout", MLConv2dFilterOperandLayout::default())?,
            bias: members.optional("bias")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-conv2d>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-conv2d",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
        OperandLimits {
            operand: "filter",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(4, 4),
            required_ranks: (4, 4),
        },
        OperandLimits {
            operand: "bias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
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

/// conv2d
pub const CONV2D: OperatorRow = OperatorRow {
    name: "conv2d",
    section: "api-mlgraphbuilder-conv2d",
    parameters: &["input", "filter", "options"],
    call: |b, x| Ok(vec![b.conv2d(&x.get("input")?, &x.get("filter")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a conv2d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv2d {
    /// What is added to each output channel, the third of the operator's inputs.
    pub bias: Option<OperandId>,
    /// The padding at the top, at the bottom, on the left and on the right.
    pub padding: [u32; 4],
    /// How far the filter moves down and to the right.
    pub strides: [u32; 2],
    /// How far apart the rows and the columns are to which the filter is applied.
    pub dilations: [u32; 2],
    /// The number of groups into which the channels are divided.
    pub groups: u32,
    /// The layout of the input and the output.
    pub input_layout: MLInputOperandLayout,
    /// The layout of the filter.
    pub filter_layout: MLConv2dFilterOperandLayout,
}

/// <https://www.w3.org/TR/webnn/#mlgraphbuilder-calculate-conv-output-size>
///
/// The number may be negative, where the filter is larger than the padded input.
fn calculate_conv_output_size(
    input_size: u32,
    filter_size: u32,
    beginning_padding: u32,
    ending_padding: u32,
    stride: u32,
    dilation: u32,
) -> Fraction {
    algorithm!("MLGraphBuilder/calculate conv output size");
    step!("1");
    let effective_filter_size = (i128::from(filter_size) - 1) * i128::from(dilation) + 1;
    step!("2");
    let padding = i128::from(beginning_padding) + i128::from(ending_padding);
    let output_size = Fraction::new(i128::from(input_size) - effective_filter_size + padding, stride) + 1;
    step!("3");
    output_size
}

/// <https://www.w3.org/TR/webnn/#mlgraphbuilder-calculate-conv2d-output-sizes>
pub(super) fn calculate_conv2d_output_sizes(
    [input_height, input_width]: [u32; 2],
    [filter_height, filter_width]: [u32; 2],
    padding: [u32; 4],
    strides: [u32; 2],
    dilations: [u32; 2],
) -> [Fraction; 2] {
    algorithm!("MLGraphBuilder/calculate conv2d output sizes");
    step!("1");
    let output_height =
        calculate_conv_output_size(input_height, filter_height, padding[0], padding[1], strides[0], dilations[0]);
    step!("2");
    let output_width =
        calculate_conv_output_size(input_width, filter_width, padding[2], padding[3], strides[1], dilations[1]);
    step!("3");
    [output_height, output_width]
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-conv2d>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, an option is out of its range, or the shapes do not fit one another.
    pub fn conv2d(&self, input: &MLOperand, filter: &MLOperand, options: &MLConv2dOptions) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.conv2d(input, filter, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, filter].into_iter().chain(&options.bias))?;
        step!("3");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
        }
        step!("4");
        if !LIMITS.allows_rank("input", input) {
            throw!(TypeError, "the input has rank {}, not 4", input.rank());
        }
        step!("5");
        if !LIMITS.allows_rank("filter", filter) {
            throw!(TypeError, "the filter has rank {}, not 4", filter.rank());
        }
        step!("6");
        if !LIMITS.allows_data_type_as("filter", filter, input) {
            throw!(TypeError, "the filter is {} and the input {}", filter.data_type(), input.data_type());
        }
        step!("7");
        let padding = options.padding.clone().unwrap_or_else(|| vec![0; 4]);
        step!("8");
        let Ok(padding) = <[u32; 4]>::try_from(padding) else {
            throw!(TypeError, "padding needs 4 items");
        };
        step!("9");
        let strides = options.strides.clone().unwrap_or_else(|| vec![1; 2]);
        step!("10");
        let Ok(strides) = <[u32; 2]>::try_from(strides) else {
            throw!(TypeError, "strides needs 2 items");
        };
        step!("11");
        if strides.contains(&0) {
            throw!(TypeError, "a stride is 0");
        }
        step!("12");
        let dilations = options.dilations.clone().unwrap_or_else(|| vec![1; 2]);
        step!("13");
        let Ok(dilations) = <[u32; 2]>::try_from(dilations) else {
            throw!(TypeError, "dilations needs 2 items");
        };
        step!("14");
        if dilations.contains(&0) {
            throw!(TypeError, "a dilation is 0");
        }
        step!("15");
        let groups = options.groups;
        if groups == 0 {
            throw!(TypeError, "groups is 0");
        }
        step!("16");
        step!("16.1");
        let input_shape = four_dimensions(input);
        step!("16.2");
        let [batches, input_channels, input_height, input_width] = options.input_layout.to_nchw(input_shape);
        step!("16.3");
        let filter_shape = four_dimensions(filter);
        step!("16.4");
        let [output_channels, filter_input_channels, filter_height, filter_width] =
            options.filter_layout.to_oihw(filter_shape);
        step!("16.5");
        if !input_channels.is_multiple_of(groups) {
            throw!(TypeError, "{input_channels} input channels can not be divided into {groups} groups");
        }
        step!("16.6");
        if input_channels / groups != filter_input_channels {
            let of_group = input_channels / groups;
            throw!(TypeError, "the filter has {filter_input_channels} input channels, and a group {of_group}");
        }
        step!("16.7");
        if !output_channels.is_multiple_of(groups) {
            throw!(TypeError, "{output_channels} output channels can not be divided into {groups} groups");
        }
        step!("16.8");
        if let Some(bias) = &options.bias {
            step!("16.8.1");
            if !lists_are_equal(&bias.shape(), &[output_channels]) {
                throw!(TypeError, "the bias is {:?}, not [{output_channels}]", bias.shape());
            }
            step!("16.8.2");
            if !LIMITS.allows_data_type_as("bias", bias, input) {
                throw!(TypeError, "the bias is {} and the input {}", bias.data_type(), input.data_type());
            }
        }
        step!("16.9");
        let [output_height, output_width] = calculate_conv2d_output_sizes(
            [input_height, input_width],
            [filter_height, filter_width],
            padding,
            strides,
            dilations,
        );
        step!("16.10");
        let output_height = output_height.floor();
        step!("16.11");
        let output_width = output_width.floor();
        step!("16.12");
        let (Some(output_height), Some(output_width)) = (valid_dimension(output_height), valid_dimension(output_width))
        else {
            throw!(TypeError, "the output would be {output_height} high and {output_width} wide");
        };
        step!("16.13");
        let output_shape = options.input_layout.from_nchw([batches, output_channels, output_height, output_width]);
        step!("16.14");
        let desc = MLOperandDescriptor::create(input.data_type(), &output_shape);
        self.ensure_output(&desc)?;
        step!("17");
        step!("17.1");
        let output = self.create_operand(desc);
        step!("17.2");
        let conv2d = Conv2d {
            bias: options.bias.as_ref().map(MLOperand::id),
            padding,
            strides,
            dilations,
            groups,
            input_layout: options.input_layout,
            filter_layout: options.filter_layout,
        };
        let operator = self.create_operator(Operation::Conv2d(conv2d), &options.label);
        step!("17.3");
        output.set_operator(operator);
        step!("17.4");
        self.set_inputs(operator, [input, filter]);
        step!("17.5");
        if let Some(bias) = &options.bias {
            self.add_input(operator, bias);
        }
        step!("17.6");
        self.set_outputs(operator, [&output]);
        step!("18");
        Ok(output)
    }
}

/// The shape of an operand whose rank was checked.
pub(super) fn four_dimensions(operand: &MLOperand) -> [u32; 4] {
    operand.shape().try_into().expect("a step before has checked that the rank is 4")
}

/// The dimensions of an array whose rank was checked.
pub(crate) fn four<T>(of_axes: &[T]) -> [T; 4]
where
    T: Copy,
{
    of_axes.try_into().expect("validated as of rank 4")
}

impl Conv2d {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => self.convolve(input, bound))
    }

    /// The bias, and the sum of the products of the filter with what it meets inside the input. Each product is exact in
    /// binary64, as both factors have less than half as many bits; what lies in the padding adds nothing, not even where
    /// the filter is infinite.
    fn convolve<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let filter = T::array(bound.input(1));
        let biases = bound.optional(self.bias).map(|bias| numbers(&T::array(bias).view())).transpose()?;
        let mut output = filled(&bound.output().shape, T::default())?;
        let output_shape = output.shape().to_vec();
        let y = output.as_slice_mut().expect("a new array is contiguous");
        let (x, w) = (numbers(&input.view())?, numbers(&filter.view())?);
        self.sums(&x, &w, biases.as_deref(), [input.shape(), filter.shape(), &output_shape], |index, sum| {
            y[index] = T::rounded(sum);
        });
        Ok(output.into())
    }

    /// Gives the sum that each element of the output is, by its index, before it is rounded. The shapes are those of
    /// the input, the filter and the output.
    pub(crate) fn sums(
        &self,
        x: &[Float],
        w: &[Float],
        biases: Option<&[Float]>,
        [input, filter, output]: [&[usize]; 3],
        mut store: impl FnMut(usize, Float),
    ) {
        let [_, _, input_height, input_width] = self.input_layout.to_nchw(four(input));
        let [_, filter_channels, filter_height, filter_width] = self.filter_layout.to_oihw(four(filter));
        let rows = Sliding {
            input_size: input_height,
            window_size: filter_height,
            beginning_padding: size(self.padding[0]),
            stride: size(self.strides[0]),
            dilation: size(self.dilations[0]),
        };
        let columns = Sliding {
            input_size: input_width,
            window_size: filter_width,
            beginning_padding: size(self.padding[2]),
            stride: size(self.strides[1]),
            dilation: size(self.dilations[1]),
        };
        let [batches, output_channels, output_height, output_width] = self.input_layout.to_nchw(four(output));
        let channels_of_group = output_channels / size(self.groups);

        let [input_n, input_c, input_h, input_w] = self.input_layout.to_nchw(four(&strides(input)));
        let [filter_o, filter_i, filter_h, filter_w] = self.filter_layout.to_oihw(four(&strides(filter)));
        let [output_n, output_c, output_h, output_w] = self.input_layout.to_nchw(four(&strides(output)));
        for batch in 0..batches {
            for channel in 0..output_channels {
                let bias = biases.map_or(0.0, |biases| biases[channel]);
                let first_input_channel = channel / channels_of_group * filter_channels;
                let input_plane = batch * input_n + first_input_channel * input_c;
                let output_plane = batch * output_n + channel * output_c;
                for row in 0..output_height {
                    for column in 0..output_width {
                        let mut sum: Float = bias;
                        for (filter_row, input_row) in rows.inside(row) {
                            for (filter_column, input_column) in columns.inside(column) {
                                let from_input = input_plane + input_row * input_h + input_column * input_w;
                                let from_filter = channel * filter_o + filter_row * filter_h + filter_column * filter_w;
                                let x = x[from_input..].iter().step_by(input_c);
                                let w = w[from_filter..].iter().step_by(filter_i);
                                sum += x.zip(w).take(filter_channels).map(|(x, w)| x * w).sum::<Float>();
                            }
                        }
                        store(output_plane + row * output_h + column * output_w, sum);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn every_layout_gives_the_same_elements() -> Result<()> {
        // By hand: a window with the elements a, b of the first channel and c, d of the second gives
        // a + 10 b + 100 c + 1000 d, and the channels are 0, 1, .., 8 and 9, 10, .., 17.
        let expected = [10910f32, 12021.0, 17576.0, 18687.0];
        let nchw: Vec<f32> = (0..18u8).map(f32::from).collect();
        let nhwc: Vec<f32> = (0..18u8).map(|index| f32::from(index / 2 + index % 2 * 9)).collect();
        let (columns_last, channels_last) = ([1f32, 10.0, 100.0, 1000.0], [1f32, 100.0, 10.0, 1000.0]);
        let filters = [
            (MLConv2dFilterOperandLayout::Oihw, [1, 2, 1, 2], columns_last),
            (MLConv2dFilterOperandLayout::Hwio, [1, 2, 2, 1], channels_last),
            (MLConv2dFilterOperandLayout::Ohwi, [1, 1, 2, 2], channels_last),
            (MLConv2dFilterOperandLayout::Ihwo, [2, 1, 2, 1], columns_last),
        ];
        for (filter_layout, filter_shape, filter) in filters {
            for (input_layout, shape, input, output_shape) in [
                (MLInputOperandLayout::Nchw, [1, 2, 3, 3], &nchw, [1, 1, 2, 2]),
                (MLInputOperandLayout::Nhwc, [1, 3, 3, 2], &nhwc, [1, 2, 2, 1]),
            ] {
                let options =
                    MLConv2dOptions { strides: Some(vec![2, 1]), input_layout, filter_layout, ..Default::default() };
                let output = computed(|b| {
                    b.conv2d(&constant(b, &shape, input), &constant(b, &filter_shape, &filter), &options)
                })?;
                assert_eq!(output, value(&output_shape, &expected), "{options:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_depthwise_filter_is_dilated_over_padding_and_biased() -> Result<()> {
        let output = computed(|b| {
            let bias = Some(constant(b, &[2], &[0.5f32, 0.0]));
            let options = MLConv2dOptions {
                padding: Some(vec![0, 0, 2, 0]),
                dilations: Some(vec![1, 2]),
                groups: 2,
                bias,
                ..Default::default()
            };
            let input = constant(b, &[1, 2, 1, 3], &[1f32, 2.0, 3.0, 10.0, 20.0, 30.0]);
            b.conv2d(&input, &constant(b, &[2, 1, 1, 2], &[1f32, 10.0, 1.0, 0.1]), &options)
        })?;
        // By hand: the windows are --1, -_2 and 1_3; _ is what the dilation skips.
        assert_eq!(output, value(&[1, 2, 1, 3], &[10.5f32, 20.5, 31.5, 1.0, 2.0, 13.0]));
        Ok(())
    }

    #[test]
    fn output_sizes_are_exact_whatever_the_operands() {
        let max = u32::MAX;
        let size = calculate_conv_output_size(1, max, max, max, max, max);
        // (1 - ((2^32 - 2) (2^32 - 1) + 1) + 2 (2^32 - 1)) / (2^32 - 1) + 1
        assert_eq!((size.floor(), size.ceil()), (5 - (1 << 32), 5 - (1 << 32)));
        let size = calculate_conv_output_size(4, 2, 0, 1, 2, 1);
        assert_eq!((size.floor(), size.ceil()), (2, 3));
        let size = calculate_conv_output_size(3, 6, 0, 0, 2, 1);
        assert_eq!((size.floor(), size.ceil()), (-1, 0));
    }

    #[test]
    fn channels_fit_the_groups_and_the_filter() {
        let b = builder(Reading::Corrected);
        let step = |input: [u32; 4], filter: [u32; 4], groups| {
            let options = MLConv2dOptions { groups, ..Default::default() };
            b.conv2d(&zeros::<f32>(&b, &input), &zeros::<f32>(&b, &filter), &options).unwrap_err().step
        };
        assert_eq!(step([1, 4, 3, 3], [4, 4, 1, 1], 0), "15");
        assert_eq!(step([1, 4, 3, 3], [4, 1, 1, 1], 3), "16.5");
        assert_eq!(step([1, 4, 3, 3], [4, 4, 1, 1], 2), "16.6");
        assert_eq!(step([1, 4, 3, 3], [3, 2, 1, 1], 2), "16.7");
        assert_eq!(step([1, 4, 3, 3], [4, 4, 4, 1], 1), "16.12");
    }
}
