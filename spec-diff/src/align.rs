//! Which item of one list is which item of another.
//!
//! What is the same on both sides is found as a longest common subsequence, so that an item that was put in or taken out
//! does not make all behind it look different. Of what is left between two such items, those that are alike are paired.

use similar::{Algorithm, DiffOp, capture_diff};

/// What became of an item. Numbers are places in the old and in the new list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is the same, though it may have another number.
    Same(usize, usize),
    /// It is the same item, and says something else.
    Changed(usize, usize),
    /// It was not there before.
    Added(usize),
    /// It is not there any more.
    Removed(usize),
}

/// A place in one of the two lists, and which items are equal to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Class(usize);

/// Aligns two lists of these lengths.
pub fn align(
    old: usize,
    new: usize,
    is_same: impl Fn(usize, usize) -> bool,
    is_alike: impl Fn(usize, usize) -> bool,
) -> Vec<Change> {
    // An item of the old list is its own class, or that of an equal one that a new item points to.
    let mut old_classes: Vec<Class> = (0..old).map(Class).collect();
    let mut new_classes: Vec<Class> = (0..new).map(|index| Class(old + index)).collect();
    for (index, class) in new_classes.iter_mut().enumerate() {
        if let Some(first) = (0..old).find(|place| is_same(*place, index)) {
            *class = old_classes[first];
            (0..old).filter(|place| is_same(*place, index)).for_each(|place| old_classes[place] = *class);
        }
    }
    let mut changes = Vec::new();
    for operation in capture_diff(Algorithm::Myers, &old_classes, 0..old, &new_classes, 0..new) {
        match operation {
            DiffOp::Equal { old_index, new_index, len } => {
                changes.extend((0..len).map(|offset| Change::Same(old_index + offset, new_index + offset)));
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                changes.extend((old_index..old_index + old_len).map(Change::Removed));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                changes.extend((new_index..new_index + new_len).map(Change::Added));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let olds = old_index..old_index + old_len;
                changes.extend(paired(olds, new_index..new_index + new_len, &is_alike));
            }
        }
    }
    changes
}

/// Pairs what is alike, in order.
fn paired(
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
    is_alike: impl Fn(usize, usize) -> bool,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut next_old = old.start;
    for place in new {
        let found = (next_old..old.end).find(|candidate| is_alike(*candidate, place));
        match found {
            Some(candidate) => {
                changes.extend((next_old..candidate).map(Change::Removed));
                changes.push(Change::Changed(candidate, place));
                next_old = candidate + 1;
            }
            None => changes.push(Change::Added(place)),
        }
    }
    changes.extend((next_old..old.end).map(Change::Removed));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(old: &str, new: &str) -> String {
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let is_same = |a: usize, b: usize| old[a] == new[b];
        let is_alike = |a: usize, b: usize| old[a].eq_ignore_ascii_case(&new[b]);
        let change = |change: Change| match change {
            Change::Same(_, is) => format!("={}", new[is]),
            Change::Changed(was, is) => format!("~{}{}", old[was], new[is]),
            Change::Added(is) => format!("+{}", new[is]),
            Change::Removed(was) => format!("-{}", old[was]),
        };
        align(old.len(), new.len(), is_same, is_alike).into_iter().map(change).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_put_in_changes_nothing_behind_it() {
        assert_eq!(changes("abc", "abc"), "=a =b =c");
        assert_eq!(changes("abc", "axbc"), "=a +x =b =c");
        assert_eq!(changes("abc", "ac"), "=a -b =c");
        assert_eq!(changes("", "ab"), "+a +b");
    }

    #[test]
    fn what_is_alike_was_changed() {
        assert_eq!(changes("abc", "aBc"), "=a ~bB =c");
        assert_eq!(changes("abcd", "axCd"), "=a +x -b ~cC =d");
        assert_eq!(changes("ab", "xy"), "+x +y -a -b");
    }
}
