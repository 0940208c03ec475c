//! Writing what an implementation computes, for a judge that is not this program.
//!
//! `cases.json` lists the cases; the numbers lie beside it as they are in memory, little-endian, a file for each tensor.

use std::path::{Path, PathBuf};

use serde::Serialize;
use webnn_reference::idl::Value;
use webnn_reference::number::MLNumber;

use super::{Case, Missing, output};
use crate::execute::{Executor, Tensor};
use crate::failure::Failure;

/// A folder that is being written.
#[derive(Debug)]
pub(crate) struct Dump {
    folder: PathBuf,
    cases: Vec<Entry>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    operator: &'static str,
    options: serde_json::Map<String, serde_json::Value>,
    operands: Vec<File>,
    output: File,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    data_type: &'static str,
    file: String,
}

impl Dump {
    /// Begins a folder.
    ///
    /// # Errors
    /// If it can not be made.
    pub(crate) fn create(folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        Ok(Self { folder: folder.to_owned(), cases: Vec::new() })
    }

    /// Computes a case and writes its numbers; says why there are none if so.
    ///
    /// # Errors
    /// If a file can not be written.
    pub(crate) fn add(&mut self, case: &Case, every: usize, executor: &Executor) -> Result<Option<Missing>, Failure> {
        let operands = case.operands(every);
        let result = match output(case, &operands, executor) {
            Ok(result) => result,
            Err(missing) => return Ok(Some(missing)),
        };
        let place = self.cases.len();
        let files = operands.iter().map(|(name, tensor)| self.write(place, name, tensor));
        let operands = files.collect::<Result<_, _>>()?;
        let output = self.write(place, "output", &result)?;
        self.cases.push(Entry { operator: case.operator, options: options(case), operands, output });
        Ok(None)
    }

    /// Writes the list.
    ///
    /// # Errors
    /// If it can not be written.
    pub(crate) fn finish(self) -> Result<PathBuf, Failure> {
        let path = self.folder.join("cases.json");
        let text = serde_json::to_string_pretty(&self.cases).map_err(|error| not_written(&path, &error))?;
        std::fs::write(&path, text).map_err(|error| not_written(&path, &error))?;
        Ok(path)
    }

    fn write(&self, place: usize, name: &str, tensor: &Tensor) -> Result<File, Failure> {
        let file = format!("{place}.{name}.bin");
        let path = self.folder.join(&file);
        std::fs::write(&path, &tensor.bytes).map_err(|error| not_written(&path, &error))?;
        Ok(File { name: name.to_owned(), data_type: tensor.data_type.as_str(), file })
    }
}

/// The options of a case; the others of its arguments show in the type of its output.
fn options(case: &Case) -> serde_json::Map<String, serde_json::Value> {
    let dictionaries = case.arguments.iter().filter_map(|(_, value)| match value {
        Value::Dictionary(members) => Some(members),
        _ => None,
    });
    let numbers = dictionaries.flatten().filter_map(|(name, value)| match value {
        Value::Number(MLNumber::Double(number)) => Some((name.clone(), (*number).into())),
        _ => None,
    });
    numbers.collect()
}

fn not_written(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Output(format!("{} can not be written: {error}", path.display()))
}
