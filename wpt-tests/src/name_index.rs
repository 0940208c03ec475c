//! Many names in little memory: those of all vectors of a run.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// NameIndex, each of them once, with numbers in the order in which they came. A name takes its own bytes and about twenty more.
#[derive(Clone, Default)]
pub struct NameIndex {
    /// One behind the other.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    numbers: HashTable<usize>,
    hasher: RandomState,
}

impl fmt::Debug for NameIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl NameIndex {
    /// Adds a name, unless it is there; its number, and whether it is new.
    pub fn add(&mut self, name: &str) -> (usize, bool) {
        let Self { text, ends, numbers, hasher } = self;
        let is_it = |number: &usize| name_of(text, ends, *number) == name;
        let hash = |number: &usize| hasher.hash_one(name_of(text, ends, *number));
        match numbers.entry(hasher.hash_one(name), is_it, hash) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(new) => {
                let number = ends.len();
                new.insert(number);
                text.push_str(name);
                ends.push(text.len());
                (number, true)
            }
        }
    }

    /// The number of a name, if it is there.
    #[must_use]
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.numbers.find(self.hasher.hash_one(name), |number| self.get(*number) == name).copied()
    }

    /// The name of a number; an empty one if there is no such number.
    #[must_use]
    pub fn get(&self, number: usize) -> &str {
        name_of(&self.text, &self.ends, number)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}

fn name_of<'a>(text: &'a str, ends: &[usize], number: usize) -> &'a str {
    let begin = number.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied());
    let range = begin.zip(ends.get(number).copied());
    range.and_then(|(begin, end)| text.get(begin..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::NameIndex;

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = NameIndex::default();
        for number in 0..1000 {
            assert_eq!(names.add(&format!("name {number}")), (number, true));
        }
        assert_eq!(names.add("name 7"), (7, false));
        assert_eq!(names.add(""), (1000, true));
        assert_eq!(names.add(""), (1000, false));
        assert_eq!((names.get(999), names.get(1000), names.get(1001)), ("name 999", "", ""));
        assert_eq!((names.number_of("name 500"), names.number_of("name 1000")), (Some(500), None));
        assert_eq!((names.len(), names.iter().count()), (1001, 1001));
    }
}
