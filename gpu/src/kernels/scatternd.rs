//! scatterND: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatternd>.
//!
//! As scatterElements, with slices for elements and one axis of all slices.

use crate::kernels::gathernd::{Coordinates, SLICE};
use crate::kernels::name;
use crate::kernels::scatterelements::{Search, replaced};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Kernel, Lane};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (input, updates) = (&inputs[0], &inputs[2]);
    let coordinates = Coordinates::new(&inputs[1], &input.shape);
    let (count, slices, length) = (coordinates.count, coordinates.slices, coordinates.length);
    let targets = targets(to, coordinates)?;
    let winners = Search { targets: &targets, size: slices, length: 1, updates: count }.lower(to, slices)?;
    replaced(to, [input, &winners, updates], length, output)
}

/// The slice that each update replaces.
fn targets(to: &mut Lowering<'_>, coordinates: Coordinates) -> Lowered<Tensor> {
    let targets = to.scratch(Lane::U32, &[coordinates.count])?;
    let kernel = Kernel {
        name: name("target slices", coordinates.indices.input.lane),
        inputs: vec![coordinates.indices.input],
        output: targets.lane,
        params: coordinates.params,
        body: format!("{}{SLICE}fn element(i: u32) -> u32 {{ return slice_of(i); }}", coordinates.indices.text),
    };
    to.run(&kernel, &[&coordinates.indices.tensor], &targets)?;
    Ok(targets)
}
