//! convTranspose2d: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d>.

use ndarray::ArrayD;

use crate::algorithms::miscellaneous::lists_are_equal;
use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, valid_dimension};
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::idl_enumeration;
use crate::index::{Sliding, strides};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, size};
use crate::operand::{MLOperand, OperandId};
use crate::ops::conv2d::{four, four_dimensions};
use crate::ops::{Bound, MLInputOperandLayout, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, filled, numbers, reserved};
use crate::{algorithm, for_float_type, literal, step, throw};

/// <https://www.w3.org/TR/webnn/#enumdef-mlconvtranspose2dfilteroperandlayout>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLConvTranspose2dFilterOperandLayout {
    /// Input channels, output channels of a group, height, width.
    #[default]
    Iohw,
    /// Height, width, output channels of a group, input channels.
    Hwoi,
    /// Output channels of a group, height, width, input channels.
    Ohwi,
}

impl MLConvTranspose2dFilterOperandLayout {
    /// All layouts, in the order of the IDL.
    pub const ALL: [Self; 3] = [Self::Iohw, Self::Hwoi, Self::Ohwi];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Iohw => "iohw",
            Self::Hwoi => "hwoi",
            Self::Ohwi => "ohwi",
        }
    }

    /// What belongs to the axes of a filter in this layout, in the order input channels, output channels, height, width.
    pub fn to_iohw<T>(self, of_axes: [T; 4]) -> [T; 4] {
        match (self, of_axes) {
            (Self::Iohw, [i, o, h, w]) | (Self::Hwoi, [h, w, o, i]) | (Self::Ohwi, [o, h, w, i]) => [i, o, h, w],
        }
    }
}

idl_enumeration!(MLConvTranspose2dFilterOperandLayout);

/// <https://www.w3.org/TR/webnn/#dictdef-mlconvtranspose2doptions>
#[derive(Clone, Debug)]
pub struct MLConvTranspose2dOptions {
    /// The operator's label.
    pub label: String,
    /// What is cut off the output at the top, at the bottom, on the left and on the right; 0 if not given.
    pub padding: Option<Vec<u32>>,
    /// How far apart the filter is applied to neighbours, down and to the right; 1 if not given.
    pub strides: Option<Vec<u32>>,
    /// How far apart the rows and the columns of the filter are; 1 if not given.
    pub dilations: Option<Vec<u32>>,
    /// How many rows and columns the output is larger than calculated; 0 if not given.
    pub output_padding: Option<Vec<u32>>,
    /// The height and width of the output; calculated if not given.
    pub output_sizes: Option<Vec<u32>>,
    /// The number of groups into which the channels are divided.
    pub groups: u32,
    /// The layout of the input and the output.
    pub input_layout: MLInputOperandLayout,
    /// The layout of the filter.
    pub filter_layout: MLConvTranspose2dFilterOperandLayout,
    /// What is added to each output channel; nothing if not given.
    pub bias: Option<MLOperand>,
}

impl Default for MLConvTranspose2dOptions {
    fn default() -> Self {
        Self {
            label: String::new(),
            padding: None,
            strides: None,
            dilations: None,
            output_padding: None,
            output_sizes: None,
            groups: 1,
            input_layout: MLInputOperandLayout::default(),
            filter_layout: MLConvTranspose2dFilterOperandLayout::default(),
            bias: None,
        }
    }
}

impl Options for MLConvTranspose2dOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            padding: members.optional("padding")?,
            strides: members.optional("strides")?,
            dilations: members.optional("dilations")?,
            output_padding: members.optional("outputPadding")?,
            output_sizes: members.optional("outputSizes")?,
            groups: members.or("groups", 1)?,
            input_layout: members.or("inputLayout", MLInputOperandLayout::default())?,
            filter_layout: members.or("filterLayout", MLConvTranspose2dFilterOperandLayout::default())?,
            bias: members.optional("bias")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-convTranspose2d>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-convTranspose2d",
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

/// convTranspose2d
pub const CONV_TRANSPOSE2D: OperatorRow = OperatorRow {
    name: "convTranspose2d",
    section: "api-mlgraphbuilder-convtranspose2d",
    parameters: &["input", "filter", "options"],
    call: |b, x| Ok(vec![b.conv_transpose2d(&x.get("input")?, &x.get("filter")?, &x.options()?)?]),
    limits: &LIMITS,
};

