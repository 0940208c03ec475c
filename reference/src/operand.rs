//! `MLOperand`: <https://www.w3.org/TR/webnn/#api-mloperand>.
//!
//! The slots of all operands of a builder live in its computational graph; an [`MLOperand`] is a handle to them. So a
//! chain of operators is a list, however long, and dropping it is not recursive.

use crate::builder::MLGraphBuilder;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::number::size;
use crate::tensor::MLTensor;
use crate::{algorithm, step};

/// The index of an operand in its builder's computational graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperandId(pub usize);

/// The index of an operator in its builder's computational graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperatorId(pub usize);

/// The internal slots of an operand, beside `[[builder]]`.
#[derive(Clone, Debug)]
pub(crate) struct OperandSlots {
    pub(crate) descriptor: MLOperandDescriptor,
    pub(crate) name: Option<String>,
    pub(crate) operator: Option<OperatorId>,
    pub(crate) constant_tensor: Option<MLTensor>,
    /// The operand that it was copied from, or that one was: by the literal text they have one `[[descriptor]]`.
    pub(crate) copied_from: Option<OperandId>,
    /// Whether its shape was changed although it was an input or output of an operator.
    pub(crate) is_changed: bool,
}

impl OperandSlots {
    pub(crate) fn new(descriptor: MLOperandDescriptor) -> Self {
        let (name, operator, constant_tensor, copied_from) = (None, None, None, None);
        Self { descriptor, name, operator, constant_tensor, copied_from, is_changed: false }
    }
}

/// An edge of the computational graph.
#[derive(Clone, Debug)]
pub struct MLOperand {
    pub(crate) builder: MLGraphBuilder,
    pub(crate) id: OperandId,
}

impl MLOperand {
    fn with_slots<T>(&self, f: impl FnOnce(&OperandSlots) -> T) -> T {
        f(&self.builder.graph().operands[self.id.0])
    }

    /// <https://www.w3.org/TR/webnn/#dom-mloperand-datatype>
    pub fn data_type(&self) -> MLOperandDataType {
        self.with_slots(|slots| slots.descriptor.data_type)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mloperand-shape>
    pub fn shape(&self) -> Vec<u32> {
        self.with_slots(|slots| slots.descriptor.shape.clone())
    }

    /// <https://www.w3.org/TR/webnn/#mloperand-rank>
    pub fn rank(&self) -> usize {
        self.with_slots(|slots| slots.descriptor.rank())
    }

    /// Its `[[descriptor]]`.
    pub fn descriptor(&self) -> MLOperandDescriptor {
        self.with_slots(|slots| slots.descriptor.clone())
    }

    /// Its index in the graph of its builder.
    pub fn id(&self) -> OperandId {
        self.id
    }

    pub(crate) fn constant_tensor(&self) -> Option<MLTensor> {
        self.with_slots(|slots| slots.constant_tensor.clone())
    }

    pub(crate) fn set_name(&self, name: &str) {
        self.builder.graph_mut().operands[self.id.0].name = Some(name.to_owned());
    }

    pub(crate) fn set_constant_tensor(&self, tensor: &MLTensor) {
        self.builder.graph_mut().operands[self.id.0].constant_tensor = Some(tensor.clone());
    }

    /// Sets a dimension of this operand's shape.
    pub(crate) fn set_dimension(&self, axis: u32, dimension: u32) {
        self.builder.graph_mut().operands[self.id.0].descriptor.shape[size(axis)] = dimension;
    }

    /// Sets a dimension of the shape that all operands share that were copied from one another. Of those that it
    /// changes, no graph can be converted any more.
    pub(crate) fn set_shared_dimension(&self, axis: u32, dimension: u32) {
        let origin = self.descriptor_origin();
        for (index, slots) in self.builder.graph_mut().operands.iter_mut().enumerate() {
            if slots.copied_from.unwrap_or(OperandId(index)) == origin
                && slots.descriptor.shape[size(axis)] != dimension
            {
                slots.descriptor.shape[size(axis)] = dimension;
                slots.is_changed = true;
            }
        }
    }

    /// The operand whose `[[descriptor]]` this one has by the literal text.
    fn descriptor_origin(&self) -> OperandId {
        self.with_slots(|slots| slots.copied_from).unwrap_or(self.id)
    }

    pub(crate) fn set_operator(&self, operator: OperatorId) {
        self.builder.graph_mut().operands[self.id.0].operator = Some(operator);
    }
}

impl MLGraphBuilder {
    fn add_operand(&self, slots: OperandSlots) -> MLOperand {
        let mut graph = self.graph_mut();
        graph.operands.push(slots);
        let id = OperandId(graph.operands.len() - 1);
        MLOperand { builder: self.clone(), id }
    }

    /// <https://www.w3.org/TR/webnn/#create-an-mloperand>
    pub(crate) fn create_operand(&self, descriptor: MLOperandDescriptor) -> MLOperand {
        algorithm!("create an MLOperand");
        step!("1"); // BY TYPE: there is one realm, that of the builder.
        step!("2");
        step!("3");
        step!("4");
        let operand = self.add_operand(OperandSlots::new(descriptor));
        step!("5");
        operand
    }

    /// <https://www.w3.org/TR/webnn/#copy-an-mloperand>
    pub(crate) fn copy_operand(operand: &MLOperand) -> MLOperand {
        algorithm!("copy an MLOperand");
        step!("1");
        let builder = &operand.builder;
        step!("2"); // BY TYPE: there is one realm, that of the builder.
        step!("3");
        step!("4");
        step!("5");
        let descriptor = operand.descriptor();
        step!("6");
        let name = operand.with_slots(|slots| slots.name.clone());
        let copied_from = Some(operand.descriptor_origin());
        let result = builder.add_operand(OperandSlots { name, copied_from, ..OperandSlots::new(descriptor) });
        step!("7");
        result
    }

    /// The operand itself; or, for one of another builder, which only the literal text of gemm lets through, an operand
    /// of this one that nothing is bound to.
    pub(crate) fn adopt_operand(&self, operand: &MLOperand) -> MLOperand {
        if operand.builder == *self {
            return operand.clone();
        }
        let descriptor = operand.descriptor();
        self.add_operand(OperandSlots::new(descriptor))
    }

    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-validate-operand>
    pub fn validate_operand(&self, operand: &MLOperand) -> bool {
        algorithm!("MLGraphBuilder/validate operand");
        operand.builder == *self
    }
}
