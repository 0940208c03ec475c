//! Graphs that are kept: what a graph is as bytes, and a folder of them
//! ([proposal](https://github.com/webmachinelearning/webnn/issues/807)).
//!
//! What is kept is what the graph was compiled to: the text of its kernels, their parameters and grids, what they bind,
//! and where its tensors lie. Loading it skips lowering, fusion and planning; the driver still compiles the text, unless it
//! has done so before. The data of hollow constants is left out, and that of other constants is in it. (wgpu's cache of
//! pipelines could be kept too, but its constructor is `unsafe`; drivers keep a cache of their own.)
//!
//! Two things can be wrong with an entry, and they are looked for in two places. It is not what was kept: `entry` finds
//! that by its checksum, and by who made it. It is what was kept, but by somebody who means no good: `check` adds up what
//! it says of memory, so that whatever comes out of an entry binds and dispatches as a graph that was built does. Its
//! text is in the hands of wgpu, which validates it, and which clamps indices and bounds loops.

mod check;
pub(crate) mod entry;
mod folder;

pub use entry::FORMAT_AT;
pub use folder::Folder;
