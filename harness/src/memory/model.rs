//! Models: square matrices, one after another, in a file. What a graph of them computes depends on every byte.

use std::cell::RefCell;
use std::hash::Hasher;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::Result;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::supply::{Blob, Unreadable};
use webnn_weights::safetensors::{Tensor, write};
use webnn_weights::{Error, SafeTensors};

/// The file of a workload's weights.
pub(crate) const FILE: &str = "model.safetensors";

/// The numbers of a model are so many, over and over. It is a prime, so that bytes which end up where others belong are
/// others, however they were cut into pieces.
const PERIOD: usize = 1_048_573;
/// The largest side of a matrix: 64 MiB, which every device binds.
const LARGEST_SIDE: u32 = 4096;

/// Square matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    side: u32,
    count: u64,
}

impl Model {
    /// About so many bytes in about so many matrices, or more where they would be too large.
    pub(crate) fn of(bytes: u64, matrices: u64) -> Self {
        let side = (bytes / matrices / 4).isqrt() / 16 * 16;
        Self::of_side(bytes, side.clamp(16, LARGEST_SIDE.into()) as u32)
    }

    /// About so many bytes in matrices of this side.
    pub(crate) fn of_side(bytes: u64, side: u32) -> Self {
        let matrix = 4 * u64::from(side) * u64::from(side);
        Self { side, count: ((bytes + matrix / 2) / matrix).max(1) }
    }

    /// The side of its matrices.
    pub(crate) fn side(self) -> u32 {
        self.side
    }

    fn tensors(self, part: &str) -> impl Iterator<Item = (String, MLOperandDescriptor)> {
        (0..self.count).map(move |number| (format!("{part}.{number}"), float32(&[self.side, self.side])))
    }
}

/// The tensors of the parts of a model, each with its name.
pub(crate) fn tensors_of(parts: &[(&str, Model)]) -> Vec<(String, MLOperandDescriptor)> {
    parts.iter().flat_map(|(part, model)| model.tensors(part)).collect()
}

/// Writes a file of tensors of float32.
///
/// # Errors
/// If it can not be written.
pub(crate) fn write_tensors(
    folder: &Path,
    tensors: &[(String, MLOperandDescriptor)],
) -> std::result::Result<(), Error> {
    let rows = tensors.first().map_or(1, |(_, descriptor)| descriptor.shape[0]);
    let noise = Noise::for_rows(rows);
    let starts: Vec<u64> = tensors
        .iter()
        .scan(0, |end, (_, descriptor)| {
            let start = *end;
            *end += descriptor.byte_length();
            Some(start)
        })
        .collect();
    write(folder.join(FILE), tensors, |index, offset, piece| noise.fill(starts[index] + offset, piece))
}

/// The tensors of a part of a file, in their order.
///
/// # Errors
/// If the file has a tensor that no operand can be.
pub(crate) fn part(file: &SafeTensors, name: &str) -> std::result::Result<Vec<Tensor>, Error> {
    let of_part = |tensor: &&String| tensor.rsplit_once('.').is_some_and(|(part, _)| part == name);
    file.names().iter().filter(of_part).map(|tensor| file.tensor(tensor)).collect()
}

/// A row times each matrix, each product through tanh.
///
/// # Errors
/// If the builder refuses a call.
pub(crate) fn chain(builder: &MLGraphBuilder, matrices: &[MLOperand]) -> Result<MLOperand> {
    let side = matrices.first().map_or(1, |matrix| matrix.shape()[0]);
    let mut x = builder.input("x", &row(side))?;
    for matrix in matrices {
        x = builder.tanh(&builder.matmul(&x, matrix, &MLOperatorOptions::default())?, &MLOperatorOptions::default())?;
    }
    Ok(x)
}

/// A row of so many numbers.
pub(crate) fn row(length: u32) -> MLOperandDescriptor {
    float32(&[1, length])
}

/// A tensor of float32.
pub(crate) fn float32(shape: &[u32]) -> MLOperandDescriptor {
    MLOperandDescriptor::create(MLOperandDataType::Float32, shape)
}

/// Numbers around 0 that are the same on every machine, without an end.
#[derive(Clone, Debug)]
pub(crate) struct Noise {
    bytes: Vec<u8>,
}

impl Noise {
    /// Numbers whose products with a row of so many, summed up, are neither too large nor too small to go on with.
    pub(crate) fn for_rows(rows: u32) -> Self {
        Self::of_numbers(rows, PERIOD)
    }

