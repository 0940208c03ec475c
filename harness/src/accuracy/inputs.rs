//! The numbers that operators are measured on.
//!
//! One operand: all float16 numbers, all 8-bit integers, and of the other types a sample that has every exponent. The
//! sample is stratified: between two powers of two, the numbers lie at even distances, each moved a little at random.
//! Two operands: each pair of a smaller sample of the same kind.

use half::f16;
use webnn_reference::data_type::MLOperandDataType;

use crate::execute::Tensor;

/// How many float32 numbers there are between two powers of two, and on each side of zero: 2^20 in all.
const STRATA: u32 = 1 << 11;

/// How many integers there are of each length in bits.
const OF_LENGTH: u32 = 1 << 9;

/// Every `every`-th number of a type, or of its sample.
pub(super) fn numbers(data_type: MLOperandDataType, every: usize) -> Tensor {
    let bytes = match data_type {
        MLOperandDataType::Float16 => bytes_of(0..=u16::MAX, every, u16::to_le_bytes),
        MLOperandDataType::Float32 => bytes_of(floats(STRATA).into_iter().chain(edges()), every, u32::to_le_bytes),
        MLOperandDataType::Int8 | MLOperandDataType::Uint8 => bytes_of(0..=u8::MAX, every, u8::to_le_bytes),
        MLOperandDataType::Int32 | MLOperandDataType::Uint32 => {
            bytes_of(integers(32).map(low_word), every, u32::to_le_bytes)
        }
        MLOperandDataType::Int64 | MLOperandDataType::Uint64 => bytes_of(integers(64), every, u64::to_le_bytes),
    };
    vector(data_type, bytes)
}

/// Every `every`-th pair of floats.
pub(super) fn pairs(data_type: MLOperandDataType, every: usize) -> [Tensor; 2] {
    let some: Vec<[u8; 4]> = match data_type {
        MLOperandDataType::Float16 => halves().into_iter().map(|bits| u32::from(bits).to_le_bytes()).collect(),
        _ => floats(2).into_iter().map(u32::to_le_bytes).collect(),
    };
    let size = if data_type == MLOperandDataType::Float16 { 2 } else { 4 };
    let mut bytes = [Vec::new(), Vec::new()];
    for (a, b) in some.iter().flat_map(|a| some.iter().map(move |b| (a, b))).step_by(every) {
        bytes[0].extend(&a[..size]);
        bytes[1].extend(&b[..size]);
    }
    bytes.map(|bytes| vector(data_type, bytes))
}

fn vector(data_type: MLOperandDataType, bytes: Vec<u8>) -> Tensor {
    let count = u64::try_from(bytes.len()).unwrap_or(u64::MAX) / data_type.element_size();
    Tensor { data_type, shape: vec![u32::try_from(count).unwrap_or(u32::MAX)], bytes }
}

fn bytes_of<T, const N: usize>(bits: impl Iterator<Item = T>, every: usize, bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    bits.step_by(every).flat_map(bytes).collect()
}

/// The bits of float32 numbers: of each sign and exponent, so many significands. The first has no fraction, so that
/// powers of two, zeros and infinities are there; the last has all ones.
fn floats(strata: u32) -> Vec<u32> {
    let mut random = Random::new();
    let width = (1 << 23) / strata;
    let mut all = Vec::new();
    for sign_and_exponent in 0..512_u32 {
        for stratum in 0..strata {
            let moved = match stratum {
                0 => 0,
                last if last == strata - 1 => width - 1,
                _ => low_word(random.next()) % width,
            };
            all.push((sign_and_exponent << 23) | (stratum * width + moved));
        }
    }
    all
}

/// Halves from -128 to 128 with both neighbours, where functions that round or change over are busy; and the least
/// numbers, subnormal and normal.
fn edges() -> impl Iterator<Item = u32> {
    let halves = (1..=256_u16).map(|n| (f32::from(n) / 2.0).to_bits());
    let least = [1, 2, 3, 0x0080_0000 - 1, 0x0080_0000, 0x0080_0000 + 1];
    let all = halves.flat_map(|bits| [bits - 1, bits, bits + 1]).chain(least);
    all.flat_map(|bits| [bits, bits | (1 << 31)])
}

/// The bits of float16 numbers: of each sign and exponent, eight significands.
fn halves() -> Vec<u16> {
    let mut random = Random::new();
    let significands = |sign_and_exponent: u16| {
        let moved = [0, 1, 511, 512, 513, 1022, 1023].map(|significand| (sign_and_exponent << 10) | significand);
        moved.into_iter().chain([(sign_and_exponent << 10) | (low_half(random.next()) & 0x3ff)])
    };
    let all: Vec<u16> = (0..64).flat_map(significands).collect();
    debug_assert!(all.iter().any(|bits| f16::from_bits(*bits) == f16::ONE));
    all
}

/// Integers of up to `bits` bits: of each length some at random, and some near which float16 or float32 has to choose
/// between two neighbours. They are taken as signed or not, so that half of them are negative in a signed type.
fn integers(bits: u32) -> impl Iterator<Item = u64> {
    let mut random = Random::new();
    let mask = u64::MAX >> (64 - bits);
    let lengths = (1..=bits).flat_map(move |length| {
        let leading = 1_u64 << (length - 1);
        let any = (0..OF_LENGTH).map(|_| random.next() & (leading - 1) | leading).collect::<Vec<_>>();
        // Half-way between numbers of 11 and of 24 bits, and one to each side.
        let ties = [11, 24].into_iter().filter(move |precision| length > *precision).flat_map(move |precision| {
            let half = leading >> precision;
            [leading, leading | (half << 1), leading | (leading - 1)].map(|number| number & !(half - 1) | half)
        });
        let near = ties.flat_map(|tie| [tie - 1, tie, tie + 1]).collect::<Vec<_>>();
        any.into_iter().chain(near)
    });
    let all = lengths.chain([0]);
    all.flat_map(move |number| [number & mask, number.wrapping_neg() & mask])
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
fn low_word(bits: u64) -> u32 {
    bits as u32
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
fn low_half(bits: u64) -> u16 {
    bits as u16
}

/// A reproducible stream of bits (Marsaglia's xorshift64*).
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(0x5eed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}
