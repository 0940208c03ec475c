//! Reduction operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce>.
//!
//! The elements that are reduced to one are found by two walks: `kept` from the output's element to the first of
//! them, `reduced` from there to each. Floats are added and multiplied in twice float32's precision and without
//! overflow on the way; integers wrap in their type. reduceLogSumExp is shifted by the maximum, which a reduction of
//! its own finds first.

use webnn_reference::ops::reduce::{Reduce, Reduction};

use crate::kernels::accumulate::{self, NORM, PRODUCT, Part, SUM, State, Terms};
use crate::kernels::{is_float, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Lane, Params, View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Reduce, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let runs = Runs::new(&inputs[0], &operation.axes);
    if operation.reduction == Reduction::LogSumExp {
        return log_sum_exp(to, &runs, output);
    }
    let lane = runs.input.lane;
    let (state, add, finish) = match is_float(lane) {
        true => of_floats(operation.reduction),
        false => of_integers(operation.reduction, lane),
    };
    let finish = Part {
        params: Params::new().number("length", runs.length),
        text: finished(state, output.lane, finish),
        ..Part::default()
    };
    let terms = runs.terms(&name(operation.reduction.as_str(), lane), state, add);
    accumulate::lower(to, &terms, &finish, output)
}

/// The elements of a tensor that are reduced to one, for each element of the output.
pub(super) struct Runs {
    input: Tensor,
    kept: View,
    reduced: View,
    length: u32,
    count: u32,
}

impl Runs {
    /// Runs along `axes` of a tensor.
    pub(super) fn new(input: &Tensor, axes: &[u32]) -> Self {
        let strides = row_major(&input.shape);
        let walk = |wanted: bool| {
            let chosen = (0..).zip(input.shape.iter().zip(&strides)).filter(|(d, _)| axes.contains(d) == wanted);
            let (shape, strides): (Vec<u32>, Vec<i64>) = chosen.map(|(_, (size, stride))| (*size, *stride)).unzip();
            let count = shape.iter().product::<u32>();
            (View::new(&shape, &strides, 0).collapsed(), count)
        };
        let ((kept, count), (reduced, length)) = (walk(false), walk(true));
        Self { input: input.clone(), kept, reduced, length, count }
    }

    /// How many runs there are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Adding up the terms of a run with `add`, the state `s` with one more element `x`.
    pub(super) fn terms(&self, name: &str, state: State, add: &str) -> Terms {
        let State { wgsl, empty, .. } = state;
        let text = format!(
            "fn accumulate(o: u32, first: u32, end: u32) -> {wgsl} {{\n    \
                 let start = kept(o);\n    \
                 var s: {wgsl} = {empty};\n    \
                 for (var n = first; n < end; n++) {{\n        \
                     let x = a(start + reduced(n));\n        \
                     s = {add};\n    \
                 }}\n    \
                 return s;\n\
             }}\n"
        );
        let part = Part {
            name: name.to_owned(),
            inputs: vec![self.input.named("a")],
            params: Params::new().view("kept", self.kept.clone()).view("reduced", self.reduced.clone()),
            text,
        };
        Terms { part, shared: Part::default(), count: self.length, iterations: 1 + self.reduced.rank() as u32, state }
    }

    /// The same with the maximum of each run at hand, as `greatest(o)`.
    pub(super) fn exponentials(&self, maxima: &Tensor) -> Terms {
        let mut terms =
            self.terms(&name("sum of exponentials", self.input.lane), SUM, "sum_add_exp(s, x, greatest(o))");
        terms.shared.inputs.push(maxima.named("greatest"));
        terms
    }

    /// The maximum of each run, as float32.
    pub(super) fn maxima(&self, to: &mut Lowering<'_>) -> Lowered<Tensor> {
        let maxima = to.scratch(Lane::F32, &[self.count])?;
        let (state, add, finish) = of_floats(Reduction::Max);
        let finish = Part { text: finished(state, Lane::F32, finish), ..Part::default() };
        accumulate::lower(to, &self.terms(&name("maximum", self.input.lane), state, add), &finish, &maxima)?;
        Ok(maxima)
    }
}

