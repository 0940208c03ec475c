//! The algebra of shapes and indices: how the elements of a tensor lie in row-major order.

use crate::number::{Integer, signed, size};

/// How far apart, in row-major order, neighbours along each axis are.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// A shape seen along one axis: so many rows before it, its own dimension, so many elements after it.
///
/// Element `(before, index, after)` lies at `(before * dimension + index) * after_count + after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// The product of the dimensions before the axis.
    pub before: usize,
    /// The dimension of the axis.
    pub dimension: usize,
    /// The product of the dimensions after the axis.
    pub after: usize,
}

impl Along {
    /// `shape` seen along `axis`.
    pub fn new(shape: &[usize], axis: u32) -> Self {
        let axis = size(axis);
        Self {
            before: shape[..axis].iter().product(),
            dimension: shape[axis],
            after: shape[axis + 1..].iter().product(),
        }
    }

    /// Where an element lies.
    pub fn offset(&self, before: usize, index: usize, after: usize) -> usize {
        (before * self.dimension + index) * self.after + after
    }
}

/// Where an index that is given as data points to along a dimension.
///
/// A negative index counts from the end. What one out of range points to is left open by the specification, in a note
/// that implementations can clamp it; like web-platform-tests, this takes the nearest index in range.
pub fn within(index: Integer, dimension: usize) -> usize {
    let dimension = signed(dimension);
    let from_the_start = if index.0 < 0 { index.0 + dimension } else { index.0 };
    usize::try_from(from_the_start.min(dimension - 1).max(0)).expect("no greater than a dimension")
}

/// The index of the block to which an element belongs, where a tensor of `shape` is divided into as many blocks, all of
/// one size, as a tensor of the shape `blocks` has elements.
pub fn block(index: &[usize], blocks: &[usize], shape: &[usize]) -> Vec<usize> {
    let along = index.iter().zip(blocks).zip(shape);
    along.map(|((index, blocks), dimension)| index / (dimension / blocks)).collect()
}

/// All axes of a tensor of this rank, in order.
pub fn axes(rank: usize) -> Vec<u32> {
    (0..).take(rank).collect()
}

/// A window that slides along one axis of a padded input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sliding {
    /// The dimension of the input, without padding.
    pub input_size: usize,
    /// How many elements of the padded input the window has.
    pub window_size: usize,
    /// The padding before the first element of the input.
    pub beginning_padding: usize,
    /// How far the window moves.
    pub stride: usize,
    /// How far apart the elements of the window are.
    pub dilation: usize,
}

impl Sliding {
    /// The elements of the window at its place `output_index` that lie inside the input: the index of each in the window
    /// and its index in the input.
    pub fn inside(self, output_index: usize) -> impl Iterator<Item = (usize, usize)> {
        let Self { input_size, window_size, beginning_padding, stride, dilation } = self;
        let start = output_index * stride;
        let first = beginning_padding.saturating_sub(start).div_ceil(dilation);
        let end = (beginning_padding + input_size).saturating_sub(start).div_ceil(dilation);
        (first..end.min(window_size)).map(move |index| (index, start + index * dilation - beginning_padding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_major() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(strides(&[]), [0usize; 0]);
        let along = Along::new(&[2, 3, 4], 1);
        assert_eq!(along, Along { before: 2, dimension: 3, after: 4 });
        assert_eq!(along.offset(1, 2, 3), 23);
    }

    #[test]
    fn neighbours_share_a_block() {
        let of = |column| block(&[1, column], &[2, 3], &[2, 6]);
        assert_eq!([0, 1, 2, 5].map(of), [[1, 0], [1, 0], [1, 1], [1, 2]]);
    }

    #[test]
    fn an_index_counts_from_either_end_and_is_clamped() {
        let within = |index| within(std::num::Wrapping(index), 3);
        assert_eq!([0, 2, -1, -3].map(within), [0, 2, 2, 0]);
        assert_eq!([3, -4, i128::from(i64::MAX), i128::from(i64::MIN)].map(within), [2, 0, 2, 0]);
    }

    #[test]
    fn a_window_leaves_out_what_lies_in_the_padding() {
        let window = Sliding { input_size: 4, window_size: 3, beginning_padding: 3, stride: 2, dilation: 2 };
        let inside = |output_index| window.inside(output_index).collect::<Vec<_>>();
        // Of the padded input ---0123--, the windows take -.-.1, -.0.2, 1.3.- and 3.-.-.
        assert_eq!(inside(0), [(2, 1)]);
        assert_eq!(inside(1), [(1, 1), (2, 3)]);
        assert_eq!(inside(2), [(0, 1), (1, 3)]);
        assert_eq!(inside(3), [(0, 3)]);
        assert_eq!(inside(4), []);
    }
}
