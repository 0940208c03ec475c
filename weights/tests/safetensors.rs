//! The format as others write it, as we write it, and as nobody should.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::supply::Blob;
use webnn_weights::safetensors::write;
use webnn_weights::{Error, SafeTensors};

/// A path that nobody else has, and that is free again when the test is over.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static PLACES: AtomicUsize = AtomicUsize::new(0);
        let number = PLACES.fetch_add(1, Ordering::Relaxed);
        let name = format!("tensors-{}-{number}", std::process::id());
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    fn open(&self, bytes: &[u8]) -> Result<SafeTensors, Error> {
        fs::write(&self.0, bytes).unwrap();
        SafeTensors::open(&self.0)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

/// A file by hand: the length of the header, the header, the data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

fn bytes_of(file: &SafeTensors, name: &str) -> Vec<u8> {
    let tensor = file.tensor(name).unwrap();
    assert_eq!(tensor.blob.size(), tensor.descriptor.byte_length());
    let mut bytes = vec![0; tensor.blob.size() as usize];
    tensor.blob.read(0, &mut bytes).unwrap();
    bytes
}

const TWO: &str = r#"{"__metadata__":{"format":"pt"},
    "b":{"dtype":"I8","shape":[3],"data_offsets":[4,7]},"a":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]}}  "#;

