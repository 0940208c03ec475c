//! The template of what runs over many terms: sums of products, reductions, pooling.
//!
//! Each output element has some terms, and one invocation runs over them with a state, such as a sum that knows its
//! own rounding error. Two things end that. A driver may cut loops short ([`MAX_ITERATIONS`]), and one invocation over
//! a million terms leaves the rest of the device idle. So the terms of an element are cut into chunks if there are
//! many: each chunk's state is packed into a scratch tensor, and states are joined until one is left, which is
//! finished into the output. Where one chunk is enough, all of it is one kernel.

use std::fmt::Write as _;

use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane, MAX_ITERATIONS, Params};

/// Below this many terms no chunk is cut: another dispatch costs more.
const FEW: u32 = 4096;

/// The length of chunks, unless there are so many elements that the device is busy without them.
const CHUNK: u32 = 1024;

/// With this many elements the device is busy.
const MANY_ELEMENTS: u32 = 2048;

/// How many states one invocation joins.
const JOINED: u32 = 1024;

/// A state, and how it is written in WGSL.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// Its type.
    pub(super) wgsl: &'static str,
    /// How it is stored between dispatches.
    pub(super) lane: Lane,
    /// The state of no terms.
    pub(super) empty: &'static str,
    /// The joined state of `s` and `t`.
    pub(super) join: &'static str,
    /// `s`, as stored.
    pub(super) pack: &'static str,
    /// What was stored as `words`.
    pub(super) unpack: &'static str,
}

impl State {
    /// A state that is one number of a lane.
    pub(super) const fn number(lane: Lane, join: &'static str, empty: &'static str) -> Self {
        Self { wgsl: lane.arithmetic(), lane, empty, join, pack: "s", unpack: "words" }
    }
}

/// A sum of floats.
pub(super) const SUM: State = State {
    wgsl: "Sum",
    lane: Lane::Bits128,
    empty: "sum_empty()",
    join: "sum_join(s, t)",
    pack: "sum_pack(s)",
    unpack: "sum_unpack(words)",
};

/// A sum of the squares of floats, of which the root is wanted.
pub(super) const NORM: State = State {
    wgsl: "Norm",
    lane: Lane::Bits128,
    empty: "norm_empty()",
    join: "norm_join(s, t)",
    pack: "norm_pack(s)",
    unpack: "norm_unpack(words)",
};

/// A product of floats.
pub(super) const PRODUCT: State = State {
    wgsl: "Product",
    lane: Lane::Bits128,
    empty: "product_empty()",
    join: "product_join(s, t)",
    pack: "product_pack(s)",
    unpack: "product_unpack(words)",
};

/// A piece of a kernel: what it binds, its parameters, and its functions.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// What it is called.
    pub(super) name: String,
    /// The tensors that it reads.
    pub(super) inputs: Vec<(Input, Tensor)>,
    /// Its parameters.
    pub(super) params: Params,
    /// Its WGSL.
    pub(super) text: String,
}

/// The terms of each element of the output.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// Defines `fn accumulate(o: u32, first: u32, end: u32) -> State`, over the terms `first..end` of element `o`.
    pub(super) part: Part,
    /// What accumulating and finishing both refer to.
    pub(super) shared: Part,
    /// How many terms an element has, at most.
    pub(super) count: u32,
    /// How many loop iterations a term takes.
    pub(super) iterations: u32,
    /// The state.
    pub(super) state: State,
}

/// Adds the dispatches. `finish` defines `fn finish(o: u32, s: State) -> T`, T being the output's arithmetic type.
pub(super) fn lower(to: &mut Lowering<'_>, terms: &Terms, finish: &Part, output: &Tensor) -> Lowered {
    let elements = output.count();
    let lanes = output.lane.per_word();
    // Finishing may loop a little too, over the dimensions of a view.
    let most = (MAX_ITERATIONS - 1000) / terms.iterations;
    if terms.count <= FEW.min(most / lanes) || (terms.count <= most / lanes && elements >= MANY_ELEMENTS) {
        return whole(to, terms, finish, output);
    }
    let chunk = if elements >= MANY_ELEMENTS { most } else { CHUNK.min(most) };
    let mut states = chunks(to, terms, elements, chunk)?;
    while states.count() / elements > JOINED {
        states = join(to, terms.state, &states, elements)?;
    }
    last(to, terms, &states, finish, output)
}

