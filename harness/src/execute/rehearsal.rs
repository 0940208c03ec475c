//! Calls on a builder, made only to learn what they give: nothing is built, and nothing computed.

use std::rc::Rc;

use webnn_reference::cpu::Cpu;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::operand::MLOperand;
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;
use webnn_vectors::{DataType, Descriptor, Input, Operator};

use super::graph::Calls;
use super::{Stopped, caught};

/// A builder of the reference.
pub(crate) struct Rehearsal {
    calls: Option<Calls>,
    latest: Vec<MLOperand>,
}

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It threw this, as it should where an argument is wrong.
    Threw(String),
    /// It can not be made, or it panicked: a bug.
    Failed(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Threw(reason) | Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl Rehearsal {
    /// A builder that the first call makes.
    pub(crate) fn new() -> Self {
        Self { calls: None, latest: vec![] }
    }

    fn calls(&mut self) -> Result<&mut Calls, Refusal> {
        if self.calls.is_none() {
            self.calls = Some(attempt(|| {
                let global = Global::new(Reading::Corrected);
                let ml = ML::new(&global, Rc::new(Cpu));
                let context = global.settle(&ml.create_context(MLContextOptions::default()))?;
                Calls::new(&context)
            })?);
        }
        self.calls.as_mut().ok_or_else(|| Refusal::Failed("there is no builder".into()))
    }

    /// Makes an input or a constant.
    ///
    /// # Errors
    /// Why it can not be made.
    pub(crate) fn input(&mut self, name: &str, input: &Input) -> Result<(), Refusal> {
        let calls = self.calls()?;
        attempt(|| calls.input(name, input))
    }

    /// Calls an operator's method, and says what its outputs are, which still need names.
    ///
    /// # Errors
    /// Why there are none.
    pub(crate) fn operator(&mut self, operator: &Operator) -> Result<Vec<Descriptor>, Refusal> {
        let calls = self.calls()?;
        self.latest = attempt(|| calls.operator(operator))?;
        self.latest
            .iter()
            .map(|output| {
                let data_type = DataType::from_name(output.data_type().as_str());
                let data_type = data_type.ok_or_else(|| Refusal::Failed("an output of no known type".into()))?;
                Ok(Descriptor { data_type, shape: output.shape().to_vec() })
            })
            .collect()
    }

    /// Gives the latest outputs their names.
    pub(crate) fn name_outputs(&mut self, names: &[String]) {
        let outputs = std::mem::take(&mut self.latest);
        if let Some(calls) = &mut self.calls {
            calls.name(names, outputs);
        }
    }
}

fn attempt<T>(call: impl FnOnce() -> Result<T, Stopped>) -> Result<T, Refusal> {
    match caught(call) {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(Stopped::Threw(exception))) => Err(Refusal::Threw(exception.to_string())),
        Ok(Err(Stopped::Skipped(problem) | Stopped::Invalid(problem))) | Err(problem) => Err(Refusal::Failed(problem)),
    }
}
