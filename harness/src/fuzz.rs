//! Random graphs: drawn, run, judged by the derived bound, and shrunk where an implementation is found to differ.

pub(crate) mod campaign;
mod draft;
mod elements;
pub(crate) mod file;
pub(crate) mod generator;
mod operators;
mod random;
pub(crate) mod shrink;
mod simpler;
pub(crate) mod statistics;
pub(crate) mod subject;
mod values;
