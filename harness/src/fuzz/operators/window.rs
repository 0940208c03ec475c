//! Convolution, pooling and resampling.

use webnn_reference::ops::OperatorRow;

use crate::fuzz::draft::{Call, Draft, Operand};
use crate::fuzz::elements::Purpose;

/// A layout, and the channels, height and width of an operand in it.
fn layout(draft: &mut Draft, input: &Operand) -> (&'static str, u32, [u32; 2]) {
    let s = &input.shape;
    if draft.random.coin() { ("nchw", s[1], [s[2], s[3]]) } else { ("nhwc", s[3], [s[1], s[2]]) }
}

/// A member with a default, which may be left out where it has it.
fn layout_option(call: Call, draft: &mut Draft, name: &str, layout: &str, default: &str) -> Call {
    if layout == default { call.maybe(draft, name, layout) } else { call.option(name, layout) }
}

/// How a window moves: for height and width.
struct Window {
    dimensions: [u32; 2],
    padding: [u32; 4],
    strides: [u32; 2],
    dilations: [u32; 2],
}

impl Window {
    /// A window that has a place at least in an input of these sizes, with its padding.
    fn over(draft: &mut Draft, sizes: [u32; 2]) -> Self {
        let padding = if draft.random.coin() { [0; 4] } else { [(); 4].map(|()| draft.random.between(0, 2)) };
        let dilations = [(); 2].map(|()| draft.random.choose(&[1, 1, 1, 2, 3]));
        let strides = [(); 2].map(|()| draft.random.choose(&[1, 1, 2, 3]));
        let padded = [sizes[0] + padding[0] + padding[1], sizes[1] + padding[2] + padding[3]];
        let dimension = |axis: usize| {
            let most = (padded[axis] - 1) / dilations[axis] + 1;
            draft.random.between(1, most.min(4))
        };
        Self { dimensions: [0, 1].map(dimension), padding, strides, dilations }
    }

    /// The options, where they are not the defaults, or now and then.
    fn options(&self, draft: &mut Draft, mut call: Call) -> Call {
        let is_given = |draft: &mut Draft, is_default: bool| !is_default || draft.random.one_in(4);
        if is_given(draft, self.padding == [0; 4]) {
            call = call.option("padding", self.padding.to_vec());
        }
        if is_given(draft, self.strides == [1; 2]) {
            call = call.option("strides", self.strides.to_vec());
        }
        if is_given(draft, self.dilations == [1; 2]) {
            call = call.option("dilations", self.dilations.to_vec());
        }
        call
    }
}

fn divisor(draft: &mut Draft, number: u32) -> u32 {
    let divisors: Vec<u32> = (1..=number).filter(|divisor| number.is_multiple_of(*divisor)).collect();
    if draft.random.coin() { 1 } else { draft.random.choose(&divisors) }
}

pub(super) fn conv2d(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (layout, channels, sizes) = layout(draft, &input);
    let window = Window::over(draft, sizes);
    let groups = divisor(draft, channels);
    let output_channels = groups * draft.random.between(1, 3);
    let [height, width] = window.dimensions;
    let filter_layout = draft.random.choose(&["oihw", "hwio", "ohwi", "ihwo"]);
    let (o, i) = (output_channels, channels / groups);
    let shape = match filter_layout {
        "oihw" => [o, i, height, width],
        "hwio" => [height, width, i, o],
        "ohwi" => [o, height, width, i],
        _ => [i, height, width, o],
    };
    let filter = draft.operand(input.data_type, &shape, Purpose::Any);
    let call = Call::with("input", &input).and("filter", filter.name.as_str());
    let call = layout_option(call, draft, "inputLayout", layout, "nchw");
    let call = layout_option(call, draft, "filterLayout", filter_layout, "oihw");
    let call = if groups == 1 { call } else { call.option("groups", groups) };
    let call = bias(draft, call, &input, output_channels);
    window.options(draft, call)
}

fn bias(draft: &mut Draft, call: Call, input: &Operand, channels: u32) -> Call {
    if draft.random.coin() {
        return call;
    }
    let bias = draft.operand(input.data_type, &[channels], Purpose::Any);
    call.option("bias", bias.name.as_str())
}

