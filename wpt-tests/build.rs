//! Rebuilds the crate when a vector file is added or removed: the embedded folder alone would only
//! follow the files that it held before.
#![allow(clippy::print_stdout)] // A build script speaks to cargo through its standard output.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=vectors");
}
