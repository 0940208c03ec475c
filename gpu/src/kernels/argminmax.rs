//! argMin/argMax operations: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax>.
//!
//! Every element becomes a key, an integer that is greater the more extreme the element is: NaN most of all, both
//! zeros alike. The state is the greatest key so far and where it was first met, so states are joined in order. 64-bit
//! elements are taken as two words, which needs no 64-bit integers of the device.

use webnn_reference::ops::argminmax::{ArgMinMax, Extreme};

use crate::kernels::accumulate::{self, Part, State};
use crate::kernels::name;
use crate::kernels::reduce::Runs;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::Lane;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &ArgMinMax, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let lane = inputs[0].lane;
    let wide = lane.bytes() == 8;
    let input = if wide { inputs[0].raw() } else { inputs[0].clone() };
    let (state, add) = if wide { (WIDE, "wide_step(s, key(x), n)") } else { (NARROW, "narrow_step(s, key(x), n)") };
    let mut terms = Runs::new(&input, &[operation.axis]).terms(&name(operation.extreme.as_str(), lane), state, add);
    terms.part.text.push_str(&key(operation.extreme, lane));
    terms.part.text.push_str(if wide { WIDE_STEP } else { NARROW_STEP });
    let output = output.raw();
    let (found, result) = (if wide { "s.z" } else { "s.y" }, output.lane.arithmetic());
    let index = if output.lane == Lane::Bits64 { format!("vec2<u32>({found}, 0u)") } else { found.to_owned() };
    let text = format!("fn finish(o: u32, s: {}) -> {result} {{ return {index}; }}\n", state.wgsl);
    accumulate::lower(to, &terms, &Part { text, ..Part::default() }, &output)
}

/// The key and the place. No element's key is below that of no elements, whose place is the first.
const NARROW: State = State {
    wgsl: "vec2<u32>",
    lane: Lane::Bits64,
    empty: "vec2<u32>()",
    join: "select(s, t, t.x > s.x)",
    pack: "s",
    unpack: "words",
};

const NARROW_STEP: &str = "\
fn narrow_step(s: vec2<u32>, key: u32, n: u32) -> vec2<u32> { return select(s, vec2<u32>(key, n), key > s.x); }
";

/// The key's high and low word, and the place.
const WIDE: State = State {
    wgsl: "vec4<u32>",
    lane: Lane::Bits128,
    empty: "vec4<u32>()",
    join: "select(s, t, t.x > s.x || (t.x == s.x && t.y > s.y))",
    pack: "s",
    unpack: "words",
};

const WIDE_STEP: &str = "\
fn wide_step(s: vec4<u32>, key: vec2<u32>, n: u32) -> vec4<u32> {
    return select(s, vec4<u32>(key, n, 0u), key.x > s.x || (key.x == s.x && key.y > s.y));
}
";

/// `fn key(x: T) -> u32`, or to two words, the high one first.
fn key(extreme: Extreme, lane: Lane) -> String {
    // The greatest first, or the least.
    let turn = match extreme {
        Extreme::ArgMax => "",
        Extreme::ArgMin => "~",
    };
    let sign = "0x80000000u";
    let (kind, result, value) = match lane {
        Lane::F32 | Lane::F16 => {
            ("f32", "u32", format!("select({turn}(bitcast<u32>(f32_key(x)) ^ {sign}), 0xffffffffu, f32_is_nan(x))"))
        }
        Lane::I32 | Lane::I8 => ("i32", "u32", format!("{turn}(bitcast<u32>(x) ^ {sign})")),
        Lane::I64 => ("vec2<u32>", "vec2<u32>", format!("{turn}vec2<u32>(x.y ^ {sign}, x.x)")),
        Lane::U64 => ("vec2<u32>", "vec2<u32>", format!("{turn}x.yx")),
        _ => ("u32", "u32", format!("{turn}x")),
    };
    format!("fn key(x: {kind}) -> {result} {{ return {value}; }}\n")
}
