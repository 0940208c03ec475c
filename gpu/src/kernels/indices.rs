//! Indices that are data, as the gather and scatter operators take them.
//!
//! A negative index counts from the end, and one out of range points to the nearest in range. 64-bit indices are read
//! as two words, so that they need no feature of the device.

use crate::lower::Tensor;
use crate::wgsl::{Input, Lane};

/// The name, the input and `fn within(i: u32, size: u32) -> u32`: where index `i` points along a dimension.
pub(super) struct Indices {
    /// The indices, as they are read.
    pub(super) tensor: Tensor,
    /// The input `indices`.
    pub(super) input: Input,
    /// The function.
    pub(super) text: &'static str,
}

impl Indices {
    pub(super) fn new(indices: &Tensor) -> Self {
        let tensor = match indices.lane {
            Lane::I64 | Lane::U64 => indices.raw(),
            _ => indices.clone(),
        };
        let text = match tensor.lane {
            Lane::Bits64 => WORDS,
            Lane::U32 => UNSIGNED,
            _ => SIGNED,
        };
        Self { input: Input::new("indices", tensor.lane), tensor, text }
    }
}

const UNSIGNED: &str = "\
fn within(i: u32, size: u32) -> u32 { return min(indices(i), size - 1u); }
";

// A size has 31 bits, and a negative number plus such a one does not overflow.
const SIGNED: &str = "\
fn within(i: u32, size: u32) -> u32 {
    let given = indices(i);
    let from_start = given + select(0, bitcast<i32>(size), given < 0);
    return bitcast<u32>(clamp(from_start, 0, bitcast<i32>(size) - 1));
}
";

// A negative index is in range if adding the size to its low word carries into a high word of ones.
const WORDS: &str = "\
fn within(i: u32, size: u32) -> u32 {
    let given = indices(i);
    if (given.y >= 0x80000000u) {
        let from_start = given.x + size;
        return select(0u, from_start, given.y == 0xffffffffu && from_start < size);
    }
    return select(min(given.x, size - 1u), size - 1u, given.y != 0u);
}
";
