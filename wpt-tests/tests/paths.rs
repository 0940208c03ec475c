//! Files, folders, and the embedded vectors.

use std::fs;
use std::path::{Path, PathBuf};

use webnn_vectors::{LoadError, Loader};

const VECTOR: &str = r#"{ "source": "s", "section": "relu", "tests": [ { "name": "n", "source": "t", "graph": {
    "inputs": {}, "operators": [] }, "throws": { "name": "TypeError" } } ] }"#;

/// A folder of its own for each test, which cargo clears with the target folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn folders_are_read_in_the_order_of_names() {
    let folder = folder("order");
    fs::create_dir_all(folder.join("b")).unwrap();
    for name in ["c.json", "a.json", "b/a.json", "b/x.y.json"] {
        fs::write(folder.join(name), VECTOR).unwrap();
    }
    fs::write(folder.join("README.md"), "not a vector").unwrap();
    let files = Loader::new().paths(&[&folder]).unwrap();
    let stems: Vec<&str> = files.iter().map(|file| file.stem.as_str()).collect();
    assert_eq!(stems, ["a", "b/a", "b/x.y", "c"]);
    let vector = &files[1].vectors[0];
    assert_eq!((vector.id.as_str(), vector.index), ("b/a/n", 0));
    assert_eq!((files[1].source_of(vector), files[1].section.as_deref()), ("t", Some("relu")));
    // The same file again, and another of the same stem.
    let files = Loader::new().paths(&[folder.join("a.json"), folder.clone(), folder.join("b/a.json")]).unwrap();
    assert_eq!(files.len(), 4);
    let files = Loader::new().paths(&[folder.join("a.json"), folder.join("b/a.json")]).unwrap();
    let ids: Vec<&str> = files.iter().map(|file| file.vectors[0].id.as_str()).collect();
    assert_eq!(ids, ["a/n", "a/n #2"]);
}

#[test]
fn nothing_to_load_is_an_error_of_its_own() {
    let folder = folder("empty");
    fs::write(folder.join("README.md"), "not a vector").unwrap();
    let error = Loader::new().paths(&[&folder]).unwrap_err();
    assert!(matches!(&error, LoadError::Empty { path } if *path == folder));
    assert!(error.to_string().contains("no vector files (*.json) here"));
    assert!(matches!(Loader::new().paths::<&Path>(&[]), Err(LoadError::Empty { .. })));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let missing = folder("missing").join("none.json");
    assert!(matches!(Loader::new().paths(&[&missing]), Err(LoadError::Read { .. })));
    let error = Loader::new().file(&missing).unwrap_err().to_string();
    assert!(error.contains("none.json: cannot read: "), "{error}");
}

#[cfg(unix)]
#[test]
fn loops_of_links_end_and_broken_links_are_told() {
    let folder = folder("links");
    fs::write(folder.join("a.json"), VECTOR).unwrap();
    std::os::unix::fs::symlink(&folder, folder.join("again")).unwrap();
    assert_eq!(Loader::new().paths(&[&folder]).unwrap().len(), 1);
    std::os::unix::fs::symlink(folder.join("nowhere"), folder.join("b.json")).unwrap();
    assert!(matches!(Loader::new().paths(&[&folder]), Err(LoadError::Read { .. })));
}

#[test]
fn the_embedded_vectors_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    match (Loader::new().embedded(), Loader::new().paths(&[folder])) {
        (Ok(embedded), Ok(read)) => {
            let vectors = |files: &[webnn_vectors::VectorFile]| -> Vec<_> {
                files.iter().flat_map(|file| file.vectors.clone()).collect()
            };
            assert_eq!(vectors(&embedded), vectors(&read));
        }
        (Err(LoadError::Empty { .. }), Err(LoadError::Empty { .. })) => {}
        (embedded, read) => panic!("{:?} {:?}", embedded.err(), read.err()),
    }
}