#[test]
fn a_file_as_others_write_it() {
    let place = Place::new();
    let tensors = place.open(&file(TWO, &[0, 1, 2, 3, 4, 5, 6])).unwrap();
    assert_eq!(tensors.names(), ["a", "b"]);
    let a = tensors.tensor("a").unwrap();
    assert_eq!(a.descriptor, MLOperandDescriptor::create(MLOperandDataType::Float16, &[1, 2]));
    assert_eq!(bytes_of(&tensors, "a"), [0, 1, 2, 3]);
    assert_eq!(bytes_of(&tensors, "b"), [4, 5, 6]);
    let missing = tensors.tensor("c").unwrap_err();
    assert!(missing.reason.contains(r#"has no tensor "c""#), "{missing}");
}

#[test]
fn a_type_that_webnn_does_not_have_costs_its_tensor_only() {
    let header = r#"{"brain":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},
        "wide":{"dtype":"U8","shape":[0,4294967296],"data_offsets":[2,2]},"whole":{"dtype":"U8","shape":[],"data_offsets":[2,3]}}"#;
    let place = Place::new();
    let tensors = place.open(&file(header, &[1, 2, 3])).unwrap();
    let brain = tensors.tensor("brain").unwrap_err();
    assert!(brain.reason.contains("BF16, which WebNN does not have"), "{brain}");
    let wide = tensors.tensor("wide").unwrap_err();
    assert!(wide.reason.contains("too large"), "{wide}");
    assert_eq!(bytes_of(&tensors, "whole"), [3]);
}

#[test]
fn what_a_header_says_is_checked() {
    let one = |info: &str| format!(r#"{{"a":{{{info}}}}}"#);
    let wrong = [
        ("an end beyond the file", one(r#""dtype":"U8","shape":[9],"data_offsets":[0,9]"#)),
        ("bytes that are left over", one(r#""dtype":"U8","shape":[3],"data_offsets":[0,3]"#)),
        ("a gap", one(r#""dtype":"U8","shape":[3],"data_offsets":[1,4]"#)),
        ("an end before the start", one(r#""dtype":"U8","shape":[4],"data_offsets":[4,0]"#)),
        ("too few bytes for the shape", one(r#""dtype":"F32","shape":[2],"data_offsets":[0,4]"#)),
        ("too many elements to count", one(r#""dtype":"U8","shape":[9223372036854775807,4],"data_offsets":[0,4]"#)),
        ("a negative dimension", one(r#""dtype":"U8","shape":[-4],"data_offsets":[0,4]"#)),
        ("an unknown type", one(r#""dtype":"U7","shape":[4],"data_offsets":[0,4]"#)),
        ("no offsets", one(r#""dtype":"U8","shape":[4]"#)),
        ("no object", "[]".to_owned()),
        ("nothing", String::new()),
        (
            "an overlap",
            r#"{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}}"#
                .to_owned(),
        ),
        (
            "the same name twice",
            r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#
                .to_owned(),
        ),
    ];
    let place = Place::new();
    for (what, header) in wrong {
        let refused = place.open(&file(&header, &[0; 4])).expect_err(what);
        assert!(refused.reason.contains("header"), "{what}: {refused}");
    }
}

#[test]
fn a_header_that_is_too_long_is_not_allocated() {
    let place = Place::new();
    for length in [5, 100_000_001, u64::MAX] {
        let refused = place.open(&[&length.to_le_bytes()[..], b"{}  "].concat()).unwrap_err();
        assert!(refused.reason.contains(&format!("would have {length} bytes")), "{refused}");
    }
    assert!(place.open(b"{}").unwrap_err().reason.contains("too short"));
}

#[test]
fn every_type_is_written_and_read() {
    let place = Place::new();
    let described: Vec<(String, MLOperandDescriptor)> = MLOperandDataType::ALL
        .into_iter()
        .map(|data_type| (data_type.to_string(), MLOperandDescriptor::create(data_type, &[3, 5, 7])))
        .collect();
    write(&place.0, &described, |index, offset, piece| {
        piece
            .iter_mut()
            .zip(offset..)
            .for_each(|(byte, at)| *byte = (at as u8).wrapping_mul(3).wrapping_add(index as u8));
    })
    .unwrap();
    let tensors = SafeTensors::open(&place.0).unwrap();
    for (index, (name, descriptor)) in described.iter().enumerate() {
        assert_eq!(tensors.tensor(name).unwrap().descriptor, *descriptor);
        let expected: Vec<u8> =
            (0..descriptor.byte_length()).map(|at| (at as u8).wrapping_mul(3).wrapping_add(index as u8)).collect();
        assert_eq!(bytes_of(&tensors, name), expected);
    }
}

#[test]
fn a_tensor_is_filled_piece_by_piece() {
    let place = Place::new();
    let descriptor = MLOperandDescriptor::create(MLOperandDataType::Uint8, &[(2 << 20) + 3]);
    let mut pieces = Vec::new();
    write(&place.0, &[("a".to_owned(), descriptor)], |_, offset, piece| pieces.push((offset, piece.len()))).unwrap();
    assert_eq!(pieces, [(0, 1 << 20), (1 << 20, 1 << 20), (2 << 20, 3)]);
}

#[test]
fn what_can_not_be_written_leaves_nothing_behind() {
    let place = Place::new();
    let descriptor = MLOperandDescriptor::create(MLOperandDataType::Uint8, &[1]);
    let named = |name: &str| (name.to_owned(), descriptor.clone());
    let twice = write(&place.0, &[named("a"), named("a")], |_, _, _| {}).unwrap_err();
    assert!(twice.reason.contains("the name is taken"), "{twice}");
    assert!(write(&place.0, &[named("__metadata__")], |_, _, _| {}).is_err());
    let nowhere = place.0.join("folder");
    let failed = write(&nowhere, &[named("a")], |_, _, _| {}).unwrap_err();
    assert_eq!(failed.path, nowhere);
    assert!(!place.0.exists());
}

/// Where the disk has no room, nothing of the name is there, and the error says so. Linux has a file that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_says_so() {
    let place = Place::new();
    let descriptor = MLOperandDescriptor::create(MLOperandDataType::Uint8, &[1 << 20]);
    let mut name = place.0.file_name().unwrap().to_owned();
    name.push(".partial");
    std::os::unix::fs::symlink("/dev/full", place.0.with_file_name(&name)).unwrap();
    let full = write(&place.0, &[("a".to_owned(), descriptor)], |_, _, _| {}).unwrap_err();
    assert!(full.reason.contains("No space left"), "{full}");
    assert!(!place.0.exists() && fs::symlink_metadata(place.0.with_file_name(name)).is_err());
}

/// Whatever comes of it: an error, or tensors that lie within the file.
fn opens_or_says_why(place: &Place, bytes: &[u8]) {
    if let Ok(tensors) = place.open(bytes) {
        for name in tensors.names() {
            if let Ok(tensor) = tensors.tensor(&name) {
                assert!(tensor.blob.size() <= bytes.len() as u64);
                assert_eq!(bytes_of(&tensors, &name).len() as u64, tensor.descriptor.byte_length());
            }
        }
    }
}

#[test]
fn a_file_that_ends_anywhere_is_refused() {
    let whole = file(TWO, &[0, 1, 2, 3, 4, 5, 6]);
    let place = Place::new();
    for length in 0..whole.len() {
        assert!(place.open(&whole[..length]).is_err(), "{length} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        opens_or_says_why(&Place::new(), &bytes);
    }

    #[test]
    fn an_arbitrary_header_does_no_harm(header in "[\\{\\}\\[\\]\":,0-9a-zA-Z_ -]{0,120}") {
        opens_or_says_why(&Place::new(), &file(&header, &[0; 16]));
    }

    #[test]
    fn a_header_with_a_few_wrong_bytes_does_no_harm(
        wrong in proptest::collection::vec((0..200usize, any::<u8>()), 1..4)
    ) {
        let mut bytes = file(TWO, &[0, 1, 2, 3, 4, 5, 6]);
        for (at, byte) in wrong {
            let length = bytes.len();
            bytes[at % length] = byte;
        }
        opens_or_says_why(&Place::new(), &bytes);
    }

    #[test]
    fn a_header_with_wrong_numbers_does_no_harm(
        dimensions in proptest::collection::vec(prop_oneof![0..5u64, any::<u64>()], 0..4),
        offsets in (prop_oneof![0..20u64, any::<u64>()], prop_oneof![0..20u64, any::<u64>()]),
        data_type in "(BOOL|F4|F6_E2M3|U8|F16|BF16|F32|I64|C64)",
    ) {
        let header = format!(
            r#"{{"a":{{"dtype":"{data_type}","shape":{dimensions:?},"data_offsets":[{},{}]}}}}"#, offsets.0, offsets.1
        );
        opens_or_says_why(&Place::new(), &file(&header, &[0; 16]));
    }
}
