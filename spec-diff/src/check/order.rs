//! The longest part of a sequence that is in order.

/// Which elements can stay, if as few as possible have to go for the rest to be in ascending order.
pub(super) fn in_order(ranks: &[usize]) -> Vec<bool> {
    // `tails[n]` ends the ascending sequence of n + 1 elements that ends lowest; `previous` leads back through it.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; ranks.len()];
    for (index, rank) in ranks.iter().enumerate() {
        let length = tails.partition_point(|tail| ranks[*tail] < *rank);
        previous[index] = length.checked_sub(1).map(|before| tails[before]);
        if let Some(tail) = tails.get_mut(length) {
            *tail = index;
        } else {
            tails.push(index);
        }
    }
    let mut stays = vec![false; ranks.len()];
    let mut next = tails.last().copied();
    while let Some(index) = next {
        stays[index] = true;
        next = previous[index];
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn as_few_as_possible_are_out_of_order() {
        let moved = |ranks: &[usize]| -> Vec<usize> {
            let stays = in_order(ranks);
            ranks.iter().zip(stays).filter(|(_, stays)| !stays).map(|(rank, _)| *rank).collect()
        };
        assert_eq!(moved(&[]), [0; 0]);
        assert_eq!(moved(&[0, 1, 2]), [0; 0]);
        assert_eq!(moved(&[3, 0, 1, 2]), [3]);
        assert_eq!(moved(&[1, 2, 3, 0]), [0]);
        assert_eq!(moved(&[0, 2, 3, 1, 4]), [1]);
        assert_eq!(moved(&[2, 1, 0]).len(), 2);
    }
}
