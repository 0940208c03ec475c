//! The arithmetic that is granted: what an operation gives in a floating point type, or in a wider one.
//!
//! Each operation takes ranges and gives the range of what honest implementations may get: the exact results for all
//! operands in the ranges, its own error around them, and a rounding in either direction. A result that the type can
//! hold exactly stays exact. While an operator goes on, exponents have no upper end: to leave the range of the type on
//! the way to a number that is in it is not granted. To lose what lies below its least numbers is.
//!
//! The errors of the functions are those that [WGSL](https://www.w3.org/TR/WGSL/#floating-point-accuracy) allows, which
//! allows the most of what is common; it has no erf, for which
//! [OpenCL C](https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_C.html#relative-error-as-ulps) stands in.
//!
//! | function | float32 | float16 | from |
//! |---|---|---|---|
//! | +, -, * | correctly rounded, in either direction | the same | WGSL |
//! | / | 2.5 ULP; by a power of two as * | the same | WGSL; choice |
//! | 1 / sqrt | 2 ULP | 2 ULP | WGSL |
//! | sqrt | as 1 / (1 / sqrt) | the same | WGSL |
//! | exp | 3 + 2 abs(x) ULP | 1 + 2 abs(x) ULP | WGSL |
//! | log | 2^-21 from 0.5 to 2, 3 ULP elsewhere | 2^-7, 3 ULP | WGSL |
//! | pow | as exp2(y log2(x)), whose errors are those of exp and log | the same | WGSL |
//! | sin, cos | 2^-11 from -pi to pi | 2^-7 | WGSL |
//! | ... beyond | the same, and the rounding of the reduction of the angle: abs(x) ULP | the same | choice |
//! | tan | as sin / cos | the same | WGSL |
//! | tanh | 1e-5, or as sinh / cosh | the same | WGSL |
//! | erf | 16 ULP | 4 ULP | OpenCL C |

use super::Allowance;
use super::range::Range;
use crate::data_type::MLOperandDataType;

/// A floating point type in which is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    /// The bits of a number, the leading one included.
    bits: i32,
    /// The exponent of the least normal number.
    least_exponent: i32,
    /// The exponent of the greatest number.
    greatest_exponent: i32,
    /// Whether numbers below the least normal one may be taken for 0.
    flushes: bool,
    /// The error of exp at 0, in ULP.
    exp: f64,
    /// The absolute error of log from 0.5 to 2.
    log: f64,
    /// The absolute error of sin and cos.
    angle: f64,
    /// The error of erf, in ULP.
    erf: f64,
}

/// 2 to a power that is a normal number of binary64.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::try_from(exponent + 1023).expect("the exponent of a normal number") << 52)
}

/// The exponent of the power of two that is not greater than a positive number; some very small one for 0.
fn exponent(number: f64) -> i32 {
    let biased = (number.abs().to_bits() >> 52) & 0x7ff;
    i32::try_from(biased).expect("11 bits") - 1023
}

impl Precision {
    /// The precision of a floating point type.
    pub(super) fn of(data_type: MLOperandDataType, allowance: Allowance) -> Self {
        let flushes = allowance.flushes_subnormals;
        match data_type {
            MLOperandDataType::Float16 => Self {
                bits: 11,
                least_exponent: -14,
                greatest_exponent: 15,
                flushes,
                exp: 1.0,
                log: power_of_two(-7),
                angle: power_of_two(-7),
                erf: 4.0,
            },
            MLOperandDataType::Float32 => Self {
                bits: 24,
                least_exponent: -126,
                greatest_exponent: 127,
                flushes,
                exp: 3.0,
                log: power_of_two(-21),
                angle: power_of_two(-11),
                erf: 16.0,
            },
            // Integers are exact: as exact as binary64 can be, whose functions are not asked for.
            MLOperandDataType::Int32
            | MLOperandDataType::Uint32
            | MLOperandDataType::Int64
            | MLOperandDataType::Uint64
            | MLOperandDataType::Int8
            | MLOperandDataType::Uint8 => Self {
                bits: 53,
                least_exponent: -960,
                greatest_exponent: 1023,
                flushes: false,
                exp: 0.0,
                log: 0.0,
                angle: 0.0,
                erf: 0.0,
            },
        }
    }

    /// Whether it is that of an integer type.
    pub(super) fn is_of_integers(&self) -> bool {
        self.bits == 53
    }

    /// The relative error of a rounding: half a unit in the last place of 1.
    pub(super) fn unit(&self) -> f64 {
        power_of_two(-self.bits)
    }

