//! The committed schema is the one that the types give. `BLESS=1` rewrites it.

use std::fs;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/vectors.schema.json");

#[test]
fn the_schema_is_up_to_date() {
    let generated = serde_json::to_string_pretty(&webnn_vectors::schema()).unwrap() + "\n";
    if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        fs::write(SCHEMA, &generated).unwrap();
    }
    let committed = fs::read_to_string(SCHEMA).unwrap_or_default();
    assert!(
        committed == generated,
        "the schema is out of date: run `BLESS=1 cargo test -p webnn-vectors --test schema`"
    );
}
