//! Windows that slide over the height and width of a padded image, for convolutions and pooling.
//!
//! For each row and each column of the output, what its window meets inside the input is known when the graph is
//! built: which of the window's elements are the first and how many, and where the first lies. That is a table of
//! three numbers each, which kernels look up. They never see padding, and the arithmetic of sizes that script chooses
//! freely, which 32 bits do not hold, is done here.

use webnn_reference::ops::MLInputOperandLayout;

use crate::kernels::accumulate::Part;
use crate::lower::{Lowering, Tensor};
use crate::wgsl::{Params, row_major};

/// A window along one dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub(super) input: u32,
    pub(super) output: u32,
    pub(super) window: u32,
    pub(super) beginning_padding: u32,
    pub(super) stride: u32,
    pub(super) dilation: u32,
}

impl Along {
    /// For each place of the window: its first element inside the input, how many are, where the first lies.
    fn table(self) -> impl Iterator<Item = u32> {
        let [input, window, padding, stride, dilation] =
            [self.input, self.window, self.beginning_padding, self.stride, self.dilation].map(u64::from);
        (0..u64::from(self.output)).flat_map(move |place| {
            let start = place * stride;
            let first = padding.saturating_sub(start).div_ceil(dilation);
            let end = (padding + input).saturating_sub(start).div_ceil(dilation).min(window);
            if end <= first {
                return [0, 0, 0];
            }
            // Each is below the size of the window or of the input.
            [first, end - first, start + first * dilation - padding].map(|number| number as u32)
        })
    }

    /// How many elements of a window are inside the input, at most.
    fn most(self) -> u32 {
        self.window.min(self.input)
    }

    fn axis(self) -> Axis {
        Axis { table: self.table().collect(), most: self.most(), input_step: self.dilation, window_step: 1 }
    }
}

/// What kernels know of windows along one dimension.
pub(super) struct Axis {
    /// For each place: the window's first element that meets the input, how many do, where the first lies.
    pub(super) table: Vec<u32>,
    /// How many elements of a window meet the input, at most.
    pub(super) most: u32,
    /// How far apart these are in the input, modulo 2^32.
    pub(super) input_step: u32,
    /// How far apart they are in the window.
    pub(super) window_step: u32,
}

/// Windows of an image, and the images they are in and make.
pub(super) struct Windows {
    pub(super) rows: Axis,
    pub(super) columns: Axis,
    pub(super) from: Image,
    pub(super) onto: Image,
}

impl Windows {
    /// Windows of these sizes, given as for height and width, with the padding of the specification.
    pub(super) fn new(images: [Image; 2], window: [u32; 2], padding: [u32; 4], steps: [[u32; 2]; 2]) -> Self {
        let [from, onto] = images;
        let [strides, dilations] = steps;
        let along = |axis: usize| Along {
            input: from.sizes[2 + axis],
            output: onto.sizes[2 + axis],
            window: window[axis],
            beginning_padding: padding[2 * axis],
            stride: strides[axis],
            dilation: dilations[axis],
        };
        Self { rows: along(0).axis(), columns: along(1).axis(), from, onto }
    }

    /// How many elements of a window are inside the input, at most.
    pub(super) fn most(&self) -> u32 {
        self.rows.most * self.columns.most
    }

    /// The WGSL that finds an element's window, and what it binds.
    pub(super) fn part(&self, to: &mut Lowering<'_>) -> Part {
        let table = to.table([self.rows.table.as_slice(), &self.columns.table].concat());
        let params = Params::new()
            .list("output_size", 4, &self.onto.sizes)
            .list("output_stride", 4, &self.onto.strides)
            .list("input_stride", 4, &self.from.strides)
            .list("input_step", 2, &[self.rows.input_step, self.columns.input_step])
            .list("window_step", 2, &[self.rows.window_step, self.columns.window_step]);
        Part { inputs: vec![table.named("windows")], params, text: WGSL.to_owned(), ..Part::default() }
    }
}

/// Dimensions are counted as in the order batches, channels, height, width, whatever the layout.
const WGSL: &str = "\
fn coordinate(o: u32, d: u32) -> u32 { return (o / output_stride(d)) % output_size(d); }

// The window's first element and the number of elements inside the input, and where the first of those lies.
struct Window { first: u32, count: u32, input: u32 }

fn window(place: u32) -> Window {
    return Window(windows(3u * place), windows(3u * place + 1u), windows(3u * place + 2u));
}

fn window_rows(o: u32) -> Window { return window(coordinate(o, 2u)); }

fn window_columns(o: u32) -> Window { return window(output_size(2u) + coordinate(o, 3u)); }

// How many elements of the window are inside the input.
fn inside(o: u32) -> u32 { return window_rows(o).count * window_columns(o).count; }
";

/// Sizes and strides of an image's dimensions, in the order batches, channels, height, width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    pub(super) sizes: [u32; 4],
    strides: [u32; 4],
}

impl Image {
    pub(super) fn new(tensor: &Tensor, layout: MLInputOperandLayout) -> Self {
        let strides = row_major(&tensor.shape);
        let sizes = std::array::from_fn(|axis| tensor.shape[axis]);
        // The strides of a tensor of 31 bits' worth of elements.
        let strides = std::array::from_fn(|axis| strides[axis] as u32);
        Self { sizes: layout.to_nchw(sizes), strides: layout.to_nchw(strides) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_meets_what_is_inside_the_input() {
        // Of --012--- , windows of three elements, two apart, that move by two: -.0.2, 0.2.-, 2.-.- and -.-.-.
        let along = Along { input: 3, output: 4, window: 3, beginning_padding: 2, stride: 2, dilation: 2 };
        assert_eq!(along.table().collect::<Vec<_>>(), [1, 2, 0, 0, 2, 0, 0, 1, 2, 0, 0, 0]);
        assert_eq!(along.most(), 3);
    }

    #[test]
    fn sizes_beyond_32_bits_are_no_trouble() {
        let far = u32::MAX;
        let along = Along { input: 1, output: 3, window: far, beginning_padding: far, stride: far, dilation: far };
        assert_eq!(along.table().collect::<Vec<_>>(), [1, 1, 0, 0, 1, 0, 0, 0, 0]);
    }
}
