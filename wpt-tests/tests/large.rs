//! Files that are larger than what is read at once: the same vectors and the same errors, one vector at a time.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use webnn_vectors::{Ids, LoadError, Loader, Source, Vector, VectorFile};

/// Enough of them that a file of them has some MiB.
const VECTORS: usize = 10_000;

fn vector(number: usize) -> String {
    format!(
        r#"{{ "name": "relu {number}", "note": "é\u20ac", "graph": {{
  "inputs": {{ "x": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{number}] }} }},
  "operators": [{{ "name": "relu", "arguments": [{{ "input": "x" }}], "outputs": "y" }}],
  "expectedOutputs": {{ "y": {{ "descriptor": {{ "dataType": "float32", "shape": [1] }}, "data": [{number}] }} }} }} }}"#
    )
}

/// A file of them, of which this one is another.
fn text(other: usize, change: impl Fn(&str) -> String) -> String {
    let vectors = (0..VECTORS).map(|number| {
        let vector = vector(number);
        if number == other { change(&vector) } else { vector }
    });
    let vectors = vectors.collect::<Vec<_>>().join(",\n");
    format!("{{ \"tests\": [\n{vectors}\n], \"source\": \"worked example\" }}\n")
}

fn written(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn source(path: &Path) -> Source {
    Source::of_paths(&[path]).unwrap().remove(0)
}

/// How many vectors a file has before what is wrong with it.
fn counted(source: &Source) -> (usize, Result<Option<VectorFile>, LoadError>) {
    let mut count = 0;
    let read = Loader::new().each(source, &mut |_: Vector| {
        count += 1;
        ControlFlow::Continue(())
    });
    (count, read)
}

#[test]
fn a_large_file_is_what_its_text_is() {
    let text = text(VECTORS, str::to_owned);
    assert!(text.len() > 3 << 20, "{} bytes are not large", text.len());
    let path = written("good.json", &text);
    let at_once = Loader::new().text(&path.display().to_string(), "good", text.as_bytes()).unwrap();
    assert_eq!(Loader::new().source(&source(&path)).unwrap(), at_once);
    let (count, read) = counted(&source(&path));
    let heading = read.unwrap().unwrap();
    assert_eq!((count, heading.vectors.len(), heading.source.as_str()), (VECTORS, 0, "worked example"));
    assert_eq!(heading.fingerprint, at_once.fingerprint);
}

/// A message without its column: the parser counts the character that it looks ahead at where it reads from a file.
fn without_column(message: &str) -> String {
    let without = |text: &str, before: &str| {
        let (begin, end) = text.split_once(before)?;
        Some(format!("{begin}{}", end.trim_start_matches(|c: char| c.is_ascii_digit())))
    };
    let of_a_form = without(message, "column ");
    of_a_form.or_else(|| without(message, ":36003:")).unwrap_or_else(|| message.to_owned())
}

#[test]
fn what_is_wrong_far_behind_has_its_place() {
    let far = 9_000;
    let good = vector(far);
    let cases = [
        ("no JSON", "\"x\": {", "\"x\" {"),
        ("a wrong type", "[9000]", "[\"two\"]"),
        ("an unknown member", "\"note\"", "\"nota\""),
        ("too little data", "[9000]", "[]"),
        ("a name that is there", "relu 9000", "relu 17"),
        ("no object", good.as_str(), "7"),
    ];
    for (what, part, other) in cases {
        let text = text(far, |vector| vector.replacen(part, other, 1));
        let path = written("bad.json", &text);
        let at_once = Loader::new().text(&path.display().to_string(), "bad", text.as_bytes()).unwrap_err();
        let (count, read) = counted(&source(&path));
        let error = read.unwrap_err().to_string();
        assert_eq!(without_column(&error), without_column(&at_once.to_string()), "{what}");
        assert_eq!(count, far, "{what}");
        assert!(error.contains("/tests/9000") || error.contains("bad.json:36003:"), "{what}: {error}");
    }
}

#[test]
fn what_is_no_text_is_said_before_the_first_vector() {
    let mut bytes = text(VECTORS, str::to_owned).into_bytes();
    let end = bytes.len() - 40;
    bytes[end] = 0xFF;
    let path = written("bytes.json", "");
    fs::write(&path, &bytes).unwrap();
    let (count, read) = counted(&source(&path));
    assert_eq!(count, 0);
    assert!(read.unwrap_err().to_string().ends_with(&format!("it is not UTF-8, from byte {end} on")));
}

#[test]
fn what_has_changed_is_refused_before_the_first_vector() {
    let path = written("changed.json", &text(VECTORS, str::to_owned));
    let fingerprint = counted(&source(&path)).1.unwrap().unwrap().fingerprint;
    let again = source(&path).unchanged(fingerprint);
    assert_eq!(counted(&again).0, VECTORS);
    fs::write(&path, text(5, |vector| vector.replace("[5]", "[6]"))).unwrap();
    let (count, read) = counted(&again);
    assert_eq!(count, 0);
    assert!(matches!(read, Err(LoadError::Changed { .. })), "{read:?}");
}

#[test]
fn no_more_is_read_than_is_taken() {
    // What is wrong behind is not reached.
    let path = written("part.json", &text(5_000, |_| "7".to_owned()));
    let mut ids = Ids::default();
    let mut taken = Vec::new();
    let read = Loader::new().each(&source(&path), &mut |mut vector| {
        let number = ids.make_unique(&mut vector);
        taken.push(ids.get(number).to_owned());
        if taken.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert!(read.unwrap().is_none());
    assert_eq!(taken, ["part/relu 0", "part/relu 1", "part/relu 2"]);
}

#[test]
fn ids_stay_unlike_each_other() {
    let text = |names: [&str; 2]| {
        let vectors = names.map(|name| vector(1).replace("relu 1", name)).join(",");
        format!(r#"{{ "source": "s", "tests": [ {vectors} ] }}"#)
    };
    let mut ids = Ids::default();
    let mut all = Vec::new();
    for names in [["a", "a #2"], ["b", "a"], ["a", "b"]] {
        let mut file = Loader::new().text("f.json", "f", text(names).as_bytes()).unwrap();
        for vector in &mut file.vectors {
            ids.make_unique(vector);
            all.push(vector.id.clone());
        }
    }
    assert_eq!(all, ["f/a", "f/a #2", "f/b", "f/a #3", "f/a #4", "f/b #2"]);
}
