//! Pooling operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d>.
//!
//! The elements of a window that lie inside the input are averaged, or their greatest is taken, or the root of the sum
//! of their squares. Padding does not count. Where nothing lies inside, the formulas give NaN, 0, and the least value.

use webnn_reference::ops::pool2d::{Pool2d, Pooling};

use crate::kernels::accumulate::{self, NORM, Part, SUM, State, Terms};
use crate::kernels::reduce::number;
use crate::kernels::window::{self, Along, Image, Windows};
use crate::kernels::{is_float, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Lane;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Pool2d, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (input, lane) = (&inputs[0], inputs[0].lane);
    let (from, onto) = (Image::new(input, operation.layout), Image::new(output, operation.layout));
    let windows = windows(operation, from, onto);
    let table = windows.table(to);
    let (state, add, finish) = match operation.pooling {
        Pooling::AveragePool2d => (SUM, "sum_add(s, x)", "sum_mean(s, inside(o))"),
        Pooling::L2Pool2d => (NORM, "norm_add(s, x)", "norm_root(s)"),
        Pooling::MaxPool2d => greatest(lane),
    };
    let params = windows
        .params()
        .list("output_size", 4, &onto.sizes)
        .list("output_stride", 4, &onto.strides)
        .list("input_stride", 4, &from.strides);
    let terms = Terms {
        part: Part {
            name: name(operation.pooling.as_str(), lane),
            inputs: vec![input.named("a")],
            text: terms_text(state, add),
            ..Part::default()
        },
        count: windows.most(),
        iterations: 1,
        state,
    };
    let finish = Part {
        inputs: vec![table.named("windows")],
        params,
        text: finish_text(state, output.lane, finish),
        ..Part::default()
    };
    lower_both(to, terms, finish, output)
}

/// Terms and finish both look at the table: what they share goes with whichever is in a kernel.
fn lower_both(to: &mut Lowering<'_>, terms: Terms, finish: Part, output: &Tensor) -> Lowered {
    accumulate::lower(to, &terms, &finish, output)
}

fn windows(operation: &Pool2d, from: Image, onto: Image) -> Windows {
    let along = |axis: usize| Along {
        input: from.sizes[2 + axis],
        output: onto.sizes[2 + axis],
        window: operation.window_dimensions[axis],
        beginning_padding: operation.padding[2 * axis],
        stride: operation.strides[axis],
        dilation: operation.dilations[axis],
    };
    Windows { rows: along(0), columns: along(1) }
}

fn greatest(lane: Lane) -> (State, &'static str, &'static str) {
    if is_float(lane) {
        return (number(Lane::F32, "f32_max(s, t)", "f32_of(0xff800000u)"), "f32_max(s, x)", "s");
    }
    let (held, least) = match lane {
        Lane::I8 => (Lane::I32, "-128"),
        Lane::U8 => (Lane::U32, "0u"),
        Lane::I64 => (lane, "bitcast<i64>(1lu << 63u)"),
        Lane::U64 => (lane, "0lu"),
        Lane::U32 => (lane, "0u"),
        _ => (lane, "bitcast<i32>(0x80000000u)"),
    };
    (number(held, "max(s, t)", least), "max(s, x)", "s")
}

fn terms_text(state: State, add: &str) -> String {
    let State { wgsl, empty, .. } = state;
    format!(
        "fn accumulate(o: u32, first: u32, end: u32) -> {wgsl} {{\n}}\n{empty}{add}"
    )
}

fn finish_text(_: State, _: Lane, _: &str) -> String {
    String::new()
}

#[allow(unused)]
const W: &str = window::WGSL;
