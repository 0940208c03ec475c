//! Every vector of web-platform-tests loads, where that data is at hand.

use std::path::Path;
use std::time::Instant;

use webnn_vectors::{Data, Kind, Loader, Vector};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/wpt/vectors");

#[test]
#[allow(clippy::print_stderr)]
fn every_vector_of_web_platform_tests_loads() {
    let folder = Path::new(FOLDER);
    if !folder.exists() {
        eprintln!("skipped: the data of web-platform-tests is not here");
        return;
    }
    let start = Instant::now();
    let files = Loader::new().paths(&[folder]).unwrap();
    let vectors: Vec<&Vector> = files.iter().flat_map(|file| &file.vectors).collect();
    eprintln!("{} vectors of {} files in {:?}", vectors.len(), files.len(), start.elapsed());
    assert_eq!(vectors.len(), 1617);
    assert!(vectors.iter().all(|vector| vector.required.is_some()));
    large_data_stay_small(&vectors);
    vectors_survive_a_round_trip(&vectors);
}

fn large_data_stay_small(vectors: &[&Vector]) {
    let large = vectors.iter().find(|vector| vector.id == "add/add float32 large inputs").unwrap();
    let graph = large.graph().unwrap();
    assert!(graph.inputs.values().all(|input| matches!(input.data, Data::Fill(_))));
    let start = Instant::now();
    let input = &graph.inputs[0];
    let bytes = input.descriptor.bytes_of(&input.data).unwrap();
    let elapsed = start.elapsed();
    #[allow(clippy::print_stderr)]
    {
        eprintln!("{} bytes in {elapsed:?}", bytes.len());
    }
    assert_eq!(bytes.len(), 144_000_000);
    assert_eq!(bytes[..4], bytes[143_999_996..]);
}

fn vectors_survive_a_round_trip(vectors: &[&Vector]) {
    for vector in vectors {
        let json = serde_json::to_string(vector).unwrap();
        let again: Vector = serde_json::from_str(&json).unwrap();
        assert_eq!(again.kind, vector.kind, "{}", vector.id);
    }
}

/// Data of a type that the specification has become bytes.
#[test]
fn every_tensor_has_bytes() {
    if !Path::new(FOLDER).exists() {
        return;
    }
    let files = Loader::new().paths(&[FOLDER]).unwrap();
    for vector in files.iter().flat_map(|file| &file.vectors) {
        let Kind::Graph { graph, .. } = &vector.kind else { panic!("{}: not a graph", vector.id) };
        let inputs = graph.inputs.values().map(|input| (&input.descriptor, &input.data));
        let outputs = graph.expected_outputs.values().map(|output| (&output.descriptor, &output.data));
        for (descriptor, data) in inputs.chain(outputs) {
            if descriptor.data_type.is_specified() && descriptor.byte_length() < Some(1 << 20) {
                let bytes = descriptor.bytes_of(data).unwrap();
                assert_eq!(Some(bytes.len() as u64), descriptor.byte_length(), "{}", vector.id);
            } else if !descriptor.data_type.is_specified() {
                descriptor.bytes_of(data).unwrap_err();
            }
        }
    }
}
