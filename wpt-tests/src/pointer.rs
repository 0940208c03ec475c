//! JSON pointers (RFC 6901).

use serde_path_to_error::{Path, Segment};

/// The pointer of these reference tokens.
pub(crate) fn pointer<'a>(tokens: impl IntoIterator<Item = &'a str>) -> String {
    let mut pointer = String::new();
    for token in tokens {
        push(&mut pointer, token);
    }
    pointer
}

/// The pointer of a path that the parser was at.
pub(crate) fn of_path(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => push(&mut pointer, &index.to_string()),
            Segment::Map { key } => push(&mut pointer, key),
            // Variants are values here, not places; an unknown segment is a name that was not read
            // yet.
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}
