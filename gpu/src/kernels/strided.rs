//! The template of what only moves elements: each element of the output is one of the input, at a strided place.
//!
//! Elements are moved as bits, so that NaN keeps its payload and 64-bit integers need no feature of the device. A
//! copy does not even look where an element ends: it moves 32-bit words, and all data types share its kernel.
//!
//! Where the elements are consecutive, they need not be moved at all: the output may be a part of the input's memory.

use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Params, View};

/// All elements, in their order.
pub(super) fn copy(to: &mut Lowering<'_>, input: &Tensor, output: &Tensor) -> Lowered {
    if to.shares(input, 0, output)? {
        return Ok(());
    }
    let (input, output) = (input.words(), output.words());
    let kernel = Kernel {
        name: "copy".to_owned(),
        inputs: vec![Input::new("a", input.lane)],
        output: output.lane,
        params: Params::new(),
        body: "fn element(i: u32) -> u32 { return a(i); }".to_owned(),
    };
    to.run(&kernel, &[&input], &output)
}

/// The elements that a view of the input walks over.
pub(super) fn gather(to: &mut Lowering<'_>, view: &View, input: &Tensor, output: &Tensor) -> Lowered {
    if let Some(first) = view.run()
        && to.shares(input, first, output)?
    {
        return Ok(());
    }
    let (input, output) = (input.raw(), output.raw());
    let kernel = Kernel {
        name: super::name("gather", input.lane),
        inputs: vec![Input::new("a", input.lane)],
        output: output.lane,
        params: Params::new().view("a_at", view.collapsed()),
        body: format!("fn element(i: u32) -> {} {{ return a(a_at(i)); }}", output.lane.arithmetic()),
    };
    to.run(&kernel, &[&input], &output)
}
