//! Proposals: algorithms that are not in the specification, on which it is built as if they were.
//!
//! Each has its prose in `spec-diff/proposals`.

pub mod failed_dispatch;
pub mod graph_cache;
pub mod hollow_constants;
pub mod interop;
pub mod residency;
