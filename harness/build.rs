//! Tells the program of which commit it is, for the header of result files. Outside a repository it does not know.
#![allow(clippy::print_stdout)] // A build script speaks to cargo through its standard output.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Changes with each commit and each checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    if let Some(commit) = git(&["rev-parse", "HEAD"]) {
        println!("cargo::rustc-env=WEBNN_COMMIT={commit}");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}
