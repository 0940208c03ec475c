//! The interpreter as a platform that keeps ranges beside its tensors.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Allowance, Ranges};
use crate::cpu::Interpreter;
use crate::ml::{ContextType, MLPowerPreference, PlatformProvider};
use crate::platform::{Platform, TensorData};
use crate::tensor::MLTensor;

/// Provides the interpreter, with its second pass: the ranges of a tensor can be asked for beside its bytes.
#[derive(Clone, Debug, Default)]
pub struct Bounding {
    allowance: Allowance,
    tensors: Rc<RangesOfTensors>,
}

/// The ranges of all tensors of all contexts of a provider.
#[derive(Debug, Default)]
pub(crate) struct RangesOfTensors {
    /// Handles are counted here, so that those of two contexts differ.
    handles: Cell<u64>,
    ranges: RefCell<BTreeMap<TensorData, Rc<Ranges>>>,
}

impl RangesOfTensors {
    pub(crate) fn next_handle(&self) -> u64 {
        self.handles.set(self.handles.get() + 1);
        self.handles.get()
    }

    pub(crate) fn get(&self, tensor: TensorData) -> Option<Rc<Ranges>> {
        self.ranges.borrow().get(&tensor).cloned()
    }

    /// Keeps the ranges of a tensor; those of an exact one need no place.
    pub(crate) fn set(&self, tensor: TensorData, ranges: Option<Rc<Ranges>>) {
        match ranges {
            Some(ranges) => self.ranges.borrow_mut().insert(tensor, ranges),
            None => self.ranges.borrow_mut().remove(&tensor),
        };
    }
}

impl Bounding {
    /// A provider whose ranges are those of an implementation with this allowance.
    pub fn new(allowance: Allowance) -> Self {
        Self { allowance, tensors: Rc::default() }
    }

    /// The ranges of a tensor's elements, as of the last step of the timeline that ran: exact for what script wrote.
    pub fn ranges(&self, tensor: &MLTensor) -> Rc<Ranges> {
        tensor.data().and_then(|data| self.tensors.get(data)).unwrap_or_else(|| Rc::new(Ranges::Exact))
    }
}

impl PlatformProvider for Bounding {
    fn platform(&self, context_type: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        match context_type {
            ContextType::Default => Some(Box::new(Interpreter::bounding(self.allowance, Rc::clone(&self.tensors)))),
            ContextType::WebGPU(_) => None,
        }
    }
}
