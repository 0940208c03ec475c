//! A range: the numbers that honest implementations may have in place of one element.
//!
//! Of zeros, -0 is below 0 here: a range from -0 to 0 is a zero of either sign, which only what divides by it can tell.

/// The numbers, from the least to the greatest, that an element may be.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The least; NaN if it can only be NaN.
    pub least: f64,
    /// The greatest; NaN if it can only be NaN.
    pub greatest: f64,
    /// Whether it may be NaN.
    pub nan: bool,
    /// Whether the range spans a jump: an honest implementation may be on either side of it, so that a number inside the
    /// range need not be right.
    pub doubt: bool,
}

impl Range {
    /// NaN, and nothing else.
    pub(super) const NAN: Self = Self { least: f64::NAN, greatest: f64::NAN, nan: true, doubt: false };

    /// Whatever there is: nothing can be said.
    pub(super) const ANYTHING: Self =
        Self { least: f64::NEG_INFINITY, greatest: f64::INFINITY, nan: true, doubt: true };

    /// One number, exactly.
    pub fn point(number: f64) -> Self {
        Self { least: number, greatest: number, nan: number.is_nan(), doubt: false }
    }

    /// All numbers between two. Where one of them could not be computed (an infinity less another), nothing can be said.
    pub(super) fn between(a: f64, b: f64) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::ANYTHING;
        }
        Self { least: lower(a, b), greatest: upper(a, b), nan: false, doubt: false }
    }

    /// All numbers no further than `radius` from `center`.
    pub(super) fn around(center: f64, radius: f64) -> Self {
        Self::between(center - radius, center + radius)
    }

    /// What is in this range or in the other one.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            least: lower(self.least, other.least),
            greatest: upper(self.greatest, other.greatest),
            nan: self.nan || other.nan,
            doubt: self.doubt || other.doubt,
        }
    }

    /// The same range, with the doubts of another that it was derived from.
    pub(super) fn with_doubts_of(self, other: Self) -> Self {
        Self { doubt: self.doubt || other.doubt, ..self }
    }

    /// The same range, across a jump.
    pub(super) fn doubtful(self) -> Self {
        Self { doubt: true, ..self }
    }

    /// Whether there is one number only, or NaN only.
    pub fn is_point(&self) -> bool {
        self.is_nan() || (!self.nan && self.least == self.greatest)
    }

    /// The same range; of a zero either sign. No arithmetic is granted to keep it.
    pub(super) fn with_zero_of_either_sign(self) -> Self {
        if self.least == 0.0 && self.greatest == 0.0 { Self { least: -0.0, greatest: 0.0, ..self } } else { self }
    }

    /// Whether it is a zero of either sign.
    pub(super) fn is_zero_of_either_sign(&self) -> bool {
        self.least == 0.0 && self.greatest == 0.0 && self.least.is_sign_negative() != self.greatest.is_sign_negative()
    }

    /// Whether it can only be NaN.
    pub(super) fn is_nan(&self) -> bool {
        self.least.is_nan()
    }

    /// Whether all numbers in it are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.least.is_finite() && self.greatest.is_finite() && !self.nan
    }

    /// Whether a number is in it. NaN and infinities are matched by kind and sign.
    pub fn contains(&self, number: f64) -> bool {
        if number.is_nan() { self.nan } else { self.least <= number && number <= self.greatest }
    }

    /// How far a number in it may be from `number`: infinitely far if one of them is not finite and they differ.
    pub fn radius(&self, number: f64) -> f64 {
        if self.is_point() && self.contains(number) {
            return 0.0;
        }
        let radius = (self.greatest - number).max(number - self.least);
        if radius.is_nan() || self.nan { f64::INFINITY } else { radius.max(0.0) }
    }

    /// The middle.
    pub(super) fn middle(&self) -> f64 {
        // Halved first, so that nothing overflows.
        if self.least == self.greatest { self.least } else { self.least / 2.0 + self.greatest / 2.0 }
    }

    /// Half the width.
    pub(super) fn spread(&self) -> f64 {
        if self.least == self.greatest { 0.0 } else { self.greatest / 2.0 - self.least / 2.0 }
    }

    /// The greatest absolute value.
    pub(super) fn magnitude(&self) -> f64 {
        self.least.abs().max(self.greatest.abs())
    }

    /// Whether zero is in it.
    pub(super) fn has_zero(&self) -> bool {
        self.least <= 0.0 && self.greatest >= 0.0
    }

    /// The absolute values.
    pub(super) fn abs(self) -> Self {
        let least = if self.has_zero() { 0.0 } else { self.least.abs().min(self.greatest.abs()) };
        Self { least: if self.is_nan() { f64::NAN } else { least }, greatest: self.magnitude(), ..self }
    }

    /// What a function that nowhere falls, or nowhere rises, makes of it.
    pub(super) fn map(self, function: impl Fn(f64) -> f64) -> Self {
        let (a, b) = (function(self.least), function(self.greatest));
        Self { least: lower(a, b), greatest: upper(a, b), ..self }
    }

    /// The negative values.
    pub(super) fn negative(self) -> Self {
        self.map(|number| -number)
    }

    /// The part that is not above a bound, and the part that is not below it.
    pub(super) fn split_at(self, bound: f64) -> [Option<Self>; 2] {
        // An end that is the bound stays what it is, as a zero has a sign.
        let (up_to, from) = (self.greatest <= bound, self.least >= bound);
        let below = Self { greatest: if up_to { self.greatest } else { bound }, ..self };
        let above = Self { least: if from { self.least } else { bound }, ..self };
        let (below, above) = ((self.least < bound).then_some(below), (self.greatest >= bound).then_some(above));
        [below, above]
    }
}

/// The lower of two numbers, -0 below 0; of NaN and a number the number.
fn lower(a: f64, b: f64) -> f64 {
    if b < a || a.is_nan() || (b == a && b.is_sign_negative()) { b } else { a }
}

/// The greater of two numbers, 0 above -0; of NaN and a number the number.
fn upper(a: f64, b: f64) -> f64 {
    -lower(-a, -b)
}
