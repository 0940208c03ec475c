//! cumulativeSum: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum>.
//!
//! An axis is cut into chunks. The sum of each chunk, then the sums of all chunks before each, by the same method, then
//! each element's: the chunks before its own, and its own up to the element. Whether it is summed up from the end, and
//! whether the element itself counts, are parameters. Floats are added up as long sums are, and each sum is rounded
//! once; integers wrap in their type.

use webnn_reference::ops::cumulativesum::CumulativeSum;

use crate::kernels::accumulate::{SUM, State};
use crate::kernels::{is_float, name};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane, Params};

/// The length of chunks: how many terms an invocation adds up, at most.
const CHUNK: u32 = 128;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &CumulativeSum, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let axis = operation.axis as usize;
    let (length, after) = (input.shape[axis], input.shape[axis + 1..].iter().product::<u32>());
    let params = Params::new()
        .number("length", length)
        .number("after", after)
        .number("reversed", u32::from(operation.reversed))
        .number("included", u32::from(!operation.exclusive));
    let numbers = if is_float(input.lane) { FLOATS } else { integers(input.lane) };
    let elements = Elements { input, params, numbers };
    if length <= CHUNK {
        return elements.sums(to, None, output);
    }
    let chunks = elements.chunks(to, input.count() / length, length.div_ceil(CHUNK))?;
    let before = preceding(to, numbers.state, &chunks)?;
    elements.sums(to, Some(&before), output)
}

/// How numbers are added up.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    state: State,
    /// The state `s` with one more element `x`.
    add: &'static str,
    /// The sum that the state `s` is.
    value: &'static str,
}

const FLOATS: Numbers = Numbers { state: SUM, add: "sum_add(s, x)", value: "sum_value(s)" };

fn integers(lane: Lane) -> Numbers {
    let zero = match lane {
        Lane::I64 => "0li",
        Lane::U64 => "0lu",
        Lane::U32 => "0u",
        _ => "0",
    };
    Numbers { state: State::number(lane, "s + t", zero), add: "s + x", value: "s" }
}

/// The elements along the axis, in the order of summing up.
struct Elements<'a> {
    input: &'a Tensor,
    params: Params,
    numbers: Numbers,
}

impl Elements<'_> {
    /// The sum of each chunk of each run.
    fn chunks(&self, to: &mut Lowering<'_>, runs: u32, chunks: u32) -> Lowered<Tensor> {
        let State { wgsl, lane, pack, .. } = self.numbers.state;
        let own = format!(
            "fn element(i: u32) -> {} {{\n    \
                 let run = i / chunks();\n    \
                 let first = (i % chunks()) * chunk();\n    \
                 let start = (run / after()) * length() * after() + run % after();\n    \
                 let s: {wgsl} = added({}, start, first, min(first + chunk(), length()));\n    \
                 return {pack};\n\
             }}\n",
            lane.arithmetic(),
            self.numbers.state.empty,
        );
        let kernel = Kernel {
            name: name("sums of chunks", self.input.lane),
            inputs: vec![Input::new("a", self.input.lane)],
            output: lane,
            params: self.params.clone().number("chunk", CHUNK).number("chunks", chunks),
            body: self.adding() + &own,
        };
        let sums = to.scratch(lane, &[runs, chunks])?;
        to.run(&kernel, &[self.input], &sums)?;
        Ok(sums)
    }

    /// The sum at each element, from the sums before its chunk if there is more than one.
    fn sums(&self, to: &mut Lowering<'_>, before: Option<&Tensor>, output: &Tensor) -> Lowered {
        let State { wgsl, unpack, empty, .. } = self.numbers.state;
        let (words, begun) = match before {
            None => ("", empty),
            Some(_) => (
                "let words = before(((i / after()) / length() * after() + i % after()) * chunks() + place / chunk());\n    ",
                unpack,
            ),
        };
        let own = format!(
            "fn element(i: u32) -> {} {{\n    \
                 let at = (i / after()) % length();\n    \
                 let place = select(at, length() - 1u - at, reversed() != 0u);\n    \
                 {words}let begun: {wgsl} = {begun};\n    \
                 let s: {wgsl} = added(begun, i - at * after(), place - place % chunk(), place + included());\n    \
                 return {};\n\
             }}\n",
            output.lane.arithmetic(),
            self.numbers.value,
        );
        let mut inputs = vec![Input::new("a", self.input.lane)];
        inputs.extend(before.map(|before| Input::new("before", before.lane)));
        let kernel = Kernel {
            name: name("cumulativeSum", self.input.lane),
            inputs,
            output: output.lane,
            params: self
                .params
                .clone()
                .number("chunk", CHUNK)
                .number("chunks", before.map_or(1, |before| before.shape[1])),
            body: self.adding() + &own,
        };
        let bound = [self.input].into_iter().chain(before).collect::<Vec<_>>();
        to.run(&kernel, &bound, output)
    }

    /// `fn added(begun: State, start: u32, first: u32, end: u32) -> State`, with the elements `first..end` of the run that
    /// begins at `start`.
    fn adding(&self) -> String {
        let Numbers { state: State { wgsl, .. }, add, .. } = self.numbers;
        format!(
            "fn added(begun: {wgsl}, start: u32, first: u32, end: u32) -> {wgsl} {{\n    \
                 var s = begun;\n    \
                 for (var n = first; n < end; n++) {{\n        \
                     let x = a(start + select(n, length() - 1u - n, reversed() != 0u) * after());\n        \
                     s = {add};\n    \
                 }}\n    \
                 return s;\n\
             }}\n"
        )
    }
}