    /// The first bytes of the noise for rows of so many. It makes no more than it needs, so that it costs little where
    /// something is measured.
    pub(crate) fn beginning(rows: u32, bytes: u64) -> Vec<u8> {
        let numbers = PERIOD.min(bytes.div_ceil(4) as usize);
        let noise = Self::of_numbers(rows, numbers);
        if numbers < PERIOD {
            let Self { bytes: mut all } = noise;
            all.truncate(bytes as usize);
            return all;
        }
        let mut all = vec![0; bytes as usize];
        noise.fill(0, &mut all);
        all
    }

    fn of_numbers(rows: u32, count: usize) -> Self {
        let scale = 2.6 / f64::from(rows).sqrt();
        let mut generator = Pcg64Mcg::seed_from_u64(901);
        let mut number = || (f64::from(generator.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0) * scale;
        Self { bytes: (0..count).flat_map(|_| (number() as f32).to_le_bytes()).collect() }
    }

    /// Fills a piece with the bytes that begin at `offset`.
    pub(crate) fn fill(&self, offset: u64, piece: &mut [u8]) {
        let mut at = (offset % self.bytes.len() as u64) as usize;
        let mut filled = 0;
        while filled < piece.len() {
            let count = (piece.len() - filled).min(self.bytes.len() - at);
            piece[filled..filled + count].copy_from_slice(&self.bytes[at..at + count]);
            filled += count;
            at = 0;
        }
    }
}

/// Noise as a blob, from this place on.
#[derive(Debug)]
pub(crate) struct NoiseBlob {
    noise: Arc<Noise>,
    start: u64,
    length: u64,
}

impl NoiseBlob {
    /// So many bytes from there on.
    pub(crate) fn new(noise: &Arc<Noise>, start: u64, length: u64) -> Rc<Self> {
        Rc::new(Self { noise: Arc::clone(noise), start, length })
    }
}

impl Blob for NoiseBlob {
    fn size(&self) -> u64 {
        self.length
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> std::result::Result<(), Unreadable> {
        self.noise.fill(self.start + offset, into);
        Ok(())
    }
}

/// A short text that differs where bits do.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

/// Draws two different numbers below `count`, the same ones in every run.
#[derive(Debug)]
pub(crate) struct Router(RefCell<Pcg64Mcg>);

impl Router {
    /// A router that begins anew.
    pub(crate) fn new() -> Self {
        Self(RefCell::new(Pcg64Mcg::seed_from_u64(780)))
    }

    /// The next two.
    pub(crate) fn route(&self, count: usize) -> [usize; 2] {
        let mut generator = self.0.borrow_mut();
        let mut draw = |below: usize| (generator.next_u64() % below as u64) as usize;
        let (first, other) = (draw(count), draw(count - 1));
        [first, if other < first { other } else { other + 1 }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_about_the_bytes_that_were_asked_for() {
        for (bytes, matrices) in [(64u64 << 20, 16), (4 << 30, 16), (1 << 20, 16), (50 << 20, 2), (1 << 16, 2)] {
            let model = Model::of(bytes, matrices);
            let there: u64 = model.tensors("a").map(|(_, tensor)| tensor.byte_length()).sum();
            assert!(there.abs_diff(bytes) < bytes / 5, "{there} of {bytes}");
        }
    }

    #[test]
    fn noise_is_the_same_however_it_is_cut() {
        let noise = Noise::for_rows(64);
        let whole = Noise::beginning(64, 3 * PERIOD as u64 * 4);
        let mut piece = vec![0; 5000];
        for offset in [0, 1, PERIOD * 4 - 7, PERIOD * 8 - 3] {
            noise.fill(offset as u64, &mut piece);
            assert!(piece == whole[offset..offset + 5000], "{offset}");
        }
        assert!(Noise::beginning(64, 4999)[..] == whole[..4999]);
        // Pieces of a power of two do not repeat.
        assert_ne!(whole[..64], whole[1 << 22..][..64]);
    }

    #[test]
    fn routes_are_of_two_and_come_again() {
        let routes = |router: Router| -> Vec<[usize; 2]> { (0..100).map(|_| router.route(8)).collect() };
        let drawn = routes(Router::new());
        assert!(drawn.iter().all(|[a, b]| a != b && *a < 8 && *b < 8));
        assert!((0..8).all(|expert| drawn.iter().flatten().any(|drawn| *drawn == expert)));
        assert_eq!(drawn, routes(Router::new()));
    }
}
