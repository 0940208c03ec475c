//! convTranspose2d: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d>.
//!
//! Seen from the output, an element is a sum over those elements of the filter that some element of the input is spread
//! by: along each dimension, filter index * dilation + input index * stride = place + padding. The solutions are an
//! arithmetic progression, the filter's indices ascending and the input's descending, so they are windows like those of
//! conv2d, with other steps, and conv2d's kernels run over them.

use webnn_reference::ops::convtranspose2d::ConvTranspose2d;

use crate::kernels::conv2d::{Channels, convolve};
use crate::kernels::window::{Axis, Image, Windows};
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::row_major;

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &ConvTranspose2d, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let (input, filter) = (&inputs[0], &inputs[1]);
    let layout = operation.filter_layout;
    let sizes: [u32; 4] = layout.to_iohw(std::array::from_fn(|axis| filter.shape[axis]));
    let strides = row_major(&filter.shape);
    // Below 2^31, like all elements.
    let [channel_stride, output_stride, row_stride, column_stride] =
        layout.to_iohw(std::array::from_fn(|axis| strides[axis] as u32));
    let [from, onto] = [input, output].map(|image| Image::new(image, operation.input_layout));
    let along = |axis: usize| Spread {
        input: from.sizes[2 + axis],
        output: onto.sizes[2 + axis],
        filter: sizes[2 + axis],
        padding: operation.padding[2 * axis],
        stride: operation.strides[axis],
        dilation: operation.dilations[axis],
    };
    let windows = Windows { rows: along(0).axis(), columns: along(1).axis(), from, onto };
    let of_group = sizes[0] / operation.groups;
    let channels = Channels {
        of_group,
        outputs_of_group: sizes[1],
        group_stride: of_group * channel_stride,
        strides: [output_stride, channel_stride, row_stride, column_stride],
    };
    let bias = operation.bias.and_then(|_| inputs.get(2));
    convolve(to, &windows, &channels, [input, filter], bias, output)
}

/// An input that a filter spreads along one dimension.
#[derive(Clone, Copy, Debug)]
struct Spread {
    input: u32,
    output: u32,
    filter: u32,
    padding: u32,
    stride: u32,
    dilation: u32,
}

impl Spread {
    fn axis(self) -> Axis {
        let (common, inverse) = euclid(i128::from(self.dilation), i128::from(self.stride));
        let table = (0..self.output).flat_map(|place| self.window(place, common, inverse)).collect::<Vec<_>>();
        let most = table.iter().skip(1).step_by(3).copied().max().unwrap_or(0);
        // Quotients of numbers of 32 bits. The input is walked backwards, modulo 2^32.
        let input_step = (self.dilation / common as u32).wrapping_neg();
        Axis { table, most, input_step, window_step: self.stride / common as u32 }
    }

    /// The first element of the filter that reaches a place, how many do, and which of the input the first one spreads.
    fn window(self, place: u32, common: i128, inverse: i128) -> [u32; 3] {
        let [input, filter, stride, dilation] = [self.input, self.filter, self.stride, self.dilation].map(i128::from);
        let reach = i128::from(place) + i128::from(self.padding);
        let step = stride / common;
        // What is left for the input must not be beyond its last element, nor before its first.
        let least = (reach - (input - 1) * stride).max(0);
        let least = least / dilation + i128::from(least % dilation > 0);
        let end = (reach / dilation).min(filter - 1) + 1;
        let solution = (reach / common * inverse).rem_euclid(step);
        let first = least + (solution - least).rem_euclid(step);
        if reach % common != 0 || first >= end {
            return [0, 0, 0];
        }
        // Each is below the size of the filter or of the input.
        [first, (end - 1 - first) / step + 1, (reach - first * dilation) / stride].map(|number| number as u32)
    }
}

/// The greatest common divisor of two numbers, and by what the first is multiplied to be that modulo the second.
fn euclid(a: i128, b: i128) -> (i128, i128) {
    let (mut rest, mut next) = (a, b);
    let (mut factor, mut next_factor) = (1, 0);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    (rest, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of a filter's and an input's index that meet at a place.
    fn pairs(spread: Spread, place: u32) -> Vec<(u32, u32)> {
        let reach = place + spread.padding;
        let all = (0..spread.filter).flat_map(|f| (0..spread.input).map(move |i| (f, i)));
        all.filter(|(f, i)| f * spread.dilation + i * spread.stride == reach).collect()
    }

    #[test]
    fn windows_are_the_solutions() {
        for (stride, dilation) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (2, 3), (4, 6), (6, 4), (5, 5)] {
            for padding in 0..3 {
                let spread = Spread { input: 4, output: 24, filter: 5, padding, stride, dilation };
                let axis = spread.axis();
                for place in 0..spread.output {
                    let window = &axis.table[3 * place as usize..][..3];
                    let walked = (0..window[1]).map(|n| {
                        (window[0] + n * axis.window_step, window[2].wrapping_add(n.wrapping_mul(axis.input_step)))
                    });
                    assert_eq!(walked.collect::<Vec<_>>(), pairs(spread, place), "{spread:?} at {place}");
                    assert!(window[1] <= axis.most);
                }
            }
        }
    }

    #[test]
    fn sizes_beyond_32_bits_are_no_trouble() {
        let far = u32::MAX;
        let spread = Spread { input: 2, output: 2, filter: 2, padding: far, stride: far, dilation: far };
        // At padding + 0, the input's second element by the filter's first, and the first by the second.
        assert_eq!(spread.axis().table, [0, 2, 1, 0, 0, 0]);
    }
}