/// All in one kernel.
fn whole(to: &mut Lowering<'_>, terms: &Terms, finish: &Part, output: &Tensor) -> Lowered {
    let own = Part {
        params: Params::new().number("terms", terms.count),
        text: format!(
            "fn element(i: u32) -> {} {{ return finish(i, accumulate(i, 0u, terms())); }}",
            output.lane.arithmetic()
        ),
        ..Part::default()
    };
    run(to, &[&terms.shared, &terms.part, finish, &own], output)
}

/// The state of each chunk of each element.
fn chunks(to: &mut Lowering<'_>, terms: &Terms, elements: u32, chunk: u32) -> Lowered<Tensor> {
    let State { wgsl, lane, pack, .. } = terms.state;
    let own = Part {
        params: chunk_params(terms.count, chunk),
        text: format!(
            "fn element(i: u32) -> {} {{\n    \
                 let first = (i % chunks()) * chunk();\n    \
                 let s: {wgsl} = accumulate(i / chunks(), first, min(first + chunk(), terms()));\n    \
                 return {pack};\n\
             }}",
            lane.arithmetic()
        ),
        ..Part::default()
    };
    let states = to.scratch(lane, &[elements, terms.count.div_ceil(chunk)])?;
    run(to, &[&terms.shared, &terms.part, &own], &states)?;
    Ok(states)
}

/// Fewer states.
fn join(to: &mut Lowering<'_>, state: State, states: &Tensor, elements: u32) -> Lowered<Tensor> {
    let count = states.count() / elements;
    let own = Part {
        name: format!("join {}", state.wgsl),
        params: chunk_params(count, JOINED),
        text: format!(
            "fn element(i: u32) -> {} {{\n    \
                 let first = (i % chunks()) * chunk();\n    \
                 let s = joined(i / chunks(), first, min(first + chunk(), terms()));\n    \
                 return {};\n\
             }}",
            state.lane.arithmetic(),
            state.pack
        ),
        ..Part::default()
    };
    let fewer = to.scratch(state.lane, &[elements, count.div_ceil(JOINED)])?;
    run(to, &[&own, &joining(state, states)], &fewer)?;
    Ok(fewer)
}

/// The output, from the last states.
fn last(to: &mut Lowering<'_>, terms: &Terms, states: &Tensor, finish: &Part, output: &Tensor) -> Lowered {
    let own = Part {
        name: format!("last {}", terms.state.wgsl),
        params: Params::new().number("terms", states.count() / output.count()),
        text: format!(
            "fn element(i: u32) -> {} {{ return finish(i, joined(i, 0u, terms())); }}",
            output.lane.arithmetic()
        ),
        ..Part::default()
    };
    run(to, &[&terms.shared, finish, &own, &joining(terms.state, states)], output)
}

/// `fn joined(o: u32, first: u32, end: u32) -> State`, the joined states `first..end` of element `o`.
fn joining(state: State, states: &Tensor) -> Part {
    let State { wgsl, empty, join, unpack, .. } = state;
    let text = format!(
        "fn joined(o: u32, first: u32, end: u32) -> {wgsl} {{\n    \
             var s: {wgsl} = {empty};\n    \
             for (var n = first; n < end; n++) {{\n        \
                 let words = states(o * terms() + n);\n        \
                 let t: {wgsl} = {unpack};\n        \
                 s = {join};\n    \
             }}\n    \
             return s;\n\
         }}\n"
    );
    Part { inputs: vec![states.named("states")], text, ..Part::default() }
}

fn chunk_params(terms: u32, chunk: u32) -> Params {
    Params::new().number("terms", terms).number("chunk", chunk).number("chunks", terms.div_ceil(chunk))
}

/// A kernel put together from its parts.
fn run(to: &mut Lowering<'_>, parts: &[&Part], output: &Tensor) -> Lowered {
    let mut kernel = Kernel {
        name: String::new(),
        inputs: Vec::new(),
        output: output.lane,
        params: Params::new(),
        body: String::new(),
    };
    let mut bound = Vec::new();
    for part in parts {
        let gap = if kernel.name.is_empty() || part.name.is_empty() { "" } else { ", " };
        let _ = write!(kernel.name, "{gap}{}", part.name);
        kernel.inputs.extend(part.inputs.iter().map(|(input, _)| input.clone()));
        kernel.params = kernel.params.and(&part.params);
        kernel.body.push_str(&part.text);
        kernel.body.push('\n');
        bound.extend(part.inputs.iter().map(|(_, tensor)| tensor));
    }
    to.run(&kernel, &bound, output)
}
