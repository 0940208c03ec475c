//! Whatever a file has in it, reading it ends, with a result or with an error that says what is wrong.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use spec_diff::bikeshed::Document;
use spec_diff::code::Code;
use spec_diff::diff::{Ours, Revisions, diff};
use spec_diff::lint::lint;
use spec_diff::lock::Lock;

/// A file with this content, in a folder of its own.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("robust").join(name.replace('.', "-"));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path
}

fn document_error(name: &str, content: &[u8]) -> String {
    let path = file(name, content);
    let error = Document::read(&path).unwrap_err().to_string();
    error.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
}

fn code_error(name: &str, content: &[u8]) -> String {
    let path = file(name, content);
    let error = Code::read(path.parent().unwrap()).unwrap_err().to_string();
    error.strip_prefix(&path.display().to_string()).unwrap().to_owned()
}

#[test]
fn documents_that_are_none() {
    assert_eq!(document_error("binary.bs", b"\x7fELF\xff\xfe"), "this is not text (there is a strange byte at 4)");
    assert_eq!(document_error("zero.bs", b"abc\0"), "this is not text (there is a strange byte at 3)");
    let missing = Document::read(PathBuf::from("no/such.bs").as_path()).unwrap_err().to_string();
    assert!(missing.starts_with("no/such.bs: No such file"), "{missing}");
    assert!(Document::read(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).as_path()).is_err());
    assert_eq!(Document::read(&file("empty.bs", b"")).unwrap(), Document::default());
}

#[test]
fn documents_that_break_off() {
    let source = "<p>\n<details algorithm>\n<summary>The <dfn method for=X>f(|a|)</dfn> steps:\n</summary>\n  1. One.\n    \
                  1. <b title='x'>Two</b>.\n</details>\n";
    for end in (0..source.len()).filter(|end| source.is_char_boundary(*end)) {
        let read = Document::parse(&source[..end]);
        if source[..end].contains("algorithm>") && !source[..end].contains("</details>") {
            assert_eq!(read.unwrap_err().to_string(), "line 2: <details algorithm> is never closed");
        } else {
            read.unwrap();
        }
    }
}

#[test]
fn documents_that_nest_without_end() {
    let many = 200_000;
    let steps: String = (0..1_000).map(|indent| format!("{:indent$}1. x\n", "")).collect();
    let error = Document::parse(&format!("<div algorithm><dfn>x</dfn>\n{steps}</div>")).unwrap_err().to_string();
    assert_eq!(error, "line 34: this step is nested more than 32 deep");
    assert_eq!(Document::parse(&"<div>".repeat(many)).unwrap().algorithms.len(), 0);
    assert_eq!(Document::parse(&("<b>".repeat(many) + &"</i>".repeat(many))).unwrap().algorithms.len(), 0);
    let nested = "<div algorithm=x>".repeat(1_000) + &"</div>".repeat(1_000);
    assert_eq!(Document::parse(&nested).unwrap().algorithms.len(), 1_000);
    // Each of these could make a reader look at the rest of the text again and again; some are refused.
    for part in ["<", "<a ", "<a b='", "`", "` `` ", "</", "&lt;"] {
        let _ = Document::parse(&part.repeat(many));
        let _ = Document::parse(&format!("x{}", part.repeat(many)));
    }
}

#[test]
fn code_that_is_none() {
    assert_eq!(code_error("binary.rs", b"\n\xff"), ":2: this is not Rust source: it is not UTF-8");
    assert!(code_error("open.rs", b"\nfn f() {").contains("this is not Rust source"));
    assert!(code_error("string.rs", b"\n\nlet x = \"").starts_with(":3: this is not Rust source"));
    let deep = "{".repeat(100_000) + &"}".repeat(100_000);
    assert_eq!(
        code_error("deep.rs", deep.as_bytes()),
        ":1: this is not Rust source: blocks are nested more than 200 deep"
    );
    assert!(Code::read(&file("x.txt", b"").with_file_name("")).unwrap_err().to_string().contains("no Rust file"));
    assert!(Code::read(PathBuf::from("no/such").as_path()).is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*") {
        let _ = Document::parse(&text);
    }

    /// Texts made of what the reader looks for.
    #[test]
    fn any_markup_is_read_or_refused(parts in prop::collection::vec(prop::sample::select(vec![
        "<details algorithm>", "</details>", "<div algorithm=x>", "</div>", "<p algorithm>", "</p>", "<dfn method for=X>",
        "<dfn>", "</dfn>", "|x|", "\n", "\n    1. ", "\n  1. ", "\n        1. ", "\t1.", "<!--", "-->", "<pre>", "</pre>",
        "<table id=tensor-limits-x link-for=\"X/f(a, b)\">", "<tr>", "<td>", "</table>", "<script type=idl>", "</script>",
        "interface X { undefined f(long a); };", "Let |a| be ", "If |a|, then return failure.",
        "```", "`", "<div class=note>", "é", "<", ">", "'", "\"", "=", "{{TypeError}}", "[=/abort when=]", "\r\n",
    ]), 0..60)) {
        let text = parts.concat();
        if let Ok(document) = Document::parse(&text) {
            // Whatever was read can be looked at, locked and compared.
            let _ = lint(&document, &text);
            let lock = Lock::of(&document, Path::new("x.lock")).to_string();
            prop_assert_eq!(Lock::parse(&lock, Path::new("x.lock")).unwrap().to_string(), lock);
            let path = Path::new("x.bs");
            let (old_text, new_text) = (text.as_str(), text.as_str());
            let revisions = Revisions { old_path: path, old_text, old: &document, new_path: path, new_text, new: &document };
            prop_assert!(diff(&revisions, Ours::default()).is_empty());
            for algorithm in document.algorithms {
                prop_assert!(algorithm.line <= algorithm.end_line);
                let lines: Vec<_> = algorithm.steps.iter().map(|step| step.line).collect();
                prop_assert!(lines.is_sorted() && lines.iter().all(|line| (algorithm.line..=algorithm.end_line).contains(line)));
                // Nothing has the same path twice, and nothing is inside a step that is not there.
                let paths: Vec<_> = algorithm.steps.iter().map(|step| step.path.clone()).collect();
                prop_assert!(paths.is_sorted_by(|a, b| a < b), "{paths:?}");
            }
        }
    }
}