/// Of states in rows, the joined ones before each.
fn preceding(to: &mut Lowering<'_>, state: State, states: &Tensor) -> Lowered<Tensor> {
    let State { wgsl, lane, empty, .. } = state;
    let [rows, length] = [states.shape[0], states.shape[1]];
    let chunks = length.div_ceil(CHUNK);
    let params = Params::new().number("length", length).number("chunk", CHUNK).number("chunks", chunks);
    let joined = joining(state);
    let before = if chunks == 1 {
        None
    } else {
        let body = format!(
            "{joined}fn element(i: u32) -> {} {{\n    \
                 let first = (i % chunks()) * chunk();\n    \
                 let row = (i / chunks()) * length();\n    \
                 let s = joined({empty}, row + first, row + min(first + chunk(), length()));\n    \
                 return {};\n\
             }}\n",
            lane.arithmetic(),
            state.pack,
        );
        let inputs = vec![Input::new("states", lane)];
        let kernel = Kernel { name: format!("joined {wgsl}"), inputs, output: lane, params: params.clone(), body };
        let sums = to.scratch(lane, &[rows, chunks])?;
        to.run(&kernel, &[states], &sums)?;
        Some(preceding(to, state, &sums)?)
    };
    let (words, begun) = match before {
        None => ("", empty),
        Some(_) => ("let words = before((i / length()) * chunks() + place / chunk());\n    ", state.unpack),
    };
    let body = format!(
        "{joined}fn element(i: u32) -> {} {{\n    \
             let place = i % length();\n    \
             {words}let begun: {wgsl} = {begun};\n    \
             let s = joined(begun, i - place % chunk(), i);\n    \
             return {};\n\
         }}\n",
        lane.arithmetic(),
        state.pack,
    );
    let mut inputs = vec![Input::new("states", lane)];
    inputs.extend(before.as_ref().map(|before| Input::new("before", before.lane)));
    let kernel = Kernel { name: format!("preceding {wgsl}"), inputs, output: lane, params, body };
    let all = to.scratch(lane, &states.shape)?;
    let bound = [states].into_iter().chain(&before).collect::<Vec<_>>();
    to.run(&kernel, &bound, &all)?;
    Ok(all)
}

/// `fn joined(begun: State, first: u32, end: u32) -> State`, with the states `first..end`.
fn joining(state: State) -> String {
    let State { wgsl, unpack, join, .. } = state;
    format!(
        "fn joined(begun: {wgsl}, first: u32, end: u32) -> {wgsl} {{\n    \
             var s = begun;\n    \
             for (var n = first; n < end; n++) {{\n        \
                 let words = states(n);\n        \
                 let t: {wgsl} = {unpack};\n        \
                 s = {join};\n    \
             }}\n    \
             return s;\n\
         }}\n"
    )
}
