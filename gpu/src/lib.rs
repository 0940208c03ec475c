//! WebNN on wgpu: the second platform of the executable specification.
//!
//! The first platform, the interpreter in `webnn-reference`, computes slowly and obviously on the CPU. This one
//! computes the same graphs on whatever Vulkan device is present, hardware or Mesa's software driver, and never
//! calls the interpreter's arithmetic: an independent answer is the point.
//!
//! From the top down:
//!
//! * [`Gpu`] provides contexts, each a `Platform` of tensors and graphs, all on one device and in one batch;
//! * [`lower`] turns a validated graph into dispatches, operator by operator;
//! * [`plan`] lets intermediate tensors share memory, by their lives;
//! * the operators' kernels are in `kernels/`, a file for each section of the specification;
//! * [`wgsl`] writes kernels: how elements are packed into words, how indices are walked, and a numeric library
//!   whose results do not depend on the driver;
//! * [`batch`] records dispatches, uploads and reads, and submits them together;
//! * [`pipeline`] compiles a kernel's text once;
//! * [`cache`] keeps compiled graphs as bytes, and in a folder;
//! * [`device`] opens an adapter and turns its failures into [`error`]s;
//! * [`interop`] is for applications that have a device of their own, and kernels of their own between graphs.
//!
//! Three modules are about the memory of graphs. `weights` moves constants to the device, through a ring of staging buffers;
//! `residency` lets graphs leave the device and return; `streaming` runs a graph whose constants do not fit, segment by
//! segment. What there is and what is moved is in a ledger that `account` keeps.

mod account;
pub mod batch;
pub mod cache;
mod context;
pub mod device;
pub mod error;
mod fuse;
mod graph;
pub mod interop;
mod kernels;
pub mod lower;
mod parallel;
pub mod pipeline;
pub mod plan;
mod platform;
mod residency;
mod scalar;
pub mod sketch;
mod split;
mod streaming;
mod weights;
pub mod wgsl;

pub use platform::{FLUSHES_SUBNORMALS, Gpu, NO_ADAPTER, adapters};