    /// How far apart the least numbers are.
    fn least_spacing(&self) -> f64 {
        power_of_two(self.least_exponent - self.bits + 1)
    }

    /// What a product, or another number on the way, may lose because it is too small for the type.
    pub(super) fn underflow(&self) -> f64 {
        if self.flushes { self.least_normal() } else { self.least_spacing() }
    }

    /// What an addition may lose because its sum is subnormal, which is exact where it is not taken for 0.
    pub(super) fn flush(&self) -> f64 {
        if self.flushes { self.least_normal() } else { 0.0 }
    }

    pub(super) fn least_normal(&self) -> f64 {
        power_of_two(self.least_exponent)
    }

    /// Whether it is plain that the type holds a number: that its last bits are 0, and it is not subnormal.
    fn holds(&self, number: f64) -> bool {
        let bits_beyond = 53 - self.bits;
        number.to_bits() & ((1 << bits_beyond) - 1) == 0 && exponent(number) >= self.least_exponent
    }

    fn spacing(&self, number: f64) -> f64 {
        power_of_two(exponent(number).max(self.least_exponent) - self.bits + 1)
    }

    pub(super) fn greatest(&self) -> f64 {
        power_of_two(self.greatest_exponent) * (2.0 - power_of_two(1 - self.bits))
    }

    /// The numbers of the type between which the range lies, if exponents had no upper end.
    pub(super) fn rounded(&self, range: Range) -> Range {
        if self.is_of_integers() {
            return of_whole_numbers(range);
        }
        let rounded = |number: f64, round: fn(f64) -> f64| {
            if self.holds(number) || !number.is_finite() {
                return number;
            }
            let spacing = self.spacing(number);
            round(number / spacing) * spacing
        };
        let (least, greatest) = (rounded(range.least, f64::floor), rounded(range.greatest, f64::ceil));
        self.flushed(Range { least, greatest, ..range })
    }

    /// What is taken for an operand of arithmetic: subnormal numbers may be taken for 0.
    pub(super) fn flushed(&self, range: Range) -> Range {
        // A zero that is known keeps its sign.
        let is_zero = range.least == 0.0 && range.greatest == 0.0;
        let has_subnormals = range.least < self.least_normal() && range.greatest > -self.least_normal();
        if !self.flushes || !has_subnormals || is_zero {
            return range;
        }
        Range { least: range.least.min(0.0), greatest: range.greatest.max(0.0), ..range }
    }

    /// What is stored: an infinity, where rounding can lead beyond the greatest number.
    pub(super) fn stored(&self, range: Range) -> Range {
        let range = self.rounded(range);
        // From here on the nearest is an infinity.
        let overflow = self.greatest() + self.spacing(self.greatest()) / 2.0;
        let outer = |number: f64| if number > self.greatest() { f64::INFINITY } else { number };
        let inner = |number: f64| {
            if number >= overflow { f64::INFINITY } else { number.min(self.greatest()) }
        };
        Range {
            least: if range.least > 0.0 { inner(range.least) } else { -outer(-range.least) },
            greatest: if range.greatest < 0.0 { -inner(-range.greatest) } else { outer(range.greatest) },
            ..range
        }
    }

    /// What is on the way, in the type or in a wider one: beyond the greatest number it may be an infinity, too.
    pub(super) fn on_the_way(&self, range: Range) -> Range {
        range.or(self.stored(range))
    }

    /// The range, and around each number in it a relative error of so many units in the last place.
    pub(super) fn within_ulp(&self, range: Range, ulp: f64) -> Range {
        let error = |number: f64| {
            let error = number.abs() * (2.0 * self.unit() * ulp);
            if error.is_finite() { error } else { 0.0 }
        };
        let least = range.least - error(range.least);
        let greatest = range.greatest + error(range.greatest);
        self.rounded(Range { least, greatest, ..range })
    }

    /// The range, and around each number in it an absolute error.
    pub(super) fn within(&self, range: Range, error: f64) -> Range {
        self.rounded(Range { least: range.least - error, greatest: range.greatest + error, ..range })
    }

    pub(super) fn add(&self, a: Range, b: Range) -> Range {
        let may_cancel = |a: Range, b: Range| a.greatest == f64::INFINITY && b.least == f64::NEG_INFINITY;
        if (may_cancel(a, b) || may_cancel(b, a)) && !(a.is_point() && b.is_point()) {
            return joined(a, b, Range::ANYTHING);
        }
        if self.is_of_integers() {
            // Downward and upward, so that a sum that does not wrap is not taken for one that does.
            return joined(a, b, Range::between(sum_below(a.least, b.least), -sum_below(-a.greatest, -b.greatest)));
        }
        self.rounded(joined(a, b, Range::between(a.least + b.least, a.greatest + b.greatest)))
    }

