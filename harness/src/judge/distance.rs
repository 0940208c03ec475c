//! How far two numbers of one data type are apart.
//!
//! In ULP, floats are counted along their sign-magnitude order, in which +0 and -0 are the same place, and integers by
//! their difference. NaN is at distance 0 from NaN and infinitely far from everything else, whatever the metric; so is an
//! infinity from a finite number under an absolute tolerance.

use half::f16;
use webnn_reference::data_type::MLOperandDataType;
use webnn_vectors::{Data, MetricType, Tolerance};

use crate::execute::Tensor;

/// How many bytes are compared at once, about: whole elements of any type.
const AT_ONCE: usize = 1 << 16;

/// A distance, in the unit of its metric.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Distance {
    /// Units in the last place.
    Ulp(u64),
    /// An absolute difference.
    Absolute(f64),
    /// Further than anything finite.
    Infinite,
}

impl Distance {
    pub(crate) const ZERO: Self = Self::Ulp(0);

    /// The larger; distances of different metrics are ordered by metric.
    pub(crate) fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Self::Ulp(0)) || self == Self::Absolute(0.0)
    }
}

impl std::fmt::Display for Distance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ulp(ulp) => write!(f, "{ulp} ULP"),
            Self::Absolute(difference) => write!(f, "{difference:e}"),
            Self::Infinite => f.write_str("infinite"),
        }
    }
}

/// As it is written in result files.
impl std::str::FromStr for Distance {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_suffix(" ULP").and_then(|ulp| ulp.parse().ok()) {
            Some(ulp) => Ok(Self::Ulp(ulp)),
            None if text == "infinite" => Ok(Self::Infinite),
            None => text.parse().map(Self::Absolute),
        }
    }
}

/// The distance that a vector allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Allowed {
    /// None at all.
    Exact,
    /// So many units in the last place.
    Ulp(u64),
    /// An absolute difference.
    Absolute(f64),
}

impl From<Tolerance> for Allowed {
    fn from(tolerance: Tolerance) -> Self {
        match (tolerance.metric_type, tolerance.value) {
            (_, None) => Self::Exact,
            (MetricType::Ulp, Some(value)) => Self::Ulp(whole(value)),
            (MetricType::Atol, Some(value)) => Self::Absolute(value),
        }
    }
}

/// A number of ULP; distances are whole, so a fraction allows no more than the whole below it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, which is what is meant")]
fn whole(value: f64) -> u64 {
    value as u64
}

impl Allowed {
    pub(super) fn allows(self, distance: Distance) -> bool {
        match (self, distance) {
            (_, Distance::Infinite) => false,
            (Self::Ulp(allowed), Distance::Ulp(distance)) => distance <= allowed,
            (Self::Absolute(allowed), Distance::Absolute(distance)) => distance <= allowed,
            (_, distance) => distance.is_zero(),
        }
    }

    fn is_absolute(self) -> bool {
        matches!(self, Self::Absolute(_))
    }
}

impl std::fmt::Display for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact => f.write_str("none (exact)"),
            Self::Ulp(ulp) => write!(f, "{ulp} ULP"),
            Self::Absolute(difference) => write!(f, "{difference:e} (absolute)"),
        }
    }
}

/// An element whose distance is not allowed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outside {
    pub(crate) index: usize,
    pub(crate) expected: String,
    pub(crate) actual: String,
    pub(crate) distance: Distance,
}

/// The result of comparing all elements of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    /// The largest distance.
    pub(crate) worst: Distance,
    /// Whether all elements have the same bits, NaN aside.
    pub(crate) bit_equal: bool,
    /// The first element that is further off than allowed.
    pub(crate) first_outside: Option<Outside>,
}

/// An element of one of the data types.
trait Element: Copy + PartialEq + std::fmt::Display {
    fn read(bytes: &[u8]) -> impl Iterator<Item = Self>;
    fn to_f64(self) -> f64;
    /// Its place in the order along which ULP are counted.
    fn place(self) -> i128;
    /// The absolute difference, from the exact one.
    fn gap(self, other: Self) -> f64;
    fn same_bits(self, other: Self) -> bool;
}