pub(super) fn conv_transpose2d(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (layout, channels, sizes) = layout(draft, &input);
    let mut window = Window::over(draft, [4, 4]);
    let groups = divisor(draft, channels);
    let of_group = draft.random.between(1, 3);
    let [height, width] = window.dimensions;
    let filter_layout = draft.random.choose(&["iohw", "hwoi", "ohwi"]);
    let shape = match filter_layout {
        "iohw" => [channels, of_group, height, width],
        "hwoi" => [height, width, of_group, channels],
        _ => [of_group, height, width, channels],
    };
    // The padding takes away from the output, of which something has to stay.
    let whole = [0, 1].map(|axis| {
        let reach = (window.dimensions[axis] - 1) * window.dilations[axis] + 1;
        (sizes[axis] - 1) * window.strides[axis] + reach
    });
    if whole[0] <= window.padding[0] + window.padding[1] || whole[1] <= window.padding[2] + window.padding[3] {
        window.padding = [0; 4];
    }
    let filter = draft.operand(input.data_type, &shape, Purpose::Any);
    let call = Call::with("input", &input).and("filter", filter.name.as_str());
    let call = layout_option(call, draft, "inputLayout", layout, "nchw");
    let call = layout_option(call, draft, "filterLayout", filter_layout, "iohw");
    let call = if groups == 1 { call } else { call.option("groups", groups) };
    let call = bias(draft, call, &input, of_group * groups);
    let call = window.options(draft, call);
    let p = window.padding;
    let sizes = [whole[0] - p[0] - p[1], whole[1] - p[2] - p[3]];
    let beyond = window.strides.map(|stride| draft.random.between(0, stride - 1));
    match draft.random.below(3) {
        0 => call.option("outputPadding", beyond.to_vec()),
        1 => call.option("outputSizes", vec![sizes[0] + beyond[0], sizes[1] + beyond[1]]),
        _ => call,
    }
}

pub(super) fn pool2d(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let (layout, _, sizes) = layout(draft, &input);
    let mut window = Window::over(draft, sizes);
    let call = Call::with("input", &input);
    let mut call = layout_option(call, draft, "layout", layout, "nchw");
    if draft.random.one_in(4) {
        // Without a window it is as large as the input, and is not dilated.
        window.dimensions = sizes;
        window.dilations = [1; 2];
    } else {
        call = call.option("windowDimensions", window.dimensions.to_vec());
    }
    let call = window.options(draft, call);
    let rounding = draft.random.choose(&["floor", "ceil"]);
    let call = call.maybe(draft, "outputShapeRounding", rounding);
    if !draft.random.one_in(4) {
        return call;
    }
    let rounds_up = draft.random.coin();
    let size = |axis: usize| {
        let reach = (window.dimensions[axis] - 1) * window.dilations[axis] + 1;
        let free = sizes[axis] + window.padding[2 * axis] + window.padding[2 * axis + 1] - reach;
        let steps = if rounds_up { free.div_ceil(window.strides[axis]) } else { free / window.strides[axis] };
        steps + 1
    };
    call.option("outputSizes", vec![size(0), size(1)])
}

pub(super) fn resample2d(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let input = draft.first(row, "input");
    let axes: Vec<u32> = draft.random.shuffled(&input.axes()).into_iter().take(2).collect();
    let mode = draft.random.choose(&["nearest-neighbor", "linear"]);
    let mut call = Call::with("input", &input).maybe(draft, "mode", mode);
    let mut resampled = vec![2, 3];
    if draft.random.coin() {
        call = call.option("axes", axes.clone());
        resampled = axes;
    }
    match draft.random.below(3) {
        0 => call.option("sizes", vec![draft.random.between(1, 9), draft.random.between(1, 9)]),
        1 => call,
        _ => {
            let scale = |axis: &u32| {
                let least = 1.0 / f64::from(input.shape[*axis as usize]);
                let scale = draft.random.choose(&[0.5, 1.5, 2.0, 2.3, 0.7, 1.0 / 3.0, 3.0]);
                if scale < least { 1.0 } else { scale }
            };
            let scales: Vec<f64> = resampled.iter().map(scale).collect();
            call.option("scales", scales)
        }
    }
}
