//! Views: from an output's linear index to an input's offset.
//!
//! Broadcasting, transposing, slicing and reversing are all the same walk: unravel the index by the output's
//! shape, then sum coordinate times stride. A broadcast dimension has stride 0; a reversed one a negative stride,
//! which wraps modulo 2^32 and comes out right.
//!
//! In the baked form the walk is written out for the one shape, after dropping dimensions of size 1 and merging
//! neighbours that are contiguous in both; a plain copy becomes `return index;`.

use std::fmt::Write as _;

/// The highest rank that dynamic parameters make room for.
pub const MAX_RANK: usize = 8;

/// Where each element of an output finds its operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    shape: Vec<u32>,
    strides: Vec<i64>,
    offset: u32,
}

impl View {
    /// A view that walks `shape` with these strides, in elements, from `offset`.
    ///
    /// # Panics
    /// If shape and strides differ in length, or the rank is above [`MAX_RANK`].
    pub fn new(shape: &[u32], strides: &[i64], offset: u32) -> Self {
        assert_eq!(shape.len(), strides.len(), "a stride for each dimension");
        assert!(shape.len() <= MAX_RANK, "rank {} is above {MAX_RANK}", shape.len());
        Self { shape: shape.to_vec(), strides: strides.to_vec(), offset }
    }

    /// The identity on a tensor of this shape.
    pub fn contiguous(shape: &[u32]) -> Self {
        Self::new(shape, &row_major(shape), 0)
    }

    /// A tensor of shape `from`, seen in the shape `to` that it broadcasts to.
    pub fn broadcast(from: &[u32], to: &[u32]) -> Self {
        let missing = to.len() - from.len();
        let strides = row_major(from);
        let stretched = (0..to.len()).map(|d| {
            let stays = d >= missing && from[d - missing] == to[d];
            if stays { strides[d - missing] } else { 0 }
        });
        Self::new(to, &stretched.collect::<Vec<_>>(), 0)
    }

    /// The same walk in as few dimensions as it needs, at least one: those of size 1 are dropped, and neighbours that
    /// are contiguous merged. The dynamic form then loops less.
    #[must_use]
    pub fn collapsed(&self) -> Self {
        let merged = self.merged();
        let (shape, strides) = if merged.is_empty() { (vec![1], vec![0]) } else { merged.into_iter().unzip() };
        Self { shape, strides, offset: self.offset }
    }

    /// Where the view begins, if it walks through consecutive elements.
    pub(crate) fn run(&self) -> Option<u32> {
        match self.merged()[..] {
            [] | [(_, 1)] => Some(self.offset),
            _ => None,
        }
    }

    /// Whether it finds each of `count` elements at its own index.
    pub(crate) fn is_identity(&self, count: u32) -> bool {
        self.run() == Some(0) && self.shape.iter().product::<u32>() == count
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The words of the dynamic form: rank, then sizes and strides at fixed places, then the offset.
    pub(super) fn words(&self) -> Vec<u32> {
        let mut words = vec![0; 2 * MAX_RANK + 2];
        words[0] = self.shape.len() as u32;
        words[1..=self.shape.len()].copy_from_slice(&self.shape);
        for (word, stride) in words[1 + MAX_RANK..].iter_mut().zip(&self.strides) {
            *word = wrapped(*stride);
        }
        words[2 * MAX_RANK + 1] = self.offset;
        words
    }

    /// `fn name(index: u32) -> u32` that reads its numbers from `params`, starting at `at`.
    pub(super) fn dynamic(name: &str, at: usize) -> String {
        let (shape, strides, offset) = (at + 1, at + 1 + MAX_RANK, at + 2 * MAX_RANK + 1);
        format!(
            "fn {name}(index: u32) -> u32 {{\n    \
                 var rest = index;\n    \
                 var at = params_words[{offset}u];\n    \
                 for (var d = params_words[{at}u]; d > 0u; d--) {{\n        \
                     let size = params_words[{shape}u + d - 1u];\n        \
                     at += (rest % size) * params_words[{strides}u + d - 1u];\n        \
                     rest /= size;\n    \
                 }}\n    \
                 return at;\n\
             }}\n"
        )
    }

    /// The same function with its numbers written out.
    pub(super) fn baked(&self, name: &str) -> String {
        let merged = self.merged();
        let mut text = format!("fn {name}(index: u32) -> u32 {{\n");
        if let [(_, stride)] = merged[..] {
            let _ = writeln!(text, "    return {}u + index * {}u;", self.offset, wrapped(stride));
        } else {
            let _ = write!(text, "    var rest = index;\n    var at = {}u;\n", self.offset);
            for (size, stride) in merged.iter().rev() {
                let stride = wrapped(*stride);
                if stride != 0 {
                    let _ = writeln!(text, "    at += (rest % {size}u) * {stride}u;");
                }
                let _ = writeln!(text, "    rest /= {size}u;");
            }
            text.push_str("    return at;\n");
        }
        text.push_str("}\n");
        text
    }

    /// Sizes and strides without dimensions of size 1, contiguous neighbours merged.
    fn merged(&self) -> Vec<(u32, i64)> {
        let mut merged: Vec<(u32, i64)> = Vec::new();
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            if size == 1 {
                continue;
            }
            match merged.last_mut() {
                Some(last) if last.1 == stride * i64::from(size) => *last = (last.0 * size, stride),
                _ => merged.push((size, stride)),
            }
        }
        merged
    }
}

/// The strides of a tensor whose last dimension varies fastest.
pub fn row_major(shape: &[u32]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        strides[d - 1] = strides[d] * i64::from(shape[d]);
    }
    strides
}

/// A stride modulo 2^32, as the kernel's arithmetic has it.
fn wrapped(stride: i64) -> u32 {
    stride as u32
}
