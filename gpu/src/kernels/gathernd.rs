//! gatherND: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gathernd>.
//!
//! The last dimension of the indices is a coordinate along the first axes of the input; the element or the slice there
//! is taken.

use crate::kernels::indices::Indices;
use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, MAX_RANK, Params};

pub(crate) fn lower(to: &mut Lowering<'_>, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let [input, output] = [inputs[0].raw(), output.raw()];
    let coordinates = Coordinates::new(&inputs[1], &input.shape);
    let kernel = Kernel {
        name: format!("{} by {:?}", name("gather slices", input.lane), coordinates.indices.input.lane),
        inputs: vec![Input::new("a", input.lane), coordinates.indices.input],
        output: output.lane,
        params: coordinates.params.number("length", coordinates.length),
        body: format!(
            "{}{SLICE}fn element(i: u32) -> {} {{\n    \
                 return a(slice_of(i / length()) * length() + i % length());\n\
             }}",
            coordinates.indices.text,
            output.lane.arithmetic()
        ),
    };
    to.run(&kernel, &[&input, &coordinates.indices.tensor], &output)
}

/// Coordinates along the first axes of a tensor, and what they point to.
pub(super) struct Coordinates {
    pub(super) indices: Indices,
    /// What [`SLICE`] refers to.
    pub(super) params: Params,
    /// The number of coordinates.
    pub(super) count: u32,
    /// The number of slices that there are.
    pub(super) slices: u32,
    /// The number of elements in a slice.
    pub(super) length: u32,
}

impl Coordinates {
    pub(super) fn new(indices: &Tensor, shape: &[u32]) -> Self {
        let (depth, places) = indices.shape.split_last().map_or((0, &[][..]), |(depth, places)| (*depth, places));
        let (along, slice) = shape.split_at(depth as usize);
        Self {
            indices: Indices::new(indices),
            params: Params::new().list("size", MAX_RANK, along),
            count: places.iter().product(),
            slices: along.iter().product(),
            length: slice.iter().product(),
        }
    }
}

/// The number of the slice that a coordinate points to.
pub(super) const SLICE: &str = "\
fn slice_of(place: u32) -> u32 {
    var slice = 0u;
    for (var d = 0u; d < size_len(); d++) {
        slice = slice * size(d) + within(place * size_len() + d, size(d));
    }
    return slice;
}
";
