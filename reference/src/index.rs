//! The algebra of shapes and indices: how the elements of a tensor lie in row-major order.

use crate::number::size;

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
