//! Ties the prose of the WebNN specification to the code that encodes it.
//!
//! The crate `webnn-reference` executes the specification: each function that encodes an algorithm says so with
//! `algorithm!`, and names each step of the prose with `step!` where it encodes it. That is worth something only as
//! long as it is true. This crate reads both sides as text and compares them:
//!
//! ```text
//! index.bs, proposals/*.bs --> bikeshed::Document ---+
//!                                                    +--> check::check --> check::Report --> render
//! reference/src/**/*.rs ----> code::Code ------------+
//! ```
//!
//! - [`bikeshed`] reads the specification's source as algorithms and steps, with their text and their lines;
//! - [`code`] reads Rust source as frames and named steps, with their lines;
//! - [`check`] compares the two;
//! - [`render`] says it to people, and [`cli`] is the command `spec-diff`.
//!
//! Neither side is executed, and no prose is stored: what the tool shows of it comes from the user's own file.

pub mod align;
pub mod bikeshed;
pub mod check;
pub mod cli;
pub mod code;
pub mod coverage;
pub mod declared;
pub mod diff;
pub mod facts;
mod html;
pub mod idl;
pub mod lint;
pub mod lock;
mod names;
pub mod proposal;
pub mod render;
mod repository;
pub mod results;
mod snippet;
mod step_path;
pub mod trace;

pub use step_path::{StepPath, StepPathError};