macro_rules! float_element {
    ($type:ty, $bits:ty, $signed:ty) => {
        impl Element for $type {
            fn read(bytes: &[u8]) -> impl Iterator<Item = Self> {
                let (elements, _rest) = bytes.as_chunks();
                elements.iter().map(|element| Self::from_le_bytes(*element))
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn place(self) -> i128 {
                let magnitude = i128::from(self.to_bits() & (<$bits>::MAX >> 1));
                if self.is_sign_negative() { -magnitude } else { magnitude }
            }
            fn gap(self, other: Self) -> f64 {
                (f64::from(self) - f64::from(other)).abs()
            }
            fn same_bits(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }
    };
}

float_element!(f32, u32, i32);
float_element!(f16, u16, i16);

macro_rules! integer_element {
    ($($type:ty),*) => {$(
        impl Element for $type {
            fn read(bytes: &[u8]) -> impl Iterator<Item = Self> {
                let (elements, _rest) = bytes.as_chunks();
                elements.iter().map(|element| Self::from_le_bytes(*element))
            }
            #[allow(clippy::cast_lossless, clippy::allow_attributes, reason = "one macro for all widths")]
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn place(self) -> i128 {
                i128::from(self)
            }
            #[expect(clippy::cast_precision_loss, reason = "the nearest double of the exact difference")]
            fn gap(self, other: Self) -> f64 {
                (i128::from(self) - i128::from(other)).unsigned_abs() as f64
            }
            fn same_bits(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}

integer_element!(i32, u32, i64, u64, i8, u8);

fn distance<T: Element>(actual: T, expected: T, absolute: bool) -> Distance {
    let (a, b) = (actual.to_f64(), expected.to_f64());
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() && b.is_nan() { Distance::ZERO } else { Distance::Infinite };
    }
    if !absolute {
        return Distance::Ulp(u64::try_from((actual.place() - expected.place()).unsigned_abs()).unwrap_or(u64::MAX));
    }
    if actual == expected {
        Distance::Absolute(0.0)
    } else if a.is_infinite() || b.is_infinite() {
        Distance::Infinite
    } else {
        Distance::Absolute(actual.gap(expected))
    }
}

/// Compares a tensor with the data that a vector expects.
pub(crate) fn compare(actual: &Tensor, expected: &Data, allowed: Allowed) -> Comparison {
    match actual.data_type {
        MLOperandDataType::Float32 => compare_as::<f32>(actual, expected, allowed),
        MLOperandDataType::Float16 => compare_as::<f16>(actual, expected, allowed),
        MLOperandDataType::Int32 => compare_as::<i32>(actual, expected, allowed),
        MLOperandDataType::Uint32 => compare_as::<u32>(actual, expected, allowed),
        MLOperandDataType::Int64 => compare_as::<i64>(actual, expected, allowed),
        MLOperandDataType::Uint64 => compare_as::<u64>(actual, expected, allowed),
        MLOperandDataType::Int8 => compare_as::<i8>(actual, expected, allowed),
        MLOperandDataType::Uint8 => compare_as::<u8>(actual, expected, allowed),
    }
}

/// Numbers that a file repeats are converted once, and compared with every element that they stand for.
fn compare_as<T: Element>(actual: &Tensor, expected: &Data, allowed: Allowed) -> Comparison {
    let pattern = bytes(actual.data_type, expected);
    let all: u64 = actual.shape.iter().copied().map(u64::from).product();
    let given = u64::try_from(actual.bytes.len() / std::mem::size_of::<T>()).unwrap_or(u64::MAX);
    if given != all || (pattern.is_empty() && all > 0) {
        return Comparison {
            worst: Distance::Infinite,
            bit_equal: false,
            first_outside: Some(Outside {
                index: 0,
                expected: format!("{all} elements"),
                actual: format!("{given} elements"),
                distance: Distance::Infinite,
            }),
        };
    }
    let times = AT_ONCE.min(actual.bytes.len()).div_ceil(pattern.len().max(1));
    compare_elements::<T>(&actual.bytes, &pattern.repeat(times.max(1)), allowed)
}

fn compare_elements<T: Element>(actual: &[u8], expected: &[u8], allowed: Allowed) -> Comparison {
    let zero = if allowed.is_absolute() { Distance::Absolute(0.0) } else { Distance::ZERO };
    let mut comparison = Comparison { worst: zero, bit_equal: true, first_outside: None };
    for (index, actual, expected) in unequal::<T>(actual, expected) {
        comparison.bit_equal = false;
        let distance = distance(actual, expected, allowed.is_absolute());
        comparison.worst = comparison.worst.max(distance);
        if comparison.first_outside.is_none() && !allowed.allows(distance) {
            let (expected, actual) = (expected.to_string(), actual.to_string());
            comparison.first_outside = Some(Outside { index, expected, actual, distance });
        }
    }
    comparison
}

/// The elements that have other bits than what is expected, which is repeated as often as it takes, and their indices.
///
/// Most have the same, so parts are compared as bytes first, which is many times faster.
fn unequal<T: Element>(actual: &[u8], expected: &[u8]) -> impl Iterator<Item = (usize, T, T)> {
    let at_once = if actual.len() == expected.len() { AT_ONCE } else { expected.len().max(1) };
    let parts = actual.chunks(at_once).zip(expected.chunks(at_once).cycle()).enumerate();
    let unequal = parts.filter(|(_, (actual, expected))| !expected.starts_with(actual));
    unequal.flat_map(move |(part, (actual, expected))| {
        let first = part * at_once / std::mem::size_of::<T>();
        let elements = T::read(actual).zip(T::read(expected)).enumerate();
        elements.filter(|(_, (a, b))| !a.same_bits(*b)).map(move |(index, (a, b))| (first + index, a, b))
    })
}

/// The numbers that the data lists, as elements of the type.
fn bytes(data_type: MLOperandDataType, data: &Data) -> Vec<u8> {
    let element = webnn_vectors::DataType::from_name(data_type.as_str()).map(webnn_vectors::ElementType::from);
    let list = Data::List(data.distinct().to_vec());
    let count = u64::try_from(data.distinct().len()).unwrap_or(u64::MAX);
    // Loading checked that the type holds every number.
    element.and_then(|element| list.to_bytes(element, count).ok()).unwrap_or_default()
}

/// The largest distance in ULP between two tensors of the same type and shape, and where it is; `None` if they are of
/// different types or shapes.
pub(crate) fn difference(a: &Tensor, b: &Tensor) -> Option<(Distance, usize)> {
    if (a.data_type, &a.shape) != (b.data_type, &b.shape) {
        return None;
    }
    Some(match a.data_type {
        MLOperandDataType::Float32 => difference_as::<f32>(a, b),
        MLOperandDataType::Float16 => difference_as::<f16>(a, b),
        MLOperandDataType::Int32 => difference_as::<i32>(a, b),
        MLOperandDataType::Uint32 => difference_as::<u32>(a, b),
        MLOperandDataType::Int64 => difference_as::<i64>(a, b),
        MLOperandDataType::Uint64 => difference_as::<u64>(a, b),
        MLOperandDataType::Int8 => difference_as::<i8>(a, b),
        MLOperandDataType::Uint8 => difference_as::<u8>(a, b),
    })
}

fn difference_as<T: Element>(a: &Tensor, b: &Tensor) -> (Distance, usize) {
    let mut worst = (Distance::ZERO, 0);
    for (index, a, b) in unequal::<T>(&a.bytes, &b.bytes) {
        let distance = distance(a, b, false);
        if distance > worst.0 {
            worst = (distance, index);
        }
    }
    worst
}

/// For each pair of elements of two tensors of the same type, whether they are equal (NaN equals NaN, and +0 equals -0),
/// and the first one as the nearest double.
pub(crate) fn pairs(a: &Tensor, b: &Tensor) -> Vec<(bool, f64)> {
    fn of<T: Element>(a: &Tensor, b: &Tensor) -> Vec<(bool, f64)> {
        T::read(&a.bytes).zip(T::read(&b.bytes)).map(|(a, b)| (a == b || a.same_bits(b), a.to_f64())).collect()
    }
    match a.data_type {
        MLOperandDataType::Float32 => of::<f32>(a, b),
        MLOperandDataType::Float16 => of::<f16>(a, b),
        MLOperandDataType::Int32 => of::<i32>(a, b),
        MLOperandDataType::Uint32 => of::<u32>(a, b),
        MLOperandDataType::Int64 => of::<i64>(a, b),
        MLOperandDataType::Uint64 => of::<u64>(a, b),
        MLOperandDataType::Int8 => of::<i8>(a, b),
        MLOperandDataType::Uint8 => of::<u8>(a, b),
    }
}

/// How the elements of a tensor agree with those of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreement {
    /// How many there are.
    pub(crate) elements: usize,
    /// How many have other bits, NaN and those that are flushed aside.
    pub(crate) unequal: usize,
    /// How many have other bits and are what flushing subnormals makes of them.
    pub(crate) flushed: usize,
    /// How many are NaN on one side only.
    pub(crate) nan: usize,
    /// How many are infinite on one side only, or infinite in opposite directions.
    pub(crate) infinite: usize,
    /// The largest distance in ULP that is not zero, and where it is.
    pub(crate) worst: Option<(Distance, usize)>,
}

/// How two tensors agree; `None` if they are of different types or shapes. An element that is that of one of the tensors
/// `flushed` counts as such and as nothing else.
pub(crate) fn agreement(actual: &Tensor, expected: &Tensor, flushed: &[Tensor]) -> Option<Agreement> {
    if (actual.data_type, &actual.shape) != (expected.data_type, &expected.shape) {
        return None;
    }
    Some(match actual.data_type {
        MLOperandDataType::Float32 => agreement_as::<f32>(actual, expected, flushed),
        MLOperandDataType::Float16 => agreement_as::<f16>(actual, expected, flushed),
        MLOperandDataType::Int32 => agreement_as::<i32>(actual, expected, flushed),
        MLOperandDataType::Uint32 => agreement_as::<u32>(actual, expected, flushed),
        MLOperandDataType::Int64 => agreement_as::<i64>(actual, expected, flushed),
        MLOperandDataType::Uint64 => agreement_as::<u64>(actual, expected, flushed),
        MLOperandDataType::Int8 => agreement_as::<i8>(actual, expected, flushed),
        MLOperandDataType::Uint8 => agreement_as::<u8>(actual, expected, flushed),
    })
}

fn agreement_as<T: Element>(actual: &Tensor, expected: &Tensor, flushed: &[Tensor]) -> Agreement {
    let flushed: Vec<Vec<T>> = flushed.iter().map(|tensor| T::read(&tensor.bytes).collect()).collect();
    let mut found = Agreement { elements: 0, unequal: 0, flushed: 0, nan: 0, infinite: 0, worst: None };
    for (index, (actual, expected)) in T::read(&actual.bytes).zip(T::read(&expected.bytes)).enumerate() {
        found.elements += 1;
        if actual.same_bits(expected) {
            continue;
        }
        // Zeros of either sign: which one flushing leaves is left open.
        let is_flushed = |other: &T| distance(actual, *other, false).is_zero();
        if flushed.iter().any(|tensor| tensor.get(index).is_some_and(is_flushed)) {
            found.flushed += 1;
            continue;
        }
        found.unequal += 1;
        let [a, b] = [actual, expected].map(Element::to_f64);
        found.nan += usize::from(a.is_nan() != b.is_nan());
        let infinite = (a.is_infinite() || b.is_infinite()) && !a.is_nan() && !b.is_nan();
        found.infinite += usize::from(infinite && a.partial_cmp(&b) != Some(std::cmp::Ordering::Equal));
        let distance = distance(actual, expected, false);
        if !distance.is_zero() && found.worst.is_none_or(|(worst, _)| distance > worst) {
            found.worst = Some((distance, index));
        }
    }
    found
}

/// The tensor with float32 subnormals as zeros of the same sign, as some adapters take operands.
pub(crate) fn flushed(tensor: &Tensor) -> Tensor {
    flushed_where(tensor, f32::is_subnormal)
}

/// The same of results: one that was rounded up to the smallest normal number may have been flushed before.
pub(crate) fn flushed_results(tensor: &Tensor) -> Tensor {
    flushed_where(tensor, |number| number.abs() <= f32::MIN_POSITIVE)
}

fn flushed_where(tensor: &Tensor, is_flushed: impl Fn(f32) -> bool) -> Tensor {
    let mut flushed = tensor.clone();
    if tensor.data_type == MLOperandDataType::Float32 {
        let (elements, _rest) = flushed.bytes.as_chunks_mut::<4>();
        for element in elements {
            let number = f32::from_le_bytes(*element);
            if is_flushed(number) {
                *element = 0_f32.copysign(number).to_le_bytes();
            }
        }
    }
    flushed
}

/// The elements of a tensor as text, in full precision.
pub(crate) fn texts(tensor: &Tensor) -> Vec<String> {
    fn of<T: Element>(tensor: &Tensor) -> Vec<String> {
        T::read(&tensor.bytes).map(|element| element.to_string()).collect()
    }
    match tensor.data_type {
        MLOperandDataType::Float32 => of::<f32>(tensor),
        MLOperandDataType::Float16 => of::<f16>(tensor),
        MLOperandDataType::Int32 => of::<i32>(tensor),
        MLOperandDataType::Uint32 => of::<u32>(tensor),
        MLOperandDataType::Int64 => of::<i64>(tensor),
        MLOperandDataType::Uint64 => of::<u64>(tensor),
        MLOperandDataType::Int8 => of::<i8>(tensor),
        MLOperandDataType::Uint8 => of::<u8>(tensor),
    }
}

/// The distance of each element from the one expected.
pub(crate) fn distances(actual: &Tensor, expected: &Tensor, allowed: Allowed) -> Vec<Distance> {
    fn of<T: Element>(actual: &Tensor, expected: &Tensor, absolute: bool) -> Vec<Distance> {
        T::read(&actual.bytes).zip(T::read(&expected.bytes)).map(|(a, b)| distance(a, b, absolute)).collect()
    }
    let absolute = allowed.is_absolute();
    match actual.data_type {
        MLOperandDataType::Float32 => of::<f32>(actual, expected, absolute),
        MLOperandDataType::Float16 => of::<f16>(actual, expected, absolute),
        MLOperandDataType::Int32 => of::<i32>(actual, expected, absolute),
        MLOperandDataType::Uint32 => of::<u32>(actual, expected, absolute),
        MLOperandDataType::Int64 => of::<i64>(actual, expected, absolute),
        MLOperandDataType::Uint64 => of::<u64>(actual, expected, absolute),
        MLOperandDataType::Int8 => of::<i8>(actual, expected, absolute),
        MLOperandDataType::Uint8 => of::<u8>(actual, expected, absolute),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulp_are_counted_through_zero() {
        assert_eq!(distance(1f32, 1.000_000_1, false), Distance::Ulp(1));
        assert_eq!(distance(0f32, -0f32, false), Distance::Ulp(0));
        assert_eq!(distance(f32::from_bits(1), -f32::from_bits(1), false), Distance::Ulp(2));
        assert_eq!(distance(f32::MAX, f32::INFINITY, false), Distance::Ulp(1));
        assert_eq!(distance(i64::MIN, i64::MAX, false), Distance::Ulp(u64::MAX));
    }

    #[test]
    fn nan_is_only_near_nan() {
        assert_eq!(distance(f32::NAN, f32::NAN, false), Distance::ZERO);
        assert_eq!(distance(f32::NAN, 1.0, true), Distance::Infinite);
        assert!(!Allowed::Ulp(u64::MAX).allows(Distance::Infinite));
    }

    #[test]
    fn infinities_are_equal_or_infinitely_far_in_absolute_terms() {
        assert_eq!(distance(f32::INFINITY, f32::INFINITY, true), Distance::Absolute(0.0));
        assert_eq!(distance(f32::INFINITY, f32::MAX, true), Distance::Infinite);
    }

    #[test]
    fn integers_of_64_bits_do_not_pass_through_a_float() {
        let (a, b) = (1i64 << 60, (1i64 << 60) + 1);
        assert_eq!(distance(a, b, true), Distance::Absolute(1.0));
        assert_eq!(distance(i64::MIN, i64::MAX, true), Distance::Absolute(2f64.powi(64)));
    }

    #[test]
    fn exact_allows_nothing() {
        assert!(Allowed::Exact.allows(Distance::Ulp(0)) && !Allowed::Exact.allows(Distance::Ulp(1)));
    }

    #[test]
    fn one_element_among_many_is_found_whether_what_is_expected_repeats_or_not() {
        let tensor = |numbers: &[f32]| Tensor {
            data_type: MLOperandDataType::Float32,
            shape: vec![u32::try_from(numbers.len()).expect("few")],
            bytes: numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        let numbers: Vec<webnn_vectors::Number> = [1.0, 2.0, 3.0].map(webnn_vectors::Number::Float).to_vec();
        let repeated = |times| Data::Repeat { pattern: numbers.clone(), times };
        for count in [3, 3 * 1000, 3 * 40_000] {
            let mut elements = [1.0, 2.0, 3.0].repeat(count / 3);
            assert!(compare(&tensor(&elements), &repeated(count as u64 / 3), Allowed::Exact).bit_equal);
            let expected = tensor(&elements);
            assert_eq!(difference(&expected, &expected), Some((Distance::ZERO, 0)));

            elements[count - 2] = f32::from_bits(2f32.to_bits() + 5);
            let actual = tensor(&elements);
            let comparison = compare(&actual, &repeated(count as u64 / 3), Allowed::Ulp(4));
            assert_eq!(comparison.worst, Distance::Ulp(5));
            assert_eq!(comparison.first_outside.map(|outside| outside.index), Some(count - 2));
            assert_eq!(difference(&actual, &expected), Some((Distance::Ulp(5), count - 2)));
        }
    }

    #[test]
    fn nan_of_other_bits_is_equal() {
        let of_bits = |bits: u32| Tensor {
            data_type: MLOperandDataType::Float32,
            shape: vec![1],
            bytes: bits.to_le_bytes().to_vec(),
        };
        let data = Data::List(vec![webnn_vectors::Number::Float(f64::NAN)]);
        assert!(compare(&of_bits(0xffc0_1234), &data, Allowed::Exact).bit_equal);
    }
}