    pub(super) fn sub(&self, a: Range, b: Range) -> Range {
        self.add(a, b.negative())
    }

    pub(super) fn mul(&self, a: Range, b: Range) -> Range {
        self.rounded(joined(a, b, product(a, b)))
    }

    pub(super) fn div(&self, a: Range, b: Range) -> Range {
        // By 0 it is an infinity of some sign, and NaN where both may be 0.
        let may_both_be_zero = a.has_zero() && b.has_zero() && !(a.is_point() && b.is_point());
        if a.is_point() && b.is_point() && (a.least / b.least).is_nan() {
            return joined(a, b, Range::NAN);
        }
        if may_both_be_zero || b.is_zero_of_either_sign() || (b.has_zero() && !b.is_point()) {
            return joined(a, b, Range::ANYTHING);
        }
        if b.is_point() && is_power_of_two(b.least) {
            return self.mul(a, b.map(f64::recip));
        }
        let quotients = [a.least / b.least, a.least / b.greatest, a.greatest / b.least, a.greatest / b.greatest];
        self.within_ulp(joined(a, b, hull(quotients)), 2.5)
    }

    pub(super) fn sqrt(&self, x: Range) -> Range {
        let Some(defined) = from_zero(x) else { return Range::NAN.with_doubts_of(x) };
        // As 1 / (1 / sqrt(x)): 2 ULP, and those of a division, also where sqrt itself is of IEEE 754.
        let of_zero = defined.least == 0.0 && defined.greatest == 0.0;
        let root = defined.map(f64::sqrt);
        if of_zero { root } else { self.within_ulp(root, 4.5) }
    }

    /// The error of exp at a number, in ULP.
    pub(super) fn exp_ulp(&self, number: f64) -> f64 {
        self.exp + 2.0 * number.abs()
    }

    pub(super) fn exp(&self, x: Range) -> Range {
        let at = |number: f64| {
            let own = self.within_ulp(Range::point(number.exp()), self.exp_ulp(number));
            Range { least: own.least.max(0.0), ..own }
        };
        self.ends(x, at)
    }

    pub(super) fn log(&self, x: Range) -> Range {
        let Some(defined) = from_zero(x) else { return Range::NAN.with_doubts_of(x) };
        self.ends(defined, |number| self.log_error(number, Range::point(number.ln())))
    }

    /// The error of the logarithm of a number, in whichever base.
    fn log_error(&self, number: f64, logarithm: Range) -> Range {
        if (0.5..=2.0).contains(&number) { self.within(logarithm, self.log) } else { self.within_ulp(logarithm, 3.0) }
    }

    /// x to the power of y, for x from 0 on.
    pub(super) fn pow(&self, x: Range, y: Range) -> Range {
        let at = |x: f64, y: f64| {
            if x == 0.0 || x.is_infinite() || y == 0.0 {
                return Range::point(x.powf(y));
            }
            let logarithm = self.log_error(x, Range::point(x.log2()));
            let exponent = self.mul(Range::point(y), logarithm);
            let own = |number: f64| self.within_ulp(Range::point(number.exp2()), self.exp_ulp(number));
            let power = self.ends(exponent, own);
            // The exponent's own rounding is in the ends, what binary64 has lost of the power is far less than a unit.
            Range { least: power.least.max(0.0), ..power }
        };
        let corners =
            [at(x.least, y.least), at(x.least, y.greatest), at(x.greatest, y.least), at(x.greatest, y.greatest)];
        let [a, b, c, d] = corners;
        joined(x, y, a.or(b).or(c).or(d))
    }

    pub(super) fn sin(&self, x: Range) -> Range {
        self.angle(x, f64::sin, std::f64::consts::FRAC_PI_2)
    }

    pub(super) fn cos(&self, x: Range) -> Range {
        self.angle(x, f64::cos, 0.0)
    }

