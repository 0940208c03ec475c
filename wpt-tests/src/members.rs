//! Members of JSON objects: no name comes twice (the parser alone would silently keep the last
//! one), and an optional member is absent rather than `null`.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// A value that is written as an object: the parser alone would take a list of its members, too.
pub(crate) struct Object<T>(pub(crate) T);

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

/// For `#[serde(deserialize_with)]` on a member that is an object.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

/// As [`object`], for a member that may be absent.
pub(crate) fn present_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    object(deserializer).map(Some)
}

/// For `#[serde(deserialize_with)]` on a list of objects.
pub(crate) fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|Object(value)| value).collect())
}

/// As [`objects`], for a list that may be absent.
pub(crate) fn present_objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    objects(deserializer).map(Some)
}

/// For `#[serde(deserialize_with)]` on a map of objects: no name comes twice.
pub(crate) fn unique_objects<'de, D, T>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let members: IndexMap<String, Object<T>> = unique(deserializer)?;
    Ok(members.into_iter().map(|(name, Object(value))| (name, value)).collect())
}

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

/// As [`unique_objects`], for a map that is left out when it is empty.
pub(crate) fn unique_objects_not_empty<'de, D, T>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let members = unique_objects(deserializer)?;
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
