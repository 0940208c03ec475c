//! Windows that slide over the height and width of a padded image, for conv2d and pooling.
//!
//! For each row and each column of the output, what its window meets inside the input is known when the graph is
//! built: which of the window's elements are the first and how many, and where the first lies. That is a table of
//! three numbers each, which kernels look up. They never see padding, and the arithmetic of sizes that script chooses
//! freely, which 32 bits do not hold, is done here.

use webnn_reference::ops::MLInputOperandLayout;

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
}

/// Windows of an image.
pub(super) struct Windows {
    pub(super) rows: Along,
    pub(super) columns: Along,
}

impl Windows {
    /// The table: rows, then columns.
    pub(super) fn table(&self, to: &mut Lowering<'_>) -> Tensor {
        to.table(self.rows.table().chain(self.columns.table()).collect())
    }

    /// How many elements of a window are inside the input, at most.
    pub(super) fn most(&self) -> u32 {
        self.rows.most() * self.columns.most()
    }

    /// What the WGSL below refers to.
    pub(super) fn params(&self) -> Params {
        Params::new()
            .number("output_height", self.rows.output)
            .number("row_dilation", self.rows.dilation)
            .number("column_dilation", self.columns.dilation)
    }
}

/// The table's entries in WGSL. The table is bound as `windows`.
pub(super) const WGSL: &str = "\
struct Window { first: u32, count: u32, input: u32 }
fn window_row(row: u32) -> Window {
    return Window(windows(3u * row), windows(3u * row + 1u), windows(3u * row + 2u));
}
fn window_column(column: u32) -> Window {
    return window_row(output_height() + column);
}
";

/// Sizes and strides of an image's dimensions, in the order batches, channels, height, width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    pub(super) sizes: [u32; 4],
    pub(super) strides: [u32; 4],
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
