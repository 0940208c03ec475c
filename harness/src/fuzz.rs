//! Random graphs: drawn, run, judged by the derived bound, and shrunk where an implementation is found to differ.

pub(crate) mod draft;
pub(crate) mod elements;
pub(crate) mod generator;
mod operators;
pub(crate) mod random;
pub(crate) mod statistics;
