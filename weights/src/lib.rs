//! Weights from files: what `setConstantData()` of the hollow constants takes, where the data is not in memory.
//!
//! [`File`] is a range of a file as a [`Blob`](webnn_reference::supply::Blob): it is read where it is needed, and as often
//! as it is needed. [`SafeTensors`] lists the tensors of a file in the format of that name, each as such a range, and
//! [`write`](safetensors::write) makes one, without ever holding a tensor in memory. [`Reader`] is the stream of anything
//! that can be read.
//!
//! ```no_run
//! use std::rc::Rc;
//! use webnn_reference::supply::ConstantData;
//! use webnn_weights::SafeTensors;
//!
//! # fn main() -> Result<(), webnn_weights::Error> {
//! let model = SafeTensors::open("model.safetensors")?;
//! let tensor = model.tensor("encoder.weight")?;
//! // The graph was built with `builder.hollow_constant(&tensor.descriptor)`.
//! let data = ConstantData::Blob(Rc::new(tensor.blob));
//! # let _ = data;
//! # Ok(())
//! # }
//! ```
//!
//! # Read, and not mapped unless that is safe
//!
//! A file is read by its positions, several threads at once. A mapped file that another program cuts short ends the process by a
//! signal, where a read gives an error that can be handled; so [`File::mapped`] maps only those of which the system vouches that
//! nobody can change them. Nor does a mapping save memory: the pages that the kernel keeps of a file are the same for both, and
//! a mapping counts them as the process's own. What it saves is one copy, from those pages to where the data goes.
//! `docs/memory.md` has the speed of reads beside that of the bus to the device, which is what they have to keep up with.

pub mod file;
pub mod reader;
pub mod safetensors;

use std::path::{Path, PathBuf};

pub use file::File;
pub use reader::Reader;
pub use safetensors::SafeTensors;

/// Why a file is of no use: which one, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: String,
}

impl Error {
    fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
}
