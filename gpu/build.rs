//! Tells the crate which source it is made from, so that graphs that were kept by other source are known as such: between
//! two releases the version does not change, and what the kernels compute may.
#![allow(clippy::print_stdout)] // A build script speaks to cargo through its standard output.

use std::hash::Hasher;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let mut hash = fnv::FnvHasher::default();
    for folder in ["src", "../reference/src/ops"] {
        println!("cargo::rerun-if-changed={folder}");
        add(Path::new(folder), &mut hash)?;
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=WEBNN_GPU_SOURCE={:016x}", hash.finish());
    Ok(())
}

/// Adds the files of a folder, in the order of their names.
fn add(folder: &Path, hash: &mut fnv::FnvHasher) -> std::io::Result<()> {
    let mut paths = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(&path, hash)?;
        } else {
            hash.write(path.to_string_lossy().as_bytes());
            hash.write(&std::fs::read(&path)?);
        }
    }
    Ok(())
}
