//! conv2d: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d>.
//!
//! Each element of the output is a sum of products over the filter, as far as it meets the input: rows, columns, and
//! the channels of the group, these fastest. Layouts are strides. convTranspose2d is the same with other windows.

use webnn_reference::ops::conv2d::Conv2d;

use crate::kernels::accumulate::{self, Part, SUM, Terms};
use crate::kernels::name;
use crate::kernels::window::{Image, Windows};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Params, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Conv2d, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (input, filter) = (&inputs[0], &inputs[1]);
    let strides = row_major(&filter.shape);
    // Output channels, input channels of a group, height, width; the strides are below 2^31 like the elements.
    let sizes = operation.filter_layout.to_oihw(std::array::from_fn(|axis| filter.shape[axis]));
    let filter_strides = operation.filter_layout.to_oihw(std::array::from_fn(|axis| strides[axis] as u32));
    let [output_channels, channels, height, width]: [u32; 4] = sizes;
    let windows = Windows::new(
        [Image::new(input, operation.input_layout), Image::new(output, operation.input_layout)],
        [height, width],
        operation.padding,
        [operation.strides, operation.dilations],
    );
    let outputs_of_group = output_channels / operation.groups;
    let [output_stride, channel_stride, row_stride, column_stride] = filter_strides;
    let channels = Channels {
        of_group: channels,
        outputs_of_group,
        group_stride: outputs_of_group * output_stride,
        strides: [output_stride, channel_stride, row_stride, column_stride],
    };
    let bias = operation.bias.and_then(|_| inputs.get(2));
    convolve(to, &windows, &channels, [input, filter], bias, output)
}

/// How the channels are divided into groups, and where a filter has what belongs to them.
pub(super) struct Channels {
    /// The input channels of a group.
    pub(super) of_group: u32,
    /// The output channels of a group.
    pub(super) outputs_of_group: u32,
    /// The filter's stride from group to group.
    pub(super) group_stride: u32,
    /// The filter's strides: output channels of a group, input channels of a group, rows, columns.
    pub(super) strides: [u32; 4],
}

/// The sums of products over what the windows meet, with the bias.
pub(super) fn convolve(
    to: &mut Lowering<'_>,
    windows: &Windows,
    channels: &Channels,
    [input, filter]: [&Tensor; 2],
    bias: Option<&Tensor>,
    output: &Tensor,
) -> Lowered {
    let params = Params::new()
        .number("channels", channels.of_group)
        .number("outputs_of_group", channels.outputs_of_group)
        .number("group_stride", channels.group_stride)
        .list("filter_stride", 4, &channels.strides);
    let terms = Terms {
        part: Part {
            name: name("convolution", input.lane),
            inputs: vec![input.named("a"), filter.named("b")],
            params,
            text: WGSL.to_owned(),
        },
        shared: windows.part(to),
        count: windows.most() * channels.of_group,
        iterations: 1,
        state: SUM,
    };
    accumulate::lower(to, &terms, &finish(bias), output)
}

fn finish(bias: Option<&Tensor>) -> Part {
    match bias {
        None => {
            Part { text: "fn finish(o: u32, s: Sum) -> f32 { return sum_value(s); }\n".to_owned(), ..Part::default() }
        }
        Some(bias) => Part {
            name: "bias".to_owned(),
            inputs: vec![bias.named("bias")],
            text: "fn finish(o: u32, s: Sum) -> f32 { return sum_value(sum_add(s, bias(coordinate(o, 1u)))); }\n"
                .to_owned(),
            ..Part::default()
        },
    }
}

const WGSL: &str = "\
fn accumulate(o: u32, first: u32, end: u32) -> Sum {
    let rows = window_rows(o);
    let columns = window_columns(o);
    let channel = coordinate(o, 1u);
    let group = channel / outputs_of_group();
    let a_start = coordinate(o, 0u) * input_stride(0u)
        + group * channels() * input_stride(1u)
        + rows.input * input_stride(2u) + columns.input * input_stride(3u);
    let b_start = group * group_stride() + (channel % outputs_of_group()) * filter_stride(0u)
        + rows.first * filter_stride(2u) + columns.first * filter_stride(3u);
    let row_step = input_step(0u) * input_stride(2u);
    let column_step = input_step(1u) * input_stride(3u);
    let b_row_step = window_step(0u) * filter_stride(2u);
    let b_column_step = window_step(1u) * filter_stride(3u);
    var s = sum_empty();
    for (var n = first; n < min(end, rows.count * columns.count * channels()); n++) {
        let c = n % channels();
        let row = n / channels() / columns.count;
        let column = (n / channels()) % columns.count;
        let x = a(a_start + c * input_stride(1u) + row * row_step + column * column_step);
        let y = b(b_start + c * filter_stride(1u) + row * b_row_step + column * b_column_step);
        s = sum_add_product(s, x, y);
    }
    return s;
}
";
