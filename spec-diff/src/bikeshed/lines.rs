//! Offsets in a text, and the lines they are on.

use std::ops::Range;

/// Where the lines of a text begin.
pub(super) struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(offset, _)| offset + 1);
        Self { starts: std::iter::once(0).chain(after_breaks).collect(), len: text.len() }
    }

    /// The number, from 1, of the line that has this offset.
    pub(super) fn number_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// All lines, with their breaks.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.starts.iter().skip(1).copied().chain(std::iter::once(self.len));
        self.starts.iter().copied().zip(ends).map(|(start, end)| start..end)
    }
}
