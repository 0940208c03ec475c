//! The verbs of the command line.

pub(crate) mod accuracy;
pub(crate) mod adapter;
pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod coverage;
pub(crate) mod decompositions;
pub(crate) mod emit;
pub(crate) mod expectations;
pub(crate) mod explain;
pub(crate) mod fuzz;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod plan;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod smoke;
pub(crate) mod wpt;

use webnn_vectors::{Vector, VectorFile};

use crate::failure::Failure;
use crate::shown::{self, is_called};

/// The one vector that is named `name`: by its id, its name, or a part of its id that no other has.
fn find<'a>(files: &'a [VectorFile], name: &str) -> Result<(&'a VectorFile, &'a Vector), Failure> {
    let all = || files.iter().flat_map(|file| file.vectors.iter().map(move |vector| (file, vector)));
    let is_it = |of: &str| of == name || shown::name(of) == name;
    let exact: Vec<_> = all().filter(|(_, vector)| is_it(&vector.id) || is_it(&vector.name)).collect();
    let found = if exact.is_empty() { all().filter(|(_, one)| is_called(&one.id, name)).collect() } else { exact };
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::NothingToRun(format!("no vector is named {name:?}; `webnn list vectors` shows all"))),
        several => {
            let ids = several.iter().take(8).map(|(_, vector)| format!("  {}", shown::name(&vector.id)));
            let ids: Vec<_> = ids.collect();
            let more = if several.len() > ids.len() { "\n  ..." } else { "" };
            let count = several.len();
            Err(Failure::Usage(format!("{count} vectors are named {name:?}; which one?\n{}{more}", ids.join("\n"))))
        }
    }
}
