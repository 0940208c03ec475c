//! Numbers that are computed as hardware does, and numbers by chance.

use half::f16;
use webnn_reference::number::Element;

/// A floating point type in which is computed as hardware does: each operation rounded once.
pub(crate) trait Hardware: Element<Number = f64> {
    fn round(number: f64) -> Self {
        Self::rounded(number)
    }
    fn add(self, other: Self) -> Self {
        Self::round(self.number() + other.number())
    }
    fn mul(self, other: Self) -> Self {
        Self::round(self.number() * other.number())
    }
    fn fused(self, other: Self, third: Self) -> Self {
        Self::round(self.number() * other.number() + third.number())
    }
}

impl Hardware for f32 {}

impl Hardware for f16 {}

/// Numbers that look random and are always the same: a linear congruential generator (Knuth's MMIX).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next()).expect("31 bits") % count
    }

    /// A number of the type, of either sign and below 4.
    pub(crate) fn number<T: Hardware>(&mut self) -> T {
        let fraction = f64::from(u32::try_from(self.next()).expect("31 bits")) / f64::powi(2.0, 31);
        T::round((fraction - 0.5) * 8.0)
    }

    pub(crate) fn numbers<T: Hardware>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.number()).collect()
    }

    pub(crate) fn shuffled<T: Clone>(&mut self, all: &[T]) -> Vec<T> {
        let mut all = all.to_vec();
        for index in (1..all.len()).rev() {
            all.swap(index, self.below(index + 1));
        }
        all
    }

    /// The number of float32 next to a number, above it or below it; the number itself, if it is one.
    pub(crate) fn neighbour(&mut self, number: f64) -> f64 {
        let nearest = f32::rounded(number);
        let difference = number - f64::from(nearest);
        if difference == 0.0 || self.below(2) == 0 {
            return f64::from(nearest);
        }
        let is_beyond = (difference > 0.0) == (nearest > 0.0);
        f64::from(f32::from_bits(if is_beyond { nearest.to_bits() + 1 } else { nearest.to_bits() - 1 }))
    }

    /// The sum of the terms, in an order and a grouping by chance.
    pub(crate) fn tree<T: Hardware>(&mut self, terms: &[T]) -> T {
        let mut terms = terms.to_vec();
        while terms.len() > 1 {
            let a = terms.swap_remove(self.below(terms.len()));
            let b = terms.swap_remove(self.below(terms.len()));
            terms.push(a.add(b));
        }
        terms[0]
    }
}
