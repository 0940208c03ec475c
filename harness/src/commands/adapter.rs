//! `webnn adapter`

use clap::Args;
use webnn_reference::steps::Reading;

use crate::failure::{AS_EXPECTED, Failure};
use crate::implementation::Implementation;
use crate::outside::adapter::serve;

/// The arguments of `webnn adapter`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The implementation that computes: `reference`, or `wgpu`, or `wgpu:NAME` for an adapter.
    #[arg(long, short, value_name = "NAME", default_value = "reference")]
    implementation: Implementation,

    /// Which reading of the specification is executed where its text is wrong: as meant, or as written.
    #[arg(long, value_name = "READING", default_value = "corrected", value_parser = ["corrected", "literal"])]
    text: String,
}

/// Speaks the protocol on standard input and output.
///
/// # Errors
/// If the implementation does not start, or what comes in is no command.
pub(crate) fn adapter(arguments: &Arguments) -> Result<u8, Failure> {
    let reading = if arguments.text == "literal" { Reading::Literal } else { Reading::Corrected };
    let (commands, answers) = (std::io::stdin().lock(), std::io::stdout().lock());
    serve(&arguments.implementation, reading, commands, answers).map_err(Failure::Data)?;
    Ok(AS_EXPECTED)
}