/// The parameters of a convTranspose2d. The shape of the output says how far it was padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvTranspose2d {
    /// What is added to each output channel, the third of the operator's inputs.
    pub bias: Option<OperandId>,
    /// What is cut off the output at the top, at the bottom, on the left and on the right.
    pub padding: [u32; 4],
    /// How far apart the filter is applied to neighbours, down and to the right.
    pub strides: [u32; 2],
    /// How far apart the rows and the columns of the filter are.
    pub dilations: [u32; 2],
    /// The number of groups into which the channels are divided.
    pub groups: u32,
    /// The layout of the input and the output.
    pub input_layout: MLInputOperandLayout,
    /// The layout of the filter.
    pub filter_layout: MLConvTranspose2dFilterOperandLayout,
}

/// <https://www.w3.org/TR/webnn/#mlgraphbuilder-calculate-convtranspose-output-size>
///
/// The number may be negative, where the padding is larger than the output.
fn calculate_convtranspose_output_size(
    input_size: u32,
    filter_size: u32,
    beginning_padding: u32,
    ending_padding: u32,
    stride: u32,
    dilation: u32,
) -> i128 {
    algorithm!("MLGraphBuilder/calculate convtranspose output size");
    step!("1");
    let effective_filter_size = (i128::from(filter_size) - 1) * i128::from(dilation) + 1;
    step!("2");
    let padding = i128::from(beginning_padding) + i128::from(ending_padding);
    let output_size = (i128::from(input_size) - 1) * i128::from(stride) + effective_filter_size - padding;
    step!("3");
    output_size
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-convtranspose2d>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, an option is out of its range, or the shapes do not fit one another.
    pub fn conv_transpose2d(
        &self,
        input: &MLOperand,
        filter: &MLOperand,
        options: &MLConvTranspose2dOptions,
    ) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.convTranspose2d(input, filter, options)", self, options.label);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_operands([input, filter].into_iter().chain(&options.bias))?;
        step!("3");
        if !LIMITS.allows_rank("input", input) {
            throw!(TypeError, "the input has rank {}, not 4", input.rank());
        }
        step!("4");
        if !LIMITS.allows_data_type("input", input) {
            throw!(TypeError, "the input can not be {}", input.data_type());
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
        let output_padding = options.output_padding.clone().unwrap_or_else(|| vec![0; 2]);
        step!("16");
        let Ok(output_padding) = <[u32; 2]>::try_from(output_padding) else {
            throw!(TypeError, "outputPadding needs 2 items");
        };
        step!("17");
        let mut output_sizes = None;
        if let Some(given) = &options.output_sizes {
            step!("17.1");
            let Ok(sizes) = <[u32; 2]>::try_from(given.as_slice()) else {
                throw!(TypeError, "outputSizes needs 2 items");
            };
            output_sizes = Some(sizes);
        } else {
            step!("18");
            step!("18.1");
            if output_padding[0] >= strides[0] || output_padding[1] >= strides[1] {
                throw!(TypeError, "outputPadding {output_padding:?} is not smaller than strides {strides:?}");
            }
        }
        step!("19");
        let groups = options.groups;
        if groups == 0 {
            throw!(TypeError, "groups is 0");
        }
        step!("20");
        step!("20.1");
        let input_shape = four_dimensions(input);
        step!("20.2");
        let [batches, input_channels, input_height, input_width] = options.input_layout.to_nchw(input_shape);
        step!("20.3");
        let filter_shape = four_dimensions(filter);
        step!("20.4");
        let [filter_input_channels, filter_output_channels, filter_height, filter_width] =
            options.filter_layout.to_iohw(filter_shape);
        step!("20.5");
        if input_channels != filter_input_channels {
            throw!(TypeError, "the filter has {filter_input_channels} input channels, the input {input_channels}");
        }
        step!("20.6");
        let output_channels = i128::from(filter_output_channels) * i128::from(groups);
        step!("20.7");
        let Some(output_channels) = valid_dimension(output_channels) else {
            throw!(TypeError, "the output would have {output_channels} channels");
        };
        if !literal!("conv-transpose2d-groups-unchecked") && !input_channels.is_multiple_of(groups) {
            throw!(TypeError, "{input_channels} input channels can not be divided into {groups} groups");
        }
        step!("20.8");
        if let Some(bias) = &options.bias {
            step!("20.8.1");
            if !lists_are_equal(&bias.shape(), &[output_channels]) {
                throw!(TypeError, "the bias is {:?}, not [{output_channels}]", bias.shape());
            }
            step!("20.8.2");
            if !LIMITS.allows_data_type_as("bias", bias, input) {
                throw!(TypeError, "the bias is {} and the input {}", bias.data_type(), input.data_type());
            }
        }
        let [top, bottom, left, right] = padding;
        step!("20.9");
        let calculated_output_height =
            calculate_convtranspose_output_size(input_height, filter_height, top, bottom, strides[0], dilations[0]);
        step!("20.10");
        let calculated_output_width =
            calculate_convtranspose_output_size(input_width, filter_width, left, right, strides[1], dilations[1]);
        let (output_height, output_width);
        step!("20.11");
        if let Some(sizes) = output_sizes {
            step!("20.11.1");
            (output_height, output_width) = (i128::from(sizes[0]), i128::from(sizes[1]));
            step!("20.11.2");
            let heights = calculated_output_height..calculated_output_height + i128::from(strides[0]);
            if !heights.contains(&output_height) {
                throw!(TypeError, "the height {output_height} is not in {heights:?}");
            }
            step!("20.11.3");
            let widths = calculated_output_width..calculated_output_width + i128::from(strides[1]);
            if !widths.contains(&output_width) {
                throw!(TypeError, "the width {output_width} is not in {widths:?}");
            }
        } else {
            step!("20.12");
            step!("20.12.1");
            output_height = calculated_output_height + i128::from(output_padding[0]);
            step!("20.12.2");
            output_width = calculated_output_width + i128::from(output_padding[1]);
        }
        step!("20.13");
        let (Some(output_height), Some(output_width)) = (valid_dimension(output_height), valid_dimension(output_width))
        else {
            throw!(TypeError, "the output would be {output_height} high and {output_width} wide");
        };
        step!("20.14");
        let output_shape = options.input_layout.from_nchw([batches, output_channels, output_height, output_width]);
        step!("20.15");
        let desc = MLOperandDescriptor::create(input.data_type(), &output_shape);
        self.ensure_output(&desc)?;
        step!("21");
        step!("21.1");
        let output = self.create_operand(desc);
        step!("21.2");
        let conv_transpose2d = ConvTranspose2d {
            bias: options.bias.as_ref().map(MLOperand::id),
            padding,
            strides,
            dilations,
            groups,
            input_layout: options.input_layout,
            filter_layout: options.filter_layout,
        };
        let operator = self.create_operator(Operation::ConvTranspose2d(conv_transpose2d), &options.label);
        step!("21.3");
        output.set_operator(operator);
        step!("21.4");
        self.set_inputs(operator, [input, filter]);
        step!("21.5");
        if let Some(bias) = &options.bias {
            self.add_input(operator, bias);
        }
        step!("21.6");
        self.set_outputs(operator, [&output]);
        step!("22");
        Ok(output)
    }
}

