//! A platform without a device: it lowers graphs, lays them out, keeps what came of that, and computes nothing.
//!
//! It says how many dispatches and how many bytes a graph takes, on any machine and for graphs of any size.

use std::cell::RefCell;
use std::rc::Rc;

use webnn_reference::buffer::Bytes;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::ml::{ContextType, MLPowerPreference, PlatformProvider};
use webnn_reference::operand::OperandId;
use webnn_reference::ops::MLInputOperandLayout;
use webnn_reference::platform::{
    Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, Residence, TensorData,
};
use webnn_reference::supply::Part;

use crate::lower::{Bounds, Economy, Program, lower};
use crate::plan::Layout;
use crate::wgsl::MAX_RANK;

/// What every device with WebGPU's default limits can do, but for the size of tensors, which is not what is looked at.
pub const DEFAULTS: Bounds = Bounds { binding_bytes: 1 << 31, bindings: 8, buffer_bytes: 1 << 32, alignment: 256 };

/// What came of a graph.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Its dispatches.
    pub program: Program,
    /// Where its tensors lie.
    pub layout: Layout,
}

/// Provides contexts whose graphs are drawn and kept. Clones share what is kept.
#[derive(Clone, Debug)]
pub struct Sketch {
    bounds: Bounds,
    economy: Economy,
    drawn: Rc<RefCell<Vec<Drawing>>>,
}

impl Sketch {
    /// Draws for a device that can do so much.
    pub fn new(bounds: Bounds, economy: Economy) -> Self {
        Self { bounds, economy, drawn: Rc::default() }
    }

    /// What was drawn since the last call, in the order of `build()`.
    pub fn take(&self) -> Vec<Drawing> {
        self.drawn.take()
    }
}

impl PlatformProvider for Sketch {
    fn platform(&self, _: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        Some(Box::new(self.clone()))
    }
}

impl Platform for Sketch {
    fn limits(&self) -> PlatformLimits {
        PlatformLimits {
            data_types: MLOperandDataType::ALL.to_vec(),
            max_rank: MAX_RANK,
            max_tensor_byte_length: self.bounds.buffer_bytes,
            preferred_input_layout: MLInputOperandLayout::Nchw,
            unsupported_operators: &[],
        }
    }

    fn create_tensor(&mut self, _: &MLOperandDescriptor) -> Result<TensorData, PlatformError> {
        nothing()
    }

    fn write_tensor(&mut self, _: TensorData, _: Bytes) -> Result<(), PlatformError> {
        nothing()
    }

    fn read_tensor(&mut self, _: TensorData) -> Result<Box<dyn PendingBytes>, PlatformError> {
        nothing()
    }

    fn release_tensor(&mut self, _: TensorData) {}

    fn convert(&mut self, computation: Computation) -> Result<GraphImplementation, PlatformError> {
        let mut program = lower(&computation, self.bounds, self.economy)?;
        let layout = Layout::of(&mut program, self.bounds.space(), self.economy);
        let mut drawn = self.drawn.borrow_mut();
        drawn.push(Drawing { program, layout });
        Ok(GraphImplementation(drawn.len() as u64))
    }

    fn set_constant(
        &mut self,
        _: GraphImplementation,
        _: OperandId,
        _: Part,
        _: Residence,
    ) -> Result<(), PlatformError> {
        nothing()
    }

    fn dispatch(
        &mut self,
        _: GraphImplementation,
        _: &[(String, TensorData)],
        _: &[(String, TensorData)],
    ) -> Result<(), PlatformError> {
        nothing()
    }

    fn release_graph(&mut self, _: GraphImplementation) {}
}

fn nothing<T>() -> Result<T, PlatformError> {
    Err(PlatformError::Unsupported("a sketch of a graph has no tensors and computes nothing".to_owned()))
}
