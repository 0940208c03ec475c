//! The specification's chapter "Algorithms": <https://www.w3.org/TR/webnn/#algorithms>.

pub mod broadcasting;
pub mod casting;
pub mod miscellaneous;
