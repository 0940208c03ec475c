//! Numbers: `MLNumber`, and the arithmetic of the interpreter.
//!
//! The specification's algorithms say nothing of values, so this layer is ours. Each operator computes with
//! [`Float`] (binary64) or [`Integer`] (128 bits) from the elements as stored, and rounds once, to nearest with ties
//! to even, to its output's type; float16 is rounded from binary64 directly. 64-bit integers never pass through a
//! float. Results that do not fit an integer type wrap: 128 bits are enough for sums and products of 64-bit integers to
//! be right modulo 2^64, however many there are.
//!
//! All conversions with `as` that this crate needs stand in this file.

use std::fmt::Debug;
use std::num::Wrapping;
use std::ops::{Add, Mul, Neg, Sub};

use half::f16;

use crate::data_type::MLOperandDataType;

/// A number that script passes: <https://www.w3.org/TR/webnn/#typedefdef-mlnumber>.
///
/// A `bigint` beyond 128 bits is represented by the nearest one of 128: every conversion clamps to 64 at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MLNumber {
    /// A `bigint`.
    BigInt(i128),
    /// An `unrestricted double`.
    Double(f64),
}

impl MLNumber {
    /// The number as a double, the nearest one if it is a `bigint` beyond 2^53.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::BigInt(integer) => integer as f64,
            Self::Double(double) => double,
        }
    }
}

impl std::fmt::Display for MLNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BigInt(integer) => write!(f, "{integer}"),
            Self::Double(double) => write!(f, "{double}"),
        }
    }
}

impl From<f64> for MLNumber {
    fn from(double: f64) -> Self {
        Self::Double(double)
    }
}

/// Floating point numbers as the interpreter computes with them.
pub type Float = f64;

/// Integers as the interpreter computes with them.
pub type Integer = Wrapping<i128>;

/// What the interpreter can compute with: [`Float`] or [`Integer`].
pub trait Number:
    Copy + Debug + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The value of an option that was cast to the operand's data type.
    fn from_option(number: MLNumber) -> Self;
    /// The nearest double.
    fn to_f64(self) -> f64;
    /// Whether it is no number, which no integer is.
    fn is_nan(self) -> bool;
}

impl Number for Float {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    fn from_option(number: MLNumber) -> Self {
        number.to_f64()
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

impl Number for Integer {
    const ZERO: Self = Wrapping(0);
    const ONE: Self = Wrapping(1);
    fn from_option(number: MLNumber) -> Self {
        match number {
            MLNumber::BigInt(integer) => Wrapping(integer),
            MLNumber::Double(double) => Wrapping(double as i128),
        }
    }
    fn to_f64(self) -> f64 {
        self.0 as f64
    }
    fn is_nan(self) -> bool {
        false
    }
}

/// The greater of two numbers; NaN if either is.
pub fn maximum<N: Number>(a: N, b: N) -> N {
    if a.is_nan() || a >= b { a } else { b }
}

/// The lesser of two numbers; NaN if either is.
pub fn minimum<N: Number>(a: N, b: N) -> N {
    if a.is_nan() || a <= b { a } else { b }
}

/// The sum of floats, as exact as if it were added up with twice the precision (Neumaier's summation).
pub fn sum(numbers: impl Iterator<Item = Float>) -> Float {
    let mut sum = Sum::default();
    numbers.for_each(|number| sum.add(number));
    sum.value()
}

/// A [`sum`] while it grows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    sum: Float,
    lost: Float,
}

impl Sum {
    /// Adds a number.
    pub fn add(&mut self, number: Float) {
        let next = self.sum + number;
        let (greater, lesser) = if self.sum.abs() >= number.abs() { (self.sum, number) } else { (number, self.sum) };
        self.lost += (greater - next) + lesser;
        self.sum = next;
    }

    /// The sum of the numbers that were added.
    pub fn value(&self) -> Float {
        // What an infinity has lost is NaN.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// The product of floats that are in the range of float32, whose magnitude is kept where it can neither overflow nor
/// underflow on the way to a result that does not.
pub fn product(numbers: impl Iterator<Item = Float>) -> Float {
    let (large, small) = (Float::powi(2.0, 512), Float::powi(2.0, -512));
    let (mut product, mut exponent) = (1.0, 0i64);
    for number in numbers {
        product *= number;
        if product.abs() >= large && product.is_finite() {
            product *= small;
            exponent += 1;
        } else if product.abs() <= small && product != 0.0 {
            product *= large;
            exponent -= 1;
        }
    }
    match exponent {
        0 => product,
        1 => product * large,
        -1 => product * small,
        // Beyond the range of float32 in any case.
        2.. => product * large * large,
        ..=-2 => product * small * small,
    }
}

/// A fraction, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    /// The fraction of a numerator of no more than 100 bits and a denominator.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn new(numerator: i128, denominator: u32) -> Self {
        assert_ne!(denominator, 0, "a stride of 0 is not valid");
        Self { numerator, denominator: i128::from(denominator) }
    }

