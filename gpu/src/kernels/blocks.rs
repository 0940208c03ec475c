//! The walk of what is divided into blocks, or repeated: along each axis, an element finds its number at its index
//! divided by a block's length, modulo the number of blocks.
//!
//! A [`View`](crate::wgsl::View) would need two dimensions for each of the tensor's, more than it has room for.

use crate::wgsl::{MAX_RANK, Params, row_major};

/// A walk over a tensor of the shape `sizes`.
pub(super) struct Blocks<'a> {
    /// The shape that is walked over.
    pub(super) sizes: &'a [u32],
    /// The shape of the tensor in which the numbers are found.
    pub(super) of: &'a [u32],
    /// The length of a block along each axis.
    pub(super) lengths: &'a [u32],
}

impl Blocks<'_> {
    /// The parameters that [`WGSL`] refers to.
    pub(super) fn params(&self) -> Params {
        let strides = row_major(self.of).into_iter().map(|stride| stride as u32).collect::<Vec<_>>();
        Params::new()
            .list("size", MAX_RANK, self.sizes)
            .list("block", MAX_RANK, self.lengths)
            .list("blocks", MAX_RANK, self.of)
            .list("stride", MAX_RANK, &strides)
    }
}

/// Where element `i` finds its number.
pub(super) const WGSL: &str = "\
fn block_at(i: u32) -> u32 {
    var rest = i;
    var at = 0u;
    for (var d = size_len(); d > 0u; d--) {
        let index = rest % size(d - 1u);
        rest /= size(d - 1u);
        at += ((index / block(d - 1u)) % blocks(d - 1u)) * stride(d - 1u);
    }
    return at;
}
";
