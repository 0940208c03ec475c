//! The interpreter: a platform that computes a graph operator by operator, in the order in which they were created.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::buffer::Bytes;
use crate::builder::Constant;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::for_data_type;
use crate::ml::{ContextType, MLPowerPreference, PlatformProvider};
use crate::number::{MLNumber, element_of};
use crate::operand::OperandId;
use crate::ops::{Bound, MLInputOperandLayout};
use crate::platform::{
    Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, TensorData,
};
use crate::value::{Computed, Value, filled};

/// Provides the interpreter as the platform of contexts of type "default".
#[derive(Clone, Copy, Debug)]
pub struct Cpu;

impl PlatformProvider for Cpu {
    fn platform(&self, context_type: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        match context_type {
            ContextType::Default => Some(Box::new(Interpreter::default())),
            ContextType::WebGPU(_) => None,
        }
    }
}

/// The interpreter.
#[derive(Debug, Default)]
pub struct Interpreter {
    tensors: BTreeMap<TensorData, Tensor>,
    graphs: BTreeMap<GraphImplementation, Graph>,
    handles: u64,
}

#[derive(Debug)]
struct Tensor {
    descriptor: MLOperandDescriptor,
    value: Rc<Value>,
}

#[derive(Debug)]
struct Graph {
    computation: Computation,
    constants: BTreeMap<OperandId, Rc<Value>>,
    /// For each operator, the operands that no later one takes.
    spent: Vec<Vec<OperandId>>,
}

impl Interpreter {
    fn handle(&mut self) -> u64 {
        self.handles += 1;
        self.handles
    }

    fn tensor(&self, tensor: TensorData) -> Result<&Tensor, PlatformError> {
        self.tensors.get(&tensor).ok_or_else(|| unknown("tensor"))
    }

    fn constant_value(&self, descriptor: &MLOperandDescriptor, constant: &Constant) -> Computed<Option<Rc<Value>>> {
        Ok(match constant {
            Constant::Bytes(bytes) => Some(Rc::new(Value::from_bytes(descriptor, bytes)?)),
            Constant::Scalar(number) => Some(Rc::new(scalar(descriptor.data_type, *number)?)),
            Constant::Tensor(tensor) => {
                let data = tensor.data().ok_or_else(|| unknown("constant tensor"))?;
                Some(Rc::clone(&self.tensor(data)?.value))
            }
            Constant::Hollow => None,
        })
    }
}

fn scalar(data_type: MLOperandDataType, number: MLNumber) -> Computed {
    for_data_type!(data_type, T => Ok(filled(&[], element_of::<T>(number))?.into()))
}

fn unknown(what: &str) -> PlatformError {
    PlatformError::Unsupported(format!("the {what} is not one of this context, or was released"))
}

impl Platform for Interpreter {
    fn limits(&self) -> PlatformLimits {
        PlatformLimits {
            data_types: MLOperandDataType::ALL.to_vec(),
            max_rank: 8,
            max_tensor_byte_length: u64::from(u32::MAX),
            preferred_input_layout: MLInputOperandLayout::Nchw,
            unsupported_operators: &[],
        }
    }

    fn create_tensor(&mut self, descriptor: &MLOperandDescriptor) -> Result<TensorData, PlatformError> {
        let value = Rc::new(Value::zeros(descriptor)?);
        let handle = TensorData(self.handle());
        self.tensors.insert(handle, Tensor { descriptor: descriptor.clone(), value });
        Ok(handle)
    }

    fn write_tensor(&mut self, tensor: TensorData, bytes: Bytes) -> Result<(), PlatformError> {
        let tensor = self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?;
        tensor.value = Rc::new(Value::from_bytes(&tensor.descriptor, &bytes)?);
        Ok(())
    }

    fn read_tensor(&mut self, tensor: TensorData) -> Result<Box<dyn PendingBytes>, PlatformError> {
        Ok(Box::new(self.tensor(tensor)?.value.to_bytes()?))
    }

    fn release_tensor(&mut self, tensor: TensorData) {
        self.tensors.remove(&tensor);
    }

    fn convert(&mut self, mut computation: Computation) -> Result<GraphImplementation, PlatformError> {
        let mut constants = BTreeMap::new();
        for (operand, constant) in std::mem::take(&mut computation.constants) {
            let descriptor = &computation.operands[operand.0];
            if let Some(value) = self.constant_value(descriptor, &constant)? {
                constants.insert(operand, value);
            }
        }
        let spent = spent_operands(&computation);
        let handle = GraphImplementation(self.handle());
        self.graphs.insert(handle, Graph { computation, constants, spent });
        Ok(handle)
    }

    fn set_constant(
        &mut self,
        graph: GraphImplementation,
        constant: OperandId,
        bytes: Bytes,
    ) -> Result<(), PlatformError> {
        let graph = self.graphs.get_mut(&graph).ok_or_else(|| unknown("graph"))?;
        let descriptor = &graph.computation.operands[constant.0];
        graph.constants.insert(constant, Rc::new(Value::from_bytes(descriptor, &bytes)?));
        Ok(())
    }

    fn dispatch(
        &mut self,
        graph: GraphImplementation,
        inputs: &[(String, TensorData)],
        outputs: &[(String, TensorData)],
    ) -> Result<(), PlatformError> {
        let graph = self.graphs.get(&graph).ok_or_else(|| unknown("graph"))?;
        let mut bound = graph.constants.clone();
        for (name, operand) in &graph.computation.inputs {
            bound.insert(*operand, Rc::clone(&self.tensor(named(inputs, name)?)?.value));
        }
        graph.compute(&mut bound)?;
        for (name, operand) in &graph.computation.outputs {
            let tensor = named(outputs, name)?;
            let value = bound.get(operand).map(Rc::clone).ok_or_else(|| unknown("output"))?;
            let tensor = self.tensors.get_mut(&tensor).ok_or_else(|| unknown("tensor"))?;
            tensor.value = value;
        }
        Ok(())
    }

    fn release_graph(&mut self, graph: GraphImplementation) {
        self.graphs.remove(&graph);
    }
}

fn named(tensors: &[(String, TensorData)], name: &str) -> Result<TensorData, PlatformError> {
    let found = tensors.iter().find(|(given, _)| given == name);
    found.map(|(_, tensor)| *tensor).ok_or_else(|| unknown("tensor of that name"))
}

impl Graph {
    fn compute(&self, bound: &mut BTreeMap<OperandId, Rc<Value>>) -> Result<(), PlatformError> {
        for (operator, spent) in self.computation.operators.iter().zip(&self.spent) {
            let values = operator.operation.compute(&Bound::new(operator, &self.computation.operands, bound))?;
            bound.extend(operator.outputs.iter().copied().zip(values.into_iter().map(Rc::new)));
            for operand in spent {
                bound.remove(operand);
            }
        }
        Ok(())
    }
}

/// For each operator, the operands of which it is the last to take, so that their memory is free after it.
fn spent_operands(computation: &Computation) -> Vec<Vec<OperandId>> {
    let mut kept: std::collections::BTreeSet<OperandId> =
        computation.outputs.iter().map(|(_, operand)| *operand).collect();
    let mut spent: Vec<Vec<OperandId>> = computation
        .operators
        .iter()
        .rev()
        .map(|operator| {
            let operands = operator.inputs.iter().chain(&operator.outputs);
            operands.copied().filter(|operand| kept.insert(*operand)).collect()
        })
        .collect();
    spent.reverse();
    spent
}