impl ConvTranspose2d {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => self.convolve(input, bound))
    }

    /// The transpose of conv2d: where conv2d, applied to the output, would take the sum of what the filter meets into one
    /// element of the input, here that element is spread over what the filter meets. The sums begin with the bias. Each
    /// product is exact in binary64, as both factors have less than half as many bits. What falls on the padding is left
    /// out, and where nothing falls, as on the rows and columns of the output padding it may, the bias alone remains.
    ///
    /// Output channel c belongs to group c / (output channels / groups).
    fn convolve<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let filter = T::array(bound.input(1));
        let biases = bound.optional(self.bias).map(|bias| numbers(&T::array(bias).view())).transpose()?;
        let mut output = filled(&bound.output().shape, T::default())?;
        let output_shape = output.shape().to_vec();
        let y = output.as_slice_mut().expect("a new array is contiguous");
        let (x, w) = (numbers(&input.view())?, numbers(&filter.view())?);
        self.sums(&x, &w, biases.as_deref(), [input.shape(), filter.shape(), &output_shape], |index, sum| {
            y[index] = T::rounded(sum);
        })?;
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
    ) -> Computed<()> {
        let [batches, input_channels, input_height, input_width] = self.input_layout.to_nchw(four(input));
        let [_, channels_of_group, filter_height, filter_width] = self.filter_layout.to_iohw(four(filter));
        let [_, output_channels, output_height, output_width] = self.input_layout.to_nchw(four(output));
        let rows = Sliding {
            input_size: output_height,
            window_size: filter_height,
            beginning_padding: size(self.padding[0]),
            stride: size(self.strides[0]),
            dilation: size(self.dilations[0]),
        };
        let columns = Sliding {
            input_size: output_width,
            window_size: filter_width,
            beginning_padding: size(self.padding[2]),
            stride: size(self.strides[1]),
            dilation: size(self.dilations[1]),
        };
        let input_channels_of_group = input_channels / size(self.groups);

        let [input_n, input_c, input_h, input_w] = self.input_layout.to_nchw(four(&strides(input)));
        let [filter_i, filter_o, filter_h, filter_w] = self.filter_layout.to_iohw(four(&strides(filter)));
        let [output_n, output_c, output_h, output_w] = self.input_layout.to_nchw(four(&strides(output)));
        let mut sums: Vec<Float> = reserved(output_height * output_width)?;
        for batch in 0..batches {
            for channel in 0..output_channels {
                let bias = biases.map_or(0.0, |biases| biases[channel]);
                sums.clear();
                sums.resize(output_height * output_width, bias);
                let (group, channel_of_group) = (channel / channels_of_group, channel % channels_of_group);
                let first_input_channel = group * input_channels_of_group;
                for input_channel in first_input_channel..first_input_channel + input_channels_of_group {
                    let input_plane = batch * input_n + input_channel * input_c;
                    let filter_plane = input_channel * filter_i + channel_of_group * filter_o;
                    for input_row in 0..input_height {
                        for input_column in 0..input_width {
                            let x = x[input_plane + input_row * input_h + input_column * input_w];
                            for (filter_row, row) in rows.inside(input_row) {
                                for (filter_column, column) in columns.inside(input_column) {
                                    let w = w[filter_plane + filter_row * filter_h + filter_column * filter_w];
                                    sums[row * output_width + column] += x * w;
                                }
                            }
                        }
                    }
                }
                let output_plane = batch * output_n + channel * output_c;
                for (index, sum) in sums.iter().enumerate() {
                    let (row, column) = (index / output_width, index % output_width);
                    store(output_plane + row * output_h + column * output_w, *sum);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;

    #[test]
    fn every_layout_gives_the_same_elements() -> Result<()> {
        // By hand: an element a of the first channel and b of the second become a + 100 b and 10 a + 1000 b, side by side.
        let expected = [301f32, 3010.0, 402.0, 4020.0];
        let (columns_last, channels_last) = ([1f32, 10.0, 100.0, 1000.0], [1f32, 100.0, 10.0, 1000.0]);
        let filters = [
            (MLConvTranspose2dFilterOperandLayout::Iohw, [2, 1, 1, 2], columns_last),
            (MLConvTranspose2dFilterOperandLayout::Hwoi, [1, 2, 1, 2], channels_last),
            (MLConvTranspose2dFilterOperandLayout::Ohwi, [1, 1, 2, 2], channels_last),
        ];
        for (filter_layout, filter_shape, filter) in filters {
            for (input_layout, shape, input, output_shape) in [
                (MLInputOperandLayout::Nchw, [1, 2, 1, 2], [1f32, 2.0, 3.0, 4.0], [1, 1, 1, 4]),
                (MLInputOperandLayout::Nhwc, [1, 1, 2, 2], [1f32, 3.0, 2.0, 4.0], [1, 1, 4, 1]),
            ] {
                let options = MLConvTranspose2dOptions {
                    strides: Some(vec![1, 2]),
                    input_layout,
                    filter_layout,
                    ..Default::default()
                };
                let output = computed(|b| {
                    b.conv_transpose2d(&constant(b, &shape, &input), &constant(b, &filter_shape, &filter), &options)
                })?;
                assert_eq!(output, value(&output_shape, &expected), "{options:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn groups_with_several_channels_dilations_padding_and_a_bias() -> Result<()> {
        let output = computed(|b| {
            let options = MLConvTranspose2dOptions {
                padding: Some(vec![0, 0, 1, 0]),
                strides: Some(vec![1, 3]),
                dilations: Some(vec![1, 2]),
                output_padding: Some(vec![0, 2]),
                groups: 2,
                bias: Some(constant(b, &[4], &[0f32, 0.0, 0.5, 0.0])),
                ..Default::default()
            };
            let input = constant(b, &[1, 2, 1, 2], &[1f32, 2.0, 3.0, 4.0]);
            let filter = constant(b, &[2, 2, 1, 2], &[1f32, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0]);
            b.conv_transpose2d(&input, &filter, &options)
        })?;
        // By hand: an element lands at 3 times its index, less 1, and 2 to the right of that.
        let expected = [
            [0f32, 10.0, 2.0, 0.0, 20.0, 0.0, 0.0],
            [0.0, 20.0, 4.0, 0.0, 40.0, 0.0, 0.0],
            [0.5, 90.5, 12.5, 0.5, 120.5, 0.5, 0.5],
            [0.0, 120.0, 16.0, 0.0, 160.0, 0.0, 0.0],
        ];
        assert_eq!(output, value(&[1, 4, 1, 7], expected.as_flattened()));
        Ok(())
    }

    #[test]
    fn output_sizes_are_exact_whatever_the_operands() {
        let max = u32::MAX;
        // (2^32 - 2) (2^32 - 1) twice, and 1
        let size = calculate_convtranspose_output_size(max, max, 0, 0, max, max);
        assert_eq!(size, 2 * ((1 << 64) - 3 * (1 << 32) + 2) + 1);
        assert_eq!(calculate_convtranspose_output_size(1, 1, max, max, 1, 1), 3 - (1 << 33));
    }

    #[test]
    fn output_sizes_are_less_than_a_stride_larger_than_calculated() -> Result<()> {
        let b = builder(Reading::Corrected);
        let (input, filter) = (zeros::<f32>(&b, &[1, 1, 2, 2]), zeros::<f32>(&b, &[1, 1, 3, 3]));
        let options = |strides: [u32; 2], output_padding, output_sizes| MLConvTranspose2dOptions {
            strides: Some(strides.to_vec()),
            output_padding,
            output_sizes,
            ..Default::default()
        };
        let step = |options: &MLConvTranspose2dOptions| b.conv_transpose2d(&input, &filter, options).unwrap_err().step;
        // As calculated, the output is 5 high and 6 wide. Output padding does not matter where sizes are given.
        let fits = options([2, 3], Some(vec![9, 9]), Some(vec![6, 8]));
        assert_eq!(b.conv_transpose2d(&input, &filter, &fits)?.shape(), [1, 1, 6, 8]);
        assert_eq!(step(&options([2, 3], None, Some(vec![7, 6]))), "20.11.2");
        assert_eq!(step(&options([2, 3], None, Some(vec![4, 6]))), "20.11.2");
        assert_eq!(step(&options([2, 3], None, Some(vec![5, 9]))), "20.11.3");
        assert_eq!(step(&options([2, 3], None, Some(vec![5]))), "17.1");
        assert_eq!(step(&options([2, 3], Some(vec![1, 3]), None)), "18.1");
        assert_eq!(step(&options([2, 3], Some(vec![1]), None)), "16");
        Ok(())
    }

    #[test]
    fn channels_fit_the_groups_and_the_filter() -> Result<()> {
        let b = builder(Reading::Corrected);
        let groups = |groups| MLConvTranspose2dOptions { groups, ..Default::default() };
        let step = |input: [u32; 4], filter: [u32; 4], options: &MLConvTranspose2dOptions| {
            b.conv_transpose2d(&zeros::<f32>(&b, &input), &zeros::<f32>(&b, &filter), options).unwrap_err().step
        };
        assert_eq!(step([1, 4, 1, 1], [4, 1, 1, 1], &groups(0)), "19");
        assert_eq!(step([1, 4, 1, 1], [2, 1, 1, 1], &groups(2)), "20.5");
        assert_eq!(step([1, 4, 1, 1], [4, 1, 1, 1], &groups(3)), "20.7");
        assert_eq!(step([1, 4, 1, 1], [4, 2, 1, 1], &groups(1 << 30)), "20.7");
        let bias = Some(zeros::<f32>(&b, &[1]));
        assert_eq!(step([1, 4, 1, 1], [4, 1, 1, 1], &MLConvTranspose2dOptions { bias, ..groups(2) }), "20.8.1");
        // By the literal text the groups need not divide the channels: 1 of 4 then belongs to none of 3.
        let b = builder(Reading::Literal);
        let (input, filter) = (zeros::<f32>(&b, &[1, 4, 1, 1]), zeros::<f32>(&b, &[4, 1, 1, 1]));
        assert_eq!(b.conv_transpose2d(&input, &filter, &groups(3))?.shape(), [1, 3, 1, 1]);
        Ok(())
    }
}
