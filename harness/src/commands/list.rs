//! `webnn list`

use clap::{Args, Subcommand};
use webnn_reference::ops::OPERATORS;

use crate::failure::{AS_EXPECTED, Failure};
use crate::selection::Selection;

/// The arguments of `webnn list`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The ids of vectors.
    Vectors(Selection),
    /// The operators of the specification, and the sections that they stand in.
    Operators,
    /// What vectors can be run on.
    Implementations,
    /// The adapters that wgpu finds.
    Adapters,
}

/// Lists.
///
/// # Errors
/// If the vectors can not be loaded.
pub(crate) fn list(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.what {
        What::Vectors(selection) => {
            for file in selection.load()? {
                for vector in &file.vectors {
                    anstream::println!("{}", vector.id);
                }
            }
        }
        What::Operators => {
            for row in OPERATORS {
                anstream::println!("{:<16} {}", row.name, row.section);
            }
        }
        What::Implementations => {
            anstream::println!("reference   the interpreter that encodes the specification");
            anstream::println!("wgpu        the GPU implementation, on its default adapter");
            anstream::println!("wgpu:NAME   the same, on the first adapter whose name contains NAME");
        }
        What::Adapters => {
            let adapters = webnn_gpu::adapters();
            if adapters.is_empty() {
                return Err(Failure::NotStarted(webnn_gpu::NO_ADAPTER.into()));
            }
            for adapter in adapters {
                anstream::println!("{adapter}");
            }
        }
    }
    Ok(AS_EXPECTED)
}
