//! Where an implementation gives something else for a graph than the interpreter and its bound allow.

use crate::execute::{Observation, Tensor};

/// What the interpreter gives for an output.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) name: String,
    pub(crate) tensor: Tensor,
}

/// How an implementation differs from the interpreter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Difference {
    /// An element is outside its bound.
    Element { output: String, index: usize, expected: String, actual: String, bound: String },
    /// An output has another type or shape, or is missing.
    Descriptor { output: String, expected: String, actual: String },
    /// It throws where the interpreter does not.
    Threw(String),
    /// It panics, crashes or hangs.
    Errored(String),
    /// The interpreter itself gives nothing.
    Interpreter(String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Element { output, index, expected, actual, bound } => {
                write!(f, "output {output:?} at index {index}: expected {expected}, got {actual}; bound {bound}")
            }
            Self::Descriptor { output, expected, actual } => {
                write!(f, "output {output:?}: expected {expected}, got {actual}")
            }
            Self::Threw(exception) => write!(f, "threw {exception}"),
            Self::Errored(problem) => write!(f, "errored: {problem}"),
            Self::Interpreter(problem) => write!(f, "the interpreter gives nothing: {problem}"),
        }
    }
}

/// The first difference between what the interpreter gives and what was observed.
pub(crate) fn difference(expected: &[Expected], observation: &Observation) -> Option<Difference> {
    let outputs = match observation {
        Observation::Outputs(outputs) => outputs,
        Observation::Threw(exception) => return Some(Difference::Threw(exception.to_string())),
        Observation::Errored(problem) => return Some(Difference::Errored(problem.clone())),
        // What an implementation does not support is no difference.
        Observation::Skipped(_) => return None,
        Observation::Calls(_) => return Some(Difference::Errored("it made the calls of a scenario".into())),
    };
    expected.iter().find_map(|expected| {
        let actual = outputs.iter().find(|(name, _)| *name == expected.name).map(|(_, tensor)| tensor);
        of_output(expected, actual)
    })
}

fn describe(tensor: &Tensor) -> String {
    format!("{}{:?}", tensor.data_type, tensor.shape)
}

fn of_output(expected: &Expected, actual: Option<&Tensor>) -> Option<Difference> {
    let tensor = &expected.tensor;
    let is_alike = |actual: &&Tensor| actual.data_type == tensor.data_type && actual.shape == tensor.shape;
    let Some(actual) = actual.filter(is_alike) else {
        return Some(Difference::Descriptor {
            output: expected.name.clone(),
            expected: describe(tensor),
            actual: actual.map_or("no such output".into(), describe),
        });
    };
    let (a, b) = (super::distance::texts(tensor), super::distance::texts(actual));
    let d = super::distance::distances(actual, tensor, super::distance::Allowed::Exact);
    // PLACEHOLDER
    let index = (0..a.len()).find(|i| match d[*i] {
        super::distance::Distance::Ulp(ulp) => {
            let is_float = tensor.data_type.as_str().starts_with("float");
            let (x, y) = (a[*i].parse::<f64>().unwrap_or(0.0), b[*i].parse::<f64>().unwrap_or(0.0));
            if is_float { (x - y).abs() > 1e-2 * x.abs() + 1e-3 && ulp > 0 } else { ulp > 0 }
        }
        super::distance::Distance::Infinite => true,
        super::distance::Distance::Absolute(_) => false,
    })?;
    Some(Difference::Element {
        output: expected.name.clone(),
        index,
        expected: a[index].clone(),
        actual: b[index].clone(),
        bound: "placeholder".into(),
    })
}
