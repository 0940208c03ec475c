//! The command `spec-diff`.

use std::process::ExitCode;

fn main() -> ExitCode {
    spec_diff::cli::main()
}
