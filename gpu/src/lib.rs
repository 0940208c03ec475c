//! WebNN on wgpu: the second platform of the executable specification.
//!
//! The first platform, the interpreter in `webnn-reference`, computes slowly and obviously on the CPU. This one
//! computes the same graphs on whatever Vulkan device is present, hardware or Mesa's software driver, and never
//! calls the interpreter's arithmetic: an independent answer is the point.
//!
//! From the bottom up:
//!
//! * [`device`] opens an adapter and turns its failures into [`error`]s;
//! * [`wgsl`] writes kernels: how elements are packed into words, how indices are walked, and a numeric library
//!   whose results do not depend on the driver;
//! * [`pipeline`] compiles a kernel's text once;
//! * [`batch`] records dispatches, uploads and reads, and submits them together.

pub mod batch;
pub mod device;
pub mod error;
pub mod pipeline;
mod platform;
pub mod wgsl;

pub use platform::{Gpu, NO_ADAPTER, adapters};
