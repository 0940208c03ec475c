//! `webnn schema`

use clap::{Args, ValueEnum};

use crate::failure::{AS_EXPECTED, Failure};
use crate::{listing, outside, results, signatures};

/// The arguments of `webnn schema`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Of what.
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Files of vectors.
    Vectors,
    /// The messages of the protocol for implementations outside.
    Protocol,
    /// What `--format json` writes.
    Listings,
    /// Each line of a result file.
    Results,
}

/// Writes a JSON Schema.
///
/// # Errors
/// None that is to be expected.
pub(crate) fn schema(arguments: &Arguments) -> Result<u8, Failure> {
    let schema = match arguments.what {
        What::Vectors => webnn_vectors::schema(signatures::all()),
        What::Protocol => outside::messages::schema(),
        What::Listings => listing::schema(),
        What::Results => results::schema(),
    };
    let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::Output(error.to_string()))?;
    anstream::println!("{text}");
    Ok(AS_EXPECTED)
}
