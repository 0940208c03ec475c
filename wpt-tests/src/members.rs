//! Members of JSON objects: no name comes twice (the parser alone would silently keep the last
//! one), and an optional member is absent rather than `null`.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

struct UniqueVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for UniqueVisitor<T> {
    type Value = IndexMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        collect(map)
    }
}

/// Collects an object's members and refuses a name that comes twice.
pub(crate) fn collect<'de, A: MapAccess<'de>, T: Deserialize<'de>>(
    mut map: A,
) -> Result<IndexMap<String, T>, A::Error> {
    let mut members = IndexMap::new();
    while let Some(name) = map.next_key::<String>()? {
        let value = map.next_value()?;
        match members.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(value);
            }
            Entry::Occupied(entry) => return Err(A::Error::custom(duplicate(entry.key()))),
        }
    }
    Ok(members)
}

fn duplicate(name: &str) -> String {
    format!("the name {name:?} is used twice in one object; rename one")
}

/// For `#[serde(deserialize_with)]` on a map: no name comes twice.
pub(crate) fn unique<'de, D, T>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_map(UniqueVisitor(PhantomData))
}

/// As [`unique`], for a map that is left out when it is empty.
pub(crate) fn unique_not_empty<'de, D, T>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let members = unique(deserializer)?;
    if members.is_empty() { Err(D::Error::custom("an empty object; fill it or leave it out")) } else { Ok(members) }
}

/// For `#[serde(deserialize_with)]` on an optional member: `null` is not the same as absent.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
