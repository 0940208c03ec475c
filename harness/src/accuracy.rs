//! How accurate an implementation is: every element-wise operator over all float16 numbers, and over a dense sample of
//! the float32 numbers.
//!
//! The interpreter computes in binary64 and rounds once, so what another implementation computes is compared with what
//! it computes. How close the interpreter itself comes to correctly rounded values is not for this program to say:
//! `wpt-tests/generate/accuracy.py` compares its output, which [`dump`] writes, with values of 50 digits.

mod cases;
mod dump;
mod inputs;
mod report;

use webnn_reference::data_type::MLOperandDataType;

use crate::execute::call::Call;
use crate::execute::{Executor, Observation, Tensor};
use crate::judge::distance::{Agreement, agreement, flushed, flushed_results, texts};
use crate::listing::MeasuredElement;

pub(crate) use cases::{Case, cases};
pub(crate) use dump::Dump;
pub(crate) use report::{listed, markdown, text};

/// Operands, by the names of the parameters.
type Operands = Vec<(&'static str, Tensor)>;

/// How one case went on an implementation.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) case: Case,
    /// Where the two part and how far, or why that is not known.
    pub(crate) found: Result<Found, Missing>,
}

/// How an output agrees with the interpreter's.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) agreement: Agreement,
    /// The element that is furthest off.
    pub(crate) worst: Option<MeasuredElement>,
}

/// Why there is no output.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// The implementation does not support it, and says so.
    Unsupported(String),
    /// It should have, and did not.
    Failed(String),
}

/// Measures one case, over every `every`-th of its inputs.
///
/// On an adapter that `flushes` float32 subnormals, elements that are what flushing makes of them are counted apart.
pub(crate) fn measure(
    case: &Case,
    every: usize,
    flushes: bool,
    implementation: &Executor,
    interpreter: &Executor,
) -> Measured {
    let operands = case.operands(every);
    let found = output(case, &operands, implementation).and_then(|actual| {
        let expected = output(case, &operands, interpreter)?;
        let mut instead = Vec::new();
        if flushes && case.data_type() == MLOperandDataType::Float32 {
            let without = operands.iter().map(|(name, tensor)| (*name, flushed(tensor))).collect();
            let of_zeros = output(case, &without, interpreter)?;
            instead = vec![flushed_results(&expected), flushed_results(&of_zeros), of_zeros];
        }
        let agreement = agreement(&actual, &expected, &instead)
            .ok_or_else(|| Missing::Failed(format!("its output is {}{:?}", actual.data_type, actual.shape)))?;
        let worst = agreement.worst.map(|(_, index)| element(&operands, &expected, &actual, index));
        Ok(Found { agreement, worst })
    });
    Measured { case: case.clone(), found }
}

/// What an implementation makes of the operands.
fn output(case: &Case, operands: &Operands, executor: &Executor) -> Result<Tensor, Missing> {
    let call = Call { operator: case.operator, operands, arguments: &case.arguments };
    match executor.call(call) {
        Observation::Outputs(outputs) => {
            let first = outputs.into_iter().next();
            first.map(|(_, tensor)| tensor).ok_or_else(|| Missing::Failed("it has no output".into()))
        }
        Observation::Threw(exception) => Err(Missing::Failed(exception.to_string())),
        Observation::Skipped(reason) => Err(Missing::Unsupported(reason)),
        Observation::Errored(problem) => Err(Missing::Failed(problem)),
        Observation::Calls(_) => Err(Missing::Failed("it gave the calls of a scenario".into())),
    }
}

fn element(operands: &Operands, expected: &Tensor, actual: &Tensor, index: usize) -> MeasuredElement {
    let at = |tensor: &Tensor| brief(texts(tensor).swap_remove(index), tensor.data_type);
    MeasuredElement {
        operands: operands.iter().map(|(_, tensor)| at(tensor)).collect(),
        expected: at(expected),
        actual: at(actual),
    }
}

/// A number as text, with an exponent where it would be long without.
fn brief(text: String, data_type: MLOperandDataType) -> String {
    match text.parse::<f32>() {
        // The elements of both types are float32 numbers.
        Ok(number) if data_type.is_float() && is_long(number) => format!("{number:e}"),
        _ => text,
    }
}

fn is_long(number: f32) -> bool {
    number != 0.0 && number.is_finite() && !(1e-4..1e7).contains(&number.abs())
}
