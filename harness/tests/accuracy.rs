//! What `webnn accuracy` measures: a share of all numbers on every run of the tests, within what the kernels promise.

mod program;

use program::Folder;
use serde_json::Value;

/// The largest distance that today's kernels promise, for every element-wise operator.
const PROMISED: u64 = 1;

fn number(case: &Value, member: &str) -> u64 {
    case[member].as_u64().unwrap_or_else(|| panic!("{case} has no {member}"))
}

#[test]
fn every_element_wise_operator_keeps_its_promise() {
    let folder = Folder::with("README", "");
    let run = folder.webnn(&["accuracy", "--every", "61", "--json", "accuracy.json"]);
    if run.code == 78 {
        return;
    }
    assert_eq!(run.code, 0, "{run}");
    let measured: Value = serde_json::from_str(&folder.read("accuracy.json")).unwrap();
    let cases = measured["implementations"][0]["cases"].as_array().unwrap();
    assert!(cases.len() > 100, "{} cases", cases.len());
    let of_all = cases.iter().filter(|case| case.get("skipped").is_none());
    for case in of_all {
        assert!(number(case, "elements") > 0, "{case}");
        assert!(number(case, "worst") <= PROMISED, "{case}");
        assert_eq!((number(case, "nan"), number(case, "infinite")), (0, 0), "{case}");
        // Whole numbers and bits have nothing to round.
        let title = case["title"].as_str().unwrap();
        let exact = ["abs", "ceil", "floor", "identity", "isNaN", "neg", "relu", "max", "min", "cast to int32"];
        assert!(!exact.contains(&title) || number(case, "differ") == 0, "{case}");
    }
}

#[test]
fn the_table_fits_a_terminal() {
    let folder = Folder::with("README", "");
    let run = folder.webnn(&["accuracy", "--every", "1000", "--markdown", "table.md"]);
    if run.code == 78 {
        return;
    }
    assert_eq!(run.code, 0, "{run}");
    // The first line names the adapter, however long that name is.
    let wide = run.stdout.lines().skip(1).find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "{run}");
    assert!(folder.read("table.md").contains("| tanh |"));
}

#[test]
fn what_can_not_be_measured_is_said() {
    let folder = Folder::with("README", "");
    let run = folder.webnn(&["accuracy", "-i", "reference"]);
    assert_eq!(run.code, 2, "{run}");
    run.complains("--dump");
    let run = folder.webnn(&["accuracy", "--operators", "tahn"]);
    assert_eq!(run.code, 2, "{run}");
    run.complains("webnn list operators");
    let run = folder.webnn(&["accuracy", "--operators", "matmul"]);
    assert_eq!(run.code, 66, "{run}");
    run.complains("element-wise");
}

#[test]
fn a_dump_has_what_its_list_says() {
    let folder = Folder::with("README", "");
    let arguments =
        ["accuracy", "-i", "reference", "--type", "float16", "--operators", "elu,cast", "--dump", "numbers"];
    let run = folder.webnn(&arguments);
    assert_eq!(run.code, 0, "{run}");
    let cases: Value = serde_json::from_str(&folder.read("numbers/cases.json")).unwrap();
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 3 + 8);
    assert_eq!(cases[1]["options"]["alpha"], 0.3);
    for case in cases {
        let size = |tensor: &Value| folder.size(&format!("numbers/{}", tensor["file"].as_str().unwrap()));
        assert_eq!(size(&case["operands"][0]), 2 << 16);
        assert!(size(&case["output"]) >= 1 << 16);
    }
}
