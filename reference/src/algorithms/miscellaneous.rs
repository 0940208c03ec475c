//! Miscellaneous: <https://www.w3.org/TR/webnn/#algorithms-miscellaneous>.

use crate::algorithm;

/// <https://www.w3.org/TR/webnn/#list-equal>
pub fn lists_are_equal<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    algorithm!("list/equal");
    a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_in_size_and_in_each_item() {
        assert!(lists_are_equal::<u32>(&[], &[]));
        assert!(lists_are_equal(&[1, 2], &[1, 2]));
        assert!(!lists_are_equal(&[1, 2], &[2, 1]));
        assert!(!lists_are_equal(&[1], &[1, 1]));
    }
}
