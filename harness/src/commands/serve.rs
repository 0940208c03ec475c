//! `webnn serve`

use clap::Args;

use super::run;
use crate::failure::Failure;
use crate::implementation::Implementation;
use crate::outside::Source;
use crate::outside::page::Opened;

/// The arguments of `webnn serve`.
#[derive(Args, Debug)]
#[group(id = "serve")]
pub(crate) struct Arguments {
    /// The port of the page; any that is free by default.
    #[arg(long, short, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// What the browser is called in the results.
    #[arg(long, value_name = "NAME", default_value = "page")]
    name: String,

    #[command(flatten)]
    run: run::Arguments,
}

/// Serves a page on loopback and runs vectors in the browser that it is opened in.
///
/// # Errors
/// Those of `webnn run`.
pub(crate) fn serve(arguments: &Arguments) -> Result<u8, Failure> {
    let source = Source::Page(Opened::BySomebody(arguments.port));
    let page = Implementation::Outside { name: arguments.name.clone(), source };
    run::run_with(&arguments.run, page)
}