    /// The sine or the cosine, which is 1 at `top` and every full turn from there, and -1 half a turn further.
    fn angle(&self, x: Range, function: impl Fn(f64) -> f64, top: f64) -> Range {
        use std::f64::consts::{PI, TAU};
        if !x.is_finite() {
            return Range { nan: x.is_nan() || x.nan || !x.is_finite(), ..Range::between(-1.0, 1.0) }.doubtful();
        }
        let meets = |place: f64| ((x.least - place) / TAU).ceil() <= ((x.greatest - place) / TAU).floor();
        let ends = Range::between(function(x.least), function(x.greatest));
        let least = if meets(top + PI) { -1.0 } else { ends.least };
        let greatest = if meets(top) { 1.0 } else { ends.greatest };
        let beyond = if x.magnitude() > PI { 2.0 * self.unit() * x.magnitude() } else { 0.0 };
        let own = self.within(Range { least, greatest, ..x }, self.angle + beyond);
        Range { least: own.least.max(-1.0 - self.angle), greatest: own.greatest.min(1.0 + self.angle), ..own }
    }

    pub(super) fn tan(&self, x: Range) -> Range {
        self.div(self.sin(x), self.cos(x))
    }

    pub(super) fn tanh(&self, x: Range) -> Range {
        let at = |number: f64| {
            let absolute = self.within(Range::point(number.tanh()), 1e-5);
            let (e, inverse) = (self.exp(Range::point(number)), self.exp(Range::point(-number)));
            let inherited = self.div(self.sub(e, inverse), self.add(e, inverse));
            // Where exp is beyond all bounds, the quotient is no way to compute it.
            let own = if inherited.is_finite() { absolute.or(inherited) } else { absolute };
            Range { least: own.least.max(-1.0), greatest: own.greatest.min(1.0), ..own }
        };
        self.ends(x, at)
    }

    pub(super) fn erf(&self, x: Range) -> Range {
        let at = |number: f64| {
            let own = self.within_ulp(Range::point(crate::ops::unary::erf(number)), self.erf);
            Range { least: own.least.max(-1.0), greatest: own.greatest.min(1.0), ..own }
        };
        self.ends(x, at)
    }

    /// What a function that nowhere falls, or nowhere rises, makes of a range: for monotone functions what it makes of
    /// the two ends, each with its own error, which stays right where the derivative is wild.
    pub(super) fn ends(&self, x: Range, at: impl Fn(f64) -> Range) -> Range {
        let ends = if x.least == x.greatest { at(x.least) } else { at(x.least).or(at(x.greatest)) };
        Range { nan: x.nan || ends.nan, doubt: x.doubt || ends.doubt, ..ends }
    }
}

/// By such a number everything is divided exactly, whichever way.
pub(super) fn is_power_of_two(number: f64) -> bool {
    number.is_normal() && number.abs() == power_of_two(exponent(number))
}

/// The part of a range for which a root or a logarithm is defined; none if there is none.
fn from_zero(x: Range) -> Option<Range> {
    match x.split_at(0.0) {
        [_, None] => None,
        [None, Some(defined)] => Some(defined),
        [Some(_), Some(defined)] => Some(Range { nan: true, doubt: true, ..defined }),
    }
}

/// A range derived from two others: it has their doubts, and may be NaN if they may.
pub(super) fn joined(a: Range, b: Range, derived: Range) -> Range {
    if a.is_nan() || b.is_nan() {
        return Range { doubt: a.doubt || b.doubt, ..Range::NAN };
    }
    Range { nan: derived.nan || a.nan || b.nan, doubt: derived.doubt || a.doubt || b.doubt, ..derived }
}

/// The sum of two numbers, rounded down: Knuth's TwoSum says what the rounding to the nearest has lost.
fn sum_below(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let of_b = sum - a;
    let lost = (a - (sum - of_b)) + (b - of_b);
    if lost < 0.0 { sum.next_down() } else { sum }
}

/// The whole numbers that an end of a range stands for: in binary64, those beyond 2^53 share their neighbours' numbers.
pub(super) fn of_whole_numbers(range: Range) -> Range {
    const ALL_ARE_THERE: f64 = 9_007_199_254_740_992.0;
    let is_shared = |number: f64| number.abs() >= ALL_ARE_THERE;
    Range {
        least: if is_shared(range.least) { range.least.next_down() } else { range.least },
        greatest: if is_shared(range.greatest) { range.greatest.next_up() } else { range.greatest },
        ..range
    }
}

/// All products of numbers of two ranges.
fn product(a: Range, b: Range) -> Range {
    if (a.has_zero() && b.magnitude() == f64::INFINITY) || (b.has_zero() && a.magnitude() == f64::INFINITY) {
        return Range::ANYTHING;
    }
    hull([a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest])
}

/// The range that holds all these numbers.
fn hull([first, rest @ ..]: [f64; 4]) -> Range {
    rest.iter().fold(Range::between(first, first), |range, number| range.or(Range::between(*number, *number)))
}