    /// Rounded toward -Infinity.
    pub fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    /// Rounded toward +Infinity.
    pub fn ceil(self) -> i128 {
        -(-self.numerator).div_euclid(self.denominator)
    }
}

impl Add<i32> for Fraction {
    type Output = Self;
    fn add(self, integer: i32) -> Self {
        Self { numerator: self.numerator + i128::from(integer) * self.denominator, ..self }
    }
}

/// An element of a tensor, in the type in which it is stored.
pub trait Element: Copy + Debug + Default + PartialEq + 'static {
    /// What is computed with.
    type Number: Number;
    /// The data type of which this is an element.
    const DATA_TYPE: MLOperandDataType;
    /// The least element: -Infinity of a floating point type.
    const LEAST: Self;
    /// The number that the element stands for, exactly.
    fn number(self) -> Self::Number;
    /// The element nearest to `number`, ties to even; an integer that does not fit wraps.
    fn rounded(number: Self::Number) -> Self;
    /// Appends the elements' bytes, little-endian.
    fn write(elements: &[Self], bytes: &mut Vec<u8>);
    /// The elements that `bytes` holds, little-endian; a rest that is no whole element is left out.
    fn read(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self>;
}

/// Elements whose number is a float.
pub trait FloatElement: Element<Number = Float> {}
impl FloatElement for f32 {}
impl FloatElement for f16 {}

/// One `impl Element`: the two directions of the conversion are all that differs between the types.
macro_rules! element {
    ($type:ty, $data_type:ident, $number:ty, $least:expr, $widen:expr, $round:expr) => {
        impl Element for $type {
            type Number = $number;
            const DATA_TYPE: MLOperandDataType = MLOperandDataType::$data_type;
            const LEAST: Self = $least;
            fn number(self) -> $number {
                $widen(self)
            }
            fn rounded(number: $number) -> Self {
                $round(number)
            }
            fn write(elements: &[Self], bytes: &mut Vec<u8>) {
                let begin = bytes.len();
                bytes.resize(begin + std::mem::size_of_val(elements), 0);
                let (places, _rest) = bytes[begin..].as_chunks_mut();
                for (place, element) in places.iter_mut().zip(elements) {
                    *place = element.to_le_bytes();
                }
            }
            fn read(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> {
                let (elements, _rest) = bytes.as_chunks();
                elements.iter().map(|element| Self::from_le_bytes(*element))
            }
        }
    };
}

element!(f32, Float32, Float, f32::NEG_INFINITY, f64::from, |number| number as f32);
element!(f16, Float16, Float, f16::NEG_INFINITY, f64::from, nearest_f16);
element!(i32, Int32, Integer, i32::MIN, |element| Wrapping(i128::from(element)), |number: Integer| number.0 as i32);
element!(u32, Uint32, Integer, u32::MIN, |element| Wrapping(i128::from(element)), |number: Integer| number.0 as u32);
element!(i64, Int64, Integer, i64::MIN, |element| Wrapping(i128::from(element)), |number: Integer| number.0 as i64);
element!(u64, Uint64, Integer, u64::MIN, |element| Wrapping(i128::from(element)), |number: Integer| number.0 as u64);
element!(i8, Int8, Integer, i8::MIN, |element| Wrapping(i128::from(element)), |number: Integer| number.0 as i8);
element!(u8, Uint8, Integer, u8::MIN, |element| Wrapping(i128::from(element)), |number: Integer| number.0 as u8);

/// The float16 nearest to `number`, ties to even.
///
/// `f16::from_f64` goes by way of float32 on some processors, and so rounds twice. Here the float32 on the way is
/// rounded *to odd*: cut off, with its last bit set if anything was lost. It has more than two bits more than float16, so
/// the second rounding sees on which side of a tie the number lies. Boldo and Melquiond, "Emulation of FMA and correctly
/// rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers 57 (2008).
#[inline]
fn nearest_f16(number: f64) -> f16 {
    let nearest = number as f32;
    let widened = f64::from(nearest);
    if widened == number || number.is_nan() || nearest.is_infinite() {
        return f16::from_f32(nearest);
    }
    // Consecutive floats of one sign have consecutive bits, and away from zero they grow.
    let toward_zero = if widened.abs() > number.abs() { nearest.to_bits() - 1 } else { nearest.to_bits() };
    f16::from_f32(f32::from_bits(toward_zero | 1))
}

/// The integer part of `number`, toward zero; the nearest of 128 bits beyond them, and 0 for NaN.
pub fn truncated(number: Float) -> Integer {
    Wrapping(number as i128)
}

/// How many bytes there are.
pub(crate) fn byte_count(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

/// A size or an index in memory.
pub fn size(dimension: u32) -> usize {
    dimension as usize
}

/// A size or an index as a number that differences can be taken of.
pub fn signed(size: usize) -> i128 {
    size as i128
}

/// A count as a float, for the mean.
pub fn count(elements: usize) -> Float {
    elements as f64
}

/// Rounds to float32, to nearest with ties to even.
pub fn to_float32(number: MLNumber) -> f64 {
    match number {
        MLNumber::BigInt(integer) => f64::from(integer as f32),
        MLNumber::Double(double) => f64::from(double as f32),
    }
}

/// Rounds to float16, to nearest with ties to even, not by way of float32.
///
/// The integers that binary64 can not hold exactly are all beyond the range of float16.
pub fn to_float16(number: MLNumber) -> f64 {
    f64::from(nearest_f16(number.to_f64()))
}

/// The integer nearest to a finite `number`, ties to even, clamped to `lower..=upper`.
pub fn to_integer(number: f64, lower: i128, upper: i128) -> i128 {
    (number.round_ties_even() as i128).clamp(lower, upper)
}

/// The integer that a float is, if it is in the range of an `unsigned long`.
pub fn exact_u32(number: f64) -> Option<u32> {
    (number >= 0.0 && number <= f64::from(u32::MAX)).then_some(number as u32)
}

/// The integer part of a float modulo 2^32, as an `unsigned long` is converted without `[EnforceRange]`; 0 for what is
/// not finite.
pub fn modulo_u32(number: f64) -> u32 {
    number.trunc().rem_euclid(4_294_967_296.0) as u32
}

/// The integer that a float is, if it is in the range of a `long`.
pub fn exact_i32(number: f64) -> Option<i32> {
    (number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX)).then_some(number as i32)
}

/// The number that the operator's option `data_type` holds after casting: used where elements are made from options.
pub fn element_of<T: Element>(number: MLNumber) -> T {
    T::rounded(T::Number::from_option(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float16_is_rounded_once() {
        // 1 + 2^-11 + 2^-40 lies just above the middle of 1 and 1 + 2^-10; by way of float32 it would be the middle.
        let number = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(to_float16(MLNumber::Double(number)), 1.0 + 2f64.powi(-10));
        assert_eq!(f64::from(f16::from_f32(number as f32)), 1.0);
    }

    #[test]
    fn products_overflow_only_if_the_result_does() {
        let run = |first: (f64, usize), then: (f64, usize)| {
            product(std::iter::repeat_n(first.0, first.1).chain(std::iter::repeat_n(then.0, then.1)))
        };
        approx::assert_relative_eq!(run((1e-38, 20), (1e38, 19)), 1e-38, max_relative = 1e-13);
        approx::assert_relative_eq!(run((1e38, 20), (1e-38, 19)), 1e38, max_relative = 1e-13);
        approx::assert_relative_eq!(run((1e38, 5), (1e-38, 4)), 1e38, max_relative = 1e-13);
        approx::assert_relative_eq!(run((1e38, 60), (1e-38, 60)), 1.0, max_relative = 1e-13);
        assert_eq!(run((1e38, 20), (1.0, 1)), f64::INFINITY);
        assert_eq!(run((1e-38, 30), (1.0, 1)), 0.0);
    }

    #[test]
    fn products_of_integers_wrap_as_if_the_type_did() {
        let factors = [i64::MIN + 3; 9];
        let product = factors.iter().fold(Integer::ONE, |product, factor| product * factor.number());
        let wrapped = factors.iter().fold(1i64, |product, factor| product.wrapping_mul(*factor));
        assert_eq!(i64::rounded(product), wrapped);
    }
}
