//! Chance: numbers that are the same on every platform and in every version, from a seed.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// A source of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(Pcg64);

impl Random {
    /// The source for one graph of a campaign: graphs do not depend on how many were made before them.
    pub(crate) fn new(seed: u64, graph: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), u128::from(graph)))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The upper half of the product: no division, and the same on machines of 32 bits.
        let product = u128::from(self.bits()) * end as u128;
        (product >> 64) as usize
    }

    /// A number from `first` to `last`, both included.
    pub(crate) fn between(&mut self, first: u32, last: u32) -> u32 {
        first + self.below((last - first) as usize + 1) as u32
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.one_in(2)
    }

    /// One of these; there has to be one.
    pub(crate) fn choose<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// A number from 0 up to, and without, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number between the two.
    pub(crate) fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Some of these, in any order.
    pub(crate) fn subset<T: Clone>(&mut self, items: &[T]) -> Vec<T> {
        let mut left = items.to_vec();
        let count = self.below(items.len() + 1);
        (0..count).map(|_| left.swap_remove(self.below(left.len()))).collect()
    }

    /// All of these, in any order.
    pub(crate) fn shuffled<T: Clone>(&mut self, items: &[T]) -> Vec<T> {
        let mut left = items.to_vec();
        (0..items.len()).map(|_| left.swap_remove(self.below(left.len()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_are_these_for_good() {
        let mut random = Random::new(1, 2);
        let numbers: Vec<usize> = (0..8).map(|_| random.below(1000)).collect();
        // From a few lines of Python with the constants of the PCG paper.
        assert_eq!(numbers, [839, 369, 760, 118, 363, 175, 713, 942]);
    }
}