fn log_sum_exp(to: &mut Lowering<'_>, runs: &Runs, output: &Tensor) -> Lowered {
    let maxima = runs.maxima(to)?;
    let terms = runs.exponentials(&maxima);
    let finish = Part { text: finished(SUM, output.lane, "log_sum_exp(s, greatest(o))"), ..Part::default() };
    accumulate::lower(to, &terms, &finish, output)
}

/// `fn finish(o: u32, s: State) -> T` from an expression of `s`.
fn finished(state: State, output: Lane, expression: &str) -> String {
    format!("fn finish(o: u32, s: {}) -> {} {{ return {expression}; }}\n", state.wgsl, output.arithmetic())
}

/// The state, with one more element `x`, and finished.
fn of_floats(reduction: Reduction) -> (State, &'static str, &'static str) {
    match reduction {
        Reduction::L1 => (SUM, "sum_add(s, f32_abs(x))", "sum_value(s)"),
        Reduction::L2 => (NORM, "norm_add(s, x)", "norm_root(s)"),
        Reduction::LogSum => (SUM, "sum_add(s, x)", "sum_log(s)"),
        Reduction::LogSumExp => (SUM, "sum_add_exp(s, x, 0.0)", "log_sum_exp(s, 0.0)"),
        Reduction::Max => (State::number(Lane::F32, "f32_max(s, t)", "f32_of(0xff800000u)"), "f32_max(s, x)", "s"),
        Reduction::Mean => (SUM, "sum_add(s, x)", "sum_mean(s, length())"),
        Reduction::Min => (State::number(Lane::F32, "f32_min(s, t)", "f32_of(0x7f800000u)"), "f32_min(s, x)", "s"),
        Reduction::Product => (PRODUCT, "product_multiply(s, x)", "product_value(s)"),
        Reduction::Sum => (SUM, "sum_add(s, x)", "sum_value(s)"),
        Reduction::SumSquare => (SUM, "sum_add_product(s, x, x)", "sum_value(s)"),
    }
}

/// The state of integers is an integer of their arithmetic type.
fn of_integers(reduction: Reduction, lane: Lane) -> (State, &'static str, &'static str) {
    let held = match lane.arithmetic() {
        "i32" => Lane::I32,
        "u32" => Lane::U32,
        _ => lane,
    };
    let (zero, one, least, most) = match held {
        Lane::I64 => ("0li", "1li", "bitcast<i64>(1lu << 63u)", "bitcast<i64>(~0lu >> 1u)"),
        Lane::U64 => ("0lu", "1lu", "0lu", "~0lu"),
        Lane::U32 => ("0u", "1u", "0u", "0xffffffffu"),
        _ => ("0", "1", "bitcast<i32>(0x80000000u)", "0x7fffffff"),
    };
    let sum = State::number(held, "s + t", zero);
    let (state, add) = match reduction {
        Reduction::L1 if held == Lane::I64 => (sum, "s + i64_abs(x)"),
        Reduction::L1 if held == Lane::I32 => (sum, "s + abs(x)"),
        // L2 and what is divided or has a logarithm are for floats only.
        Reduction::L1 | Reduction::Sum | Reduction::L2 | Reduction::LogSum | Reduction::LogSumExp | Reduction::Mean => {
            (sum, "s + x")
        }
        Reduction::Max => (State::number(held, "max(s, t)", least), "max(s, x)"),
        Reduction::Min => (State::number(held, "min(s, t)", most), "min(s, x)"),
        Reduction::Product => (State::number(held, "s * t", one), "s * x"),
        Reduction::SumSquare => (sum, "s + x * x"),
    };
    (state, add, "s")
}
