//! Broadcasting: <https://www.w3.org/TR/webnn/#algorithms-broadcasting>.

use crate::{algorithm, step};

/// <https://www.w3.org/TR/webnn/#unidirectionally-broadcast-the-shapes>; `None` is failure.
pub fn unidirectionally_broadcast(shape_from: &[u32], shape_to: &[u32]) -> Option<Vec<u32>> {
    algorithm!("unidirectionally broadcast the shapes");
    step!("1");
    let size_from = shape_from.len();
    step!("2");
    let size_to = shape_to.len();
    step!("3");
    if size_from > size_to {
        return None;
    }
    step!("4");
    step!("5");
    let padded_shape_from = prepended(shape_from, size_to);
    step!("6");
    let mut output_shape = Vec::new();
    step!("7");
    for index in 0..size_to {
        step!("7.1");
        let dim_from = padded_shape_from[index];
        step!("7.2");
        let dim_to = shape_to[index];
        step!("7.3");
        if dim_to != dim_from && dim_from != 1 {
            return None;
        }
        step!("7.4");
        output_shape.push(dim_to);
    }
    step!("8");
    Some(output_shape)
}

/// <https://www.w3.org/TR/webnn/#unidirectionally-broadcastable>
pub fn is_unidirectionally_broadcastable(shape_from: &[u32], shape_to: &[u32]) -> bool {
    algorithm!("unidirectionally broadcastable");
    unidirectionally_broadcast(shape_from, shape_to).is_some()
}

/// <https://www.w3.org/TR/webnn/#bidirectionally-broadcast-the-shapes>; `None` is failure.
pub fn bidirectionally_broadcast(shape_a: &[u32], shape_b: &[u32]) -> Option<Vec<u32>> {
    algorithm!("bidirectionally broadcast the shapes");
    step!("1");
    let size_a = shape_a.len();
    step!("2");
    let size_b = shape_b.len();
    step!("3");
    let output_size = size_a.max(size_b);
    step!("4");
    step!("5");
    let padded_a = prepended(shape_a, output_size);
    step!("6");
    step!("7");
    let padded_b = prepended(shape_b, output_size);
    step!("8");
    let mut output_shape = Vec::new();
    step!("9");
    for index in 0..output_size {
        step!("9.1");
        let dim_a = padded_a[index];
        step!("9.2");
        let dim_b = padded_b[index];
        step!("9.3");
        if dim_a != dim_b && dim_a != 1 && dim_b != 1 {
            return None;
        }
        step!("9.4");
        output_shape.push(dim_a.max(dim_b));
    }
    step!("10");
    Some(output_shape)
}

/// <https://www.w3.org/TR/webnn/#bidirectionally-broadcastable>
pub fn is_bidirectionally_broadcastable(shape_a: &[u32], shape_b: &[u32]) -> bool {
    algorithm!("bidirectionally broadcastable");
    bidirectionally_broadcast(shape_a, shape_b).is_some()
}

/// <https://www.w3.org/TR/webnn/#blockwise-broadcast-the-shapes>
pub fn blockwise_broadcast(shape_from: &[u32], shape_to: &[u32]) -> bool {
    algorithm!("blockwise broadcast the shapes");
    step!("1");
    if shape_from.len() != shape_to.len() {
        return false;
    }
    step!("2");
    for index in 0..shape_to.len() {
        step!("2.1");
        if shape_from[index] == 0 || !shape_to[index].is_multiple_of(shape_from[index]) {
            return false;
        }
    }
    step!("3");
    true
}

/// <https://www.w3.org/TR/webnn/#blockwise-broadcastable>
pub fn is_blockwise_broadcastable(shape_from: &[u32], shape_to: &[u32]) -> bool {
    algorithm!("blockwise broadcastable");
    blockwise_broadcast(shape_from, shape_to)
}

/// A clone of `shape`, with 1 prepended until its size is `size`.
fn prepended(shape: &[u32], size: usize) -> Vec<u32> {
    let mut padded = vec![1; size.saturating_sub(shape.len())];
    padded.extend_from_slice(shape);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_only_the_first_shape_is_stretched() {
        assert_eq!(unidirectionally_broadcast(&[4], &[5, 4]), Some(vec![5, 4]));
        assert_eq!(unidirectionally_broadcast(&[5, 1], &[1, 6]), None);
        assert_eq!(unidirectionally_broadcast(&[1, 4], &[4]), None);
        assert_eq!(unidirectionally_broadcast(&[], &[]), Some(vec![]));
    }

    #[test]
    fn both_ways_either_shape_is_stretched() {
        assert_eq!(bidirectionally_broadcast(&[5, 1], &[1, 6]), Some(vec![5, 6]));
        assert_eq!(bidirectionally_broadcast(&[2, 3], &[3, 2]), None);
        assert_eq!(bidirectionally_broadcast(&[], &[3]), Some(vec![3]));
    }

    #[test]
    fn blocks_divide_every_dimension() {
        assert!(blockwise_broadcast(&[4, 5], &[16, 10]));
        assert!(!blockwise_broadcast(&[4, 5], &[9, 3]));
        assert!(!blockwise_broadcast(&[4], &[4, 4]));
    }
}
