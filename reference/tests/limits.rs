//! The rows of the tables of tensor limits are those of the specification.
//!
//! The tables are read from beside the repository; where they are not, there is nothing to compare with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::limits::{DataTypes, OperandLimits, Ranks};
use webnn_reference::ops::OPERATORS;

const FACTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spec/limits-c515210.json");

/// A row, in words that both sides can be put into.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    allowed_data_types: BTreeSet<String>,
    required_data_types: BTreeSet<String>,
    allowed_ranks: String,
    required_ranks: String,
}

/// The rows of an operator's table, by operand.
type Table = BTreeMap<String, Row>;

fn names(data_types: &[MLOperandDataType]) -> BTreeSet<String> {
    data_types.iter().map(ToString::to_string).collect()
}

fn one(constraint: impl Into<String>) -> BTreeSet<String> {
    BTreeSet::from([constraint.into()])
}

/// A range as the tables write it: one number if that is all there is.
fn range(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

fn row_of_the_code(limits: &OperandLimits) -> Row {
    let allowed_data_types = match limits.allowed_data_types {
        DataTypes::Any => one("any"),
        DataTypes::Only(data_types) => names(data_types),
        DataTypes::SameAs(operand) => one(format!("same as {operand}")),
    };
    let allowed_ranks = match limits.allowed_ranks {
        Ranks::Any => "N".to_owned(),
        Ranks::AtLeast(least) => format!("{least} to N"),
        Ranks::Between(first, last) => range(first, last),
        Ranks::SameAs(operand) => format!("same as {operand}"),
    };
    let (first, last) = limits.required_ranks;
    Row {
        allowed_data_types,
        required_data_types: names(limits.required_data_types),
        allowed_ranks,
        required_ranks: range(first, last),
    }
}

/// A cell without the markup that says "the items of" a list of operands.
fn plain(cell: &str) -> String {
    cell.replace("'s [=list/items=]", "")
}

fn strings(value: &serde_json::Value) -> BTreeSet<String> {
    match value {
        serde_json::Value::Array(items) => items.iter().flat_map(strings).collect(),
        other => one(plain(other.as_str().expect("a string, or a list of strings"))),
    }
}

fn row_of_the_specification(row: &serde_json::Value) -> Row {
    let rank = |place: usize| plain(row["ranks"][place].as_str().expect("allowed and required ranks"));
    Row {
        allowed_data_types: strings(&row["allowed"]),
        required_data_types: strings(&row["required"]),
        allowed_ranks: rank(0),
        required_ranks: rank(1),
    }
}

fn facts() -> Option<BTreeMap<String, Table>> {
    let text = fs::read_to_string(FACTS).ok()?;
    let facts: BTreeMap<String, BTreeMap<String, serde_json::Value>> =
        serde_json::from_str(&text).expect("an object of objects");
    let table = |rows: BTreeMap<String, serde_json::Value>| {
        rows.into_iter().map(|(operand, row)| (operand, row_of_the_specification(&row))).collect()
    };
    Some(facts.into_iter().map(|(operator, rows)| (operator, table(rows))).collect())
}

#[test]
#[expect(clippy::print_stderr, reason = "what a test leaves out has to be seen")]
fn each_table_has_the_rows_of_the_specification() {
    let Some(facts) = facts() else {
        eprintln!("skipped: there is no {FACTS}");
        return;
    };
    let mut differences = Vec::new();
    for operator in OPERATORS {
        let Some(expected) = facts.get(operator.name) else {
            differences.push(format!("{}: the specification has no table for it", operator.name));
            continue;
        };
        let limits = operator.limits;
        let actual: Table = limits.rows.iter().map(|row| (row.operand.to_owned(), row_of_the_code(row))).collect();
        for operand in expected.keys().chain(actual.keys()).collect::<BTreeSet<_>>() {
            let (expected, actual) = (expected.get(operand), actual.get(operand));
            if expected != actual {
                let (name, table) = (operator.name, limits.table);
                differences.push(format!("{name} {operand} ({table}): expected {expected:?}, got {actual:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "correct the rows in reference/src/ops: {differences:#?}");
}
