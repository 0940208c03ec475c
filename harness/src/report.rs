//! Reports of a run, from its result file: for people, for CI, and for other tools.
//!
//! Each is a function of the [`Record`](crate::record::Record) alone, in the order of its vectors and implementations, so that
//! a run and the merger of its parts give the same report. It is written as it is made: a run may be larger than the memory.

pub(crate) mod badge;
pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod scope;
pub(crate) mod wptreport;
