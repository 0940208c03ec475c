//! scatterElements: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements>.
//!
//! Each element of the output looks for the last update that points to it, in three steps, here and for scatterND:
//! where each update points; for each target, the last update that points there, if any, which may be one of many and
//! so is found by [`accumulate`]; the elements. Of several updates of one element the last in row-major order stays,
//! always, which writing where the updates point would not give without atomic operations.

use webnn_reference::ops::scatterelements::ScatterElements;

use crate::kernels::accumulate::{self, Part, State, Terms};
use crate::kernels::indices::Indices;
use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &ScatterElements, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let axis = operation.axis as usize;
    let (input, indices) = (&inputs[0], &inputs[1]);
    let targets = targets(to, indices, input.shape[axis])?;
    let winners = Search {
        targets: &targets,
        size: input.shape[axis],
        length: input.shape[axis + 1..].iter().product(),
        updates: indices.shape[axis],
    };
    let winners = winners.lower(to, output.count())?;
    replaced(to, [input, &winners, &inputs[2]], 1, output)
}

/// Where each update points along the axis.
fn targets(to: &mut Lowering<'_>, indices: &Tensor, size: u32) -> Lowered<Tensor> {
    let targets = to.scratch(Lane::U32, &[indices.count()])?;
    let indices = Indices::new(indices);
    let kernel = Kernel {
        name: name("targets", indices.input.lane),
        inputs: vec![indices.input],
        output: targets.lane,
        params: Params::new().number("size", size),
        body: format!("{}fn element(i: u32) -> u32 {{ return within(i, size()); }}", indices.text),
    };
    to.run(&kernel, &[&indices.tensor], &targets)?;
    Ok(targets)
}

/// The search for the last update of each target. Targets are blocks of `size` rows of `length`, updates blocks of
/// `updates` rows, and an update points to a row of its block.
pub(super) struct Search<'a> {
    /// The row that each update points to.
    pub(super) targets: &'a Tensor,
    pub(super) size: u32,
    pub(super) length: u32,
    pub(super) updates: u32,
}

impl Search<'_> {
    /// For each target, 0 if no update points to it, or else the number of the last that does, counted from 1.
    pub(super) fn lower(&self, to: &mut Lowering<'_>, targets: u32) -> Lowered<Tensor> {
        let terms = Terms {
            part: Part {
                name: "last update".to_owned(),
                inputs: vec![self.targets.named("targets")],
                params: Params::new()
                    .number("size", self.size)
                    .number("length", self.length)
                    .number("updates", self.updates),
                text: SEARCH.to_owned(),
            },
            shared: Part::default(),
            count: self.updates,
            iterations: 1,
            state: State::number(Lane::U32, "max(s, t)", "0u"),
        };
        let finish = Part { text: "fn finish(o: u32, s: u32) -> u32 { return s; }\n".to_owned(), ..Part::default() };
        let winners = to.scratch(Lane::U32, &[targets])?;
        accumulate::lower(to, &terms, &finish, &winners)?;
        Ok(winners)
    }
}

const SEARCH: &str = "\
fn accumulate(o: u32, first: u32, end: u32) -> u32 {
    let along = (o / length()) % size();
    let start = (o / length() / size()) * updates() * length() + o % length();
    var s = 0u;
    for (var n = first; n < end; n++) {
        let at = start + n * length();
        s = select(s, at + 1u, targets(at) == along);
    }
    return s;
}
";

/// The elements: of the input, or in slices of `length` the last update.
pub(super) fn replaced(to: &mut Lowering<'_>, inputs: [&Tensor; 3], length: u32, output: &Tensor) -> Lowered {
    let [input, winners, updates] = [inputs[0].raw(), inputs[1].clone(), inputs[2].raw()];
    let output = output.raw();
    let kernel = Kernel {
        name: name("scatter", output.lane),
        inputs: vec![Input::new("a", input.lane), Input::new("winner", winners.lane), Input::new("b", updates.lane)],
        output: output.lane,
        params: Params::new().number("length", length),
        body: format!(
            "fn element(i: u32) -> {} {{\n    \
                 let update = winner(i / length());\n    \
                 if (update == 0u) {{ return a(i); }}\n    \
                 return b((update - 1u) * length() + i % length());\n\
             }}",
            output.lane.arithmetic()
        ),
    };
    to.run(&kernel, &[&input, &winners, &updates], &output)
}
