//! Pooling operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d>.
//!
//! The elements of a window that lie inside the input are averaged, or their greatest is taken, or the root of the sum
//! of their squares. Padding does not count. Where nothing lies inside, the formulas give NaN, 0, and the least value.

use webnn_reference::ops::pool2d::{Pool2d, Pooling};

use crate::kernels::accumulate::{self, NORM, Part, SUM, State, Terms};
use crate::kernels::window::{Image, Windows};
use crate::kernels::{is_float, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Lane;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Pool2d, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let windows = Windows::new(
        [Image::new(input, operation.layout), Image::new(output, operation.layout)],
        operation.window_dimensions,
        operation.padding,
        [operation.strides, operation.dilations],
    );
    let (state, add, finish) = match operation.pooling {
        Pooling::AveragePool2d => (SUM, "sum_add(s, x)", "sum_mean(s, inside(o))"),
        Pooling::L2Pool2d => (NORM, "norm_add(s, x)", "norm_root(s)"),
        Pooling::MaxPool2d => greatest(input.lane),
    };
    let terms = Terms {
        part: Part {
            name: name(operation.pooling.as_str(), input.lane),
            inputs: vec![input.named("a")],
            text: text(state, add),
            ..Part::default()
        },
        shared: windows.part(to),
        count: windows.most(),
        iterations: 1,
        state,
    };
    let (held, result) = (state.wgsl, output.lane.arithmetic());
    let text = format!("fn finish(o: u32, s: {held}) -> {result} {{ return {finish}; }}\n");
    accumulate::lower(to, &terms, &Part { text, ..Part::default() }, output)
}

/// The state, with one more element `x`, and finished. The greatest of no elements is the least of the data type.
fn greatest(lane: Lane) -> (State, &'static str, &'static str) {
    if is_float(lane) {
        return (State::number(Lane::F32, "f32_max(s, t)", "f32_of(0xff800000u)"), "f32_max(s, x)", "s");
    }
    let (held, least) = match lane {
        Lane::I8 => (Lane::I32, "-128"),
        Lane::U8 => (Lane::U32, "0u"),
        Lane::I64 => (lane, "bitcast<i64>(1lu << 63u)"),
        Lane::U64 => (lane, "0lu"),
        Lane::U32 => (lane, "0u"),
        _ => (lane, "bitcast<i32>(0x80000000u)"),
    };
    (State::number(held, "max(s, t)", least), "max(s, x)", "s")
}

fn text(state: State, add: &str) -> String {
    let State { wgsl, empty, .. } = state;
    format!(
        "fn accumulate(o: u32, first: u32, end: u32) -> {wgsl} {{\n    \
             let rows = window_rows(o);\n    \
             let columns = window_columns(o);\n    \
             let start = coordinate(o, 0u) * input_stride(0u) + coordinate(o, 1u) * input_stride(1u)\n        \
                 + rows.input * input_stride(2u) + columns.input * input_stride(3u);\n    \
             let row_step = input_step(0u) * input_stride(2u);\n    \
             let column_step = input_step(1u) * input_stride(3u);\n    \
             var s: {wgsl} = {empty};\n    \
             for (var n = first; n < min(end, rows.count * columns.count); n++) {{\n        \
                 let x = a(start + (n / columns.count) * row_step + (n % columns.count) * column_step);\n        \
                 s = {add};\n    \
             }}\n    \
             return s;\n\
         }}\n"
    )
}
