//! concat: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-concat>.
//!
//! Seen along the axis, a tensor is so many rows, and a row of the output is the rows of the inputs one after another.
//! A kernel binds as many inputs as a device has bindings for, at most 30, and WebNN allows 8192; beyond that, groups
//! are concatenated first, and then their results, like the levels of a tree. Each level moves every element once.
//!
//! Kernels are made for 2, 4, 8, 16 and 30 inputs; places left over are bound to the smallest input and never read.

use webnn_reference::ops::concat::Concat;

use crate::kernels::strided;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::split;
use crate::wgsl::{Input, Kernel, Params};

/// The numbers of inputs that there are kernels for.
const ARITIES: [usize; 5] = [2, 4, 8, 16, 30];

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Concat, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let axis = operation.axis as usize;
    let mut inputs = inputs.iter().map(Tensor::raw).collect::<Vec<_>>();
    loop {
        let first = group(to, &inputs);
        // All of them, or too large for any kernel, which is going to say so.
        if first == inputs.len() || first < 2 {
            return join(to, &inputs, axis, &output.raw());
        }
        inputs = level(to, &inputs, axis)?;
    }
}

/// Joins inputs in groups.
fn level(to: &mut Lowering<'_>, mut inputs: &[Tensor], axis: usize) -> Lowered<Vec<Tensor>> {
    let mut joined = Vec::new();
    while !inputs.is_empty() {
        let (members, rest) = inputs.split_at(group(to, inputs).max(1));
        inputs = rest;
        if let [only] = members {
            joined.push(only.clone());
            continue;
        }
        let mut shape = members[0].shape.clone();
        shape[axis] = members.iter().map(|input| input.shape[axis]).sum();
        let output = to.scratch(members[0].lane, &shape)?;
        join(to, members, axis, &output)?;
        joined.push(output);
    }
    Ok(joined)
}

/// How many inputs, from the first on, one kernel takes.
fn group(to: &Lowering<'_>, inputs: &[Tensor]) -> usize {
    // One binding is for the output and one for the parameters.
    let room = to.bounds().bindings.saturating_sub(2);
    let most = inputs.len().min(ARITIES[ARITIES.len() - 1]);
    let parts = inputs[..most].iter().map(|input| split::parts(input, to.bounds())).collect::<Vec<_>>();
    let fits = |count: usize| {
        let least = parts[..count].iter().min().copied().unwrap_or(1);
        let unused = arity(count).map(|arity| arity - count);
        unused.is_some_and(|unused| parts[..count].iter().sum::<usize>() + unused * least <= room)
    };
    (1..=most).rfind(|count| fits(*count)).unwrap_or(0)
}

/// The places of the kernel that takes so many inputs.
fn arity(count: usize) -> Option<usize> {
    ARITIES.into_iter().find(|arity| *arity >= count)
}

fn join(to: &mut Lowering<'_>, inputs: &[Tensor], axis: usize, output: &Tensor) -> Lowered {
    if let [only] = inputs {
        return strided::copy(to, only, output);
    }
    let arity = arity(inputs.len()).unwrap_or(inputs.len());
    let row = |tensor: &Tensor| tensor.shape[axis..].iter().product::<u32>();
    let lengths = inputs.iter().map(row).collect::<Vec<_>>();
    let ends = lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    // No element is beyond the end of an unused place, so none is in one.
    let mut ends = ends.collect::<Vec<_>>();
    ends.resize(arity, row(output));
    let kernel = Kernel {
        name: super::name(&format!("concat {arity}"), output.lane),
        inputs: (0..arity).map(|place| Input::new(&format!("a{place}"), output.lane)).collect(),
        output: output.lane,
        params: Params::new().number("row", row(output)).list("end", arity, &ends).list("run", arity, &lengths),
        body: body(arity, output.lane.arithmetic()),
    };
    let least = inputs.iter().min_by_key(|input| input.bytes()).unwrap_or(output);
    let bound = (0..arity).map(|place| inputs.get(place).unwrap_or(least)).collect::<Vec<_>>();
    to.run(&kernel, &bound, output)
}

/// Finds the input whose part of the row element `i` is in.
fn body(arity: usize, result: &str) -> String {
    let cases = (1..arity).map(|place| format!("        case {place}u: {{ return a{place}(at); }}\n"));
    let cases = cases.collect::<String>();
    let steps = (1..arity).map(|place| format!("    place = select(place, {place}u, along >= end({}u));\n", place - 1));
    let steps = steps.collect::<String>();
    format!(
        "fn element(i: u32) -> {result} {{\n    \
             let along = i % row();\n    \
             var place = 0u;\n\
         {steps}    \
             let at = (i / row()) * run(place) + (along + run(place) - end(place));\n    \
             switch place {{\n\
         {cases}        \
                 default: {{ return a0(at); }}\n    \
             }}\n\
         }}"
    )
}
