//! `webnn list`

mod operators;

use clap::{Args, Subcommand};
use webnn_vectors::{Kind, Vector, VectorFile};

use crate::failure::{AS_EXPECTED, Failure};
use crate::listing::{FormatOfAll, ListedImplementation, ListedVector, Listing};
use crate::record::About;
use crate::selection::{Selection, subject};
use crate::shown::name;

/// The arguments of `webnn list`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,

    #[command(flatten)]
    format: FormatOfAll,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The ids of vectors.
    Vectors(Selection),
    /// The operators of the specification: what each takes and returns, and the section that it stands in.
    Operators,
    /// What vectors can be run on.
    Implementations,
    /// The adapters that wgpu finds.
    Adapters,
}

const IMPLEMENTATIONS: [ListedImplementation; 6] = [
    ListedImplementation { name: "reference", description: "the interpreter that encodes the specification" },
    ListedImplementation { name: "wgpu", description: "the GPU implementation, on its default adapter" },
    ListedImplementation { name: "wgpu:NAME", description: "the same, on the first adapter whose name contains NAME" },
    ListedImplementation {
        name: "cmd:PROGRAM ARGUMENTS",
        description: "a program that speaks the protocol of harness/PROTOCOL.md",
    },
    ListedImplementation { name: "browser:PATH FLAGS", description: "the WebNN of a browser, which is started" },
    ListedImplementation {
        name: "page:PORT",
        description: "the WebNN of a browser in which somebody opens a page (webnn serve)",
    },
];

/// Lists.
///
/// # Errors
/// If the vectors can not be loaded.
pub(crate) fn list(arguments: &Arguments) -> Result<u8, Failure> {
    let is_json = arguments.format.is_json();
    match &arguments.what {
        What::Vectors(selection) => {
            let files = selection.load()?;
            if is_json {
                Listing::Vectors { vectors: files.iter().flat_map(listed).collect() }.print()?;
            } else {
                for vector in files.iter().flat_map(|file| &file.vectors) {
                    anstream::println!("{}", name(&vector.id));
                }
            }
        }
        What::Operators if is_json => {
            let (operators, enumerations) = (operators::operators(), operators::enumerations());
            Listing::Operators { operators, enumerations }.print()?;
        }
        What::Operators => anstream::print!("{}", operators::text()),
        What::Implementations if is_json => {
            Listing::Implementations { implementations: IMPLEMENTATIONS.to_vec() }.print()?;
        }
        What::Implementations => {
            for ListedImplementation { name, description } in IMPLEMENTATIONS {
                anstream::println!("{name:<22} {description}");
            }
            anstream::println!("\nNAME=cmd:... and NAME=browser:... are the same under a name of your own.");
        }
        What::Adapters => {
            let adapters = webnn_gpu::adapters();
            match adapters.as_slice() {
                _ if is_json => Listing::Adapters { adapters }.print()?,
                [] => return Err(Failure::NotStarted(webnn_gpu::NO_ADAPTER.into())),
                adapters => adapters.iter().for_each(|adapter| anstream::println!("{adapter}")),
            }
        }
    }
    Ok(AS_EXPECTED)
}

fn listed(file: &VectorFile) -> impl Iterator<Item = ListedVector<'_>> {
    file.vectors.iter().map(|vector| ListedVector {
        id: &vector.id,
        path: &file.path,
        kind: kind(vector),
        subject: subject(vector),
        data_type: About::data_type_of(vector).map(webnn_vectors::DataType::name),
        source: file.source_of(vector),
    })
}

fn kind(vector: &Vector) -> &'static str {
    match vector.kind {
        Kind::Graph { .. } => "graph",
        Kind::Negative { .. } => "negative",
        Kind::Scenario { .. } => "scenario",
    }
}
